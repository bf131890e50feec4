"""Assignments of reading protocols: listed, claimed, given back and handed on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import timedelta

from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.permissions import leads
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.protocols import (
    AssignmentPage,
    AssignmentQuery,
    AssignmentRecord,
    AssignmentRow,
    PeerReading,
    row_of,
)
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.records import records_of
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.reading import Assignment, AssignmentState, ReadingProtocol, ReadingTask

__all__ = ["Assigning", "obstacle", "own_assignment"]

_LARGEST_PAGE = 500


class Assigning(UseCase):
    """Tells people what they are to read, and keeps two from doing the same."""

    @operation
    def assignments(
        self,
        *,
        by: Actor,
        reader: str | None = None,
        protocol: int | None = None,
        state: AssignmentState | None = None,
        after: int = 0,
        limit: int = 50,
    ) -> AssignmentPage:
        """A page of assignments, in an order that tells nothing of their pairs. Reviewer, their own; lead, all.

        One's own are also those of nobody that one may do, unless somebody else has a claim.

        Args:
            by: on whose behalf.
            reader: whose assignments; of all readers where omitted, which only a lead sees.
            protocol: number of a protocol.
            state: open, claimed, overdue or done.
            after: number of the assignment after which the list goes on.
            limit: rows of a page, 1 to 500.
        """
        if after < 0 or not 1 <= limit <= _LARGEST_PAGE:
            raise InputError("assignments", f"after must be 0 or more, and limit 1 to {_LARGEST_PAGE}")
        if not leads(by):
            if reader not in {None, by.name}:
                raise NotFoundError("there are no assignments of this reader")
            reader = by.name
        now = self._context.now()
        query = AssignmentQuery(reader=reader, protocol=protocol, state=state, now=now, after=after, limit=limit + 1)
        with self._context.store.reading() as unit:
            found = unit.assignments.page(query)
            shown = found[:limit]
            rows = list(self._assignment_rows(unit, shown))
        self._context.tell(by, "assignments", details={"rows": len(rows)})
        return AssignmentPage(rows=rows, next=shown[-1].number if len(found) > limit else None)

    @operation
    def assignment(self, number: int, *, by: Actor) -> AssignmentRecord:
        """An assignment with its pair as its reader may see it; one to adjudicate with what readers said. Reviewer."""
        with self._context.store.reading() as unit:
            assignment = unit.assignments.get(number)
            protocol = unit.protocols.get(assignment.protocol)
            is_own = _is_own(unit, assignment, protocol, by)
            if not is_own and not leads(by):
                raise _missing(assignment)
            [row] = self._assignment_rows(unit, [assignment])
            [record] = records_of(self._context, unit, unit.pairs.get([assignment.pair]), by=by)
            shows = assignment.task is ReadingTask.ADJUDICATION and (is_own or not record.blinded)
            readings = list(_readings(unit, assignment)) if shows else ()
        self._context.tell(by, "read", f"pair:{assignment.pair}", {"assignment": number})
        return AssignmentRecord(assignment=row, asks_radpeer=protocol.asks_radpeer, record=record, readings=readings)

    @operation
    @again_if_busy
    def claim_assignment(self, number: int, *, by: Actor) -> AssignmentRow:
        """Claim an assignment of one's own, or of nobody: others are kept away until the claim ends. Reviewer.

        Another claim of the same person lasts from then on. One's own review is taken without a claim, too.
        """
        now = self._context.now()
        with self._context.store.transaction() as unit:
            assignment, protocol = own_assignment(unit, number, by)
            until = now + timedelta(minutes=protocol.claim_minutes)
            if not unit.assignments.claim(number, by.name, now=now, until=until):
                raise InputError("assignment", "somebody else has claimed it", remedy="choose another one")
            self._context.note(unit, by, "claim", f"pair:{assignment.pair}", {"assignment": number})
            return next(self._assignment_rows(unit, [unit.assignments.get(number)]))

    @operation
    @again_if_busy
    def release_assignment(self, number: int, *, by: Actor) -> AssignmentRow:
        """Give an assignment of one's own back, for others of the protocol to claim. Reviewer; a lead any.

        Its reader is blinded as before: who gives a pair back does not see more of it.
        """
        with self._context.store.transaction() as unit:
            assignment = unit.assignments.get(number)
            protocol = unit.protocols.get(assignment.protocol)
            holder = assignment.holder(self._context.now())
            if not leads(by):
                _check_own(unit, assignment, protocol, by)
                if by.name not in {assignment.reader, holder}:
                    raise InputError("assignment", "it is not claimed by you")
            _check_active(assignment, protocol)
            unit.assignments.free(number)
            self._context.note(unit, by, "release", f"pair:{assignment.pair}", {"assignment": number})
            return next(self._assignment_rows(unit, [unit.assignments.get(number)]))

    @operation
    @again_if_busy
    def reassign(self, number: int, *, reader: str, by: Actor) -> AssignmentRow:
        """Hand an assignment to another of the protocol's people. Lead.

        Raises:
            InputError: if they may not do it, or it is done.
        """
        with self._context.store.transaction() as unit:
            assignment = unit.assignments.get(number)
            protocol = unit.protocols.get(assignment.protocol)
            _check_active(assignment, protocol)
            if problem := obstacle(unit, assignment, protocol, reader):
                raise InputError("reader", problem)
            unit.assignments.free(number, reader=reader)
            details: dict[str, str | int] = {"assignment": number, "from": assignment.reader, "to": reader}
            self._context.note(unit, by, "reassign", f"pair:{assignment.pair}", details)
            return next(self._assignment_rows(unit, [unit.assignments.get(number)]))

    def _assignment_rows(self, unit: UnitOfWork, assignments: Sequence[Assignment]) -> Iterator[AssignmentRow]:
        protocols = {number: unit.protocols.get(number) for number in {each.protocol for each in assignments}}
        pairs = unit.pairs.rows([each.pair for each in assignments], self._context.signature_lines)
        now = self._context.now()
        for assignment, row in zip(assignments, pairs, strict=True):
            yield row_of(
                assignment,
                protocols[assignment.protocol],
                examination=row.examination,
                kind=row.kind,
                withdrawn=row.withdrawn,
                now=now,
            )


def own_assignment(unit: UnitOfWork, number: int, by: Actor) -> tuple[Assignment, ReadingProtocol]:
    """An assignment that somebody may do now, with its protocol.

    Raises:
        NotFoundError: if it is another's.
        InputError: if it is done, or its protocol is closed.
    """
    assignment = unit.assignments.get(number)
    protocol = unit.protocols.get(assignment.protocol)
    _check_own(unit, assignment, protocol, by)
    _check_active(assignment, protocol)
    return assignment, protocol


def obstacle(unit: UnitOfWork, assignment: Assignment, protocol: ReadingProtocol, name: str) -> str:
    """Reason why somebody may not do an assignment; "" where they may."""
    if name not in {person.name for person in protocol.people(assignment.task)}:
        return "they are not among the protocol's people for this task"
    [pair] = unit.protocols.pairs(protocol.number, assignment.pair)
    if name in pair.barred:
        return "they are an author of the pair, or have reviewed it before"
    others = [
        each for each in unit.assignments.of(protocol.number, assignment.pair) if each.number != assignment.number
    ]
    if any(each.reader == name and each.task is assignment.task for each in others):
        return "they have another assignment of this pair"
    return ""


def _is_own(unit: UnitOfWork, assignment: Assignment, protocol: ReadingProtocol, by: Actor) -> bool:
    """Returns whether an assignment is somebody's, or nobody's and they may do it."""
    if assignment.reader:
        return assignment.reader == by.name
    return not obstacle(unit, assignment, protocol, by.name)


def _check_own(unit: UnitOfWork, assignment: Assignment, protocol: ReadingProtocol, by: Actor) -> None:
    if not _is_own(unit, assignment, protocol, by):
        raise _missing(assignment)


def _missing(assignment: Assignment) -> NotFoundError:
    return NotFoundError(f"there is no assignment {assignment.number} of yours")


def _check_active(assignment: Assignment, protocol: ReadingProtocol) -> None:
    if assignment.done is not None:
        raise InputError("assignment", "it is done")
    if protocol.closed is not None:
        raise InputError("assignment", "its protocol is closed")


def _readings(unit: UnitOfWork, adjudication: Assignment) -> Iterator[PeerReading]:
    """The readings of a pair without their readers, in an order of its own for each pair."""
    of_pair = unit.assignments.of(adjudication.protocol, adjudication.pair)
    numbers = {each.number for each in of_pair if each.task is ReadingTask.READING}
    [reviews] = unit.reviews.of([adjudication.pair])
    read = sorted(
        (review for review in reviews if review.assignment in numbers),
        key=lambda review: hashlib.sha256(f"{adjudication.pair}:{review.assignment}".encode()).digest(),
    )
    for place, review in enumerate(read, 1):
        yield PeerReading(
            label=f"reader {place}",
            verdicts=review.verdicts,
            no_discrepancy=review.no_discrepancy,
            radpeer=review.radpeer,
            comment=review.comment,
        )
