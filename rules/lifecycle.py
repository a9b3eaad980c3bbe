"""A hook before the stop that does what happens anyway."""

from __future__ import annotations

from raylint.group import Group
from raylint.rule import Problem, Severity, safe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.field import View
    from raylint.rule import Problems

__all__ = ["stop_hook_needless"]

MENTIONS = ("preStop",)


@looks_into("RAY709", Severity.INFO, reports=("FR-113",), fixes="safe")
def stop_hook_needless(group: Group) -> Problems:
    """A `preStop` hook that runs `ray stop`: copied from old samples, and of no use.

    ## What it flags
    A `preStop` of the Ray container whose command runs `ray stop`.

    It stays silent about hooks that do anything else.

    ## What happens
    The container's main process is `ray start --block`, which ends Ray on SIGTERM by itself. The hook costs the
    time that it takes from the grace period, and kills tasks that a drain would have let finish.

    ## Versions
    All KubeRay releases.

    ## Fix
    Delete the hook.

    ## When to ignore it
    When your image starts Ray in another way.

    ## Source
    ray-project/kuberay#2606.

    ## Examples
    ```yaml bad worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          lifecycle:
            preStop:  # <-
              exec: {command: ["/bin/sh", "-c", "ray stop"]}
    ```

    ```yaml bad cluster
    headGroupSpec:
      template:
        spec:
          containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            lifecycle:
              preStop:  # <-
                exec: {command: [ray, stop, --force]}
    ```

    ```yaml good worker
    template: {spec: {containers: [{name: ray-worker, image: "rayproject/ray:2.60.0"}]}}
    ```

    ```yaml good near-miss worker
    template:
      spec:
        containers:
        - name: ray-worker
          image: rayproject/ray:2.60.0
          lifecycle:
            preStop: {exec: {command: ["/bin/sh", "-c", "sleep 15; ray status; touch /tmp/stop"]}}
    ```
    """
    container = group.ray_container
    hook = container.part("lifecycle").part("preStop")
    command = hook.part("exec").strings("command")
    if group.cluster.is_built and "ray stop" in " ".join(command):
        yield Problem(
            hook.at.key(),
            f"the hook of the {group.title} runs ray stop, which ray start --block does itself on SIGTERM",
            label="of no use",
            effect="it takes its time from the grace period, and ends tasks that could have finished",
            fix="delete the preStop hook",
            repair=safe(_outermost(container.part("lifecycle"), hook).at.delete())
            if _only_stops(command)
            else None,
        )


def _only_stops(command: tuple[str, ...]) -> bool:
    return command[-1].split() in (["ray", "stop"], ["ray", "stop", "--force"]) or command == ("ray", "stop")


def _outermost(lifecycle: View, hook: View) -> View:
    """The hook, or what holds nothing else."""
    return hook if len(lifecycle.data) > 1 else lifecycle
