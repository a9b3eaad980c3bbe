"""What a group offers to Ray's scheduler, and how many demands it has room for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.field import Origin
from raylint.manifest import RayObject, objects
from raylint.offer import Demand, Offer, amount_text, offers, room_for
from raylint.reader import read
from raylint.target import Target


def offered(*groups: str, head: str = 'rayStartParams: {num-cpus: "0"}', spec: str = "") -> tuple[Offer, ...]:
    """What a RayCluster offers. ``groups`` and ``head`` are lines of one group, ``spec`` lines of its spec."""
    worker_lines = "".join(f"  - groupName: g{number}\n{indented(text, 4)}" for number, text in enumerate(groups))
    text = (
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: c}\nspec:\n"
        f"{indented(spec, 2)}  headGroupSpec:\n{indented(head, 4)}"
        + ("" if "template:" in head else "    template: {spec: {containers: [{name: h, image: 'x/y:1'}]}}\n")
        + (f"  workerGroupSpecs:\n{worker_lines}" if groups else "")
    )
    (document,) = read("m.yaml", text.encode()).documents
    (found,) = objects(document, Target())
    assert isinstance(found, RayObject)
    assert found.cluster is not None
    return offers(found.cluster)


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def group(resources: str, more: str = "replicas: 2", pod: str = "", container: str = "") -> str:
    return (
        f"{more}\ntemplate:\n  spec:\n{indented(pod, 4)}    containers:\n    - name: w\n      image: 'x/y:1'\n"
        f"{indented(container, 6)}      resources: {resources}"
    )


PLAIN = group('{limits: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "2"}}')


def test_what_a_pod_offers() -> None:
    head, workers = offered(PLAIN)
    assert (head.pods, workers.pods) == (1, 2)
    assert [workers.amount(name).value for name in ("CPU", "GPU", "memory", "disk")] == [8, 2, 32 << 30, 0]
    assert head.amount("CPU").value == 0
    assert head.amount("memory").origin is Origin.UNKNOWN


@pytest.mark.parametrize(
    ("amounts", "held"),
    [
        ({"CPU": 1}, 8),
        ({"CPU": 3}, 2),
        ({"CPU": 0.1}, 80),
        ({"CPU": 1, "GPU": 0.3}, 6),
        ({"GPU": 3}, 0),
        ({"disk": 1}, 0),
        ({"TPU": 1}, None),
        ({"accelerator_type:A100": 0.001}, None),
        ({"node:__internal_head__": 0.001}, None),
        ({"CPU": 1, "NPU": 1}, 8),
        ({}, None),
        ({"CPU": 0.00001}, None),
    ],
)
def test_how_many_fit_into_one_pod(amounts: dict[str, float], held: int | None) -> None:
    _, workers = offered(PLAIN)
    assert workers.holds(Demand(amounts)) == held


def test_what_is_lacking() -> None:
    _, workers = offered(PLAIN)
    assert workers.lacks(Demand({"CPU": 9, "GPU": 1, "disk": 1})) == ["CPU", "disk"]


@pytest.mark.parametrize(
    "other",
    [
        group("{}", pod="runtimeClassName: nvidia"),
        group("{}", pod="resourceClaims: [{name: g}]"),
        group("{}", container="securityContext: {privileged: true}"),
        group("{}", container="env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]"),
        group('{limits: {nvidia.com/gpu.shared: "1"}}'),
        group(
            '{limits: {nvidia.com/gpu: "1"}}',
            more='replicas: 2\nrayStartParams: {resources: \'"{\\"a\\": 1}"\'}',
        ),
    ],
)
def test_gpus_that_a_pod_may_see_without_a_limit_are_unknown(other: str) -> None:
    _, workers = offered(other)
    assert workers.amount("GPU").value is None


def test_without_any_sign_of_a_gpu_there_is_none() -> None:
    _, workers = offered(group('{limits: {cpu: "1"}}'))
    assert workers.amount("GPU").value == 0


@pytest.mark.parametrize(
    "own",
    [
        group("{}", container="command: [bash, -c, ray start --address $RAY_IP --num-gpus 8]"),
        group("{}", container="env: [{name: RAY_OVERRIDE_RESOURCES, value: '{}'}]"),
    ],
)
def test_a_start_of_ones_own_is_unknown(own: str) -> None:
    _, workers = offered(own)
    assert not workers.whole
    assert [workers.amount(name).value for name in ("CPU", "GPU", "disk")] == [None, None, None]


def test_custom_resources() -> None:
    _, known, unread, tpu = offered(
        group("{}", more="resources: {disk: '2'}"),
        group("{}", more="rayStartParams: {resources: '{\"disk\": 1}'}"),
        group('{limits: {google.com/tpu: "4"}}'),
    )
    assert known.amount("disk").value == 2
    assert unread.amount("disk").value is None
    assert tpu.amount("disk").value is None
    assert tpu.amount("TPU").value == 4


@pytest.mark.parametrize(
    ("more", "pods", "can_exist"),
    [
        ("replicas: 0", 0, True),
        ("replicas: 3\nnumOfHosts: 2", 6, True),
        ("replicas: 3\nmaxReplicas: 0", 0, False),
        ("replicas: 3\nsuspend: true", 0, False),
        ("replicas: 3\nnumOfHosts: 0", 0, False),
    ],
)
def test_pods(more: str, pods: int, can_exist: bool) -> None:
    _, workers = offered(group("{}", more=more))
    assert (workers.pods, workers.can_exist) == (pods, can_exist)


def test_room() -> None:
    demand = Demand({"CPU": 3})
    assert room_for(demand, offered(PLAIN)) == 4
    assert room_for(demand, offered(PLAIN), 1) == 2
    assert room_for(Demand({"TPU": 1}), offered(PLAIN)) is None
    assert room_for(Demand({"TPU": 1}), offered(PLAIN), 1) == 3
    assert room_for(demand, offered(group("{}"))) is None
    assert room_for(demand, offered(group("{}", more="replicas: 0"))) == 0
    assert room_for(demand, offered(group('{limits: {cpu: "4"}}', more="replicas: !!str x"))) is None


def test_actor_options() -> None:
    plain = Demand.of_actor({"num_gpus": 1, "memory": 100, "resources": {"disk": 2}})
    assert plain is not None
    assert plain.amounts == {"disk": 2, "CPU": 1, "GPU": 1, "memory": 100}
    none = Demand.of_actor({"num_cpus": 0})
    assert none is not None
    assert str(none) == "nothing"
    assert Demand.of_actor({"num_cpus": "1"}) is None
    assert Demand.of_actor({"num_cpus": True}) is None
    assert Demand.of_actor({"resources": ["disk"]}) is None
    assert Demand.of_bundle(["CPU"]) is None


def test_demands_add_up() -> None:
    both = Demand({"CPU": 1, "GPU": 1}) + Demand({"CPU": 2, "disk": 1})
    assert both.amounts == {"CPU": 3, "GPU": 1, "disk": 1}
    assert str(both) == "3 CPUs and 1 GPU and 1 of 'disk'"
    assert amount_text("memory", 3 << 29) == "1.5 GiB of memory"


@given(st.dictionaries(st.sampled_from(["CPU", "GPU", "disk"]), st.floats(0, 64, allow_nan=False), max_size=3))
def test_what_fits_is_never_lacking(amounts: dict[str, float]) -> None:
    _, workers = offered(PLAIN)
    demand = Demand(amounts)
    assert (workers.holds(demand) == 0) == bool(workers.lacks(demand))
