"""A person's word on a pair: on its discrepancies one by one, and on the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.members import check_member
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.use_cases.assigning import own_assignment
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase, is_storable
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.judgement import differ, judgement_of
from overread.hospital.domain.radpeer import proposal
from overread.hospital.domain.reading import Assignment, PairProgress, ReadingMode, ReadingProtocol, ReadingTask
from overread.hospital.domain.review import (
    Radpeer,
    Review,
    ReviewStage,
    Verdict,
    VerdictKind,
    review_digest,
    verdict_problems,
)

__all__ = ["Reviewing", "judged_result"]

_NOBODY = "its readers differ, and all adjudicators are authors of its versions or have reviewed it before"
_NO_ADJUDICATOR = "its readers differ, and the protocol has no adjudicator"


class Reviewing(UseCase):
    """Keeps reviews. What a program proposed stands beside what the person said, and never in its place."""

    @operation
    @again_if_busy
    def review(
        self,
        number: int,
        *,
        by: Actor,
        signature: str,
        verdicts: Sequence[Verdict] = (),
        radpeer: Radpeer | None = None,
        comment: str = "",
    ) -> Review:
        """Keep what a person says of a pair's result, and of its discrepancies one by one. Reviewer.

        Where they have an assignment of the pair in an open protocol, it is done by this. After a blinded review of
        theirs it is kept beside that one.
        """
        if radpeer is not None:
            check_member(Radpeer, "radpeer", radpeer)
        with self._context.store.transaction() as unit:
            if unit.protocols.blinded(by.name, [number]):
                remedy = "review it by your assignment, without a signature"
                raise InputError("review", "you read this pair blinded", remedy=remedy)
            result = _find_result(unit, number, signature)
            count = len(result.discrepancies) if result.is_scored else 0
            self._check_review(verdicts, count, radpeer, comment)
            awaited = unit.assignments.awaited(by.name, number)
            proposed = proposal(result)
            review = Review(
                reviewer=by.name,
                made=self._context.now(),
                signature=signature,
                verdicts=tuple(verdicts),
                radpeer=radpeer,
                proposed=proposed.score if proposed else None,
                comment=comment,
                stage=ReviewStage.UNBLINDED if _was_blinded(unit, number, by) else ReviewStage.OPEN,
                assignment=awaited[0].number if awaited else None,
            )
            if awaited:
                protocol = unit.protocols.get(awaited[0].protocol)
                _check_reading(review, protocol, awaited[0])
                self._finish(unit, awaited[0], protocol, review)
            else:
                unit.reviews.add(number, review)
            self._note_review(unit, by, number, review)
        return review

    @operation
    @again_if_busy
    def review_assignment(
        self,
        number: int,
        *,
        by: Actor,
        verdicts: Sequence[Verdict] = (),
        no_discrepancy: bool = False,
        radpeer: Radpeer | None = None,
        comment: str = "",
        signature: str = "",
    ) -> Review:
        """Keep a person's review of the pair of an assignment, which is done by this. Reviewer.

        When the readings of a pair are done and differ, it goes to the adjudicators; see `differ` for when they do.

        Args:
            number: of the assignment.
            by: on whose behalf.
            verdicts: discrepancies that they see, as amendments of none, each with its severity; in an open protocol
                also verdicts on those of a result.
            no_discrepancy: whether they state that there is none.
            radpeer: score, where the protocol asks for it.
            comment: in their own words.
            signature: of the result that was looked at, in an open protocol; "" for none.

        Raises:
            NotFoundError: if it is not theirs.
            InputError: if it is done, somebody else has claimed it, or the review does not fit its protocol.
        """
        if radpeer is not None:
            check_member(Radpeer, "radpeer", radpeer)
        now = self._context.now()
        with self._context.store.transaction() as unit:
            assignment, protocol = own_assignment(unit, number, by)
            if assignment.holder(now) not in {"", by.name}:
                raise InputError("assignment", "somebody else has claimed it", remedy="choose another one")
            if signature and protocol.mode is ReadingMode.BLINDED:
                raise InputError("review", "the review of a blinded pair is of no result", remedy="leave signature out")
            result = _find_result(unit, assignment.pair, signature) if signature else None
            count = len(result.discrepancies) if result is not None and result.is_scored else 0
            self._check_review(verdicts, count, radpeer, comment, states_none=no_discrepancy)
            proposed = proposal(result)
            review = Review(
                reviewer=by.name,
                made=now,
                signature=signature,
                verdicts=tuple(verdicts),
                radpeer=radpeer,
                proposed=proposed.score if proposed else None,
                comment=comment,
                stage=_stage(assignment, protocol),
                no_discrepancy=no_discrepancy,
                assignment=number,
            )
            _check_reading(review, protocol, assignment)
            self._finish(unit, assignment, protocol, review)
            self._note_review(unit, by, assignment.pair, review)
        return review

    def _finish(self, unit: UnitOfWork, assignment: Assignment, protocol: ReadingProtocol, review: Review) -> None:
        """Keeps the review of an assignment, and looks whether its pair is to be adjudicated."""
        if not unit.assignments.finish(assignment.number, review.reviewer, review.made):
            raise InputError("assignment", "it is done")
        unit.reviews.add(assignment.pair, review)  # from here on, others who review the pair wait
        if assignment.task is ReadingTask.ADJUDICATION:
            unit.protocols.settle(protocol.number, assignment.pair, PairProgress.ADJUDICATED)
            return
        slots = unit.assignments.of(protocol.number, assignment.pair)
        readings = {slot.number for slot in slots if slot.task is ReadingTask.READING}
        if any(slot.done is None for slot in slots if slot.number in readings):
            return
        [reviews] = unit.reviews.of([assignment.pair])
        [results] = unit.pairs.results([assignment.pair])
        judgements = [
            judgement_of(each, judged_result(results, each.signature))
            for each in reviews
            if each.assignment in readings
        ]
        if not differ(judgements):
            unit.protocols.settle(protocol.number, assignment.pair, PairProgress.AGREED)
            return
        self._ask_adjudicator(unit, assignment, protocol)

    def _ask_adjudicator(self, unit: UnitOfWork, assignment: Assignment, protocol: ReadingProtocol) -> None:
        [pair] = unit.protocols.pairs(protocol.number, assignment.pair)
        able = [person.name for person in protocol.adjudicators if person.name not in pair.barred]
        reason = "" if able else _NOBODY if protocol.adjudicators else _NO_ADJUDICATOR
        unit.protocols.settle(protocol.number, assignment.pair, PairProgress.DIFFERENT, reason)
        if able:
            due = protocol.due
            unit.assignments.add(protocol.number, [(assignment.pair, "")], task=ReadingTask.ADJUDICATION, due=due)

    def _note_review(self, unit: UnitOfWork, by: Actor, number: int, review: Review) -> None:
        details: dict[str, str | int] = {
            "verdicts": len(review.verdicts),
            "radpeer": review.radpeer.value if review.radpeer else "none",
            "review": review_digest(number, review),
        }
        if review.assignment is not None:
            details |= {"assignment": review.assignment, "stage": review.stage.value}
        self._context.note(unit, by, "review", f"pair:{number}", details)

    def _check_review(
        self,
        verdicts: Sequence[Verdict],
        count: int,
        radpeer: Radpeer | None,
        comment: str,
        *,
        states_none: bool = False,
    ) -> None:
        problems = list(verdict_problems(verdicts, count))
        longest = self._context.configuration.longest_report
        written = [comment, *(verdict.reason for verdict in verdicts)]
        if any(len(text) > longest for text in written):
            problems.append(f"a comment or reason is longer than {longest:,} characters")
        if not all(map(is_storable, written)):
            problems.append("a comment or reason contains a NUL or half a surrogate pair")
        if not (verdicts or states_none) and radpeer is None and not comment.strip():
            problems.append("the review is empty: give a verdict, a RADPEER score or a comment")
        if problems:
            raise InputError("review", "; ".join(problems))


def judged_result(results: Sequence[EvaluationResult], signature: str) -> Sequence[Discrepancy]:
    """The discrepancies of the result that a review is about; none for one that is about none."""
    for result in results:
        if str(result.signature) == signature and result.metric == DISCREPANCIES_OF and result.is_scored:
            return result.discrepancies
    return ()


def _find_result(unit: UnitOfWork, number: int, signature: str) -> EvaluationResult:
    [results] = unit.pairs.results([number])
    for result in results:
        if str(result.signature) == signature and result.metric == DISCREPANCIES_OF:
            return result
    raise NotFoundError(f"pair {number} has no result of {DISCREPANCIES_OF} under this signature")


def _was_blinded(unit: UnitOfWork, number: int, by: Actor) -> bool:
    [reviews] = unit.reviews.of([number])
    return any(review.reviewer == by.name and review.stage is ReviewStage.BLINDED for review in reviews)


def _stage(assignment: Assignment, protocol: ReadingProtocol) -> ReviewStage:
    if assignment.task is ReadingTask.ADJUDICATION:
        return ReviewStage.ADJUDICATED
    return ReviewStage.BLINDED if protocol.mode is ReadingMode.BLINDED else ReviewStage.OPEN


def _check_reading(review: Review, protocol: ReadingProtocol, assignment: Assignment) -> None:
    """Raises `InputError` where a review does not fit its protocol."""
    problems = list(_reading_problems(review, protocol, assignment))
    if problems:
        raise InputError("review", "; ".join(problems))


def _reading_problems(review: Review, protocol: ReadingProtocol, assignment: Assignment) -> Iterator[str]:
    reported = [verdict for verdict in review.verdicts if verdict.kind is not VerdictKind.DISAGREE]
    is_blinded = protocol.mode is ReadingMode.BLINDED or assignment.task is ReadingTask.ADJUDICATION
    if review.no_discrepancy and reported:
        yield "it states that there is no discrepancy, and names one"
    if not review.no_discrepancy and not review.verdicts and (is_blinded or review.radpeer is None):
        yield "name a discrepancy, or state that there is none"
    if any(verdict.severity is None for verdict in reported if verdict.discrepancy is None):
        yield "each discrepancy that is named needs a severity"
    if protocol.asks_radpeer and review.radpeer is None:
        yield "its protocol asks for a RADPEER score"
    if not protocol.asks_radpeer and review.radpeer is not None:
        yield "its protocol asks for no RADPEER score"
