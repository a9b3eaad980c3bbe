"""Packs are found where ``importlib.metadata`` finds them, and a pack that cannot be used stops the run."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from raylint.errors import UsageError
from raylint.packs import GROUP, EntryPoint, find_entry_points, installed_rules, load

PACK = """
from raylint.rule import Severity, rule

@rule("{id}", Severity.INFO)
def example(cluster: "RayCluster"):
    return ()

RULES = (example,)
"""


def announced() -> list[EntryPoint]:
    """What ``importlib.metadata`` says, the distributions' names as the package index writes them."""
    found = []
    for entry_point in importlib.metadata.entry_points(group=GROUP):
        assert entry_point.dist is not None
        name = re.sub(r"[-_.]+", "-", entry_point.dist.metadata["Name"]).lower()
        found.append(EntryPoint(name, entry_point.name, entry_point.value))
    return sorted(found, key=EntryPoint.as_tuple)


def announce(folder: Path, info: str, text: str | None = "", name: str = "") -> Path:
    """Write a distribution's ``.dist-info`` or ``.egg-info``; ``text`` is the body of the group's section."""
    path = folder / info
    path.mkdir(parents=True)
    metadata = path / ("METADATA" if info.endswith(".dist-info") else "PKG-INFO")
    metadata.write_text(f"Metadata-Version: 2.1\nName: {name or info.partition('-')[0]}\nVersion: 1\n")
    if text is not None:
        (path / "entry_points.txt").write_text(f"[console_scripts]\nx = x:y\n\n[{GROUP}]\n{text}")
    return path


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is alone on ``sys.path``, and what is imported from it is forgotten again."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder)])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return folder


def test_finds_what_importlib_finds_here() -> None:
    assert find_entry_points() == announced()
    assert EntryPoint("raylint", "builtin", "raylint_rules:RULES") in find_entry_points()


def test_finds_what_importlib_finds_on_a_mixed_path(site: Path, tmp_path: Path) -> None:
    announce(site, "zeta-1.dist-info", "second = zeta.b:RULES\nfirst=zeta.a:RULES\n")
    announce(site, "Acme_Ray.Rules-2.0.dist-info", "rules = acme:RULES\n", name="Acme-Ray.Rules")
    announce(site, "old.egg-info", "rules = old:RULES [extra,other]\n", name="old")
    announce(site, "plain-1.dist-info", None)
    announce(site, "shadow-1.dist-info", None)
    (site / "single.egg-info").write_text("Metadata-Version: 1.0\n")
    later = tmp_path / "later"
    announce(later, "acme.ray_rules-1.0.dist-info", "rules = older:RULES\n", name="acme.ray_rules")
    announce(later, "shadow-0.dist-info", "rules = shadow:RULES\n")
    announce(later, "extra-1.dist-info", "# a comment\n\nrules = extra:RULES\n[other]\nnot = mine\n")
    sys.path += [str(later), str(site), str(tmp_path / "missing")]
    assert find_entry_points() == announced()
    assert find_entry_points() == [
        EntryPoint("acme-ray-rules", "rules", "acme:RULES"),
        EntryPoint("extra", "rules", "extra:RULES"),
        EntryPoint("old", "rules", "old:RULES [extra,other]"),
        EntryPoint("zeta", "first", "zeta.a:RULES"),
        EntryPoint("zeta", "second", "zeta.b:RULES"),
    ]


def test_empty_path_entry_is_the_working_directory(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    announce(site, "acme-1.dist-info", "rules = acme:RULES\n")
    monkeypatch.chdir(site)
    sys.path[:] = [""]
    assert find_entry_points() == announced() == [EntryPoint("acme", "rules", "acme:RULES")]


@pytest.mark.parametrize("content", [b"\xff\xfe", b"no section, no equals sign", b""])
def test_broken_file_of_somebody_else_is_passed_over(site: Path, content: bytes) -> None:
    (announce(site, "broken-1.dist-info", None) / "entry_points.txt").write_bytes(content)
    (announce(site, "folder-1.dist-info", None) / "entry_points.txt").mkdir()
    announce(site, "acme-1.dist-info", "rules = acme:RULES\n")
    assert find_entry_points() == [EntryPoint("acme", "rules", "acme:RULES")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[raylint.rules]\nacme:RULES\n", "'acme:RULES' is not of the form 'name = module:attribute'"),
        (b"[raylint.rules]\nrules = \xff:RULES\n", "can't decode byte 0xff"),
    ],
)
def test_broken_section_is_refused(site: Path, content: bytes, reason: str) -> None:
    (announce(site, "acme-1.dist-info", None) / "entry_points.txt").write_bytes(content)
    with pytest.raises(UsageError, match=f"the rule packs of 'acme' cannot be read: .*{re.escape(reason)}"):
        find_entry_points()


def test_pack_in_a_zip_file(site: Path) -> None:
    archive = site / "acme.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("acme_zipped.py", PACK.format(id="ACME1"))
        file.writestr("acme-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: Acme\nVersion: 1\n")
        file.writestr("acme-1.dist-info/entry_points.txt", f"[{GROUP}]\nrules = acme_zipped:RULES\n")
    announce(site, "beta-1.dist-info", "rules = beta_plain:RULES\n")
    (site / "beta_plain.py").write_text(PACK.format(id="BETA1"))
    sys.path.insert(0, str(archive))
    assert find_entry_points() == announced()
    assert [rule.id for rule in installed_rules()] == ["ACME1", "BETA1"]


def test_pack_of_another_finder(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = announce(tmp_path / "elsewhere", "acme-1.dist-info", "rules = acme:RULES\n")

    class Finder:
        @staticmethod
        def find_spec(*_: object) -> None:
            return None

        @staticmethod
        def find_distributions(_: object) -> list[importlib.metadata.Distribution]:
            return [importlib.metadata.Distribution.at(path)]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert find_entry_points() == announced() == [EntryPoint("acme", "rules", "acme:RULES")]


def test_rules_come_in_the_order_of_their_ids(site: Path) -> None:
    announce(site, "acme-1.dist-info", "b = acme_b:RULES\na = acme_a:inner.RULES\n")
    (site / "acme_a.py").write_text(f"class inner:{PACK.format(id='ACME2')}".replace("\n", "\n    "))
    (site / "acme_b.py").write_text(PACK.format(id="ACME1"))
    assert [rule.id for rule in installed_rules()] == ["ACME1", "ACME2"]


def test_an_entry_point_names_itself() -> None:
    entry_point = EntryPoint("acme", "rules", "acme:RULES")
    assert str(entry_point) == "rule pack 'rules' of 'acme'"
    assert repr(entry_point) == "EntryPoint('acme', 'rules', 'acme:RULES')"


def test_no_pack_is_refused(site: Path) -> None:
    with pytest.raises(UsageError) as caught:
        installed_rules()
    assert str(caught.value) == (
        "no rules are installed; install them with `pip install raylint` (in a clone: `pip install -e .`)"
    )


def test_one_id_in_two_packs_is_refused(site: Path) -> None:
    announce(site, "acme-1.dist-info", "rules = acme_twice:RULES\n")
    announce(site, "beta-1.dist-info", "mine = beta_twice:RULES\n")
    for module in ("acme_twice", "beta_twice"):
        (site / f"{module}.py").write_text(PACK.format(id="ACME1"))
    with pytest.raises(UsageError) as caught:
        installed_rules()
    assert str(caught.value) == (
        "two rules are called ACME1: in rule pack 'rules' of 'acme' and in rule pack 'mine' of 'beta'"
    )


@pytest.mark.parametrize(
    ("value", "source", "message"),
    [
        (
            "gone.pack:RULES",
            "",
            " cannot be loaded: its module 'gone' is not there; install the distribution again",
        ),
        (
            "acme_bad:RULES",
            "import left_out.part",
            " cannot be loaded: its module 'acme_bad' needs 'left_out', which is not installed",
        ),
        ("acme_bad:RULES", "1 / 0", " cannot be loaded: ZeroDivisionError: division by zero"),
        (
            "acme_bad:RULES",
            "from raylint.rule import Regel",
            " cannot be loaded: ImportError: cannot import name 'Regel' from 'raylint.rule'",
        ),
        ("acme_bad:RULES", "", " cannot be loaded: AttributeError: module 'acme_bad' has no attribute 'RULES'"),
        ("acme_bad:RULES", "RULES = 'RAY101'", ": 'acme_bad:RULES' is not a tuple of rules"),
        ("acme_bad:RULES", "RULES = ['RAY101']", ": 'acme_bad:RULES' is not a tuple of rules"),
        ("acme_bad", "", ": 'acme_bad' is not of the form 'module:attribute'"),
    ],
)
def test_pack_that_cannot_be_loaded_is_refused(site: Path, value: str, source: str, message: str) -> None:
    (site / "acme_bad.py").write_text(source)
    with pytest.raises(UsageError) as caught:
        load(EntryPoint("acme", "rules", value))
    assert str(caught.value).startswith("rule pack 'rules' of 'acme'" + message)


def test_installed_rules_does_without_importlib_metadata() -> None:
    code = "import sys, raylint.packs as p; p.installed_rules(); print('importlib.metadata' in sys.modules)"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (child.stdout, child.stderr) == (f"False{os.linesep}", "")
