"""The form of a review as the page of a pair shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.requests import PairRecord, PairState
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.reviewing import ENTRIES, Problem, ReviewDraft
from overread.infrastructure.views import wording

__all__ = ["ReviewForm", "review_form", "signature_of"]


@frozen(kw_only=True)
class ReviewForm:
    """The form of a review.

    Attributes:
        action: address that it is sent to.
        signature: of the result that it is about.
        draft: what stands in it.
        problems: what is amiss with that; each says which discrepancy it is about.
        amiss: the same without that, by field.
        names: of the discrepancies that it asks about, by the key of their fields.
        proposal: the RADPEER score that is proposed, in words; "" for none. ``reasons`` are those of the proposal.
        has_next: whether a pair follows in the list.
        asks_radpeer: whether it asks for a RADPEER score.
    """

    action: str
    signature: str
    draft: ReviewDraft
    problems: tuple[Problem, ...] = field(converter=in_tuple)
    amiss: Mapping[str, str]
    names: Mapping[str, str]
    proposal: str
    reasons: tuple[str, ...] = field(converter=in_tuple)
    has_next: bool
    asks_radpeer: bool = True

    LISTING: ClassVar = DISCREPANCIES_OF
    MOST_ADDED: ClassVar = ENTRIES


def review_form(
    record: PairRecord,
    draft: ReviewDraft,
    problems: Sequence[Problem] = (),
    *,
    action: str,
    has_next: bool = False,
    asks_radpeer: bool = True,
) -> ReviewForm | None:
    """Makes the form of a review; None for a pair that waits to be scored.

    Args:
        record: of the pair.
        draft: what stands in the form.
        problems: what is amiss with it.
        action: address that the form is sent to.
        has_next: whether a pair follows in the list.
        asks_radpeer: whether it asks for a RADPEER score.
    """
    if record.state is PairState.WAITING or record.blinded:
        return None
    names = _entry_names(record, draft)
    return ReviewForm(
        action=action,
        signature=signature_of(record),
        draft=draft,
        problems=[evolve(problem, words=_with_entry(problem, names)) for problem in problems],
        amiss={problem.field: problem.words for problem in problems},
        names=names,
        proposal=words.radpeer_words(record.proposed),
        reasons=record.reasons,
        has_next=has_next,
        asks_radpeer=asks_radpeer,
    )


def signature_of(record: PairRecord) -> str:
    """Signature of the result that a review of the pair is about; "" without one."""
    result = record.current.get(DISCREPANCIES_OF)
    return "" if result is None else str(result.signature)


def _entry_names(record: PairRecord, draft: ReviewDraft) -> dict[str, str]:
    listed = {
        f"listed-{item.index}": f"Number {item.number}"
        for item in wording.numbered_discrepancies(record.current)
        if item.metric == DISCREPANCIES_OF
    }
    several = len(draft.added) > 1
    added = enumerate(draft.added, start=1)
    return listed | {
        entry.key: f"Discrepancy {place} to add" if several else "Discrepancy to add" for place, entry in added
    }


def _with_entry(problem: Problem, names: Mapping[str, str]) -> str:
    """A problem far from its field: it must say which discrepancy it is about."""
    name = names.get(problem.field.rpartition("-")[0])
    return f"{name}: {problem.words}" if name else problem.words
