"""Narrow views of what Serve and runtime environments are told: what they leave out is nothing to their rules."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from test_narrow_views import unseen

from raylint.document import Document
from raylint.manifest import RayService, objects
from raylint.packs import installed_rules
from raylint.plan import PARTS
from raylint.serve_check import judged
from raylint.target import Target

WIDE = {
    "CrowdedService": "RayService",
    "OddEnvironments": "RayObject",
    "OddText": "RayObject",
    "OddlyServed": "RayService",
}
RULES = [rule for rule in installed_rules() if rule.visits in WIDE]
TARGETS = [Target(), Target(ray=(2, 9, 3)), Target((1, 2)), Target((1, 0), (2, 51, 0))]
HEAD = {"spec": {"containers": [{"name": "head", "image": "rayproject/ray:2.52.0"}]}}


def manifest(kind: str, field: str, text: object, *groups: dict[str, Any], **cluster: Any) -> dict[str, Any]:
    built = {
        "headGroupSpec": {"rayStartParams": {"num-cpus": "0"}, "template": HEAD},
        "workerGroupSpecs": [*groups],
        **cluster,
    }
    spec = {field: text, "rayClusterConfig" if kind == "RayService" else "rayClusterSpec": built}
    return {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "ranker"}, "spec": spec}


def serving(*applications: object, **others: object) -> str:
    return json.dumps({"applications": [*applications], **others})


def deploying(*deployments: object) -> str:
    return serving({"name": "rank", "import_path": "rank:app", "deployments": [*deployments]})


def workers(
    limits: object, *, replicas: int = 2, container: dict[str, Any] | None = None, **fields: Any
) -> dict[str, Any]:
    ray = {"name": "ray", "image": "rayproject/ray:2.52.0", "resources": {"limits": limits}, **(container or {})}
    template = {"spec": {"containers": [ray]}}
    return {"groupName": "cpu", "replicas": replicas, "maxReplicas": 3, "template": template, **fields}


SOUND = {"cpu": "4", "memory": "16Gi"}
GROUPS: list[dict[str, Any]] = [
    workers(SOUND),
    workers(SOUND, replicas=0),
    workers(SOUND, replicas=9),
    workers(SOUND, maxReplicas=0),
    workers(SOUND, suspend=True),
    workers(SOUND, numOfHosts=2),
    workers(SOUND, replicas=-1, minReplicas=-1),
    workers(SOUND, rayStartParams={"num-cpus": "1"}),
    workers(SOUND, resources={"cpu": "1"}),
    workers(SOUND, container={"args": ["ray start --num-cpus 1"]}),
    workers(SOUND, container={"env": [{"name": "RAY_OVERRIDE_RESOURCES", "value": "{}"}]}),
    workers({"cpu": "3500m", "memory": "16Gi"}),
    workers({"cpu": "0", "memory": "16Gi"}),
    workers({"memory": "16Gi"}),
]
ACTORS: list[object] = [
    *({"num_cpus": cpus} for cpus in (0, 0.3, 0.00001, 1, 2.5, 4, 4.00004, 5, -1, "1", True, None)),
    *(
        {},
        None,
        [],
        {"num_gpus": 1},
        {"memory": 1 << 40},
        {"resources": {"disk": 1}},
        {"num_cpus": 1, "memory": 1},
    ),
]
WRITTEN: tuple[object, ...] = (1, 2, 3, 4, 26, 27, 99, 0, -1, "auto", "9", 9.0, True, None)
NUMBERS: list[dict[str, object]] = [
    *({"num_replicas": written} for written in WRITTEN),
    {},
    {"autoscaling_config": {"min_replicas": 30, "max_replicas": 40}},
    {"autoscaling_config": {"min_replicas": 1}, "num_replicas": 30},
    {"autoscaling_config": {}},
    {"num_replicas": 3, "max_replicas_per_node": 1},
    {"num_replicas": 3, "placement_group_bundles": [{"CPU": 4}, {"CPU": 4}]},
    {"placement_group_bundles": [{"CPU": 9}], "placement_group_strategy": "STRICT_SPREAD"},
]


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_rules_on_room_have_nothing_to_say_of_other_services(group: dict[str, Any]) -> None:
    for actor, number, scaled in product(ACTORS, NUMBERS, (False, True)):
        one = {"name": "A", "ray_actor_options": actor, **number}
        for others in ((), ({"name": "B", "num_replicas": 2, "ray_actor_options": {"num_cpus": 3}},)):
            text = deploying(one, *others)
            data = manifest("RayService", "serveConfigV2", text, group, enableInTreeAutoscaling=scaled)
            assert unseen(data, Target(), RULES, WIDE) == [], (text, scaled)


URI = "https://files.example.com/code.zip"
ENVIRONMENTS: list[object] = [
    {"working_dir": URI},
    *({"working_dir": uri} for uri in (".", "./", "/srv/code", "s3://b/code.tar", "ftp://x/c.zip", 7, None)),
    {"working_dir": f"{URI}?of=${{RAY_RUNTIME_ENV_CREATE_WORKING_DIR}}"},
    *({key: ["ray==2.9.3", "-r ./requirements.txt"]} for key in ("pip", "uv")),
    *({"working_dir": URI, key: value} for key, value in (("pipp", []), ("pip", "r.txt"), ("env_vars", {"A": 1}))),
    *({"config": {"timeout": 1}}, {"conda": "/opt/env"}, {}, None, [], "pip"),
]
TEXTS = [
    *("", "applications: []", "a: 1", "[]", "{", "applications: [{import_path: a:b}]\n---\na: 1\n"),
    *("a: 1\n...\nb: 2\n", "a: 1\n...\n", "a: 1\na: 2\n", "a: {b: 1, b: 2}", "x: &x {a: 1}\ny: {<<: *x, a: 2}"),
    *(
        "applications:\n- {import_path: 'a:b', route: /a}\n",
        "aplications: [{import_path: 'a:b'}]",
        "pip: [a]\n---\n",
    ),
    *("applications: [{import_path: ab}]", "applications: [{import_path: 'a:b', max_concurrent_queries: 5}]"),
    *("applications: [{import_path: 'a:b', route_prefix: a/}]", "---\n# nothing\n---\napplications: []\n"),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: f"{target.kuberay} {target.ray}")
def test_nor_do_those_on_texts_and_environments(target: Target) -> None:
    texts: list[object] = [*TEXTS, 7, None, {}]
    for env in ENVIRONMENTS:
        texts.append(serving({"import_path": "a:b", "runtime_env": env}))
        texts.append(deploying({"name": "A", "ray_actor_options": {"runtime_env": env}}))
    for text in texts:
        assert unseen(manifest("RayService", "serveConfigV2", text), target, RULES, WIDE) == [], text
    for text in (*texts, *(json.dumps(env) for env in ENVIRONMENTS)):
        assert unseen(manifest("RayJob", "runtimeEnvYAML", text), target, RULES, WIDE) == [], text


def test_of_an_ordinary_service_they_leave_everything_out() -> None:
    deployments = [
        {"name": "A", "num_replicas": 2, "ray_actor_options": {"num_cpus": 0.5}},
        {"name": "B", "autoscaling_config": {"max_replicas": 3}, "ray_actor_options": {"num_cpus": 2}},
        {"name": "C"},
    ]
    environment = {"working_dir": URI}
    application = {"import_path": "a:b", "runtime_env": environment, "deployments": deployments}
    data = manifest("RayService", "serveConfigV2", serving(application), workers(SOUND))
    (found,) = objects(Document.from_object(data), Target())
    assert {view: list(PARTS[view](found)) for view in WIDE} == {view: [] for view in WIDE}


def test_each_of_them_is_visited() -> None:
    assert {rule.visits for rule in RULES} == set(WIDE)


def test_a_service_that_cannot_be_judged_is_left_to_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(service: RayService) -> bool:
        raise ValueError

    monkeypatch.setattr(RayService, "may_be_crowded", property(fail))
    (found,) = objects(Document.from_object(manifest("RayService", "serveConfigV2", "")), Target())
    assert list(PARTS["CrowdedService"](found)) == [found]


ARCHIVE = "https://artifacts.example/rank.zip"
PLAIN_DEPLOYMENT = {
    "name": "Model",
    "num_replicas": 2,
    "max_ongoing_requests": 20,
    "ray_actor_options": {"num_cpus": 0.5},
}
PLAIN_APPLICATION = {
    "name": "rank",
    "import_path": "app.main:graph",
    "route_prefix": "/rank",
    "runtime_env": {"working_dir": ARCHIVE},
    "deployments": [PLAIN_DEPLOYMENT, {"name": "Front"}],
}
OTHER_APPLICATION = {"name": "other", "import_path": "a:b", "route_prefix": "/"}
VALUES: list[Any] = [
    *(None, True, 0, -1, 1, 0.5, 1e-5, 1e300, 2.0, "", "1", "auto", "/", "a", "a:b", "/a/", "/a{b}"),
    *("a:b:c", ":a", "a:", [], [None], [[]], {}, {"a": 1}, {1: 2}, float("inf"), float("nan")),
]
ADDRESSES = [
    "s3://a/b.zip",
    "https://a/b.tar",
    "https://a/b.zip#c.zip",
    "https://a/b.zip?c.zip",
    "https://$A/b.zip",
]
RELEASES = [
    None,
    (2, 8, 0),
    (2, 9, 3),
    (2, 11, 0),
    (2, 12, 0),
    (2, 40, 0),
    (2, 47, 0),
    (2, 55, 1),
    (2, 60, 0),
    (3, 0),
]


def variants() -> list[Any]:
    """Configurations that differ from a plain one in a value, a key that is missing or a key more."""
    keys = [*PLAIN_APPLICATION, "host", "args"]
    applications: list[Any] = [*VALUES, *({**PLAIN_APPLICATION, key: value} for key in keys for value in VALUES)]
    applications += [without(PLAIN_APPLICATION, key) for key in PLAIN_APPLICATION]
    applications += [
        {**PLAIN_APPLICATION, "runtime_env": env}
        for env in (
            {"working_dir": ARCHIVE, "pip": ["numpy"]},
            *({"working_dir": address} for address in [*ADDRESSES, *VALUES]),
        )
    ]
    keys = [*PLAIN_DEPLOYMENT, "autoscaling_config", "placement_group_bundles"]
    deployments: list[Any] = [{**PLAIN_DEPLOYMENT, key: value} for key in keys for value in VALUES]
    deployments += [without(PLAIN_DEPLOYMENT, key) for key in PLAIN_DEPLOYMENT]
    deployments += [
        {**PLAIN_DEPLOYMENT, "ray_actor_options": {key: value}}
        for key in ("num_cpus", "num_gpus")
        for value in VALUES
    ]
    applications += [{**PLAIN_APPLICATION, "deployments": [PLAIN_DEPLOYMENT, one]} for one in deployments]
    found: list[Any] = [{"applications": [OTHER_APPLICATION, one]} for one in applications]
    found += [{"applications": value} for value in VALUES]
    return [*found, {"applications": [PLAIN_APPLICATION], "http_options": {"port": "x"}}, {}]


def without(data: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


def service(config: object) -> RayService:
    data = manifest("RayService", "serveConfigV2", json.dumps(config), workers(SOUND))
    (found,) = objects(Document("a.yaml", 0, data), Target())
    assert isinstance(found, RayService)
    return found


def test_serve_finds_nothing_in_a_configuration_that_is_plain_at_a_glance() -> None:
    plain = 0
    for config in variants():
        serve_config = service(config).serve_config
        data = serve_config.data
        for release in RELEASES:
            if serve_config.is_plain_to(release):
                plain += 1
                assert data is not None
                assert judged(data, release, only_image=True) == judged(data, release, only_image=False) == []
    assert plain


@pytest.mark.parametrize(("release", "plain"), [(None, False), ((2, 11, 0), False), ((2, 12, 0), True)])
def test_what_most_configurations_say_is_plain(release: tuple[int, ...] | None, plain: bool) -> None:
    config = {"applications": [PLAIN_APPLICATION, OTHER_APPLICATION]}
    assert service(config).serve_config.is_plain_to(release) is plain


@pytest.mark.parametrize(
    "config",
    [
        {"applications": []},
        {"applications": [PLAIN_APPLICATION, {**OTHER_APPLICATION, "name": "rank"}]},
        {"applications": [PLAIN_APPLICATION, {**OTHER_APPLICATION, "route_prefix": "/rank"}]},
        *({"applications": [{**PLAIN_APPLICATION, "runtime_env": {"working_dir": uri}}]} for uri in ADDRESSES),
    ],
)
def test_what_wants_a_closer_look_is_not_plain(config: object) -> None:
    assert not service(config).serve_config.is_plain_to((2, 60, 0))
