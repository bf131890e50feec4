"""Checkpoints saved once, silence while they are, and no network."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...offline import no_network, silent_saving
from .checkpoints import CHATML, save

__all__ = ["no_network", "silent_saving"]


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("causal") / "llama")


@pytest.fixture(scope="session")
def chatting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("causal") / "chatting", template=CHATML)
