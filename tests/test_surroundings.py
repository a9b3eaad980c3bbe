"""Rules on what surrounds a cluster, at the edges that their pages do not show."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from raylint.engine import Engine
from raylint.finding import Finding
from raylint.packs import installed_rules
from raylint.target import Target, parse_version

RULES = {rule.id: rule for rule in installed_rules()}
OFFICIAL = {"name": "ray", "image": "rayproject/ray:2.52.0"}
GATES = {"RayClusterHistoryServer": True, "RayClusterNetworkPolicy": True}


def pod(ray: dict[str, Any] | None = None, metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    template: dict[str, Any] = {"spec": {"containers": [{**OFFICIAL, **(ray or {})}], **spec}}
    return {**template, "metadata": metadata} if metadata else template


def cluster(
    head: dict[str, Any] | None = None, workers: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    """A cluster's spec; ``workers`` is a worker group, ``head`` what the head group has besides a plain pod."""
    groups = {"workerGroupSpecs": [{"groupName": "cpu", "template": pod(), **workers}]} if workers else {}
    return {"headGroupSpec": {"template": pod(), **(head or {})}, **groups, **spec}


def ray_object(kind: str, spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    around = {"RayCluster": spec, "RayService": {"rayClusterConfig": spec}}
    body = around.get(kind) or {"entrypoint": "python main.py", "rayClusterSpec": spec}
    return {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo", **metadata}, "spec": body}


def other(kind: str, api_version: str = "v1", *, name: str = "other", **fields: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}


def judge(rule: str, *documents: Any, kuberay: str = "1.7", files: bool = False) -> list[Finding]:
    """What one rule says of the documents, in one file, or each in a folder of its own."""
    release = parse_version(kuberay)
    assert release is not None
    engine = Engine((RULES[rule],), Target(release, gates=GATES))
    texts = [yaml.safe_dump(document) for document in documents]
    named = [(f"{number}/all.yaml", text) for number, text in enumerate(texts)]
    results = [
        engine.check(name, text.encode()) for name, text in (named if files else [("a.yaml", "---\n".join(texts))])
    ]
    findings = [finding for result in results for finding in result.findings]
    return findings + engine.conclude([fact for result in results for fact in result.facts])


TLS = [{"name": "RAY_USE_TLS", "value": "1"}]
FUSE = [{"name": "b", "csi": {"driver": "gcsfuse.csi.storage.gke.io"}}]
# A cluster with everything that the rules on clusters find fault with.
FAULTY = cluster(
    head={
        "serviceType": "LoadBalancer",
        "enableIngress": True,
        "resources": {"num-cpus": "1"},
        "labels": {"app.kubernetes.io/name": "x"},
        "headService": {"spec": {"ports": [{"name": "dashboard", "port": 8265}]}},
        "template": pod(
            {
                "env": [*TLS, {"name": "DB_PASSWORD", "value": "hunter2hunter2"}],
                "ports": [{"containerPort": 1, "name": "dashboard"}],
                "resources": {"limits": {"memory": "1Gi"}},
                "volumeMounts": [{"name": "b", "mountPath": "/tmp/ray"}],
            },
            {"labels": {"ray.io/group": "x"}},
            nodeSelector={"karpenter.sh/capacity-type": "spot"},
            securityContext={"runAsUser": 7},
            serviceAccountName="robot",
            restartPolicy="never",
            volumes=FUSE,
        ),
    },
    workers={
        "replicas": 2000,
        "maxReplicas": 3000,
        "numOfHosts": -1,
        "template": pod(
            imagePullSecrets=[{"name": "r"}],
            nodeSelector={"karpenter.sh/capacity-type": "spot"},
            volumes=[{"name": "c", "persistentVolumeClaim": {"claimName": "c"}}],
        ),
    },
    enableInTreeAutoscaling=True,
    autoscalerOptions={"version": "v2", "idleTimeoutSeconds": 1, "resources": {"limits": {"cpu": 99}}},
    authOptions={},
    networkPolicy={},
    gcsFaultToleranceOptions={"redisAddress": "redis:6379", "redisPassword": {}},
    historyServerOptions={"collectorOptions": {"image": "c"}},
)
OF_CLUSTERS = sorted(
    {
        *("RAY133", "RAY231", "RAY237", "RAY361", "RAY362", "RAY363"),
        *("RAY801", "RAY802", "RAY803", "RAY804", "RAY805", "RAY806", "RAY807", "RAY809", "RAY810", "RAY811"),
        *("RAY812", "RAY813", "RAY814"),
    }
)


@pytest.mark.parametrize("rule", OF_CLUSTERS)
def test_a_fault_of_a_cluster_that_is_built_is_told(rule: str) -> None:
    assert judge(rule, ray_object("RayCluster", FAULTY))


@pytest.mark.parametrize(
    "rule",
    [*OF_CLUSTERS, "RAY235", "RAY238", "RAY808", "RAY815", "RAY820", "RAY822"],
)
def test_a_cluster_that_nobody_builds_is_not_judged(rule: str) -> None:
    """A RayJob on another cluster does not use the one that is written beside it."""
    job = ray_object("RayJob", FAULTY)
    job["spec"]["clusterSelector"] = {"ray.io/cluster": "shared"}
    assert judge(rule, job) == []


def test_no_secret_is_ever_shown() -> None:
    text = json.dumps([str(vars_of(found)) for found in judge("RAY813", ray_object("RayCluster", FAULTY))])
    assert "DB_PASSWORD" in text
    assert "hunter2" not in text


def vars_of(found: Finding) -> tuple[object, ...]:
    return found.message, found.effect, found.fix, found.place.lines, found.related


def named(*env: tuple[str, object], **ray: Any) -> dict[str, Any]:
    entries = [{"name": name, "value": value} for name, value in env]
    return ray_object("RayCluster", cluster(head={"template": pod({"env": entries, **ray})}))


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("HF_TOKEN", "swordfish99", True),
        ("OPENAI_API_KEY", "swordfish99", True),
        ("apiToken", "swordfish99", True),
        ("AWS_SECRET_ACCESS_KEY", "swordfish99", True),
        ("GOOGLE_CREDENTIALS", "swordfish99", True),
        ("DATABASE_URL", "postgres://app:swordfish@db:5432/ray", True),
        ("DATABASE_URL", "postgres://app@db:5432/ray", False),
        ("DATABASE_URL", "postgres://app:$(PW)@db:5432/ray", False),
        ("DATABASE_URL", "postgres://app:xxxxx@db:5432/ray", False),
        ("CLIENT_SECRET", "swordfish-of-prod", False),
        ("HF_TOKEN", "short", False),
        ("HF_TOKEN", "$(OTHER_TOKEN)", False),
        ("HF_TOKEN", "{{ .Values.token }}", False),
        ("HF_TOKEN", "your-token-here", False),
        ("HF_TOKEN", "CHANGE_ME_PLEASE", False),
        ("PAD_TOKEN", "<|endoftext|>", False),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/var/run/key.json", False),
        ("REDIS_PASSWORD", "swordfish99", False),
        ("TOKENIZERS_PARALLELISM", "swordfish99", False),
        ("SECRET_NAME", "swordfish99", False),
        ("MAX_NEW_TOKENS", "40960000", False),
        ("HF_TOKEN", 12345678, False),
    ],
)
def test_secret_by_name_and_value(name: str, value: object, told: bool) -> None:
    assert bool(judge("RAY813", named((name, value)))) is told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--token=swordfish99"], True),
        (["serve", "--api-key", "swordfish99"], True),
        (["postgres://app:swordfish@db/ray"], True),
        (["python", "main.py --token=swordfish99"], False),
        (["--token", 7, "swordfish99"], False),
        (["--file", "token.txt"], False),
    ],
)
def test_secret_among_the_words_of_a_command(words: list[object], told: bool) -> None:
    assert bool(judge("RAY813", named(args=words))) is told


def test_a_script_is_not_named_by_the_option_before_it() -> None:
    (found,) = judge("RAY813", named(args=["-lc", "pip install -i https://ci:swordfish99@pypi.example.com/a b"]))
    assert "under 'a word of args'" in found.message
    (found,) = judge("RAY813", named(args=["--db", "postgres://app:swordfish@db/ray"]))
    assert "under '--db'" in found.message


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"applications": [{"runtime_env": {"env_vars": {"HF_TOKEN": "swordfish99"}}}]}, True),
        ({"applications": [{"runtime_env": {"env_vars": {"HF_TOKEN": 7}}}, "text"]}, False),
        ({"applications": [{"runtime_env": {"env_vars": ["HF_TOKEN"]}}]}, False),
        ({"applications": {"HF_TOKEN": "swordfish99"}}, False),
        ({"applications": [{"runtime_env": "https://files.example.com/HF_TOKEN"}]}, False),
        (["HF_TOKEN"], False),
    ],
)
def test_secret_in_a_serve_configuration(config: object, told: bool) -> None:
    service = ray_object("RayService", cluster())
    service["spec"]["serveConfigV2"] = yaml.safe_dump(config)
    assert bool(judge("RAY813", service)) is told


def test_secret_in_annotations_and_the_submitter() -> None:
    job = ray_object("RayJob", cluster(), annotations={"example.com/api-token": "swordfish99", "n": 7})
    job["spec"]["submitterPodTemplate"] = pod({"env": [{"name": "TOKEN", "value": "swordfish99"}]})
    assert len(judge("RAY813", job)) == 2


def test_a_load_balancer_for_certain_addresses_is_an_info() -> None:
    service = {"spec": {"type": "LoadBalancer", "loadBalancerSourceRanges": ["10.0.0.0/8"]}}
    (found,) = judge("RAY801", ray_object("RayCluster", cluster(head={"headService": service})))
    assert found.severity.label == "info"


@pytest.mark.parametrize("mode", ["token", None])
def test_a_token_by_environment_guards_as_well(mode: str | None) -> None:
    value: dict[str, Any] = {"value": mode} if mode else {"valueFrom": {"configMapKeyRef": {}}}
    entry = {"name": "RAY_AUTH_MODE", **value}
    head = {"serviceType": "NodePort", "template": pod({"env": [entry]})}
    assert judge("RAY801", ray_object("RayCluster", cluster(head=head))) == []


def test_v1alpha1_has_no_auth_options() -> None:
    found = ray_object("RayCluster", cluster(authOptions={}))
    assert judge("RAY802", {**found, "apiVersion": "ray.io/v1alpha1"}) == []


def egress(*ports: object, mode: str = "DenyAll", **spec: Any) -> dict[str, Any]:
    rules = {"egressRules": [{"ports": [{"port": port} for port in ports]}]}
    return cluster(networkPolicy={"mode": mode, "head": rules, "worker": rules}, **spec)


def test_workers_are_told_of_once() -> None:
    groups = [{"groupName": name, "template": pod()} for name in ("a", "b", "c")]
    spec = egress(53, workerGroupSpecs=groups)
    spec["networkPolicy"]["worker"] = {"egressRules": []}
    (found,) = judge("RAY805", ray_object("RayCluster", spec))
    assert "the workers" in found.message


@pytest.mark.parametrize(("port", "told"), [("dns", False), (443, True)])
def test_a_port_that_only_a_name_tells_may_be_any(port: object, told: bool) -> None:
    assert bool(judge("RAY805", ray_object("RayCluster", egress(port)))) is told


def test_a_mode_that_a_template_decides_is_unknown() -> None:
    assert judge("RAY805", ray_object("RayCluster", egress(443, mode="{{ .Values.mode }}"))) == []


@pytest.mark.parametrize(
    ("address", "told"), [("redis:6379", True), ("redis", False), ("$(ADDRESS)", False), ("", False)]
)
def test_the_port_of_redis_is_known_or_nothing_is_said(address: str, told: bool) -> None:
    spec = egress(53, gcsFaultToleranceOptions={"redisAddress": address})
    assert bool(judge("RAY807", ray_object("RayCluster", spec))) is told


@pytest.mark.parametrize(("option", "told"), [("8265", False), ("9000", True), ("{{ x }}", False)])
def test_the_operator_asks_the_dashboard_where_it_listens(option: str, told: bool) -> None:
    spec = cluster(head={"rayStartParams": {"dashboard-port": option}})
    spec["networkPolicy"] = {"mode": "DenyAllIngress", "head": {"ingressRules": [{"ports": [{"port": 8265}]}]}}
    assert bool(judge("RAY808", ray_object("RayService", spec))) is told


@pytest.mark.parametrize("mode", ["InteractiveMode", "K8sJobMode"])
def test_nobody_asks_in_interactive_mode(mode: str) -> None:
    job = ray_object("RayJob", cluster(networkPolicy={"mode": "DenyAllIngress"}))
    job["spec"]["submissionMode"] = mode
    assert bool(judge("RAY808", job)) is (mode == "K8sJobMode")


def tls(head: object, workers: object) -> dict[str, Any]:
    def env(value: object) -> dict[str, Any]:
        if value == "from":
            return {"envFrom": [{"configMapRef": {"name": "tls"}}]}
        unknown = {"name": "RAY_USE_TLS", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}
        known = {"name": "RAY_USE_TLS", "value": value}
        return {"env": [unknown if value is None else known]}

    return cluster(head={"template": pod(env(head))}, workers={"template": pod(env(workers))})


@pytest.mark.parametrize(
    ("head", "workers", "told"),
    [
        ("1", "0", 1),
        ("0", "true", 1),
        ("1", None, 0),
        (None, "1", 0),
        ("from", "1", 0),
        ("1", "from", 0),
        ("0", "0", 0),
    ],
)
def test_tls_on_one_side(head: object, workers: object, told: int) -> None:
    assert len(judge("RAY812", ray_object("RayCluster", tls(head, workers)))) == told


@pytest.mark.parametrize("path", ["/home/ray", "/home/ray/"])
def test_a_home_that_is_mounted_may_be_written(path: str) -> None:
    ray = {"volumeMounts": [{"name": "h", "mountPath": path}], "securityContext": {"runAsUser": 7}}
    assert judge("RAY814", ray_object("RayCluster", cluster(head={"template": pod(ray)}))) == []


@pytest.mark.parametrize(("image", "told"), [("r.example.com/b:1", True), ("other.example.com/b:1", False)])
def test_pull_secrets_are_for_a_registry(image: str, told: bool) -> None:
    group = {"template": pod({"image": image}, imagePullSecrets=[{"name": "r"}])}
    plain = {"template": pod({"image": "r.example.com/c:1"})}
    spec = cluster(head={"template": pod({"image": "r.example.com/a:1"})}, enableInTreeAutoscaling=True)
    spec["workerGroupSpecs"] = [{"groupName": "a", **plain}, {"groupName": "b", **group}]
    assert bool(judge("RAY815", ray_object("RayCluster", spec))) is told


def route(kind: str, name: str, port: object) -> dict[str, Any]:
    if kind == "HTTPRoute":
        rule: dict[str, Any] = {"backendRefs": [{"name": name, "port": port}]}
    else:
        backend = {"service": {"name": name, "port": {"number" if isinstance(port, int) else "name": port}}}
        rule = {"http": {"paths": [{"backend": backend}]}}
    return other(kind, "networking.k8s.io/v1", spec={"rules": [rule]})


@pytest.mark.parametrize(
    ("kind", "name", "port", "told"),
    [
        ("Ingress", "demo-head-svc", "dashboard", True),
        ("Ingress", "demo-head-svc", "serve", False),
        ("Ingress", "demo-serve-svc", 8265, False),
        ("Ingress", "else-head-svc", 8265, False),
        ("HTTPRoute", "demo-head-svc", 8000, False),
        ("HTTPRoute", "demo-head-svc", 8265, True),
        ("Gateway", "demo-head-svc", 8265, False),
    ],
)
def test_what_leads_to_a_head(kind: str, name: str, port: object, told: bool) -> None:
    found = judge("RAY817", ray_object("RayCluster", cluster()), route(kind, name, port))
    assert bool(found) is told


def test_one_of_two_backends_leads_to_the_head() -> None:
    both = route("HTTPRoute", "demo-head-svc", 8265)
    both["spec"]["rules"].append({"backendRefs": [{"name": "web", "port": 80}]})
    assert len(judge("RAY817", ray_object("RayCluster", cluster()), both)) == 1


def test_ray_client_behind_tls_asks_for_a_certificate() -> None:
    secured = ray_object("RayCluster", cluster(head={"template": pod({"env": TLS})}))
    assert judge("RAY817", secured, route("Ingress", "demo-head-svc", 10001)) == []
    assert judge("RAY817", secured, route("Ingress", "demo-head-svc", 8265))


@pytest.mark.parametrize(
    ("annotation", "value", "level"),
    [
        ("nginx.ingress.kubernetes.io/auth-url", "https://login.example.com/auth", None),
        ("nginx.ingress.kubernetes.io/auth-type", "basic", None),
        ("nginx.ingress.kubernetes.io/auth-tls-secret", "ml/ca", None),
        ("haproxy-ingress.github.io/auth-secret", "people", None),
        ("nginx.org/basic-auth-secret", "people", None),
        ("alb.ingress.kubernetes.io/auth-type", "cognito", None),
        ("traefik.ingress.kubernetes.io/router.middlewares", "ml-login@kubernetescrd", None),
        ("konghq.com/plugins", "login", None),
        ("alb.ingress.kubernetes.io/auth-type", "none", "warning"),
        ("nginx.ingress.kubernetes.io/auth-url", "", "warning"),
        ("nginx.ingress.kubernetes.io/auth-url", None, "warning"),
        ("nginx.ingress.kubernetes.io/auth-signin", "https://login.example.com", "warning"),
        ("nginx.ingress.kubernetes.io/rewrite-target", "/", "warning"),
        ("nginx.ingress.kubernetes.io/whitelist-source-range", "10.0.0.0/8", "info"),
        ("nginx.ingress.kubernetes.io/whitelist-source-range", "0.0.0.0/0", "warning"),
        ("haproxy.org/allow-list", "10.0.0.0/8", "info"),
        ("alb.ingress.kubernetes.io/inbound-cidrs", "10.0.0.0/8, ::/0", "warning"),
    ],
)
def test_what_an_ingress_asks_for(annotation: str, value: object, level: str | None) -> None:
    way = route("Ingress", "demo-head-svc", 8265)
    way["metadata"]["annotations"] = {annotation: value}
    found = judge("RAY817", ray_object("RayCluster", cluster()), way)
    assert [finding.severity.name.lower() for finding in found] == ([level] if level else [])


@pytest.mark.parametrize(("kind", "told"), [("ExtensionRef", False), ("RequestHeaderModifier", True)])
@pytest.mark.parametrize("inside", [False, True])
def test_a_filter_of_a_route_may_ask_for_a_login(kind: str, told: bool, inside: bool) -> None:
    way = route("HTTPRoute", "demo-head-svc", 8265)
    rule = way["spec"]["rules"][0]
    (rule["backendRefs"][0] if inside else rule)["filters"] = ["text", {"type": kind}]
    assert bool(judge("RAY817", ray_object("RayCluster", cluster()), way)) is told


def test_the_head_of_a_job_has_a_name_that_nobody_knows() -> None:
    assert judge("RAY817", ray_object("RayJob", cluster()), route("Ingress", "demo-head-svc", 8265)) == []


def policy(selector: object, **spec: Any) -> dict[str, Any]:
    return other("NetworkPolicy", "networking.k8s.io/v1", spec={"podSelector": selector, **spec})


HEAD = {"matchLabels": {"ray.io/node-type": "head"}}
WORKER = {"matchLabels": {"ray.io/node-type": "worker"}}
DNS = {"port": 53, "protocol": "UDP"}
EXPRESSION = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (policy({}, policyTypes=["Egress"]), 1),
        (policy({}, egress=[{"to": []}], policyTypes=["Egress"]), 0),
        (policy(EXPRESSION, policyTypes=["Egress"]), 0),
        (policy("text", policyTypes=["Egress"]), 1),
        (policy(HEAD), 1),
        (policy(HEAD, egress=[{"ports": []}], ingress=[{}]), 0),
        (policy(HEAD, egress=[{"ports": ["text"]}], ingress=[{}]), 1),
        (policy(HEAD, ingress=[{"from": [{"namespaceSelector": {}}]}]), 0),
        (policy(HEAD, ingress=[{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]), 0),
        (policy(HEAD, ingress=[{"from": [{"podSelector": EXPRESSION}]}]), 0),
        (policy(HEAD, ingress=[{"from": ["text"]}]), 1),
        (policy(HEAD, ingress=["text"]), 1),
        (policy(HEAD, ingress=[{"ports": [{"port": 6000, "endPort": 7000}]}]), 0),
        (policy(HEAD, ingress=[{"ports": [{"port": 6379, "protocol": "UDP"}]}]), 1),
        # What leaves the head for DNS: over UDP, to another namespace.
        (policy(HEAD, egress=[{"ports": [{"port": 53}]}], policyTypes=["Egress"]), 1),
        (policy(HEAD, egress=[{"ports": [DNS]}], policyTypes=["Egress"]), 0),
        (policy(HEAD, egress=[{"ports": [{"protocol": "UDP"}]}], policyTypes=["Egress"]), 0),
        (policy(HEAD, egress=[{"to": [{"podSelector": {}}]}], policyTypes=["Egress"]), 1),
        (policy(HEAD, egress=[{"to": [{"podSelector": {}}], "ports": [DNS]}], policyTypes=["Egress"]), 1),
        (policy(HEAD, egress=[{"to": [{"namespaceSelector": {}}]}], policyTypes=["Egress"]), 0),
        # The workers need the head besides, and it needs them.
        (policy(WORKER, egress=[{"ports": [DNS]}], policyTypes=["Egress"]), 1),
        (policy(WORKER, egress=[{"ports": [DNS]}, {"to": [{"podSelector": HEAD}]}], policyTypes=["Egress"]), 0),
        (policy(WORKER, policyTypes=["Ingress"]), 1),
        (policy(WORKER, ingress=[{"from": [{"podSelector": WORKER}]}]), 1),
        (policy(WORKER, ingress=[{"from": [{"podSelector": HEAD}]}]), 0),
        (policy(WORKER, ingress=[{"ports": [{"port": 6379}, {"port": 8265}]}]), 1),
        (policy(WORKER, ingress=[{"ports": [{"port": 6379}, {"port": 6380}]}]), 0),
        (policy(WORKER, ingress=[{"ports": [{"port": 10001, "endPort": 19999}]}]), 0),
        ({**policy({}, policyTypes=["Egress"]), "apiVersion": "crd.example.com/v1"}, 0),
        (other("NetworkPolicies", spec={"podSelector": {}, "policyTypes": ["Egress"]}), 0),
    ],
)
def test_network_policies_add_up(found: dict[str, Any], told: int) -> None:
    demo = ray_object("RayCluster", cluster(workers={"replicas": 1}))
    assert len(judge("RAY821", demo, found)) == told


def test_the_dns_servers_own_namespace() -> None:
    demo = ray_object("RayCluster", cluster())
    found = policy({}, egress=[{"to": [{"podSelector": {}}]}], policyTypes=["Egress"])
    for each in (demo, found):
        each["metadata"]["namespace"] = "kube-system"
    assert judge("RAY821", demo, found) == []


RAY = {"matchLabels": {"ray.io/is-ray-node": "yes"}}


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"from": [{"podSelector": RAY}]}, True),
        ({"from": [{"podSelector": RAY}, {"namespaceSelector": {}}]}, False),
        # The operator may run in this very namespace.
        ({"from": [{"podSelector": RAY}, {"podSelector": {}}]}, False),
        ({"from": [{"podSelector": RAY}, {"podSelector": EXPRESSION}]}, False),
        ({"ports": [{"port": 6379}]}, True),
        ({}, False),
    ],
)
@pytest.mark.parametrize("kind", ["RayJob", "RayService", "RayCluster"])
def test_a_policy_keeps_the_operator_out(kind: str, rule: dict[str, Any], told: bool) -> None:
    found = judge("RAY821", ray_object(kind, cluster()), policy(HEAD, ingress=[rule]))
    named = [finding for finding in found if "the operator" in finding.message]
    assert bool(named) is (told and kind != "RayCluster")


def test_nobody_asks_the_dashboard_of_an_interactive_job() -> None:
    job = ray_object("RayJob", cluster())
    inside = policy(RAY, ingress=[{"from": [{"podSelector": RAY}]}])
    assert judge("RAY821", job, inside)
    job["spec"]["submissionMode"] = "InteractiveMode"
    assert judge("RAY821", job, inside) == []


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"to": [{"podSelector": RAY}]}, True),
        ({"to": [{"podSelector": {"matchLabels": {"app": "redis"}}}]}, False),
        ({"ports": [{"port": 6390}]}, False),
        ({"ports": [{"port": 6379}]}, True),
    ],
)
def test_a_policy_keeps_the_head_from_redis(rule: dict[str, Any], told: bool) -> None:
    demo = ray_object("RayCluster", cluster(gcsFaultToleranceOptions={"redisAddress": "redis:6390"}))
    found = judge("RAY821", demo, policy(HEAD, egress=[{"ports": [DNS]}, rule], policyTypes=["Egress"]))
    assert [finding.message for finding in found] == (
        ["no policy here lets the head out to Redis (port 6390)"] * told
    )


def test_a_policy_that_kuberay_makes_opens_the_cluster() -> None:
    demo = ray_object("RayCluster", cluster(networkPolicy={"mode": "DenyAll"}))
    assert judge("RAY821", demo, policy({}, policyTypes=["Ingress"])) == []


def opening(*ports: object, **spec: Any) -> dict[str, Any]:
    selector = {"ray.io/cluster": "demo", "ray.io/node-type": "head"}
    return other("Service", spec={"type": "NodePort", "selector": selector, "ports": list(ports), **spec})


@pytest.mark.parametrize(
    ("found", "level"),
    [
        (opening({"port": 80, "targetPort": "dashboard"}), "warning"),
        (opening({"port": 6379}), "warning"),
        (opening({"port": 8265, "targetPort": 8080}), None),
        (opening({"port": 8265}, type="ClusterIP"), None),
        (opening({"port": 8265}, selector=None, note="ray.io/"), None),
        (opening({"port": 8265}, type="LoadBalancer", loadBalancerSourceRanges=["10.0.0.0/8"]), "info"),
        (opening({"port": 8265}, selector={"ray.io/node-type": "worker"}), None),
    ],
)
def test_services_that_open_a_head(found: dict[str, Any], level: str | None) -> None:
    told = judge("RAY823", ray_object("RayCluster", cluster(workers={"replicas": 1})), found)
    assert [finding.severity.label for finding in told] == ([level] if level else [])


def test_a_service_of_another_folder_or_name_opens_no_head() -> None:
    demo, found = ray_object("RayCluster", cluster()), opening({"port": 8265})
    assert judge("RAY823", demo, found)
    assert judge("RAY823", demo, found, files=True) == []
    # What KubeRay calls the cluster of a RayService is not known.
    assert judge("RAY823", ray_object("RayService", cluster()), found) == []
    demo["metadata"]["namespace"] = "research"
    assert judge("RAY823", demo, found) == []


def test_a_policy_of_another_folder_is_for_another_cluster() -> None:
    demo = ray_object("RayCluster", cluster(workers={"replicas": 1}))
    assert judge("RAY821", demo, policy({}, policyTypes=["Egress"]), files=True) == []


def test_a_selector_without_the_clusters_name_may_mean_others() -> None:
    demo = ray_object("RayCluster", cluster())
    monitor = other("PodMonitor", "monitoring.coreos.com/v1", spec={"selector": EXPRESSION})
    service = other("Service", spec={"selector": {"ray.io/node-type": "master"}})
    plain = other("Service", spec={"selector": {"app": "ray"}}, note="ray.io/")
    assert judge("RAY820", demo, monitor, service, plain) == []


def test_a_cluster_selector_without_the_clusters_name_wants_none() -> None:
    job = ray_object("RayJob", cluster())
    job["spec"]["clusterSelector"] = {"other": "demo"}
    assert judge("RAY530", job, ray_object("RayCluster", cluster(), name="demos")) == []


def test_a_job_may_not_select_its_own_name() -> None:
    job = ray_object("RayJob", cluster())
    job["spec"]["clusterSelector"] = {"ray.io/cluster": "demo"}
    assert judge("RAY530", job) == []
    assert judge("RAY530", job, ray_object("RayService", cluster()))


STORE = {"gcsFaultToleranceOptions": {"redisAddress": "redis:6379"}}


def redis(*containers: Any, kind: str = "Deployment", **pod_spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "redis"}}, "spec": {"containers": [*containers], **pod_spec}}
    return other(kind, "apps/v1", name="redis", spec={"template": template})


SERVER = {"name": "redis", "image": "registry.example.com/mirror/redis:7"}


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        ([redis("text", {"image": 7}, {"image": "redis-exporter:1"}, SERVER)], 1),
        ([redis({"image": "redis-exporter:1"})], 0),
        ([redis(SERVER), redis(SERVER)], 1),
        ([redis(SERVER), other("Service", name="redis", spec={"selector": {"app": "redis"}})], 1),
        ([redis(SERVER), other("Service", name="redis", spec={"selector": {"app": "cache"}})], 0),
        ([redis(SERVER), other("Service", name="redis", spec={"note": "external redis"})], 0),
        ([redis(SERVER, kind="Job")], 0),
        (
            [
                redis(
                    {**SERVER, "volumeMounts": [{"name": "d", "mountPath": "/data"}]},
                    volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}],
                )
            ],
            0,
        ),
    ],
)
def test_redis_that_keeps_nothing(documents: list[dict[str, Any]], told: int) -> None:
    assert len(judge("RAY131", ray_object("RayCluster", cluster(**STORE)), *documents)) == told


def test_redis_of_another_folder_or_namespace_is_another_one() -> None:
    demo = ray_object("RayCluster", cluster(**STORE))
    assert judge("RAY131", demo, redis(SERVER), files=True) == []
    away = ray_object("RayCluster", cluster(**STORE), namespace="ml")
    assert judge("RAY131", away, redis(SERVER)) == []
    unknown = cluster(gcsFaultToleranceOptions={"redisAddress": "{{ redis }}"})
    assert judge("RAY131", ray_object("RayCluster", unknown), redis(SERVER)) == []
    service = other("Service", name="redis-replica", spec={"selector": {"app": "replica"}})
    assert judge("RAY131", demo, service, redis(SERVER))


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        ([redis({**SERVER, "command": ["redis-server", "--maxmemory-policy", "volatile-ttl"]})], 1),
        (
            [
                redis(SERVER, volumes=[{"name": "c", "configMap": {"name": "conf"}}, {"name": "e"}]),
                other("ConfigMap", name="conf", data={"redis.conf": "maxmemory-policy allkeys-lfu", "n": 7}),
                other("ConfigMap", name="else", data={"redis.conf": "maxmemory-policy allkeys-lru"}),
            ],
            1,
        ),
        (
            [
                redis(SERVER, volumes=[{"name": "c", "configMap": {"name": "conf"}}]),
                other("ConfigMap", name="conf", data={"redis.conf": "maxmemory-policy noeviction", "a": "redis"}),
            ],
            0,
        ),
    ],
)
def test_redis_that_drops_keys(documents: list[dict[str, Any]], told: int) -> None:
    assert len(judge("RAY132", ray_object("RayCluster", cluster(**STORE)), *documents)) == told


def test_the_policy_of_another_redis_is_not_counted() -> None:
    cache = redis({**SERVER, "args": ["--maxmemory-policy", "allkeys-lru"]})
    cache["metadata"]["name"] = "cache"
    documents = (ray_object("RayCluster", cluster(**STORE)), redis(SERVER), cache)
    assert judge("RAY132", *documents) == []


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("ray.io/gang-scheduling-enable", True),
        ("rayio/ft-enabled", True),
        ("kueue.x-k8s.io/queue-nam", True),
        ("volcano.sh/queue_name", True),
        ("ray.io/zzz", False),
        ("ray.io/pod-type", False),
        ("example.com/queue-name", False),
        ("kueue.x-k8s.io/queue-name", False),
    ],
)
def test_labels_that_are_almost_known(key: str, told: bool) -> None:
    assert bool(judge("RAY910", ray_object("RayCluster", cluster(), labels={key: "a"}))) is told


def test_kueue_with_a_shutdown_that_a_template_decides() -> None:
    job = ray_object("RayJob", cluster(), labels={"kueue.x-k8s.io/queue-name": "gpus"})
    for value, told in (("{{ x }}", False), (False, True)):
        job["spec"]["shutdownAfterJobFinishes"] = value
        assert bool(judge("RAY901", job)) is told
    job["spec"]["clusterSelector"] = {"ray.io/cluster": "a"}
    assert judge("RAY901", job) == []
    job["spec"] = {"deletionStrategy": {"deletionRules": []}}
    assert judge("RAY901", job) == []


def test_a_priority_class_that_is_like_no_other_lives_elsewhere() -> None:
    found = ray_object("RayCluster", cluster(head={"template": pod(priorityClassName="batch-low")}))
    made = other("PriorityClass", "scheduling.k8s.io/v1", name="ray-head")
    thing = other("RayThing", "ray.io/v1", spec={"words": ["PriorityClass"]})
    assert judge("RAY913", found, made, thing) == []


def test_a_queue_without_a_name_is_none() -> None:
    found = ray_object("RayCluster", cluster(), labels={"kueue.x-k8s.io/queue-name": ""})
    queue = other("LocalQueue", "kueue.x-k8s.io/v1beta1", name="gpus")
    assert judge("RAY904", found, queue, other("ClusterQueue", "kueue.x-k8s.io/v1beta1")) == []


def test_flux_and_labels_of_others() -> None:
    found = ray_object("RayCluster", cluster(workers={"replicas": 1}, enableInTreeAutoscaling=True))
    found["metadata"]["labels"] = {"team": "a", "kustomize.toolkit.fluxcd.io/name": "apps"}
    assert judge("RAY920", found)
    found["metadata"]["labels"] = {"fluxcd.io": "a"}
    assert judge("RAY920", found) == []


def test_a_cluster_without_any_limit_is_not_called_large() -> None:
    found = ray_object("RayCluster", cluster(workers={"maxReplicas": 20000}, enableInTreeAutoscaling=True))
    assert judge("RAY924", found) == []


@pytest.mark.parametrize("rule", ["RAY131", "RAY817", "RAY820", "RAY821", "RAY822", "RAY823", "RAY904"])
def test_a_kind_that_kuberay_does_not_have_brings_nothing(rule: str) -> None:
    words = [
        "redis",
        "kueue.x-k8s.io LocalQueue",
        "-head-svc",
        "persistentVolumeClaim",
        "NetworkPolicy",
    ]
    assert judge(rule, other("RayThing", "ray.io/v1", spec={"words": words})) == []


def test_the_scale_target_of_a_plain_object() -> None:
    assert judge("RAY930", other("ConfigMap", data={"a": "HorizontalPodAutoscaler"})) == []


def test_references_without_a_name_are_none() -> None:
    env = [{"name": "A", "valueFrom": {"secretKeyRef": {"key": "a"}}}]
    head = {"template": pod({"env": env, "envFrom": [{"secretRef": {"name": ""}}]}, imagePullSecrets=[{}])}
    found = ray_object("RayCluster", cluster(head=head))
    assert judge("RAY822", found, other("Secret"), other("Role", note="Secret")) == []


@pytest.mark.parametrize(("maker", "told"), [("ExternalSecret", False), ("Secret", False), ("ConfigMap", True)])
def test_what_makes_a_secret(maker: str, told: bool) -> None:
    head = {"template": pod({"envFrom": [{"secretRef": {"name": "hub-token"}}]})}
    near = other("Secret", name="hub-tokens")
    found = judge("RAY822", ray_object("RayCluster", cluster(head=head)), other(maker, name="hub-token"), near)
    assert bool(found) is told


@pytest.mark.parametrize(("release", "told"), [("1.7", True), ("1.4", False)])
def test_labels_of_a_group_came_with_kuberay_1_5(release: str, told: bool) -> None:
    head = {"labels": {"app.kubernetes.io/name": "x"}}
    assert bool(judge("RAY809", ray_object("RayCluster", cluster(head=head)), kuberay=release)) is told


@pytest.mark.parametrize(("value", "told"), [("True", False), ("no", True)])
def test_path_under_a_command_of_its_own(value: str, told: bool) -> None:
    found = named(("PATH", "/opt/bin"), image="registry.example.com/train:7")
    found["metadata"]["annotations"] = {"ray.io/overwrite-container-cmd": value}
    assert bool(judge("RAY335", found, kuberay="1.3")) is told
