"""Fixtures of tests that save and load models: silence while they are saved, and no network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import NoReturn

import pytest
from transformers.utils import logging


@pytest.fixture(autouse=True, scope="session")
def silent_saving() -> Iterator[None]:
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    yield
    logging.enable_progress_bar()  # type: ignore[no-untyped-call]


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a test looked for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
