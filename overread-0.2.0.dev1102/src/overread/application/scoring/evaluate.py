"""Evaluating pairs: every metric over every pair, each outcome in its place."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from threading import Lock
from typing import Any, Final, Protocol, Self

from attrs import define, field, frozen, validators

from overread.application.batching import batches
from overread.application.ports import Closable, Metric, ResultStore
from overread.application.scoring.outcomes import checked_outcomes
from overread.application.scoring.time_limit import OverdueError, TimeLimited
from overread.application.scoring.tracing import Tracer, open_no_span
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult, Outcome, Scale, Unscored
from overread.domain.results.signature import Signature
from overread.exceptions import (
    ConfigurationError,
    InputError,
    MissingDependencyError,
    OverreadError,
    PluginError,
    StoreError,
)
from overread.forking import lock_for_forks
from overread.raised import describe_error, is_interrupt

__all__ = ["OUT_OF_MEMORY", "EvaluationService", "NamedMetric", "PairResults", "Progress"]


PairResults = dict[str, EvaluationResult]
"""The results of one pair by metric name."""

Progress = Callable[[int], None]
"""Called with the number of pairs done so far."""


OUT_OF_MEMORY: Final = "out of memory"
"""Reason of a pair that memory did not suffice for, even alone."""
_TIMED_OUT: Final = "timed out"
_FAULTS: Final = ("error", OUT_OF_MEMORY, _TIMED_OUT)
"""Reasons of pairs that were lost to a fault, which may be none of theirs."""

_NO_PAIRS_FAULT: Final = (ConfigurationError, MissingDependencyError, PluginError, StoreError)
"""What no pair is to blame for: it ends the run, and says what to do."""


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
        """Everything that changes the score; ``origin`` names the plugin of a metric that is not built in.

        Raises:
            PluginError: if the metric cannot tell its parts, as pairs of texts.
        """
        try:
            parts = tuple((part, identity) for part, identity in self.metric.signature_parts)
        except OverreadError:
            raise
        except BaseException as error:
            if is_interrupt(error):
                raise
            problem = f"metric {self.name!r} cannot give its signature_parts: {describe_error(error, own=False)}"
            raise PluginError([problem]) from error
        if not all(isinstance(text, str) for part in parts for text in part):
            raise PluginError([f"metric {self.name!r} has signature_parts that are not pairs of texts"])
        return Signature(self.name, parts).with_parts([("version", self.version), *self.origin])


@define(eq=False)
class EvaluationService:
    """Scores pairs with a set of metrics, keeping length, order and ids.

    Attributes:
        metrics: in the order asked for.
        store: where results are kept and found again, if anywhere.
        batch_size: pairs handed to a metric at once, 1 or more.
        run: name under which results are stored.
        refresh: whether to score anew what the store holds; a stored result has no evidence.
        log: told about a metric that breaks, once for each place where it does; never given report text.
        time_limit: seconds that a metric may take over one batch; without limit where None. One that takes longer
            leaves the pairs of that batch unscored ("timed out"), and those of later ones until it is back.
        holds: what is closed with the service.
        build: makes a service of the same settings; it must be importable where this is sent. With it the service can
            be pickled whatever its parts are: it is built anew where it comes out, with no cache, lock or open file of
            this one. Without, its parts are sent, and must be such that they can be.
        tracer: opens a span for each batch; it is not sent to other processes.
        failing: names of the metrics that a fault kept from scoring even one pair of the last batch.
    """

    metrics: Sequence[NamedMetric]
    store: ResultStore | None = None
    batch_size: int = field(default=256, validator=validators.ge(1))
    run: str = ""
    refresh: bool = False
    log: _Log | None = None
    time_limit: float | None = field(default=None, validator=validators.optional(validators.gt(0)))
    holds: Sequence[Closable] = ()
    build: Callable[[], EvaluationService] | None = field(default=None, repr=False)
    tracer: Tracer = field(default=open_no_span, repr=False)
    failing: frozenset[str] = field(default=frozenset(), init=False)
    _failures: Counter[tuple[str, str]] = field(factory=Counter, init=False, repr=False)
    _limited: dict[str, TimeLimited] = field(factory=dict, init=False, repr=False)
    _lock: Lock = field(factory=lock_for_forks, init=False, repr=False)

    def close(self) -> None:
        """Let go of processes, connections and files, of models and stores alike; they are taken up again on next use.

        Nothing may be scored meanwhile.
        """
        with ExitStack() as stack:
            for held in self.holds:
                stack.callback(held.close)

    def __enter__(self) -> Self:
        """Enter a with statement, which closes the service at its end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the service; see `close`."""
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Describe how to make the service in another process.

        Raises:
            PicklingError: naming the part that cannot be sent, if the service was put together by hand.
        """
        attributes = {name: getattr(self, name) for name in _SENT}
        if self.build is not None:
            return _built_again, (self.build, attributes, _signatures(self))
        parts = {"metrics": tuple(self.metrics), "store": self.store, "holds": tuple(self.holds)}
        for part, value in (*((f"metric {named.name!r}", named) for named in self.metrics), *parts.items()):
            _check_sendable(part, value)
        return _put_together, ({**parts, **attributes},)

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
        try:
            for batch in batches(pairs, self.batch_size):
                yield from self.evaluate_batch(batch)
        finally:
            self._sum_up()

    def evaluate_batch(self, pairs: Sequence[ReportPair]) -> list[PairResults]:
        """Results of one batch.

        Raises:
            InputError: if an item is no `ReportPair`.
            ConfigurationError, MissingDependencyError: if a metric can score nothing at all, as configured.
            PluginError: if a metric cannot tell its signature.
            StoreError: if answers or results cannot be kept.
        """
        pairs = tuple(pairs)  # a metric that sorts what it is given sorts its own
        with self.tracer("score", pairs=len(pairs)):
            return self._evaluate_batch(pairs)

    def _evaluate_batch(self, pairs: tuple[ReportPair, ...]) -> list[PairResults]:
        for row, pair in enumerate(pairs, start=1):
            if not isinstance(pair, ReportPair):
                problem = f"item {row} is {type(pair).__name__}, not a ReportPair"
                raise InputError("pairs", problem, remedy="overread.score_many takes mappings too")
        with self._lock:  # metrics and readers keep caches, which threads of a host must not tear
            signatures = [metric.signature for metric in self.metrics]
            by_metric = [
                self._with_store(metric, signature, pairs)
                for metric, signature in zip(self.metrics, signatures, strict=True)
            ]
            if pairs:
                metric_results = zip(self.metrics, by_metric, strict=True)
                self.failing = frozenset(
                    metric.name for metric, results in metric_results if all(map(_is_lost, results))
                )
        return [
            {metric.name: results[index] for metric, results in zip(self.metrics, by_metric, strict=True)}
            for index in range(len(pairs))
        ]

    def _with_store(
        self, named: NamedMetric, signature: Signature, pairs: Sequence[ReportPair]
    ) -> list[EvaluationResult]:
        if self.store is None:
            return self._score_pairs(named, signature, pairs)
        stored = [None] * len(pairs) if self.refresh else self.store.find(pairs, named.name, str(signature))
        new = [pair for pair, known in zip(pairs, stored, strict=True) if known is None]
        fresh = self._score_pairs(named, signature, new)
        self.store.add(self.run, new, fresh)
        remaining = iter(fresh)
        return [known if known is not None else next(remaining) for known in stored]

    def _score_pairs(
        self, named: NamedMetric, signature: Signature, pairs: Sequence[ReportPair]
    ) -> list[EvaluationResult]:
        return [
            EvaluationResult(
                pair_id=pair.id, metric=named.name, scale=named.scale, signature=signature, outcome=outcome
            )
            for pair, outcome in zip(pairs, self._outcomes(named, tuple(pairs)), strict=True)
        ]

    def _outcomes(self, named: NamedMetric, pairs: tuple[ReportPair, ...]) -> list[Outcome]:
        """The metric's outcomes; if it breaks on a batch, each pair alone, so that one cannot take others along.

        A batch that memory does not suffice for is halved until what is left of it suffices, or is a single pair.
        """
        if not pairs:
            return []
        try:
            return self._check_outcomes(named, pairs, self._ask_metric(named, pairs))
        except _NO_PAIRS_FAULT:
            raise
        except OverdueError as error:
            return [self._report_failure(named, pair, error) for pair in pairs]
        except BaseException as error:  # a plugin may raise anything, and one pair must not lose the others
            if is_interrupt(error):
                raise
            if len(pairs) == 1:
                return [self._report_failure(named, pairs[0], error)]
            size = (len(pairs) + 1) // 2 if _is_want_of_memory(error) else 1
        # Not in the handler: its traceback holds what the metric had allocated.
        return [outcome for part in batches(pairs, size) for outcome in self._outcomes(named, tuple(part))]

    def _ask_metric(self, named: NamedMetric, pairs: tuple[ReportPair, ...]) -> Sequence[Outcome]:
        if self.time_limit is None:
            return named.metric.evaluate(pairs)
        limited = self._limited.setdefault(named.name, TimeLimited(named.metric))
        return limited.evaluate(pairs, self.time_limit)

    def _check_outcomes(
        self, named: NamedMetric, pairs: Sequence[ReportPair], answered: Sequence[Outcome]
    ) -> list[Outcome]:
        """The metric's outcomes; an answer that isn't an outcome is reported as a failure of the metric."""
        outcomes = checked_outcomes(answered, pairs, named.scale)
        for pair, answer, outcome in zip(pairs, answered, outcomes, strict=True):
            if isinstance(outcome, Unscored) and outcome is not answer:
                self._tell(named, pair, outcome)
        return outcomes

    def _report_failure(self, named: NamedMetric, pair: ReportPair, error: BaseException) -> Unscored:
        """Reason for no score of a pair on which a metric failed."""
        outcome = Unscored(*_reason(error))
        self._tell(named, pair, outcome)
        return outcome

    def _tell(self, named: NamedMetric, pair: ReportPair, outcome: Unscored) -> None:
        """A line of the log for the first pair that is lost for a reason; the others are counted."""
        reason, detail = outcome.reason, outcome.detail
        self._failures[named.name, detail] += 1
        if self.log is not None and self._failures[named.name, detail] == 1:
            self.log.warning("metric_failed", metric=named.name, pair=pair.id, reason=reason, detail=detail)

    def _sum_up(self) -> None:
        """One line for all pairs that were lost at a place, where they are more than the one that was told."""
        failures, self._failures = self._failures, Counter()
        for (metric, detail), count in failures.items():
            if self.log is not None and count > 1:
                self.log.warning("metric_failed_on", metric=metric, pairs=count, detail=detail)


def _is_lost(result: EvaluationResult) -> bool:
    return isinstance(result.outcome, Unscored) and result.outcome.reason in _FAULTS


_SENT: Final = ("batch_size", "run", "refresh", "time_limit")
"""What a host may have changed since a service was built."""


@define
class _Remade:
    """The service that was last made in this process of one that was sent: a task of each pair finds it again."""

    key: tuple[int, bytes] = (0, b"")
    service: EvaluationService | None = None


_REMADE: Final = _Remade()


def _built_again(
    build: Callable[[], EvaluationService], kept: Mapping[str, object], signatures: Mapping[str, str]
) -> EvaluationService:
    """A service of the same settings as one that was sent; of several sent alike it is one.

    Raises:
        ConfigurationError: if it would score otherwise, as with other versions or files than there.
    """
    key = os.getpid(), pickle.dumps((build, kept, signatures))
    if _REMADE.service is None or _REMADE.key != key:
        service = build()
        if changed := [name for name, given in signatures.items() if _signatures(service).get(name) != given]:
            problem = f"{changed[0]} has a different signature here from where the service was sent"
            raise ConfigurationError([f"{problem}; use the same versions and the same files in both"])
        for name, value in kept.items():
            setattr(service, name, value)
        _REMADE.key, _REMADE.service = key, service
    return _REMADE.service


def _put_together(parts: Mapping[str, Any]) -> EvaluationService:
    return EvaluationService(**parts)


def _signatures(service: EvaluationService) -> dict[str, str]:
    return {named.name: str(named.signature) for named in service.metrics}


def _check_sendable(part: str, value: object) -> None:
    try:
        pickle.dumps(value)
    except Exception as error:  # whatever its own pickling raises
        problem = f"the service's {part} cannot be sent to another process ({type(error).__name__})"
        raise pickle.PicklingError(
            f"{problem}; a service from overread.open_service can be sent: it is built again there"
        ) from error


def _is_want_of_memory(error: BaseException) -> bool:
    """Return whether memory ran out; torch, which a metric may use, has its own exceptions for it."""
    if isinstance(error, MemoryError) or any(kind.__name__ == "OutOfMemoryError" for kind in type(error).__mro__):
        return True
    return isinstance(error, RuntimeError) and "DefaultCPUAllocator" in str(error)


def _reason(error: BaseException) -> tuple[str, str]:
    """Reason and detail of a pair that is lost to an error, without a word of a message that is not overread's own."""
    if _is_want_of_memory(error):
        return OUT_OF_MEMORY, f"the metric ran out of memory: {describe_error(error)}"
    if isinstance(error, OverdueError):
        return _TIMED_OUT, str(error)
    if isinstance(error, OverreadError):
        return "error", str(error)
    return "error", f"the metric raised {describe_error(error)}"
