"""A plugin for tests of several processes."""

from __future__ import annotations

import pytest

import raylint.run


@pytest.fixture
def shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes are called for after the first file, however little there is to do."""
    monkeypatch.setattr(raylint.run, "_ALONE", 0)
    monkeypatch.setattr(raylint.run, "_SHARED", 0)
