"""The encoder: the first layers of a BERT, whose states stand for a token."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn
from transformers import BertModel

from overread.adapters.bert.second_reader._tokens import Tokens, padded
from overread.adapters.checkpoints.runtime import quiet

__all__ = ["SentenceEncoder", "open_encoder"]

_GROUPS: Final = 4
"""Batches that sentences are padded in, by length."""


class SentenceEncoder(nn.Module):
    """A BERT whose layers' states are joined for each token: batch x length x (layers x width)."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert
        config = bert.config
        self.width: int = config.hidden_size * config.num_hidden_layers
        """Length of a token's state."""

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """States of padded sentences.

        Args:
            ids: batch x length.
            mask: 1 for a token, 0 for padding.
        """
        states = self.bert(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        return torch.cat(states[1:], dim=-1)

    def states(self, tokens: Tokens, sentences: Sequence[str]) -> dict[str, Tensor]:
        """States of the tokens of each distinct sentence, without those that frame it: tokens x width."""
        found: dict[str, Tensor] = {}
        cut = sorted(((tokens.of(text).ids, text) for text in dict.fromkeys(sentences)), key=lambda one: len(one[0]))
        size = max(1, -(-len(cut) // _GROUPS))
        for start in range(0, len(cut), size):
            batch = cut[start : start + size]
            rows, mask = padded([ids for ids, _ in batch])
            states = self(torch.from_numpy(rows), torch.from_numpy(mask))
            found |= {text: states[row, 1 : len(ids) - 1] for row, (ids, text) in enumerate(batch)}
        return found


def open_encoder(folder: Path, layers: int) -> SentenceEncoder:
    """The first layers of the BERT in a folder."""
    with quiet():
        bert = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager")
    bert.encoder.layer = bert.encoder.layer[:layers]
    bert.config.num_hidden_layers = layers
    return SentenceEncoder(bert)
