"""The likelihood of true answers under a model, and how often they are likelier than the rejected ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import torch

from overread.adapters.checkpoints.batching import pad_rows
from overread.adapters.checkpoints.padding import length_batches
from overread.adapters.llm.judge_training._encoding import Row
from overread.adapters.llm.judge_training.fitted import Likelihood

__all__ = ["assess"]

_MAX_BATCH: Final = 16
_BATCH_TOKENS: Final = 4_096


def assess(network: Any, rows: Sequence[Row], padding: int) -> Likelihood:
    """The likelihood of the rows' answers under a causal model, which is left in evaluation mode.

    Args:
        network: of transformers or peft.
        rows: at least one.
        padding: any token id.
    """
    network.eval()
    true = _log_likelihoods(network, [(row.request, row.answer) for row in rows], padding)
    paired = [(index, row.rejected) for index, row in enumerate(rows) if row.rejected is not None]
    rejected = _log_likelihoods(network, [(rows[index].request, answer) for index, answer in paired], padding)
    margins = [true[index] - value for (index, _), value in zip(paired, rejected, strict=True)]
    return Likelihood(
        loss=-math.fsum(true) / sum(len(row.answer) for row in rows),
        preferred=sum(margin > 0 for margin in margins) / len(margins) if margins else math.nan,
        margin=math.fsum(margins) / len(margins) if margins else math.nan,
        answers=len(rows),
        pairs=len(margins),
    )


def _log_likelihoods(network: Any, texts: Sequence[tuple[list[int], list[int]]], padding: int) -> list[float]:
    """The log-likelihood in nats of each answer, the second of a pair, behind its request."""
    log_likelihoods = [0.0] * len(texts)
    rows = [request + answer for request, answer in texts]
    with torch.inference_mode():
        for batch in length_batches([len(row) for row in rows], _MAX_BATCH, _BATCH_TOKENS):
            ids, mask = (part.to(network.device) for part in pad_rows([rows[index] for index in batch], padding))
            logits = network(input_ids=ids, attention_mask=mask, use_cache=False).logits
            for place, index in enumerate(batch):
                start, end = len(texts[index][0]), len(rows[index])
                log_probabilities = logits[place, start - 1 : end - 1].float().log_softmax(dim=-1)
                log_likelihoods[index] = float(log_probabilities.gather(1, ids[place, start:end, None]).sum())
    return log_likelihoods
