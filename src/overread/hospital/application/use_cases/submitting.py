"""Pairs of texts: scored at once, or taken as a batch and followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from attrs import frozen

from overread.application.scoring.evaluate import PairResults
from overread.domain.reports.pair_digest import pair_digest
from overread.domain.reports.report import ReportPair
from overread.exceptions import InputError, NotFoundError, OverreadError
from overread.hospital.application.permissions import permit, sees_all
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.requests import BatchState, EvaluationRequest
from overread.hospital.application.row_check import PAIRS, told_of
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import ServiceContext, is_storable
from overread.hospital.domain.audit_trail import Actor

__all__ = ["Submitting"]


@frozen(eq=False)
class Submitting:
    """Takes pairs of texts."""

    context: ServiceContext

    def evaluate(self, pairs: Sequence[ReportPair], by: Actor) -> list[PairResults]:
        """Results now; nothing is kept of the pairs."""
        self._check(pairs)
        results = self.context.scorer.evaluate(pairs)
        self._tell_evaluated([EvaluationRequest(pairs=pairs, by=by)])
        return results

    def evaluate_together(self, requests: Sequence[EvaluationRequest]) -> list[list[PairResults] | OverreadError]:
        """The same for several requests, scored at once; in the place of one that is refused its error."""
        errors = [self._find_error(request) for request in requests]
        taken = [request for request, error in zip(requests, errors, strict=True) if error is None]
        results = iter(self.context.scorer.evaluate(pair for request in taken for pair in request.pairs))
        self._tell_evaluated(taken)
        return [
            list(islice(results, len(request.pairs))) if error is None else error
            for request, error in zip(requests, errors, strict=True)
        ]

    def submit(self, pairs: Sequence[ReportPair], name: str, key: str, by: Actor) -> BatchState:
        """A new batch, or the one that the key stands for."""
        self._check(pairs, ids_differ=True)
        state = self._add_batch(pairs, name, key, by)
        self.context.queued.notify()
        return state

    @again_if_busy
    def _add_batch(self, pairs: Sequence[ReportPair], name: str, key: str, by: Actor) -> BatchState:
        now = self.context.now()
        with self.context.store.transaction() as unit:
            batch, is_new = unit.batches.add(name, owner=by.name, key=key, made=now)
            if is_new:
                numbers = unit.pairs.add_given(pairs, owner=by.name, batch=batch, made=now)
                unit.jobs.add(numbers)
                self.context.note(
                    unit,
                    by,
                    "submit",
                    f"batch:{batch}",
                    {"pairs": len(pairs), PAIRS: told_of(unit.pairs.stated, numbers)},
                )
            else:
                self._check_same(unit, batch, pairs)
            state, _ = unit.batches.state(batch)
        return state

    def batch(self, number: int, by: Actor) -> BatchState:
        """Progress of a batch."""
        with self.context.store.reading() as unit:
            return self.seen(unit, number, by)

    def follow(self, number: int, by: Actor, every: float) -> Iterator[BatchState]:
        """The state of a batch whenever it changes, until it is done; looked for after that many seconds at most."""
        last = None
        while last is None or not last.is_done:
            seen = self.context.done.count
            state = self.batch(number, by)
            if state != last:
                yield state
            else:
                self.context.done.wait(seen, every)
            last = state

    def seen(self, unit: UnitOfWork, number: int, by: Actor) -> BatchState:
        """The state of a batch that somebody may see. Raises `NotFoundError` as if it were not there otherwise."""
        state, owner = unit.batches.state(number)
        if owner != by.name and not sees_all(by):
            raise NotFoundError(f"there is no batch {number}")
        return state

    def _find_error(self, request: EvaluationRequest) -> OverreadError | None:
        try:
            permit("evaluate", request.by)
            self._check(request.pairs)
        except OverreadError as error:
            return error
        return None

    @again_if_busy
    def _tell_evaluated(self, requests: Sequence[EvaluationRequest]) -> None:
        """An event of the audit trail for each request."""
        if requests:
            with self.context.store.transaction() as unit:
                for request in requests:
                    self.context.note(unit, request.by, "evaluate", details={"pairs": len(request.pairs)})

    def _check(self, pairs: Sequence[ReportPair], *, ids_differ: bool = False) -> None:
        largest = self.context.configuration.largest_batch
        if isinstance(pairs, ReportPair) or not all(isinstance(pair, ReportPair) for pair in pairs):
            raise InputError("pairs", "they are not all ReportPairs", remedy="give a sequence of overread.ReportPair")
        if not 1 <= len(pairs) <= largest:
            raise InputError("pairs", f"{len(pairs)} pairs where 1 to {largest:,} are taken at once")
        longest = self.context.configuration.longest_report
        too_long = [
            row
            for row, pair in enumerate(pairs, 1)
            if max(len(pair.reference.text), len(pair.candidate.text)) > longest
        ]
        if too_long:
            raise InputError("pairs", f"reports are longer than {longest:,} characters", rows=too_long)
        broken = [
            row
            for row, pair in enumerate(pairs, 1)
            if not is_storable(pair.id + pair.reference.text + pair.candidate.text)
        ]
        if broken:
            raise InputError("pairs", "texts hold a NUL, or half a character", rows=broken)
        repeated = [ident for ident, count in Counter(pair.id for pair in pairs).items() if count > 1]
        if ids_differ and repeated:
            rows = [row for row, pair in enumerate(pairs, 1) if pair.id in repeated]
            raise InputError("pairs", "ids stand for more than one pair", rows=rows)

    def _check_same(self, unit: UnitOfWork, batch: int, pairs: Sequence[ReportPair]) -> None:
        known = [entry.digest for entry in unit.pairs.get(unit.pairs.of_batch(batch))]
        if known != [pair_digest(pair) for pair in pairs]:
            raise InputError("pairs", "the key stands for another batch", remedy="use a new key for a new batch")
