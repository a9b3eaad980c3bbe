"""Single values of a Serve configuration that have rules of their own.

Source: the validators of ``python/ray/serve/schema.py`` and ``serve/config.py`` of Ray 2.9.3 to 2.60.0.
"""

from __future__ import annotations

from raylint.runtime_env_uri import remote_uri_fault
from raylint.serve_reading import at_least, one_of
from raylint.serve_types import WrongTypeError, mapping, strictly_whole, text, whole, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from raylint.finding import Path
    from raylint.serve_reading import Reading

__all__ = [
    "ENV",
    "controller_env",
    "encoding",
    "import_path",
    "labels",
    "log_attribute",
    "log_level",
    "max_queued_requests",
    "num_replicas",
    "old_route_prefix",
    "prefix_fault",
    "runtime_env",
    "status_code",
]

# One more kind of faults: code that Serve cannot fetch.
ENV = "environment"

_LEVELS = ("CRITICAL", "FATAL", "ERROR", "WARN", "WARNING", "INFO", "DEBUG", "NOTSET")
_LEVEL_NUMBERS = (0, 10, 20, 30, 40, 50)
_LOG_ATTRIBUTES = (
    "args asctime created exc_info exc_text filename funcName levelname levelno lineno message module msecs msg"
    " name pathname process processName relativeCreated stack_info task taskName thread threadName"
)
_BY_2_12 = ((2, 9), (2, 12))
_at_least_one = at_least(whole, 1)
encoding = one_of("TEXT", "JSON")


def log_level(reading: Reading, value: object, path: Path) -> object:
    """A level by its name or number; text that is a number is one up to 2.51."""
    level = value
    if not reading.release.strict or not isinstance(value, str):
        try:
            level = whole(value, reading.release)
        except WrongTypeError:
            level = value
    if level in (_LEVEL_NUMBERS if isinstance(level, int) else _LEVELS):
        return level
    fix = (
        f"write log_level: {value.upper()}"
        if isinstance(value, str) and value.upper() in _LEVELS
        else "write log_level: INFO"
    )
    reading.refuse(path, f"log_level is {written(value)}; levels are words in capital letters", fix)
    return None


def num_replicas(reading: Reading, value: object, path: Path) -> object:
    if value == "auto" and reading.release.reached(_BY_2_12):
        return value
    if isinstance(value, (str, float)) and (reading.release.strict or value == "auto"):
        auto = "" if value == "auto" else ' or "auto"'
        since = " (auto is known from Ray 2.12 on)" if value == "auto" else ""
        reading.refuse(
            path,
            f"num_replicas is {written(value)}, not a whole number{auto}{since}",
            "write a whole number, without quotes",
        )
        return None
    return _at_least_one(reading, value, path)


def max_queued_requests(reading: Reading, value: object, path: Path) -> object:
    found = reading.take(strictly_whole, value, path)
    if found is not None and found < 1 and found != -1:
        reading.refuse(
            path,
            f"max_queued_requests is {found}; it must be -1 (no limit) or 1 and more",
            "write -1, or 1 and more",
        )
        return None
    return found


def import_path(reading: Reading, value: Any, path: Path) -> object:
    found = value if value.__class__ is str else reading.take(text, value, path)
    if found is None:
        return None
    mark = ":" if ":" in found else "."
    problem = ""
    if found.count(":") > 1:
        problem = "it has more than one colon"
    elif mark not in found:
        problem = "it names no module"
    elif found.rfind(mark) in (0, len(found) - 1):
        problem = f"its only `{mark}` stands at an end" if mark == ":" else "it begins or ends with a dot"
    if problem:
        reading.refuse(
            path, f"import_path is {written(found)}: {problem}", "write module:attribute, such as app:graph"
        )
        return None
    return found


def runtime_env(reading: Reading, value: Any, path: Path) -> object:
    """Serve takes code from addresses alone; the other keys it does not look at here."""
    env = value if value.__class__ is dict else reading.take(mapping, value, path)
    if env is None:
        return None
    modules = env.get("py_modules", [])
    if not isinstance(modules, list):
        message = f"py_modules is {written(modules)}, not a list of addresses"
        reading.refuse((*path, "py_modules"), message, "write a list", kind=ENV)
        modules = []
    places: list[tuple[Path, object]] = [
        ((*path, "py_modules", index), item) for index, item in enumerate(modules)
    ]
    for place, uri in [((*path, "working_dir"), env.get("working_dir")), *places]:
        problem = "" if uri is None else remote_uri_fault(uri, reading.release)
        if problem:
            reading.refuse(
                place, problem, "write the https://, s3:// or gs:// address of a .zip archive", kind=ENV
            )
    return env


def labels(reading: Reading, value: object, path: Path) -> object:
    labels = reading.take(mapping, value, path)
    for name, label in (labels or {}).items():
        reading.take(text, label, (*path, name))
    return labels


def status_code(reading: Reading, value: object, path: Path) -> object:
    if isinstance(value, int) and value in (429, 503):
        return value
    reading.refuse(path, f"status_code is {written(value)}, not 503 or 429", "write status_code: 503")
    return None


def old_route_prefix(reading: Reading, value: object, path: Path) -> object:
    """Up to 2.35 a deployment had one, and it was checked at once."""
    found = reading.take(text, value, path)
    problem = prefix_fault(found) if isinstance(found, str) else ""
    if problem:
        reading.refuse(path, f"route_prefix {problem}", "write the route_prefix of the application")
        return None
    return found


def prefix_fault(prefix: str) -> str:
    """What is wrong with a route prefix; ``""``: nothing."""
    if not prefix.startswith("/"):
        return f"{written(prefix)} does not begin with a slash"
    if prefix != "/" and prefix.endswith("/"):
        return f"{written(prefix)} ends with a slash"
    return f"{written(prefix)} holds braces" if "{" in prefix or "}" in prefix else ""


def log_attribute(reading: Reading, value: object, path: Path) -> object:
    found = reading.take(text, value, path)
    if found is not None and found not in _LOG_ATTRIBUTES.split(" "):
        reading.refuse(
            path, f"{written(found)} is no attribute of a log record", "write one such as process or name"
        )
        return None
    return found


def controller_env(reading: Reading, value: object, path: Path) -> object:
    env = reading.take(mapping, value, path)
    for name in env or ():
        if name != "env_vars":
            reading.refuse(
                (*path, name),
                f"the controller's runtime_env takes env_vars alone, not {name}",
                f"remove {name} there",
            )
    return env
