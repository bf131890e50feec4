"""Checkpoints saved once, silence while they are, and no network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from transformers.utils import logging

from .checkpoints import CHATML, save


@pytest.fixture(autouse=True, scope="session")
def _silent_saving() -> Iterator[None]:
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    yield
    logging.enable_progress_bar()  # type: ignore[no-untyped-call]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a test looked for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("causal") / "llama")


@pytest.fixture(scope="session")
def chatting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("causal") / "chatting", template=CHATML)
