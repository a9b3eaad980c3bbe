"""What Prometheus is told. No label takes a value that a client chooses: kinds, operations and rules are those
that are known, and anything else is ``other``."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Mapping

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import SummaryMetricFamily
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from raylint import __version__
from raylint.admission import KINDS, Outcome

__all__ = ["Metrics", "RuleTimes"]

_PREFIX = "raylint_webhook"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT")


class RuleTimes(Collector):
    """How long rules took in the reviews in which they were timed: a sum and a number for each that ran. A review
    has some hundred: to observe each by a metric's child would take as long as the rules do."""

    def __init__(self) -> None:
        self._of_rules: dict[str, tuple[int, float]] = {}

    def add(self, seconds: Mapping[str, float]) -> None:
        known = self._of_rules
        for rule, taken in seconds.items():
            count, total = known.get(rule, (0, 0.0))
            known[rule] = count + 1, total + taken

    def collect(self) -> Iterator[SummaryMetricFamily]:
        text = "What a rule takes of an object, of those for which rules are timed: ten a second at most."
        family = SummaryMetricFamily(f"{_PREFIX}_rule_duration_seconds", text, labels=("rule",))
        # In one step: the other thread adds while this one writes.
        for rule, (count, total) in sorted(dict(self._of_rules).items()):
            family.add_metric((rule,), count, total)
        yield family


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self.requests = self._counter("requests", "Reviews answered.", "operation", "kind", "verdict", "dry_run")
        self.duration = Histogram(
            f"{_PREFIX}_request_duration_seconds",
            "From the last byte of a review to its answer.",
            ("operation", "kind"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self.in_flight = self._gauge("requests_in_flight", "Reviews that wait for their answer.")
        self.connections = self._gauge("connections", "Open connections.")
        self.shed = self._counter("requests_shed", "Requests answered 503 because too many wait.")
        self.findings = self._counter("findings", "Findings.", "rule", "severity", "mode", "kind")
        text = "Findings that are let through by the policy's mode alone, which enforce would refuse."
        self.would_deny = self._counter("would_deny", text, "rule", "kind")
        self.skipped = self._counter("skipped", "Reviews for which no rule was run.", "reason")
        self.unverified = self._counter("child_unverified", "Children that no operator account made.")
        self.rule_errors = self._counter("rule_errors", "Rules that failed.", "rule")
        self.rule_times = RuleTimes()
        self._registry.register(self.rule_times)
        self.errors = self._counter("errors", "Requests answered 500.", "reason")
        self.bad_requests = self._counter("bad_requests", "Requests that are no reviews.", "reason")
        self.exemptions = self._counter("exemptions", "What was let through, and by what.", "type")
        self.timeouts = self._counter("connection_timeouts", "Connections cut for being slow.", "phase")
        self.clients_refused = self._counter("clients_refused", "Connections refused.", "reason")
        self.expiry = self._gauge("tls_certificate_expiry_timestamp_seconds", "When the certificate expires.")
        self.tls_reloads = self._counter("tls_reloads", "Attempts to load a changed certificate.", "result")
        text = "Is what is in the files in force (1), or was the last change refused (0)?"
        self.tls_reloaded = self._gauge("tls_last_reload_successful", text)
        self.config_reloaded = self._gauge("config_last_reload_successful", text)
        self.tls_reloaded.set(1)
        self.config_reloaded.set(1)
        self.self_checks = self._counter("self_checks", "Connections to the own port.", "result")
        self.config_reloads = self._counter(
            "config_reloads", "Attempts to load a changed configuration.", "result"
        )
        self.config_loaded = self._gauge("config_last_reload_success_timestamp_seconds", "When it was loaded.")
        self.config_info = self._gauge("config_info", "The configuration in force.", "hash")
        build = self._gauge("build_info", "This program.", "version", "python")
        build.labels(__version__, platform.python_version()).set(1)
        for result in ("success", "failure"):
            self.tls_reloads.labels(result)
            self.self_checks.labels(result)
            self.config_reloads.labels(result)
        self._shown_hash = ""
        self._known: dict[tuple[str, str, str, bool], tuple[Counter, Histogram]] = {}

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"{_PREFIX}_{name}_total", text, labels, registry=self._registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"{_PREFIX}_{name}", text, labels, registry=self._registry)

    def reviewed(self, outcome: Outcome, seconds: float) -> None:
        review = outcome.review
        kind = review.kind if review.kind in KINDS else "other"
        operation = review.operation if review.operation in _OPERATIONS else "other"
        request, duration = self._of_reviews(operation, kind, outcome.verdict, review.dry_run)
        request.inc()
        duration.observe(seconds)
        if outcome.skipped:
            self.skipped.labels(outcome.skipped).inc()
        for decision in outcome.decisions:
            finding = decision.finding
            self.findings.labels(finding.rule_id, finding.severity.label, decision.result, kind).inc()
            if decision.held_back:
                self.would_deny.labels(finding.rule_id, kind).inc()
        self.rule_times.add(outcome.rule_seconds)
        for rule in outcome.failed:
            self.rule_errors.labels(rule).inc()
        for entry in outcome.exemptions:
            self.exemptions.labels(entry["type"]).inc()
        if outcome.child_unverified:
            self.unverified.inc()

    def _of_reviews(self, operation: str, kind: str, verdict: str, dry_run: bool) -> tuple[Counter, Histogram]:
        """The children of the two metrics that every review has: to find them by their labels takes longer than to
        count. There are a hundred at most."""
        key = operation, kind, verdict, dry_run
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = (
                self.requests.labels(operation, kind, verdict, str(dry_run).lower()),
                self.duration.labels(operation, kind),
            )
        return found

    def configured(self, hash: str) -> None:
        self.config_loaded.set(time.time())
        if self._shown_hash:
            self.config_info.remove(self._shown_hash)
        self.config_info.labels(hash).set(1)
        self._shown_hash = hash

    def text(self) -> bytes:
        return generate_latest(self._registry)
