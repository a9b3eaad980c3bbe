"""Texts as Go and Kubernetes read them: durations, cron lines, time zones, names, embedded mappings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.cron import can_fire, schedule_fault
from raylint.embedded import mapping_fault
from raylint.go_duration import is_integer, nanoseconds
from raylint.kube_names import is_dns1035, is_dns1123, label_key_fault, label_value_fault
from raylint.time_zones import is_time_zone

SECOND = 10**9


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h30m", 5400),
        ("1.5s", 1.5),
        ("-5m", -300),
        ("0", 0),
        ("+2h", 7200),
        ("300ms", 0.3),
        (".5s", 0.5),
        ("1µs", 1e-6),
    ],
)
def test_duration(text: str, seconds: float) -> None:
    assert nanoseconds(text) == round(seconds * SECOND)


@pytest.mark.parametrize(
    "text", ["", "5", "10 minutes", "1d", "s", "1h 30m", "1.2.3s", "--1s", "1h,", "9" * 300 + "s"]
)
def test_no_duration(text: str) -> None:
    assert nanoseconds(text) is None


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("600", True), ("-1", True), ("+5", True), ("007", True), ("", False), (" 5", False), ("1.5", False),
     ("1e3", False), (str(2**63 - 1), True), (str(2**63), False), ("٣", False), ("9" * 500, False)],
)  # fmt: skip
def test_integer(text: str, is_one: bool) -> None:
    assert is_integer(text) is is_one


@pytest.mark.parametrize(
    "text",
    ["* * * * *", "*/15 0-6,22 ? jan-MAR sun", "5/10 * * * *", "0 0 29 2 *", "@daily", "@every 1h30m", ", * * * *",
     "*-5 * * * *", "  0\t3 * * *  ", "TZ=Asia/Tokyo 0 3 * * *", "CRON_TZ=UTC @hourly"],
)  # fmt: skip
def test_schedule(text: str) -> None:
    assert schedule_fault(text) == ""


@pytest.mark.parametrize(
    "text",
    ["", " ", "* * * *", "0 * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 7",
     "5-1 * * * *", "*/0 * * * *", "1/2/3 * * * *", "1-2-3 * * * *", "L * * * *", "* * 15W * *", "* * * * 1#2",
     "@reboot", "@Daily", "@every", "@every 5", "TZ=Mars/Base 0 3 * * *", "x * * * *", "-1 * * * *"],
)  # fmt: skip
def test_no_schedule(text: str) -> None:
    assert schedule_fault(text) != ""


@pytest.mark.parametrize(
    ("text", "fires"),
    [("0 0 31 2 *", False), ("0 0 30 2 *", False), ("0 0 31 4,6,9,11 *", False), (", * * * *", False),
     ("0 0 29 2 *", True), ("0 0 31 * *", True), ("0 0 31 2 1", True), ("@every 1s", True),
     ("0 0 31 2 *-3", False)],
)  # fmt: skip
def test_a_schedule_that_fires(text: str, fires: bool) -> None:
    assert can_fire(text) is fires


@given(st.text(max_size=40))
def test_any_text_is_judged(text: str) -> None:
    if not schedule_fault(text):
        assert can_fire(text) in (True, False)
    assert isinstance(nanoseconds(text), int | None)
    assert isinstance(mapping_fault(text), str)


@pytest.mark.parametrize(
    ("name", "known"),
    [("UTC", True), ("Europe/Berlin", True), ("America/Argentina/Ushuaia", True), ("Etc/GMT-8", True),
     ("Cuba", True),
     ("Local", True), ("+08:00", False), ("CEST", False), ("europe/berlin", False), ("Asia/Beijing", False),
     ("/UTC", False), ("Europe/", False), ("Europe", False), ("../UTC", False), ("UTC ", False)],
)  # fmt: skip
def test_time_zone(name: str, known: bool) -> None:
    assert is_time_zone(name) is known


@pytest.mark.parametrize(
    ("name", "dns1035", "dns1123"),
    [("a", True, True), ("a--b", True, True), ("1a", False, True), ("a-", False, False), ("A", False, False),
     ("a.b", False, False), ("", False, False), ("a\n", False, False), ("ä", False, False)],
)  # fmt: skip
def test_dns_labels(name: str, dns1035: bool, dns1123: bool) -> None:
    assert (is_dns1035(name), is_dns1123(name)) == (dns1035, dns1123)


@pytest.mark.parametrize("key", ["a", "A_b.c-1", "example.com/x", "x" * 63, "a" * 63 + ".b/x"])
def test_label_key(key: str) -> None:
    assert label_key_fault(key) == ""


@pytest.mark.parametrize("key", ["", "/", "/a", "a/", "a/b/c", "A.com/x", "-a", "a b", "x" * 64, "a" * 254 + "/x"])
def test_no_label_key(key: str) -> None:
    assert label_key_fault(key) != ""


@pytest.mark.parametrize(
    ("value", "good"), [("", True), ("x" * 63, True), ("x" * 64, False), ("a/b", False), ("a.", False)]
)
def test_label_value(value: str, good: bool) -> None:
    assert (label_value_fault(value) == "") is good


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("- a", "a list"),
        ("a", "a text"),
        ("1", "a number"),
        ("true", "a boolean"),
        ("a: [", "no YAML"),
        ("a: .nan", "number"),
    ],
)
def test_no_mapping(text: str, word: str) -> None:
    assert word in mapping_fault(text)


@pytest.mark.parametrize(
    "text", ["", "null", "a: 1", "a: .nanny", "a: 1\n---\n- x", "{a: 1, a: 2}", "{}\n...\n{ broken"]
)
def test_mapping(text: str) -> None:
    assert mapping_fault(text) == ""
