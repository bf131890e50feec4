"""Checkpoints saved once: a model of random weights takes tenths of a second to build and save."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from transformers.utils import logging

from .checkpoints import save_bert_classifier, save_bert_encoder, save_deberta_classifier

PLANTED = {
    "left": "B-ANATOMY",
    "lower": "I-ANATOMY",
    "lobe": "I-ANATOMY",
    "pleural": "B-ABNORMALITY",
    "effusion": "I-ABNORMALITY",
    "pneumonia": "B-NON-DISEASE",
    "s": "I-DISEASE",
    "edema": "I-DISEASE",
}
"""Labels that the rigged classifiers give to words, and to the plural's piece."""


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
def random_classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert_classifier(tmp_path_factory.mktemp("random") / "classifier")


@pytest.fixture(scope="session")
def random_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert_encoder(tmp_path_factory.mktemp("random") / "encoder")


@pytest.fixture(scope="session", params=["bert", "deberta"])
def rigged_classifier(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier that gives words their `PLANTED` labels, over WordPiece or over sentencepiece tokens."""
    folder = tmp_path_factory.mktemp("rigged") / str(request.param)
    if request.param == "bert":
        planted = {f"##{word}" if word == "s" else word: label for word, label in PLANTED.items()}
        return save_bert_classifier(folder, planted)
    planted = {word if word == "s" else f"▁{word}": label for word, label in PLANTED.items()}
    return save_deberta_classifier(folder, planted)
