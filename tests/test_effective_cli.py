"""``raylint effective`` from end to end: what it prints, what it hides, and that nothing makes it fail."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from raylint.cli import main
from raylint.document import Document
from raylint.effective import Effective
from raylint.effective_command import render
from raylint.effective_data import plain, report
from raylint.effective_sheet import sheet
from raylint.manifest import RayObject, objects
from raylint.target import Target

HERE = Path(__file__).parent
ROOT = HERE.parent
GOLDEN = HERE / "golden"
PODS = HERE / "fixtures" / "effective-pods"

Run = Callable[..., tuple[int, str, str]]

# Each secret once in full, and one too short for a search by its text.
SECRETS = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo, annotations: {ray.io/ft-enabled: "true"}}
spec:
  enableInTreeAutoscaling: true
  autoscalerOptions: {env: [{name: API_TOKEN, value: swordfish}]}
  headGroupSpec:
    rayStartParams: {redis-password: hunter2}
    template:
      spec:
        initContainers: [{name: a, env: [{name: DB_PASSWORD, value: open-sesame}]}]
        containers:
        - name: ray-head
          image: rayproject/ray:2.52.0
          command: [run, --api-key, letmein]
          env:
          - {name: RAY_REDIS_ADDRESS, value: "redis://:p4ssw0rd@redis:6379"}
          - {name: PIN_PASSWORD, value: zq}
          - {name: FROM, valueFrom: {secretKeyRef: {name: creds, key: value}}}
"""
HIDDEN = ("swordfish", "hunter2", "open-sesame", "letmein", "p4ssw0rd", "zq")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*words: str) -> tuple[int, str, str]:
        code = main(["effective", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


# --- What it prints --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("manifest", "golden"),
    [
        ("examples/forum-outage.yaml", "effective-forum-outage.txt"),
        ("tests/fixtures/effective-pods/rayjob-k8s.yaml", "effective-rayjob.txt"),
    ],
)
def test_text(run: Run, monkeypatch: pytest.MonkeyPatch, manifest: str, golden: str) -> None:
    monkeypatch.chdir(ROOT)
    code, out, err = run(manifest)
    assert (code, err) == (0, "")
    assert out == (GOLDEN / golden).read_text()


def test_color_paints_who_decided(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    _, plain_text, _ = run("examples/forum-outage.yaml")
    _, painted, _ = run("examples/forum-outage.yaml", "--color", "always")
    assert "\x1b[" not in plain_text
    assert "\x1b[1;33mKubeRay default: " in painted


def leaves(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "by" in node:
            yield node
        for item in node.values():
            yield from leaves(item)
    elif isinstance(node, list):
        for item in node:
            yield from leaves(item)


@pytest.mark.parametrize("name", sorted(path.stem for path in PODS.glob("*.yaml")))
def test_machine_formats_hold_the_same(run: Run, name: str) -> None:
    code, as_json, _ = run("--format", "json", str(PODS / f"{name}.yaml"))
    assert code == 0
    _, as_yaml, _ = run("--format", "yaml", str(PODS / f"{name}.yaml"))
    data = json.loads(as_json)
    assert yaml.safe_load(as_yaml) == data
    assert data["version"] == "raylint-effective/v1"
    (found,) = data["objects"]
    assert {"file", "line", "object", "cluster", "pods", "services", "jobs"} <= set(found)
    marks = {leaf["by"] for leaf in leaves(found)}
    assert marks <= {"yours", "API default", "KubeRay default", "Ray default", "not set", "unknown"}
    assert {"yours", "KubeRay default", "Ray default"} <= marks
    for leaf in leaves(found):
        assert "value" in leaf
        if leaf["by"] in ("API default", "KubeRay default", "Ray default"):
            assert leaf["rule"]
        if leaf["by"] == "yours":
            assert leaf["line"] > 0


def one(run: Run, text: str, path: Path, *flags: str) -> dict[str, Any]:
    """The only object of a manifest."""
    path.write_text(text)
    code, out, err = run("--format", "json", *flags, str(path))
    assert (code, err) == (0, "")
    (found,) = json.loads(out)["objects"]
    assert isinstance(found, dict)
    return found


SMALL = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: demo}
spec:
  rayVersion: 2.53.0
  enableInTreeAutoscaling: true
  autoscalerOptions: {version: v2}
  headGroupSpec:
    rayStartParams: {include-log-monitor: "false"}
    template:
      spec:
        containers: [{name: head, image: "rayproject/ray:2.53.0", resources: {requests: {cpu: 2500m}}}]
  workerGroupSpecs:
  - groupName: gpu
    minReplicas: 1
    maxReplicas: 4
    numOfHosts: 2
    template:
      spec:
        containers:
        - {name: w, image: "rayproject/ray:2.53.0", resources: {limits: {nvidia.com/mig-1g.5gb: 1}}}
"""


@pytest.mark.parametrize(
    ("kuberay", "policy", "cpus", "gpus", "probe", "shell", "dropped", "start_command"),
    [
        ("1.7", "Never", 3, 1, "http", "-c", False, True),
        ("1.6", "Never", 3, 1, "http", "-c", True, True),
        ("1.5", "Never", 3, 1, "exec", "-c", True, True),
        ("1.4", "Never", 3, 1, "exec", "-c", True, True),
        ("1.3", "Always", 3, 0, "exec", "-lc", True, True),
        ("1.2", "Always", "as many as the node has", 0, "exec", "-lc", True, True),
        ("1.0", "Always", "as many as the node has", 0, None, "-lc", True, False),
    ],
)
def test_the_release_decides(
    run: Run,
    tmp_path: Path,
    kuberay: str,
    policy: str,
    cpus: object,
    gpus: int,
    probe: str | None,
    shell: str,
    dropped: bool,
    start_command: bool,
) -> None:
    head, worker = one(run, SMALL, tmp_path / "a.yaml", "--kuberay", kuberay)["pods"]
    container = head["containers"][0]
    assert head["restartPolicy"]["value"] == policy
    assert head["seenByRay"]["CPU"]["value"] == cpus
    assert worker["seenByRay"]["GPU"]["value"] == gpus
    assert (container["livenessProbe"]["value"] or {}).get("kind") == probe
    assert container["command"]["value"] == ["/bin/bash", shell, "--"]
    option = head["rayStart"]["options"]["--include-log-monitor"]
    assert ("dropped" in option.get("rule", "")) == dropped
    assert ("--include-log-monitor=false" in head["rayStart"]["line"]["value"]) != dropped
    assert ("KUBERAY_GEN_RAY_START_CMD" in [entry["name"] for entry in container["env"]]) == start_command


def test_pods_at_minimum_and_maximum(run: Run, tmp_path: Path) -> None:
    found = one(run, SMALL, tmp_path / "a.yaml")
    pods = found["cluster"]["pods"]
    assert (pods["minimum"]["value"], pods["maximum"]["value"]) == (3, 9)
    replicas = found["pods"][1]["replicas"]
    assert (replicas["minimumPods"]["value"], replicas["maximumPods"]["value"]) == (2, 8)
    assert replicas["replicas"]["by"] == "API default"
    assert "demo-headless" in [service["name"]["value"] for service in found["services"]]


def test_gates_turn_things_on(run: Run, tmp_path: Path) -> None:
    text = SMALL.replace("  rayVersion", "  tlsOptions: {enabled: true}\n  rayVersion")

    def init_containers(*flags: str) -> list[str]:
        head, _ = one(run, text, tmp_path / "a.yaml", *flags)["pods"]
        return [init["name"]["value"] for init in head["initContainers"]]

    assert init_containers() == []
    assert init_containers("--feature-gates", "RayClusterMTLS=true") == ["wait-for-tls-ip-san"]


@pytest.mark.parametrize(
    ("kind", "spec", "mode", "who"),
    [
        ("RayJob", "{rayClusterSpec: {}, submissionMode: HTTPMode}", "HTTPMode", "the operator"),
        ("RayJob", "{rayClusterSpec: {}, submissionMode: InteractiveMode}", "InteractiveMode", "a user"),
        ("RayJob", "{rayClusterSpec: {}, submissionMode: SidecarMode}", "SidecarMode", "a container beside"),
        (
            "RayCronJob",
            "{jobTemplate: {submissionMode: HTTPMode, rayClusterSpec: {}}}",
            "HTTPMode",
            "the op",
        ),
    ],
)
def test_who_submits(run: Run, tmp_path: Path, kind: str, spec: str, mode: str, who: str) -> None:
    text = f"apiVersion: ray.io/v1\nkind: {kind}\nmetadata: {{name: demo}}\nspec: {spec}\n"
    (job,) = one(run, text, tmp_path / "a.yaml")["jobs"]
    assert job["submissionMode"]["value"] == mode
    assert job["submits"]["value"].startswith(who)


def test_a_job_for_an_existing_cluster_builds_none(run: Run, tmp_path: Path) -> None:
    text = (
        "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: demo, namespace: ml}\n"
        "spec: {clusterSelector: {ray.io/cluster: shared}, entrypoint: python a.py}\n"
    )
    found = one(run, text, tmp_path / "a.yaml")
    assert found["cluster"]["built"]["value"] is False
    assert (found["pods"], found["services"]) == ([], [])
    (job,) = found["jobs"]
    env = {entry["name"]: entry["value"] for entry in job["container"]["env"]}
    assert env["RAY_DASHBOARD_ADDRESS"] == "shared-head-svc.ml.svc.cluster.local:8265"


def test_an_entry_that_loses_says_so(run: Run) -> None:
    _, out, _ = run("--format", "json", str(PODS / "user-env-overrides.yaml"))
    head = json.loads(out)["objects"][0]["pods"][0]
    entries = [entry for entry in head["containers"][0]["env"] if entry["name"] == "RAY_CLUSTER_NAME"]
    assert [(entry["by"], "has no effect" in entry.get("rule", "")) for entry in entries] == [
        ("yours", True),
        ("KubeRay default", False),
    ]


# --- What it hides ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json", "yaml"])
def test_secrets_are_covered(run: Run, tmp_path: Path, form: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(SECRETS)
    code, out, _ = run("--format", form, str(path))
    assert code == 0
    assert [secret for secret in HIDDEN if secret in out] == []
    assert "*******" in out
    assert "secretKeyRef" in out
    assert "creds/value" in out


@pytest.mark.parametrize("form", ["text", "json", "yaml"])
def test_nothing_steers_the_terminal(run: Run, tmp_path: Path, form: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        'apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: "a\\e[31m\\u202e"}\n'
        'spec: {headGroupSpec: {rayStartParams: {"x\\e[1m": "\\u202ey\\n::error::z"}}}\n'
    )
    code, out, _ = run("--format", form, str(path))
    assert code == 0
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\n::error" not in out


# --- How it ends -----------------------------------------------------------------------------------------------


HEAD = "headGroupSpec: {template: {spec: {containers: [{name: r, image: 'rayproject/ray:2.52.0'}]}}}"
GROUP = "workerGroupSpecs: [{groupName: w, replicas: 2, template: {spec: {containers: [{name: r, image: a}]}}}]"


def object_of(kind: str, spec: str, cluster: str = "") -> str:
    inner = f"{{{HEAD}, {GROUP}{cluster}}}"
    body = {
        "RayCluster": f"{{{HEAD}, {GROUP}{cluster}{spec}}}",
        "RayJob": f"{{entrypoint: a, rayClusterSpec: {inner}{spec}}}",
        "RayService": f"{{rayClusterConfig: {inner}{spec}}}",
    }[kind]
    return f"apiVersion: ray.io/v1\nkind: {kind}\nmetadata: {{name: demo}}\nspec: {body}\n"


@pytest.mark.parametrize(
    ("kind", "release", "cluster", "pods"),
    [
        ("RayCluster", "1.7", "", 0),
        ("RayCluster", "1.0", "", 3),
        ("RayJob", "1.7", "", 0),
        ("RayService", "1.7", "", 0),
        ("RayService", "1.6", "", 3),
    ],
)
def test_what_is_suspended_has_no_pods(
    run: Run, tmp_path: Path, kind: str, release: str, cluster: str, pods: int
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(object_of(kind, ", suspend: true"))
    _, out, _ = run(str(file), "--format", "json", "--kuberay", release)
    (found,) = json.loads(out)["objects"]
    assert found["cluster"]["pods"]["maximum"]["value"] == pods
    assert found["pods"][1]["replicas"]["minimumPods"]["value"] == max(pods - 1, 0)
    # A job's own switch is no value of the cluster.
    assert ("suspend" in found["cluster"]) == (kind == "RayCluster")
    assert ("suspend" in found) == (kind == "RayJob" or (kind == "RayService" and release == "1.7"))


@pytest.mark.parametrize(("release", "words"), [("1.7", "stays false"), ("1.2", "turns true")])
def test_a_head_that_is_kept_from_serve(run: Run, tmp_path: Path, release: str, words: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(object_of("RayService", ", excludeHeadPodFromServeSvc: true"))
    _, out, _ = run(str(file), "--format", "json", "--kuberay", release)
    (found,) = json.loads(out)["objects"]
    assert words in found["pods"][0]["labels"]["ray.io/serve"]["rule"]


def test_gpus_that_kuberay_passes_over_are_what_ray_finds(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    text = object_of("RayCluster", "").replace("groupName: w", "groupName: w, rayStartParams: {resources: 'a: 1'}")
    file.write_text(text.replace("image: a}", "image: a, resources: {limits: {nvidia.com/gpu: 1}}}"))
    _, out, _ = run(str(file), "--format", "json")
    (found,) = json.loads(out)["objects"]
    gpus = found["pods"][1]["seenByRay"]["GPU"]
    assert (gpus["value"], gpus["by"]) == ("as many as Ray finds", "Ray default")
    assert "no plain JSON" in gpus["rule"]


def test_the_text_begins_with_a_summary_and_keeps_its_columns(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    long = "word " * 40 + "x" * 2000
    file.write_text(
        object_of("RayCluster", f", autoscalerOptions: {{image: '{long}'}}, enableInTreeAutoscaling: true")
    )
    _, out, _ = run(str(file))
    lines = out.splitlines()
    assert lines[3].split() == ["group", "pods", "CPU", "GPU", "memory", "restartPolicy"]
    assert lines[4].split() == ["head", "1", "detected", "0", "detected", "Always"]
    assert lines[5].split() == ["w", "0", "to", "2147483647", "detected", "0", "detected", "Always"]
    assert lines[6].split() == ["all", "1", "to", "2147483648"]
    start = lines.index("head pod")
    section = lines[start : lines.index("", start)]
    assert max(line.find("yours, line") for line in section) == max(
        line.find("KubeRay default") for line in section
    )
    assert max(map(len, section)) < 220
    assert any("more characters, which --format yaml shows" in line for line in section)


def test_a_chosen_clusters_image_is_unknown(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    spec = "{entrypoint: a, clusterSelector: {ray.io/cluster: b}}"
    file.write_text(f"apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {{name: demo}}\nspec: {spec}\n")
    _, out, _ = run(str(file), "--format", "json")
    assert json.loads(out)["objects"][0]["jobs"][0]["container"]["image"]["by"] == "unknown"


ORDERS = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: a}
spec:
  headGroupSpec:
    template:
      metadata:
        annotations: {"::error::key": "v", k: "x\\n::error::boo\\n", "##[error]": "##[error]z"}
      spec:
        containers:
        - name: r
          image: "::error::img"
          command: [sh, -c, "a\\n::warning::in args\\nb ##vso[task.x]"]
          ports: [{name: "\\e[31mX\\n::error::x\\n##vso[task.x]", containerPort: 1}]
          env: [{name: "::stop-commands::x", value: "y\\n::set-output name=x::1"}]
"""


@pytest.mark.parametrize("form", ["text", "json", "yaml"])
def test_nothing_gives_orders_to_a_ci_service(run: Run, tmp_path: Path, form: str) -> None:
    file = tmp_path / "##[group]a.yaml"
    file.write_text(ORDERS)
    code, out, _ = run(str(file), "--format", form)
    assert code == 0
    assert not [line for line in out.split("\n") if line.lstrip().startswith("::")]
    assert "##[" not in out
    assert "##vso[" not in out
    assert "\x1b" not in out
    if form != "text":
        (found,) = (json.loads(out) if form == "json" else yaml.safe_load(out))["objects"]
        assert found["pods"][0]["annotations"]["##[error]"]["value"] == "##[error]z"
        assert found["file"].endswith("##[group]a.yaml")


def test_a_missing_file_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    code, out, err = run(str(tmp_path / "none.yaml"))
    assert (code, out) == (2, "")
    assert "no such file" in err


def test_what_cannot_be_read_is_named_and_the_rest_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: [}\n")
    (tmp_path / "b.yaml").write_text(SMALL)
    code, out, err = run("--format", "json", str(tmp_path))
    assert code == 1
    assert "a.yaml:3 cannot be read: " in err
    assert [found["object"]["name"] for found in json.loads(out)["objects"]] == ["demo"]


def test_a_file_without_ray_objects(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: Service\napiVersion: v1\n")
    assert run(str(tmp_path)) == (0, "", "raylint: there is no Ray object in what was read\n")


def test_output_goes_to_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SMALL)
    target = tmp_path / "out.json"
    code, out, _ = run("--format", "json", "-o", str(target), str(tmp_path / "a.yaml"))
    assert (code, out) == (0, "")
    assert json.loads(target.read_text())["objects"][0]["object"]["name"] == "demo"


def test_hash_seeds_change_nothing() -> None:
    answers = set()
    for seed in ("1", "2"):
        words = [sys.executable, "-m", "raylint", "effective", "--format", "json", str(PODS / "tls-history.yaml")]
        child = subprocess.run(words, capture_output=True, check=True, env={"PYTHONHASHSEED": seed})
        answers.add(child.stdout)
    assert len(answers) == 1


# --- Odd shapes ------------------------------------------------------------------------------------------------

GATES = {"RayClusterMTLS": True, "RayClusterHistoryServer": True}
TARGETS = [Target(), Target(gates=GATES), Target((1, 0), (2, 9))]
MANIFESTS = [
    yaml.safe_load((PODS / f"{name}.yaml").read_text())
    for name in ("rayjob-k8s", "rayservice", "ft-options", "tls-history", "group-resources-field", "head-service")
]
DEEP: Any = {"name": "x"}
for _ in range(200):
    DEEP = [DEEP]
JUNK: list[Any] = [
    *(None, True, -1, 0.5, float("nan"), 10**40, 10**5000, "", "x", "9" * 6000, "{{ x }}", [], {}, [None]),
    *({"name": ["x"]}, DEEP, "\ud800", "\0", [[]], {"": None}, {"value": {}}, [{"name": "x"}], "'{", "$(A"),
]


def shown(data: object, target: Target, forms: tuple[str, ...]) -> list[str]:
    """All objects in a document, in these formats."""
    document = Document.from_object(data)
    found = [
        {"file": "", **plain(sheet(Effective(view)), document)}
        for view in objects(document, target)
        if isinstance(view, RayObject)
    ]
    return [render(report(found, target), form, color=False) for form in forms]


def paths(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(data, dict):
        for key, item in data.items():
            yield from paths(item, (*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from paths(item, (*path, index))


def changed(data: Any, path: tuple[str | int, ...], junk: Any) -> Any:
    if not path:
        return junk
    step, rest = path[0], path[1:]
    if isinstance(data, dict):
        return {key: changed(item, rest, junk) if key == step else item for key, item in data.items()}
    return [changed(item, rest, junk) if index == step else item for index, item in enumerate(data)]


@pytest.mark.parametrize("number", range(len(MANIFESTS)))
def test_any_junk_at_any_place(number: int) -> None:
    whole = MANIFESTS[number]
    for turn, path in enumerate(paths(whole)):
        data = changed(whole, path, JUNK[(turn + number) % len(JUNK)])
        target = TARGETS[turn % len(TARGETS)]
        text, as_json = shown(data, target, ("text", "json"))
        assert isinstance(text, str)
        objects_in_json = json.loads(as_json)["objects"]
        # A dump in pure Python is slow, and all of it goes the same way.
        if turn % 20 == 0:
            (as_yaml,) = shown(data, target, ("yaml",))
            assert yaml.safe_load(as_yaml)["objects"] == objects_in_json, path


NAMES = sorted({step for whole in MANIFESTS for path in paths(whole) for step in path if isinstance(step, str)})
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), inner, max_size=6),
    ),
    max_leaves=40,
)


@settings(max_examples=60)
@given(st.sampled_from(["RayCluster", "RayJob", "RayService", "RayCronJob"]), ANYTHING, st.sampled_from(TARGETS))
def test_any_object(kind: str, spec: object, target: Target) -> None:
    data = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo"}, "spec": spec}
    text, as_json, _ = shown(data, target, ("text", "json", "yaml"))
    assert text.startswith(f"{kind} demo")
    assert len(json.loads(as_json)["objects"]) == 1
