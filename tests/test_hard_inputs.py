"""Inputs that once stopped a run, took minutes or were passed over in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raylint import document, engine
from raylint.collection import MOST_FINDINGS, Collection
from raylint.document import Document
from raylint.engine import Engine, FileResult
from raylint.finding import Confidence, Finding, Place, Severity, Span
from raylint.manifest import RayClusterObject, RayJob, objects
from raylint.packs import installed_rules
from raylint.reader import Reading, read, read_embedded
from raylint.registry import Choice, choose
from raylint.run import run
from raylint.scalars import KEYS, tagged
from raylint.selection import Selection
from raylint.target import Target
from raylint.wildmatch import Glob

HEAD = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\n"
NEEDLES = (b"ray.io", b"RayCluster", b"RayJob")
PRIVATE = "".join(map(chr, range(0xE000, 0xF900)))
CHOICE = choose(installed_rules())


def check(text: str | bytes, choice: Choice = CHOICE) -> FileResult:
    raw = text.encode() if isinstance(text, str) else text
    return Engine(choice.rules, Target(), choice.severities).check("f.yaml", raw)


def told(text: str | bytes) -> list[tuple[str, int]]:
    """Rules and lines of what is said of a file that is worth reading."""
    raw = text.encode() if isinstance(text, str) else text
    assert Engine(CHOICE.rules, Target()).concerns(raw)
    return [(finding.rule_id, finding.place.line) for finding in check(raw).findings]


def reading(text: str) -> Reading:
    return read("f.yaml", text.encode(), NEEDLES)


@pytest.mark.parametrize(("line", "key"), [("x: {a:}", "x"), ("\ufeffy: 1", "\ufeffy")])
def test_a_text_with_all_private_characters_is_read(line: str, key: str) -> None:
    [found] = reading(f"{HEAD}# {PRIVATE}\n{line}\n").documents
    assert isinstance(found.data, dict)
    assert key in found.data


def test_a_text_with_all_characters_is_refused() -> None:
    rest = "".join(map(chr, range(0x10001, 0x10FFFE)))
    [remark] = reading(f"{HEAD}# {PRIVATE}{rest}\nx: {{a:}}\n").remarks
    assert remark.message == "the text uses every character there is"


def test_a_failure_on_one_file_is_a_finding_and_the_others_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b", "c"):
        Path(tmp_path, f"{name}.yaml").write_text(HEAD)
    monkeypatch.chdir(tmp_path)

    secret = "s3cr3t"

    def reads(file: str, raw: bytes, needles: tuple[bytes, ...] = ()) -> Reading:
        if file == "b.yaml":
            raise StopIteration(secret)
        return read(file, raw, needles)

    monkeypatch.setattr(engine, "read", reads)
    choice = choose(installed_rules(), ["RL"], ["RL000"])
    report, _ = run(choice, Target(), Selection(["."]), debug=True)
    [failed] = report.findings
    assert (failed.rule_id, failed.place.file, failed.severity) == ("RL000", "b.yaml", Severity.ERROR)
    assert "StopIteration" in failed.message
    assert report.coverage.ray_files == 2
    trace = capsys.readouterr().err
    assert "StopIteration" in trace
    assert secret not in trace + failed.message


def test_a_mapping_is_gone_through_once_whatever_is_asked_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read_keys = []

    class Counted:
        def __getitem__(self, text: str) -> str | None:
            read_keys.append(text)
            return KEYS[text]

    [found] = reading(HEAD + "spec:\n" + "".join(f"  k{number}: {number}\n" for number in range(500))).documents
    monkeypatch.setattr(document, "KEYS", Counted())
    spans = [found.locate(("spec", f"k{number}")) for number in range(500)]
    assert [span and span.line for span in spans] == list(range(5, 505))
    assert len(read_keys) == 4 + 500


def test_merged_entries_are_found_as_before() -> None:
    text = f"{HEAD}a: &a\n  x: 1\n  z: 1\nb: &b\n  z: 2\nc:\n  x: 0\n  <<: [*b, *a]\nd:\n  <<: *a\n  z: 0\n"
    [found] = reading(text).documents
    lines = {path: span.line for path in ("c.x", "c.z", "d.x", "d.z") if (span := _at(found, path))}
    assert lines == {"c.x": 5, "c.z": 8, "d.x": 5, "d.z": 14}


def _at(found: Document, path: str) -> Span | None:
    return found.locate(tuple(path.split(".")))


def test_what_is_written_once_is_told_once() -> None:
    container = "{name: r, image: 'rayproject/ray:2.52.0', typo: 1}"
    group = "{groupName: g, template: {spec: {containers: *c}}}"
    text = (
        f"{HEAD}spec:\n  headGroupSpec: {{template: {{spec: {{containers: &c [{container}]}}}}}}\n"
        f"  workerGroupSpecs: [{', '.join([group] * 5)}]\n"
    )
    messages = [finding.message for finding in check(text).findings if finding.place.line == 5]
    assert len(messages) == len(set(messages))
    assert any("typo" in message for message in messages)


def test_a_live_object_keeps_what_is_told_at_different_paths() -> None:
    data = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "a"}, "spec": {"x": 1, "y": 1}}
    found = Engine(CHOICE.rules, Target()).check_document(Document.from_object(data)).findings
    paths = [finding.place.path for finding in found if finding.rule_id == "API001"]
    assert paths == [("spec", "x"), ("spec", "y")]


def many(number: int) -> str:
    return HEAD + "spec:\n  headGroupSpec: {}\n" + "".join(f"  k{at}: 1\n" for at in range(number))


def test_more_findings_than_shown() -> None:
    choice = choose(installed_rules(), ["API001"])
    everything = check(many(MOST_FINDINGS), choice).findings
    assert {finding.rule_id for finding in everything} == {"API001"}
    found = check(many(MOST_FINDINGS + 1), choice).findings
    assert len(found) == MOST_FINDINGS + 1
    assert (found[-1].rule_id, found[-1].severity) == ("RL013", Severity.ERROR)
    assert found[-1].message == "more findings than shown: this file has more than 1000"
    hidden = check(many(MOST_FINDINGS + 1), choose(installed_rules(), ["API001"], ["RL013"])).findings
    assert len(hidden) == MOST_FINDINGS
    milder = check(many(MOST_FINDINGS + 1), choose(installed_rules(), ["API001"], (), {"API001": "info"})).findings
    assert milder[-1].severity is Severity.INFO


def test_more_remarks_than_shown() -> None:
    text = HEAD + "".join(f"k{at}: 1\n" for at in range(1100)) * 2
    found = check(text, choose(installed_rules(), ["RL"])).findings
    assert len(found) == MOST_FINDINGS + 1
    assert (found[-1].rule_id, found[-1].severity) == ("RL013", Severity.WARNING)


def test_the_worst_of_what_is_left_out_counts() -> None:
    collection = Collection()
    for _ in range(2):
        collection.append(
            Finding(
                rule_id="XX001",
                rule_name="x",
                severity=Severity.INFO,
                confidence=Confidence.HIGH,
                message="m",
                effect="e",
                fix="f",
                place=Place("f", 0, (), Span(1, 1, 1, 2)),
            )
        )
    assert len(collection) == 1
    assert collection.worst_left_out is None
    for severity in (Severity.INFO, Severity.ERROR, Severity.WARNING):
        collection.leave_out(severity)
    assert collection.worst_left_out is Severity.ERROR


def test_many_quotes_that_nothing_closes_get_an_answer() -> None:
    [remark] = reading(HEAD + "x: [" + '"\\' * 40_001).remarks
    assert remark.message == "the list that begins here with `[` is never closed"


def test_brackets_behind_a_quote_that_nothing_closes_count() -> None:
    [remark] = reading(f'{HEAD}x: 5" [\ny: {{a: "b]", c: [\n').remarks
    assert remark.rule_id == "RL001"


def test_bytes_that_are_no_text_are_replaced_one_by_one() -> None:
    assert tagged("tag:yaml.org,2002:binary", "4oI=") == "\ufffd\ufffd"
    assert tagged("tag:yaml.org,2002:binary", "YeKCYsOk") == "a\ufffd\ufffdb\u00e4"
    assert tagged("tag:yaml.org,2002:binary", "/" * 1_000_000) == "\ufffd" * 750_000


def test_an_address_of_many_schemes_gets_an_answer() -> None:
    head = "headGroupSpec: {template: {spec: {containers: [{name: a, image: x}]}}}"
    options = f"gcsFaultToleranceOptions: {{redisAddress: '{'a://' * 250_000}'}}"
    assert ("RAY108", 5) in told(f"{HEAD}spec:\n  {options}\n  {head}\n")


@pytest.mark.parametrize("pattern", [b"[[:" * 100_000, b"?" * 1_000_000, b"[[:" * 1300, b"*" * 5000])
def test_patterns_that_no_path_fits_match_nothing(pattern: bytes) -> None:
    assert not Glob(pattern).matches(b"a")


def test_a_long_pattern_still_matches() -> None:
    assert Glob(b"?" * 4096).matches(b"a" * 4096)


BROKEN = "kind: RayCluster\nspec: [\n"


@pytest.mark.parametrize(
    "text",
    [
        f"apiVersion:\u00a0ray.io/v1\n{BROKEN}",
        f"apiVersion: >-\n  ray.io/v1\n{BROKEN}",
        f"apiVersion: |2-\n  ray.io/v1\n{BROKEN}",
        f"apiVersion: &a ray.io/v1\n{BROKEN}",
        f"apiVersion: !!str ray.io/v1\n{BROKEN}",
        f"apiVersion: &a !!str 'ray.io/v1'\n{BROKEN}",
        f"? apiVersion\n: ray.io/v1\n{BROKEN}",
        '{"kind": "RayCluster", "apiVersion":\n  "ray.io/v1", "spec": [}\n',
    ],
)
def test_broken_manifests_are_told_of_however_the_group_is_written(text: str) -> None:
    assert [rule_id for rule_id, _ in told(text)] == ["RL001"]


@pytest.mark.parametrize(
    "start", ["apiVersion: &a ray.io/v1", "? apiVersion\n: !!str ray.io/v1", '"api\\u0056ersion": ray.io/v1']
)
def test_a_kind_that_is_written_twice_is_told_of(start: str) -> None:
    remarks = reading(f"{start}\nkind: RayCluster\nkind: RayJob\n").remarks
    assert [remark.rule_id for remark in remarks] == ["RL010"]


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {ray.io/cluster: [}\n",
        "apiVersion: v1\nkind: Pod # RayCluster\nmetadata: [\n",
        "apiVersion: example.com/v1\nkind: RayJob\nmetadata: {name: a}\n",
        "apiVersion: cluster.ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\n",
        "kind: RayJob\ntarget: {name: a}\n",
        "- kind: RayCluster\n  path: spec\n",
        "Kind: RayJob\napiVersion: example.com/v1\nmetadata: {name: a}\n",
        "# RayService\nreplicas: 1\nspec: 2\n",
    ],
)
def test_what_is_no_business_of_ray_is_passed_over(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize("version", ["ray.oi/v1", "ray/v1", "ray.io", "Ray.io/v1", "v1", "rayio/v1"])
@pytest.mark.parametrize("kind", ["RayCluster", "RayJob", "RayService", "RayCronJob"])
def test_a_group_that_is_hardly_another(version: str, kind: str) -> None:
    text = f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n"
    assert told(text) == [("API011", 1)]
    assert check(text).findings[0].fix == "write apiVersion: ray.io/v1"


@pytest.mark.parametrize(
    ("text", "message", "key"),
    [
        ("apiversion: ray.io/v1\nkind: RayCluster\n", "no apiVersion", "apiversion"),
        ("api-version: v1\nkind: RayJob\nspec: {}\n", "no apiVersion", "api-version"),
        ("apiVersoin: v1\nkind: RayJob\nspec: {}\n", "no apiVersion", "apiVersoin"),
        ("apiVersion: ray.io/v1\nKind: RayCluster\n", "no kind", "Kind"),
        ("apiVersion: ray.io/v1\nkin: RayCluster\n", "no kind", "kin"),
        ("apiVersion: ray.io/v1\nmetadata: {name: a}\n", "no kind", ""),
        ("kind: RayService\nmetadata: {name: a}\n", "no apiVersion", ""),
    ],
)  # fmt: skip
def test_misspelt_keys(text: str, message: str, key: str) -> None:
    [found] = check(text).findings
    hint = f", but the key here is much like it: did you mean {message.removeprefix('no ')}?" if key else ""
    assert (found.rule_id, found.message) == ("RL001", f"the document has {message}{hint}")
    if key:
        line, span = text.split("\n")[found.place.line - 1], found.place.span
        assert span
        assert line[span.column - 1 : span.end_column - 1] == key


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32-le", "utf-32-be", "utf-32"])
@pytest.mark.parametrize("start", ["", "# \u4e2d\u56fd\u4e2d\u56fd\n", "\u4e2d: 1\n"])
def test_wide_encodings_are_told_of_with_a_mark_or_without(encoding: str, start: str) -> None:
    assert told((start + HEAD).encode(encoding)) == [("RL001", 1)]


def test_items_are_what_their_list_says() -> None:
    text = "apiVersion: ray.io/v1\nkind: {kind}\nitems:\n- metadata: {{name: a}}\n- kind: Service\n- 1\n"
    [found] = reading(text.format(kind="RayClusterList")).documents
    first, second = objects(found, Target())
    assert isinstance(first, RayClusterObject)
    assert (first.path, first.ref.name, first.api_version) == (("items", 0), "a", "ray.io/v1")
    assert (second.kind, second.api_version) == ("Service", "")
    [found] = reading(text.format(kind="RayJobList")).documents
    assert isinstance(next(objects(found, Target())), RayJob)
    assert isinstance(found.data, dict)
    assert found.data["items"][0] == {"metadata": {"name": "a"}}


def test_lists_within_lists_are_followed_however_deep() -> None:
    data: dict[str, object] = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "a"}}
    for _ in range(100):
        data = {"apiVersion": "v1", "kind": "List", "items": [data]}
    [found] = reading(json.dumps(data)).documents
    assert [view.ref.name for view in objects(found, Target())] == ["a"]
    assert len(next(objects(found, Target())).path) == 200


def test_an_embedded_text_with_all_private_characters_is_read() -> None:
    assert read_embedded(f"# {PRIVATE}\nx: {{a:}}\n") is not None
