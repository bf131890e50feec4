"""Pairs of texts: scored at once, or taken as a batch and followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from overread.application.scoring.evaluate import PairResults
from overread.domain.reports.pair_digest import pair_digest
from overread.domain.reports.report import ReportPair
from overread.exceptions import InputError, NotFoundError, OverreadError
from overread.hospital.application.permissions import permit, sees_all
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.requests import BatchState, EvaluationRequest
from overread.hospital.application.row_check import PAIRS, told_of
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase, is_storable
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.domain.audit_trail import Actor

__all__ = ["Submitting", "batch_seen_by"]


class Submitting(UseCase):
    """Takes pairs of texts."""

    @operation
    def evaluate(self, pairs: Sequence[ReportPair], *, by: Actor) -> list[PairResults]:
        """Results of pairs, now; nothing is stored. Same length, order and ids. Submitter."""
        self._check_pairs(pairs)
        results = self._context.scorer.evaluate(pairs)
        self._tell_evaluated([EvaluationRequest(pairs=pairs, by=by)])
        return results

    def evaluate_together(self, requests: Sequence[EvaluationRequest]) -> list[list[PairResults] | OverreadError]:
        """Evaluate several requests, whoever made them, at once, which takes less time; see `evaluate`.

        Returns:
            The results of each request, or the error that it is refused with; a refused request keeps no other from
            being answered.

        Raises:
            OverreadError: if nothing can be scored, or the store is unavailable; no request is answered then.
        """
        errors = [self._find_error(request) for request in requests]
        taken = [request for request, error in zip(requests, errors, strict=True) if error is None]
        results = iter(self._context.scorer.evaluate(pair for request in taken for pair in request.pairs))
        self._tell_evaluated(taken)
        return [
            list(islice(results, len(request.pairs))) if error is None else error
            for request, error in zip(requests, errors, strict=True)
        ]

    @operation
    def submit(self, pairs: Sequence[ReportPair], *, by: Actor, name: str = "", key: str = "") -> BatchState:
        """Accept a batch to be scored; what is accepted survives a kill. Submitter.

        Args:
            pairs: with distinct ids.
            by: on whose behalf.
            name: to know it by.
            key: of the submitter's choice; the same key again is the same batch, and nothing is submitted twice.
        """
        self._check_pairs(pairs, ids_differ=True)
        state = self._add_batch(pairs, name, key, by)
        self._context.queued.notify()
        return state

    @again_if_busy
    def _add_batch(self, pairs: Sequence[ReportPair], name: str, key: str, by: Actor) -> BatchState:
        now = self._context.now()
        with self._context.store.transaction() as unit:
            batch, is_new = unit.batches.add(name, owner=by.name, key=key, made=now)
            if is_new:
                numbers = unit.pairs.add_given(pairs, owner=by.name, batch=batch, made=now)
                unit.jobs.add(numbers)
                self._context.note(
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

    @operation
    def batch(self, number: int, *, by: Actor) -> BatchState:
        """Progress of a batch. Submitter (own batches), reviewer."""
        return self._batch_state(number, by)

    @operation
    def follow(self, number: int, *, by: Actor, every: float = 1.0) -> Iterator[BatchState]:
        """The state of a batch now and whenever it changes, until it is done. As `batch`.

        Args:
            number: of the batch.
            by: on whose behalf.
            every: seconds after which it is looked for what other processes did; what this one does shows at once.
        """
        last = None
        while last is None or not last.is_done:
            seen = self._context.done.count
            state = self._batch_state(number, by)
            if state != last:
                yield state
            else:
                self._context.done.wait(seen, every)
            last = state

    def _batch_state(self, number: int, by: Actor) -> BatchState:
        with self._context.store.reading() as unit:
            return batch_seen_by(unit, number, by)

    def _find_error(self, request: EvaluationRequest) -> OverreadError | None:
        try:
            permit("evaluate", request.by)
            self._check_pairs(request.pairs)
        except OverreadError as error:
            return error
        return None

    @again_if_busy
    def _tell_evaluated(self, requests: Sequence[EvaluationRequest]) -> None:
        """An event of the audit trail for each request."""
        if requests:
            with self._context.store.transaction() as unit:
                for request in requests:
                    self._context.note(unit, request.by, "evaluate", details={"pairs": len(request.pairs)})

    def _check_pairs(self, pairs: Sequence[ReportPair], *, ids_differ: bool = False) -> None:
        largest = self._context.configuration.largest_batch
        if isinstance(pairs, ReportPair) or not all(isinstance(pair, ReportPair) for pair in pairs):
            raise InputError("pairs", "some are not ReportPairs", remedy="give a sequence of overread.ReportPair")
        if not 1 <= len(pairs) <= largest:
            raise InputError("pairs", f"there are {len(pairs)} pairs; 1 to {largest:,} are accepted at once")
        longest = self._context.configuration.longest_report
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
            raise InputError("pairs", "texts contain a NUL or half a surrogate pair", rows=broken)
        repeated = [ident for ident, count in Counter(pair.id for pair in pairs).items() if count > 1]
        if ids_differ and repeated:
            rows = [row for row, pair in enumerate(pairs, 1) if pair.id in repeated]
            raise InputError("pairs", "ids are used for more than one pair", rows=rows)

    def _check_same(self, unit: UnitOfWork, batch: int, pairs: Sequence[ReportPair]) -> None:
        known = [entry.digest for entry in unit.pairs.get(unit.pairs.of_batch(batch))]
        if known != [pair_digest(pair) for pair in pairs]:
            raise InputError("pairs", "the key was used for another batch", remedy="use a new key for a new batch")


def batch_seen_by(unit: UnitOfWork, number: int, by: Actor) -> BatchState:
    """The state of a batch that somebody may see.

    Raises:
        NotFoundError: as if it were not there, for a batch that they may not see.
    """
    state, owner = unit.batches.state(number)
    if owner != by.name and not sees_all(by):
        raise NotFoundError(f"there is no batch {number}")
    return state
