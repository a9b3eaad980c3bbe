"""Whatever a rule says, no secret of the manifest leaves the engine; and what is none stays readable."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.engine import Engine
from raylint.finding import Finding
from raylint.manifest import KubeObject
from raylint.rule import Location, Problem, Severity, rule
from raylint.secrets import Mask
from raylint.target import Target

if TYPE_CHECKING:
    from raylint.rule import Problems

SECRET = "hunter2-T0p.s3cret"


def every_path(data: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    paths = [path]
    if isinstance(data, dict):
        for key, value in data.items():
            paths += every_path(value, (*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            paths += every_path(item, (*path, index))
    return paths


@rule("XX001", Severity.INFO)
def quotes_everything(found: KubeObject) -> Problems:
    """The worst of all rules: it points at every value and quotes it wherever a rule can write."""
    for path in every_path(found.data):
        value: Any = found.data
        for step in path:
            value = value[step]
        text = f"the value is {value}"
        at = Location(found.document, found.path + path)
        yield Problem(at, text, effect=text, fix=text, label=text, because=[(at.key(), text)])


def findings(text: str) -> list[Finding]:
    return Engine((quotes_everything,), Target()).check("test.yaml", text.encode()).findings


def spoken(found: list[Finding]) -> str:
    """All that the findings say or show."""
    texts: list[str] = []
    for finding in found:
        texts += [finding.message, finding.effect, finding.fix, finding.identity]
        for place in (finding.place, *finding.related):
            texts += [place.label, *place.lines.values()]
    return "\n".join(texts)


def said_about(text: str) -> str:
    found = findings(text)
    assert found
    assert {finding.rule_id for finding in found} == {"XX001"}
    return spoken(found)


def manifest(body: str) -> str:
    return f"apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {{name: demo}}\n{body}\n"


HEAD = "spec:\n  headGroupSpec:\n    template:\n      spec:\n        containers:\n        - name: ray-head\n"


@pytest.mark.parametrize(
    "text",
    [
        manifest(f"spec:\n  gcsFaultToleranceOptions:\n    redisPassword:\n      value: {SECRET}"),
        manifest(f"spec: {{gcsFaultToleranceOptions: {{redisPassword: {{value: '{SECRET}'}}}}}}"),
        manifest(f"spec:\n  headGroupSpec:\n    rayStartParams:\n      redis-password: {SECRET}"),
        manifest(f"{HEAD}          env:\n          - name: REDIS_PASSWORD\n            value: {SECRET}"),
        manifest(f"{HEAD}          env:\n          - value: {SECRET}\n            name: HF_TOKEN"),
        manifest(f"{HEAD}          env:\n          - {{name: OPENAI_API_KEY, value: {SECRET}}}"),
        manifest(f"{HEAD}          env:\n          - {{name: WANDB_KEY, value: {SECRET}}}"),
        manifest(f"{HEAD}          env:\n          - {{name: AWS_SECRET_ACCESS_KEY, value: {SECRET}}}"),
        manifest(f"{HEAD}          env:\n          - {{name: CLIENT_SECRET, value: {SECRET}}}"),
        manifest(f"spec: {{gcsFaultToleranceOptions: {{redisAddress: 'redis://user:{SECRET}@redis:6379'}}}}"),
        manifest(f"spec: {{gcsFaultToleranceOptions: {{redisAddress: 'redis://:{SECRET}@redis:6379'}}}}"),
        manifest(f"spec: {{gcsFaultToleranceOptions: {{redisAddress: 'user:{SECRET}@redis:6379'}}}}"),
        manifest(f"{HEAD}          args: ['--redis-password={SECRET} --block', '--redis-password', 'x']"),
        manifest(f"{HEAD}          command: [redis-server, --requirepass, {SECRET}]"),
        manifest(
            f"{HEAD}          command: [bash, -c, 'export HF_TOKEN={SECRET}; ray start --redis-password {SECRET}']"
        ),
        manifest(f"spec:\n  serveConfigV2: |\n    runtime_env:\n      env_vars:\n        HF_TOKEN: {SECRET}"),
        manifest(f'spec:\n  serveConfigV2: |\n    env_vars: {{"API_KEY": "{SECRET}"}}'),
        manifest(f"spec:\n  runtimeEnvYAML: |\n    env_vars:\n      DB_PASSWORD: '{SECRET}'"),
        manifest(f"spec:\n  runtimeEnvYAML: |\n    working_dir: https://me:{SECRET}@git.example/app.zip"),
        manifest(
            f"{HEAD}          env:\n          - name: KEY_PASSPHRASE\n            value: |\n              {SECRET}"
        ),
        manifest(
            f"{HEAD}          env:\n          - name: A_PASSWORD\n            value: >-\n              {SECRET}\n"
        ),
        f"apiVersion: v1\nkind: List\nitems:\n- {{kind: Secret, data: {{opaque: {SECRET}}}}}\n- kind: ray.io\n",
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: ray.io}}\nstringData:\n  opaque: {SECRET}\n",
        json.dumps({"apiVersion": "ray.io/v1", "kind": "RayJob", "spec": {"redisPassword": {"value": SECRET}}}),
    ],
)
def test_secret_is_covered(text: str) -> None:
    assert SECRET in text
    said = said_about(text)
    assert SECRET not in said
    assert "*" * len(SECRET) in said


@pytest.mark.parametrize(
    "secret",
    [
        *("!bang-secret", "*star-secret", "&and-secret", "{brace-secret", "[list-secret", "|pipe-secret"),
        *('quo"te-secret', "quo'te-secret", "back\\slash-secret", "pass phrase with blanks", "ünï-cödé-secret"),
        *(">greater-secret", "tab\there-secret", "line\nbreak-secret", "a@b:c/d@e-secret", "#hash-secret"),
    ],
)
@pytest.mark.parametrize("write", [json.dumps, lambda text: json.dumps(text, ensure_ascii=False)])
@pytest.mark.parametrize("place", ["option", "env"])
def test_secret_of_odd_characters_is_covered_however_it_is_written(secret: str, write: object, place: str) -> None:
    assert callable(write)
    written = write(secret)
    text = (
        manifest(f"spec:\n  gcsFaultToleranceOptions:\n    redisPassword:\n      value: {written}")
        if place == "option"
        else manifest(f"{HEAD}          env:\n          - name: DB_PASSWORD\n            value: {written}")
    )
    said = said_about(text)
    assert written[1:-1] not in said
    assert all(part not in said for part in ("-secret", "phrase", "blanks"))


@pytest.mark.parametrize(
    "value",
    [
        "'it''s-secret'",
        "two-secret\n        words-secret",
        '"two-secret\n        words-secret"',
        '"\\x68unter2-secret"',
        ">\n        folded-secret\n        text-secret",
        "&anchor anchored-secret",
    ],
)
def test_secret_is_covered_in_every_style_of_yaml(value: str) -> None:
    said = said_about(manifest(f"spec:\n  gcsFaultToleranceOptions:\n    redisPassword:\n      value: {value}"))
    assert "-secret" not in said.replace("redis-secret", "")
    assert "value:" in said


@pytest.mark.parametrize(
    "line",
    [
        "image: registry.example:5000/rayproject/ray:2.43.0@sha256:" + "ab" * 32,
        "image: rayproject/ray@sha256:" + "ab" * 32,
        "- {name: REDIS_PASSWORD, valueFrom: {secretKeyRef: {name: redis-secret, key: VALKEY_PASSWORD}}}",
        "key: VALKEY_PASSWORD",
        "redis-password: $REDIS_PASSWORD",
        "redis-password: ${REDIS_PASSWORD}",
        "secretName: my-token-secret",
        "automountServiceAccountToken: false",
        "enableK8sTokenAuth: true",
        "topologyKey: kubernetes.io/hostname",
        "mode: token",
        "redisAddress: redis://redis.data.svc:6379",
        "url: https://example.com/a:b",
        "- {name: RAY_TLS_SERVER_KEY, value: /etc/ray/tls/tls.key}",
        "email: someone@example.com",
        "terminationGracePeriodSeconds: 30",
        "tokens: 5",
    ],
)
def test_innocent_text_is_left_alone(line: str) -> None:
    body = line if line.startswith("- ") else f"- {line}"
    text = manifest(f"spec:\n  things:\n  {body}")
    said = said_about(text)
    assert "*" not in said
    assert line.removeprefix("- ") in said


def test_a_short_secret_does_not_cover_the_words_around_it() -> None:
    assert "the value is" in said_about(manifest("spec: {gcsFaultToleranceOptions: {redisPassword: {value: e}}}"))


def test_columns_stay_true() -> None:
    mask = Mask({"password": SECRET})
    line = f"value: {SECRET} # after"
    assert mask(line) == f"value: {'*' * len(SECRET)} # after"
    assert len(mask(line)) == len(line)


def test_longest_secret_first() -> None:
    mask = Mask({"password": "abcdef", "token": "abc"})
    assert mask("abcdef and abc") == "****** and ***"


@given(st.dictionaries(st.text(max_size=10), st.text(min_size=3, max_size=30), max_size=5), st.text(max_size=60))
def test_mask_keeps_the_length(passwords: dict[str, str], text: str) -> None:
    assert len(Mask({f"{name}_PASSWORD": value for name, value in passwords.items()})(text)) == len(text)


def test_long_lines_take_no_time_worth_mentioning() -> None:
    """Patterns that go back over a line for each of its characters would not come back from these."""
    mask = Mask({})
    for text in ("a" * 500_000, "://" * 200_000, "password" * 60_000, "token" + " " * 500_000, ":" * 500_000):
        assert len(mask(text)) == len(text)


def test_deep_nesting_is_no_trouble() -> None:
    data: object = {"password": SECRET}
    for _ in range(5000):
        data = [data]
    assert Mask(data)("x") == "x"
