"""What the real server answers over TLS: to an API server, and to everything that is none."""

from __future__ import annotations

import itertools
import json
import ssl
import time
from pathlib import Path
from typing import Any

import pytest
from api_server import ApiServer, CallError, Connection, Reply, decided, request
from fuzzed import bodies
from reviews import CAPTURED, OPERATOR, changed, cluster, create, update
from server_process import ServerProcess, eventually, faulty_pack, serving

from raylint_webhook.decoding import BodyError, decode
from raylint_webhook.logs import Flood

BAD = changed(
    cluster(), "spec", "workerGroupSpecs", 0, "template", "spec", "containers", 0, "image", to="repo/bad:1"
)
STRANGE = "not judged: raylint does not know this kind or version"
REVIEW = json.dumps(create(cluster())).encode()


def told_to(fail: str) -> dict[str, Any]:
    return create(cluster(annotations={"ray.io/fail": fail}))


def send(api_server: ApiServer, data: bytes, timeout: float = 10.0) -> Reply:
    connection = api_server.connect()
    try:
        connection.send(data)
        return connection.reply(timeout)
    finally:
        connection.close()


def test_every_captured_review_is_answered_over_one_connection(api_server: ApiServer) -> None:
    """All are allowed but for one, whose container has no image: no pod could be made of it."""
    refused = {}
    for path in CAPTURED:
        result = api_server.call(json.loads(path.read_bytes()))
        if not result.allowed:
            refused[path.name] = result.message
    assert list(refused) == ["24-raycluster-create-defaulted.json"]
    assert "image: Required value" in refused["24-raycluster-create-defaulted.json"]
    assert api_server.connections_made == 1


def test_a_refusal_as_the_api_server_passes_it_on(api_server: ApiServer) -> None:
    result = api_server.call(create(BAD))
    assert (result.allowed, result.code, result.reason) == (False, 422, "Invalid")
    assert [cause["reason"] for cause in result.causes] == ["ZZ101"]
    assert result.annotations["verdict"] == "deny"


def test_a_refusal_is_no_matter_of_failure_policy(server: ServerProcess) -> None:
    client = ApiServer(server.port, server.authority.certificate, failure_policy="Ignore")
    assert not client.call(create(BAD)).allowed
    assert client.call(told_to("hang")).failed_open
    client.close()


def test_the_operator_passes(api_server: ApiServer) -> None:
    owner = {"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "j", "uid": "1", "controller": True}
    child = changed(BAD, "metadata", "ownerReferences", to=[owner])
    assert api_server.call(create(child, OPERATOR)).allowed
    assert api_server.call(create(child)).allowed
    assert api_server.call(update(child, child, OPERATOR)).allowed


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (b"", 400, "the body is empty"),
        (b" ", 400, "no JSON"),
        (b"{", 400, "no JSON"),
        (REVIEW[:-40], 400, "no JSON"),
        (REVIEW + b"{}", 400, "no JSON"),
        (b"[]", 400, "no AdmissionReview"),
        (b"null", 400, "no AdmissionReview"),
        (b"7", 400, "no AdmissionReview"),
        (b'"AdmissionReview"', 400, "no AdmissionReview"),
        (b"{}", 400, "no AdmissionReview"),
        (REVIEW.replace(b"k8s.io/v1", b"k8s.io/v1beta1", 1), 400, "not of admission.k8s.io/v1"),
        (b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', 400, "no request"),
        (REVIEW.replace(b"3b1d0b0e-0000-4000-8000-000000000001", b""), 400, "no uid"),
        (REVIEW.replace(b'"replicas": 1', b'"replicas": NaN'), 400, "no JSON"),
        (REVIEW.replace(b'"replicas": 1', b'"replicas": Infinity'), 400, "no JSON"),
        (REVIEW.replace(b'"replicas": 1', b'"replicas": 1e999'), 400, "no JSON"),
        (REVIEW.replace(b'"replicas": 1', b'"replicas": ' + b"9" * 5000), 400, "no JSON"),
        (REVIEW.replace(b"gpu", b"\xff\xfe"), 400, "no JSON"),
        (REVIEW.replace(b"gpu", b"\xc3"), 400, "no JSON"),
        (b"\xef\xbb\xbf" + REVIEW, 400, "no JSON"),
        (REVIEW.decode().encode("utf-16"), 400, "no JSON"),
        (b"\x00" * 100, 400, "no JSON"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, 400, "more than 200 levels"),
        (b"[" * 900 + b"]" * 900, 400, "no AdmissionReview"),
        (b'{"kind":' + b"[" * 900 + b"]" * 900 + b"}", 400, "more than 200 levels"),
        (b"[" * 3_000_000, 400, "no JSON"),
        (b"[" * 1_500_000 + b"]" * 1_500_000, 400, "no JSON"),
        (b"x" * (4 << 20), 400, "no JSON"),
        (b"x" * ((4 << 20) + 1), 413, "a body has at most"),
    ],
)
def test_bodies_that_are_no_review(api_server: ApiServer, body: bytes, status: int, text: str) -> None:
    reply = send(api_server, request(body))
    assert (reply.status, reply.headers["content-type"]) == (status, "text/plain; charset=utf-8")
    assert text in reply.body.decode()
    assert reply.headers["connection"] == "close"
    assert api_server.call(create(cluster())).allowed


def test_what_a_deep_object_holds_is_bounded_as_well(api_server: ApiServer) -> None:
    deep: Any = 1
    for _ in range(180):
        deep = [deep]
    assert api_server.call(
        create(changed(cluster(), "spec", "headGroupSpec", "serviceAnnotations", to=deep))
    ).allowed


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"GET /validate HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (b"PUT /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 405),
        (b"DELETE /validate?timeout=5s HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (b"OPTIONS /validate HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (request(REVIEW, path="/"), 404),
        (request(REVIEW, path="/validate/"), 404),
        (request(REVIEW, path="/docs"), 404),
        (request(REVIEW, path="/openapi.json"), 404),
        (request(REVIEW, path="/metrics"), 404),
        (request(REVIEW, **{"Content-Type": "text/plain"}), 415),
        (request(REVIEW, **{"Content-Type": ""}), 415),
        (request(REVIEW, **{"Content-Type": "application/jsonx"}), 415),
        (request(REVIEW, **{"Content-Encoding": "gzip"}), 415),
        (request(REVIEW, **{"Content-Length": str(1 << 40)}), 413),
        (request(REVIEW, **{"Content-Length": "9" * 400}), 400),
        (request(REVIEW, **{"Content-Length": "-1"}), 400),
        (request(REVIEW, **{"Content-Length": "ten"}), 400),
        (b"nonsense\r\n\r\n", 400),
        (b"POST /validate HTTP/9.9\r\n\r\n", 400),
        (b"\x16\x03\x01\x00\x00" * 20, 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    ],
)
def test_requests_that_are_none(api_server: ApiServer, raw: bytes, status: int) -> None:
    reply = send(api_server, raw)
    assert (reply.status, reply.headers["content-type"]) == (status, "text/plain; charset=utf-8")
    assert "server" not in reply.headers
    assert api_server.call(create(cluster())).allowed


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json ;a=b"]
)
def test_content_types_that_are_taken(api_server: ApiServer, kind: str) -> None:
    assert send(api_server, request(REVIEW, **{"Content-Type": kind})).status == 200


@pytest.mark.parametrize("query", ["", "?timeout=5s", "?timeout=30s", "?timeout=x", "?timeout=1s&a=b", "?a=%ff"])
def test_the_query_is_taken(api_server: ApiServer, query: str) -> None:
    assert send(api_server, request(REVIEW, path=f"/validate{query}")).status == 200


def test_a_chunked_body(api_server: ApiServer) -> None:
    head = request(b"", **{"Content-Length": "", "Transfer-Encoding": "chunked"})
    pieces = [REVIEW[at : at + 700] for at in range(0, len(REVIEW), 700)]
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    assert send(api_server, head + body + b"0\r\n\r\n").status == 200


def test_a_chunked_body_without_an_end_is_cut_at_the_limit(api_server: ApiServer, server: ServerProcess) -> None:
    connection = api_server.connect()
    connection.send(request(b"", **{"Content-Length": "", "Transfer-Encoding": "chunked"}))
    piece = b"%x\r\n%s\r\n" % (1 << 16, b"[" * (1 << 16))
    # The server takes in and forgets what still comes while it says goodbye, and not for long.
    assert connection.send_until_cut(itertools.repeat(piece))
    connection.close()
    eventually(lambda: server.metric("bad_requests_total", reason="size") > 0)


def test_headers_without_an_end_are_cut(api_server: ApiServer, server: ServerProcess) -> None:
    connection = api_server.connect()
    connection.send(b"POST /validate HTTP/1.1\r\n")
    assert connection.send_until_cut(b"X-%d: %s\r\n" % (number, b"a" * 1_000) for number in range(2_000))
    connection.close()
    assert server.metric("connection_timeouts_total", phase="headers") > 0
    reply = send(api_server, request(REVIEW, **{"X-Long": "a" * 65_536}))
    assert reply.status == 431


def test_a_body_that_ends_early(api_server: ApiServer) -> None:
    connection = api_server.connect()
    connection.send(request(REVIEW)[:-100])
    connection.socket.close()
    assert api_server.call(create(cluster())).allowed


def test_requests_one_behind_the_other(api_server: ApiServer) -> None:
    """In one piece, as no API server does it: each is answered, in order."""
    connection = api_server.connect()
    reviews = [create(cluster(), uid=f"uid-{number}") for number in range(5)]
    connection.send(b"".join(request(json.dumps(review).encode()) for review in reviews))
    for review in reviews:
        assert decided(review["request"]["uid"], connection.reply().body).allowed
    connection.close()


def test_no_other_protocol_is_spoken(server: ServerProcess, api_server: ApiServer) -> None:
    plain = Connection(("127.0.0.1", server.port), None, 5)
    plain.send(request(REVIEW))
    with pytest.raises(CallError):
        plain.reply(5)
    plain.close()
    old = ssl.create_default_context(cadata=server.authority.certificate.decode())
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(ssl.SSLError):
        Connection(("127.0.0.1", server.port), old, 5)
    connection = api_server.connect()
    assert isinstance(connection.socket, ssl.SSLSocket)
    assert connection.socket.version() == "TLSv1.3"
    connection.close()


@pytest.mark.parametrize("word", ["raise", "recurse"])
def test_a_rule_that_fails(api_server: ApiServer, server: ServerProcess, word: str) -> None:
    before = server.metric("rule_errors_total", rule="ZZ201")
    result = api_server.call(told_to(word))
    assert result.allowed
    assert result.warnings == ["raylint RayCluster team/demo: rule ZZ201 failed, not evaluated"]
    assert server.metric("rule_errors_total", rule="ZZ201") == before + 1
    eventually(lambda: server.logged("a rule failed"))
    line = server.logged("a rule failed")[-1]
    assert any("marked_rules.py" in frame for frame in line["error"])
    assert line["uid"] == told_to(word)["request"]["uid"]
    assert (line["kind"], line["namespace"], line["name"]) == ("ray.io/v1/RayCluster", "team", "demo")
    assert "hunter2" not in server.log.read_text()


def test_a_rule_that_never_ends_is_ended(api_server: ApiServer, server: ServerProcess) -> None:
    result = api_server.call(told_to("hang"))
    uid = told_to("hang")["request"]["uid"]
    assert result.message == (
        f'failed calling webhook "test": raylint: evaluation took longer than 0.5 s (request {uid})'
    )
    assert api_server.call(create(cluster())).allowed
    assert server.metric("errors_total", reason="deadline") > 0
    eventually(lambda: [line for line in server.logged("not answered") if line["uid"] == uid])
    line = server.logged("not answered")[-1]
    assert any("marked_rules.py" in frame for frame in line["error"])
    assert (line["kind"], line["namespace"], line["name"]) == ("ray.io/v1/RayCluster", "team", "demo")
    assert server.health("/livez")[0] == 200


def test_the_limit_that_was_in_force_is_named(tmp_path: Path) -> None:
    with serving(tmp_path / "server", "--evaluation-timeout", "8", path=[faulty_pack(tmp_path)]) as own:
        impatient = ApiServer(own.port, own.authority.certificate, timeout=1.0)
        message = impatient.call(told_to("hang")).message
        impatient.close()
    assert "raylint: evaluation took longer than 0.5 s, for the API server waits 1s (request " in message


def test_logs_tell_of_requests_and_not_of_what_is_in_them(api_server: ApiServer, server: ServerProcess) -> None:
    forged = 'a\n{"level":"info","message":"review","verdict":"allow","uid":"forged"}\x1b[2J'
    data = changed(BAD, "metadata", "annotations", to={"raylint/ignore": "ZZ101", "raylint/ignore-reason": forged})
    data = changed(data, "spec", "headGroupSpec", "rayStartParams", to={"redis-password": "hunter2hunter2"})
    review = create(data, uid="log-test", userInfo={"username": forged, "extra": {"token": ["hidden-id"]}})
    assert api_server.call(review).allowed
    eventually(lambda: any(line.get("uid") == "log-test" for line in server.lines()))
    (line,) = (line for line in server.lines() if line.get("uid") == "log-test")
    assert line["verdict"] in ("allow", "warn")
    assert {"rule": "ZZ101", "mode": "exempted"}.items() <= next(
        item for item in line["findings"] if item["rule"] == "ZZ101"
    ).items()
    assert not any(line.get("uid") == "forged" for line in server.lines())
    text = server.log.read_text()
    assert text.isascii()
    assert not any(secret in text for secret in ("hunter2", "hidden-id", "repo/bad", "\x1b"))


def test_a_flood_of_bad_requests_is_counted_and_not_written_down(
    api_server: ApiServer, server: ServerProcess
) -> None:
    def lines() -> list[dict[str, Any]]:
        return [line for line in server.logged("refused") if line["reason"] == "json"]

    counted, written, began = server.metric("bad_requests_total", reason="json"), len(lines()), time.monotonic()
    for _ in range(200):
        assert api_server.post(b"{", 10).status == 400
    took = time.monotonic() - began
    assert server.metric("bad_requests_total", reason="json") == counted + 200
    assert len(lines()) - written <= 10 + took + 1
    # Another cause is told of all the same, and the flood by its next line.
    api_server.post(b"", 10)
    eventually(lambda: [line for line in server.logged("refused") if line["reason"] == "empty"])
    eventually(lambda: api_server.post(b"{", 10).status == 400 and "left_out" in lines()[-1])


@pytest.mark.parametrize("level", [b'{"a":%s}', b"[%s]", b"[0,%s,0]"])
def test_two_hundred_levels_and_not_one_more(level: bytes) -> None:
    body = b"1"
    for _ in range(199):
        body = level % body
    assert decode(b'{"a":%s}' % body)
    with pytest.raises(BodyError, match="more than 200 levels"):
        decode(b'{"a":[%s]}' % body)


def test_lines_of_one_sort_are_bounded() -> None:
    flood = Flood(at_once=3, a_second=2.0)
    assert [flood.admits("a", 0.0) for _ in range(5)] == [0, 0, 0, None, None]
    assert flood.admits("b", 0.0) == 0
    assert [flood.admits("a", 0.4), flood.admits("a", 0.5), flood.admits("a", 0.6)] == [None, 3, None]
    # What is not used does not pile up.
    assert [flood.admits("a", 1000.0) for _ in range(4)] == [1, 0, 0, None]


def test_metrics_count_what_was_done(api_server: ApiServer, server: ServerProcess) -> None:
    labels = {"operation": "CREATE", "kind": "RayCluster", "verdict": "deny", "dry_run": "true"}
    before = server.metric("requests_total", **labels)
    assert not api_server.call(create(BAD, dryRun=True)).allowed
    assert server.metric("requests_total", **labels) == before + 1
    assert server.metric("findings_total", rule="ZZ101", mode="enforce", severity="error") > 0
    assert server.metric("would_deny_total", rule="ZZ101") == 0
    api_server.call(create(BAD, operation="DELETE"))
    assert server.metric("skipped_total", reason="operation") > 0
    # A kind that a client makes up is no label. The log tells of it once.
    api_server.call(create(BAD, kind={"group": "x", "version": "y", "kind": "Forged"}, operation="Forged"))
    api_server.call(create(BAD, kind={"group": "x", "version": "y", "kind": "Forged"}))
    assert "Forged" not in server.health("/metrics")[1]
    assert [line["kind"] for line in server.logged(STRANGE)].count("x/y/Forged") == 1
    assert server.metric("requests_in_flight") == 0
    assert server.metric("tls_certificate_expiry_timestamp_seconds") > 0
    assert server.metric("config_info", hash=str(server.readiness()["configuration"])) == 1


def test_rules_are_timed_but_not_in_each_of_many_reviews(api_server: ApiServer, server: ServerProcess) -> None:
    def timed(rule: str) -> float:
        return server.metric("rule_duration_seconds_count", rule=rule)

    def ask() -> bool:
        api_server.call(create(BAD))
        return timed("ZZ101") > before

    before = timed("ZZ101")
    eventually(ask)
    assert server.metric("rule_duration_seconds_sum", rule="ZZ101") > 0
    series = [line for line in server.health("/metrics")[1].splitlines() if "rule_duration_seconds_count{" in line]
    assert any('rule="RAY' in line for line in series)
    before, began = timed("ZZ101"), time.monotonic()
    for _ in range(100):
        api_server.call(create(BAD))
    assert timed("ZZ101") - before <= (time.monotonic() - began) * 10 + 1


def test_fuzzed_reviews_are_answered(api_server: ApiServer) -> None:
    """No other answers than those that are written down, and each verdict is one that an API server takes."""
    seen = set()
    for body in bodies(300):
        reply = api_server.post(body, 10)
        seen.add(reply.status)
        if reply.status == 200:
            decided(json.loads(reply.body)["response"]["uid"], reply.body)
    assert seen == {200, 400}


def test_health_has_its_own_port(server: ServerProcess) -> None:
    assert server.health("/livez")[0] == 200
    assert server.readiness()["ready"] is True
    assert server.health("/nothing")[0] == 404
    assert server.health("/validate")[0] == 404
