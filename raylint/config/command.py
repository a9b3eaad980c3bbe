"""``raylint config``: write a first configuration, show what holds for a file and why, check a configuration."""

from __future__ import annotations

import os

from raylint import output
from raylint.baseline import NAME as BASELINE
from raylint.config.discovery import NAME, nearest
from raylint.config.keys import CHOICES, FOR_FILES, TARGET, flags_by_key
from raylint.errors import UsageError
from raylint.options import Options
from raylint.policy import own_pick
from raylint.target import version_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from raylint.policy import Policies
    from raylint.target import Version

__all__ = ["init", "show", "validate"]

_FIRST = """\
# What raylint checks in this repository. All settings: raylint schema config
extends: [recommended] # or production, dev, all; a path; pkg:PACKAGE/FILE

target:
  kuberay: "{kuberay}" # the release of the operator in your clusters; "auto": as each file shows

{baseline}baseline: {baseline_file} # findings that were there before: raylint baseline write .
# fail-on: warning # the least severity that fails a run (default: error)
# ignore: [max-replicas-unused] # ids or names of rules
# severity: {{RAY101: error}}

# overrides:
#   - files: ["dev/**"]
#     profile: dev

# exemptions:
#   - {{rule: RAY101, namespace: "research-*", reason: "scratch clusters", until: 2027-03-31}}
"""


def init(kuberay: Version | None) -> str:
    """Write a first configuration into the working directory, and say so. A baseline that lies there is heeded.
    UsageError: there is a configuration already."""
    if os.path.lexists(NAME):
        raise UsageError(f"{NAME} is there already")
    known = nearest(os.curdir)
    if known and os.path.dirname(known) == os.path.abspath(os.curdir):
        raise UsageError(f"{os.path.relpath(known)} has a configuration already")
    newest = version_text(kuberay) if kuberay else "auto"
    heeded = "" if os.path.isfile(BASELINE) else "# "
    output.write(_FIRST.format(kuberay=newest, baseline=heeded, baseline_file=BASELINE), NAME)
    return f"wrote {NAME}"


def validate(policies: Policies) -> str:
    """Check the configuration of the working directory, or the named one, with all that it extends and each of its
    overrides. UsageError: something is wrong, or there is no configuration."""
    stack = policies.stack(policies.config_of(None))
    if stack is None:
        raise UsageError("there is no configuration here; raylint config init writes one")
    policies.try_all(stack)
    return f"{', '.join(_shown(file) for file in stack.files)}: no fault\n"


def show(policies: Policies, path: str = "") -> str:
    """What holds for a file, or for the working directory: each setting with its origin."""
    policy = policies.of(path) if path else policies.default
    run, judged = policies.settings, policy.settings
    lines = [f"# {'what ' + path + ' is judged by' if path else 'what holds in the working directory'}"]
    stack = policies.stack(policies.config_of(path or None))
    lines += [f"# read: {_shown(file)}" for file in (stack.files if stack else ())]
    for key, value, origin in _settings(run, judged):
        lines.append(f"{key}: {value}".ljust(40) + f" # {origin}")
    for selector, place in stack.mandatory if stack else ():
        lines.append(f"mandatory: {selector}".ljust(40) + f" # {place}")
    for exemption in policy.exemptions:
        until = f" until {exemption.until}" if exemption.until else ""
        rules = ",".join(sorted(exemption.rules))
        lines.append(f"exemption: {rules}{until}".ljust(40) + f" # {exemption.place}")
    lines.append(f"# {len(policy.choice.rules)} rules run")
    return "\n".join(lines) + "\n"


def _settings(run: Options, judged: Options) -> Iterator[tuple[str, str, str]]:
    defaults = Options()
    for key, flag in sorted(flags_by_key().items()):
        if key in CHOICES:
            continue
        # An override may name a profile.
        settings = judged if key in (*FOR_FILES, "profile") else run
        value = getattr(settings, flag.attribute)
        name = f"target.{key}" if key in TARGET else key
        if flag.kind == "mapping":
            for entry, level in value.items():
                yield f"{name}.{entry}", _text(level), _origin(settings, f"{key}.{entry}", flag.long)
        elif value != getattr(defaults, flag.attribute) or key in settings.origins or flag.long in settings.given:
            yield name, _text(value), _origin(settings, key, flag.long)
        else:
            yield name, _text(value), "default"
    for pick in (*judged.picks, own_pick(judged)):
        for key, chosen in zip(CHOICES, (pick.select, pick.extend, pick.ignore), strict=True):
            if chosen:
                yield key, ", ".join(chosen), pick.origin or f"--{key}"
    for rule_id, options in judged.rule_options.items():
        for name, value in options.items():
            yield f"rules.{rule_id}.{name}", _text(value), judged.origins[f"rules.{rule_id}.{name}"]
    for rule_id, rule in judged.cel_rules.items():
        yield f"cel-rules.{rule_id}", rule.name, judged.origins[f"cel-rules.{rule_id}"]
    for name, value in judged.suppressions.items():
        yield f"suppressions.{name}", _text(value), judged.origins[f"suppressions.{name}"]
    for name, value in run.webhook.items():
        yield f"webhook.{name}", _text(value), run.origins[f"webhook.{name}"]


def _origin(settings: Options, key: str, flag: str) -> str:
    return settings.origins.get(key, flag)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return version_text(value)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value) if value not in ("", None) else "none"


def _shown(file: str) -> str:
    return os.path.relpath(file)
