"""Checkpoints saved once: a model of random weights takes tenths of a second to build and save."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..offline import no_network, silent_saving
from .checkpoints import save_bert_classifier, save_bert_encoder, save_deberta_classifier

__all__ = ["no_network", "silent_saving"]

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
