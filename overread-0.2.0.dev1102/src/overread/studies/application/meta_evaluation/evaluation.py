"""A meta: a benchmark, the metrics that are judged on it, and how figures are estimated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from attrs import define, evolve, field, frozen

from overread.application.statistics import (
    DRAWS,
    Estimate,
    RaterAgreement,
    Resampling,
    estimate,
    mean_rating,
    rater_agreement,
)
from overread.application.statistics.measures import MEASURES
from overread.application.statistics.tabulation import Plot, Table
from overread.domain.results.annotation import HumanBenchmark, Target
from overread.domain.results.scores import DISTRIBUTED, MetricScores
from overread.domain.results.scores import GRADES as SEVERITIES

__all__ = [
    "CONTRASTED",
    "CORRELATIONS",
    "CORRUPTED",
    "DIFFERENT_CARE",
    "GRADES",
    "HALF",
    "MOST_VALUES",
    "SUBSET",
    "Mask",
    "MetaEvaluation",
    "Part",
    "Values",
    "both",
    "is_of_category",
    "raters_heard",
    "within",
    "without_plain_numbers",
]

Values = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

TOTAL = "total"

GRADES = (TOTAL, *SEVERITIES)
"""Kinds of error that are counted, and of which categories are counted."""

CORRUPTED = "corrupted"
"""Target of sets whose reports had errors put in, 0 or 1."""

DIFFERENT_CARE = "different_care"
"""Target of sets of which it is told whether the two reports would lead to different care, 0 or 1."""

SUBSET = "subset"
"""Stratum of sets whose pairs differ in one thing that matters or does not."""

SUBSETS = frozenset({"discrimination", "robustness"})
"""Its values in such a set; other sets may have a stratum of that name for something else."""

CONTRASTED = "significant"
"""Target of such a set, 0 or 1."""

MOST_VALUES = 20
"""A stratum of more values is not shown."""

CORRELATIONS = {"kendall": "Kendall tau-b", "spearman": "Spearman", "pearson": "Pearson"}
"""Measures of agreement and their headings."""

HALF = 0.5
"""Mean count of the raters from which a pair counts as having an error."""


@frozen(kw_only=True)
class Part:
    """Results of one question."""

    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()


def is_of_category(target: str) -> bool:
    """Returns whether a target counts errors of one category, as "significant.A" does."""
    return target.partition(".")[0] in GRADES and "." in target


@define(eq=False, slots=False)
class MetaEvaluation:
    """The data that every question is asked of. Vectors run over the benchmark's pairs, NaN where there is no value.

    People and scores are oriented: higher is worse in both, so that full agreement is always +1.

    Attributes:
        benchmark: the pairs and what people said.
        scores: of the metrics, in the order of the tables; aligned to the benchmark's pairs.
        draws: of the bootstrap over studies.
        seed: of the draws.
        correlation: one of ``CORRELATIONS``, the primary measure where people say more than yes or no.
        shuffled: of the same metrics, each candidate with another study's reference; empty if that was not scored.
    """

    benchmark: HumanBenchmark
    scores: Sequence[MetricScores]
    draws: int = DRAWS
    seed: int = 0
    correlation: str = "spearman"
    shuffled: Sequence[MetricScores] = ()
    _people: dict[str, Values] = field(factory=dict, init=False, repr=False)
    _raters: dict[tuple[str, str], RaterAgreement] = field(factory=dict, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.scores = tuple(scores.over(self.ids) for scores in self.scores)
        self.shuffled = tuple(scores.over(self.ids) for scores in self.shuffled)

    @property
    def targets(self) -> list[Target]:
        """The targets that are not of one category."""
        return [target for target in self.benchmark.targets if not is_of_category(target.name)]

    @property
    def primary(self) -> Target | None:
        """The target that comparisons and strata are about: the first that is not of one category."""
        return next(iter(self.targets), None)

    def is_binary(self, target: Target) -> bool:
        """Returns whether people say yes or no: reports are corrupted, or differ in something that matters, or not."""
        if target.name not in {CORRUPTED, DIFFERENT_CARE} and not (target.name == CONTRASTED and self.has_contrasts):
            return False
        ratings = self.ratings(target.name)
        return bool(np.isin(ratings[np.isfinite(ratings)], (0, 1)).all())

    @cached_property
    def has_contrasts(self) -> bool:
        """True if a stratum separates pairs with something that matters from the others."""
        values = dict(self.strata).get(SUBSET, ())
        return bool(values) and SUBSETS.issuperset(values)

    @property
    def measure(self) -> str:
        """The primary measure: AUROC where people say yes or no, else a correlation."""
        return "auroc" if self.primary is not None and self.is_binary(self.primary) else self.correlation

    @property
    def measure_words(self) -> str:
        """Name of the primary measure for people."""
        return "AUROC" if self.measure == "auroc" else f"{CORRELATIONS[self.measure]} correlation"

    def rows(self, target: Target) -> list[MetricScores]:
        """Rows of a table about a target: all metrics, less counts of both grades if it is of one grade of errors."""
        of_a_grade = target.name in GRADES and target.name != TOTAL
        return [scores for scores in self.scores if not (of_a_grade and scores.counts_of)]

    @property
    def distributed(self) -> list[str]:
        """Names of the metrics whose scores come with the set."""
        return [scores.metric for scores in self.scores if scores.source == DISTRIBUTED]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids of the pairs."""
        return tuple(annotated.pair.id for annotated in self.benchmark.pairs)

    @cached_property
    def studies(self) -> tuple[str, ...]:
        """Studies of the pairs."""
        return tuple(annotated.study for annotated in self.benchmark.pairs)

    @cached_property
    def resampling(self) -> Resampling:
        """Draws of studies; the same ones serve every figure."""
        return Resampling.by_study(self.studies, draws=self.draws, seed=self.seed)

    def ratings(self, target: str) -> Values:
        """Ratings by each rater, pairs x raters, as they were given."""
        width = max(1, len(self.benchmark.raters))
        blank = (np.nan,) * width
        rows = [annotated.ratings.get(target, blank) for annotated in self.benchmark.pairs]
        return np.asarray(rows, dtype=np.float64).reshape(len(rows), -1)

    def between(self, target: str) -> tuple[Values, Resampling]:
        """Ratings of each thing that was rated, things x raters, and draws of studies for these rows.

        Pairs about the same thing, such as a candidate with a reference by each rater, share a row.
        """
        ratings, things = self.ratings(target), self._things
        if len(things) == len(ratings):
            return ratings, self.resampling
        rows = [ratings[places] for places in things]
        first_ratings = [row[np.isfinite(row).argmax(axis=0), np.arange(row.shape[1])] for row in rows]
        studies = [self.studies[places[0]] for places in things]
        return np.asarray(first_ratings), Resampling.by_study(studies, draws=self.draws, seed=self.seed)

    @cached_property
    def _things(self) -> list[list[int]]:
        """Pairs by what the ratings are of, in the order of the data."""
        places_by_thing: dict[tuple[str, int], list[int]] = {}
        for place, annotated in enumerate(self.benchmark.pairs):
            places_by_thing.setdefault((annotated.rated, -1 if annotated.rated else place), []).append(place)
        return list(places_by_thing.values())

    def people(self, target: Target) -> Values:
        """Mean of the raters who rated a pair, higher is worse."""
        if target.name not in self._people:
            mean = mean_rating(self.ratings(target.name))
            self._people[target.name] = -mean if target.higher_is_better else mean
        return self._people[target.name]

    def marks(self, target: Target) -> Values:
        """1 where the mean rater says yes, or counts half an error or more; else 0; NaN where nobody rated.

        Of a target of which more is better it is the other way round: 1 where the mean rater says no.
        """
        mean = mean_rating(self.ratings(target.name))
        marked = (mean >= HALF) != target.higher_is_better
        return np.where(np.isfinite(mean), marked.astype(np.float64), np.nan)

    def judged(self, target: Target) -> Values:
        """Values for the primary measure: marks where people say yes or no, else their mean."""
        return self.marks(target) if self.is_binary(target) else self.people(target)

    def number(self, scores: MetricScores, target: Target | None) -> str:
        """Name of a metric's number for a target: for counts of errors the subscore of that name, else the score.

        For a row of a metric's error counts it is "count".

        A subscore that shares its name with any other target need not be about the same thing.
        """
        if scores.counts_of:
            return "count"
        if target is None or target.name.partition(".")[0] not in GRADES:
            return "score"
        return target.name if target.name in scores.subscores else "score"

    def is_turned(self, scores: MetricScores, target: Target | None = None) -> bool:
        """Returns whether the number that speaks for a target changes its sign so that higher is worse."""
        if target is not None and self.number(scores, target) == target.name:
            return target.higher_is_better
        return scores.higher_is_better

    def raw(self, scores: MetricScores, target: Target | None = None) -> Values:
        """The number that speaks for a target, as the metric gives it."""
        name = self.number(scores, target)
        return np.asarray(scores.scores if name in {"score", "count"} else scores.subscores[name], dtype=np.float64)

    def badness(self, scores: MetricScores, target: Target | None = None) -> Values:
        """A metric's number for each pair, higher is worse. A subscore named after a target takes its direction."""
        raw = self.raw(scores, target)
        return -raw if self.is_turned(scores, target) else raw

    def estimate(self, measure: str, scores: Values, people: Values) -> Estimate:
        """A measure with its interval over the pairs where both are told."""
        return estimate(MEASURES[measure], scores, people, self.resampling)

    def raters_of(self, target: str) -> tuple[str, ...]:
        """The raters who rated any pair, in the order of the benchmark's; another may have compared pairs only."""
        heard = np.isfinite(self.ratings(target)).any(axis=0)
        return tuple(name for name, has_rated in zip(self.benchmark.raters, heard, strict=False) if has_rated)

    def raters(self, measure: str, target: Target) -> RaterAgreement:
        """A measure between the raters of a target."""
        key = (measure, target.name)
        if key not in self._raters:
            ratings, resampling = self.between(target.name)
            ratings = ratings[:, np.isfinite(ratings).any(axis=0)]
            self._raters[key] = rater_agreement(MEASURES[measure], ratings, resampling)
        return self._raters[key]

    def stratum(self, name: str, value: str) -> Mask:
        """Mask of the pairs that belong to a stratum."""
        return np.asarray([annotated.strata.get(name) == value for annotated in self.benchmark.pairs], dtype=np.bool_)

    @cached_property
    def strata(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Names of strata with their values, in the order of the data."""
        values_by_name: dict[str, dict[str, None]] = {}
        for annotated in self.benchmark.pairs:
            for name, value in annotated.strata.items():
                values_by_name.setdefault(name, {})[value] = None
        return tuple((name, tuple(values)) for name, values in values_by_name.items())


def raters_heard(benchmark: HumanBenchmark) -> int:
    """Number of raters who rated any pair or, if nobody did, compared pairs."""
    rated = {
        place
        for annotated in benchmark.pairs
        for ratings in annotated.ratings.values()
        for place, rating in enumerate(ratings)
        if np.isfinite(rating)
    }
    return len(rated) or len(benchmark.raters)


def both(scores: Values, people: Values) -> Mask:
    """Pairs of which both are told."""
    return np.asarray(np.isfinite(scores) & np.isfinite(people), dtype=np.bool_)


def within(values: Values, mask: Mask) -> Values:
    """The values of some pairs, NaN elsewhere."""
    return np.where(mask, values, np.nan)


def without_plain_numbers(table: Table) -> Table:
    """The table without its column "number" where that says "score" of every metric."""
    place = [column.name for column in table.columns].index("number")
    if any(row[place] not in {"score", ""} for row in table.rows):
        return table
    rows = tuple(row[:place] + row[place + 1 :] for row in table.rows)
    return evolve(table, columns=table.columns[:place] + table.columns[place + 1 :], rows=rows)
