"""Commands of the Ray container that stand in the way of the ``ray start`` that KubeRay writes."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Severity, rule

from .ray_command import GENERATED, OVERWRITE, START, is_overwritten, joined, last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems

MENTIONS = ("command", "args")

_NEVER_END = ("sleep infinity", "sleep inf", "tail -f", "while true", "while :")


@rule("RAY331", Severity.WARNING, reports=("FR-050",))
def own_ray_start(group: Group) -> Problems:
    """A command with `ray start` in it: KubeRay stands back, and `rayStartParams` count for nothing.

    ## What it flags
    The words `ray start` in `command` or `args` of the Ray container, without the annotation
    `ray.io/overwrite-container-cmd: "true"`.

    ## What happens
    KubeRay runs the container's own command and nothing else. `rayStartParams`, CPUs, memory and GPUs derived from
    the limits, the metrics and agent ports, `--block` and the address of the head are all missing unless the
    command has them; without `--block` the container ends at once.

    ## Versions
    All.

    ## Fix
    Remove the command; put options into `rayStartParams`, preparations into an init container. If the start must
    be your own, say so with the annotation and use `$KUBERAY_GEN_RAY_START_CMD`, which holds KubeRay's line.

    ## When to ignore it
    When the command is complete and nothing in `rayStartParams` is meant to count.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`BuildPod`); ray-project/kuberay#917.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              command: ["/bin/bash", "-c"]
              args: ["ray start --head --port=6379 --block"]  # <-
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              command: ["bash", "-c", "pip install x && ray start --address=$RAY_ADDRESS --block"]  # <-
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
    ```

    The annotation says that it is meant:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/overwrite-container-cmd: "true"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              command: ["/bin/bash", "-c", "--"]
              args: ["ray start --head --block"]
    ```
    """
    if not group.cluster.is_built or START not in joined(group) or is_overwritten(group):
        return
    yield last_word(group).flag(
        f"the command of the {group.title} contains 'ray start': KubeRay adds nothing, rayStartParams are ignored",
        label="KubeRay leaves this alone",
        effect="options, CPUs, memory, GPUs and ports that KubeRay would pass are missing; without --block the"
        " container ends",
        fix=f"remove the command, or set the annotation {OVERWRITE} and use ${GENERATED}",
    )


@rule("RAY332", Severity.ERROR, reports=("FR-051",))
def command_before_ray_never_ends(group: Group) -> Problems:
    """KubeRay runs a container's own command before `ray start`: one that never ends keeps Ray from starting.

    ## What it flags
    A `command` or `args` of the Ray container, without `ray start` and without the annotation
    `ray.io/overwrite-container-cmd: "true"`, that
    - never ends: `sleep infinity`, `tail -f`, `while true`, `exec`;
    - cannot be followed by `&&`: it ends in `;`, `&`, `|` or a line break (a block scalar with `|`), or has quotes
      that are not closed.

    ## What happens
    KubeRay joins the words and writes `<your command> && ulimit -n 65536; ray start ...` into one line of bash.
    After a command that never ends nothing comes. With `;` or a line break before `&&` the line is a syntax error:
    bash runs nothing behind it, the container ends with code 2 and crash-loops.

    ## Versions
    All.

    ## Fix
    Let the command end: no line break at its end (`>-` or `|-` instead of `|`), no `exec`. Something that must run
    beside Ray goes to the background in parentheses, `(tail -f x &)`, or into a sidecar.

    ## When to ignore it
    Never.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`BuildPod`); ray-project/kuberay#2767, #1560.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              command: ["sleep", "infinity"]  # <-
    ```

    The block ends in a line break:

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "rayproject/ray:2.52.0"}]}}
      workerGroupSpecs:
      - groupName: cpu
        template:
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              args:
              - |  # <-
                echo preparing
                nvidia-smi
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              command: ["echo preparing"]
    ```

    In the background, and nothing left at the end of the block:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata: {name: trainer}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              args:
              - |-
                (tail -f /var/log/setup.log &)
                echo ready
    ```
    """
    text = joined(group)
    if not text or not group.cluster.is_built or START in text or is_overwritten(group) or "{{" in text:
        return
    what = _syntax_fault(text) or _endless(text)
    if what:
        yield last_word(group).flag(
            f"the command of the {group.title} {what}, and ray start, which KubeRay puts behind it, never runs",
            label="runs before ray start",
            effect="the pod runs or crash-loops without Ray; workers wait for the head for ever",
            fix="let the command end without a line break, ; or &, or remove it",
        )


def _syntax_fault(joined: str) -> str:
    """Why bash cannot read the joined words with ``&&`` behind them; empty where it can."""
    stripped = joined.rstrip(" \t")
    if stripped.endswith("\n"):
        return "ends in a line break, after which && is a syntax error"
    if stripped.endswith((";", "&", "|")):
        return f"ends in {stripped[-1]!r}, after which && is a syntax error"
    from raylint.shell import command  # few containers have a command

    fault = command(joined).fault
    return "has quotes that are not closed" if fault.startswith("unexpected EOF") else ""


def _endless(joined: str) -> str:
    text = " ".join(joined.split())
    for marker in _NEVER_END:
        start = text.find(marker)
        if start >= 0 and "&" not in text[start:].replace("&&", ""):
            return f"never ends ({marker})"
    first = text.partition(" ")[0]
    return "replaces the shell (exec)" if first == "exec" and "&" not in text.replace("&&", "") else ""
