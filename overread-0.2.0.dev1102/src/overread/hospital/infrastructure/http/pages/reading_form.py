"""The form of a reading: what a reader or an adjudicator says of a pair by their assignment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.protocols import AssignmentRecord, PeerReading
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.domain.reading import ReadingTask
from overread.hospital.domain.review import Radpeer, Verdict, VerdictKind
from overread.hospital.infrastructure.http.pages.review_form import signature_of
from overread.hospital.infrastructure.http.pages.reviewing import (
    ENTRIES,
    EntryDraft,
    Given,
    Problem,
    ReviewDraft,
    given_of,
    too_long,
)
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views.wording import numbered_discrepancies

__all__ = ["SEE_RESULT", "TAKE_OVER", "ReadingDraft", "ReadingForm", "given_reading", "reading_form", "taken_over"]

SEE_RESULT: Final = "see"
"""Value of the button that keeps a reading and shows what others see."""

TAKE_OVER: Final = "take-"
"""Beginning of the value of the buttons by which an adjudicator takes a reading over; its place follows, from 1."""


@frozen(kw_only=True)
class ReadingDraft:
    """A form as it was filled in; ``states_none`` is whether it states that there is no discrepancy."""

    review: ReviewDraft
    states_none: bool = False

    @property
    def is_blank(self) -> bool:
        """True if nothing was filled in."""
        return self.review.is_blank and not self.states_none


@frozen(kw_only=True)
class ReadingForm:
    """The form of a reading.

    Attributes:
        action: address that it is sent to.
        signature: of the result that is looked at; "" for none.
        draft: what stands in the fields of a review; ``states_none`` is besides.
        problems: what is amiss with that; each says which discrepancy it is about.
        amiss: the same without that, by field.
        names: of the discrepancies, by the key of their fields.
        asks_radpeer: whether a RADPEER score is to be given.
        judges_result: whether verdicts on the program's discrepancies are asked for.
        adjudicates: whether it decides where readers differ.
        has_room: whether room for one more discrepancy was asked for right before.
    """

    action: str
    signature: str
    draft: ReviewDraft
    states_none: bool
    problems: tuple[Problem, ...] = field(converter=in_tuple)
    amiss: Mapping[str, str]
    names: Mapping[str, str]
    asks_radpeer: bool
    judges_result: bool
    adjudicates: bool
    has_room: bool = False

    LISTING: ClassVar = DISCREPANCIES_OF
    MOST_ADDED: ClassVar = ENTRIES

    @property
    def is_blank(self) -> bool:
        """True if nothing was filled in."""
        return self.draft.is_blank and not self.states_none


def reading_form(
    record: AssignmentRecord, draft: ReadingDraft, problems: Sequence[Problem] = (), *, has_room: bool = False
) -> ReadingForm:
    """Makes the form of a reading.

    Args:
        record: of the assignment.
        draft: what stands in the form.
        problems: what is amiss with it.
        has_room: whether room for one more discrepancy was asked for right before.
    """
    shown = record.record
    names = {
        f"listed-{item.index}": f"Number {item.number}"
        for item in numbered_discrepancies(shown.current)
        if item.metric == DISCREPANCIES_OF
    } | {entry.key: f"Discrepancy {place}" for place, entry in enumerate(draft.review.added, 1)}
    return ReadingForm(
        action=f"/assignments/{record.assignment.number}/review",
        signature=signature_of(shown),
        draft=draft.review,
        states_none=draft.states_none,
        problems=[_with_entry(problem, names) for problem in problems],
        amiss={problem.field: problem.words for problem in problems},
        names=names,
        asks_radpeer=record.asks_radpeer,
        judges_result=bool(draft.review.listed),
        adjudicates=record.assignment.task is ReadingTask.ADJUDICATION,
        has_room=has_room,
    )


def given_reading(draft: ReadingDraft, vocabulary: Vocabulary, *, asks_radpeer: bool) -> Given:
    """The verdicts of a form, and everything that keeps it from being a reading."""
    review = draft.review
    listed = given_of(evolve(review, added=()), vocabulary)
    problems = [problem for problem in listed.problems if problem.field.startswith("listed-")]
    filled = [entry for entry in review.added if not entry.is_blank]
    problems += [problem for entry in filled for problem in _entry_problems(entry, vocabulary)]
    known = {problem.field for problem in problems}
    problems += [problem for problem in too_long(review) if problem.field not in known]
    verdicts = [*listed.verdicts, *(_verdict(entry, vocabulary) for entry in filled)]
    reports = any(verdict.kind is not VerdictKind.DISAGREE for verdict in verdicts)
    if draft.states_none and reports:
        problems.append(Problem("none", "You state that there is no discrepancy, and name one."))
    if not (draft.states_none or verdicts):
        problems.append(Problem("none", "Name a discrepancy, or state that there is none."))
    radpeer = listed.radpeer if asks_radpeer else None
    if asks_radpeer and radpeer is None:
        problems.append(Problem("radpeer", "Give a RADPEER score."))
    return Given(verdicts=verdicts, radpeer=radpeer, comment=review.comment, problems=problems)


def taken_over(reading: PeerReading, draft: ReadingDraft, vocabulary: Vocabulary) -> ReadingDraft:
    """A draft with what a reader said, but for their comment: an adjudicator's comment is their own."""
    own = {f"listed-{verdict.discrepancy}": verdict for verdict in reading.verdicts if verdict.discrepancy is not None}
    added = [verdict for verdict in reading.verdicts if verdict.discrepancy is None]
    review = evolve(
        draft.review,
        listed=[
            _drafted(entry.key, own[entry.key], vocabulary, own[entry.key].kind) if entry.key in own else entry
            for entry in draft.review.listed
        ],
        added=[_drafted(f"added-{place}", verdict, vocabulary) for place, verdict in enumerate(added)]
        or [EntryDraft(key="added-0")],
        radpeer=reading.radpeer.value if isinstance(reading.radpeer, Radpeer) else "",
    )
    return ReadingDraft(review=review, states_none=reading.no_discrepancy)


def _drafted(key: str, verdict: Verdict, vocabulary: Vocabulary, kind: str = "") -> EntryDraft:
    return EntryDraft(
        key=key,
        kind=kind,
        category=verdict.category.value if verdict.category else "",
        severity=verdict.severity.value if verdict.severity else "",
        finding=vocabulary.finding_name(verdict.finding) if verdict.finding else "",
        reason=verdict.reason,
    )


def _entry_problems(entry: EntryDraft, vocabulary: Vocabulary) -> Iterator[Problem]:
    if _severity(entry) is None:
        yield Problem(f"{entry.key}-severity", "Say how grave it is.")
    if entry.finding and vocabulary.id_of(entry.finding) is None:
        near = ", ".join(vocabulary.near(entry.finding, 3))
        hint = f" Did you mean {near}?" if near else ""
        message = f"The lexicon has no such finding.{hint} You can describe it in words below instead."
        yield Problem(f"{entry.key}-finding", message)
    if not (entry.finding or entry.reason):
        yield Problem(f"{entry.key}-reason", "Name the finding, or describe it in words.")


def _verdict(entry: EntryDraft, vocabulary: Vocabulary) -> Verdict:
    """A discrepancy that is named; a finding that is named and not described describes itself."""
    return Verdict(
        kind=VerdictKind.AMEND,
        category=next((each for each in ErrorCategory if each.value == entry.category), None),
        severity=_severity(entry),
        finding=vocabulary.id_of(entry.finding) or "" if entry.finding else "",
        reason=entry.reason or entry.finding,
    )


def _severity(entry: EntryDraft) -> Severity | None:
    return next((each for each in Severity if each.value == entry.severity), None)


def _with_entry(problem: Problem, names: Mapping[str, str]) -> Problem:
    """A problem far from its field: it must say which discrepancy it is about."""
    name = names.get(problem.field.rpartition("-")[0])
    return evolve(problem, words=f"{name}: {problem.words}") if name else problem
