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
from raylint.reader import read
from raylint.remarks import REMARKS
from raylint.resolve import FileSecrets
from raylint.rule import Location, Problem, Severity, rule
from raylint.secret_forms import secret_forms
from raylint.secret_names import may_hold_secrets, written
from raylint.secrets import Mask, Secrets, blank, told
from raylint.target import Target
from raylint.veil import veiled, veiled_quotes

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


HEAD_PARAMS = "spec:\n  headGroupSpec:\n    rayStartParams:\n      "
ENV = f"{HEAD}          env:\n          - "
OPTIONS = "spec:\n  gcsFaultToleranceOptions: "
PASSWORD = "hunterxyz2"


def all_said(text: str) -> str:
    """All that findings and raylint's own remarks say, with the names and the paths that reports print."""
    engine = Engine((quotes_everything, *REMARKS), Target())
    found = engine.check("test.yaml", text.encode()).findings
    assert list(found)
    places = [place for finding in found for place in (finding.place, *finding.related)]
    names = [str(finding.object) for finding in found]
    return "\n".join([spoken(list(found)), *names, *(place.path_text for place in places)])


@pytest.mark.parametrize(
    "body",
    [
        f"{HEAD_PARAMS}redis-password: 73819264",
        f"{OPTIONS}{{redisPassword: {{value: 73819264}}}}",
        f"{ENV}{{name: REDIS_PASSWORD, value: 73819264}}",
        f"{ENV}{{name: REDIS_PASSWORD, value: 73819264.0}}",
        f"{ENV}{{name: REDIS_PASSWORD, value: 0x46664C0}}",
    ],
)
def test_numbers_are_secrets_too(body: str) -> None:
    said = all_said(manifest(body))
    assert all(text not in said for text in ("73819264", "73819200", "46664C0"))


def test_a_number_is_covered_only_where_it_stands_alone() -> None:
    mask = Mask({"password": 738})
    assert mask("'738', 738. and 17384, 738m") == "'***', ***. and 17384, 738m"


@pytest.mark.parametrize(
    "line", ["max_tokens: 4096", "enableToken: true", "token: null", "- {name: N, value: 12}"]
)
def test_counts_and_switches_are_no_secrets(line: str) -> None:
    assert "*" not in said_about(manifest(f"spec:\n  things:\n  {line if line[0] == '-' else '- ' + line}"))


@pytest.mark.parametrize(
    "body",
    [
        *(
            f"{OPTIONS}{{redisPassword: {below}}}"
            for below in (
                *("{valeu: hunterxyz2}", "{Value: hunterxyz2}", '{valueFrom: "hunterxyz2"}', "{hunterxyz2}"),
                *(
                    "{hunterxyz2: null}",
                    "{name: foo, value: hunterxyz2}",
                    "[hunterxyz2]",
                    "{a: [{b: hunterxyz2}]}",
                ),
            )
        ),
        *(
            f"{ENV}{entry}"
            for entry in (
                "{name: REDIS_PASSWORD, Value: hunterxyz2}",
                "{name: REDIS_PASSWORD, val: hunterxyz2}",
                "{name: REDIS_PASSWORD, valueFrom: hunterxyz2}",
                "{nmae: REDIS_PASSWORD, value: hunterxyz2}",
                *(
                    f"{{name: {name}, value: hunterxyz2}}"
                    for name in ("A_PASS", "A_AUTH", "HF_TOKENS", "SECRETKEY")
                ),
                "{name: A_PASSWORD, value: $hunterxyz2-x}",
                "{name: A, value: 'run --token hunterxyz2'}",
                "{name: A, value: 'Authorization: Bearer hunterxyz2'}",
                r'{name: A, value: "{\"MY_PASSWORD\": \"hunterxyz2\"}"}',
                "{name: A, value: b} # the password is hunterxyz2",
                "{name: A, value: b} # pw: hunterxyz2",
            )
        ),
    ],
)
def test_secret_in_misspelt_or_odd_places_is_covered(body: str) -> None:
    assert PASSWORD in body
    assert PASSWORD not in all_said(manifest(body))


@pytest.mark.parametrize(
    "line",
    [
        "{name: A_PASSWORD, valueFrom: {secretKeyRef: {name: store, key: sesame, optional: true}}}",
        "{name: A_PASSWORD, valueFrom: {fieldRef: {fieldPath: metadata.uid}}}",
        "{name: A_PASSWORD, value: $hunterxyz2}",
    ],
)
def test_references_stay_readable(line: str) -> None:
    assert line in said_about(manifest(f"{ENV}{line}"))


@pytest.mark.parametrize(
    "line",
    [
        "{name: my-secret, secret: {secretName: store, items: [{key: sesame, path: a}]}}",
        "{name: sa, projected: {sources: [{serviceAccountToken: {path: there, expirationSeconds: 600}}]}}",
    ],
)
def test_volumes_of_secrets_stay_readable(line: str) -> None:
    assert line in said_about(manifest(f"spec: {{volumes: [{line}]}}"))


@pytest.mark.parametrize(
    "body",
    [
        f"{OPTIONS}{{redisPassword: {{value: hunterxyz2}}, redisPassword: {{value: other99}}}}",
        f"{OPTIONS}{{redisPassword: {{value: hunterxyz2, value: other99}}}}",
        "spec:\n  options: {redisPassword: {value: hunterxyz2}}\n  options: {redisPassword: {value: other99}}",
        f"{HEAD_PARAMS}redis-password: hunterxyz2\n      redis-password: other99",
        f"{ENV}name: A_PASSWORD\n            value: hunterxyz2\n            value: other99",
    ],
)
def test_both_values_of_a_key_that_is_written_twice_are_covered(body: str) -> None:
    said = all_said(manifest(body))
    assert "is written twice" in said
    assert all(text not in said for text in (PASSWORD, "other99"))


def test_overridden_value_that_is_no_secret_is_shown() -> None:
    said = all_said(manifest("spec:\n  replicas: 11\n  replicas: 12"))
    assert "  replicas: 11\n" in said
    assert "  replicas: 12\n" in said


@pytest.mark.parametrize(
    "line",
    [
        *("a: *hunterxyz2", "a: !!int hunterxyz2", 'redis-password: "hunterxyz2', "redis-password: hunterxyz2: x"),
        *(
            '- {name: X_PASSWORD, value: "hunterxyz2" y}',
            "a: [hunterxyz2",
            "a: `hunterxyz2",
            "value: hunterxyz2 x: y",
        ),
        *(
            '"a": "hunterxyz2" "b"',
            "a: !x!hunterxyz2 y",
            "--- x\n---hunterxyz2",
            "a: {{ default 'hunterxyz2' }}\nb: [",
        ),
    ],
)
def test_nothing_of_what_cannot_be_read_is_shown(line: str) -> None:
    text = manifest(line if line.startswith("---") else f"{HEAD_PARAMS}{line}")
    assert PASSWORD not in all_said(text)
    found = list(Engine(REMARKS, Target()).check("a", text.encode()).findings)
    assert {finding.rule_id for finding in found} <= {"RL001", "RL008"}
    assert found[0].place.column


def test_what_cannot_be_read_keeps_its_shape() -> None:
    assert veiled('  - {name: A, "value": "b c", d: [e]} # f') == '  - {name: *, "value": *****, d: [*]} # *'
    assert veiled("a: b: c") == "a: *: *"
    assert veiled("--- a") == "--- *"
    assert veiled("{{- if .Values.x }}") == "{{- if .Values.x }}"


def test_quotes_of_what_cannot_be_read_are_covered_and_others_are_not() -> None:
    assert veiled_quotes("the alias `*abcd` names no anchor", ["a: *abcd"]) == "the alias `*****` names no anchor"
    assert veiled_quotes("no value can begin with `@`", ["a: @abcd"]) == "no value can begin with `@`"


@given(st.text(max_size=80))
def test_veil_keeps_the_length(text: str) -> None:
    assert len(veiled(text)) == len(text)


@pytest.mark.parametrize(
    "address",
    [
        *("redis://u:hunterxyz2,hunterxyz2@redis:6379", "redis://u:hunterxyz2 hunterxyz2@redis:6379"),
        *(
            "redis://u:a/hunterxyz2@redis:6379",
            "redis://u:x@hunterxyz2@redis:6379",
            "redis://u:'hunterxyz2@redis:6379",
        ),
        *('redis://u:\\"hunterxyz2@redis:6379', "redis://u:;hunterxyz2@redis:6379", " u:hunterxyz2@redis:6379"),
        *("redis:/u:hunterxyz2@redis:6379", "redis:6379,u:hunterxyz2@redis:6379", "hunterxyz2@redis:6379"),
        *("redis://u:hunterxyz2@sha256:6379", "u:hunterxyz2@sha256:6379", "redis://redis:6379?auth=hunterxyz2"),
        "redis://u:\\x68unterxyz2\\x40redis:6379",
    ],
)
@pytest.mark.parametrize("where", ["option", "variable"])
def test_whatever_a_redis_address_holds_before_the_host_is_covered(address: str, where: str) -> None:
    variable = f'{ENV}{{name: RAY_REDIS_ADDRESS, value: "{address}"}}'
    said = all_said(manifest(variable if where == "variable" else f'{OPTIONS}{{redisAddress: "{address}"}}'))
    assert PASSWORD not in said
    assert "unterxyz2" not in said
    assert "6379" in said or "x40" in address


def test_name_of_the_object_is_covered_where_it_is_a_secret() -> None:
    found = findings(manifest(f"{OPTIONS}{{redisPassword: {{value: demo}}}}"))
    assert {str(finding.object) for finding in found} == {"RayCluster ****"}


def test_endless_names_are_cut() -> None:
    found = findings(manifest("spec: {}").replace("demo", "d" * 100_000))
    assert {finding.object.name for finding in found if finding.object} == {"d" * 253 + "..."}


@pytest.mark.parametrize("kind", ["Secret", "RayCluster"])
def test_secrets_of_one_document_are_covered_in_the_others(kind: str) -> None:
    first = manifest(f"{ENV}{{name: INNOCENT, value: hunterxyz2}}")
    other = "metadata: {name: b}\nstringData: {opaque: hunterxyz2}\nspec: {redisPassword: hunterxyz2}\n"
    version = "v1" if kind == "Secret" else "ray.io/v1"
    assert PASSWORD not in all_said(f"{first}---\napiVersion: {version}\nkind: {kind}\n{other}")


def test_places_on_one_line_share_its_text() -> None:
    fields = ", ".join(f"a{number}: {number}" for number in range(300))
    found = findings(manifest(f"spec: {{{fields}, password: {SECRET}}}"))
    texts = [finding.place.lines[finding.place.line] for finding in found if finding.place.line == 4]
    assert len(texts) > 300
    assert len({id(text) for text in texts}) == 1


def test_objects_of_a_list_share_what_is_known_of_their_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    original = Mask.__init__

    def counted(self: Mask, *data: object) -> None:
        made.append(data)
        original(self, *data)

    monkeypatch.setattr(Mask, "__init__", counted)
    item = f"- {{apiVersion: ray.io/v1, kind: RayCluster, metadata: {{name: a}}, spec: {{password: {SECRET}}}}}\n"
    assert len(findings("apiVersion: v1\nkind: List\nitems:\n" + item * 50)) > 50
    assert len(made) == 1


def test_files_without_secrets_share_a_mask() -> None:
    text = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\n"
    masks = [FileSecrets(read("f.yaml", text.encode()).documents).mask for _ in range(2)]
    assert masks[0] is masks[1]
    assert masks[0] is not FileSecrets(read("f.yaml", f"{text}password: {SECRET}".encode()).documents).mask


def test_blank_covers_spans_that_overlap_once() -> None:
    assert blank("abcdefgh", [(4, 6), (1, 3), (2, 5), (7, 99)]) == "a*****g*"


def test_comment_tells_no_secret() -> None:
    assert told("# token: abc, key is def, a monkey") == "# token: **** key is **** a monkey"


def test_many_addresses_take_no_time_worth_mentioning() -> None:
    text = "a://b:c@d " * 80_000
    assert Mask({})(text) == "a://***@d " * 80_000


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


# fmt: off
_NAMES = st.sampled_from([
    "name", "value", "env", "data", "kind", "args", "password", "PASSPHRASE", "requirepass", "masterauth",
    "api-key", "API_KEY", "apikey", "accessKey", "secretKey", "private-key", "privatekey", "ssh_key",
    "tls-key", "credentials", "secret", "tokens", "max_tokens", "pwd", "db_pwd", "x-pwd", "pass", "db_pass",
    "pw", "db-pw", "basic_auth", "redisAddress", "RAY_REDIS_ADDRESS", "serveConfigV2", "valueFrom",
    "to\u212aen",
])
# fmt: on
_SCALARS = _NAMES | st.sampled_from(
    ["Secret", "hunter2", "--password", "redis://u:p@h", "h:6379?password=x", "token: hunter2", 4711, True, None]
)
_DATA = st.recursive(
    _SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(_NAMES, below, max_size=4),
    max_leaves=12,
)


@given(_DATA)
def test_a_text_without_signs_holds_no_secret(data: object) -> None:
    found = Secrets(data)
    anything = [found.texts, found.numbers, found.paths, found.keys, found.addresses, found.inner_paths]
    for text in (json.dumps(data, ensure_ascii=False).encode(), written(data)):
        if not may_hold_secrets(text):
            assert not any(anything)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("-----BEGIN RSA PRIVATE KEY-----", "MIIEowIBAAKC"),
        ("curl -u", "admin:hunter2 http://host"),
        ("mysql -u root", "-phunter2 db"),
        ("wandb login", "hunter2hunter2"),
    ],
)
def test_a_text_of_several_lines_with_a_secret_shows_a_sign(first: str, second: str) -> None:
    data = {"entrypoint": f"{first}\n{second}"}
    assert Secrets(data).texts
    assert may_hold_secrets(f"entrypoint: |\n  {first}\n  {second}\n".encode())
    assert may_hold_secrets(written(data))


def test_data_that_has_no_text_is_searched_only_where_it_shows_a_sign() -> None:
    harmless = {"kind": "RayCluster", "metadata": {"annotations": {"applied": '{"a":"b"}\n'}}}
    assert not may_hold_secrets(written(harmless))
    for value in ("password: x", "a\\\\b", "to\u212aen", "\ud800"):
        assert may_hold_secrets(written({**harmless, "spec": value}))
    deep: object = {}
    for _ in range(5000):
        deep = [deep]
    assert may_hold_secrets(written(deep))


@pytest.mark.parametrize(
    "raw", [b"password: x", b'"pass\\x77ord": x', b"!!binary cGFzc3dvcmQ=: x", "to\u212aen: x".encode(), None]
)
def test_a_text_that_may_hold_secrets_is_searched(raw: bytes | None) -> None:
    assert may_hold_secrets(raw)
    assert not may_hold_secrets(b"kind: RayCluster\nspec: {key: 1}\n")


FORMS = [
    "https://acc.blob.core.windows.net/c/x.zip?sv=2024&sig=SECRET",
    "http://b.s3.amazonaws.com/m.zip?X-Amz-Credential=AKIA1&X-Amz-Signature=SECRET",
    "https://x/y?api_token=SECRET&z=1",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=SECRET==;EndpointSuffix=core.windows.net",
    "redis-cli -h redis -a SECRET ping",
    "curl -s -u me:SECRET https://x",
    "curl --user me:SECRET https://x",
    "mysql -u root -pSECRET",
    "wandb login --relogin SECRET",
    "echo SECRET | docker login -u me --password-stdin",
    '{"token": "SECRET", "n": 1}',
    '{"nested": {"clientSecret": "SECRET"}}',
    "-----BEGIN RSA PRIVATE KEY-----\\nSECRET\\n-----END RSA PRIVATE KEY-----",
    "Authorization: Basic SECRET",
    "https://hooks.slack.com/services/T0/B0/SECRET",
    "ghp_SECRET",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.SECRET",
]


@pytest.mark.parametrize("text", FORMS)
def test_a_secret_is_known_by_its_form(text: str) -> None:
    text = text.replace("SECRET", "hunter2hunter2")
    masked = Mask({})(text)
    assert "hunter2" not in masked
    assert len(masked) == len(text)
    # Also where a rule quotes nothing but a part of the value.
    ((start, end), *_) = secret_forms(text)
    assert "hunter2" not in Mask({"spec": {"any": text}})(f"the part {text[start:end]} of it")


KEYS = [
    "sk-proj-" + "aB3d" * 12,
    "sk-ant-api03-" + "aB3_d-" * 8,
    "sk-" + "T3Blbk" * 8,
    "sk_live_" + "4eC39H" * 4,
    "pypi-" + "AgEIcH" * 12,
    "npm_" + "a1B2c3" * 6,
    "dop_v1_" + "0a1b" * 16,
    "dapi" + "0a1b" * 8,
    "AIza" + "Sy0_-" * 7,
    "gsk_" + "a1B2c3" * 8,
    "nvapi-" + "a1_B2-" * 10,
    "SG." + "a1B2" * 5 + "." + "a1_B2-" * 7,
    "xapp-1-" + "A0B1C2" * 8,
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("around", ["{}", "python train.py --with {} --fast", 'client = Client("{}")'])
def test_a_key_of_a_well_known_make_is_covered_under_any_name(key: str, around: str) -> None:
    text = around.replace("{}", key)
    data = {"env": [{"name": "OPTION", "value": text}]}
    masked = Mask(data)(text)
    assert key not in masked
    assert masked == around.replace("{}", "*" * len(key))
    assert key[:16] not in Mask(data)(f"of {key}")


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn-pipeline-with-many-words-in-it",
        "pypi-mirror.example.com",
        "npm_config_cache",
        "task-0123456789-0123456789-01",
    ],
)
def test_names_that_begin_like_a_key_are_shown(text: str) -> None:
    assert Mask({"a": text})(text) == text


@pytest.mark.parametrize("text", FORMS)
def test_a_form_that_holds_a_variable_is_shown(text: str) -> None:
    if text.startswith(("https://hooks", "ghp_", "eyJ", "-----", "curl")):
        return
    assert "$SECRET" in Mask({})(text.replace("SECRET", "$SECRET"))


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/x?version=2&page=3",
        "curl https://example.com/key",
        "redis-cli ping",
        "basic settings of the cluster",
        "the key: VALKEY_PASSWORD",
        '{"tokens": 5, "name": "secretary"}',
        "mysql -h db -P 3306",
        "hf_transfer",
    ],
)
def test_innocent_forms_are_shown(text: str) -> None:
    assert Mask({"a": text})(text) == text


@pytest.mark.parametrize("name", ["TOKEN1", "MY_TOKEN_VALUE", "SECRET_VALUE", "GITHUB_PAT", "redis-pasword"])
def test_more_names_of_secrets(name: str) -> None:
    assert Mask({"env": [{"name": name, "value": "hunter2"}]})("hunter2") == "*******"


def test_a_password_behind_the_option_of_redis_cli() -> None:
    data = {"command": ["/usr/bin/redis-cli", "-a", "hunter2", "-p", "6380"]}
    assert Mask(data)("hunter2 on 6380") == "******* on 6380"


def test_long_texts_with_hints_take_no_time_worth_mentioning() -> None:
    for hint in (
        "curl ",
        "redis-cli ",
        "mysql ",
        "?a",
        "token\\",
        "echo a ",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
    ):
        assert Mask({})(hint * 20_000)


def test_a_value_behind_its_variable_in_a_text_is_covered() -> None:
    data = {"containers": [{"env": "LEVEL debug DB_PASSWORD hunter2"}]}
    assert Mask(data)("LEVEL debug DB_PASSWORD hunter2") == "LEVEL debug DB_PASSWORD *******"
    assert Mask({"args": "DB_PASSWORD hunter2"})("hunter2") == "hunter2"


LINES = st.lists(
    st.sampled_from(["a: b", "PassWord: x", "import_path: y", "_pat", "h: user@host", "é", "t: \\x", ""])
)


@given(st.lists(LINES, min_size=1, max_size=4))
def test_lines_that_are_known_tell_what_the_whole_text_tells(texts: list[list[str]]) -> None:
    for lines in texts:
        raw = "\n".join(lines).encode()
        assert may_hold_secrets(raw, lines) == may_hold_secrets(raw)


def test_lines_that_are_remembered_are_bounded() -> None:
    for start in range(0, 6000, 300):
        lines = [f"k{number}: 1" for number in range(start, start + 300)]
        assert not may_hold_secrets("\n".join(lines).encode(), lines)
    many = [f"m{number}: 1" for number in range(3000)]
    assert not may_hold_secrets("\n".join(many).encode(), many)
    assert len(may_hold_secrets.__globals__["_harmless"]) <= 1024
