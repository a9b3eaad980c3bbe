"""What becomes of texts in a runtime environment: a shell expands them, pip reads them in another directory."""

from __future__ import annotations

from raylint.manifest import RayJob
from raylint.rule import Confidence, Problem, Severity, unsafe

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.finding import Path
    from raylint.narrow import OddEnvironments
    from raylint.rule import Problems, Repair
    from raylint.runtime_environments import Environment
    from raylint.target import Version

MENTIONS = ("runtimeEnvYAML", "runtime_env")

__all__ = [
    "runtime_env_expanded_by_shell",
    "runtime_env_pins_ray",
    "runtime_env_requirement_is_path",
    "runtime_env_variable_out_of_place",
]

_CREATED_DIRECTORY = "${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}"
# The first release that fills it in.
_FILLED_IN_SINCE = (2, 10)


def _texts(value: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))


@looks_into("RAY504", Severity.WARNING, "runtimeEnvYAML")
def runtime_env_expanded_by_shell(job: RayJob) -> Problems:
    """A `$NAME` or backtick in `runtimeEnvYAML` is expanded in the submitter, not where the job runs.

    ## What it flags
    Texts in `runtimeEnvYAML` of a RayJob in K8sJobMode or SidecarMode that hold `$NAME`, `${NAME}`, `$(command)`,
    `$1` and the like, or a backtick.

    It stays silent in HTTPMode and InteractiveMode, and where the submitter has a command of its own: no shell
    reads the text there. A `$` that a shell leaves alone, such as in `100$`, is fine.

    ## What happens
    KubeRay writes the environment as JSON in double quotes on a shell line. The shell of the submitter puts its
    own value in: `$HOME/data` becomes `/home/ray/data`, a variable that only the cluster has becomes nothing, a
    command in backticks is run. The job then sees another text than the one in the file.

    ## Versions
    All KubeRay releases with these modes.

    ## Fix
    Write the value itself. What only the pods know belongs into `env` of the Ray containers. A literal `$` cannot
    be written in these modes; use HTTPMode.

    ## When to ignore it
    When the submitter's own value is what you want.

    ## Source
    ray-project/kuberay v1.7.0, `common/job.go`; recorded with the operator's own quoting and bash.

    ## Examples
    ```yaml bad env
    env_vars:
      DATA: $HOME/data  # <-
      STAMP: "`date`"  # <-
    ```

    ```yaml bad job
    submissionMode: SidecarMode
    runtimeEnvYAML: |
      pip:
      - torch
      - ${EXTRA_PACKAGE}  # <-
    ```

    ```yaml good env
    env_vars: {DATA: /home/ray/data}
    ```

    No shell reads it here, and this sign stands for itself:

    ```yaml good near-miss job
    submissionMode: HTTPMode
    runtimeEnvYAML: |
      env_vars: {DATA: $HOME/data}
    ```

    ```yaml good near-miss env
    env_vars: {PRICE: "100$", LIMIT: "5 $ a day"}
    ```
    """
    from raylint.runtime_environments import passes_a_shell
    from raylint.shell_words import marks

    document, env = job.runtime_env_document, job.runtime_env
    if document is None or env is None or not passes_a_shell(job):
        return
    for path, text in _texts(env):
        if "$" not in text and "`" not in text:
            continue
        # Within the double quotes nothing else means anything, and JSON doubles a backslash.
        quoted = text.replace('"', " ").replace("\\", " ")
        found = next((mark for mark in marks(f'"{quoted}"') if mark.text != '"'), None)
        if found is not None:
            yield Problem(
                document.at(*path),
                f"the submitter's shell expands {found.text} before the job gets to see it",
                label="a shell reads this",
                effect="the text becomes what the submitter pod has for it, often nothing, and no message says so",
                fix="write the value itself, or set the variable in env of the Ray containers",
            )


@looks_into("RAY505", Severity.WARNING, reports=("FR-128",), fixes="unsafe")
def runtime_env_requirement_is_path(found: OddEnvironments) -> Problems:
    """A relative path among the packages: pip and uv look for it in a directory that you do not know.

    ## What it flags
    Entries of `pip` or `uv` in `runtimeEnvYAML` and in the runtime environments of `serveConfigV2` that begin with
    `./`, `../` or `-r` and a relative path, `-e` and `-c` included.

    `-f https://...`, `--index-url` and other options are fine, and so is
    `-r ${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}/requirements.txt` in a Serve configuration, which Ray fills in.

    ## What happens
    Ray writes the entries into a requirements file of its own on each node and installs from there. The path is
    looked for beside that file, not in `working_dir`: `Could not open requirements file`, and every task, actor or
    replica that needs the environment fails.

    ## Versions
    All Ray releases.

    ## Fix
    List the packages themselves, or bake them into the image. In a Serve configuration write
    `${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}/` before the path (Ray 2.10 and later).

    ## When to ignore it
    Never known to be right.

    ## Source
    Ray 2.60.0, `_private/runtime_env/pip.py`, `uv.py`; ray-project/kuberay#2351.

    ## Examples
    ```yaml bad serve
    applications:
    - import_path: rank:app
      runtime_env:
        working_dir: https://files.example.com/rank.zip
        pip:
        - -r ./requirements.txt  # <-
        - ./vendored/tool  # <-
    ```

    ```yaml bad env
    uv:
      packages:
      - -r requirements.txt  # <-
    ```

    ```yaml good env
    pip: [requests, "torch==2.4.0"]
    ```

    ```yaml good near-miss serve
    applications:
    - import_path: rank:app
      runtime_env:
        working_dir: https://files.example.com/rank.zip
        pip:
        - -r ${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}/requirements.txt
        - -f https://files.example.com/wheels.html
    ```
    """
    filled_in = found.ray_version is not None and found.ray_version >= _FILLED_IN_SINCE
    for environment in found.runtime_environments:
        for key in ("pip", "uv"):
            for steps, text in environment.packages(key):
                if _is_relative(text):
                    # A job's environment may go through a shell.
                    can_say = filled_in and environment.job is None and key == "pip"
                    meant = _in_working_dir(text) if can_say and "working_dir" in environment.data else ""
                    yield Problem(
                        environment.at(*steps),
                        f"{key} looks for {text!r} beside a file of its own, not in working_dir",
                        label="a relative path",
                        effect="no node finds the file, and whatever needs the environment fails to start",
                        fix="list the packages themselves, or bake them into the image",
                        repair=unsafe(environment.at(*steps).set(meant)) if meant else None,
                    )


def _in_working_dir(text: str) -> str:
    """The entry with its path below the directory that Ray makes of ``working_dir``; empty where it has another
    form."""
    option, blank, path = text.strip().rpartition(" ")
    if "=" in path or path.startswith("../") or " " in option:
        return ""
    return f"{option}{blank}{_CREATED_DIRECTORY}/{path.removeprefix('./')}"


def _is_relative(text: str) -> bool:
    option, _, path = text.strip().partition(" ")
    if option.startswith(("./", "../")):
        return True
    for name in ("-r", "-e", "-c", "--requirement", "--editable", "--constraint"):
        if option == name:
            path = path.strip()
        elif option.startswith(f"{name}="):
            path = option[len(name) + 1 :]
        else:
            continue
        return bool(path) and not path.startswith(("/", "$")) and "://" not in path and "@" not in path
    return False


@looks_into("RAY506", Severity.WARNING, reports=("FR-098",), fixes="unsafe")
def runtime_env_variable_out_of_place(found: OddEnvironments) -> Problems:
    """`${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}` where Ray does not fill it in.

    ## What it flags
    This variable under `uv`, in `env_vars`, or anywhere else but in `pip`, in `runtimeEnvYAML` and in the runtime
    environments of `serveConfigV2`. In a RayJob that goes through a shell RAY504 says more.

    ## What happens
    Ray sets the variable for pip alone, which fills it in when it reads the requirements. Elsewhere the text stays
    as it is: uv looks for a file of that literal name, a variable holds a dollar sign and braces.

    ## Versions
    Ray 2.10 and later.

    ## Fix
    Use it in `pip`, or name paths that the image holds.

    ## When to ignore it
    When your code expands the variable itself.

    ## Source
    Ray 2.60.0, `_private/runtime_env/pip.py`; ray-project/ray#59343.

    ## Examples
    ```yaml bad serve
    applications:
    - import_path: rank:app
      runtime_env:
        working_dir: https://files.example.com/rank.zip
        uv: ["-r ${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}/requirements.txt"]  # <-
    ```

    ```yaml bad job
    submissionMode: HTTPMode
    runtimeEnvYAML: |
      working_dir: https://files.example.com/train.zip
      env_vars:
        PYTHONPATH: ${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}/lib  # <-
    ```

    ```yaml good serve
    applications:
    - import_path: rank:app
      runtime_env:
        working_dir: https://files.example.com/rank.zip
        pip: ["-r ${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}/requirements.txt"]
    ```

    ```yaml good near-miss serve
    applications:
    - import_path: rank:app
      runtime_env: {env_vars: {PYTHONPATH: "${PYTHONPATH}:/app"}}
    ```
    """
    from raylint.runtime_environments import passes_a_shell

    for environment in found.runtime_environments:
        if environment.job is not None and passes_a_shell(environment.job):
            continue
        for path, text in _texts(environment.data):
            if _CREATED_DIRECTORY in text and path[0] != "pip":
                yield Problem(
                    environment.at(*path),
                    f"{path[0]} holds {_CREATED_DIRECTORY}, which Ray fills in for pip alone",
                    effect="the text is used as it stands: the file is not found, the variable holds braces",
                    fix="use it in pip, or name a path that the image holds",
                    repair=_with_pip(environment) if path[0] == "uv" else None,
                )


def _with_pip(environment: Environment) -> Repair | None:
    """The same list for pip, where nothing else installs packages."""
    others = "pip" in environment.data or "conda" in environment.data
    is_list = isinstance(environment.data["uv"], list)
    return unsafe(environment.at("uv").rename("pip")) if is_list and not others else None


@looks_into("RAY507", Severity.WARNING, confidence=Confidence.MEDIUM)
def runtime_env_pins_ray(found: OddEnvironments) -> Problems:
    """Another Ray among the packages of a runtime environment than the one that the cluster runs.

    ## What it flags
    An entry `ray==VERSION` of `pip`, `uv` or a conda map's `pip` in a runtime environment whose version is not
    that of the cluster. `ray[serve]` without a version is fine: Ray puts its own in.

    It stays silent where the cluster's Ray version is unknown.

    ## What happens
    The packages go into an environment of their own in front of the cluster's. Workers then start with another Ray
    than their raylet and end at once, or die on a protocol that they do not speak: tasks are retried for ever and
    the driver hangs.

    ## Versions
    All Ray releases.

    ## Fix
    Remove Ray from the list; the cluster brings it.

    ## When to ignore it
    When the versions differ in a suffix alone.

    ## Source
    Ray 2.60.0, `_private/runtime_env/pip.py`, `dependency_utils.py` (a check that Ray was not replaced).

    ## Examples
    ```yaml bad env
    pip:
    - ray==2.9.3  # <-
    - requests
    ```

    ```yaml bad serve
    applications:
    - import_path: rank:app
      runtime_env:
        pip:
          packages:
          - ray[serve]==2.51.1  # <-
    ```

    ```yaml good env
    pip: ["ray[data]", requests]
    ```

    ```yaml good near-miss env
    pip: ["ray==2.60.0", "raytracing==1.0", "ray-lightning==0.3"]
    ```

    Nothing tells which Ray this image holds:

    ```yaml good near-miss job
    runtimeEnvYAML: |
      pip: ["ray==2.9.3"]
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "registry.example.com/train:blue"}]}}
    ```
    """
    version = found.ray_version
    if version is None:
        return
    for environment in found.runtime_environments:
        for key in ("pip", "uv"):
            for steps, text in environment.packages(key):
                pinned = _pinned_ray(text)
                if pinned is not None and pinned != version[: len(pinned)] and version != pinned[: len(version)]:
                    yield Problem(
                        environment.at(*steps),
                        f"the package {text!r} puts another Ray in front of the cluster's own",
                        effect="workers start with another Ray than their node and end at once; what needs the"
                        " environment hangs",
                        fix="remove Ray from the packages; the cluster brings it",
                    )


def _pinned_ray(text: str) -> Version | None:
    from raylint.target import parse_version

    name, sign, wanted = text.replace(" ", "").partition("==")
    if not sign or name.partition("[")[0].lower() != "ray":
        return None
    return parse_version(wanted)
