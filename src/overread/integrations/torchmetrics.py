"""Metrics as a ``torchmetrics.Metric``, for training loops. This module needs the extra ``torchmetrics``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from overread.bootstrap.interface import OnError, SettingsLike
from overread.extras import require
from overread.integrations.computing import Scorer, average_scores, score_list

require("a torchmetrics metric", "torchmetrics", "torch", "torchmetrics")

import torch  # noqa: E402 - what is missing is told first
from torchmetrics import Metric  # noqa: E402 - as above
from torchmetrics.utilities import dim_zero_cat  # noqa: E402 - as above

__all__ = ["ReportMetric"]


class ReportMetric(Metric):
    """One or more metrics over reports, as metrics over text are in torchmetrics.

    Its state is the score of each pair, and no text: a list of numbers for each metric, which processes gather when it
    is computed. However pairs are spread over processes, the result is the same to the last digit.

    Args:
        metric: its name, or several names.
        on_error: whether a pair with something that is no text ends the call, or counts as unscored.
        settings: which components and options to use; the defaults where omitted.
        more: options of ``torchmetrics.Metric``.

    Raises:
        ConfigurationError: if there is no such metric.
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        metric: str | Sequence[str] = "radot",
        *,
        on_error: OnError = "fail",
        settings: SettingsLike | None = None,
        **more: Any,
    ) -> None:
        super().__init__(**more)
        self._scorer = Scorer.of(metric, on_error, settings)
        # A process without a pair hands in an empty tensor of this type, which must be that of the others.
        self.set_dtype(torch.float64)
        for name in self._scorer.higher_is_better:
            self.add_state(_state(name), default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool | None:  # type: ignore[override]
        """Direction of the metric; None where there are several that differ."""
        directions = set(self._scorer.higher_is_better.values())
        return directions.pop() if len(directions) == 1 else None

    def update(self, preds: str | Sequence[str], target: str | Sequence[str]) -> None:
        """Scores pairs.

        Args:
            preds: a report under test, or several.
            target: the radiologist's report of each.

        Raises:
            InputError: if they are not of one length, or under "fail" any is no text.
        """
        candidates = [preds] if isinstance(preds, str) else preds
        references = [target] if isinstance(target, str) else target
        results = self._scorer.results(references, candidates)
        for name in self._scorer.higher_is_better:
            scores = torch.tensor(score_list(results, name), dtype=torch.float64, device=self.device)
            getattr(self, _state(name)).append(scores)

    def compute(self) -> dict[str, torch.Tensor]:
        """The mean of each metric under its name, NaN where no pair is scored; and the numbers of pairs.

        Beside the means stand ``pairs``, NAME_scored and NAME_unscored, as those of `overread.load` have them.
        """
        scores = {name: self._scores(_state(name)) for name in self._scorer.higher_is_better}
        return {
            name: torch.tensor(value, dtype=torch.float64, device=self.device)
            for name, value in average_scores(scores).items()
        }

    def _scores(self, state: str) -> list[float]:
        held = getattr(self, state)
        scores: list[float] = [] if isinstance(held, list) and not held else dim_zero_cat(held).tolist()
        return scores


def _state(metric: str) -> str:
    return f"scores_of_{metric}"
