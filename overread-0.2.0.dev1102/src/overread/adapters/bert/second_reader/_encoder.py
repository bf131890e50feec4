"""The encoder: the first layers of a BERT, and what is compared of a token's states: its keys and its value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from overread.adapters.bert.second_reader._tokens import Tokens, pad_sentences
from overread.adapters.checkpoints.runtime import quiet

__all__ = ["SentenceEncoder", "open_encoder"]

_GROUPS: Final = 4
"""Batches that sentences are padded in, by length."""


class SentenceEncoder(nn.Module):
    """A BERT whose layers' states are joined for each token, and projected to a unit key a head and a value.

    Args:
        bert: of the layers that are used.
        width: of all heads' keys together, and of a value.
        heads: of the comparison.
        dropout: share of a token's states left out in training.
    """

    def __init__(self, bert: BertModel, *, width: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        states = bert.config.hidden_size * bert.config.num_hidden_layers
        self.bert = bert
        self.heads = heads
        self.drop = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(states)
        self.key = nn.Linear(states, width, bias=False)
        nn.init.orthogonal_(self.key.weight)
        self.value = nn.Linear(states, width)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Keys and values of padded sentences: batch x length x (2 x width).

        Args:
            ids: batch x length.
            mask: 1 for a token, 0 for padding.
        """
        layers = self.bert(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states[1:]
        states = self.drop(self.norm(torch.cat(layers, dim=-1)))
        keys = functional.normalize(self.key(states).unflatten(-1, (self.heads, -1)), dim=-1).flatten(-2)
        return torch.cat([keys, self.value(states)], dim=-1)

    def sentences(self, tokens: Tokens, texts: Sequence[str]) -> dict[str, Tensor]:
        """Keys and values of the tokens of each distinct sentence, without those that frame it."""
        states: dict[str, Tensor] = {}
        cut = sorted(((tokens.of(text).ids, text) for text in dict.fromkeys(texts)), key=lambda one: len(one[0]))
        size = max(1, -(-len(cut) // _GROUPS))
        for start in range(0, len(cut), size):
            batch = cut[start : start + size]
            rows, mask = pad_sentences([ids for ids, _ in batch])
            encoded = self(torch.from_numpy(rows), torch.from_numpy(mask))
            states |= {text: encoded[row, 1 : len(ids) - 1] for row, (ids, text) in enumerate(batch)}
        return states


def open_encoder(folder: Path, layers: int, *, width: int, heads: int, dropout: float = 0.0) -> SentenceEncoder:
    """An encoder that begins with the first layers of the BERT in a folder."""
    with quiet():
        bert = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager")
    bert.encoder.layer = bert.encoder.layer[:layers]
    bert.config.num_hidden_layers = layers
    return SentenceEncoder(bert, width=width, heads=heads, dropout=dropout)
