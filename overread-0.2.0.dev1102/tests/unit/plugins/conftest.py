from __future__ import annotations

import pytest

from .fakes import PluginMaker


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> PluginMaker:
    """Makes plugins for one test."""
    return PluginMaker(monkeypatch)
