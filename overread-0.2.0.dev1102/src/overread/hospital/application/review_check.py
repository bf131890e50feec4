"""Reviews held against the events of the audit trail that tell of them."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Final

from attrs import define, evolve, field

from overread.exceptions import NotFoundError
from overread.hospital.application.paging import every
from overread.hospital.application.ports import KeptReview, UnitOfWork
from overread.hospital.domain.audit_trail import AuditEvent, TrailCheck
from overread.hospital.domain.review import Radpeer, Review, review_digest, standing_score

__all__ = ["ReviewCheck"]

_ACTION: Final = "review"


@define
class ReviewCheck:
    """Notes the events that tell of reviews, then looks whether the reviews of a store are those.

    An event tells of a review by a digest; one of an earlier overread, which had none, by its reviewer, its score and
    the number of its verdicts. Words of reviewers, which may be erased before their review, are in neither.
    """

    _awaited: dict[str, deque[AuditEvent]] = field(factory=lambda: defaultdict(deque), init=False)

    def note(self, event: AuditEvent) -> AuditEvent:
        """Takes an event of the trail, in its order, and gives it back."""
        if event.action == _ACTION:
            self._awaited[event.subject].append(event)
        return event

    def against(self, unit: UnitOfWork, check: TrailCheck) -> TrailCheck:
        """A check of the whole trail with what comes of its reviews, and the first problem.

        Args:
            unit: of the moment in which the trail was read.
            check: that came of it.
        """
        held = 0
        reviews: dict[int, list[Review]] = defaultdict(list)
        for entry in every(unit.reviews.stated):
            if problem := self._problem(entry):
                return evolve(check, reviews=held, problem=problem)
            held += 1
            reviews[entry.pair].append(evolve(entry.review, verdicts=()))
        scores = {pair: standing_score(given) for pair, given in reviews.items()}
        return evolve(check, reviews=held, problem=self._gone(unit) or _misshown(unit, scores))

    def _problem(self, kept: KeptReview) -> str:
        """Describes the problem with a review; "" if the next event about its pair tells of it."""
        awaited = self._awaited[_subject(kept.pair)]
        if not awaited:
            return f"review {kept.number} of pair {kept.pair} is in no event: it was added outside the service or moved"
        event = awaited.popleft()
        if not _tells_of(event, kept.pair, kept.review):
            return f"review {kept.number} of pair {kept.pair} differs from event {event.number}"
        return ""

    def _gone(self, unit: UnitOfWork) -> str:
        """A review that an event tells of and that is gone, although its pair was not erased."""
        for subject, events in self._awaited.items():
            if events and _is_there(unit, int(subject.rpartition(":")[2])):
                return f"the review of {subject.replace(':', ' ')} that event {events[0].number} records is missing"
        return ""


def _subject(pair: int) -> str:
    return f"pair:{pair}"


def _tells_of(event: AuditEvent, pair: int, review: Review) -> bool:
    details = dict(event.details)
    if "review" in details:
        return details["review"] == review_digest(pair, review)
    score = review.radpeer.value if review.radpeer else "none"
    given = (event.actor, details.get("radpeer"), details.get("verdicts"))
    return given == (review.reviewer, score, str(len(review.verdicts)))


def _is_there(unit: UnitOfWork, pair: int) -> bool:
    try:
        unit.pairs.results([pair])
    except NotFoundError:
        return False
    return True


def _misshown(unit: UnitOfWork, scores: dict[int, Radpeer | None]) -> str:
    """A pair of which lists and rates show another score than its reviews give."""
    shown = unit.reviews.shown()
    for pair in sorted(shown.keys() | scores.keys()):
        if pair not in scores:
            return f"pair {pair} is shown as reviewed, but has no review"
        if pair not in shown or shown[pair] is not scores[pair]:
            return f"pair {pair} is shown with another RADPEER score than its reviews give"
    return ""
