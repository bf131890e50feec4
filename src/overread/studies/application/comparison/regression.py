"""Results held against a baseline: is a generator significantly worse than it was, and by how much?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.statistics import DRAWS, Estimate, PairedDifference, Resampling, holm
from overread.application.statistics.tabulation import Cell, Column, Table
from overread.domain.results.scores import Floats, MetricScores
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison._aligned import PairFacts, Source, check_signatures, sign
from overread.studies.application.comparison._matched import EQUAL, where_both
from overread.studies.application.comparison._means import mean_differences

__all__ = ["Limits", "MetricChange", "Regression", "check_regression"]

_SIGNIFICANT: Final = 0.05
_ABSENT: Final = "not in the results"
_NAMED: Final = 5
"""Lost pairs that are named in words."""


@frozen(kw_only=True)
class Limits:
    """Bounds of what passes.

    Attributes:
        margin: loss of a metric's mean, in its own units, that is put up with.
        margins: the same for single metrics, by name.
        max_lost: share of the pairs scored in the baseline that may have no score any more.
    """

    margin: float = 0.0
    margins: Mapping[str, float] = field(factory=dict)
    max_lost: float = 0.0

    def margin_of(self, metric: str) -> float:
        """The loss that is put up with for a metric."""
        return self.margins.get(metric, self.margin)


@frozen(kw_only=True)
class MetricChange:
    """Change of one metric since the baseline.

    Attributes:
        metric: its name.
        pairs: scored in both.
        before: mean of the baseline over them.
        after: mean of the results over them.
        loss: amount by which the mean became worse, pair by pair, above 0 in either direction of the metric; with its
            95 % interval by study.
        margin: loss that is put up with.
        p: two-sided, of the paired randomisation by study that the loss is the margin, after Holm's correction over the
            metrics; None where the loss is no more than that.
        scored_before: pairs that the baseline scored.
        lost: why there is no score any more, by id of a pair that the baseline scored.
        max_lost: number of them that may be.
        worst: pairs that lost most, with the score before and after.
    """

    metric: str
    pairs: int
    before: Estimate
    after: Estimate
    loss: Estimate
    margin: float
    p: float | None
    scored_before: int
    lost: Mapping[str, str] = field(repr=False)
    max_lost: float
    worst: tuple[tuple[str, float, float], ...] = field(repr=False)

    @property
    def is_worse(self) -> bool:
        """True if the loss is significantly more than the margin."""
        return self.p is not None and self.p < _SIGNIFICANT

    @property
    def lost_too_many(self) -> bool:
        """True if more pairs have no score any more than may be."""
        return len(self.lost) > self.max_lost

    @property
    def fails(self) -> bool:
        """True if the metric does not pass."""
        return self.is_worse or self.lost_too_many


@frozen(kw_only=True)
class Regression:
    """Results held against a baseline.

    Attributes:
        baseline: its name.
        changes: of each metric.
        notes: remarks for the reader.
    """

    baseline: str
    changes: tuple[MetricChange, ...]
    notes: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """True if any metric does not pass."""
        return any(change.fails for change in self.changes)

    def describe(self) -> Iterator[str]:
        """Yields lines of words: first those of what does not pass, each with its worst pairs by id. No report text."""
        for change in sorted(self.changes, key=lambda each: not each.fails):
            yield f"{change.metric}: {_describe_loss(change)}"
            if change.lost:
                yield f"{change.metric}: {_describe_lost(change)}"
            if change.is_worse and change.worst:
                worst = "; ".join(f"{name} {before:.3f} to {after:.3f}" for name, before, after in change.worst)
                yield f"{change.metric}: worst pairs: {worst}"

    def table(self) -> Table:
        """A row for each metric."""
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (
                change.metric,
                _verdict(change),
                change.pairs,
                change.before.value,
                change.after.value,
                change.loss,
                change.margin,
                change.p,
                len(change.lost),
            )
            for change in self.changes
        )
        return Table(
            name="regression",
            title=f"Worse than {self.baseline}?",
            columns=(
                Column(name="metric", title="Metric"),
                Column(name="verdict", title="Verdict"),
                Column(name="pairs", title="Pairs"),
                Column(name="before", title="Before"),
                Column(name="after", title="After"),
                Column(name="loss", title="Loss"),
                Column(name="margin", title="Margin"),
                Column(name="p", title="p after Holm", digits=4),
                Column(name="lost", title="Lost"),
            ),
            rows=rows,
            note="Loss: by how much the mean is worse, in either direction of the metric, over the pairs scored in "
            "both, with its 95 % interval. Worse: the loss is significantly more than the margin; p is that of the "
            "paired randomisation by study, two-sided, after Holm over the rows of this table, below 0.05; it is told "
            f"where the loss is more than the margin. Lost: pairs that {self.baseline} scored and that have no score "
            "any more; they enter no mean.",
        )

    def worst_table(self) -> Table | None:
        """The pairs that lost most by each metric, those of a metric that passes too; None where no pair lost."""
        rows = [(change.metric, *pair) for change in self.changes for pair in change.worst]
        if not rows:
            return None
        return Table(
            name="worst",
            title="Pairs that lost most",
            columns=(
                Column(name="metric", title="Metric"),
                Column(name="id", title="Pair"),
                Column(name="before", title="Before"),
                Column(name="after", title="After"),
            ),
            rows=tuple(rows),
        )


def check_regression(
    before: Source,
    after: Source,
    facts: PairFacts,
    *,
    limits: Limits | None = None,
    metrics: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = 0,
    shown: int = 5,
    force: bool = False,
) -> Regression:
    """Holds results against those of a baseline, metric by metric and pair by pair.

    The test is that of `compare_systems`, about the margin instead of 0. It can tell nothing of a few studies: where
    even a loss in every one of them would pass, that is an error, as such a check would only seem to be one.

    Args:
        before: the baseline.
        after: the results; what the baseline lacks in them does not count.
        facts: studies of the pairs.
        limits: bounds of what passes; no loss that is significant, and no pair without a score, where omitted.
        metrics: names of those to use; all of the baseline by default.
        draws: of the bootstrap and of the randomisation.
        seed: of the draws.
        shown: pairs that lost most to be told of each metric.
        force: hold scores made with different settings against each other, too.

    Raises:
        ConfigurationError: if the results lack a metric, or share no pair with the baseline; if a metric was scored
            with other settings; if a margin is of no metric, or a limit no number of its range; or if there are too
            few studies.
    """
    limits = limits or Limits()
    chosen = _choose(before, after, metrics, limits)
    mixed = check_signatures((before, after), chosen, force=force)
    held = [(before.metrics[name], after.metrics[name]) for name in chosen]
    ids = tuple(dict.fromkeys(name for old, _ in held for name in old.ids))
    if not any(name in new.place for _, new in held for name in ids):
        raise ConfigurationError([f"{after.name} has none of the pairs of {before.name}; are the ids the same?"])
    resampling = Resampling.by_study(facts.studies_of(ids), draws=draws, seed=seed)
    columns = [_Columns.of(old, new, ids, limits.margin_of(old.metric)) for old, new in held]
    _check_studies(columns, resampling, before.name)
    means = mean_differences([column for each in columns for column in each.all], resampling)
    triples = list(zip(means[::3], means[1::3], means[2::3], strict=True))
    corrected = holm([shifted.randomisation_p for _, _, shifted in triples])
    return Regression(
        baseline=before.name,
        changes=tuple(
            _change(each, ids, triple, p, limits, shown)
            for each, triple, p in zip(columns, triples, corrected, strict=True)
        ),
        notes=tuple(mixed),
    )


@frozen(kw_only=True)
class _Columns:
    """One metric over the pairs of the baseline, NaN where there is no number.

    Attributes:
        before, after: scores of the pairs that both have.
        loss: by which each became worse.
        scored: whether the baseline scored it.
    """

    old: MetricScores
    new: MetricScores
    margin: float
    before: Floats
    after: Floats
    loss: Floats
    scored: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, old: MetricScores, new: MetricScores, ids: tuple[str, ...], margin: float) -> _Columns:
        one, other = (scores.on(scores.scores, ids).astype(np.float64) for scores in (old, new))
        before, after = where_both(one, other)
        loss = sign(higher_is_better=old.higher_is_better) * (before - after)
        return cls(old=old, new=new, margin=margin, before=before, after=after, loss=loss, scored=~np.isnan(one))

    @property
    def all(self) -> tuple[Floats, Floats, Floats]:
        """Columns to be resampled; the loss as far as it is beyond the margin."""
        return self.before, self.after, self.loss - self.margin


def _choose(before: Source, after: Source, metrics: Sequence[str], limits: Limits) -> list[str]:
    chosen = list(metrics or before.metrics)
    problems = [
        f"{', '.join(absent)}: not in {source.name}"
        for source in (before, after)
        if (absent := [name for name in chosen if name not in source.metrics])
    ]
    if unknown := [name for name in limits.margins if name not in chosen]:
        problems.append(f"`margin` names {', '.join(unknown)}, which is not compared")
    if not all(0 <= margin < np.inf for margin in (limits.margin, *limits.margins.values())):
        problems.append("`margin` must be 0 or more, in the units of the metric")
    if not 0 <= limits.max_lost <= 1:
        problems.append("`max_lost` must be a share, from 0 to 1")
    if problems:
        raise ConfigurationError(problems)
    return chosen


def _check_studies(columns: Sequence[_Columns], resampling: Resampling, baseline: str) -> None:
    """Raises `ConfigurationError` where no loss could be significant: where each of n studies lost, p is 2 / 2^n."""
    need = int(np.ceil(np.log2(2 * len(columns) / _SIGNIFICANT) + EQUAL))
    fewest = min(resampling.held(each.scored) for each in columns)
    if fewest < need:
        studies = "one study" if fewest == 1 else f"{fewest} studies"
        few = f"{baseline} has {studies} with a score of each metric: no loss of so few can be significant"
        raise ConfigurationError([f"{few}; score {need} or more, or compare fewer metrics"])


def _change(
    columns: _Columns,
    ids: tuple[str, ...],
    means: tuple[PairedDifference, PairedDifference, PairedDifference],
    p: float | None,
    limits: Limits,
    shown: int,
) -> MetricChange:
    before, after, shifted = means
    lost = {ids[place]: _why(columns.new, ids[place]) for place in np.flatnonzero(_lost(columns)).tolist()}
    scored = int(np.count_nonzero(columns.scored))
    beyond = shifted.difference.value is not None and shifted.difference.value > 0
    return MetricChange(
        metric=columns.old.metric,
        pairs=shifted.rows,
        before=before.difference,
        after=after.difference,
        loss=_shift(shifted.difference, columns.margin),
        margin=columns.margin,
        p=p if beyond else None,
        scored_before=scored,
        lost=lost,
        max_lost=limits.max_lost * scored,
        worst=tuple(_worst(columns, ids, shown)),
    )


def _lost(columns: _Columns) -> npt.NDArray[np.bool_]:
    return np.asarray(columns.scored & np.isnan(columns.after))


def _why(scores: MetricScores, name: str) -> str:
    return scores.reasons.get(name, "no score") if name in scores.place else _ABSENT


def _worst(columns: _Columns, ids: tuple[str, ...], shown: int) -> Iterator[tuple[str, float, float]]:
    loss = np.nan_to_num(columns.loss)
    for place in np.argsort(-loss, kind="stable")[:shown].tolist():
        if loss[place] > EQUAL:
            yield ids[place], float(columns.before[place]), float(columns.after[place])


def _shift(estimate: Estimate, by: float) -> Estimate:
    value, low, high = (None if end is None else end + by for end in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high)


def _verdict(change: MetricChange) -> str:
    words = [*(["worse"] if change.is_worse else []), *(["pairs lost"] if change.lost_too_many else [])]
    return ", ".join(words) or "passes"


def _describe_loss(change: MetricChange) -> str:
    loss = change.loss
    if loss.value is None:
        return "no pair is scored in both"
    size = f"{loss.value:z.3f}" if abs(loss.value) > EQUAL else "0"
    ends = "" if loss.low is None or loss.high is None else f" [{loss.low:z.3f}, {loss.high:z.3f}]"
    p = "" if change.p is None else f", p {change.p:.4f} after Holm"
    means = f"mean {change.before.value:.3f} before and {change.after.value:.3f} now"
    verdict = f"significantly worse, by more than {change.margin:g}" if change.is_worse else "not significantly worse"
    return f"{verdict}: {means} over {change.pairs:,} {'pair' if change.pairs == 1 else 'pairs'}, loss {size}{ends}{p}"


def _describe_lost(change: MetricChange) -> str:
    named = "; ".join(f"{name} ({reason})" for name, reason in list(change.lost.items())[:_NAMED])
    more = f"; and {len(change.lost) - _NAMED:,} more" if len(change.lost) > _NAMED else ""
    verdict = "more than may be" if change.lost_too_many else "as many as may be"
    count = f"{len(change.lost):,} of {change.scored_before:,} pairs have no score any more"
    return f"{count}, {verdict}: {named}{more}"
