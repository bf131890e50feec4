"""Gathering what metrics said of many pairs as numbers alone, from results and from what is left of them in files."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from overread.application.scoring.evaluate import EvaluationService, PairResults, Progress
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Scored, TransportEvidence
from overread.domain.results.scores import COUNTED, GRADES, Floats, MetricScores

__all__ = ["UNCATEGORISED", "ScoreCollector", "gather_scores", "score_pairs"]

UNCATEGORISED = "none"
"""Category that discrepancies outside the eight are counted under."""

_GRAVE = ("critical", "significant")


def score_pairs(
    service: EvaluationService, pairs: Iterable[ReportPair], *, on_progress: Progress | None = None
) -> tuple[MetricScores, ...]:
    """Scores pairs with each metric of a service, and keeps the numbers.

    Args:
        service: with the metrics.
        pairs: to be scored.
        on_progress: called with the number of pairs done.

    Raises:
        ConfigurationError, StoreError: as the service does.
    """
    collectors = {
        named.name: ScoreCollector(named.name, str(named.signature), higher_is_better=named.scale.higher_is_better)
        for named in service.metrics
    }
    for collector in collectors.values():
        collector.counts_by(*GRADES)
    for done, results in enumerate(service.stream(pairs), start=1):
        for name, result in results.items():
            collectors[name].add(result)
        if on_progress is not None:
            on_progress(done)
    return tuple(collector.scores() for collector in collectors.values())


def gather_scores(results: Iterable[PairResults]) -> tuple[MetricScores, ...]:
    """The numbers of results that are at hand, by metric."""
    collectors: dict[str, ScoreCollector] = {}
    for pair in results:
        for name, result in pair.items():
            if name not in collectors:
                higher_is_better = result.scale.higher_is_better
                collectors[name] = ScoreCollector(name, str(result.signature), higher_is_better=higher_is_better)
                collectors[name].counts_by(*GRADES)
            collectors[name].add(result)
    return tuple(collector.scores() for collector in collectors.values())


class ScoreCollector:
    """Gathers what one metric said, a pair at a time; what most pairs lack is kept for those that have it."""

    def __init__(self, metric: str, signature: str, *, higher_is_better: bool) -> None:
        self._metric, self._signature, self._higher_is_better = metric, signature, higher_is_better
        self._ids: list[str] = []
        self._scores = array("d")
        self._subscores: defaultdict[str, _Sparse] = defaultdict(_Sparse)
        self._counts: dict[str, defaultdict[str, _Sparse]] = {}
        self._units = _Sparse()
        self._reasons: dict[str, str] = {}
        self.counts_by(*COUNTED)

    def counts_by(self, *kinds: str) -> None:
        """Discrepancies are counted by these kinds, too."""
        self._counts |= {kind: defaultdict(_Sparse) for kind in kinds}

    def add(self, result: EvaluationResult) -> None:
        """A result that is at hand; its evidence tells how many units the reference has."""
        outcome = result.outcome
        if not isinstance(outcome, Scored):
            self.unscored(result.pair_id, outcome.reason)
            return
        if isinstance(outcome.evidence, TransportEvidence):
            self._units.put(len(self._ids), len(outcome.evidence.reference_units))
        self.scored(result.pair_id, outcome.score, outcome.subscores, map(_kinds, outcome.discrepancies))

    def unscored(self, pair_id: str, reason: str) -> None:
        """A pair without a score."""
        self._ids.append(pair_id)
        self._scores.append(math.nan)
        self._reasons[pair_id] = reason

    def scored(
        self, pair_id: str, score: float, subscores: Mapping[str, float], discrepancies: Iterable[Mapping[str, str]]
    ) -> None:
        """A pair with a score, and the kinds of each discrepancy."""
        place = len(self._ids)
        self._ids.append(pair_id)
        self._scores.append(score)
        for name, value in subscores.items():
            self._subscores[name].put(place, value)
        for kinds in discrepancies:
            for kind, named in kinds.items():
                self._counts[kind][named].put(place, 1.0)

    def scores(self) -> MetricScores:
        """Everything gathered."""
        scores = np.frombuffer(self._scores, dtype=np.float64)
        none = np.where(np.isnan(scores), np.nan, 0.0)
        subscores = {name: column.over(np.full(len(scores), np.nan)) for name, column in self._subscores.items()}
        counts = {
            kind: {value: column.added_to(none) for value, column in sorted(values.items())}
            for kind, values in self._counts.items()
        }
        return MetricScores(
            metric=self._metric,
            signature=self._signature,
            higher_is_better=self._higher_is_better,
            ids=tuple(self._ids),
            scores=scores,
            subscores=subscores,
            counts=counts,
            verdicts=_verdicts(none, counts["severity"], subscores.get("significant")),
            reference_units=self._units.over(np.full(len(scores), np.nan)) if self._units else None,
            reasons=self._reasons,
        )


def _kinds(discrepancy: Discrepancy) -> dict[str, str]:
    category = UNCATEGORISED if discrepancy.category is None else discrepancy.category.value
    grade = GRADES[0] if discrepancy.severity.counts_as_significant else GRADES[1]
    values = (category, discrepancy.aspect.value, discrepancy.severity.value)
    return {**dict(zip(COUNTED, values, strict=True)), grade: category}


def _verdicts(none: Floats, severities: Mapping[str, Floats], counted: Floats | None) -> Floats | None:
    """Verdicts by the metric's own count of significant errors where it has one: it may count what it cannot locate."""
    if not severities:
        return None
    named = sum((severities[name] for name in _GRAVE if name in severities), none)
    significant = named if counted is None else np.where(np.isnan(counted), named, counted)
    return np.where(np.isnan(none), np.nan, significant > 0)


class _Sparse:
    """Numbers of some of the pairs."""

    def __init__(self) -> None:
        self._places, self._values = array("q"), array("d")

    def __len__(self) -> int:
        return len(self._places)

    def put(self, place: int, value: float) -> None:
        self._places.append(place)
        self._values.append(value)

    def over(self, base: Floats) -> Floats:
        """``base`` with the numbers put in their places."""
        base[np.frombuffer(self._places, dtype=np.int64)] = np.frombuffer(self._values, dtype=np.float64)
        return base

    def added_to(self, base: Floats) -> Floats:
        """The numbers of each place summed onto ``base``."""
        places = np.frombuffer(self._places, dtype=np.int64)
        summed = np.bincount(places, np.frombuffer(self._values, dtype=np.float64), len(base))
        return (base + summed).astype(np.float32)
