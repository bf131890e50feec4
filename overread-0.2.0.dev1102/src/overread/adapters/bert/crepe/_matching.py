"""A training aid for small models: for each token, whether the other report says it too.

A BERT that was never pre-trained must first find out that the two reports are to be compared. Counts alone tell it so
slowly: six numbers a pair. The texts themselves tell it for every token, without any label. The aid is overread's own,
not CREPE's, and nothing of it is left in the trained model.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn, stack
from torch.nn import functional
from transformers import BertConfig

from overread.adapters.bert.crepe._model import CrepeModel

__all__ = ["MatchingCrepeModel", "novelty"]


class MatchingCrepeModel(CrepeModel):  # type: ignore[no-untyped-call]
    """A CREPE model that also learns `novelty`, with weight ``config.matching_weight`` beside the counts."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.matching = nn.Linear(config.hidden_size, 3)
        self.matching_weight = float(getattr(config, "matching_weight", 0.0))
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        labels: Tensor | None = None,
        **_: Any,
    ) -> dict[str, Tensor]:
        """Computes the heads as `CrepeModel` does, with the aid's share in the loss."""
        encoded = self.encode(input_ids, attention_mask, token_type_ids)
        heads = self.heads(encoded, labels)
        if labels is not None and attention_mask is not None and token_type_ids is not None:
            new, counted = novelty(input_ids, attention_mask, token_type_ids)
            logits = self.matching(encoded.last_hidden_state).float()
            losses = functional.binary_cross_entropy_with_logits(logits, new, reduction="none").mean(dim=-1)
            aid = (losses * counted).sum() / counted.sum().clamp(min=1.0)
            heads["loss"] = heads["loss"] + self.matching_weight * aid
        return heads


def novelty(input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Marks the tokens that are new compared with the other report, and the tokens for which this can be asked.

    Args:
        input_ids: pairs x length, each "[CLS] reference [SEP] candidate [SEP]".
        attention_mask: 1 where there is a token.
        token_type_ids: 0 for the reference, 1 for the candidate.

    Returns:
        1 where the other report lacks the token, the token after the one before it, and the token before the one after
        it (pairs x length x 3); and 1 for the tokens of the reports, 0 for padding and [CLS] (pairs x length).
    """
    real = attention_mask.bool()
    same = input_ids[:, :, None] == input_ids[:, None, :]
    same &= (token_type_ids[:, :, None] != token_type_ids[:, None, :]) & real[:, None, :]
    alike = input_ids[:, :, None] == input_ids[:, None, :]
    after = same & functional.pad(alike[:, :-1, :-1], (1, 0, 1, 0))
    before = same & functional.pad(alike[:, 1:, 1:], (0, 1, 0, 1))
    new = stack([~matches.any(dim=-1) for matches in (same, after, before)], dim=-1)
    counted = real.clone()
    counted[:, 0] = False
    return new.float(), counted.float()
