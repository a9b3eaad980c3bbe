"""The bundled schemas: small, complete, quick to load, and derived from CRDs alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import raylint_schemas
from raylint.crd import read_crds
from raylint.errors import UsageError
from raylint.formats import matches
from raylint.schema import Schema, bundled_schema, schema_of_files
from raylint.target import KUBERAY_RELEASES, version_text
from raylint_schemas.derive import derive, derive_all

FOLDER = Path(raylint_schemas.__file__).parent
CRDS = Path(__file__).parent / "fixtures" / "api" / "crds"

ON_EVERY_RELEASE = pytest.mark.parametrize("release", KUBERAY_RELEASES, ids=version_text)


def test_newest_release_fits_into_64_kb_and_each_other_into_10() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.glob("*.json")}
    assert len(sizes) == len(KUBERAY_RELEASES)
    newest = sizes.pop(f"kuberay-{version_text(KUBERAY_RELEASES[-1])}.json")
    assert newest <= 64 * 1024
    assert max(sizes.values()) <= 10 * 1024


def test_every_release_that_raylint_knows_is_bundled() -> None:
    assert raylint_schemas.RELEASES == KUBERAY_RELEASES
    assert raylint_schemas.load((9, 9)) is None


@ON_EVERY_RELEASE
def test_kinds_and_versions(release: tuple[int, ...]) -> None:
    schema = bundled_schema(release)
    cron = ["RayCronJob"] if release >= (1, 6) else []
    assert schema.kinds == sorted(["RayCluster", "RayJob", "RayService", *cron])
    for kind in schema.kinds:
        assert schema.versions(kind) == (["v1"] if kind == "RayCronJob" else ["v1", "v1alpha1"])
        for version in schema.versions(kind):
            assert schema.root(f"ray.io/{version}", kind) is not None
            assert bool(schema.deprecation(f"ray.io/{version}", kind)) is (
                version == "v1alpha1" and release >= (1, 7)
            )
    assert not schema.serves("ray.io/v1beta1", "RayCluster")
    assert not schema.serves("ray.example/v1", "RayCluster")


@ON_EVERY_RELEASE
def test_every_reference_leads_somewhere(release: tuple[int, ...]) -> None:
    tables = raylint_schemas.load(release)
    assert tables is not None
    known = tables["definitions"]
    for part in (part for part in known if part is not None):
        children = [*part.get("properties", {}).values(), part.get("items"), part.get("additionalProperties")]
        for child in children:
            assert not isinstance(child, int) or known[child] is not None


@ON_EVERY_RELEASE
def test_provenance_is_noted(release: tuple[int, ...]) -> None:
    tables = json.loads((FOLDER / f"kuberay-{version_text(release)}.json").read_text())
    assert tables["kuberay"].startswith(f"v{version_text(release)}.")
    assert tables["licence"] == "Apache-2.0"
    assert "ray-project/kuberay" in tables["source"]


@pytest.mark.parametrize(
    ("field", "releases"),
    [
        (("gcsFaultToleranceOptions",), "1.3 1.4 1.5 1.6 1.7"),
        (("gcsFaultToleranceOptions", "backend"), "1.7"),
        (("authOptions",), "1.5 1.6 1.7"),
        (("headGroupSpec", "replicas"), "1.0"),
        (("workerGroupSpecs", 0, "numOfHosts"), "1.1 1.2 1.3 1.4 1.5 1.6 1.7"),
        (("autoscalerOptions", "version"), "1.4 1.5 1.6 1.7"),
    ],
)
def test_fields_come_and_go_with_releases(field: tuple[str | int, ...], releases: str) -> None:
    """Source: the release notes and types of ray-project/kuberay."""
    having = [
        version_text(release)
        for release in KUBERAY_RELEASES
        if bundled_schema(release).part("ray.io/v1", "RayCluster", ("spec", *field)) is not None
    ]
    assert having == releases.split()


# --- Deriving -----------------------------------------------------------------------------------------------


def test_yaml_of_kubectl_and_json_give_the_same_bytes() -> None:
    assert derive([str(CRDS / "list.yaml")]) == derive([str(CRDS / "v9.1.0" / "rayclusters.json")])


def test_deriving_again_gives_the_same_bytes() -> None:
    files = derive_all(str(CRDS))
    assert files == derive_all(str(CRDS))
    assert sorted(files) == ["kuberay-9.0.json", "kuberay-9.1.json"]
    assert json.loads(files["kuberay-9.1.json"])["kuberay"] == "v9.1.0"


def test_a_release_is_its_difference_put_onto_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in derive_all(str(CRDS)).items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(raylint_schemas, "_FOLDER", str(tmp_path))
    monkeypatch.setattr(raylint_schemas, "RELEASES", ((9, 0), (9, 1)))
    older = raylint_schemas.load((9, 0))
    assert older is not None
    alone = read_crds([str(CRDS / "v9.0.0" / "rayclusters.json")])
    assert expanded(older) == expanded(alone)
    newest = raylint_schemas.load((9, 1))
    assert newest is not None
    assert expanded(newest) != expanded(older)


def expanded(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables without sharing."""

    def whole(part: Any) -> Any:
        part = tables["definitions"][part] if isinstance(part, int) else part
        if isinstance(part, str):
            return {"type": part}
        found = dict(part)
        if "properties" in found:
            found["properties"] = {name: whole(child) for name, child in found["properties"].items()}
        for key in ("items", "additionalProperties"):
            if key in found:
                found[key] = whole(found[key])
        return found

    return {
        f"{kind}/{version}": {**entry, "schema": whole(entry["schema"])}
        for kind, versions in tables["kinds"].items()
        for version, entry in versions.items()
    }


def test_only_served_versions_count_and_the_servers_warning_is_kept() -> None:
    schema = schema_of_files([str(CRDS / "list.yaml")])
    assert schema.title == "list.yaml"
    assert schema.versions("RayCluster") == ["v1", "v1alpha1"]
    assert schema.deprecation("ray.io/v1alpha1", "RayCluster") == "use ray.io/v1"


def test_a_users_crds_are_what_objects_are_judged_by() -> None:
    schema = schema_of_files([str(CRDS / "list.yaml")])
    manifest = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "a"},
        "spec": {
            "novelty": 0,
            "extras": {"any": {"thing": 1}},
            "anything": {"goes": [1]},
            "labels": {"a": 1},
            "ports": [{"port": 1}, {"port": 1}],
            "typo": 1,
        },
    }
    told = {(fault.kind.name, *fault.path) for fault in schema.faults(manifest)}
    assert told == {
        ("OUT_OF_RANGE", "spec", "novelty"),
        ("WRONG_TYPE", "spec", "labels", "a"),
        ("DUPLICATE", "spec", "ports", 1),
        ("UNKNOWN_FIELD", "spec", "typo"),
    }


def test_derived_tables_serve_as_crds(tmp_path: Path) -> None:
    derived = tmp_path / "kuberay.json"
    derived.write_text(derive([str(CRDS / "list.yaml")]))
    assert schema_of_files([str(derived)]).versions("RayCluster") == ["v1", "v1alpha1"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("kind: Deployment\napiVersion: apps/v1\n", "holds no CustomResourceDefinition of the group ray.io"),
        ("a: [", "cannot be read"),
        ("[1, 2]", "holds no CustomResourceDefinition"),
        ('{"group": "ray.io", "versions": [{"served": true}]}', "lacks the names of its kind"),
    ],
)
def test_what_is_no_crd_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text(content)
    with pytest.raises(UsageError, match=reason):
        read_crds([str(file)])


def test_a_file_that_is_not_there_and_a_kind_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: no such file"):
        read_crds([str(tmp_path / "none.yaml")])
    with pytest.raises(UsageError, match="describe the kind RayCluster twice"):
        read_crds([str(CRDS / "list.yaml"), str(CRDS / "v9.0.0" / "rayclusters.json")])


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("null", "a schema is a mapping"),
        ("{type: 5}", "type is one of array"),
        ("{type: strin}", "type is one of array"),
        ("{type: string, pattern: '('}", "pattern is a regular expression"),
        ("{type: string, pattern: 5}", "pattern is a regular expression"),
        ("{required: 5}", "required is a list of texts"),
        ("{enum: 5}", "enum is a list"),
        ("{maxProperties: -1}", "maxProperties is a whole number"),
        ("{minLength: 1e400}", "minLength is a whole number"),
        ("{minimum: x}", "minimum is a number"),
        ("{multipleOf: 0}", "multipleOf is a number other than 0"),
        ("{properties: []}", "properties is a mapping"),
        ("{items: [x]}", "items is a schema"),
        ("{additionalProperties: 5}", "additionalProperties is a schema, true or false"),
        ("{nullable: x}", "nullable is true or false"),
        ("{x-kubernetes-validations: [{rule: 5}]}", "x-kubernetes-validations is a list of rules"),
        ("{x-kubernetes-validations: [null]}", "x-kubernetes-validations is a list of rules"),
    ],
)
def test_a_crd_that_the_server_would_refuse_is_refused(tmp_path: Path, spec: str, fault: str) -> None:
    file = tmp_path / "crd.yaml"
    schema = f"{{type: object, properties: {{spec: {spec}}}}}"
    file.write_text(
        "spec: {group: ray.io, names: {kind: RayCluster}, versions: [{name: v1, served: true,"
        f" schema: {{openAPIV3Schema: {schema}}}}}]}}\n"
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    )
    with pytest.raises(UsageError, match=f"the API server refuses such a CRD: RayCluster.v1.spec: {fault}"):
        read_crds([str(file)])


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ({"definitions": [], "kinds": {"RayCluster": {"v1": {"schema": 0}}}}, "not the tables of a schema"),
        ({"definitions": [5], "kinds": {}}, "not the tables of a schema"),
        ({"definitions": [], "kinds": []}, "not the tables of a schema"),
        ({"definitions": [{"items": 7}], "kinds": {}}, "not the tables of a schema"),
        ({"definitions": [{"required": 5}], "kinds": {}}, "required is a list of texts"),
    ],
)
def test_tables_that_are_none_are_refused(tmp_path: Path, tables: dict[str, object], fault: str) -> None:
    file = tmp_path / "tables.json"
    file.write_text(json.dumps(tables))
    with pytest.raises(UsageError, match=fault):
        read_crds([str(file)])


def test_pipes_and_devices_are_no_crds(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="cannot be read: it is a pipe"):
        read_crds([str(tmp_path / "pipe")])
    with pytest.raises(UsageError, match="/dev/zero cannot be read: it is a device"):
        read_crds(["/dev/zero"])


# What Python's matcher would take hours for; the server's takes time in proportion to the text.
@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(a|a){1,90}b", "a*a*a*a*a*a*a*b", "a?" * 60 + "b", "(a|a)" * 40 + "b"]
)
def test_patterns_that_go_back_without_end_are_left_to_the_server(pattern: str) -> None:
    assert matches(pattern, "a" * 300 + "c")


def test_other_patterns_are_judged() -> None:
    assert not matches("^[a-z]+(-[0-9]+)?$", "Trainer")
    assert not matches("^(small|medium|large)$", "huge")
    assert not matches(r"^v[0-9]+\.[0-9]+$", "v1.x")
    assert matches(r"^[)*+]\*$", ")*")


def test_no_pattern_of_kuberay_is_left_to_the_server() -> None:
    parts = [part for release in KUBERAY_RELEASES for part in bundled_schema(release).definitions if part]
    found = {part["pattern"] for part in parts if "pattern" in part}
    assert len(found) == 3
    for pattern in found:
        assert not matches(pattern, "!" * 1000), pattern


def test_as_a_command(tmp_path: Path) -> None:
    def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "raylint_schemas.derive", *arguments]
        return subprocess.run(command, input=given, capture_output=True, check=False)

    piped = run("-", given=(CRDS / "list.yaml").read_bytes())
    assert piped.returncode == 0
    assert piped.stdout.decode() == derive([str(CRDS / "list.yaml")])
    assert run("--all", str(CRDS), "--into", str(tmp_path)).returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["kuberay-9.0.json", "kuberay-9.1.json"]
    nothing = run("-", given=b"kind: Pod\napiVersion: v1\n")
    assert nothing.returncode == 2
    assert b"holds no CustomResourceDefinition" in nothing.stderr
    assert run("--all", str(tmp_path)).returncode == 2


def test_schema_of_a_release_that_nobody_has_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no schemas of KubeRay 9\.9 are installed"):
        bundled_schema((9, 9))


def test_loading_leaves_the_shared_tables_alone() -> None:
    before = _definitions((1, 7))
    _definitions((1, 0))
    assert _definitions((1, 7)) == before
    assert isinstance(bundled_schema((1, 7)), Schema)


@ON_EVERY_RELEASE
def test_definitions_are_those_of_the_files(release: tuple[int, ...]) -> None:
    newest, own = (
        json.loads((FOLDER / f"kuberay-{version_text(known)}.json").read_text())["definitions"]
        for known in (KUBERAY_RELEASES[-1], release)
    )
    found = _definitions(release)
    if release == KUBERAY_RELEASES[-1]:
        assert found == newest
        return
    assert len(found) >= len(newest)
    for number, part in enumerate(found):
        if str(number) in own:
            assert part != (newest[number] if number < len(newest) else None)
        else:
            assert part == (newest[number] if number < len(newest) else None)


def _definitions(release: tuple[int, ...]) -> list[Any]:
    tables = raylint_schemas.load(release)
    assert tables is not None
    return list(tables["definitions"])
