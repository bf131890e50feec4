"""Likelihoods: those of the answers' tokens alone, whatever the batch."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from overread.adapters.llm.causal_lm.loading import load_causal_model
from overread.adapters.llm.judge_training._encoding import Row
from overread.adapters.llm.judge_training._likelihood import assess


def test_figures_are_those_of_each_answer_computed_alone(base: Path) -> None:
    """Padding and requests do not enter into losses and margins."""
    network = load_causal_model(str(base), device="cpu").network
    rows = [Row([5, 6, 7], [8, 9, 1], [9, 8, 1]), Row([5], [10, 1]), Row([6, 6, 6, 6, 6, 6], [11, 1], [12, 13, 1])]

    def alone(request: list[int], answer: list[int]) -> float:
        total = 0.0
        for place, token in enumerate(answer):
            ids = torch.tensor([request + answer[:place]])
            with torch.inference_mode():
                total += float(network(ids).logits[0, -1].log_softmax(-1)[token])
        return total

    true = [alone(row.request, row.answer) for row in rows]
    margins = [true[i] - alone(row.request, row.rejected) for i, row in enumerate(rows) if row.rejected is not None]
    found = assess(network, rows, 1)
    assert found.loss == pytest.approx(-sum(true) / 7, rel=1e-4)
    assert found.margin == pytest.approx(sum(margins) / 2, rel=1e-3)
    assert found.preferred == sum(margin > 0 for margin in margins) / 2
    assert (found.answers, found.pairs) == (3, 2)


def test_without_rejected_answers_there_is_no_preference(base: Path) -> None:
    """No preference is not a preference of nought."""
    found = assess(load_causal_model(str(base), device="cpu").network, [Row([5], [6, 1])], 1)
    assert math.isnan(found.preferred)
    assert math.isnan(found.margin)
