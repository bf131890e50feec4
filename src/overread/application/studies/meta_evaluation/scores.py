"""What metrics said of a benchmark's pairs, as numbers alone: no text, no evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import define, evolve, field, frozen

from overread.application.scoring.evaluate import EvaluationService, Progress
from overread.application.scoring.scores import MetricScores
from overread.domain.annotation import HumanBenchmark, ProvidedScores
from overread.domain.discrepancy import Discrepancy
from overread.domain.report import ReportPair
from overread.domain.result import EvaluationResult, Scored, TransportEvidence
from overread.domain.taxonomy import ErrorCategory

__all__ = [
    "DISTRIBUTED",
    "NOW",
    "TrialScores",
    "distributed_scores",
    "in_table_order",
    "score_pairs",
    "stored_scores",
    "total_counts",
]

_CATEGORIES = tuple(category.value for category in ErrorCategory)
_GRADES = ("significant", "insignificant")

NOW = "scored now"
DISTRIBUTED = "distributed with the set"

ById = Mapping[str, float]


@frozen(kw_only=True)
class TrialScores:
    """The scores of one metric; every mapping is by pair id unless it says otherwise.

    Attributes:
        metric: name, also the row's in tables.
        higher_is_better: direction of the score.
        signature: what the scores were made with; "" where that is not known.
        source: where they come from, in words.
        scores: of the pairs that have one.
        subscores: the numbers beside it, by their name.
        unscored: why a pair has none.
        counts: predicted errors by the name of the target they predict: "total.A", "significant.A", "insignificant.A".
        verdicts: whether the metric names a significant discrepancy; empty for one that names none by its nature.
        aspects: of the discrepancies that the metric names, how many of each; empty likewise.
        reference_units: how many clinical units the metric read in the reference; empty for one that reads none.
        counts_of: the metric whose errors these scores count, significant or not, where they are not a metric's own.
    """

    metric: str
    higher_is_better: bool
    scores: ById = field(repr=False)
    signature: str = ""
    source: str = NOW
    subscores: Mapping[str, ById] = field(factory=dict, repr=False)
    unscored: Mapping[str, str] = field(factory=dict, repr=False)
    counts: Mapping[str, ById] = field(factory=dict, repr=False)
    verdicts: Mapping[str, bool] = field(factory=dict, repr=False)
    aspects: Mapping[str, Mapping[str, int]] = field(factory=dict, repr=False)
    reference_units: Mapping[str, float] = field(factory=dict, repr=False)
    counts_of: str = ""


def distributed_scores(provided: ProvidedScores) -> TrialScores:
    """Scores that come with a set."""
    return TrialScores(
        metric=provided.metric,
        higher_is_better=provided.higher_is_better,
        scores=dict(provided.scores),
        source=DISTRIBUTED,
    )


def stored_scores(stored: MetricScores, benchmark: HumanBenchmark, *, source: str) -> TrialScores:
    """Scores read from a result file. A pair of the benchmark that the file does not hold is unscored.

    Discrepancies are stored by category and by severity, not by both, so they give the total of a category alone.

    Args:
        stored: of one metric.
        benchmark: whose pairs are looked up; others are left out.
        source: name of the file, for people.
    """
    wanted = [annotated.pair.id for annotated in benchmark.pairs]
    known = set(stored.ids)
    subscores = {name: stored.subscore_by_id(name) for name in stored.subscores}
    severities = {name: stored.count_by_id("severity", name) for name in stored.counts.get("severity", {})}
    scores = stored.score_by_id()
    lists = bool(severities)
    significant = [severities.get(name, {}) for name in ("critical", "significant")]
    by_aspect = {name: stored.count_by_id("aspect", name) for name in stored.counts.get("aspect", {})}
    return TrialScores(
        metric=stored.metric,
        higher_is_better=stored.higher_is_better,
        signature=stored.signature,
        source=source,
        scores={key: scores[key] for key in wanted if key in scores},
        subscores=subscores,
        unscored={
            key: stored.reasons.get(key, "no score") if key in known else "not in the file"
            for key in wanted
            if key not in scores
        },
        counts=total_counts(subscores),
        verdicts={key: _counted(key, subscores, significant) for key in scores} if lists else {},
        aspects={
            key: {name: int(counts.get(key, 0.0)) for name, counts in by_aspect.items() if counts.get(key, 0.0)}
            for key in scores
        }
        if lists
        else {},
    )


def in_table_order(groups: Iterable[Sequence[TrialScores]]) -> tuple[TrialScores, ...]:
    """All scores in one list under distinct names: one whose name is taken is told apart by its source."""
    found: dict[str, TrialScores] = {}
    for scores in (scores for group in groups for scores in group):
        name, number = scores.metric, 1
        while name in found:
            name = (
                f"{scores.metric} ({scores.source})" if number == 1 else f"{scores.metric} ({scores.source} {number})"
            )
            number += 1
        found[name] = evolve(scores, metric=name)
    return tuple(found.values())


def score_pairs(
    service: EvaluationService, benchmark: HumanBenchmark, *, on_progress: Progress | None = None
) -> tuple[TrialScores, ...]:
    """Scores every pair of a benchmark with each metric of a service.

    Args:
        service: with the metrics to judge.
        benchmark: whose pairs are scored.
        on_progress: called with the number of pairs done.

    Raises:
        ConfigurationError, StoreError: as the service does.
    """
    gathered = {named.name: _Gathered() for named in service.metrics}
    pairs: list[ReportPair] = [annotated.pair for annotated in benchmark.pairs]
    for done, results in enumerate(service.stream(pairs), start=1):
        for name, result in results.items():
            gathered[name].add(result)
        if on_progress is not None:
            on_progress(done)
    return tuple(
        gathered[named.name].scores(named.name, str(named.signature), higher_is_better=named.scale.higher_is_better)
        for named in service.metrics
    )


@define
class _Gathered:
    """Numbers of one metric as its results come."""

    score: dict[str, float] = field(factory=dict)
    subscores: dict[str, dict[str, float]] = field(factory=dict)
    unscored: dict[str, str] = field(factory=dict)
    named: dict[str, tuple[Discrepancy, ...]] = field(factory=dict)
    units: dict[str, float] = field(factory=dict)

    def add(self, result: EvaluationResult) -> None:
        outcome = result.outcome
        if not isinstance(outcome, Scored):
            self.unscored[result.pair_id] = outcome.reason
            return
        self.score[result.pair_id] = float(outcome.score)
        self.named[result.pair_id] = outcome.discrepancies
        if isinstance(outcome.evidence, TransportEvidence):
            self.units[result.pair_id] = float(len(outcome.evidence.reference_units))
        for name, value in outcome.subscores.items():
            self.subscores.setdefault(name, {})[result.pair_id] = float(value)

    def scores(self, metric: str, signature: str, *, higher_is_better: bool) -> TrialScores:
        lists = any(self.named.values())
        return TrialScores(
            metric=metric,
            higher_is_better=higher_is_better,
            signature=signature,
            scores=self.score,
            subscores=self.subscores,
            unscored=self.unscored,
            counts=self._counts() if lists and not _counts_by_grade(self.subscores) else total_counts(self.subscores),
            verdicts={key: _is_significant(key, found, self.subscores) for key, found in self.named.items()}
            if lists
            else {},
            aspects={key: Counter(d.aspect.value for d in found) for key, found in self.named.items()} if lists else {},
            reference_units=self.units,
        )

    def _counts(self) -> dict[str, dict[str, float]]:
        """Discrepancies of each category, of each grade and of both."""
        counted: dict[str, dict[str, float]] = {}
        for grade, keep in _GRADED.items():
            for category in ErrorCategory:
                counted[f"{grade}.{category.value}"] = {
                    key: float(sum(d.category is category and keep(d) for d in found))
                    for key, found in self.named.items()
                }
        return counted


_GRADED: Mapping[str, Callable[[Discrepancy], bool]] = {
    "total": lambda _: True,
    "significant": lambda discrepancy: discrepancy.severity.counts_as_significant,
    "insignificant": lambda discrepancy: not discrepancy.severity.counts_as_significant,
}


def total_counts(subscores: Mapping[str, ById]) -> dict[str, dict[str, float]]:
    """Predicted errors by target, from subscores named by category.

    A subscore "A" counts every error of that category, as CREPE's heads do (section 3.1). Where there is an
    "insignificant_A" beside it, as GREEN has, "A" counts the significant ones, and the total is their sum.
    """
    graded = _counts_by_grade(subscores)
    counted: dict[str, dict[str, float]] = {}
    for category in _CATEGORIES:
        counts = subscores.get(category)
        if counts is None:
            continue
        if not graded:
            counted[f"total.{category}"] = dict(counts)
            continue
        others = subscores.get(f"insignificant_{category}", {})
        counted[f"significant.{category}"] = dict(counts)
        counted[f"insignificant.{category}"] = dict(others)
        counted[f"total.{category}"] = {key: value + others.get(key, 0.0) for key, value in counts.items()}
    return counted


def _counts_by_grade(subscores: Mapping[str, ById]) -> bool:
    return any(name.startswith("insignificant_") for name in subscores)


def _counted(key: str, subscores: Mapping[str, ById], severities: Sequence[ById]) -> bool:
    counted = subscores.get("significant", {}).get(key)
    return counted > 0 if counted is not None else any(counts.get(key, 0.0) > 0 for counts in severities)


def _is_significant(key: str, found: Sequence[Discrepancy], subscores: Mapping[str, ById]) -> bool:
    """By the metric's own count where it has one; it may count what it cannot point at."""
    counted = subscores.get("significant", {}).get(key)
    return counted > 0 if counted is not None else any(d.severity.counts_as_significant for d in found)
