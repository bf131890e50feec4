"""Evaluating pairs: every metric over every pair, each outcome in its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import Final, Protocol

from attrs import define, field, frozen, validators

from overread.application.batching import batches
from overread.application.ports import Metric, ResultStore
from overread.domain.report import ReportPair
from overread.domain.result import EvaluationResult, Outcome, Scale, Scored, Unscored
from overread.domain.signature import Signature
from overread.exceptions import ConfigurationError, InputError, StoreError

__all__ = ["EvaluationService", "NamedMetric", "PairResults", "Progress"]


PairResults = dict[str, EvaluationResult]
"""The results of one pair by metric name."""

Progress = Callable[[int], None]
"""Called with the number of pairs done so far."""


_ROUNDING: Final = 1e-9
"""A score may lie this far beyond its scale by floating-point rounding."""


class _Log(Protocol):
    def warning(self, event: str, **values: object) -> object: ...


@frozen(eq=False)
class NamedMetric:
    """A metric with what the registry knows of it."""

    name: str
    version: str
    scale: Scale
    metric: Metric = field(repr=False)
    origin: tuple[tuple[str, str], ...] = ()

    @property
    def signature(self) -> Signature:
        """Everything that changes the score; ``origin`` names the plugin of a metric that is not built in."""
        return Signature(self.name, tuple(self.metric.signature_parts)).with_parts(
            [("version", self.version), *self.origin]
        )


@define(eq=False)
class EvaluationService:
    """Scores pairs with a set of metrics, keeping length, order and ids.

    Attributes:
        metrics: in the order asked for.
        store: where results are kept and found again, if anywhere.
        batch_size: pairs handed to a metric at once, 1 or more.
        run: name under which results are stored.
        refresh: whether to score anew what the store holds; a stored result has no evidence.
        log: told about a metric that breaks; never given report text.
    """

    metrics: Sequence[NamedMetric]
    store: ResultStore | None = None
    batch_size: int = field(default=256, validator=validators.ge(1))
    run: str = ""
    refresh: bool = False
    log: _Log | None = None
    _lock: Lock = field(factory=Lock, init=False, repr=False)

    def evaluate(self, pairs: Iterable[ReportPair], *, on_progress: Progress | None = None) -> list[PairResults]:
        """Results of each pair, in order."""
        results: list[PairResults] = []
        for result in self.stream(pairs):
            results.append(result)
            if on_progress is not None:
                on_progress(len(results))
        return results

    def stream(self, pairs: Iterable[ReportPair]) -> Iterator[PairResults]:
        """Results of each pair, in order, a batch at a time: memory does not grow with the number of pairs."""
        for batch in batches(pairs, self.batch_size):
            yield from self.evaluate_batch(batch)

    def evaluate_batch(self, pairs: Sequence[ReportPair]) -> list[PairResults]:
        """Results of one batch.

        Raises:
            InputError: if an item is no `ReportPair`.
            ConfigurationError: if a metric finds that it can score nothing at all, as configured.
            StoreError: if answers or results cannot be kept.
        """
        for row, pair in enumerate(pairs, start=1):
            if not isinstance(pair, ReportPair):
                problem = f"item {row} is {type(pair).__name__}, not a ReportPair"
                raise InputError("pairs", problem, remedy="overread.score_many takes mappings too")
        with self._lock:  # metrics and readers keep caches, which threads of a host must not tear
            by_metric = [self._with_store(metric, pairs) for metric in self.metrics]
        return [
            {metric.name: results[index] for metric, results in zip(self.metrics, by_metric, strict=True)}
            for index in range(len(pairs))
        ]

    def _with_store(self, named: NamedMetric, pairs: Sequence[ReportPair]) -> list[EvaluationResult]:
        if self.store is None:
            return self._scored(named, pairs)
        found = [None] * len(pairs) if self.refresh else self.store.find(pairs, named.name, str(named.signature))
        new = [pair for pair, known in zip(pairs, found, strict=True) if known is None]
        fresh = self._scored(named, new)
        self.store.add(self.run, new, fresh)
        remaining = iter(fresh)
        return [known if known is not None else next(remaining) for known in found]

    def _scored(self, named: NamedMetric, pairs: Sequence[ReportPair]) -> list[EvaluationResult]:
        signature = named.signature
        return [
            EvaluationResult(
                pair_id=pair.id, metric=named.name, scale=named.scale, signature=signature, outcome=outcome
            )
            for pair, outcome in zip(pairs, self._outcomes(named, pairs), strict=True)
        ]

    def _outcomes(self, named: NamedMetric, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """The metric's outcomes; if it breaks on a batch, each pair alone, so that one cannot take others along."""
        if not pairs:
            return []
        try:
            return _checked(named.metric.evaluate(pairs), len(pairs), named.scale)
        except (ConfigurationError, MemoryError, StoreError):  # what is wrong is not the pair
            raise
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything, and one pair must not lose the others
            if len(pairs) == 1:
                self._warn(named, pairs[0], error)
                return [Unscored("error", f"the metric raised {type(error).__name__}")]
            return [outcome for pair in pairs for outcome in self._outcomes(named, [pair])]

    def _warn(self, named: NamedMetric, pair: ReportPair, error: Exception) -> None:
        if self.log is not None:
            self.log.warning("metric_failed", metric=named.name, pair=pair.id, error=type(error).__name__)


def _checked(outcomes: Sequence[Outcome], expected: int, scale: Scale) -> list[Outcome]:
    if len(outcomes) != expected:
        msg = f"{len(outcomes)} outcomes for {expected} pairs"
        raise ValueError(msg)
    return [_sound(outcome, scale) for outcome in outcomes]


def _sound(outcome: Outcome, scale: Scale) -> Outcome:
    """A score that is not a finite number, or lies outside the metric's own scale, is no score."""
    if not isinstance(outcome, Outcome):
        msg = f"an outcome must be Scored or Unscored, not {type(outcome).__name__}"
        raise TypeError(msg)
    if isinstance(outcome, Scored) and not math.isfinite(outcome.score):
        return Unscored("not a number", f"the metric returned {float(outcome.score)}")
    if isinstance(outcome, Scored) and not scale.low - _ROUNDING <= outcome.score <= scale.high + _ROUNDING:
        return Unscored("out of range", f"the metric returned {outcome.score:g}, its scale is {scale.describe()}")
    return outcome
