"""From a configuration file to an :class:`raylint.admission.Admission`: the keys of the command line, and the
section ``webhook``."""

from __future__ import annotations

from raylint import __version__
from raylint.admission import Admission
from raylint.admission_policy_file import admission_policy
from raylint.engine import Engine
from raylint.options import Options
from raylint.packs import installed_rules
from raylint.policy import Policies
from raylint.schema import bundled_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from raylint.rule import Rule

__all__ = ["admission_of", "configured_files", "import_everything"]


def admission_of(
    file: str,
    rules: Sequence[Rule] | None = None,
    on_crash: Callable[[Exception], None] | None = None,
) -> Admission:
    """The admission that a configuration file describes; without a file (``""``) that of the defaults. ``rules``
    are those of the installed packs unless they are given; ``on_crash`` is told of each failure of a rule.

    UsageError: the file or something that it names cannot be read or used.
    """
    rules = installed_rules() if rules is None else rules
    policies = _policies(file, rules)
    lint = policies.default
    if lint.target.schema is None:
        # A release whose schema is not installed is to be told of here, not at the first request.
        bundled_schema(lint.target.kuberay_line)
    # Those of the packs, and those that the configuration writes itself.
    rules = lint.rules
    policy = admission_policy(policies.settings.webhook, rules)
    # A review shows one object: what stands beside it in the cluster is nothing that a rule may miss.
    running = [rule for rule in lint.choice.rules if not rule.whole_run]
    engine = Engine(running, lint.target, lint.choice.severities, on_crash)
    return Admission(engine, policy, rules, f"{__version__}+{_digest(_files(file, policies))}", lint)


def configured_files(file: str) -> list[str]:
    """The files that a configuration consists of, itself included. UsageError as :func:`admission_of`."""
    return _files(file, _policies(file, None))


def _policies(file: str, rules: Sequence[Rule] | None) -> Policies:
    options = Options()
    options.config = file
    options.no_config = not file
    return Policies(options, rules)


def _files(file: str, policies: Policies) -> list[str]:
    stack = policies.stack(file or None)
    return [*(stack.files if stack else ()), *policies.settings.crd]


def _digest(files: Sequence[str]) -> str:
    """What tells two configurations apart, in 12 hexadecimal digits."""
    from hashlib import sha256

    digest = sha256()
    for file in files:
        with open(file, "rb") as stream:
            digest.update(stream.read())
    return digest.hexdigest()[:12]


def import_everything(rules: Sequence[Rule]) -> None:
    """Import whatever judging may import, so that no request waits for it."""
    from importlib import import_module
    from pkgutil import iter_modules

    import raylint

    packages = {rule.check.__module__.rpartition(".")[0] for rule in rules} | {raylint.__name__}
    for name in sorted(filter(None, packages)):
        package = import_module(name)
        for module in iter_modules(getattr(package, "__path__", ())):
            if not module.name.startswith("_"):
                import_module(f"{name}.{module.name}")
