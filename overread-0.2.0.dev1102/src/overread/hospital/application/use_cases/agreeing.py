"""Agreement of readers, for whoever leads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from overread.application.statistics.resampling import DRAWS
from overread.exceptions import InputError
from overread.hospital.application.agreement import Agreement, Case, agreement_of
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.requests import PairState
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.reviewing import judged_result
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.judgement import Judgement, judgement_of, judgement_of_result
from overread.hospital.domain.radpeer import proposal
from overread.hospital.domain.reading import PairProgress, ReadingMode, ReadingProtocol, ReadingTask

__all__ = ["Agreeing"]

_MOST_DRAWS: Final = DRAWS


class Agreeing(UseCase):
    """Counts how far readers agree."""

    @operation
    def agreement(self, number: int, *, by: Actor, draws: int = DRAWS, seed: int = 0) -> Agreement:
        """Agreement of a protocol's readers, with one another, with what was decided, and of the program. Lead.

        Args:
            number: of the protocol.
            by: on whose behalf; nobody who reads for it blinded, until it is closed.
            draws: of the intervals, 1 to 10,000.
            seed: of the draws.
        """
        if not 1 <= draws <= _MOST_DRAWS:
            raise InputError("draws", f"1 to {_MOST_DRAWS:,} are drawn")
        with self._context.store.reading() as unit:
            protocol = unit.protocols.get(number)
            people = {person.name for task in ReadingTask for person in protocol.people(task)}
            if protocol.mode is ReadingMode.BLINDED and protocol.closed is None and by.name in people:
                raise InputError("agreement", "you read for this protocol: it is told when it is closed")
            cases = list(self._cases(unit, protocol))
        self._context.tell(by, "agreement", f"protocol:{number}", {"pairs": len(cases)})
        names = [reader.name for reader in protocol.readers]
        return agreement_of(number, cases, names, draws=draws, seed=seed)

    def _cases(self, unit: UnitOfWork, protocol: ReadingProtocol) -> Iterator[Case]:
        """The pairs that have a reading."""
        pairs = unit.protocols.pairs(protocol.number)
        numbers = [pair.pair for pair in pairs]
        tasks = {each.number: each.task for each in unit.assignments.of(protocol.number)}
        present = self._context.signatures[DISCREPANCIES_OF]
        rows = unit.pairs.rows(numbers, self._context.signature_lines)
        kept = zip(pairs, rows, unit.reviews.of(numbers), unit.pairs.results(numbers), strict=True)
        for pair, row, reviews, results in kept:
            judged: Mapping[ReadingTask, dict[str, Judgement]] = {task: {} for task in ReadingTask}
            for review in reviews:
                if review.assignment in tasks:
                    judgement = judgement_of(review, judged_result(results, review.signature))
                    judged[tasks[review.assignment]][review.reviewer] = judgement
            readings = judged[ReadingTask.READING]
            if not readings:
                continue
            listed = judged_result(results, present)
            proposed = proposal(next((each for each in results if str(each.signature) == present), None))
            is_scored = row.state is PairState.SCORED
            yield Case(
                importance=row.importance,
                modality=row.examination.modality,
                readings=readings,
                program=judgement_of_result(listed, proposed.score if proposed else None) if is_scored else None,
                verdict=_verdict(pair.progress, readings, judged[ReadingTask.ADJUDICATION]),
            )


def _verdict(
    progress: PairProgress, readings: Mapping[str, Judgement], adjudicated: Mapping[str, Judgement]
) -> Judgement | None:
    """The judgement that stands: the adjudicated one, else that of the first reader where all agree."""
    if adjudicated:
        return next(iter(adjudicated.values()))
    return next(iter(readings.values())) if progress is PairProgress.AGREED else None
