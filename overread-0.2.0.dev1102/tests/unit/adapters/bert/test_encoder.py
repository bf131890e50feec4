"""Embeddings by a BERT-like model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModel

from overread.adapters.bert._encoder import BertTextEncoder
from overread.adapters.bert.options import BertEncoderOptions
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

from .checkpoints import HIDDEN, WORDS, save_bert_encoder, save_deberta_classifier

TEXTS = ["pleural effusion", "left lower lobe pneumonia with mild edema", "heart", "effusions", "the heart is normal."]


def encoder(path: Path, **options: Any) -> BertTextEncoder:
    return BertTextEncoder.create(BertEncoderOptions(path=str(path), device="cpu", **options))


def embed(path: Path, texts: list[str], **options: Any) -> npt.NDArray[np.float32]:
    return encoder(path, **options).encode(texts)


class Passes:
    """Counts the texts that go through an encoder's model."""

    def __init__(self, encoder: BertTextEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts, self.calls = 0, 0
        forward = encoder._model._model

        def counted(**inputs: torch.Tensor) -> Any:
            self.calls += 1
            self.texts += len(inputs["input_ids"])
            return forward(**inputs)

        monkeypatch.setattr(encoder._model, "_model", counted)


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_an_embedding_is_the_models_own_state_pooled_and_scaled(pooling: str, random_encoder: Path) -> None:
    """Against the model run by hand, one unpadded text at a time."""
    mine = encoder(random_encoder, pooling=pooling)
    model = AutoModel.from_pretrained(random_encoder)
    for text, vector in zip(TEXTS, mine.encode(TEXTS), strict=True):
        (row,) = mine._model.rows([text], whole=False)
        with torch.inference_mode():
            states = model(input_ids=torch.tensor([row.ids])).last_hidden_state[0]
        pooled = states[0] if pooling == "cls" else states.mean(dim=0)
        assert np.allclose(vector, (pooled / pooled.norm()).numpy(), atol=1e-5)


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_rows_have_unit_length_and_single_precision(pooling: str, random_encoder: Path) -> None:
    """The product of two rows is their cosine."""
    vectors = embed(random_encoder, TEXTS, pooling=pooling)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), HIDDEN)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_first_token_and_mean_are_different_embeddings(random_encoder: Path) -> None:
    """The choice changes scores and stands in the identity."""
    first, mean = (encoder(random_encoder, pooling=pooling) for pooling in ("cls", "mean"))
    assert np.abs(first.encode(TEXTS) - mean.encode(TEXTS)).max() > 0.01
    assert first.identity != mean.identity


@pytest.fixture(scope="module", params=["cls", "mean"])
def by_batch_size(request: pytest.FixtureRequest, random_encoder: Path) -> dict[int, BertTextEncoder]:
    """Encoders that remember nothing, by batch size."""
    return {size: encoder(random_encoder, pooling=request.param, batch_size=size, cache=0) for size in (1, 2, 5)}


@settings(max_examples=10, deadline=None)
@given(texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join), max_size=8))
def test_embeddings_depend_on_neither_batch_nor_order(
    texts: list[str], by_batch_size: dict[int, BertTextEncoder]
) -> None:
    """Padding and neighbours leave an embedding as it is."""
    expected = by_batch_size[1].encode(texts)
    assert np.allclose(by_batch_size[2].encode(texts), expected, atol=1e-5)
    assert np.allclose(by_batch_size[5].encode(texts[::-1])[::-1], expected, atol=1e-5)


def test_each_distinct_text_is_embedded_once(random_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports repeat their findings, within a call and across calls."""
    mine = encoder(random_encoder)
    passes = Passes(mine, monkeypatch)
    first = mine.encode(["heart", "effusion", "heart"])
    assert (passes.calls, passes.texts) == (1, 2)
    second = mine.encode(["effusion", "edema", "heart"])
    assert (passes.calls, passes.texts) == (2, 3)
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(second[2], first[0])


def test_no_more_than_the_cache_holds_is_remembered(random_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays bounded over a long corpus."""
    mine = encoder(random_encoder, cache=1)
    passes = Passes(mine, monkeypatch)
    for text in ("heart", "heart", "lung", "heart"):
        mine.encode([text])
    assert passes.texts == 3


def test_a_caller_cannot_change_what_is_remembered(random_encoder: Path) -> None:
    """An array that is handed out is the caller's own."""
    mine = encoder(random_encoder)
    vectors = mine.encode(TEXTS)
    expected = vectors.copy()
    vectors[:] = 0
    assert np.array_equal(mine.encode(TEXTS), expected)


def test_text_beyond_the_length_is_not_read(random_encoder: Path) -> None:
    """Two special tokens and words up to ``max_length``."""
    words = ["left", "right", "lung", "clear", "heart"]
    texts = [" ".join(words[:n]) for n in (3, 4, 5)]
    short, exact, long = embed(random_encoder, texts, max_length=6)
    assert np.allclose(exact, long)
    assert np.abs(short - exact).max() > 1e-3
    assert "max_length=6" in encoder(random_encoder, max_length=6).identity


def test_texts_without_words_have_an_embedding_and_none_have_none(random_encoder: Path) -> None:
    """Blank and broken texts are finite rows, and no text is no row."""
    vectors = embed(random_encoder, ["", " ", "\ud800", "\x00"])
    assert np.isfinite(vectors).all()
    assert embed(random_encoder, []).shape == (0, HIDDEN)


def test_a_state_of_zeros_gives_zeros_and_no_division_by_zero(tmp_path: Path) -> None:
    """A zero has no direction; NaN would spread into every cosine."""
    path = save_bert_encoder(tmp_path / "encoder")
    mine = encoder(path)
    model: Any = mine._model._model
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
    assert np.array_equal(mine.encode(["heart"]), np.zeros((1, HIDDEN), dtype=np.float32))


def test_a_deberta_is_an_encoder_too(tmp_path: Path) -> None:
    """Any encoder of the library will do."""
    path = save_deberta_classifier(tmp_path / "deberta")
    one, many = embed(path, TEXTS, batch_size=1), embed(path, TEXTS)
    assert np.allclose(one, many, atol=1e-5)
    assert np.linalg.matrix_rank(many) == len(TEXTS)


def test_the_identity_names_checkpoint_and_settings_but_no_place(random_encoder: Path, tmp_path: Path) -> None:
    """Folders of one name are told apart by their weights."""
    other = save_bert_encoder(tmp_path / random_encoder.name, seed=1)
    one, two = encoder(random_encoder), encoder(other)
    name, settings = one.identity.split(",", 1)
    assert name.startswith(f"bert:{random_encoder.name}@")
    assert settings == "pooling=cls,max_length=30,dtype=fp32"
    assert one.identity != two.identity
    assert one.identity == encoder(random_encoder, batch_size=2, cache=0).identity
    assert "/" not in one.identity
    assert one.note == ""


def test_configuration_chooses_the_checkpoint_and_its_options(random_encoder: Path) -> None:
    """bert:FOLDER and its options build what the class builds."""
    catalogue = Catalogue.discover(builtins=["overread.adapters.bert.plugin"], entry_points=[])
    table = {"encoder": {"pooling": "mean", "device": "cpu"}}
    built = Assembly(catalogue, {"encoder": f"bert:{random_encoder}"}, table).get("encoder")
    assert built.identity == encoder(random_encoder, pooling="mean").identity
