"""Discrimination and robustness, for sets whose pairs differ in one thing that matters or does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen

from overread.application.statistics import (
    Discrimination,
    compare_discrimination,
    discriminate,
    discriminate_verdicts,
    estimate_mean,
)
from overread.application.statistics.tabulation import Cell, Column, Curve, Curves, HeatMap, Table
from overread.domain.results.annotation import Target
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.evaluation import (
    CONTRASTED,
    MOST_VALUES,
    SUBSET,
    Mask,
    MetaEvaluation,
    Part,
    within,
)
from overread.studies.application.meta_evaluation.paired import compare_metrics

__all__ = ["contrasted_target", "contrasts", "is_told_by_contrasts"]

_VERDICT = "verdict"
_STRICT = " A harmless pair of which a metric that gives verdicts names nothing at all counts as called wrongly."


@frozen
class _Called:
    """A metric's calls of what is significant, and the figures they come to.

    Attributes:
        by: the number that is compared with a threshold, or "verdict".
        threshold: in that number's own direction.
    """

    metric: str
    by: str
    figures: Discrimination
    threshold: float | None

    @property
    def label(self) -> str:
        return f"{self.metric} ({_VERDICT})" if self.by == _VERDICT else self.metric


def contrasted_target(meta: MetaEvaluation) -> Target | None:
    """Target of whether, or how much, anything matters in a set with a stratum "subset" for it; None for other sets."""
    contrasted = next((target for target in meta.targets if target.name == CONTRASTED), None)
    return contrasted if contrasted is not None and meta.has_contrasts else None


def is_told_by_contrasts(meta: MetaEvaluation, target: Target) -> bool:
    """Returns whether D and R tell all there is to a target: people say yes or no, and a stratum says which."""
    return contrasted_target(meta) is target and meta.is_binary(target)


def contrasts(meta: MetaEvaluation, *, strict: bool = False) -> Part:
    """D and R of each metric, the D/R plane, and paired tests of their average.

    Args:
        meta: of a set with such subsets; of any other nothing is told.
        strict: whether a metric that names no discrepancy at all in a harmless pair has called it wrongly, as Beyond
            Scalar Scores, equation 1, has it; else it has called it insignificant.
    """
    target = contrasted_target(meta)
    if target is None:
        return Part()
    calls = [called for scores in meta.rows(target) for called in _ways(meta, scores, target, strict=strict)]
    if not calls:
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
                int(np.isfinite(called.figures.right).sum()),
            )
            for called in calls
        ),
        note="D: share of significant pairs that are called so. R: share of the others that are not. Avg: their mean. "
        "Gap: their distance, 0 is best. A number calls so at the threshold at which the lesser of D and R is greatest "
        "(maximin; it is chosen on this very set); a verdict is the metric's own, where it names discrepancies."
        + (_STRICT if strict else ""),
    )
    best = list({called.metric: called for called in calls}.values())  # a verdict comes last, and replaces
    paired = _compare_metrics(meta, best, target, note=_STRICT if strict else "")
    return Part(
        tables=(table, *_by_stratum(meta, best, note=_STRICT if strict else ""), *(table for table, _ in paired)),
        plots=(_plane(calls), *(heat_map for _, heat_map in paired)),
    )


def _ways(meta: MetaEvaluation, scores: MetricScores, target: Target, *, strict: bool) -> Iterator[_Called]:
    marks = meta.marks(target)
    rated: Mask = np.isfinite(marks)
    significant: Mask = marks > 0
    badness = within(meta.badness(scores, target), rated)
    swept = discriminate(badness, significant, meta.resampling)
    if swept is not None:
        sign = -1 if meta.is_turned(scores, target) else 1
        threshold = None if swept.threshold is None else sign * swept.threshold
        yield _Called(scores.metric, meta.number(scores, target), swept, threshold)
    if scores.verdicts is not None:
        verdicts = np.asarray(scores.verdicts, dtype=np.float64)
        if strict:
            verdicts = np.where(_silent(scores) & ~significant, 1.0, verdicts)
        judged = discriminate_verdicts(within(verdicts, rated), significant, meta.resampling)
        if judged is not None:
            yield _Called(scores.metric, _VERDICT, judged, None)


def _silent(scores: MetricScores) -> Mask:
    """Pairs in which a metric names nothing at all."""
    noted = sum(scores.counts["aspect"].values(), np.zeros(len(scores.ids)))
    return np.asarray(np.isfinite(scores.scores) & ~(noted > 0), dtype=np.bool_)


def _by_stratum(meta: MetaEvaluation, found: Sequence[_Called], *, note: str) -> Iterator[Table]:
    """Share of pairs called rightly, in each stratum but the subset itself."""
    for name, values in meta.strata:
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
            rows=tuple(_right(meta, called, name, value) for called in found for value in values),
            note="Over significant pairs and others together; by verdict where there is one, else at the threshold "
            f"of the whole set.{note}",
        )


def _right(meta: MetaEvaluation, called: _Called, name: str, value: str) -> tuple[Cell, ...]:
    right = within(called.figures.right, meta.stratum(name, value))
    share = estimate_mean(right, meta.resampling)
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


def _compare_metrics(
    meta: MetaEvaluation, found: list[_Called], target: Target, *, note: str
) -> tuple[tuple[Table, HeatMap], ...]:
    if len(found) < 2:  # noqa: PLR2004 - nothing to compare
        return ()
    significant: Mask = meta.marks(target) > 0
    return (
        compare_metrics(
            "paired-average",
            "Paired comparisons: average of D and R",
            [called.label for called in found],
            lambda first, second: compare_discrimination(
                found[first].figures, found[second].figures, significant, meta.resampling
            ),
            note="Of the average of D and R, over the pairs that both scored; above 0 the first is better. What "
            f"changes places in the randomisation test is whether a pair was called rightly.{note}",
        ),
    )
