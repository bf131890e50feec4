"""Discrimination and robustness, for sets whose pairs differ in one thing that matters or does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.benchmark.paired import compared
from overread.application.benchmark.scores import TrialScores
from overread.application.benchmark.trial import MOST_VALUES, SUBSET, Part, Trial, within
from overread.application.statistics import (
    Discrimination,
    compare_means,
    discriminate,
    discriminate_verdicts,
    estimate_mean,
)
from overread.application.tabulation import Cell, Column, Curve, Curves, HeatMap, Table
from overread.domain.annotation import Target

__all__ = ["contrasted_target", "contrasts"]

_TARGET = "significant"
_VERDICT = "verdict"


@frozen
class _Called:
    """What a metric calls significant, and what that comes to.

    Attributes:
        by: the number that is held against a threshold, or "verdict".
        threshold: in that number's own direction.
    """

    metric: str
    by: str
    figures: Discrimination
    threshold: float | None

    @property
    def label(self) -> str:
        return f"{self.metric} ({_VERDICT})" if self.by == _VERDICT else self.metric


def contrasted_target(trial: Trial) -> Target | None:
    """Whether people say a difference matters, of a set with a stratum "subset" for it; None for other sets."""
    told = next((target for target in trial.targets if target.name == _TARGET), None)
    return told if told is not None and trial.is_binary(told) else None


def contrasts(trial: Trial) -> Part:
    """D and R of each metric, the D/R plane, and paired tests of their average."""
    target = contrasted_target(trial)
    if target is None:
        return Part()
    found = [called for scores in trial.scores for called in _ways(trial, scores, target)]
    if not found:
        return Part()
    table = Table(
        name="discrimination",
        title="Discrimination and robustness",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="by", title="by"),
            Column(name="discrimination", title="D", percent=True),
            Column(name="robustness", title="R", percent=True),
            Column(name="average", title="Avg", percent=True),
            Column(name="gap", title="Gap", percent=True),
            Column(name="threshold", title="threshold"),
            Column(name="pairs", title="pairs"),
        ),
        rows=tuple(
            (
                called.metric,
                called.by,
                called.figures.discrimination,
                called.figures.robustness,
                called.figures.average,
                called.figures.gap,
                called.threshold,
                int(np.isfinite(called.figures.credit).sum()),
            )
            for called in found
        ),
        note="D: share of significant pairs that are called so. R: share of the others that are not. Avg: their mean. "
        "Gap: their distance, 0 is best. A number calls so at the threshold at which the lesser of D and R is greatest "
        "(maximin; it is chosen on this very set); a verdict is the metric's own, where it names discrepancies.",
    )
    best = list({called.metric: called for called in found}.values())  # a verdict comes last, and replaces
    paired = _paired(trial, best)
    return Part(
        tables=(table, *_by_stratum(trial, best), *(table for table, _ in paired)),
        plots=(_plane(found), *(heat_map for _, heat_map in paired)),
    )


def _ways(trial: Trial, scores: TrialScores, target: Target) -> Iterator[_Called]:
    marks = trial.marks(target)
    rated: npt.NDArray[np.bool_] = np.isfinite(marks)
    significant: npt.NDArray[np.bool_] = marks > 0
    badness = within(trial.badness(scores, target), rated)
    swept = discriminate(badness, significant, trial.resampling)
    if swept is not None:
        sign = -1 if trial.is_turned(scores, target) else 1
        threshold = None if swept.threshold is None else sign * swept.threshold
        yield _Called(scores.metric, trial.number(scores, target), swept, threshold)
    if scores.verdicts:
        verdicts = trial.vector({key: float(verdict) for key, verdict in scores.verdicts.items()})
        judged = discriminate_verdicts(within(verdicts, rated), significant, trial.resampling)
        if judged is not None:
            yield _Called(scores.metric, _VERDICT, judged, None)


def _by_stratum(trial: Trial, found: Sequence[_Called]) -> Iterator[Table]:
    """Share of pairs called rightly, in each stratum but the subset itself."""
    for name, values in trial.strata:
        if name == SUBSET or len(values) > MOST_VALUES:
            continue
        yield Table(
            name=f"rightly-by-{name}",
            title=f"Called rightly, by {name}",
            columns=(
                Column(name="metric", title="metric"),
                Column(name="by", title="by"),
                Column(name="stratum", title=name),
                Column(name="rightly", title="called rightly", percent=True),
                Column(name="pairs", title="pairs"),
            ),
            rows=tuple(_right(trial, each, name, value) for each in found for value in values),
            note="Over significant pairs and others together; by verdict where there is one, else at the threshold "
            "of the whole set.",
        )


def _right(trial: Trial, called: _Called, name: str, value: str) -> tuple[Cell, ...]:
    credit = called.figures.credit
    right = within(np.where(np.isfinite(credit), credit > 0, np.nan), trial.stratum(name, value))
    share = estimate_mean(right, trial.resampling)
    return called.metric, called.by, value, share, int(np.isfinite(right).sum())


def _plane(found: list[_Called]) -> Curves:
    curves = []
    for called in found:
        d, r = called.figures.discrimination.value, called.figures.robustness.value
        marked = None if d is None or r is None else (r, d)
        curve = called.figures.curve
        points = (
            () if curve is None else tuple(zip(curve.robustness.tolist(), curve.discrimination.tolist(), strict=True))
        )
        curves.append(Curve(label=called.label, points=points, marked=marked))
    return Curves(
        name="discrimination",
        title="Discrimination and robustness; marked: maximin threshold or verdict",
        x_title="R, robustness",
        y_title="D, discrimination",
        curves=tuple(curves),
        square=True,
    )


def _paired(trial: Trial, found: list[_Called]) -> tuple[tuple[Table, HeatMap], ...]:
    if len(found) < 2:  # noqa: PLR2004 - nothing to compare
        return ()
    return (
        compared(
            "paired-average",
            "Paired comparisons: average of D and R",
            [each.label for each in found],
            lambda first, second: compare_means(
                found[first].figures.credit, found[second].figures.credit, trial.resampling
            ),
            note="Of the average of D and R, over the pairs that both scored; above 0 the first is better. What "
            "changes places in the randomisation test is whether a pair was called rightly.",
        ),
    )
