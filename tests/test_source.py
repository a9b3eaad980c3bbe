"""What is read of files and folders, and what is not."""

from __future__ import annotations

import io
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raylint import source
from raylint.engine import concerns
from raylint.errors import UsageError
from raylint.selection import Selection
from raylint.source import UnreadableError, load


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    monkeypatch.chdir(tree)
    return tree


def make(*names: str, text: str = "") -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text(text)


def names(*paths: str, **settings: Any) -> list[str]:
    return [found.name for found in Selection(paths or ["."], **settings)]


def passed_over(*paths: str, **settings: Any) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    list(Selection(paths or ["."], passed_over=lambda name, reason: told.append((name, reason)), **settings))
    return told


def test_a_folder_gives_its_manifests_in_order() -> None:
    make("b.yaml", "a.yml", "c.json", "README.md", "z/a.yaml", "d/deep/x.yaml", "B.yaml", ".hidden/h.yaml")
    assert names() == ["B.yaml", "a.yml", "b.yaml", "c.json", ".hidden/h.yaml", "d/deep/x.yaml", "z/a.yaml"]


def test_an_empty_folder() -> None:
    assert names() == []


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (".", ["d/x.yaml"]),
        ("./", ["d/x.yaml"]),
        ("d", ["d/x.yaml"]),
        ("./d//", ["d/x.yaml"]),
        ("d/x.yaml", ["d/x.yaml"]),
        ("././d/./x.yaml", ["d/x.yaml"]),
        ("../tree", ["../tree/d/x.yaml"]),
        ("d/../d/x.yaml", ["d/../d/x.yaml"]),
    ],
)
def test_names_are_shown_as_they_were_typed(typed: str, shown: list[str]) -> None:
    make("d/x.yaml")
    assert names(typed) == shown


def test_absolute_names_stay_absolute(here: Path) -> None:
    make("d/x.yaml")
    assert names(str(here)) == names(f"{here}/d/") == [f"{here}/d/x.yaml"]


def test_a_file_given_by_name_is_read_whatever_its_ending() -> None:
    make("notes.txt", "noending", ".gitignore", text="notes.txt\n")
    make(".git/")
    assert names("notes.txt", "noending") == ["notes.txt", "noending"]


def test_every_file_is_read_once(here: Path) -> None:
    make("a.yaml", "d/b.yaml")
    Path("link.yaml").symlink_to("a.yaml")
    assert names("a.yaml", "a.yaml", "./a.yaml", f"{here}/a.yaml", "link.yaml") == ["a.yaml"]
    assert names("d", "a.yaml", ".", "d/b.yaml") == ["a.yaml", "d/b.yaml"]
    assert names("-", "-") == ["<stdin>"]


def test_a_link_goes_by_the_name_of_what_it_leads_to() -> None:
    make("z.yaml", "z/b.yaml")
    Path("a.yaml").symlink_to("z.yaml")
    Path("a").symlink_to("z")
    assert names() == ["z.yaml", "z/b.yaml"]


def test_links_to_elsewhere_are_followed(here: Path) -> None:
    outside = here.parent / "outside"
    outside.mkdir()
    (outside / "x.yaml").touch()
    (here.parent / "single.txt").touch()
    Path("folder").symlink_to(outside)
    Path("file.yaml").symlink_to(here.parent / "single.txt")
    Path("file.txt").symlink_to(here.parent / "single.txt")
    assert names() == ["file.yaml", "folder/x.yaml"]


def test_loops_of_links_end(here: Path) -> None:
    make("d/a.yaml")
    Path("d/up").symlink_to("..")
    Path("d/self").symlink_to(".")
    Path("d/absolute").symlink_to(here)
    Path("endless.yaml").symlink_to("endless.yaml")
    assert names() == ["d/a.yaml"]
    assert passed_over() == [("endless.yaml", "the link leads nowhere")]


def test_a_link_that_leads_nowhere_is_passed_over() -> None:
    Path(".#a.yaml").symlink_to("user@host.123")
    assert names() == []
    assert passed_over() == [(".#a.yaml", "the link leads nowhere")]


def test_a_mounted_config_map() -> None:
    """Kubernetes mounts a ConfigMap as links through a dated folder."""
    make("..2026_01_01/x.yaml")
    Path("..data").symlink_to("..2026_01_01")
    Path("x.yaml").symlink_to("..data/x.yaml")
    assert names() == ["..2026_01_01/x.yaml"]


@pytest.fixture
def deep(here: Path) -> Iterator[int]:
    """A tree deeper than Python's stack. It is taken down by hand, for ``shutil`` cannot do it."""
    depth = 1200
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    Path("x.yaml").touch()
    os.chdir(here)
    yield depth
    for _ in range(depth):
        os.chdir("d")
    os.unlink("x.yaml")
    for _ in range(depth):
        os.chdir("..")
        os.rmdir("d")


def test_a_tree_deeper_than_the_stack(deep: int) -> None:
    assert [name.count("/") for name in names()] == [deep]


def test_names_that_are_not_utf8() -> None:
    name = os.fsdecode(b"caf\xe9.yaml")
    Path(name).touch()
    assert names() == names(name) == ["caf\udce9.yaml"]


def test_version_control_folders_are_left_alone() -> None:
    make(".git/config.yaml", ".hg/x.yaml", ".svn/x.yaml", "node_modules/x.yaml")
    assert names() == ["node_modules/x.yaml"]


def test_gitignore() -> None:
    make(".git/", "kept.yaml", "gone.yaml", "build/x.yaml", "sub/local.yaml", "sub/other.yaml")
    Path(".gitignore").write_text("gone.yaml\nbuild/\n")
    Path("sub/.gitignore").write_text("local.yaml\n")
    assert names() == ["kept.yaml", "sub/other.yaml"]
    assert names(gitignore=False) == [
        "gone.yaml",
        "kept.yaml",
        "build/x.yaml",
        "sub/local.yaml",
        "sub/other.yaml",
    ]
    assert names("build") == ["build/x.yaml"]
    reason = "git ignores it"
    assert passed_over() == [("build", reason), ("gone.yaml", reason), ("sub/local.yaml", reason)]


def test_a_link_to_an_ignored_file_is_read() -> None:
    make(".git/", "hidden.yaml")
    Path(".gitignore").write_text("hidden.yaml\n")
    Path("seen.yaml").symlink_to("hidden.yaml")
    assert names() == ["seen.yaml"]


@pytest.mark.parametrize(
    ("globs", "left"),
    [
        (["dev"], ["a.yaml", "prod/a.yaml", "prod/b.yaml"]),
        (["dev/"], ["a.yaml", "prod/a.yaml", "prod/b.yaml"]),
        (["dev/**"], ["a.yaml", "prod/a.yaml", "prod/b.yaml"]),
        (["/a.yaml"], ["dev/a.yaml", "prod/a.yaml", "prod/b.yaml"]),
        (["a.yaml"], ["prod/b.yaml"]),
        (["*.yaml"], []),
        (["prod/?.yaml"], ["a.yaml", "dev/a.yaml"]),
        (["./a.yaml"], ["dev/a.yaml", "prod/a.yaml", "prod/b.yaml"]),
        (["./prod", "!./dev"], ["a.yaml", "dev/a.yaml"]),
        (["a.yaml", "!prod/a.yaml"], ["prod/a.yaml", "prod/b.yaml"]),
        (["b.yaml", "dev"], ["a.yaml", "prod/a.yaml"]),
        (["nothing"], ["a.yaml", "dev/a.yaml", "prod/a.yaml", "prod/b.yaml"]),
    ],
)
def test_exclude(globs: list[str], left: list[str], here: Path) -> None:
    make("a.yaml", "dev/a.yaml", "prod/a.yaml", "prod/b.yaml")
    assert names(exclude=globs) == left
    assert names(str(here), exclude=globs) == [f"{here}/{name}" for name in left]


def test_exclude_is_relative_to_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    make("a/b/x.yaml", "a/y.yaml")
    assert names("a", exclude=["a/b"]) == ["a/y.yaml"]
    monkeypatch.chdir("a")
    assert names(exclude=["a/b"]) == ["y.yaml", "b/x.yaml"]
    assert names("../a", exclude=["/b"]) == ["../a/y.yaml"]


def test_exclude_says_what_it_left_out() -> None:
    make("a.yaml", "dev/a.yaml")
    assert passed_over(exclude=["dev", "x"]) == [("dev", "--exclude dev")]


def test_exclude_spares_files_given_by_name_and_says_so() -> None:
    make("a.yaml", "d/b.yaml")
    with pytest.raises(UsageError, match="no effect on files given by name: add --force-exclude"):
        names("a.yaml", exclude=["a.yaml"])
    assert names("a.yaml", "d", exclude=["a.yaml", "b.yaml"]) == ["a.yaml"]


def test_force_exclude(here: Path) -> None:
    make("a.yaml", "dev/b.yaml", "kept.txt")
    given = ["a.yaml", "dev/b.yaml", "kept.txt", str(here / "dev/b.yaml")]
    assert names(*given, exclude=["dev", "a.yaml"], force_exclude=True) == ["kept.txt"]
    assert names("dev", exclude=["dev"], force_exclude=True) == []
    assert passed_over("dev", "a.yaml", exclude=["dev", "a.*"], force_exclude=True) == [
        ("a.yaml", "--exclude a.*"),
        ("dev", "--exclude dev"),
    ]


def test_force_exclude_heeds_gitignore(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(".git/", "a.yaml", "build/deep/b.yaml", "kept.yaml")
    Path(".gitignore").write_text("a.yaml\nbuild/\n")
    given = ["a.yaml", "build/deep/b.yaml", "kept.yaml"]
    assert names(*given) == given
    assert names(*given, force_exclude=True) == ["kept.yaml"]
    assert names(*given, force_exclude=True, gitignore=False, exclude=["kept.yaml"]) == given[:2]
    monkeypatch.chdir("..")
    assert names("tree/a.yaml", "tree/kept.yaml", force_exclude=True) == ["tree/kept.yaml"]


@pytest.mark.parametrize("typed", ["missing.yaml", "a.yaml/below", "", "no/where"])
def test_a_path_that_does_not_exist_is_wrong_usage(typed: str) -> None:
    make("a.yaml")
    with pytest.raises(UsageError) as caught:
        names("a.yaml", typed)
    assert str(caught.value) == f"no such file or folder: {typed!r}"


def test_a_missing_path_is_found_before_anything_is_read() -> None:
    make("a.yaml")
    with pytest.raises(UsageError):
        next(iter(Selection(["a.yaml", "missing"])))


def test_a_folder_that_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    make("open/a.yaml", "closed/b.yaml")
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if path == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = list(Selection(["."]))
    assert [(each.name, each.fault) for each in found] == [("closed", "permission denied"), ("open/a.yaml", "")]


def test_load() -> None:
    make("a.yaml", text="kind: RayCluster\r\n")
    make("empty.yaml")
    assert load("a.yaml", concerns) == b"kind: RayCluster\r\n"
    assert load("empty.yaml", concerns) == b""
    assert load("/proc/self/stat", concerns).startswith(str(os.getpid()).encode())


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("gone.yaml", "no such file or directory"),
        ("pipe.yaml", "it is a pipe"),
        ("folder.yaml", "it is a folder"),
        ("/dev/null", "it is a device"),
        ("n" * 300, "file name too long"),
    ],
)
def test_what_cannot_be_read(name: str, fault: str) -> None:
    os.mkfifo("pipe.yaml")
    os.mkdir("folder.yaml")
    with pytest.raises(UnreadableError) as caught:
        load(name, concerns)
    assert str(caught.value) == fault


def test_a_socket_cannot_be_read() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.yaml")
        with pytest.raises(UnreadableError):
            load("socket.yaml", concerns)


def test_permission_denied() -> None:
    make("secret.yaml")
    os.chmod("secret.yaml", 0)
    program = "import os, sys; os.setuid(65534)\n" if os.getuid() == 0 else "import sys\n"
    program += (
        "from raylint.source import UnreadableError, load\n"
        "try: load('secret.yaml', bool)\n"
        "except UnreadableError as error: print(error)\n"
    )
    os.chmod(".", stat.S_IRWXU | stat.S_IROTH | stat.S_IXOTH)
    for parent in Path.cwd().parents[:3]:
        os.chmod(parent, 0o755)
    path = os.pathsep.join(entry for entry in sys.path if entry)
    child = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": f"{Path(source.__file__).parent.parent}{os.pathsep}{path}"},
    )
    assert (child.stdout, child.stderr) == ("permission denied\n", "")


def test_a_pipe_that_the_shell_handed_over_is_read() -> None:
    receive, send = os.pipe()
    os.write(send, b"kind: RayCluster\n")
    os.close(send)
    assert load(f"/dev/fd/{receive}", concerns) == b"kind: RayCluster\n"
    os.close(receive)


def test_the_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: \xff\n")))
    assert load(None, concerns) == b"a: \xff\n"
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UnreadableError, match="the standard input is closed"):
        load(None, concerns)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("at", [0, 70_000, 1_200_000, 3_000_000])
def test_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch, encoding: str, at: int) -> None:
    monkeypatch.setattr(source, "LARGEST", 1 << 20)
    text = "x" * at + "ray.io/v1" + "x" * (3_000_000 - at)
    Path("large.yaml").write_bytes(text.encode(encoding))
    with pytest.raises(UnreadableError, match="it is larger than 1 MiB"):
        load("large.yaml", concerns)
    Path("large.yaml").write_bytes(text.replace("ray", "bay").encode(encoding))
    assert load("large.yaml", concerns) == b""


def test_a_file_that_is_too_large_to_be_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST", 1 << 20)
    monkeypatch.setattr(source, "_MOST_SCANNED", 4 << 20)
    scanned = 0

    def seen(raw: bytes) -> bool:
        nonlocal scanned
        scanned += len(raw)
        return False

    with open("sparse.yaml", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UnreadableError, match="it is larger than 4 MiB"):
        load("sparse.yaml", seen)
    assert scanned < 8 << 20


def test_the_word_may_lie_across_two_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST", 10)
    monkeypatch.setattr(source, "_CHUNK", 16)
    for at in range(200, 260):
        Path("large.yaml").write_text("x" * at + "ray.io" + "x" * 300)
        with pytest.raises(UnreadableError):
            load("large.yaml", concerns)


def test_the_largest_file_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST", 100_000)
    Path("large.yaml").write_bytes(b"x" * 100_000)
    assert load("large.yaml", concerns) == b"x" * 100_000


def test_a_stream_is_read_no_further_than_the_largest_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST", 1 << 20)
    with open("/dev/zero", encoding="utf-8") as zeros:
        monkeypatch.setattr(sys, "stdin", zeros)
        for path in (None, f"/dev/fd/{zeros.fileno()}"):
            with pytest.raises(UnreadableError, match="it is larger than 1 MiB"):
                load(path, concerns)


REPORT = '{"version": "raylint/v1", "target": {}, "summary": {}, "findings": [], "suppressed": []'


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (REPORT + "}\n", True),
        ("\n" + REPORT + "}", True),
        ('{"version": "raylint-effective/v1", "target": {}, "objects": [{"apiVersion": "ray.io/v1"}]}', True),
        (REPORT + ', "apiVersion": "ray.io/v1", "kind": "RayCluster"}', False),
        (REPORT + "}\n---\napiVersion: ray.io/v1\nkind: RayCluster\n", False),
        (REPORT, False),
        ('{"version": "raylint/v2", "target": {}, "summary": {}, "findings": []}', False),
        ('{"version": ["raylint/v1"]}', False),
        ('["raylint/v1"]', False),
        ('{"a": "raylint/v1", "b": ' + "[" * 100_000, False),
    ],
)
def test_reports_of_raylint_are_no_manifests(text: str, own: bool) -> None:
    Path("report.json").write_text(text)
    assert load("report.json", concerns) == (b"" if own else text.encode())


def test_the_working_directory_has_a_name_when_it_cannot_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", refuse)
    (found,) = Selection(["."])
    monkeypatch.undo()
    assert (found.name, found.fault) == (".", "permission denied")


def test_a_path_that_cannot_even_be_looked_at() -> None:
    (found,) = Selection(["n" * 300])
    assert found.fault == "file name too long"


def test_force_exclude_outside_of_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    make(".git/", "a.yaml", "kept.yaml", "sub/")
    Path(".gitignore").write_text("a.yaml\n")
    monkeypatch.chdir("sub")
    assert names("../a.yaml", "../kept.yaml", force_exclude=True) == ["../kept.yaml"]


def test_force_exclude_spares_folders_that_nothing_excludes() -> None:
    make("d/a.yaml")
    assert names("d", exclude=["x"], force_exclude=True) == ["d/a.yaml"]


def test_a_path_on_another_drive(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    def refuse(path: str) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    make("d/a.yaml")
    monkeypatch.setattr(os.path, "relpath", refuse)
    assert names("d", exclude=["b.yaml"]) == ["d/a.yaml"]
    assert names("d", exclude=["a.yaml"]) == []
