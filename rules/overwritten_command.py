"""Commands of containers whose start an annotation takes from KubeRay."""

from __future__ import annotations

from raylint.field import Field, Origin
from raylint.group import Group
from raylint.rule import Confidence, Location, Severity, rule, unsafe

from .ray_command import GENERATED, OVERWRITE, START, is_overwritten, joined, last_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.rule import Problems, Repair

MENTIONS = ("ray.io/overwrite-container-cmd",)

# Programs of a shell's daily life, and those that get an image ready: none of them starts Ray.
_IDLE = (
    *("bash", "cat", "cd", "chmod", "chown", "cp", "date", "echo", "env", "export", "false", "git", "ln", "ls"),
    *("mkdir", "mv", "pip", "pip3", "printenv", "pwd", "rm", "set", "sh", "sleep", "tail", "touch", "true"),
    *("ulimit", "wait", "while"),
)
_EVALUATED = rf'\1\2eval "${GENERATED}"'
_SHELLS = ("/bin/bash", "/bin/sh", "bash", "sh")


@rule("RAY333", Severity.ERROR, kuberay="1.1..", confidence=Confidence.MEDIUM, reports=("FR-052",))
def overwritten_command_without_ray(group: Group) -> Problems:
    """The annotation takes the start from KubeRay, and the container's own command does not start Ray.

    ## What it flags
    `ray.io/overwrite-container-cmd: "true"` on the object or the pod template, while `command` and `args` of the
    Ray container neither use `KUBERAY_GEN_RAY_START_CMD` nor contain `ray start` nor call any program or script
    that could do so. Without command and args: where the image is an official one, whose own command is a shell.

    It stays silent for scripts, programs by path and variables: they may well start Ray.

    ## What happens
    The pod runs, or ends at once, and no Ray process is in it. The head never becomes ready, workers wait for
    ever.

    ## Versions
    KubeRay 1.1 and later; earlier releases do not know the annotation.

    ## Fix
    End the command with `$KUBERAY_GEN_RAY_START_CMD` (`ulimit -n 65536; eval "$KUBERAY_GEN_RAY_START_CMD"`), or
    remove the annotation.

    ## When to ignore it
    When something else starts Ray in the container, such as an operator of yours.

    ## Source
    ray-project/kuberay v1.7.0, `common/pod.go` (`BuildPod`); ray-project/kuberay#1704.

    ## Examples
    ```yaml bad
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
              args: ["ulimit -n 65536; pip install -r /app/requirements.txt && sleep infinity"]  # <-
    ```

    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/overwrite-container-cmd: "TRUE"}
    spec:
      headGroupSpec:
        template:
          spec:
            containers:
            - name: ray-head  # <-
              image: rayproject/ray:2.52.0
    ```

    ```yaml good
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
              args: ['ulimit -n 65536; eval "$KUBERAY_GEN_RAY_START_CMD"']
    ```

    A script may start Ray:

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
              command: ["/bin/bash", "/scripts/start.sh"]
    ```

    A script through a pipe, which may start Ray as well:

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
              command: ["/bin/bash", "-c", "cat /scripts/start.sh | bash"]
    ```
    """
    if not group.pod.containers or not group.cluster.is_built or not is_overwritten(group):
        return
    text = joined(group)
    if text and not _starts_nothing(text):
        return
    image = group.ray_container.image
    if not text and (image is None or not image.is_ray):
        return
    place = last_word(group) if text else group.ray_container.string("name")
    yield place.flag(
        f"nothing starts Ray in the {group.title}: KubeRay leaves its command alone, which has no ray start",
        label="no ray start here",
        effect="the pod has no Ray in it; a head never becomes ready, workers never join",
        fix=f'run eval "${GENERATED}" at the end of the command, or remove the annotation {OVERWRITE}',
    )


def _starts_nothing(joined: str) -> bool:
    """Are all its programs known, and none of them able to start Ray?"""
    if START in joined or "$" in joined or "`" in joined or "{{" in joined:
        return False
    if any(part.lstrip().startswith(_SHELLS) for part in joined.split("|")[1:]):
        return False  # a shell that reads a script from a pipe
    text = joined
    for mark in (";", "&", "|", "\n", "(", ")"):
        text = text.replace(mark, " ; ")
    programs, expect = [], True
    for word in text.split():
        if word == ";":
            expect = True
        elif word in _SHELLS or word.startswith("-"):
            continue
        elif expect:
            programs.append(word)
            expect = word in ("do", "env", "then", "while", "else")
    return all(word in (*_IDLE, "do", "done", "then", "else") for word in programs)


@rule("RAY334", Severity.WARNING, kuberay="1.1..", reports=("FR-049",), fixes="unsafe")
def generated_command_split(group: Group) -> Problems:
    """An unquoted `$KUBERAY_GEN_RAY_START_CMD` is split at blanks, and its quotes reach Ray as they are.

    ## What it flags
    A container with `ray.io/overwrite-container-cmd: "true"` that runs `$KUBERAY_GEN_RAY_START_CMD` without
    `eval`, while a value of `rayStartParams` depends on the shell: JSON in quotes, a text with a blank.

    ## What happens
    Bash replaces an unquoted variable, splits the outcome at blanks and reads no quotes in it. `--resources='{"A":
    1}'` becomes `--resources='{"A":` and `1}'`, and `ray start` ends with "Got unexpected extra argument". Without
    blanks the single quotes become part of the JSON, which Ray cannot read either.

    ## Versions
    KubeRay 1.1 and later.

    ## Fix
    Write `eval "$KUBERAY_GEN_RAY_START_CMD"`.

    ## When to ignore it
    Never, if the value is meant to reach Ray.

    ## Source
    ray-project/kuberay#3756; ray-project/kuberay v1.7.0, `common/pod.go`.

    ## Examples
    ```yaml bad
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/overwrite-container-cmd: "true"}
    spec:
      headGroupSpec:
        rayStartParams:
          resources: '''{"slot": 4}'''  # <-
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              command: ["/bin/bash", "-c", "--"]
              args: ["ulimit -n 65536; $KUBERAY_GEN_RAY_START_CMD"]
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
        rayStartParams:
          labels: '"zone=a,tier=gold x"'  # <-
        template:
          metadata:
            annotations: {ray.io/overwrite-container-cmd: "true"}
          spec:
            containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              command: ["/bin/bash", "-c", "$KUBERAY_GEN_RAY_START_CMD"]
    ```

    ```yaml good
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/overwrite-container-cmd: "true"}
    spec:
      headGroupSpec:
        rayStartParams:
          resources: '''{"slot": 4}'''
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              command: ["/bin/bash", "-c", "--"]
              args: ['ulimit -n 65536; eval "$KUBERAY_GEN_RAY_START_CMD"']
    ```

    Nothing in the line depends on the shell:

    ```yaml good near-miss
    apiVersion: ray.io/v1
    kind: RayCluster
    metadata:
      name: trainer
      annotations: {ray.io/overwrite-container-cmd: "true"}
    spec:
      headGroupSpec:
        rayStartParams: {num-cpus: "0"}
        template:
          spec:
            containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              command: ["/bin/bash", "-c", "--"]
              args: ["ulimit -n 65536; $KUBERAY_GEN_RAY_START_CMD"]
    ```
    """
    text = joined(group)
    if GENERATED not in text or "eval" in text or not group.start_params.data or not is_overwritten(group):
        return
    if not group.cluster.is_built:
        return
    from raylint.ray_start import Line
    from raylint.ray_start_verdict import QUOTED, judge, start_command

    from .start_line import option_at

    line = Line(start_command(group), is_head=group is group.cluster.head, re_split=True)
    seen: set[str] = set()
    for fault in judge(group, line):
        option = fault.options[0]
        if fault.kind not in QUOTED or option in seen:
            continue
        seen.add(option)
        yield Field(None, Origin.WRITTEN, option_at(group, option)).flag(
            f"option {option!r} is taken apart: ${GENERATED} is not under eval, so its quotes are no quotes",
            label="depends on the shell",
            because=[(last_word(group).at, "runs the line without eval")],
            effect=f'ray start ends with "{fault.log}" or does not see the value',
            fix=f'write eval "${GENERATED}"',
            repair=_under_eval(group),
        )


def _under_eval(group: Group) -> Repair | None:
    """Evaluate the line, where it is a command of its own in a word of one line."""
    import re

    container = group.ray_container
    start = r"(\A|;|&&|\|\|)(\s*)"
    variable = rf"\$(?:{GENERATED}\b|\{{{GENERATED}\}})"
    parts = [*container.parts("command"), *container.parts("args")]
    path, word = next((path, word) for path, word in parts if isinstance(word, str) and GENERATED in word)
    evaluated, count = re.subn(rf'{start}(?:"{variable}"|{variable})(?=\s*(?:\Z|[;&|]))', _EVALUATED, word)
    if count != joined(group).count(GENERATED) or "\n" in word:
        return None
    return unsafe(Location(container.document, path).set(evaluated))
