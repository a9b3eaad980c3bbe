"""Runtime environments that Ray refuses, in a RayJob's ``runtimeEnvYAML``, and keys that mean nothing to it."""

from __future__ import annotations

from raylint.manifest import RayJob, RayObject
from raylint.rule import Problem, Severity, unsafe
from raylint.target import version_text

from .inner_page import looks_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from raylint.narrow import OddEnvironments
    from raylint.ray_release import Fault
    from raylint.rule import Problems
    from raylint.runtime_environments import Environment

MENTIONS = ("runtimeEnvYAML", "runtime_env")

__all__ = ["runtime_env_key_unknown", "runtime_env_path_missing", "runtime_env_refused"]


def _ray(found: RayObject) -> str:
    version = found.ray_version
    return f"Ray {version_text(version)}" if version is not None else "all Ray releases"


@looks_into("RAY501", Severity.ERROR, "runtimeEnvYAML")
def runtime_env_refused(job: RayJob) -> Problems:
    """A runtime environment that Ray refuses: the job fails before its first line runs.

    ## What it flags
    In `runtimeEnvYAML`, as the Ray release in force sees it: `env_vars` that are not text (`FOO: 1` and an
    unquoted `yes` are not), pip together with conda or uv, unknown keys below `pip` and `uv`, wrong types,
    archives that do not end in `.zip` (from 2.60 also `.tar.gz`, `.tgz`, `.tar.xz`), addresses of a scheme that
    Ray does not fetch from, `container` and `image_uri` together with other keys, a timeout of 0. In HTTPMode also
    every local path.

    Paths that must exist where the job is submitted are another rule's (RAY503). It stays silent in
    InteractiveMode and where the submitter has a command of its own: the operator passes nothing on there.

    ## What happens
    In K8sJobMode and SidecarMode `ray job submit` ends with a Python exception, the submitter is tried again and
    fails again, and the RayJob ends as failed. In HTTPMode the server takes the job, and its supervisor fails.

    The words of Ray: `runtime_env['env_vars'] must be of type Dict[str, str]`, `The 'pip' field, 'uv' field, and
    'conda' field of runtime_env cannot be specified at the same time`, `Only .zip or .whl files supported for
    remote URIs`, `is not a valid URI. Passing directories or modules to be dynamically uploaded is only supported
    at the job level`, `runtime_env['pip'] can only have these fields`.

    ## Versions
    All Ray releases; where they differ the message holds for the one in force, and of an unknown release only what
    all refuse is reported. Ray 2.9 knows neither `uv` nor `image_uri`.

    ## Fix
    As the message says; quotes make text of a number or of `yes`.

    ## When to ignore it
    Never; the job cannot start.

    ## Source
    Ray 2.60.0, `runtime_env/runtime_env.py`, `_private/runtime_env/validation.py`,
    `dashboard/modules/job/sdk.py`; checked with 2.9.3, 2.40.0, 2.51.1 and 2.60.0.

    ## Examples
    ```yaml bad env
    pip: [requests]
    conda: base  # <-
    env_vars:
      WORKERS: 4  # <-
      DEBUG: yes  # <-
    ```

    ```yaml bad env
    working_dir: https://git.example.com/team/train  # <-
    pip:
      packages: [requests]
      index_url: https://pypi.example.com  # <-
    ```

    Over HTTP there is nobody who could upload a directory:

    ```yaml bad job
    submissionMode: HTTPMode
    runtimeEnvYAML: |
      working_dir: ./code  # <-
    ```

    ```yaml good env
    pip: [requests]
    working_dir: https://files.example.com/train.zip
    env_vars: {WORKERS: "4", DEBUG: "yes"}
    config: {setup_timeout_seconds: 1200}
    ```

    A query after the archive's name is fine, and a null counts as not written:

    ```yaml good near-miss env
    working_dir: https://files.example.com/train.zip?signature=abc
    pip: [requests]
    conda:
    ```
    """
    for environment in job.runtime_environments:
        for fault in environment.faults:
            if fault.kind == "fails":
                yield Problem(
                    environment.document.at(*fault.path),
                    f"{fault.message}: the job cannot start",
                    effect=_failure(environment, job),
                    fix=fault.fix,
                )


def _failure(environment: Environment, found: RayObject) -> str:
    job = environment.job
    if job is not None and job.submission_mode.value == "HTTPMode":
        return f"the server takes the job, then its supervisor fails and the RayJob ends as failed ({_ray(found)})"
    return (
        f"`ray job submit` ends with an exception, is tried again, and the RayJob ends as failed ({_ray(found)})"
    )


@looks_into("RAY502", Severity.WARNING, fixes="unsafe")
def runtime_env_key_unknown(found: OddEnvironments) -> Problems:
    """A key of a runtime environment that Ray does not know: it is passed over.

    ## What it flags
    Keys at the top of `runtimeEnvYAML` or of a `runtime_env` in `serveConfigV2`, and below its `config`, that the
    Ray release in force does not have: misspelt ones, camelCase ones, those of a newer or older Ray.

    Ray takes an unknown key for the name of a plugin. Where a container's environment has
    `RAY_RUNTIME_ENV_PLUGINS`, and for a Ray that is newer than raylint knows, it reports only keys that are close
    to one of Ray's own.

    ## What happens
    The environment is accepted and built without the key: packages are not installed, variables are not set, and
    the job fails later on an import, or runs with other values.

    ## Versions
    All Ray releases. `uv` is known from 2.40 on, `image_uri` from 2.24, `py_executable` from 2.43; `docker` went
    before 2.49, `mpi` before 2.51.

    ## Fix
    Write the key as the message says, or remove it.

    ## When to ignore it
    When a plugin of that name is installed in the image by other means.

    ## Source
    Ray 2.60.0, `runtime_env/runtime_env.py` (`known_fields`), `_private/runtime_env/plugin.py`.

    ## Examples
    ```yaml bad env
    pipp: [requests]  # <-
    envVars: {MODE: live}  # <-
    ```

    ```yaml bad serve
    applications:
    - import_path: rank:app
      runtime_env:
        workingDir: https://files.example.com/rank.zip  # <-
        setup_timeout_seconds: 1200  # <-
    ```

    ```yaml good env
    pip: [requests]
    env_vars: {MODE: live}
    config: {setup_timeout_seconds: 1200}
    ```

    What stands in `env_vars` is the job's own:

    ```yaml good near-miss env
    env_vars: {envVars: a, workingDir: b}
    conda: {dependencies: [numpy, {pip: [requests]}]}
    ```
    """
    from raylint.ray_release import is_newer_than_known

    for environment in found.runtime_environments:
        for fault in environment.faults:
            if fault.kind != "unknown":
                continue
            name = str(fault.path[-1])
            in_config = len(fault.path) - len(environment.path) > 1
            note, fix, likely = _hint(name, found, in_config=in_config)
            meant = _meant(name, in_config=in_config)
            if not likely and (_has_plugins(found) or is_newer_than_known(found.ray_version)):
                continue
            yield Problem(
                environment.document.at(*fault.path).key(),
                f"the key {name!r} means nothing to Ray: {note}",
                label="taken for the name of a plugin" if not in_config else "passed over",
                effect=f"the environment is built without it, and nothing says so ({_ray(found)})",
                fix=fix,
                repair=unsafe(environment.document.at(*fault.path).rename(meant)) if meant else None,
            )


def _hint(name: str, found: RayObject, *, in_config: bool) -> tuple[str, str, bool]:
    """A note, what to do, and whether one of Ray's own keys is meant."""
    from raylint.runtime_env import CONFIG_KEYS, KNOWN

    if not in_config and name in KNOWN:
        return f"{_ray(found)} does not have it", f"remove {name}, or use a Ray that has it", True
    if not in_config and name in CONFIG_KEYS:
        return "it belongs below config", f"move {name} below config", True
    meant = _meant(name, in_config=in_config)
    if meant:
        return f"did you mean {meant}?", f"write {meant} instead of {name}", True
    return "it has no such key", f"remove {name}, or check its spelling", False


def _meant(name: str, *, in_config: bool) -> str:
    """The key of the same mapping that was meant; ``""``: no idea."""
    from raylint.runtime_env import CONFIG_KEYS, KNOWN, MEANT
    from raylint.schema_hints import distance

    if not in_config and (name in KNOWN or name in CONFIG_KEYS):
        return ""
    letters = "".join(letter for letter in name.lower() if letter.isalnum())
    keys = CONFIG_KEYS if in_config else tuple(KNOWN)
    alias = MEANT.get(letters, "")
    near = min((distance(letters, key.replace("_", ""), 2), key) for key in keys if key[0] != "_")
    return alias if alias in keys else near[1] if near[0] <= (1 if len(letters) < 6 else 2) else ""


def _has_plugins(found: RayObject) -> bool:
    cluster = found.cluster
    return cluster is not None and any(
        group.ray_container.env("RAY_RUNTIME_ENV_PLUGINS") is not None or group.ray_container.has_env_from
        for group in cluster.groups
    )


@looks_into("RAY503", Severity.WARNING, reports=("FR-100",))
def runtime_env_path_missing(found: OddEnvironments) -> Problems:
    """A path in a runtime environment that must exist where the environment is read, and hardly does.

    ## What it flags
    `working_dir` and `py_modules` of a RayJob that are paths, in K8sJobMode and SidecarMode; and requirements
    files and conda files or directories, in a RayJob and in `serveConfigV2`. It is an error where the image is an
    official one with nothing mounted, so that the path cannot be there, and where the path is an address, which
    Ray does not take there.

    `working_dir: .` is reported as well: it uploads the submitter's own directory.

    It stays silent about paths in the image's system directories. Paths in HTTPMode (RAY501) and in
    `serveConfigV2` (RAY604) are refused, whatever is there.

    ## What happens
    The paths are those of the pod that runs `ray job submit`, which is made from the head's image and has none of
    the head's volumes. `ray job submit` ends with `must be an existing directory or a zip package`, and the RayJob
    fails. A requirements file in a Serve configuration is looked for on the head when the application is built.
    The words of Ray: `is not a valid file`, `Can't find conda YAML file`, `Can't find conda env directory`.

    ## Versions
    All KubeRay and Ray releases.

    ## Fix
    Put the code into the image, where the entrypoint finds it without `working_dir`; or write the address of an
    archive; or mount the directory in `submitterPodTemplate`. Write packages as a list.

    ## When to ignore it
    When your image, or the submitter's template, has the path.

    ## Source
    Ray 2.60.0, `dashboard/modules/job/sdk.py`, `_private/runtime_env/working_dir.py`; ray-project/kuberay#2392.

    ## Examples
    ```yaml bad severity=error env
    working_dir: /mnt/code  # <-
    pip: requirements.txt  # <-
    ```

    ```yaml bad severity=warning job
    runtimeEnvYAML: |
      working_dir: /app  # <-
    rayClusterSpec:
      headGroupSpec:
        template: {spec: {containers: [{name: ray-head, image: "registry.example.com/train:7"}]}}
    ```

    ```yaml bad severity=error serve
    applications:
    - import_path: rank:app
      runtime_env:
        pip: https://files.example.com/requirements.txt  # <-
    ```

    ```yaml good env
    working_dir: https://files.example.com/train.zip
    pip: [requests]
    ```

    Nobody submits in InteractiveMode but a person:

    ```yaml good near-miss job
    submissionMode: InteractiveMode
    runtimeEnvYAML: |
      working_dir: ./code
    ```
    """
    for environment in found.runtime_environments:
        for fault in environment.faults:
            if fault.kind == "local":
                yield Problem(
                    environment.document.at(*fault.path),
                    fault.message + _absence(fault),
                    effect=_missing_effect(environment, found),
                    fix=fault.fix,
                    severity=Severity.ERROR if fault.sure else None,
                )
        directory = environment.data.get("working_dir")
        if environment.job is not None and _is_submitted(environment.job) and directory in (".", "./"):
            yield Problem(
                environment.at("working_dir"),
                f"working_dir {directory!r} is the directory of the submitter, not of the head or of this file",
                effect="what the submitter's image holds there is uploaded, in an official one the home",
                fix="put the code into the image, or write the address of an archive",
            )


def _absence(fault: Fault) -> str:
    return "; it is not in this image" if fault.sure and "is an address" not in fault.message else ""


def _is_submitted(job: RayJob) -> bool:
    from raylint.runtime_environments import passes_a_shell

    return passes_a_shell(job)


def _missing_effect(environment: Environment, found: RayObject) -> str:
    if environment.job is None:
        return f"the application cannot be built: it goes to DEPLOY_FAILED ({_ray(found)})"
    return _failure(environment, found)
