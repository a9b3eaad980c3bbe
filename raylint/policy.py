"""What each file is judged by: the rules, the target and what is accepted, from the command line, the environment
and the configuration that is nearest to the file.

A run without a configuration has one policy, and pays for nothing but the look for the file.
"""

from __future__ import annotations

import os

from raylint.config.discovery import nearest
from raylint.finding import Confidence, Severity
from raylint.registry import Choice, Pick, choose_in_turn
from raylint.target import NEWEST_KUBERAY, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from raylint.config.layers import Stack
    from raylint.exemption import Exemption
    from raylint.finding import Finding
    from raylint.options import Options
    from raylint.rule import Rule
    from raylint.suppression import Ignores

__all__ = ["Policies", "Policy"]


class Policy:
    """One way to judge: made of the settings that hold for some files. ``rules`` are all that there are; those of
    ``choice`` run."""

    __slots__ = (
        "_ignores",
        "choice",
        "exemptions",
        "fail_on",
        "least",
        "mandatory",
        "rules",
        "settings",
        "target",
    )

    def __init__(
        self,
        settings: Options,
        choice: Choice,
        target: Target,
        exemptions: Sequence[Exemption] = (),
        mandatory: frozenset[str] = frozenset(),
        rules: Sequence[Rule] = (),
    ) -> None:
        self.rules = rules
        self._ignores: Ignores | None = None
        self.settings = settings
        self.choice = choice
        self.target = target
        self.exemptions = exemptions
        self.mandatory = mandatory
        self.fail_on = Severity[settings.fail_on.upper()]
        self.least = Confidence[settings.min_confidence.upper()]

    def ignores(self) -> Ignores:
        """What counts as a suppression in a manifest."""
        if self._ignores is None:
            from raylint.suppression import Ignores  # few files hold one

            wanted = self.settings.suppressions
            self._ignores = Ignores(
                heed=not self.settings.no_ignores,
                require_reason=wanted.get("require-reason", False),
                max_days=wanted.get("max-days"),
                mandatory=self.mandatory,
                rules=lambda: self.rules,
            )
        return self._ignores

    @property
    def is_picky(self) -> bool:
        """Are findings left out of which raylint is not sure?"""
        return self.least > Confidence.LOW

    def exemption(self, finding: Finding) -> Exemption | None:
        """What accepts the finding."""
        if not self.exemptions or finding.rule_id in self.mandatory:
            return None
        covering = (known for known in self.exemptions if known.covers(finding.rule_id, finding.object))
        return next(covering, None)


class Policies:
    """The policies of a run. ``settings`` are those of the run as a whole: the configuration of the working
    directory, or the one that was named, and over it the environment and the command line."""

    def __init__(self, options: Options, rules: Sequence[Rule] | None = None) -> None:
        self._options = options
        self._rules = rules
        self._stacks: dict[str, Stack] = {}
        self._policies: dict[tuple[object, ...], Policy] = {}
        self._named = options.config
        self._fixed = bool(options.config) or options.no_config
        self.settings = self._of_run()
        self._default: Policy | None = None

    @property
    def default(self) -> Policy:
        """The policy for what lies in the working directory, and for what lies nowhere."""
        if self._default is None:
            self._default = self._policy(self._file(os.curdir), None)
        return self._default

    def of(self, path: str | None) -> Policy:
        """The policy for a file; None: for a stream. UsageError: its configuration is wrong."""
        if path is None:
            name = self.settings.stdin_filename
            if "--stdin-filename" not in self._options.given:
                return self.default
            path = name
        return self._policy(self._file(os.path.dirname(path)), path)

    def fails(self, finding: Finding) -> bool:
        """Is the finding so severe that the run fails?"""
        return finding.severity >= self.of_name(finding.place.file).fail_on

    def of_name(self, name: str) -> Policy:
        """The policy for a file, by its name in reports."""
        return self.default if name == self.settings.stdin_filename else self.of(name)

    def config_of(self, path: str | None) -> str | None:
        """The configuration file of a path; None: of the working directory."""
        return self._file(os.path.dirname(path or ""))

    def try_all(self, stack: Stack) -> None:
        """Make the policies of a configuration, without and with each of its overrides. UsageError: wrong."""
        for matching in ((), *((number,) for number in range(len(stack.overrides)))):
            self._made(stack, matching, ())

    def _file(self, folder: str) -> str | None:
        return (self._named or None) if self._fixed else nearest(folder)

    def _policy(self, config: str | None, path: str | None) -> Policy:
        stack = self.stack(config)
        matching: tuple[int, ...] = ()
        accepting: tuple[int, ...] = ()
        if stack is not None:
            file = os.path.abspath(path or os.path.join(os.curdir, "-"))
            matching = tuple(n for n, known in enumerate(stack.overrides) if known.scope.holds(file))
            accepting = tuple(n for n, (_, scope) in enumerate(stack.exemptions) if scope.holds(file))
        key = (config, matching, accepting)
        if key not in self._policies:
            self._policies[key] = self._made(stack, matching, accepting)
        return self._policies[key]

    def stack(self, config: str | None) -> Stack | None:
        if config is None:
            return None
        if config not in self._stacks:
            from raylint.config.layers import Stack

            self._stacks[config] = Stack(config)
        return self._stacks[config]

    def _of_run(self) -> Options:
        config = self._file(os.curdir)
        stack = self.stack(config)
        if stack is None and not self._options.profile:
            return self._options
        from raylint.config.settle import settled

        return settled(self._options, [] if stack is None else stack.layers)

    def _made(self, stack: Stack | None, matching: tuple[int, ...], accepting: tuple[int, ...]) -> Policy:
        settings = self._options
        if stack is not None or settings.profile:
            from raylint.config.settle import settled

            layers = [] if stack is None else list(stack.layers)
            for number in matching:
                assert stack is not None
                layers += stack.overrides[number].layers
            settings = settled(settings, layers)
        choice = self._choice(settings)
        mandatory: frozenset[str] = frozenset()
        exemptions: list[Exemption] = []
        if stack is not None:
            from raylint.config.settle import with_mandatory

            choice, mandatory = with_mandatory(choice, settings, stack.mandatory, self._rules_of(settings))
            exemptions = [stack.exemptions[number][0] for number in accepting]
        return Policy(settings, choice, target_of(settings), exemptions, mandatory, self._rules_of(settings))

    @property
    def rules(self) -> Sequence[Rule]:
        if self._rules is None:
            from raylint.packs import installed_rules

            self._rules = installed_rules()
        return self._rules

    def _rules_of(self, settings: Options) -> Sequence[Rule]:
        """The rules of the packs, and those that the configuration itself writes."""
        return (*self.rules, *settings.cel_rules.values()) if settings.cel_rules else self.rules

    def _choice(self, settings: Options) -> Choice:
        picks = [*settings.picks, own_pick(settings)]
        choice = choose_in_turn(self._rules_of(settings), picks, [settings.severity], preview=settings.preview)
        if settings.rule_options:
            from raylint.rule_options import configured

            wanted = settings.rule_options
            rules = (configured(rule, wanted[rule.id]) if rule.id in wanted else rule for rule in choice.rules)
            choice = Choice(tuple(rules), choice.severities)
        return choice


def own_pick(settings: Options) -> Pick:
    """What the command line itself says of the choice of rules."""
    return Pick(settings.select, settings.extend_select, settings.ignore)


def target_of(settings: Options) -> Target:
    """The target that the settings name. UsageError: a file of CRDs cannot be used."""
    schema = None
    if settings.crd:
        from raylint.schema import schema_of_files

        schema = schema_of_files(settings.crd)
    release = settings.kuberay or NEWEST_KUBERAY
    return Target(
        release,
        settings.ray,
        schema,
        settings.feature_gates or None,
        auto=settings.kuberay is None,
        kubernetes=settings.kubernetes,
    )
