"""Fixtures of tests that save and load models: silence while they are saved, and no network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest
from transformers.utils import logging


@pytest.fixture(autouse=True, scope="session")
def silent_saving() -> Iterator[None]:
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    yield
    logging.enable_progress_bar()  # type: ignore[no-untyped-call]


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    with without_network():
        yield


@contextmanager
def without_network() -> Iterator[None]:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a test looked for the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield
