"""Admission as a function: what is let through unseen, what is refused, warned of and written down."""

from __future__ import annotations

import json
from typing import Any

import pytest
from marked_rules import RULES
from reviews import AUTOSCALER, CAPTURED, OPERATOR, captured, changed, cluster, create, update

from raylint.admission import Admission, Outcome, RuleFailedError
from raylint.admission_policy import AdmissionPolicy, Mode, RequestExemption
from raylint.admission_review import ReviewError
from raylint.engine import Engine
from raylint.finding import Severity
from raylint.packs import installed_rules
from raylint.target import Target

TODAY = "2026-11-30"
IMAGE = ("spec", "workerGroupSpecs", 0, "template", "spec", "containers", 0, "image")
BAD = changed(cluster(), *IMAGE, to="repo/bad:1")
OLD_VERSION = changed(cluster(), "spec", "rayVersion", to="2.9.0")


def judge(review: dict[str, Any], today: str = TODAY, **policy: Any) -> Outcome:
    engine = Engine(RULES, Target())
    return Admission(engine, AdmissionPolicy(**policy), RULES, "test+0").answer(review, today)


def response(review: dict[str, Any], **policy: Any) -> dict[str, Any]:
    found: dict[str, Any] = judge(review, **policy).response["response"]
    return found


def annotated(data: dict[str, Any], **annotations: str) -> dict[str, Any]:
    known = data["metadata"].get("annotations", {})
    return changed(data, "metadata", "annotations", to={**known, **annotations})


def told_to(fail: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    return annotated(data or cluster(), **{"ray.io/fail": fail})


def test_a_good_object_passes_without_a_word() -> None:
    outcome = judge(create(cluster()))
    assert outcome.response == {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {
            "uid": "3b1d0b0e-0000-4000-8000-000000000001",
            "allowed": True,
            "auditAnnotations": {"verdict": "allow", "ruleset": "test+0"},
        },
    }


def test_an_error_is_refused_as_invalid_with_its_causes() -> None:
    found = response(create(BAD))
    assert found["allowed"] is False
    status = found["status"]
    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert status["details"] == {
        "group": "ray.io",
        "kind": "RayCluster",
        "name": "demo",
        "causes": [
            {
                "reason": "ZZ101",
                "message": "[raylint ZZ101] image 'repo/bad:1' does not start; the pod waits for ever. "
                "Fix: name an image that exists",
                "field": "spec.workerGroupSpecs[0].template.spec.containers[0].image",
            }
        ],
    }
    head, line = status["message"].split("\n")
    assert head == "raylint refuses RayCluster team/demo: 1 finding"
    assert "spec.workerGroupSpecs[0].template.spec.containers[0].image: [raylint ZZ101]" in line


def test_a_warning_is_told_and_passes() -> None:
    found = response(create(OLD_VERSION))
    assert found["allowed"] is True
    assert found["warnings"] == [
        "raylint ZZ102 RayCluster team/demo spec.rayVersion: Ray 2.9.0 is old; fix: use a newer one"
    ]


def test_an_info_is_only_written_down() -> None:
    found = response(create(annotated(cluster(), **{"ray.io/note": "yes"})))
    assert "warnings" not in found
    notes = json.loads(found["auditAnnotations"]["findings"])
    assert [(note["rule"], note["mode"]) for note in notes] == [("ZZ103", "audit")]


def test_a_refusal_carries_the_milder_findings_as_warnings() -> None:
    found = response(create(changed(BAD, "spec", "rayVersion", to="2.9.0")))
    assert found["allowed"] is False
    assert [text.split()[1] for text in found["warnings"]] == ["ZZ102"]


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"operation": "DELETE", "object": None, "oldObject": BAD}, "operation"),
        ({"operation": "CONNECT", "object": None}, "operation"),
        ({"operation": "REPLACE"}, "operation"),
        ({"operation": ""}, "operation"),
        ({"subResource": "status"}, "subresource"),
        ({"subResource": "scale"}, "subresource"),
        ({"kind": {"group": "apps", "version": "v1", "kind": "Deployment"}}, "unknown_kind"),
        ({"kind": {"group": "ray.io", "version": "v1", "kind": "RayThing"}}, "unknown_kind"),
        ({"kind": None}, "unknown_kind"),
        ({"kind": {"group": "ray.io", "version": "v2", "kind": "RayCluster"}}, "unknown_version"),
    ],
)
def test_what_is_let_through_unseen(request_: dict[str, Any], reason: str) -> None:
    outcome = judge(create(BAD, **request_))
    assert (outcome.verdict, outcome.skipped) == ("skip", reason)
    assert outcome.response["response"] == {"uid": outcome.review.uid, "allowed": True}


def test_a_finalizer_can_always_be_taken_off() -> None:
    going = changed(BAD, "metadata", "deletionTimestamp", to="2026-11-30T10:00:00Z")
    old = changed(going, "metadata", "finalizers", to=["ray.io/gcs-ft-redis-cleanup-finalizer"])
    assert judge(update(old, going, OPERATOR)).skipped == "terminating"
    # Even where somebody changes the spec at the same time.
    worse = changed(going, "spec", "rayVersion", to="2.9.0")
    assert judge(update(old, worse)).skipped == "terminating"


@pytest.mark.parametrize(
    "change",
    [
        (("metadata", "labels"), {"team": "ml"}),
        (("metadata", "finalizers"), ["ray.io/rayjob-finalizer"]),
        (("metadata", "annotations"), {"kubectl.kubernetes.io/last-applied-configuration": "{}"}),
        (("metadata", "managedFields"), [{"manager": "kubectl"}]),
        (("status",), {"state": "ready"}),
    ],
)
def test_an_update_that_touches_nothing_that_is_linted(change: tuple[tuple[str, ...], Any]) -> None:
    path, value = change
    assert judge(update(BAD, changed(BAD, *path, to=value))).skipped == "unchanged"


def test_an_annotation_of_ray_is_linted() -> None:
    outcome = judge(update(cluster(), annotated(cluster(), **{"ray.io/needs-owner": "yes"})))
    assert outcome.verdict == "deny"


def owned(controller: bool = True, api_version: str = "ray.io/v1", kind: str = "RayJob") -> dict[str, Any]:
    owner = {"apiVersion": api_version, "kind": kind, "name": "job", "uid": "1", "controller": controller}
    return changed(BAD, "metadata", "ownerReferences", to=[owner])


def test_the_operator_may_make_what_a_parent_asked_for() -> None:
    outcome = judge(create(owned(), OPERATOR), operators=frozenset({OPERATOR}))
    assert (outcome.skipped, outcome.child_unverified) == ("operator_child", False)


def test_a_child_of_an_unknown_account_is_warned_of_and_counted() -> None:
    outcome = judge(create(owned()), operators=frozenset({OPERATOR}))
    assert (outcome.verdict, outcome.child_unverified) == ("warn", True)
    assert judge(create(owned()), unverified_children=Mode.ENFORCE).verdict == "deny"


@pytest.mark.parametrize(
    "data", [owned(controller=False), owned(api_version="apps/v1"), owned(kind="RayCluster"), BAD]
)
def test_the_operator_alone_makes_no_child(data: dict[str, Any]) -> None:
    outcome = judge(create(data, OPERATOR), operators=frozenset({OPERATOR}))
    assert (outcome.verdict, outcome.child_unverified) == ("deny", False)


def test_an_update_is_refused_only_for_what_it_brings() -> None:
    newer = changed(BAD, "spec", "headGroupSpec", "rayStartParams", to={"num-cpus": "0"})
    outcome = judge(update(BAD, newer))
    assert outcome.verdict == "warn"
    assert [decision.existing for decision in outcome.decisions] == [True]
    notes = outcome.response["response"]["auditAnnotations"]
    assert notes["would-deny"] == "ZZ101"
    # Programs are not told: nobody reads it.
    silent = judge(update(BAD, newer, AUTOSCALER))
    assert (silent.verdict, silent.decisions[0].mode) == ("allow", Mode.AUDIT)
    loud = judge(update(BAD, newer, AUTOSCALER), on_existing=(Mode.WARN, Mode.WARN))
    assert loud.verdict == "warn"


def test_another_bad_value_in_the_same_place_is_new() -> None:
    assert judge(update(BAD, changed(BAD, *IMAGE, to="repo/bad:2"))).verdict == "deny"


def test_another_finding_of_the_same_rule_is_new() -> None:
    groups = BAD["spec"]["workerGroupSpecs"]
    second = changed(groups[0], "groupName", to="cpu")
    outcome = judge(update(BAD, changed(BAD, "spec", "workerGroupSpecs", to=[second, *groups])))
    assert outcome.verdict == "deny"
    assert sorted(decision.existing for decision in outcome.decisions) == [False, True]
    assert len(outcome.response["response"]["status"]["details"]["causes"]) == 1


def test_the_order_of_groups_does_not_matter() -> None:
    groups = BAD["spec"]["workerGroupSpecs"]
    other = changed(changed(groups[0], "groupName", to="cpu"), "replicas", to=2)
    old = changed(BAD, "spec", "workerGroupSpecs", to=[groups[0], other])
    new = changed(BAD, "spec", "workerGroupSpecs", to=[other, groups[0]])
    outcome = judge(update(old, new))
    assert outcome.verdict == "warn"
    assert all(decision.existing for decision in outcome.decisions)


def test_what_is_found_at_a_mapping_stays_the_same_while_the_mapping_changes() -> None:
    old = annotated(cluster(), **{"ray.io/needs-owner": "yes"})
    assert judge(update(old, changed(old, "spec", "rayVersion", to="2.44.0"))).verdict == "warn"


def test_scaling_is_never_refused() -> None:
    group = ("spec", "workerGroupSpecs", 0)
    scaled = changed(
        changed(BAD, *group, "replicas", to=3), *group, "scaleStrategy", to={"workersToDelete": ["a"]}
    )
    assert judge(update(BAD, scaled, AUTOSCALER)).skipped == "scaling"
    suspended = changed(BAD, "spec", "suspend", to=True)
    assert judge(update(BAD, suspended, AUTOSCALER)).skipped == "scaling"
    # A person is told, also of what renaming the group makes new.
    assert judge(update(BAD, scaled)).verdict == "warn"


def test_scaling_and_more_is_an_update_like_others() -> None:
    scaled = changed(cluster(), "spec", "workerGroupSpecs", 0, "replicas", to=3)
    assert judge(update(cluster(), changed(scaled, *IMAGE, to="bad"), AUTOSCALER)).verdict == "deny"


@pytest.mark.parametrize("old", [None, {}])
def test_an_update_without_an_old_object_is_a_creation(old: dict[str, Any] | None) -> None:
    assert judge(update(old, BAD)).verdict == "deny"


def test_an_old_object_that_cannot_be_linted_makes_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(RULES, Target())
    admission = Admission(engine, AdmissionPolicy(), RULES, "")
    calls = iter([Engine.check_document])

    def check(engine: Engine, document: Any, words: Any) -> Any:
        return next(calls, _raise)(engine, document, words)

    def _raise(engine: Engine, document: Any, words: Any) -> Any:
        raise ValueError("broken")

    monkeypatch.setattr(Engine, "check_document", check)
    outcome = admission.answer(update(cluster(), BAD), TODAY)
    assert outcome.verdict == "warn"


@pytest.mark.parametrize("data", [BAD, OLD_VERSION, cluster()])
def test_a_dry_run_is_answered_as_the_real_thing(data: dict[str, Any]) -> None:
    real, dry = judge(create(data)), judge(create(data, dryRun=True))
    assert real.response == dry.response
    assert (real.review.dry_run, dry.review.dry_run) == (False, True)


def test_the_client_is_told_of_the_kind_that_it_called() -> None:
    asked = {"group": "ray.io", "version": "v1alpha1", "kind": "RayCluster"}
    outcome = judge(create(BAD, requestKind=asked))
    assert outcome.verdict == "deny"
    assert outcome.review.asked_version == "v1alpha1"


def test_a_name_that_is_still_to_be_made() -> None:
    data = changed(BAD, "metadata", to={"generateName": "demo-"})
    assert judge(create(data, name="")).review.shown == "RayCluster demo-?"
    data = changed(BAD, "metadata", to={"name": "demo-x7", "generateName": "demo-"})
    assert judge(create(data, name="")).review.name == "demo-x7"


@pytest.mark.parametrize("word", ["raise", "recurse"])
def test_a_rule_that_fails_stops_nobody(word: str) -> None:
    outcome = judge(create(told_to(word)))
    assert (outcome.verdict, outcome.failed) == ("warn", ["ZZ201"])
    assert outcome.response["response"]["warnings"] == [
        "raylint RayCluster team/demo: rule ZZ201 failed, not evaluated"
    ]
    # The others have judged.
    assert judge(create(told_to(word, BAD))).verdict == "deny"
    assert "hunter2" not in json.dumps(outcome.response)


def test_a_rule_that_fails_refuses_where_the_policy_says_so() -> None:
    outcome = judge(create(told_to("raise")), on_rule_error="deny")
    assert outcome.verdict == "deny"
    causes = outcome.response["response"]["status"]["details"]["causes"]
    assert [cause["message"] for cause in causes] == ["[raylint] rule ZZ201 failed, not evaluated"]
    with pytest.raises(RuleFailedError):
        judge(create(told_to("raise")), on_rule_error="error")
    # An update of what it failed on before goes through.
    newer = changed(told_to("raise"), "spec", "rayVersion", to="2.44.0")
    for setting in ("deny", "error"):
        assert judge(update(told_to("raise"), newer), on_rule_error=setting).verdict == "warn"


@pytest.mark.parametrize(
    ("policy", "verdict", "mode"),
    [
        ({"mode": Mode.WARN}, "warn", Mode.WARN),
        ({"mode": Mode.AUDIT}, "allow", Mode.AUDIT),
        ({"rules": {"ZZ101": Mode.WARN}}, "warn", Mode.WARN),
        ({"rules": {"ZZ101": Mode.AUDIT}}, "allow", Mode.AUDIT),
        ({"severities": {Severity.ERROR: Mode.WARN}}, "warn", Mode.WARN),
        ({"severities": {Severity.ERROR: Mode.AUDIT}, "rules": {"ZZ101": Mode.ENFORCE}}, "deny", Mode.ENFORCE),
        ({"namespaces": {"team": Mode.WARN}}, "warn", Mode.WARN),
        ({"namespaces": {"other": Mode.WARN}}, "deny", Mode.ENFORCE),
        ({"namespaces": {"*": Mode.WARN, "te*": Mode.ENFORCE}}, "deny", Mode.ENFORCE),
        ({"namespaces": {"te*": Mode.ENFORCE, "team": Mode.AUDIT}}, "allow", Mode.AUDIT),
        ({"kinds": {"RayCluster": Mode.WARN}}, "warn", Mode.WARN),
        ({"kinds": {"RayJob": Mode.WARN}}, "deny", Mode.ENFORCE),
        # A namespace lowers, and never raises.
        ({"mode": Mode.AUDIT, "namespaces": {"team": Mode.ENFORCE}}, "allow", Mode.AUDIT),
    ],
)
def test_modes(policy: dict[str, Any], verdict: str, mode: Mode) -> None:
    outcome = judge(create(BAD), **policy)
    assert (outcome.verdict, outcome.decisions[0].mode) == (verdict, mode)
    assert (outcome.response["response"]["auditAnnotations"].get("would-deny") == "ZZ101") == (
        outcome.decisions[0].own is Mode.ENFORCE and mode is not Mode.ENFORCE
    )
    assert outcome.decisions[0].held_back == (outcome.decisions[0].own is Mode.ENFORCE and verdict != "deny")


def test_what_enforce_would_let_through_as_well_is_not_held_back() -> None:
    """What was there before, what only scales, what is waived, what is a warning for itself."""
    scaled = changed(BAD, "spec", "workerGroupSpecs", 0, "replicas", to=2)
    waived = annotated(BAD, **{"raylint/ignore-ZZ101": "known"})
    old = changed(BAD, "spec", "rayVersion", to="2.40.0")
    for review in (update(old, BAD), update(BAD, scaled), create(waived)):
        (decision,) = judge(review, mode=Mode.WARN).decisions
        assert not decision.held_back
        assert judge(review).verdict != "deny"
    (warned,) = judge(create(BAD), mode=Mode.WARN, rules={"ZZ101": Mode.WARN}).decisions
    assert not warned.held_back


def test_a_rule_that_is_off_leaves_no_trace() -> None:
    outcome = judge(create(BAD), rules={"ZZ101": Mode.OFF})
    assert (outcome.verdict, outcome.decisions) == ("allow", [])


def test_a_warning_can_be_made_to_refuse() -> None:
    assert judge(create(OLD_VERSION), severities={Severity.WARNING: Mode.ENFORCE}).verdict == "deny"


@pytest.mark.parametrize(
    ("conditions", "type_"),
    [
        ({"namespaces": ("te*",)}, "namespace"),
        ({"users": ("alice",)}, "user"),
        ({"groups": ("system:authenticated",)}, "group"),
        ({"names": ("demo",)}, "name"),
        ({"kinds": ("RayCluster",), "namespaces": ("team",)}, "namespace"),
    ],
)
def test_an_exemption_lets_the_request_through_and_is_written_down(conditions: Any, type_: str) -> None:
    exemption = RequestExemption("playground", **conditions)
    outcome = judge(create(BAD), exemptions=(exemption,))
    assert outcome.skipped == f"exempt_{type_}"
    notes = outcome.response["response"]["auditAnnotations"]
    assert json.loads(notes["exemptions"]) == [{"type": type_, "reason": "playground"}]


@pytest.mark.parametrize(
    "conditions",
    [
        {"namespaces": ("prod",)},
        {"users": ("alic",)},
        {"groups": ("system:masters",)},
        {"names": ("dem",)},
        {"namespaces": ("team",), "users": ("bob",)},
        {"namespaces": ("team",), "expires": "2026-11-29"},
    ],
)
def test_an_exemption_that_does_not_fit(conditions: Any) -> None:
    assert judge(create(BAD), exemptions=(RequestExemption("no", **conditions),)).verdict == "deny"


def test_an_exemption_from_one_rule() -> None:
    exemption = RequestExemption("until the registry moves", rules=frozenset({"ZZ101"}), expires="2026-11-30")
    both = changed(BAD, "spec", "rayVersion", to="2.9.0")
    outcome = judge(create(both), exemptions=(exemption,))
    assert [(item.finding.rule_id, item.result) for item in outcome.decisions] == [
        ("ZZ101", "exempted"),
        ("ZZ102", "warn"),
    ]
    assert outcome.exemptions == [{"type": "rule", "rule": "ZZ101", "reason": "until the registry moves"}]
    assert judge(create(both), today="2026-12-01", exemptions=(exemption,)).verdict == "deny"


IGNORE = {"raylint/ignore": "ZZ101", "raylint/ignore-reason": "moves in May"}


@pytest.mark.parametrize(
    "annotations",
    [
        IGNORE,
        {**IGNORE, "raylint/ignore": " ZZ102 , bad-image "},
        {**IGNORE, "raylint/ignore-until": "2999-11-30"},
        {"raylint/ignore-ZZ101": "moves in May"},
        {"raylint/ignore-bad-image": "moves in May; until=2999-05-31"},
    ],
)
def test_an_annotation_ignores_a_rule_for_a_reason(annotations: dict[str, str]) -> None:
    outcome = judge(create(annotated(BAD, **annotations)))
    assert outcome.verdict == "allow"
    assert outcome.decisions[0].result == "exempted"
    assert outcome.exemptions == [{"type": "annotation", "rule": "ZZ101", "reason": "moves in May"}]
    assert "exemptions" in outcome.response["response"]["auditAnnotations"]


def test_an_annotation_of_a_template_covers_its_group() -> None:
    template = ("spec", "workerGroupSpecs", 0, "template", "metadata")
    data = changed(BAD, *template, to={"annotations": {"raylint/ignore-ZZ101": "moves in May"}})
    assert judge(create(data)).verdict == "allow"


@pytest.mark.parametrize(
    ("annotations", "policy", "notice"),
    [
        ({"raylint/ignore": "ZZ101"}, {}, "reason"),
        ({**IGNORE, "raylint/ignore-reason": " "}, {}, "reason"),
        ({"raylint/ignore-ZZ101": ""}, {}, "reason"),
        ({**IGNORE, "raylint/ignore-until": "2000-01-01"}, {}, "2000-01-01"),
        ({**IGNORE, "raylint/ignore-until": "soon"}, {}, "soon is no day"),
        ({**IGNORE, "raylint/ignore": "ZZ999"}, {}, "ZZ999"),
        (IGNORE, {"annotations": False}, "takes no suppressions from this object"),
        (IGNORE, {"annotation_namespaces": ("dev-*",)}, "takes no suppressions from this object"),
        (IGNORE, {"annotation_groups": ("platform",)}, "takes no suppressions from this object"),
        (IGNORE, {"locked": frozenset({"ZZ101"})}, "mandatory"),
    ],
)
def test_an_annotation_without_effect_is_told_of(
    annotations: dict[str, str], policy: dict[str, Any], notice: str
) -> None:
    outcome = judge(create(annotated(BAD, **annotations)), **policy)
    assert outcome.verdict == "deny"
    assert notice in outcome.response["response"]["warnings"][0]


GLASS = {"raylint/break-glass": "INC-4711"}
ONCALL: dict[str, Any] = {"break_glass_groups": frozenset({"system:authenticated"})}


def test_break_glass_lets_one_write_pass_and_everybody_hears_of_it() -> None:
    broken = annotated(BAD, **GLASS)
    outcome = judge(create(broken), **ONCALL)
    assert outcome.verdict == "warn"
    assert outcome.response["response"]["warnings"][0] == (
        "raylint RayCluster team/demo: passed by break-glass INC-4711 although refused by ZZ101"
    )
    record = {"type": "break-glass", "ticket": "INC-4711", "user": "alice", "rules": "ZZ101"}
    assert outcome.exemptions == [record]
    assert json.loads(outcome.response["response"]["auditAnnotations"]["exemptions"]) == [record]
    # The next write has the annotation already: the glass is used up.
    again = changed(broken, *IMAGE, to="bad:3")
    assert judge(update(broken, again), **ONCALL).verdict == "deny"
    assert (
        judge(update(broken, annotated(again, **{"raylint/break-glass": "INC-4712"})), **ONCALL).verdict == "warn"
    )


def test_break_glass_is_for_those_who_were_given_it() -> None:
    outcome = judge(create(annotated(BAD, **GLASS)))
    assert outcome.verdict == "deny"
    assert "does not give it to this user" in outcome.response["response"]["warnings"][0]
    assert judge(create(annotated(BAD, **GLASS)), break_glass_users=frozenset({"alice"})).verdict == "warn"
    assert judge(create(annotated(BAD, **{"raylint/break-glass": " "})), **ONCALL).verdict == "deny"


def test_glass_that_is_not_needed_is_not_broken() -> None:
    assert judge(create(annotated(cluster(), **GLASS)), **ONCALL).exemptions == []


def many(count: int) -> dict[str, Any]:
    group = BAD["spec"]["workerGroupSpecs"][0]
    groups = [changed(group, "groupName", to=f"group-{number}") for number in range(count)]
    return changed(BAD, "spec", "workerGroupSpecs", to=groups)


def test_a_refusal_has_at_most_twenty_causes_and_says_how_many_more() -> None:
    causes = response(create(many(25)))["status"]["details"]["causes"]
    assert len(causes) == 21
    assert causes[-1]["message"] == "[raylint] 5 more: run raylint on the manifest"
    assert len(response(create(many(20)))["status"]["details"]["causes"]) == 20


def test_warnings_stay_within_what_is_shown() -> None:
    warnings = response(create(many(100)), mode=Mode.WARN)["warnings"]
    assert all(len(text) <= 256 for text in warnings)
    assert sum(map(len, warnings)) <= 4096 - 256
    assert "more warnings: run raylint" in warnings[-1]


@pytest.mark.parametrize(
    "name", ["a\nforged: line", "tab\there", "\x1b[31mred", "del\x7f", "nel\x85", "rtl\u202eevil", "half\ud800"]
)
def test_texts_of_the_object_cannot_break_a_line(name: str) -> None:
    for mode in (Mode.ENFORCE, Mode.WARN):
        data = changed(changed(BAD, *IMAGE, to=f"bad {name}"), "metadata", "name", to=name)
        found = response(create(data), mode=mode)
        texts = [*found.get("warnings", ()), *found["auditAnnotations"].values()]
        texts += [cause["message"] for cause in found.get("status", {}).get("details", {}).get("causes", ())]
        texts += found.get("status", {}).get("message", "").split("\n")
        assert all(text.isprintable() for text in texts)
        assert len(found.get("status", {}).get("message", "").split("\n")) in (1, 2)


def test_secrets_are_covered_everywhere() -> None:
    secret = "s3cr3t-hunter2-value"
    data = changed(cluster(), *IMAGE, to=f"bad:{secret}")
    data = changed(data, *IMAGE[:-1], "env", to=[{"name": "REDIS_PASSWORD", "value": secret}])
    for mode in (Mode.ENFORCE, Mode.WARN, Mode.AUDIT):
        assert secret not in json.dumps(response(create(data), mode=mode))
    told = annotated(BAD, **{**IGNORE, "raylint/ignore-reason": "redis_password=opensesame9"})
    assert "opensesame9" not in json.dumps(response(create(told)))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "not_a_review"),
        ([], "not_a_review"),
        ("text", "not_a_review"),
        ({}, "not_a_review"),
        ({"kind": "Pod", "apiVersion": "v1"}, "not_a_review"),
        (
            {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1beta1", "request": {"uid": "1"}},
            "version",
        ),
        ({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}, "no_request"),
        ({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": []}, "no_request"),
        ({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": ""}}, "no_request"),
        ({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": 7}}, "no_uid"),
    ],
)
def test_what_is_no_review(data: Any, reason: str) -> None:
    with pytest.raises(ReviewError) as caught:
        judge(data)
    assert caught.value.reason in (reason, "no_uid")


@pytest.mark.parametrize("value", [None, {}, [], "", 0, 1.5, True, "text", [[]], {"a": {}}])
@pytest.mark.parametrize(
    "key", ["object", "oldObject", "options", "userInfo", "kind", "requestKind", "name", "namespace", "dryRun"]
)
@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_odd_requests_are_answered(operation: str, key: str, value: Any) -> None:
    review = update(cluster(), BAD)
    review["request"] |= {"operation": operation, key: value}
    outcome = judge(review)
    assert outcome.response["response"]["uid"] == review["request"]["uid"]
    del review["request"][key]
    assert judge(review).response["response"]["uid"] == review["request"]["uid"]


def test_the_answer_does_not_change_the_review() -> None:
    review = update(cluster(), many(3))
    before = json.dumps(review)
    judge(review)
    assert json.dumps(review) == before


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.stem)
def test_captured_reviews_pass(path: Any) -> None:
    """A real API server took them, and they hold nothing that the pack of this test objects to."""
    review = json.loads(path.read_bytes())
    outcome = judge(review)
    request = review["request"]
    assert outcome.response["response"]["allowed"] is True
    expected = {
        "operation": request["operation"] == "DELETE",
        "subresource": request["operation"] != "DELETE" and "subResource" in request,
    }
    for reason, holds in expected.items():
        assert (outcome.skipped == reason) == holds


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("09-", "unchanged"),
        ("12-", "unchanged"),
        ("17-", "unchanged"),
        ("18-", "unchanged"),
        ("19-", ""),
        ("26-", "terminating"),
        ("27-", "terminating"),
        ("30-raycluster-delete-orphan-2", "terminating"),
        ("01-", ""),
        ("33-", ""),
        ("34-", ""),
        ("51-", ""),
        ("15-", ""),
    ],
)
def test_why_captured_reviews_are_let_through(name: str, reason: str) -> None:
    assert judge(captured(name)).skipped == reason


def test_a_captured_child() -> None:
    review = captured("47-")
    user = review["request"]["userInfo"]["username"]
    assert judge(review, operators=frozenset({user})).skipped == "operator_child"
    assert judge(review).child_unverified


def test_a_policy_does_not_change() -> None:
    policy = AdmissionPolicy()
    with pytest.raises(AttributeError):
        policy.mode = Mode.OFF


def test_the_clock_changes_no_answer_and_knows_every_rule_that_ran() -> None:
    admission = Admission(Engine(RULES, Target()), AdmissionPolicy(), RULES, "test+0")
    for review in (create(BAD), update(cluster(), BAD), create(told_to("raise"))):
        plain, timed = admission.answer(review, TODAY), admission.answer(review, TODAY, timed=True)
        assert timed.response == plain.response
        assert plain.rule_seconds == {}
        # Each of the rules is for the kind of object that there is.
        assert set(timed.rule_seconds) == {rule.id for rule in RULES}
        assert all(seconds > 0 for seconds in timed.rule_seconds.values())
    left_alone = create(BAD, operation="DELETE")
    assert admission.answer(left_alone, TODAY, timed=True).rule_seconds == {}


def test_clusters_that_are_nested_without_end_are_compared() -> None:
    """As deep as a body may be; nothing that the CRD takes."""

    def nested(leaf: int) -> dict[str, Any]:
        spec: dict[str, Any] = {"a": leaf}
        for _ in range(195):
            spec = {"jobTemplate": spec}
        return changed(cluster(), "spec", to=spec)

    assert judge(update(nested(1), nested(2), user=AUTOSCALER)).skipped == ""
    assert judge(update(nested(1), nested(1), user=AUTOSCALER)).skipped == "unchanged"


# --- Rules on updates ------------------------------------------------------------------------------------------

UPDATE_RULES = [rule for rule in installed_rules() if rule.id == "RAY720"]
NEWER = changed(cluster(), *IMAGE, to="rayproject/ray:2.60.0")


def of_update(review: dict[str, Any], **policy: Any) -> Outcome:
    admission = Admission(Engine(UPDATE_RULES, Target()), AdmissionPolicy(**policy), UPDATE_RULES, "test+0")
    return admission.answer(review, TODAY)


def test_an_update_that_rolls_out_nothing_is_warned_of() -> None:
    outcome = of_update(update(cluster(), NEWER))
    assert outcome.verdict == "warn"
    (told,) = outcome.response["response"]["warnings"]
    assert told.startswith("raylint RAY720 RayCluster team/demo spec.workerGroupSpecs[0].template.spec")
    assert [decision.existing for decision in outcome.decisions] == [False]


def test_an_update_that_rolls_out_nothing_can_be_refused() -> None:
    enforced = {"rules": {"RAY720": Mode.ENFORCE}}
    outcome = of_update(update(cluster(), NEWER), **enforced)
    assert outcome.verdict == "deny"
    assert outcome.response["response"]["status"]["details"]["causes"][0]["reason"] == "RAY720"
    passes = annotated(NEWER, **{"raylint/ignore-RAY720": "pods are deleted by hand"})
    assert of_update(update(cluster(), passes), **enforced).verdict != "deny"


def test_what_has_no_object_from_before_is_no_update() -> None:
    assert of_update(create(NEWER)).decisions == []
    assert of_update(update(None, NEWER)).decisions == []
    assert of_update(update(cluster(), changed(cluster(), "spec", "rayVersion", to="2.60.0"))).decisions == []


def test_of_captured_updates_only_those_of_pods_are_told() -> None:
    """Those of the captured ones that an API server sent: scaled, suspended, labelled, annotated."""
    rules = [rule for rule in installed_rules() if rule.id.startswith("RAY72")]
    admission = Admission(Engine(rules, Target()), AdmissionPolicy(), rules, "test+0")
    reviews = [json.loads(path.read_bytes()) for path in CAPTURED]
    seen = [review for review in reviews if review["request"]["operation"] == "UPDATE"]
    assert len(seen) > 10
    assert [admission.answer(review, TODAY).decisions for review in seen] == [[] for _ in seen]
