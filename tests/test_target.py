"""Versions as KubeRay reads them, and ranges of releases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.target import KUBERAY_RELEASES, NEWEST_KUBERAY, Target, VersionRange, parse_version, version_text


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.52.0", (2, 52, 0)),
        ("v2.52", (2, 52)),
        ("  v2.52", (2, 52)),
        ("2.52.0rc1", (2, 52, 0)),
        ("2.52.0.dev0", (2, 52, 0)),
        ("2.09", (2, 9)),
        ("2.52.0-py310-gpu", (2, 52, 0)),
        ("\n2.52.0", (2, 52, 0)),
        ("2.52.0 ", (2, 52, 0)),
        ("2.52..0", (2, 52)),
        ("2.52.", (2, 52)),
        ("0.8", (0, 8)),
    ],
)
def test_version(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "nightly",
        "latest",
        "V2.52",
        "v 2.52",
        "2.52.0\n",
        "02.1",
        "2.",
        ".5",
        "vv2.1",
        "-2.1",
        "2." + "9" * 5000,
    ],
)
def test_no_version(text: str) -> None:
    assert parse_version(text) is None


@pytest.mark.parametrize(
    ("text", "inside", "outside", "words"),
    [
        ("", [(1, 0), (9, 9)], [], "all"),
        ("1.6..", [(1, 6), (1, 6, 0), (1, 10), (2,)], [(1, 5, 9), (1,)], "1.6 and later"),
        ("..2.48", [(2, 48, 7), (2, 9), (1,)], [(2, 49), (3, 0)], "up to 2.48"),
        ("1.3..1.6", [(1, 3, 0), (1, 6, 2)], [(1, 2, 2), (1, 7)], "1.3 to 1.6"),
        ("1.4..1.4", [(1, 4), (1, 4, 2)], [(1, 3), (1, 5)], "1.4"),
        # A line without a patch is its newest patch.
        ("1.3.1..", [(1, 3, 1), (1, 4), (1, 3)], [(1, 2), (1, 3, 0)], "1.3.1 and later"),
        ("1.5.0..1.5.0", [(1, 5, 0)], [(1, 4, 2), (1, 5, 1), (1, 6)], "1.5.0"),
    ],
)
def test_range(text: str, inside: list[tuple[int, ...]], outside: list[tuple[int, ...]], words: str) -> None:
    releases = VersionRange(text)
    assert all(version in releases for version in inside)
    assert not any(version in releases for version in outside)
    assert str(releases) == words


def test_range_without_dots_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no '\.\.'"):
        VersionRange("1.6")


def test_target_is_the_newest_release_unless_told() -> None:
    assert Target().kuberay == NEWEST_KUBERAY == max(KUBERAY_RELEASES)
    assert Target().ray is None
    assert Target((1, 4)).kuberay_at_least(1, 4)
    assert not Target((1, 4)).kuberay_at_least(1, 5)
    assert Target((1, 5)).kuberay_at_least(1, 5, 1)
    assert not Target((1, 5, 0)).kuberay_at_least(1, 5, 1)
    assert Target((1, 5, 0)).kuberay_line == (1, 5)
    # As numbers, not as text.
    assert Target((1, 10)).kuberay_at_least(1, 9)


@pytest.mark.parametrize(
    ("release", "gate", "on"),
    [
        ((1, 7), "RayClusterMTLS", False),
        ((1, 5, 2), "RayJobDeletionPolicy", False),
        ((1, 6), "RayJobDeletionPolicy", True),
        ((1, 6), "RayServiceIncrementalUpgrade", False),
        ((1, 7), "RayServiceIncrementalUpgrade", True),
    ],
)
def test_a_gate_has_the_default_of_its_release(release: tuple[int, ...], gate: str, on: bool) -> None:
    assert Target(release).gate(gate) is on
    assert Target(release, gates={gate: not on}).gate(gate) is not on


def test_a_gate_that_a_release_lacks_is_off_whatever_is_chosen() -> None:
    assert not Target((1, 6), gates={"RayClusterMTLS": True}).gate("RayClusterMTLS")
    assert not Target((1, 7), gates={"AsyncJobInfoQuery": True}).gate("AsyncJobInfoQuery")


@given(st.lists(st.integers(0, 999), min_size=2, max_size=4))
def test_text_of_a_version_reads_back(parts: list[int]) -> None:
    assert parse_version(version_text(tuple(parts))) == tuple(parts)


@given(st.text(max_size=60))
def test_never_raises(text: str) -> None:
    version = parse_version(text)
    assert version is None or len(version) >= 2
