"""``raylint cluster`` against a stand-in for an API server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import Answer, FakeCluster, bad, forbidden, good, kubeconfig, pod, ray_object, running, status

from raylint.cli import main
from raylint.options import MACHINE_FORMATS

LISTS = "/apis/ray.io/v1"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cluster() -> Iterator[FakeCluster]:
    with running(FakeCluster()) as found:
        yield found


@pytest.fixture
def run(
    cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Run:
    """Run `raylint cluster` in an empty folder: the exit code, the standard output and error."""
    monkeypatch.chdir(tmp_path)
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    # A call that is made again waits in between.
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    file = kubeconfig(tmp_path, cluster.port)

    def called(*words: str) -> tuple[int, str, str]:
        code = main(["cluster", "--kubeconfig", str(file), *words])
        out, err = capfd.readouterr()
        return code, out, err

    return called


def found_in(text: str) -> set[tuple[str, str]]:
    """Rules and the names of objects in a JSON report."""
    return {(item["rule"], item["object"]["name"]) for item in json.loads(text)["findings"]}


def test_all_pages_of_all_kinds_are_judged(cluster: FakeCluster, run: Run) -> None:
    cluster.objects["rayclusters"] = [*(good(f"c{number}") for number in range(6)), bad("broken", "other")]
    code, out, err = run("--page", "3", "--format", "json", "--select", "KR")
    assert code == 1
    assert err == ""
    assert json.loads(out)["summary"]["ray_objects"] == 7
    assert {name for _, name in found_in(out)} == {"broken"}
    pages = [query.get("continue", "") for path, query in cluster.lists() if path == f"{LISTS}/rayclusters"]
    assert pages == ["", cluster.token(3), cluster.token(6)]
    assert {path for path, _ in cluster.lists()} == {f"{LISTS}/{plural}" for plural in cluster.served["v1"]}


def test_nothing_is_ever_written(cluster: FakeCluster, run: Run) -> None:
    cluster.objects["rayclusters"] = [bad("broken")]
    run()
    assert {method for method, _, _ in cluster.requests} == {"GET"}


def test_the_token_of_the_kubeconfig_is_sent(cluster: FakeCluster, run: Run) -> None:
    run()
    assert set(cluster.tokens) == {"Bearer a-token-of-an-auditor"}


def test_a_live_object_is_judged_as_the_file_it_was_made_of(
    cluster: FakeCluster, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cluster.objects["rayclusters"] = [bad("broken")]
    live = found_in(run("--format", "json")[1])
    (tmp_path / "m.json").write_text(json.dumps({**bad("broken"), "status": None}))
    main(["check", "--format", "json", "m.json"])
    assert live == found_in(capfd.readouterr().out)
    assert live


def test_namespaces_are_asked_one_by_one(cluster: FakeCluster, run: Run) -> None:
    cluster.objects["rayclusters"] = [bad("a", "one"), bad("b", "two"), bad("c", "three")]
    _, out, _ = run("-n", "one,two", "--namespace=two", "--format", "json")
    assert {name for _, name in found_in(out)} == {"a", "b"}
    assert [path for path, _ in cluster.lists()][:2] == [
        f"{LISTS}/namespaces/one/rayclusters",
        f"{LISTS}/namespaces/two/rayclusters",
    ]


def test_the_context_chooses_the_cluster(cluster: FakeCluster, run: Run, tmp_path: Path) -> None:
    with running(FakeCluster(objects={"rayclusters": [bad("elsewhere")]})) as other:
        kubeconfig(tmp_path, cluster.port, other=other.port)
        _, out, _ = run("--context", "there", "--format", "json")
    assert {name for _, name in found_in(out)} == {"elsewhere"}
    assert cluster.requests == []


def test_kinds_are_read_in_v1_and_else_in_v1alpha1(cluster: FakeCluster, run: Run) -> None:
    cluster.served = {"v1": ["rayclusters"], "v1alpha1": ["rayclusters", "rayjobs"]}
    job = ray_object("RayJob", "old", rayClusterSpec=bad("x")["spec"], entrypoint="python a.py")
    cluster.objects = {"rayclusters": [bad("new")], "rayjobs": [job]}
    _, out, _ = run("--format", "json", "--select", "KR")
    assert {name for _, name in found_in(out)} == {"new", "old"}
    assert [path for path, _ in cluster.lists()] == [f"{LISTS}/rayclusters", "/apis/ray.io/v1alpha1/rayjobs"]


def test_a_cluster_without_kuberay(cluster: FakeCluster, run: Run) -> None:
    cluster.served = {}
    code, _, err = run()
    assert code == 2
    assert "KubeRay's CRDs are not installed" in err


def test_what_parents_made_is_left_out(cluster: FakeCluster, run: Run) -> None:
    child = bad("made-by-job")
    child["metadata"]["ownerReferences"] = [
        {"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "job", "uid": "1", "controller": True}
    ]
    cluster.objects["rayclusters"] = [child]
    code, out, err = run("--format", "json", "--verbose")
    assert (code, found_in(out)) == (0, set())
    assert "1 objects that parents made of themselves are left out" in err
    assert run("--format", "json", "--with-children")[0] == 1


def test_part_of_it_is_forbidden(cluster: FakeCluster, run: Run) -> None:
    cluster.objects = {"rayclusters": [good("fine")], "rayjobs": []}
    cluster.instead[f"{LISTS}/rayservices"] = [forbidden("rayservices")] * 2
    code, out, err = run("--format", "json")
    assert code == 2
    assert json.loads(out)["summary"]["ray_objects"] == 1
    assert 'rayservices in all namespaces cannot be read: rayservices.ray.io is forbidden: User "auditor"' in err
    assert "--namespace asks for less" in err
    assert run("--format", "json", "--allow-partial")[0] == 0
    # It is forbidden, and stays so: nobody asks again.
    assert len([path for path, _ in cluster.lists() if path.endswith("rayservices")]) == 2


def test_findings_do_not_hide_that_part_of_it_was_not_read(cluster: FakeCluster, run: Run) -> None:
    cluster.objects["rayclusters"] = [bad("broken")]
    cluster.instead[f"{LISTS}/rayjobs"] = [forbidden("rayjobs")] * 2
    assert run()[0] == 2
    assert run("--allow-partial")[0] == 1


def test_an_expired_token_goes_on_with_the_new_one(cluster: FakeCluster, run: Run) -> None:
    """kube-apiserver sends a token for the rest as it is now."""
    cluster.objects["rayclusters"] = [bad(f"c{number}") for number in range(5)]
    gone = status(410, "Expired", "The provided continue parameter is too old", **{"continue": cluster.token(2)})
    first = cluster._page("v1", "rayclusters", "", {"limit": "2"})
    cluster.instead[f"{LISTS}/rayclusters"] = [first, gone]
    _, out, err = run("--page", "2", "--format", "json")
    assert {name for _, name in found_in(out)} == {f"c{number}" for number in range(5)}
    assert err == ""


def test_an_expired_token_without_a_new_one_begins_anew(cluster: FakeCluster, run: Run) -> None:
    cluster.objects["rayclusters"] = [bad(f"c{number}") for number in range(5)]
    first = cluster._page("v1", "rayclusters", "", {"limit": "2"})
    cluster.instead[f"{LISTS}/rayclusters"] = [first, status(410, "Expired", "too old")]
    _, out, _ = run("--page", "2", "--format", "json")
    assert json.loads(out)["summary"]["ray_objects"] == 5


def test_a_list_that_always_expires_is_given_up(cluster: FakeCluster, run: Run) -> None:
    cluster.instead[f"{LISTS}/rayclusters"] = [status(410, "Expired", "too old")] * 10
    code, _, err = run()
    assert code == 2
    assert "expired again and again" in err


@pytest.mark.parametrize("fault", [500, 502, 503, 504, 429])
def test_what_passes_is_asked_for_again(cluster: FakeCluster, run: Run, fault: int) -> None:
    cluster.objects["rayclusters"] = [bad("broken")]
    busy = Answer(fault, b"busy", {"Retry-After": "1"})
    cluster.instead[f"{LISTS}/rayclusters"] = [busy, busy]
    code, _, err = run()
    assert (code, err) == (1, "")
    assert len([path for path, _ in cluster.lists() if path.endswith("rayclusters")]) == 3


def test_an_api_server_that_stays_ill(cluster: FakeCluster, run: Run) -> None:
    cluster.instead[f"{LISTS}/rayclusters"] = [Answer(503, b"no", {})] * 4
    code, _, err = run()
    assert code == 2
    assert "rayclusters in all namespaces cannot be read: 503" in err


def test_one_that_does_not_answer_in_time(cluster: FakeCluster, run: Run) -> None:
    cluster.silent.add(f"{LISTS}/rayclusters")
    code, _, err = run("--timeout", "1", "--format", "json")
    cluster.patience.set()
    assert code == 2
    assert "rayclusters in all namespaces cannot be read: the API server does not answer (ReadTimeout)" in err
    # The other kinds are read all the same.
    assert any(path.endswith("raycronjobs") for path, _ in cluster.lists())


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'"text"', b"null"])
def test_answers_that_are_none(cluster: FakeCluster, run: Run, body: bytes) -> None:
    cluster.instead[f"{LISTS}/rayclusters"] = [Answer(200, body, {"Content-Type": "application/json"})]
    code, _, err = run()
    assert code == 2
    assert "rayclusters in all namespaces cannot be read: the answer is none of an API server" in err


def test_odd_objects_take_nothing_down(cluster: FakeCluster, run: Run) -> None:
    odd: list[Any] = [7, None, {}, {"metadata": 7}, {"metadata": None, "spec": []}, bad("broken")]
    page = {"apiVersion": "ray.io/v1", "kind": "RayClusterList", "metadata": {}, "items": odd}
    cluster.instead[f"{LISTS}/rayclusters"] = [Answer(200, page)]
    code, out, _ = run("--format", "json", "--select", "KR")
    assert code == 1
    assert "broken" in {name for _, name in found_in(out)}


@pytest.mark.parametrize("output_format", ["text", "concise", *MACHINE_FORMATS])
def test_every_format_of_reports(cluster: FakeCluster, run: Run, output_format: str) -> None:
    cluster.objects["rayclusters"] = [bad("broken")]
    code, out, err = run("--format", output_format)
    assert (code, err) == (1, "")
    assert "broken" in out


def test_reports_go_to_files_as_well(cluster: FakeCluster, run: Run, tmp_path: Path) -> None:
    cluster.objects["rayclusters"] = [bad("broken")]
    run("--report", "sarif=a.sarif", "-o", "b.txt")
    assert json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert "broken" in (tmp_path / "b.txt").read_text()


def test_the_configuration_counts(cluster: FakeCluster, run: Run, tmp_path: Path) -> None:
    cluster.objects["rayclusters"] = [bad("broken")]
    (tmp_path / ".raylint.yaml").write_text("ignore: [KR, RAY, API]\n")
    code, out, err = run("--format", "json")
    assert (code, err) == (0, "")
    assert found_in(out) == set()
    assert run("--no-config", "--format", "json")[0] == 1


def test_an_annotation_accepts_a_finding(cluster: FakeCluster, run: Run) -> None:
    cluster.objects["rayclusters"] = [bad("broken")]
    rules = {rule for rule, _ in found_in(run("--select", "KR", "--format", "json")[1])}
    accepted = bad("broken")
    accepted["metadata"]["annotations"] = {
        "raylint/ignore": ",".join(sorted(rules)),
        "raylint/ignore-reason": "a test",
    }
    cluster.objects["rayclusters"] = [accepted]
    code, out, _ = run("--select", "KR", "--format", "json")
    assert (code, found_in(out)) == (0, set())
    assert json.loads(out)["summary"]["suppressed"] == len(rules)


def test_secrets_are_covered(cluster: FakeCluster, run: Run) -> None:
    found = bad("broken")
    found["spec"]["headGroupSpec"]["template"] = pod("ray-head")
    container = found["spec"]["headGroupSpec"]["template"]["spec"]["containers"][0]
    container["env"] = [{"name": "AWS_SECRET_ACCESS_KEY", "value": "wJalrXUtnFEMIK7MDENGbPxRfiCYzEXAMPLEKEY"}]
    cluster.objects["rayclusters"] = [found]
    code, out, err = run("--format", "json")
    assert code == 1
    assert "wJalrXUtnFEMI" not in out + err


def test_the_same_bytes_each_time(cluster: FakeCluster, run: Run) -> None:
    cluster.objects["rayclusters"] = [bad("b"), bad("a"), bad("c", "another")]
    assert run("--format", "json") == run("--format", "json")


def test_require_objects(cluster: FakeCluster, run: Run) -> None:
    assert run("--require-objects")[0] == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["manifest.yaml"], "takes no files"),
        (["--fix"], "--fix is for files"),
        (["--exclude", "x"], "--exclude is for files"),
        (["--baseline", "x"], "--baseline is for files"),
        (["--page", "0"], "--page wants a whole number"),
        (["--timeout=soon"], "--timeout wants a whole number"),
        (["--namespace"], "--namespace needs a value"),
        (["--contxt", "a"], "--contxt"),
        (["--context", "nowhere"], "no cluster to speak to"),
        (["--kubeconfig", "/nowhere/config"], "no cluster to speak to"),
    ],
)
def test_wrong_usage(run: Run, words: list[str], said: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err


def test_help_names_the_flags(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert all(word in out for word in ("--namespace", "--context", "--fail-on", "--format"))
    assert "--fix" not in out


def test_nobody_answers(run: Run, tmp_path: Path) -> None:
    kubeconfig(tmp_path, 1)
    code, _, err = run()
    assert code == 2
    assert "the API server does not answer" in err


def test_without_the_client_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "kubernetes").mkdir()
    (tmp_path / "kubernetes" / "__init__.py").write_text("raise ModuleNotFoundError('no', name='kubernetes')\n")
    done = subprocess.run(
        [sys.executable, "-m", "raylint", "cluster"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 2
    assert "pip install 'raylint[cluster]'" in done.stderr
