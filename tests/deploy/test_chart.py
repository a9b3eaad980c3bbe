"""The chart and the plain manifests: what Helm makes of them, and whether Kubernetes would take it."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cel
import kubernetes_validate
import pytest
import yaml
from kubectl_layer import unpacked

import raylint
from deploy.render import CHART, MANIFESTS, VARIANTS, manifests
from raylint.admission_setup import admission_of
from raylint.config.schema import config_schema_text
from raylint_webhook.metrics import Metrics

KUBERNETES = ("1.30", "1.37")
# Their schemas are not Kubernetes' own.
FOREIGN = {"cert-manager.io", "monitoring.coreos.com"}
Render = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    try:
        return unpacked(tmp_path_factory.mktemp("layer"))
    except LookupError as reason:
        # On CI they must be there.
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"NOT TESTED: the chart. {reason}")


@pytest.fixture(scope="session")
def helm(programs: dict[str, str]) -> str:
    return programs["helm"]


@pytest.fixture(scope="session")
def render(helm: str) -> Render:
    def rendered(
        *values: str, release: str = "raylint-webhook", namespace: str = "raylint"
    ) -> list[dict[str, Any]]:
        words = [word for value in values for word in ("--set", value)]
        command = [helm, "template", release, str(CHART), "--namespace", namespace, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [found for found in yaml.safe_load_all(done.stdout) if found]

    return rendered


@pytest.fixture(scope="session")
def default(render: Render) -> list[dict[str, Any]]:
    return render()


def one(objects: list[dict[str, Any]], kind: str, name: str | None = None) -> dict[str, Any]:
    (found,) = (item for item in objects if item["kind"] == kind and name in (None, item["metadata"]["name"]))
    return found


def pods(objects: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for item in objects:
        spec = item.get("spec", {})
        spec = spec.get("jobTemplate", {}).get("spec", spec)
        if item["kind"] in ("Deployment", "Job", "CronJob"):
            yield spec["template"]["spec"]


EVERYTHING = (
    "replicas=3",
    "webhook.failurePolicy=Fail",
    "webhook.excludedNamespaces={staging}",
    "hostNetwork=true",
    "priorityClassName=system-cluster-critical",
    "networkPolicy.apiServerCIDRs={10.0.0.0/8}",
    "monitoring.enabled=true",
    "server.clientCA.secretName=api-server-ca",
    "server.clientCA.clientNames={kube-apiserver}",
    "image.digest=sha256:" + "0" * 64,
    "nodeSelector.disk=ssd",
    "imagePullSecrets[0].name=pull",
)
WAYS: dict[str, tuple[str, ...]] = {
    "default": (),
    "everything": EVERYTHING,
    "cert-manager": ("certificates.mode=certManager",),
    "cert-manager, own issuer": (
        "certificates.mode=certManager",
        "certificates.certManager.issuerRef.name=ours",
        "certificates.certManager.issuerRef.kind=ClusterIssuer",
    ),
    "existing secret": (
        "certificates.mode=existingSecret",
        "certificates.existingSecret.name=pair",
        "certificates.existingSecret.caBundle=PEM",
    ),
    "nothing optional": ("networkPolicy.enabled=false", "podDisruptionBudget.enabled=false", "operators=null"),
}


def test_alerts_ask_for_metrics_that_there_are(render: Render) -> None:
    """But for the API server's own."""
    rules = one(render("monitoring.enabled=true"), "PrometheusRule")["spec"]["groups"][0]["rules"]
    named = {name for rule in rules for name in re.findall(r"raylint_webhook_\w+", rule["expr"])}
    told = Metrics().text().decode()
    assert len(named) > 5
    assert {
        name for name in named if not re.search(rf"^# TYPE {name.removesuffix('_bucket')} ", told, re.M)
    } == set()


@pytest.mark.parametrize("way", WAYS)
def test_helm_lint_has_nothing_to_say(helm: str, way: str) -> None:
    words = [word for value in WAYS[way] for word in ("--set", value)]
    command = [helm, "lint", "--strict", "--quiet", str(CHART), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("way", WAYS)
def test_kubernetes_takes_every_object(render: Render, way: str, version: str) -> None:
    objects = render(*WAYS[way])
    own = [item for item in objects if item["apiVersion"].partition("/")[0] not in FOREIGN]
    assert len(own) > 5
    for item in own:
        kubernetes_validate.validate(item, version, strict=True)


@pytest.mark.parametrize("way", WAYS)
def test_names_are_unique_and_in_the_release_s_namespace(render: Render, way: str) -> None:
    objects = render(*WAYS[way], namespace="elsewhere")
    names = [(item["kind"], item["metadata"]["name"]) for item in objects]
    assert len(names) == len(set(names))
    without = {"ValidatingWebhookConfiguration", "ClusterRole", "ClusterRoleBinding"}
    for item in objects:
        assert item["metadata"].get("namespace") == (None if item["kind"] in without else "elsewhere")


@pytest.mark.parametrize("file", sorted(VARIANTS))
def test_the_plain_manifests_are_the_chart_s(helm: str, file: str) -> None:
    assert (MANIFESTS / file).read_text() == manifests(helm)[file], "run: python -m deploy.render HELM"


def test_there_is_no_other_plain_manifest() -> None:
    assert {file.name for file in MANIFESTS.iterdir()} == set(VARIANTS)


def test_kubectl_reads_the_plain_manifests(programs: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: [self-signed.yaml]\n")
    (tmp_path / "self-signed.yaml").write_text((MANIFESTS / "self-signed.yaml").read_text())
    done = subprocess.run(
        [programs["kubectl"], "kustomize", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "ValidatingWebhookConfiguration" in done.stdout


def test_the_chart_is_of_this_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == raylint.__version__


def test_the_image_is_of_this_version(default: list[dict[str, Any]]) -> None:
    images = {container["image"] for pod in pods(default) for container in pod["containers"]}
    assert images == {f"raylint-webhook:{raylint.__version__}"}


# --- what the API server is told ---


def webhook(objects: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = one(objects, "ValidatingWebhookConfiguration")["webhooks"]
    return dict(found)


def test_what_is_sent(default: list[dict[str, Any]]) -> None:
    found = webhook(default)
    (rule,) = found["rules"]
    assert rule["operations"] == ["CREATE", "UPDATE"]
    assert rule["apiGroups"] == ["ray.io"]
    assert rule["apiVersions"] == ["v1"]
    assert rule["scope"] == "Namespaced"
    assert sorted(rule["resources"]) == ["rayclusters", "raycronjobs", "rayjobs", "rayservices"]
    assert found["matchPolicy"] == "Equivalent"
    assert found["sideEffects"] == "None"
    assert found["timeoutSeconds"] == 5
    assert found["admissionReviewVersions"] == ["v1"]
    assert found["name"].count(".") >= 2


def test_failure_policy_is_ignore_unless_it_is_asked_for(render: Render, default: list[dict[str, Any]]) -> None:
    assert webhook(default)["failurePolicy"] == "Ignore"
    assert webhook(render("webhook.failurePolicy=Fail"))["failurePolicy"] == "Fail"


def test_namespaces_that_are_never_sent(render: Render) -> None:
    objects = render("webhook.excludedNamespaces={staging}", namespace="linting")
    names, label = webhook(objects)["namespaceSelector"]["matchExpressions"]
    assert names["key"] == "kubernetes.io/metadata.name"
    assert names["operator"] == label["operator"] == "NotIn"
    assert set(names["values"]) == {"kube-system", "kube-public", "kube-node-lease", "linting", "staging"}
    assert (label["key"], label["values"]) == ("raylint/webhook", ["disabled"])


def test_the_service_is_the_one_that_is_called(default: list[dict[str, Any]]) -> None:
    called = webhook(default)["clientConfig"]["service"]
    service = one(default, "Service")
    assert (called["name"], called["namespace"]) == (service["metadata"]["name"], service["metadata"]["namespace"])
    (port,) = service["spec"]["ports"]
    assert port["port"] == called["port"]
    template = one(default, "Deployment")["spec"]["template"]
    (container,) = template["spec"]["containers"]
    assert port["targetPort"] in {entry["name"] for entry in container["ports"]}
    assert service["spec"]["selector"].items() <= template["metadata"]["labels"].items()
    assert f"--server-name={called['name']}.{called['namespace']}.svc" in container["args"]
    assert called["path"] == "/validate"


def test_nothing_of_the_caller_s_bundle_is_written_over(default: list[dict[str, Any]]) -> None:
    """Whoever makes the certificate writes it; a field that the chart holds would be set back by each upgrade."""
    assert "caBundle" not in webhook(default)["clientConfig"]


def test_a_bundle_of_one_s_own(render: Render) -> None:
    bundle = webhook(render(*WAYS["existing secret"]))["clientConfig"]["caBundle"]
    assert base64.b64decode(bundle) == b"PEM"


OPERATOR = "system:serviceaccount:kuberay-system:kuberay-operator"


def asked(objects: list[dict[str, Any]], request: dict[str, Any]) -> set[str]:
    """The conditions that keep a request from being sent, as CEL evaluates them."""
    bindings = {
        "request": {
            "operation": request.get("operation", "UPDATE"),
            "userInfo": {"username": request.get("user", "a")},
        },
        "object": request["object"],
        "oldObject": request.get("old"),
    }
    return {
        condition["name"]
        for condition in webhook(objects)["matchConditions"]
        if cel.evaluate(condition["expression"], bindings) is not True
    }


def ray(**metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a", **metadata}, "spec": {"rayVersion": "2.46.0"}}


CHANGED = {"metadata": {"name": "a"}, "spec": {"rayVersion": "2.47.0"}}
CONDITIONS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "a new object": ({"operation": "CREATE", "object": ray()}, set()),
    "another spec": ({"object": CHANGED, "old": ray()}, set()),
    "no spec any more": ({"object": {"metadata": {"name": "a"}}, "old": ray()}, set()),
    "another annotation": ({"object": ray(annotations={"ray.io/x": "1"}), "old": ray()}, set()),
    "an annotation with another value": (
        {"object": ray(annotations={"ray.io/x": "1"}), "old": ray(annotations={"ray.io/x": "2"})},
        set(),
    ),
    "a label less": ({"object": ray(), "old": ray(labels={"ray.io/x": "1"})}, set()),
    "the same": ({"object": ray(labels={"a": "b"}), "old": ray(labels={"a": "b"})}, {"changes-what-is-judged"}),
    "a finalizer": ({"object": ray(finalizers=["ray.io/f"]), "old": ray()}, {"changes-what-is-judged"}),
    "the last finalizer of what is deleted": (
        {"object": ray(deletionTimestamp="2026-01-01T00:00:00Z"), "old": ray(finalizers=["ray.io/f"])},
        {"changes-what-is-judged", "not-terminating"},
    ),
    "a change of what is deleted": (
        {
            "object": {**CHANGED, "metadata": ray(deletionTimestamp="2026-01-01T00:00:00Z")["metadata"]},
            "old": ray(),
        },
        {"not-terminating"},
    ),
    "the operator": ({"object": CHANGED, "old": ray(), "user": OPERATOR}, {"not-by-the-operator"}),
    "somebody of the operator's name": (
        {"object": CHANGED, "old": ray(), "user": "system:serviceaccount:mine:kuberay-operator"},
        set(),
    ),
}


@pytest.mark.parametrize("case", CONDITIONS)
def test_match_conditions(default: list[dict[str, Any]], case: str) -> None:
    request, expected = CONDITIONS[case]
    assert asked(default, request) == expected


# --- the pods ---


@pytest.mark.parametrize("way", ["default", "cert-manager"])
def test_pods_are_what_pod_security_calls_restricted(render: Render, way: str) -> None:
    found = list(pods(render(*WAYS[way])))
    assert found
    for pod in found:
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 10000
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not pod.get("hostNetwork")
        for container in pod["containers"]:
            security = container["securityContext"]
            assert security["allowPrivilegeEscalation"] is False
            assert security["readOnlyRootFilesystem"] is True
            assert security["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["requests"]["memory"] == container["resources"]["limits"]["memory"]
            assert "cpu" not in container["resources"]["limits"]


def test_the_server_has_no_access_to_the_api(default: list[dict[str, Any]]) -> None:
    deployment = one(default, "Deployment")["spec"]["template"]["spec"]
    assert deployment["automountServiceAccountToken"] is False
    account = one(default, "ServiceAccount", deployment["serviceAccountName"])
    assert account["automountServiceAccountToken"] is False
    bound = {
        subject["name"]
        for item in default
        if item["kind"] in ("RoleBinding", "ClusterRoleBinding")
        for subject in item["subjects"]
    }
    assert deployment["serviceAccountName"] not in bound


def test_the_job_may_touch_what_it_writes_and_nothing_else(default: list[dict[str, Any]]) -> None:
    rules = [rule for item in default if item["kind"] in ("Role", "ClusterRole") for rule in item["rules"]]
    assert len(rules) == 2
    existing = {item["metadata"]["name"] for item in default}
    for rule in rules:
        assert set(rule["verbs"]) == {"get", "patch"}
        assert rule["resourceNames"]
        assert set(rule["resourceNames"]) <= existing


def test_secrets_hold_nothing(default: list[dict[str, Any]]) -> None:
    secrets = [item for item in default if item["kind"] == "Secret"]
    assert len(secrets) == 2
    assert not any("data" in item or "stringData" in item for item in secrets)


def test_a_roll_out_takes_no_replica_away(default: list[dict[str, Any]]) -> None:
    spec = one(default, "Deployment")["spec"]
    assert spec["replicas"] >= 2
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    budget = one(default, "PodDisruptionBudget")["spec"]
    assert budget["minAvailable"] == 1
    assert budget["selector"] == spec["selector"]
    keys = [entry["topologyKey"] for entry in spec["template"]["spec"]["topologySpreadConstraints"]]
    assert keys == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]


def test_a_single_replica_lets_its_node_be_drained(render: Render) -> None:
    assert not any(item["kind"] == "PodDisruptionBudget" for item in render("replicas=1"))


@pytest.mark.parametrize("delay", [0, 10, 60])
def test_there_is_time_to_go_in_good_order(render: Render, delay: int) -> None:
    spec = one(render(f"server.shutdownDelay={delay}"), "Deployment")["spec"]["template"]["spec"]
    # And five seconds for what is being answered.
    assert spec["terminationGracePeriodSeconds"] > delay + 5


def test_the_values_know_the_settings_of_the_webhook() -> None:
    values = json.loads((CHART / "values.schema.json").read_text())
    published = json.loads(config_schema_text())
    assert values["properties"]["config"]["properties"]["webhook"] == published["properties"]["webhook"]


@pytest.mark.parametrize("fault", ["config.webhook.mod=warn", "config.webhook.mode=deny"])
def test_a_setting_that_the_server_would_refuse_is_refused_by_helm(render: Render, fault: str) -> None:
    with pytest.raises(AssertionError, match=r"config[./]webhook"):
        render(fault)


def test_no_probe_that_kills_depends_on_certificates(default: list[dict[str, Any]]) -> None:
    (container,) = one(default, "Deployment")["spec"]["template"]["spec"]["containers"]
    asked = {
        probe: container[f"{probe}Probe"]["httpGet"]["path"] for probe in ("startup", "liveness", "readiness")
    }
    assert asked == {"startup": "/livez", "liveness": "/livez", "readiness": "/readyz"}


def test_volumes_follow_changes(default: list[dict[str, Any]]) -> None:
    (container,) = one(default, "Deployment")["spec"]["template"]["spec"]["containers"]
    assert not any("subPath" in mount for mount in container["volumeMounts"])
    assert all(mount["readOnly"] for mount in container["volumeMounts"])


@pytest.mark.parametrize("way", WAYS)
def test_the_server_understands_its_words(render: Render, way: str) -> None:
    from raylint_webhook.command import _parser

    (container,) = one(render(*WAYS[way]), "Deployment")["spec"]["template"]["spec"]["containers"]
    command, *words = container["args"]
    assert command == "webhook"
    options = _parser().parse_args(words)
    ports = {entry["name"]: entry["containerPort"] for entry in container["ports"]}
    assert (options.port, options.health_port) == (ports["webhook"], ports["health"])


def test_other_words_make_another_job(render: Render) -> None:
    """A job cannot be changed once it is there."""
    names = {
        one(render(value), "Job")["metadata"]["name"] for value in ("image.tag=v1", "image.tag=v2", "replicas=4")
    }
    assert len(names) == 3
    assert one(render("replicas=4"), "Job") == one(render("replicas=5"), "Job")


def test_traffic_is_let_in_by_port_and_nothing_out(render: Render) -> None:
    objects = render("networkPolicy.apiServerCIDRs={10.0.0.0/8,192.168.0.0/16}")
    policy = one(objects, "NetworkPolicy", "raylint-webhook")["spec"]
    first, second = policy["ingress"]
    assert [entry["ipBlock"]["cidr"] for entry in first["from"]] == ["10.0.0.0/8", "192.168.0.0/16"]
    assert [entry["port"] for entry in (*first["ports"], *second["ports"])] == ["webhook", "health"]
    assert policy["egress"] == []


# --- the configuration ---


def configured(objects: list[dict[str, Any]], tmp_path: Path) -> Any:
    file = tmp_path / ".raylint.yaml"
    file.write_text(one(objects, "ConfigMap")["data"][".raylint.yaml"])
    return admission_of(str(file)).policy


def test_the_configuration_is_one(default: list[dict[str, Any]], tmp_path: Path) -> None:
    policy = configured(default, tmp_path)
    assert policy.mode.label == "warn"
    assert policy.operators == {OPERATOR}


def test_operators_stand_in_both_places(render: Render, tmp_path: Path) -> None:
    objects = render(
        "operators={system:serviceaccount:a:b,system:serviceaccount:c:d}", "config.webhook.mode=enforce"
    )
    policy = configured(objects, tmp_path)
    assert policy.mode.label == "enforce"
    assert policy.operators == {"system:serviceaccount:a:b", "system:serviceaccount:c:d"}
    conditions = {item["name"]: item["expression"] for item in webhook(objects)["matchConditions"]}
    assert all(f"'{name}'" in conditions["not-by-the-operator"] for name in policy.operators)


@pytest.mark.parametrize(
    "value",
    [
        "webhook.failurePolicy=fail",
        "webhook.timeoutSeconds=31",
        "replicas=0",
        "replica=3",
        "server.port=443",
        "certificates.mode=none",
        "certificates.mode=existingSecret",
        "operators={system:serviceaccount:*:kuberay-operator}",
        "config.webhook.operators={a}",
        "networkPolicy.apiServerCIDRs={anywhere}",
    ],
)
def test_values_that_are_refused(helm: str, value: str) -> None:
    command = [helm, "template", "raylint-webhook", str(CHART), "--set", value]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert value.split(".")[-1].partition("=")[0] in done.stderr


def test_notes_tell_how_to_verify(helm: str) -> None:
    command = [helm, "install", "raylint-webhook", str(CHART), "--namespace", "raylint", "--dry-run=client"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    notes = done.stdout.partition("NOTES:")[2]
    for word in ("rollout status", "caBundle", "--dry-run=server", "delete validatingwebhookconfiguration"):
        assert word in notes
