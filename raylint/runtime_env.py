"""What Ray makes of a runtime environment: the class ``RuntimeEnv``, ``ray job submit`` and the Jobs API.

Source: ``python/ray/runtime_env/runtime_env.py``, ``_private/runtime_env/validation.py`` and
``dashboard/modules/job/sdk.py`` of Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0, and what those releases answered
(``tests/fixtures/runtime-env-verdicts.json``).
"""

from __future__ import annotations

from raylint.ray_release import Fault
from raylint.runtime_env_uri import archive_fault, is_remote, local_fault, scheme_of
from raylint.serve_types import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from raylint.finding import Path
    from raylint.ray_release import Bound, RayRelease

__all__ = ["CONFIG_KEYS", "FAILS", "KNOWN", "LOCAL", "MEANT", "UNKNOWN", "Way", "environment_faults"]

# FAILS: an exception instead of an environment. LOCAL: the same, because of a path that has to exist where the
# environment is read. UNKNOWN: a key that means nothing to Ray.
FAILS, LOCAL, UNKNOWN = "fails", "local", "unknown"

# The keys that a release knows: since when, until when.
KNOWN: dict[str, tuple[Bound | None, Bound | None]] = {
    **dict.fromkeys(
        (
            "working_dir",
            "py_modules",
            "excludes",
            "pip",
            "conda",
            "env_vars",
            "container",
            "worker_process_setup_hook",
            "config",
            "java_jars",
            "nsight",
            "_nsight",
            "_ray_release",
            "_ray_commit",
            "_inject_current_ray",
        ),
        (None, None),
    ),
    "uv": (((2, 35), (2, 40)), None),
    "image_uri": (((2, 9), (2, 24)), None),
    "py_executable": ((2, 43), None),
    "rocprof_sys": ((2, 49), None),
    "_rocprof_sys": ((2, 49), None),
    "docker": (None, ((2, 43), (2, 49))),
    "mpi": (None, ((2, 49), (2, 51))),
}
CONFIG_KEYS = ("setup_timeout_seconds", "eager_install", "log_files")
# What people call them, in lower case and without dashes.
MEANT = {
    "env": "env_vars",
    "environment": "env_vars",
    "environmentvariables": "env_vars",
    "variables": "env_vars",
    "requirements": "pip",
    "packages": "pip",
    "pippackages": "pip",
    "dependencies": "pip",
    "workdir": "working_dir",
    "workingdirectory": "working_dir",
    "pythonmodules": "py_modules",
    "modules": "py_modules",
    "exclude": "excludes",
    "image": "image_uri",
    "imageuri": "image_uri",
    "timeout": "setup_timeout_seconds",
    "setuptimeout": "setup_timeout_seconds",
}
_UV_SINCE = KNOWN["uv"][0]
_OPTIONS_SINCE = ((2, 40), (2, 51))
# From here on a path passes the class, and an absolute conda directory must exist.
_PATHS_PASS = ((2, 40), (2, 51))
# Directories of every image, where a file may well be.
_OF_THE_SYSTEM = ("/usr", "/etc", "/tmp", "/var", "/home/ray/anaconda3")


class Way:
    """How an environment reaches Ray. ``name`` is ``class`` (Serve), ``submit`` (the command) or ``http``.
    ``only_image``: nothing is there but what an official image holds."""

    __slots__ = ("name", "only_image")

    def __init__(self, name: str, *, only_image: bool = False) -> None:
        self.name = name
        self.only_image = only_image


class _Check:
    def __init__(self, path: Path, release: RayRelease, way: Way) -> None:
        self.path = path
        self.release = release
        self.way = way
        self.faults: list[Fault] = []

    def fail(self, steps: Path, message: str, fix: str) -> None:
        self.faults.append(Fault(FAILS, (*self.path, *steps), message, fix))

    def missing(self, steps: Path, local: str, message: str, fix: str) -> None:
        """A file that has to be where the environment is read."""
        never = "://" in local or local.strip("./") == ""
        sure = never or (self.way.only_image and _is_foreign(local))
        self.faults.append(Fault(LOCAL, (*self.path, *steps), message, fix, sure=sure))

    def since(self, bound: Bound | None) -> bool:
        return bound is None or self.release.reached(bound)


def environment_faults(env: dict[str, Any], path: Path, release: RayRelease, way: Way) -> list[Fault]:
    """What is wrong with an environment that stands at ``path``. Nulls count as not written."""
    check = _Check(path, release, way)
    given = {name: value for name, value in env.items() if value is not None}
    for name in given:
        if not _is_known(name, release):
            check.faults.append(Fault(UNKNOWN, (*path, name), "", "", on_key=True))
    for keys, judge in _JUDGES:
        if not keys.isdisjoint(given):
            judge(check, given)
    return check.faults


def _is_known(name: str, release: RayRelease) -> bool:
    since, until = KNOWN.get(name, ((99, 0), None))
    if until is not None:
        last, first = until
        assert isinstance(last, tuple)
        assert isinstance(first, tuple)
        if release.version >= first or (release.version > last and not release.early):
            return False
    return since is None or release.reached(since)


def _is_foreign(local: str) -> bool:
    """A path at which no official image has anything."""
    path = local.rstrip("/") or "/"
    while path.startswith("./"):
        path = path[2:]
    return path not in ("", ".", "..", "/", "/home", "/home/ray") and not path.startswith(_OF_THE_SYSTEM)


def _code(check: _Check, env: dict[str, Any]) -> None:
    if "working_dir" in env:
        _source(check, env["working_dir"], "working_dir", ("working_dir",))
    modules = env.get("py_modules")
    if modules is not None and not isinstance(modules, list):
        check.fail(("py_modules",), f"py_modules is {written(modules)}, not a list", "write a list of addresses")
    for index, module in enumerate(modules if isinstance(modules, list) else ()):
        _source(check, module, "py_modules", ("py_modules", index))
    excludes = env.get("excludes")
    if excludes is not None and not _is_texts(excludes):
        check.fail(
            ("excludes",), f"excludes is {_kind(excludes)}, not a list of texts", "write a list of patterns"
        )


def _source(check: _Check, uri: object, key: str, steps: Path) -> None:
    """An address of an archive, or a path."""
    if not isinstance(uri, str):
        check.fail(steps, f"{key} is {written(uri)}, not text", "write the address of an archive")
        return
    fix = "write the https://, s3:// or gs:// address of an archive"
    if is_remote(uri, check.release):
        problem = local_fault(uri) if scheme_of(uri) == "local" else ""
        problem = problem or archive_fault(uri, key, check.release, wheels=check.way.name != "submit")
        if problem:
            check.fail(steps, f"{key} {problem}", fix)
    elif scheme_of(uri):
        check.fail(steps, f"{key} {written(uri)}: Ray does not fetch from {scheme_of(uri)} addresses", fix)
    elif check.way.name == "http":
        if uri or not check.release.reached(_PATHS_PASS):
            message = f"{key} {written(uri)} is a path, and a job that is sent over HTTP takes addresses alone"
            check.fail(steps, message, fix)
    elif check.way.name == "submit" and _is_foreign(uri):
        message = f"{key} {written(uri)} is a path, which must exist where the job is submitted"
        check.missing(steps, uri, message, f"{fix}, or bake the code into the image")


def _packages(check: _Check, env: dict[str, Any]) -> None:
    if "pip" in env:
        keys = {"packages": None, "pip_check": None, "pip_version": None, "pip_install_options": _OPTIONS_SINCE}
        _installer(check, env["pip"], "pip", keys, path_in_map=True)
    if "uv" in env and check.since(_UV_SINCE):
        keys = {"packages": None, "uv_check": None, "uv_version": None, "uv_pip_install_options": _OPTIONS_SINCE}
        _installer(check, env["uv"], "uv", keys, path_in_map=False)
    both = [name for name in ("pip", "uv", "conda") if name in env and (name != "uv" or check.since(_UV_SINCE))]
    if not check.since(_UV_SINCE):
        both = [name for name in both if env[name]]
    if len(both) > 1:
        message = f"{' and '.join(both)} together; Ray takes one of pip, uv and conda"
        check.fail((both[-1],), message, "keep one of them; a conda map can list pip packages")


def _installer(
    check: _Check, value: object, key: str, known: Mapping[str, Bound | None], *, path_in_map: bool
) -> None:
    if isinstance(value, str):
        _requirements(check, value, key, (key,))
    elif isinstance(value, dict):
        allowed = [name for name, since in known.items() if check.since(since)]
        for name in value:
            if name not in allowed:
                check.fail((key, name), f"{name} is no key of {key}", f"use {', '.join(allowed)}")
        if "packages" not in value:
            check.fail((key,), f"{key} has no packages", "add packages, a list")
        for name, item in value.items():
            problem = _sub_key(name, item, path_in_map=path_in_map) if name in allowed else ""
            if problem:
                check.fail((key, name), f"{name} of {key} is {_kind(item)}, not {problem}", f"write {problem}")
            elif name == "packages" and isinstance(item, str):
                _requirements(check, item, key, (key, name))
    elif not _is_texts(value):
        problem = "a list of texts, a map or the path of a file"
        check.fail((key,), f"{key} is {_kind(value)}, not {problem}", "write a list of packages, each as text")


def _sub_key(name: str, value: object, *, path_in_map: bool) -> str:
    """What the value must be; ``""``: it is."""
    if name.endswith("_check"):
        return "" if isinstance(value, bool) else "true or false"
    if name.endswith("_version"):
        return "" if isinstance(value, str) else "text"
    if name.endswith("_options"):
        return "" if _is_texts(value) else "a list of texts"
    if path_in_map:
        return "" if isinstance(value, (list, str)) else "a list"
    return "" if _is_texts(value) else "a list of texts"


def _requirements(check: _Check, file: str, key: str, steps: Path) -> None:
    if "://" in file:
        message = f"{key} {written(file)} is an address, and Ray wants the path of a file here"
    else:
        where = {"submit": "where the job is submitted"}.get(check.way.name, "on the head")
        message = f"{key} {written(file)} is taken for a requirements file, which must exist {where}"
    check.missing(steps, file, message, "write the packages as a list")


def _conda(check: _Check, env: dict[str, Any]) -> None:
    conda = env.get("conda")
    if conda is None or isinstance(conda, dict):
        return
    if not isinstance(conda, str):
        check.fail(("conda",), f"conda is {_kind(conda)}, not text or a map", "write the name of an environment")
    elif conda.endswith((".yaml", ".yml")):
        message = f"conda {written(conda)} is a file, which must exist where the environment is read"
        check.missing(("conda",), conda, message, "write its content as a map below conda")
    elif conda.startswith("/") and check.release.reached(_PATHS_PASS):
        message = f"conda {written(conda)} is a directory, which must exist where the environment is read"
        check.missing(("conda",), conda, message, "write the name of an environment that the image holds")


def _variables(check: _Check, env: dict[str, Any]) -> None:
    variables = env.get("env_vars")
    if variables is None or (variables in ("", []) and check.way.name != "http"):
        return
    if not isinstance(variables, dict):
        fix = "write NAME: value pairs below env_vars"
        check.fail(("env_vars",), f"env_vars is {_kind(variables)}, not a map", fix)
        return
    for name, value in variables.items():
        if not isinstance(value, str):
            fix = "remove the variable" if value is None else "put the value in quotes"
            # A number may be a password.
            kind = "a number" if isinstance(value, (int, float)) and not isinstance(value, bool) else _kind(value)
            message = f"the value of {name} is {kind}, not text"
            check.fail(("env_vars", name), message, fix)


def _images(check: _Check, env: dict[str, Any]) -> None:
    """A container of its own goes together with few other keys."""
    early = check.release.version <= (2, 9)
    for key, since in (("container", None), ("image_uri", KNOWN["image_uri"][0])):
        if not env.get(key) or not check.since(since):
            continue
        if key == "container" and early and check.way.name != "class":
            message = "container never works for a job on Ray 2.9, which adds env_vars itself"
            check.fail((key,), message, "run the job on a cluster with that image")
            continue
        alone = {key} if early else {key, "config", "env_vars"}
        others = sorted(set(env) - alone)
        if others:
            allowed = "nothing else" if early else "config and env_vars alone"
            message = f"{key} together with {', '.join(others)}; it goes together with {allowed}"
            check.fail((key,), message, f"remove {', '.join(others)}, or put what it needs into the image")


def _settings(check: _Check, env: dict[str, Any]) -> None:
    hook = env.get("worker_process_setup_hook")
    if check.way.name == "submit" and hook and not isinstance(hook, str):
        message = f"worker_process_setup_hook is {_kind(hook)}, not text"
        check.fail(("worker_process_setup_hook",), message, "write the name of a function: module.function")
    config = env.get("config")
    if config is None:
        return
    if not isinstance(config, dict):
        check.fail(("config",), f"config is {_kind(config)}, not a map", "write a map")
        return
    for name, value in config.items():
        problem = ""
        if name == "setup_timeout_seconds":
            problem = _timeout(value)
        elif name == "eager_install" and not isinstance(value, bool):
            problem = "true or false"
        elif name == "log_files" and check.since(((2, 9), (2, 40))):
            problem = "" if value is None or _is_texts(value) else "a list of texts"
        elif name not in CONFIG_KEYS:
            check.faults.append(Fault(UNKNOWN, (*check.path, "config", name), "", "", on_key=True))
        if problem:
            check.fail(("config", name), f"{name} is {written(value)}, not {problem}", f"write {problem}")


def _timeout(value: object) -> str:
    if not isinstance(value, int):
        return "a whole number"
    return "" if value > 0 or value == -1 else "a number above 0, or -1"


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _kind(value: object) -> str:
    """What a value is; a number shows itself, a text may be a secret."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, list) and not _is_texts(value):
        return "a list that holds other things than text"
    return written(value)


# In the order in which faults are told; each with the keys without one of which it has nothing to judge.
_JUDGES = (
    (frozenset(("working_dir", "py_modules", "excludes")), _code),
    (frozenset(("pip", "uv", "conda")), _packages),
    (frozenset(("conda",)), _conda),
    (frozenset(("env_vars",)), _variables),
    (frozenset(("container", "image_uri")), _images),
    (frozenset(("worker_process_setup_hook", "config")), _settings),
)
