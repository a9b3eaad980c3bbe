"""What an image reference tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raylint.image import Image, python_text

DIGEST = "@sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("reference", "repository", "tag", "is_ray"),
    [
        ("rayproject/ray:2.43.0", "rayproject/ray", "2.43.0", True),
        ("rayproject/ray", "rayproject/ray", "", True),
        ("docker.io/rayproject/ray-ml:2.9.0", "docker.io/rayproject/ray-ml", "2.9.0", True),
        (
            "registry.example:5000/mirror/rayproject/ray:1",
            "registry.example:5000/mirror/rayproject/ray",
            "1",
            True,
        ),
        ("registry.example:5000/rayproject/ray", "registry.example:5000/rayproject/ray", "", True),
        ("rayproject/ray:2.43.0" + DIGEST, "rayproject/ray", "2.43.0", True),
        ("rayproject/ray" + DIGEST, "rayproject/ray", "", True),
        ("example/ray:2.43.0", "example/ray", "2.43.0", False),
        ("rayproject/kuberay:1.0", "rayproject/kuberay", "1.0", False),
        ("ray:2.43.0", "ray", "2.43.0", False),
        ("busybox:1.28", "busybox", "1.28", False),
        ("", "", "", False),
        (":", "", "", False),
    ],
)
def test_parts(reference: str, repository: str, tag: str, is_ray: bool) -> None:
    image = Image(reference)
    assert (image.repository, image.tag, image.is_ray) == (repository, tag, is_ray)
    assert image.reference == reference


@pytest.mark.parametrize(
    ("tag", "version", "python"),
    [
        ("2.43.0", (2, 43, 0), None),
        ("2.43.0-py310", (2, 43, 0), "py310"),
        ("2.43.0-py39-cu121", (2, 43, 0), "py39"),
        ("2.43.0-gpu", (2, 43, 0), None),
        ("2.43.0-py311-cpu-aarch64", (2, 43, 0), "py311"),
        ("2.43.0-extra-py311", (2, 43, 0), None),
        ("2.43.0rc1", (2, 43, 0), None),
        ("2.43.0.post1-py312", (2, 43, 0), "py312"),
        ("2.54.0.a1b2c3-py310", (2, 54, 0), "py310"),
        ("latest", None, None),
        ("nightly", None, None),
        ("nightly-py310", None, None),
        ("2.43", None, None),
        ("v2.43.0", None, None),
        ("2.43.0_custom", None, None),
        ("", None, None),
    ],
)
def test_ray_and_python(tag: str, version: tuple[int, ...] | None, python: str | None) -> None:
    image = Image(f"rayproject/ray:{tag}" if tag else "rayproject/ray")
    assert image.ray_version == version
    assert image.python == python


def test_a_digest_hides_the_version() -> None:
    image = Image("rayproject/ray:2.43.0-py310" + DIGEST)
    assert image.digest == DIGEST[1:]
    assert image.ray_version is None
    assert image.python is None


@pytest.mark.parametrize(
    ("reference", "flavours"),
    [
        ("rayproject/ray:2.60.0", ()),
        ("rayproject/ray:2.60.0-py311-cpu-aarch64", ("cpu", "aarch64")),
        ("rayproject/ray-ml:2.49.2.deprecated-py311-gpu", ("gpu",)),
        ("rayproject/ray:nightly-gpu", ()),
        ("example/ray:2.60.0-gpu", ()),
    ],
)
def test_flavours(reference: str, flavours: tuple[str, ...]) -> None:
    assert Image(reference).flavours == flavours


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("python:3.11", "python"),
        ("docker.io/library/python:3.11", "python"),
        ("docker.io/rayproject/ray:2.60.0", "rayproject/ray"),
        ("registry.example/python:3.11", "registry.example/python"),
    ],
)
def test_public_name(reference: str, name: str) -> None:
    assert Image(reference).public_name == name


def test_a_last_ray_ml_image_tells_its_version() -> None:
    image = Image("rayproject/ray-ml:2.49.2.deprecated-py311-gpu")
    assert (image.ray_version, image.python) == ((2, 49, 2), "py311")
    assert python_text("py311") == "Python 3.11"


def test_another_image_tells_no_version() -> None:
    assert Image("example/ray:2.43.0-py310").ray_version is None
    assert Image("example/ray:2.43.0-py310").python is None


@given(st.text(alphabet="rayproject/:@.-0123456789", max_size=80))
def test_never_raises(reference: str) -> None:
    image = Image(reference)
    assert image.ray_version is None or image.is_ray


def test_a_long_tag_takes_no_time_worth_mentioning() -> None:
    """A pattern that backtracks would not come back from this."""
    assert Image("rayproject/ray:2.43.0" + "-a" * 200_000 + "!").ray_version is None
