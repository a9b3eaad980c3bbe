"""Suppressions: what they accept, and above all what they do not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raylint.cli import main
from raylint.document import Document
from raylint.engine import Engine, FileResult
from raylint.finding import Finding
from raylint.options import parse
from raylint.packs import installed_rules
from raylint.policy import Policies
from raylint.registry import choose
from raylint.report import Report
from raylint.run import run
from raylint.selection import Selection
from raylint.suppression import Ignores
from raylint.suppression_words import of_annotations, of_comment
from raylint.target import Target

pytest_plugins = ["sharing"]

CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
spec:
  gcsFaultToleranceOptions:
    redisAddress: "redis:6379"
  headGroupSpec:
    rayStartParams:
      num-cpus: "0"
    template:
      spec:
        restartPolicy: Never
        containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
  workerGroupSpecs:
    - groupName: first
      replicas: 1
      maxReplicas: 5
      rayStartParams: {}
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
    - groupName: second
      replicas: 1
      maxReplicas: 5
      rayStartParams: {}
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
"""
SERVICE = """\
apiVersion: ray.io/v1
kind: RayService
metadata:
  name: demo
spec:
  serveConfigV2: |
    applications:
      - name: app
        import_path: app:app
        route_prefx: /
        deployments:
          - name: one
            num_replica: 2
          - name: two
            num_replica: 3
  rayClusterConfig:
    headGroupSpec:
      rayStartParams: {}
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
"""
RULES = installed_rules()
IDS = [rule.id for rule in choose(RULES).rules]


def check(text: str, ignores: Ignores | None = None) -> FileResult:
    def wanted() -> Ignores:
        return ignores or Ignores(rules=lambda: RULES)

    return Engine(choose(RULES).rules, Target(), ignores=wanted).check("m.yaml", text.encode())


def at(findings: list[Finding]) -> set[tuple[str, int]]:
    return {(finding.rule_id, finding.place.line) for finding in findings}


def suppressed(text: str, ignores: Ignores | None = None) -> set[tuple[str, int]]:
    return at([accepted.finding for accepted in check(text, ignores).suppressed])


def complaints(text: str, ignores: Ignores | None = None) -> list[tuple[str, int, str]]:
    found = check(text, ignores).findings
    return [(f.rule_id, f.place.line, f.message) for f in found if f.rule_id in ("RL003", "RL005", "RL006")]


def put(text: str, line: str, comment: str) -> str:
    """The comment behind the first line that ends so."""
    assert f"{line}\n" in text
    return text.replace(f"{line}\n", f"{line} {comment}\n", 1)


def put_above(text: str, line: str, comment: str) -> str:
    before, _, after = text.partition(line)
    start = before.rpartition("\n")[2]
    return f"{before}{comment}\n{start}{line}{after}"


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (put(CLUSTER, "restartPolicy: Never", "# raylint: ignore[RAY101] a reason"), {("RAY101", 13)}),
        (put(CLUSTER, "restartPolicy: Never", "#raylint:ignore[restart-never-with-gcs-ft]"), {("RAY101", 13)}),
        (put(CLUSTER, "restartPolicy: Never", "# note # raylint: ignore[RAY101]"), {("RAY101", 13)}),
        # A related place counts: fault tolerance is on.
        (put(CLUSTER, "gcsFaultToleranceOptions:", "# raylint: ignore[RAY101]"), {("RAY101", 13)}),
        (put_above(CLUSTER, "headGroupSpec:", "# raylint: ignore[RAY101]\n  # and a note"), {("RAY101", 15)}),
        # A group, its item and all below, and nothing of the other group.
        (put(CLUSTER, "- groupName: first", "# raylint: ignore[RAY102,RAY351]"), {("RAY102", 24), ("RAY351", 26)}),
        (put_above(CLUSTER, "- groupName: second", "# raylint: ignore[RAY102]"), {("RAY102", 35)}),
        (put_above(CLUSTER, "workerGroupSpecs:", "# raylint: ignore[RAY102]"), {("RAY102", 25), ("RAY102", 35)}),
        (put(CLUSTER, "name: demo", "# raylint: ignore-object[RAY102]"), {("RAY102", 24), ("RAY102", 34)}),
        ("# raylint: ignore-file[RAY102] x\n" + CLUSTER, {("RAY102", 25), ("RAY102", 35)}),
        ("# raylint: ignore-file[RAY102]\n---\n" + CLUSTER, {("RAY102", 26), ("RAY102", 36)}),
        ("# raylint: ignore-file[RAY102]\na: 1\n---\n" + CLUSTER, {("RAY102", 27), ("RAY102", 37)}),
        # Above the first key: that key, not the document.
        ("# raylint: ignore[RAY102]\n" + CLUSTER, set()),
        (put(CLUSTER, "maxReplicas: 5", "# raylint: ignore[RAY102]"), set()),
        (put(CLUSTER, "maxReplicas: 5", "# raylint: ignore[RAY204] until=2999-01-01 soon"), {("RAY204", 20)}),
        (put(CLUSTER, "maxReplicas: 5", "# raylint: ignore[RAY204] until=2020-01-01 soon"), set()),
        # Nothing in a text that is no comment.
        (CLUSTER.replace("name: demo", 'name: "# raylint: ignore-object[RAY102]"'), set()),
    ],
)
def test_what_a_comment_covers(text: str, expected: set[tuple[str, int]]) -> None:
    every = at(check(text, Ignores(heed=False)).findings)
    assert suppressed(text) == expected
    assert expected <= every
    assert at([f for f in check(text).findings if not f.rule_id.startswith("RL")]) == every - expected


def test_flow_style_lists_and_objects_of_a_list() -> None:
    flow = CLUSTER.replace('      num-cpus: "0"\n', "").replace(
        "    rayStartParams:\n",
        '    rayStartParams: {\n      num-cpus: "0", # raylint: ignore[RAY205]\n      }\n',
        1,
    )
    assert suppressed(flow) == {("RAY205", 10)}
    behind = flow.replace(" # raylint: ignore[RAY205]", "").replace(
        "      }\n", "      } # raylint: ignore[RAY205]\n", 1
    )
    assert suppressed(behind) == {("RAY205", 10)}
    items = "".join(f"    {line}\n" for line in CLUSTER.splitlines()).replace("    api", "  - api", 1)
    text = f"apiVersion: v1\nkind: List\nitems:\n{items}{items}"
    marked = put(text, "name: demo", "# raylint: ignore-object[RAY102]")
    assert suppressed(marked) == {("RAY102", 27), ("RAY102", 37)}
    assert {line for rule, line in at(check(marked).findings) if rule == "RAY102"} == {64, 74}
    first = text.replace("  - api", "  # raylint: ignore[RAY102]\n  - api", 1)
    assert suppressed(first) == {("RAY102", 28), ("RAY102", 38)}


def test_comments_in_texts_that_raylint_parses() -> None:
    every = {("RAY602", 10), ("RAY602", 13), ("RAY602", 15)}
    assert {found for found in at(check(SERVICE).findings) if found[0] == "RAY602"} == every
    assert suppressed(put(SERVICE, "num_replica: 2", "# raylint: ignore[RAY602] x")) == {("RAY602", 13)}
    assert suppressed(put_above(SERVICE, "- name: two", "# raylint: ignore[RAY602]")) == {("RAY602", 16)}
    assert suppressed(put(SERVICE, "- name: app", "# raylint: ignore[RAY602]")) == every
    assert suppressed(put(SERVICE, "serveConfigV2: |", "# raylint: ignore[RAY602]")) == every
    assert suppressed(put(SERVICE, "num_replica: 2", "# raylint: ignore-object[RAY602]")) == every
    quoted = SERVICE.replace("serveConfigV2: |\n", 'serveConfigV2: "').replace(
        "  rayClusterConfig", '"\n  rayClusterConfig'
    )
    assert suppressed(put(quoted, "num_replica: 2", "# raylint: ignore[RAY602]")) == set()
    text = put(SERVICE, "num_replica: 2", "# raylint: ignore-file[RAY602]")
    assert complaints(text) == [
        ("RL003", 13, "this suppression counts for nothing: ignore-file stands above the first document")
    ]
    assert suppressed(text) == set()


@pytest.mark.parametrize(
    ("comment", "rule_id", "message"),
    [
        ("# raylint: ignore", "RL003", "it names no rules: write `ignore[RAY101]`"),
        ("# raylint: ignore RAY101", "RL003", "it names no rules"),
        ("# raylint: ignore[]", "RL003", "a rule's name is empty"),
        ("# raylint: ignore[RAY101,]", "RL003", "a rule's name is empty"),
        ("# raylint: ignore[RAY101", "RL003", "it names no rules"),
        ("# raylint: ignor[RAY101]", "RL003", "raylint knows no 'ignor' (did you mean ignore?)"),
        ("# raylint: disable[RAY101]", "RL003", "raylint knows no 'disable'; there are ignore, ignore-object"),
        ("# raylint ignore[RAY101]", "RL003", "a suppression begins with `# raylint: ignore[`"),
        ("# RayLint: Ignore[RAY101]", "RL003", "a suppression begins with"),
        ("# raylint: ignore[RAY101] until=tomorrow", "RL003", "until=tomorrow is no day"),
        ("# raylint: ignore[RAY101] until=2027-02-30", "RL003", "until=2027-02-30 is no day"),
        ("# raylint: ignore[RAY101] until=2999-01-01 until=2999-01-02", "RL003", "it has two days"),
        ("# raylint: ignore-file[RAY101]", "RL003", "ignore-file stands above the first document"),
        ("# raylint: ignore[RAY1O1]", "RL005", "this suppression names 'RAY1O1': unknown rule 'RAY1O1'"),
        ("# raylint: ignore[RAY1]", "RL005", "it is a family of rules, such as RAY101; name each of them"),
        ("# raylint: ignore[RL004]", "RL003", "RL004 is raylint's own remark and cannot be suppressed"),
        ("# raylint: ignore[RAY101] until=2020-01-31", "RL006", "this suppression of RAY101 ended on 2020-01-31"),
    ],
)
def test_what_counts_for_nothing_is_told(comment: str, rule_id: str, message: str) -> None:
    text = put(CLUSTER, "restartPolicy: Never", comment)
    found = complaints(text)
    assert [(id, line) for id, line, _ in found] == [(rule_id, 13)]
    assert message in found[0][2]
    assert suppressed(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        put_above(CLUSTER, "headGroupSpec:", "# raylint: ignore[RAY101]\n"),
        CLUSTER + "# raylint: ignore[RAY101]\n",
        "# raylint: ignore[RAY101]\n---\n" + CLUSTER,
    ],
)
def test_a_comment_above_nothing_covers_nothing(text: str) -> None:
    assert [rule_id for rule_id, _, message in complaints(text) if "covers nothing" in message] == ["RL003"]


@pytest.mark.parametrize(
    "word", ["# raylint is run in CI", "# see raylint.dev", "# linted", "# kube-linter: ignore"]
)
def test_other_comments_are_left_alone(word: str) -> None:
    assert complaints(put(CLUSTER, "restartPolicy: Never", word)) == []


def annotated(text: str, **annotations: object) -> str:
    return text.replace("  name: demo\n", f"  name: demo\n  annotations: {json.dumps(annotations)}\n", 1)


def test_annotations_of_the_object_and_of_templates() -> None:
    every = {("RAY102", 25), ("RAY102", 35)}
    assert suppressed(annotated(CLUSTER, **{"raylint/ignore-RAY102": "why; until=2999-01-01"})) == every
    assert (
        suppressed(annotated(CLUSTER, **{"raylint/ignore-worker-restart-never-without-autoscaler": ""})) == every
    )
    several = annotated(CLUSTER, **{"raylint/ignore": "RAY102, RAY101", "raylint/ignore-reason": "why"})
    assert suppressed(several) == every | {("RAY101", 14)}
    assert {accepted.reason for accepted in check(several).suppressed} == {"why"}
    assert suppressed(annotated(CLUSTER, **{"raylint/ignore-RAY102": "until=2020-01-01"})) == set()
    both = "{annotations: {raylint/ignore-RAY102: why, raylint/ignore-RAY351: why}}"
    grouped = CLUSTER.replace("      template:\n", f"      template:\n        metadata: {both}\n", 1)
    assert suppressed(grouped) == {("RAY102", 25), ("RAY351", 27)}
    shown = [(id, line) for id, line, _ in complaints(annotated(CLUSTER, **{"raylint/ignore-RAY9999": "why"}))]
    assert shown == [("RL005", 5)]


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ({"raylint/ignore-": "x"}, "a rule's name is empty"),
        ({"raylint/ignored": "x"}, "the key is raylint/ignore-RULE"),
        ({"raylint/ignore-RAY101": True}, "the value of an annotation is a text"),
        ({"raylint/ignore": "RAY101", "raylint/ignore-until": "soon"}, "until=soon is no day"),
        ({"raylint/ignore-until": "2999-01-01"}, "there is no raylint/ignore beside it"),
        (
            {"raylint.dev/ignore-RAY101": "why"},
            "the keys are raylint/ignore-RULE and raylint/ignore, as they stand",
        ),
        ({"raylint/ignore-reason": "why"}, "there is no raylint/ignore beside it"),
    ],
)
def test_annotations_that_count_for_nothing(annotations: dict[str, object], message: str) -> None:
    found = complaints(annotated(CLUSTER, **annotations))
    assert [rule_id for rule_id, _, _ in found] == ["RL003"]
    assert message in found[0][2]


def test_live_objects_have_annotations_alone() -> None:
    data = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "demo", "annotations": {"raylint/ignore-RAY202": "bounded by a quota"}},
        "spec": {
            "enableInTreeAutoscaling": True,
            "headGroupSpec": {
                "template": {"spec": {"containers": [{"name": "h", "image": "rayproject/ray:2.60.0"}]}}
            },
            "workerGroupSpecs": [{"groupName": "w", "template": {"spec": {"containers": []}}}],
        },
    }
    engine = Engine(choose(RULES).rules, Target(), ignores=lambda: Ignores(rules=lambda: RULES))
    result = engine.check_document(Document.from_object(data))
    assert [accepted.finding.rule_id for accepted in result.suppressed] == ["RAY202"]
    assert "RAY202" not in {finding.rule_id for finding in result.findings}


def test_the_configuration_may_ask_for_more() -> None:
    text = put(CLUSTER, "restartPolicy: Never", "# raylint: ignore[RAY101]")
    assert "it gives no reason" in complaints(text, Ignores(require_reason=True))[0][2]
    assert suppressed(text, Ignores(require_reason=True)) == set()
    reasoned = put(CLUSTER, "restartPolicy: Never", "# raylint: ignore[RAY101] why")
    assert suppressed(reasoned, Ignores(require_reason=True)) == {("RAY101", 13)}
    assert "at most 90 days" in complaints(text, Ignores(max_days=90))[0][2]
    dated = put(CLUSTER, "restartPolicy: Never", "# raylint: ignore[RAY101] until=2999-01-01")
    assert "and 90 are allowed" in complaints(dated, Ignores(max_days=90))[0][2]
    assert suppressed(dated, Ignores(max_days=10**6)) == {("RAY101", 13)}
    mandatory = Ignores(mandatory=frozenset({"RAY101"}))
    assert "RAY101 is mandatory in the configuration" in complaints(text, mandatory)[0][2]
    assert suppressed(text, mandatory) == set()


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Report]:
    monkeypatch.chdir(tmp_path)

    def reported(*words: str, **files: str) -> Report:
        for name, text in files.items():
            (tmp_path / f"{name}.yaml").write_text(text)
        policies = Policies(parse([*words, "."]), RULES)
        default = policies.default
        return run(default.choice, default.target, Selection(["."]), policies=policies)[0]

    return reported


def unused(report: Report) -> list[tuple[int, str]]:
    return [
        (f.place.line, f.message.split(": ")[1].split(" ")[0]) for f in report.findings if f.rule_id == "RL004"
    ]


def test_what_accepts_nothing_is_told_at_the_end(report: Callable[..., Report]) -> None:
    text = put(CLUSTER, "restartPolicy: Never", "# raylint: ignore[RAY101,RAY103,RAY107] x")
    assert unused(report(a=text)) == [(13, "RAY103")]
    # Nobody can tell of a rule that does not run, or that looks at several files.
    assert unused(report("--select", "RAY101", a=text)) == []
    assert unused(report("--ignore", "RL004", a=text)) == []
    assert unused(report("--no-ignores", a=text)) == []


def test_findings_over_several_files_are_accepted_in_any_of_them(report: Callable[..., Report]) -> None:
    def cluster(name: str) -> str:
        text = CLUSTER.replace("name: demo", f"name: {name}")
        return text.replace("redisAddress:", "externalStorageNamespace: shared\n    redisAddress:")

    def shared(found: Report) -> list[str]:
        return [f.place.file for f in found.findings if f.rule_id == "RAY107"]

    assert shared(report(a=cluster("a"), b=cluster("b")))
    for marked in ("a", "b"):
        files = {name: cluster(name) for name in ("a", "b")}
        files[marked] = put(
            files[marked], "externalStorageNamespace: shared", "# raylint: ignore[RAY107] one at a time"
        )
        found = report(**files)
        assert shared(found) == []
        assert [accepted.finding.rule_id for accepted in found.suppressed] == ["RAY107"]
        assert found.coverage.suppressed == 1


@pytest.mark.usefixtures("shares")
def test_the_report_counts_and_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = put(
        CLUSTER, "restartPolicy: Never", "# raylint: ignore[RAY101] head nodes are drained until=2999-01-01"
    )
    (tmp_path / "a.yaml").write_text(text)
    assert main(["--format", "json", "a.yaml"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["summary"]["suppressed"] == 1
    (entry,) = told["suppressed"]
    assert (entry["rule"], entry["file"], entry["line"]) == ("RAY101", "a.yaml", 13)
    assert (entry["by"], entry["reason"], entry["until"]) == ("comment", "head nodes are drained", "2999-01-01")
    assert entry["where"] == "a.yaml:13"
    assert main(["-j", "2", "."]) == 0
    assert "1 suppressed" in capsys.readouterr().out


def covered_lines(lines: list[str], number: int) -> set[int]:
    """What a comment on line ``number`` (from 0) covers in block style, told by the indentation alone."""
    if lines[number].lstrip().startswith("#"):
        number += 1
        while number < len(lines) and lines[number].lstrip().startswith("#"):
            number += 1
        if number == len(lines):
            return set()
    indent = len(lines[number]) - len(lines[number].lstrip())
    covered = {number}
    for below in range(number + 1, len(lines)):
        if not lines[below].lstrip().startswith("#") and len(lines[below]) - len(lines[below].lstrip()) <= indent:
            break
        covered.add(below)
    return covered


PLACED = st.tuples(
    st.integers(0, 200),
    st.booleans(),
    st.sampled_from(["ignore", "ignore-object", "ignore-file", "ignored"]),
    st.lists(st.sampled_from(["RAY101", "RAY102", "RAY204", "RAY205", "RAY351", "RAY602", "RAY1"]), max_size=2),
    st.sampled_from(["", " why", " until=2020-01-01", " why until=2999-01-01", " until=x"]),
)


@settings(max_examples=150)
@given(st.sampled_from([CLUSTER, SERVICE]), st.lists(PLACED, max_size=4))
def test_comments_anywhere_suppress_what_they_cover_and_nothing_else(
    text: str, placed: list[tuple[int, bool, str, list[str], str]]
) -> None:
    lines = text.splitlines()
    for position, above, verb, ids, rest in placed:
        number = position % len(lines)
        comment = f"# raylint: {verb}[{','.join(ids)}]{rest}"
        if above:
            indent = len(lines[number]) - len(lines[number].lstrip())
            lines.insert(number, " " * indent + comment)
        elif "#" not in lines[number]:
            lines[number] += f" {comment}"
    marked = "\n".join(lines) + "\n"
    every = check(marked, Ignores(heed=False)).findings
    expected = set()
    for number, line in enumerate(lines):
        code, hash, comment = line.partition("# raylint: ")
        if not hash or "until=2020" in comment or "until=x" in comment:
            continue
        verb, _, rest = comment.partition("[")
        ids = [id for id in rest.partition("]")[0].split(",") if id != "RAY1"]
        top = not code.strip() and all(above.startswith("#") for above in lines[:number])
        if verb == "ignore-object" or (verb == "ignore-file" and top):
            covered = set(range(len(lines)))
        elif verb == "ignore":
            covered = covered_lines(lines, number)
        else:
            continue
        for finding in every:
            places = {place.line - 1 for place in (finding.place, *finding.related)}
            if finding.rule_id in ids and places & covered:
                expected.add((finding.rule_id, finding.place.line))
    assert suppressed(marked) == expected


@settings(max_examples=150)
@given(
    st.sampled_from([CLUSTER, SERVICE, json.dumps({"apiVersion": "ray.io/v1", "kind": "RayCluster"}, indent=1)]),
    st.lists(
        st.tuples(st.integers(0, 4000), st.text(alphabet="# raylint:ignore[]RAY101,-\n\t&*{}'\"|é", max_size=30)),
        max_size=6,
    ),
)
def test_no_text_anywhere_is_too_much(text: str, inserted: list[tuple[int, str]]) -> None:
    for position, piece in inserted:
        at = position % (len(text) + 1)
        text = text[:at] + piece + text[at:]
    result = check(text)
    every = at_all(check(text, Ignores(heed=False)).findings)
    kept = at_all([f for f in result.findings if f.rule_id not in ("RL003", "RL005", "RL006")])
    assert sorted(kept + at_all([accepted.finding for accepted in result.suppressed])) == sorted(every)


def at_all(findings: list[Finding]) -> list[tuple[str, int, str]]:
    return [(finding.rule_id, finding.place.line, finding.message) for finding in findings]


@given(st.text())
def test_words_never_fail(text: str) -> None:
    for words in (*of_comment(text), *(words for _, words in of_annotations({f"raylint/ignore{text}": text}))):
        assert words.fault or words.rules
