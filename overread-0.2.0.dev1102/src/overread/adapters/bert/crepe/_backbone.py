"""A small BERT of one's own: a WordPiece vocabulary learned from reports, and untrained weights."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from attrs import frozen
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertModel, BertTokenizer

from overread.adapters.checkpoints.runtime import quiet

__all__ = ["BackboneSize", "write_backbone"]

_HEAD_WIDTH = 32


@frozen(kw_only=True)
class BackboneSize:
    """Size of a small BERT; its attention heads are 32 wide and its feed-forward layers four times ``hidden``."""

    layers: int = 3
    hidden: int = 192
    vocabulary: int = 8000
    positions: int = 512


def write_backbone(texts: Iterable[str], folder: Path, size: BackboneSize, *, seed: int = 7) -> int:
    """Writes a BERT with random weights, and a lower-casing tokenizer whose vocabulary is learned from texts.

    Args:
        texts: reports.
        folder: where config.json, the weights and the tokenizer go.
        size: of the model.
        seed: of the weights.

    Returns:
        The number of word pieces, at most ``size.vocabulary``.
    """
    learner = BertWordPieceTokenizer(lowercase=True)
    learner.train_from_iterator(texts, vocab_size=size.vocabulary, min_frequency=2, show_progress=False)
    tokenizer = BertTokenizer(tokenizer_object=learner._tokenizer, model_max_length=size.positions)  # noqa: SLF001
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.hidden // _HEAD_WIDTH,
        intermediate_size=4 * size.hidden,
        max_position_embeddings=size.positions,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        classifier_dropout=0.1,
        pad_token_id=tokenizer.pad_token_id,
    )
    with quiet():
        BertModel(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return len(tokenizer)
