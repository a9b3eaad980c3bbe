"""The webhook behind a real API server, registered as the chart registers it, and what kubectl says of it.

Run where ``control_plane`` finds an API server, skipped elsewhere. Each test has objects and, where it needs, a
namespace of its own.
"""

from __future__ import annotations

import base64
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import count
from typing import Any

import pytest
import yaml
from control_plane import ControlPlane, Done, NotAtHandError, control_plane
from kubectl_layer import unpacked
from reviews import changed, cluster
from server_process import ServerProcess, serving

from deploy.render import CHART

SPACE = "raylint-e2e"
FREE = "raylint-e2e-free"
OPERATOR = "system:serviceaccount:kuberay-system:kuberay-operator"
AUTOSCALER = f"system:serviceaccount:{SPACE}:ray-head"
CONFIG = f"webhook: {{mode: enforce, operators: [{OPERATOR!r}]}}\n"
# How long a change of the registration may take to be in force on every API server.
SETTLING = 60.0
numbers = count()


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    try:
        return unpacked(tmp_path_factory.mktemp("programs"))
    except LookupError as reason:
        pytest.skip(f"NOT RUN: the webhook behind a real API server. {reason}")


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory, programs: dict[str, str]) -> Iterator[ControlPlane]:
    try:
        with control_plane(tmp_path_factory.mktemp("plane"), programs["kubectl"]) as found:
            for name in (SPACE, FREE):
                found.kubectl("create", "namespace", name)
            found.must("label", "--overwrite", "namespace", FREE, "raylint/webhook=disabled")
            yield found
            # Without a controller manager namespaces stay; what is in them goes.
            for name in (SPACE, FREE):
                found.kubectl("delete", "namespace", name, "--wait=false")
    except NotAtHandError as reason:
        pytest.skip(f"NOT RUN: the webhook behind a real API server. {reason}")


@pytest.fixture(scope="session")
def server(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    anywhere = () if plane.host == "127.0.0.1" else ("--host", "0.0.0.0")
    folder = tmp_path_factory.mktemp("server")
    with serving(folder / "server", *anywhere, config=CONFIG) as found:
        loaded = found.metric("tls_reloads_total", result="success")
        found.volume.put(found.authority.leaf(plane.host))
        wait_for(lambda: found.metric("tls_reloads_total", result="success") > loaded, "the certificate")
        yield found


class Registration:
    """The chart's ValidatingWebhookConfiguration, with the address of a server that runs beside the cluster."""

    def __init__(self, plane: ControlPlane, helm: str) -> None:
        command = [helm, "template", "raylint-e2e", str(CHART), "--namespace", "raylint-e2e-system"]
        command += ["--show-only", "templates/webhookconfiguration.yaml"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self._data = yaml.safe_load(done.stdout)
        self._plane = plane

    @property
    def name(self) -> str:
        return str(self._data["metadata"]["name"])

    def put(self, server: ServerProcess, *, failure_policy: str = "Ignore", port: int = 0) -> None:
        data = deepcopy(self._data)
        (hook,) = data["webhooks"]
        bundle = base64.b64encode(server.authority.certificate).decode()
        url = f"https://{self._plane.host}:{port or server.port}/validate"
        hook |= {"clientConfig": {"url": url, "caBundle": bundle}, "failurePolicy": failure_policy}
        # Whatever the bundle was before, it goes.
        self.remove()
        self._plane.must("create", "-f", "-", stdin=data)

    def remove(self) -> None:
        self._plane.must("delete", "validatingwebhookconfiguration", self.name, "--ignore-not-found")


@pytest.fixture(scope="session")
def unregistered(plane: ControlPlane, programs: dict[str, str]) -> Iterator[Registration]:
    found = Registration(plane, programs["helm"])
    yield found
    found.remove()


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + SETTLING
    while not condition():
        assert time.monotonic() < end, f"{what} is not in force"
        time.sleep(0.2)


def judges(plane: ControlPlane) -> bool:
    """Is a new object of this kind judged, on several calls in a row? API servers learn of it one by one."""
    return all(denied(try_out(plane, bad())) for _ in range(3))


def lets_pass(plane: ControlPlane) -> bool:
    return all(try_out(plane, bad()).code == 0 for _ in range(3))


def try_out(plane: ControlPlane, data: dict[str, Any], **options: str) -> Done:
    return plane.kubectl("create", "--dry-run=server", "-f", "-", stdin=data, **options)


@pytest.fixture
def registered(plane: ControlPlane, server: ServerProcess, unregistered: Registration) -> Registration:
    if not judges(plane):
        unregistered.put(server)
        wait_for(lambda: judges(plane), "the webhook")
    return unregistered


@pytest.fixture
def old_bad(plane: ControlPlane, server: ServerProcess, unregistered: Registration) -> dict[str, Any]:
    """An object that was there before the webhook, and that it would refuse."""
    unregistered.remove()
    wait_for(lambda: lets_pass(plane), "the end of the webhook")
    data = bad()
    plane.must("create", "-f", "-", stdin=data)
    unregistered.put(server)
    wait_for(lambda: judges(plane), "the webhook")
    return data


def good(namespace: str = SPACE) -> dict[str, Any]:
    """No rule refuses it; RAY351 and others may warn."""
    found = cluster()
    found["metadata"] |= {"name": f"e2e-{next(numbers)}", "namespace": namespace}
    return found


def bad(namespace: str = SPACE) -> dict[str, Any]:
    """The CRD takes it and the operator refuses it: at least nine workers, at most three."""
    return changed(good(namespace), "spec", "workerGroupSpecs", 0, "minReplicas", to=9)


def denied(done: Done) -> bool:
    return done.code != 0 and "is invalid: " in done.err and "[raylint KR" in done.err


def name_of(data: dict[str, Any]) -> tuple[str, str, str, str]:
    return data["kind"].lower(), data["metadata"]["name"], "-n", data["metadata"]["namespace"]


def is_there(plane: ControlPlane, data: dict[str, Any]) -> bool:
    return plane.kubectl("get", *name_of(data)).code == 0


pytestmark = pytest.mark.usefixtures("plane")


@pytest.mark.usefixtures("registered")
class TestRequestsOfPeople:
    def test_create_is_refused(self, plane: ControlPlane) -> None:
        data = bad()
        done = plane.kubectl("create", "-f", "-", stdin=data)
        assert denied(done)
        assert done.err.count("The RayCluster") == 1
        assert f'The RayCluster "{data["metadata"]["name"]}" is invalid: ' in done.err
        assert "Fix: " in done.err
        assert not is_there(plane, data)

    def test_create_is_warned_of(self, plane: ControlPlane) -> None:
        data = changed(
            good(), "spec", "headGroupSpec", "rayStartParams", to={"num-cpus": "0", "include-dashboard": "false"}
        )
        del data["spec"]["headGroupSpec"]["template"]["spec"]["containers"][0]["resources"]
        done = plane.must("create", "-f", "-", stdin=data)
        assert done.warnings
        where = f"{data['kind']} {SPACE}/{data['metadata']['name']}"
        assert all(text.startswith("raylint ") and where in text for text in done.warnings)
        assert all(len(text) <= 256 for text in done.warnings)

    def test_a_good_one_passes(self, plane: ControlPlane) -> None:
        assert plane.must("create", "-f", "-", stdin=good()).out.endswith("created\n")

    def test_generated_names(self, plane: ControlPlane) -> None:
        data = bad()
        del data["metadata"]["name"]
        data["metadata"]["generateName"] = "e2e-generated-"
        done = plane.kubectl("create", "-f", "-", stdin=data)
        assert denied(done)
        assert 'The RayCluster "e2e-generated-' in done.err

    def test_a_dry_run_gets_the_real_answer(self, plane: ControlPlane) -> None:
        for data in (bad(), good()):
            dry = try_out(plane, data)
            real = plane.kubectl("create", "-f", "-", stdin=data)
            assert (dry.code, dry.err) == (real.code, real.err)

    @pytest.mark.parametrize("flags", [(), ("--server-side",)])
    def test_apply(self, plane: ControlPlane, flags: tuple[str, ...]) -> None:
        data = good()
        # Who does nothing but scale is only warned.
        worse = changed(data, "spec", "workerGroupSpecs", 0, "minReplicas", to=9)
        worse["spec"]["workerGroupSpecs"][0]["groupName"] = "other"
        plane.must("apply", *flags, "-f", "-", stdin=data)
        assert denied(plane.kubectl("apply", *flags, "-f", "-", stdin=worse))
        assert denied(plane.kubectl("apply", *flags, "--dry-run=server", "-f", "-", stdin=worse))
        assert denied(plane.kubectl("diff", *flags, "-f", "-", stdin=worse))
        better = changed(data, "spec", "workerGroupSpecs", 0, "maxReplicas", to=5)
        plane.must("apply", *flags, "-f", "-", stdin=better)
        plane.must("apply", *flags, "-f", "-", stdin=better)

    @pytest.mark.parametrize(
        ("field", "value"),
        [("rayStartParams", '{"port": "x"}'), ("maxReplicas", "-1")],
    )
    @pytest.mark.parametrize("kind", ["json", "merge"])
    def test_patches_are_refused(self, plane: ControlPlane, kind: str, field: str, value: str) -> None:
        data = good()
        plane.must("create", "-f", "-", stdin=data)
        path = "/spec/workerGroupSpecs/0"
        patch = (
            f'[{{"op": "replace", "path": "{path}/{field}", "value": {value}}},'
            f' {{"op": "replace", "path": "{path}/groupName", "value": "other"}},'
            f' {{"op": "replace", "path": "{path}/minReplicas", "value": 9}}]'
        )
        if kind == "merge":
            group = {**data["spec"]["workerGroupSpecs"][0], "groupName": "other", "minReplicas": 9}
            patch = json.dumps({"spec": {"workerGroupSpecs": [{**group, field: json.loads(value)}]}})
        assert denied(plane.kubectl("patch", *name_of(data), f"--type={kind}", "-p", patch))

    def test_replace_is_refused(self, plane: ControlPlane) -> None:
        data = good()
        plane.must("create", "-f", "-", stdin=data)
        stored = yaml.safe_load(plane.must("get", *name_of(data), "-o", "yaml").out)
        stored["spec"]["workerGroupSpecs"][0] |= {"minReplicas": 9, "groupName": "other"}
        assert denied(plane.kubectl("replace", "-f", "-", stdin=stored))

    def test_an_older_version_is_judged_as_well(self, plane: ControlPlane) -> None:
        served = plane.must(
            "get", "crd", "rayclusters.ray.io", "-o", "jsonpath={.spec.versions[?(@.served)].name}"
        ).out
        if "v1alpha1" not in served.split():
            pytest.skip("these CRDs serve no v1alpha1")
        data = bad() | {"apiVersion": "ray.io/v1alpha1"}
        assert denied(plane.kubectl("create", "-f", "-", stdin=data))

    @pytest.mark.parametrize("namespace", [FREE, "kube-system"])
    def test_namespaces_that_are_not_sent(self, plane: ControlPlane, namespace: str) -> None:
        done = try_out(plane, bad(namespace))
        assert (done.code, done.warnings) == (0, [])


class TestWhatIsNeverBlocked:
    def test_deletion(self, plane: ControlPlane, old_bad: dict[str, Any]) -> None:
        plane.must("delete", *name_of(old_bad), "--timeout=30s")
        assert not is_there(plane, old_bad)

    def test_finalizers_come_and_go(self, plane: ControlPlane, old_bad: dict[str, Any]) -> None:
        def finalizers(value: str) -> None:
            plane.must(
                "patch", *name_of(old_bad), "--type=merge", "-p", f'{{"metadata": {{"finalizers": {value}}}}}'
            )

        finalizers('["ray.io/gcs-ft-redis-cleanup-finalizer"]')
        plane.must("delete", *name_of(old_bad), "--wait=false")
        assert is_there(plane, old_bad)
        finalizers("[]")
        wait_for(lambda: not is_there(plane, old_bad), "the deletion")

    def test_status(self, plane: ControlPlane, old_bad: dict[str, Any]) -> None:
        patch = '{"status": {"state": "failed"}}'
        done = plane.must("patch", *name_of(old_bad), "--subresource=status", "--type=merge", "-p", patch)
        assert done.warnings == []

    def test_the_scale_subresource(self, plane: ControlPlane, old_bad: dict[str, Any]) -> None:
        """KubeRay's CRDs have none. Where somebody's have one, it is not judged."""
        has = plane.must(
            "get", "crd", "rayclusters.ray.io", "-o", "jsonpath={.spec.versions[?(@.storage)].subresources.scale}"
        ).out
        kind, name, *namespace = name_of(old_bad)
        done = plane.kubectl("scale", f"{kind}/{name}", "--replicas=2", *namespace)
        assert (done.code == 0) is bool(has)
        assert "raylint" not in done.err

    def test_people_who_scale(self, plane: ControlPlane, old_bad: dict[str, Any]) -> None:
        patch = (
            '[{"op": "replace", "path": "/spec/workerGroupSpecs/0/replicas", "value": 2},'
            ' {"op": "replace", "path": "/spec/workerGroupSpecs/0/minReplicas", "value": 8}]'
        )
        done = plane.must("patch", *name_of(old_bad), "--type=json", "-p", patch)
        assert any("KR" in text for text in done.warnings)

    def test_labels_of_others(self, plane: ControlPlane, old_bad: dict[str, Any]) -> None:
        assert plane.must("label", *name_of(old_bad), "team=a").warnings == []

    def test_the_autoscaler(self, plane: ControlPlane, old_bad: dict[str, Any]) -> None:
        patch = (
            '[{"op": "replace", "path": "/spec/workerGroupSpecs/0/replicas", "value": 2}, {"op": "add", "path":'
            ' "/spec/workerGroupSpecs/0/scaleStrategy", "value": {"workersToDelete": ["pod-a"]}}]'
        )
        done = plane.must("patch", *name_of(old_bad), "--type=json", "-p", patch, user=AUTOSCALER)
        assert done.warnings == []

    def test_suspension(self, plane: ControlPlane, old_bad: dict[str, Any]) -> None:
        plane.must(
            "patch", *name_of(old_bad), "--type=merge", "-p", '{"spec": {"suspend": true}}', user=AUTOSCALER
        )

    def test_old_findings_are_warnings_and_new_ones_refuse(
        self, plane: ControlPlane, old_bad: dict[str, Any]
    ) -> None:
        patch = '{"spec": {"headGroupSpec": {"rayStartParams": {"num-cpus": "0"}}}}'
        done = plane.must("patch", *name_of(old_bad), "--type=merge", "-p", patch)
        assert any("KR" in text for text in done.warnings)
        worse = '[{"op": "replace", "path": "/spec/workerGroupSpecs/0/minReplicas", "value": 12},' \
            ' {"op": "replace", "path": "/spec/workerGroupSpecs/0/groupName", "value": "other"}]'  # fmt: skip
        assert denied(plane.kubectl("patch", *name_of(old_bad), "--type=json", "-p", worse))

    def test_the_operator(self, plane: ControlPlane, registered: Registration) -> None:
        data = bad()
        owner = {"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "job", "uid": "1", "controller": True}
        data["metadata"]["ownerReferences"] = [owner]
        done = try_out(plane, data, user=OPERATOR)
        assert (done.code, done.warnings) == (0, [])
        # The owner alone opens no door, and stops no operator that nobody told of.
        other = try_out(plane, data)
        assert other.code == 0
        assert any("KR" in text for text in other.warnings)


class TestTheServerIsDown:
    """A port on which nobody listens."""

    def _down(self, plane: ControlPlane, server: ServerProcess, registration: Registration, policy: str) -> None:
        registration.put(server, failure_policy=policy, port=9)
        time.sleep(1)

    def test_ignore(self, plane: ControlPlane, server: ServerProcess, unregistered: Registration) -> None:
        self._down(plane, server, unregistered, "Ignore")
        wait_for(lambda: lets_pass(plane), "failurePolicy Ignore")

    def test_fail(
        self, plane: ControlPlane, server: ServerProcess, old_bad: dict[str, Any], unregistered: Registration
    ) -> None:
        self._down(plane, server, unregistered, "Fail")
        wait_for(lambda: "failed calling webhook" in try_out(plane, good()).err, "failurePolicy Fail")
        # What the webhook is never asked about goes on.
        assert try_out(plane, good(), user=OPERATOR).code == 0
        assert try_out(plane, good(FREE)).code == 0
        plane.must("label", *name_of(old_bad), "--overwrite", "team=b")
        plane.must(
            "patch",
            *name_of(old_bad),
            "--subresource=status",
            "--type=merge",
            "-p",
            '{"status": {"state": "failed"}}',
        )
        plane.must("delete", *name_of(old_bad), "--timeout=30s")
        # And so does the way out.
        unregistered.remove()
        wait_for(lambda: lets_pass(plane), "the end of the webhook")
