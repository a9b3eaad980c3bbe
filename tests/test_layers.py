"""Which module may import which, and what linting one file may import at all."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent

# Folder: the name it is installed under.
PACKAGES = {
    "raylint": "raylint",
    "rules": "raylint_rules",
    "schemas": "raylint_schemas",
    "webhook": "raylint_webhook",
    "cluster": "raylint_cluster",
}

SERVICE = {"fastapi", "starlette", "uvicorn", "kubernetes", "orjson", "prometheus_client"}

# What a pack of rules may see of raylint: how rules are written, and the views of an object.
VOCABULARY = {
    "cluster",
    "cluster_options",
    "cron",
    "custom_resources",
    "derived",
    "effective",
    "effective_container",
    "effective_pod",
    "embedded",
    "embedded_document",
    "environment",
    "fault_tolerance",
    "feature_gates",
    "field",
    "finding",
    "go_duration",
    "group",
    "image",
    "kube_names",
    "manifest",
    "narrow",
    "object_names",
    "offer",
    "patterns",
    "pod",
    "pod_labels",
    "pod_volumes",
    "probes",
    "quantity",
    "ray_environment",
    "ray_release",
    "ray_settings",
    "ray_start",
    "ray_start_verdict",
    "redis_cleanup",
    "rule",
    "runtime_env",
    "runtime_environments",
    "scalar_text",
    "schema_fault",
    "schema_hints",
    "secret_names",
    "serve",
    "serve_keys",
    "services",
    "shelf",
    "shell",
    "shell_words",
    "sidecars",
    "start_command",
    "submitter",
    "target",
    "time_zones",
    "update",
}

# What runs rules. The vocabulary knows nothing of it.
MACHINERY = {
    "admission",
    "admission_answer",
    "admission_policy",
    "admission_policy_file",
    "admission_ratchet",
    "admission_review",
    "admission_setup",
    "admission_waiver",
    "baseline",
    "baseline_command",
    "bytecode",
    "cli",
    "cel_rules",
    "completion",
    "config",
    "effective_command",
    "effective_data",
    "effective_sheet",
    "effective_text",
    "engine",
    "fix",
    "fix_data",
    "fix_edits",
    "fix_extent",
    "fix_file",
    "fix_inner",
    "fix_render",
    "fix_text",
    "fixing",
    "help",
    "live",
    "messages",
    "operator_checks",
    "options",
    "origin",
    "output",
    "packs",
    "plan",
    "policy",
    "recall",
    "registry",
    "remark_pages",
    "remarks",
    "rendering",
    "report",
    "resolve",
    "progress",
    "result_cache",
    "revision",
    "rule_times",
    "run",
    "selection",
    "source",
    "suppression",
    "suppression_cover",
    "suppression_finder",
    "suppression_words",
    "workers",
}

# Each costs a start between 1 and 100 ms; a function that needs one imports it when it runs.
SLOW = {
    "argparse",
    "concurrent",
    "contextlib",
    "dataclasses",
    "datetime",
    "difflib",
    "hashlib",
    "importlib.metadata",
    "importlib.resources",
    "jsonschema",
    "logging",
    "multiprocessing",
    "pathlib",
    "ruamel",
    "subprocess",
    "typing",
}


def modules(*folders: str) -> list[str]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def imports(module: str, *, when_loaded: bool = False) -> set[str]:
    """The names that a module imports, absolute and dotted: for ``from a import b`` both ``a`` and ``a.b``.
    ``when_loaded``: only those that run when the module is loaded."""
    tree = ast.parse((ROOT / module).read_bytes(), module)
    folders = module.split("/")[:-1]
    package = [PACKAGES.get(folders[0], folders[0]), *folders[1:]]
    found: set[str] = set()
    for node in _nodes(tree, when_loaded):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            source = ".".join([*base, *(node.module.split(".") if node.module else [])])
            found.update([source, *(f"{source}.{alias.name}" for alias in node.names)])
    return found


def _nodes(tree: ast.AST, when_loaded: bool) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if when_loaded and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if when_loaded and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _nodes(node, when_loaded)


def of(names: set[str], wanted: set[str]) -> set[str]:
    """Those of ``names`` that are one of ``wanted`` or lie inside it."""
    return {name for name in names if any(f"{name}.".startswith(f"{module}.") for module in wanted)}


@pytest.mark.parametrize("module", modules("raylint"))
def test_raylint_knows_no_rule_and_no_service(module: str) -> None:
    others = {*PACKAGES, *PACKAGES.values()} - {"raylint"}
    assert of(imports(module), others | SERVICE) == set()


@pytest.mark.parametrize("module", modules("raylint", "rules"))
def test_nothing_slow_is_imported_when_a_module_is_loaded(module: str) -> None:
    assert of(imports(module, when_loaded=True), SLOW) == set()


@pytest.mark.parametrize("module", modules("raylint", "rules"))
def test_names_of_narrow_views_are_for_type_checkers(module: str) -> None:
    """To make the classes takes as long as to judge a manifest."""
    assert of(imports(module, when_loaded=True), {"raylint.narrow"}) == set()


@pytest.mark.parametrize("module", modules("rules"))
def test_rules_see_only_the_vocabulary(module: str) -> None:
    seen = {name.split(".")[1] for name in imports(module) if name.startswith("raylint.")}
    assert seen <= VOCABULARY
    assert of(imports(module), SERVICE | {"raylint_schemas", "raylint_webhook"}) == set()


@pytest.mark.parametrize("module", [f"raylint/{name}.py" for name in sorted(VOCABULARY)])
def test_the_vocabulary_knows_no_machinery(module: str) -> None:
    assert of(imports(module), {f"raylint.{name}" for name in MACHINERY}) == set()


def test_the_engine_is_handed_its_rules() -> None:
    forbidden = MACHINERY - {"engine", "plan", "remarks", "resolve", "suppression", "suppression_finder"}
    assert of(imports("raylint/engine.py"), {f"raylint.{name}" for name in forbidden}) == set()


@pytest.mark.parametrize("module", modules("raylint/report"))
def test_reports_know_findings_alone(module: str) -> None:
    forbidden = MACHINERY - {"report"}
    assert of(imports(module), {f"raylint.{name}" for name in forbidden}) == set()


@pytest.mark.parametrize(
    "module", modules("raylint", "rules", "schemas", "webhook", "cluster", "tests", "bench", "docs")
)
def test_nobody_imports_a_folder_by_its_name(module: str) -> None:
    """``import rules`` works in a clone, and quietly makes a second copy of every rule."""
    assert of(imports(module), {"rules", "schemas", "webhook", "cluster"}) == set()


@pytest.mark.parametrize("module", modules("rules", "schemas", "webhook", "cluster"))
def test_a_package_reaches_its_own_modules_by_relative_import(module: str) -> None:
    own = PACKAGES[module.split("/")[0]]
    tree = ast.parse((ROOT / module).read_bytes(), module)
    written = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""] * (not node.level)
        )
    }
    assert of(written, {own}) == set()


@pytest.fixture
def plain_site(tmp_path: Path) -> Path:
    """What a plain installation puts into site-packages. An editable one would not do: its finder imports
    ``pathlib`` and more before raylint is asked for."""
    site = tmp_path / "site"
    site.mkdir()
    for folder, name in PACKAGES.items():
        (site / name).symlink_to(ROOT / folder)
    (site / "yaml").symlink_to(Path(yaml.__file__).parent)
    info = site / f"raylint-{importlib.metadata.version('raylint')}.dist-info"
    info.mkdir()
    entry_points = importlib.metadata.distribution("raylint").read_text("entry_points.txt")
    (info / "entry_points.txt").write_text(entry_points or "")
    return site


# Fingerprints in json_v1 are hashes.
@pytest.mark.parametrize(("output_format", "unavoidable"), [("text", set()), ("json", {"hashlib"})])
def test_linting_one_file_imports_nothing_slow(
    plain_site: Path, tmp_path: Path, output_format: str, unavoidable: set[str]
) -> None:
    manifest = tmp_path / "cluster.yaml"
    manifest.write_text(
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\nspec: {headGroupSpec: {}}\n"
    )
    # As the console script does it: -m would import more. Without site, nothing that a virtual environment
    # loads by itself is laid to raylint's charge.
    code = "import sys; from raylint.cli import main; sys.exit(main())"
    child = subprocess.run(
        [sys.executable, "-S", "-X", "importtime", "-c", code, f"--format={output_format}", str(manifest)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(plain_site)},
        cwd=tmp_path,
    )
    assert child.returncode in (0, 1), child.stderr
    loaded = {line.rpartition("|")[2].strip() for line in child.stderr.splitlines() if "|" in line}
    assert {"raylint.engine", "raylint_rules"} <= loaded
    assert of(loaded, SLOW | SERVICE) <= unavoidable
