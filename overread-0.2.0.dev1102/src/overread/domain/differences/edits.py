"""Kinds of edits by which one report was made of another: what a reader of the first changed in the second.

Only a near copy was edited (`WordAlignment.is_near_copy`): a report that was dictated anew differs in every sentence,
and no word of it stands for another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.domain.differences.word_alignment import AlignedSentence, Fate, WordAlignment, aligned_words
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType

__all__ = ["EditType", "Edits", "edits_of"]


class EditType(StrEnum):
    """Ways in which the candidate was edited to become the reference, as far as a discrepancy or a sentence tells it.

    The first that applies:
    """

    CORRECTION = "correction"
    """A statement was replaced by one that cannot be true with it.

    The finding is asserted in one report and denied in the other, or the candidate does both; a side, size, degree or
    course was exchanged for another; or one finding stands in the very place of another within a sentence.
    """

    CLARIFICATION = "clarification"
    """The same finding is stated in both, without conflict, and the reference says more of it.

    Its side, place, size, degree or course is named in the reference alone; it is stated with another certainty, more
    or less; it goes by another term. So is a discrepancy of no known finding within a sentence that was changed, unless
    words were only taken out.
    """

    ADDITION = "addition"
    """A finding, or a sentence of no known finding, is in the reference alone."""

    REMOVAL = "removal"
    """A finding, a detail of one (its course, its size) or a sentence of no known finding is in the candidate alone."""

    STYLE = "style"
    """No discrepancy: a sentence was reworded, moved, typed differently, added or left out without one."""


@frozen(kw_only=True)
class Edits:
    """The edits between a candidate and its near copy, the reference.

    Attributes:
        types: of each discrepancy, in their order; null for one at whose places no word was changed, since it is then
            no edit.
        style: number of sentences that were changed without any discrepancy: reworded, moved, typed differently, added
            or left out.
    """

    types: tuple[EditType | None, ...] = field(converter=in_tuple)
    style: int = 0

    @property
    def counts(self) -> dict[EditType, int]:
        """Number of edits of each type, zeros included."""
        counts = {kind: self.types.count(kind) for kind in EditType}
        return counts | {EditType.STYLE: counts[EditType.STYLE] + self.style}


def edits_of(
    pair: ReportPair, discrepancies: Sequence[Discrepancy], alignment: WordAlignment | None = None
) -> Edits | None:
    """Edits by which a pair's candidate became its reference; None where they are no near copies of each other.

    Args:
        pair: of a report and what was made of it, for example a preliminary and the final report of an examination.
        discrepancies: of that pair.
        alignment: of the candidate's words with the reference's; worked out where omitted.
    """
    alignment = alignment or aligned_words(pair.candidate.text, pair.reference.text)
    if not alignment.is_near_copy:
        return None
    touched = [_Touched(discrepancy, tuple(_touching(discrepancy, alignment))) for discrepancy in discrepancies]
    swapped = _swapped(touched)
    types = [_type(one, is_swapped=place in swapped) for place, one in enumerate(touched)]
    told = {id(sentence) for one in touched for sentence in one.sentences}
    style = sum(_is_edited(sentence) and id(sentence) not in told for sentence in alignment.sentences)
    return Edits(types=types, style=style)


@frozen
class _Touched:
    """A discrepancy with the sentences of either report that it points at."""

    discrepancy: Discrepancy
    sentences: tuple[AlignedSentence, ...]

    @property
    def changed(self) -> list[AlignedSentence]:
        return [sentence for sentence in self.sentences if sentence.fate is Fate.CHANGED]


_REWORDED: Final = frozenset({ErrorAspect.UNCERTAINTY, ErrorAspect.TERMINOLOGY, ErrorAspect.MODALITY})
_OF_STYLE: Final = frozenset({ErrorAspect.STYLE, ErrorAspect.NOISE})
_CONFLICTS: Final = frozenset({ErrorAspect.NEGATION, ErrorAspect.CONTRADICTION})


def _type(one: _Touched, *, is_swapped: bool) -> EditType | None:
    discrepancy = one.discrepancy
    if all(sentence.fate in (Fate.SAME, Fate.MOVED) for sentence in one.sentences):
        return None
    if discrepancy.aspect in _CONFLICTS or is_swapped:
        return EditType.CORRECTION
    if discrepancy.aspect in _OF_STYLE:
        return EditType.STYLE
    if not discrepancy.finding and one.changed:
        return EditType.REMOVAL if _type_by_words(one) is EditType.REMOVAL else EditType.CLARIFICATION
    if discrepancy.reference_spans and discrepancy.candidate_spans:
        return _type_of_two_sided(one)
    return EditType.ADDITION if discrepancy.reference_spans else EditType.REMOVAL


def _type_of_two_sided(one: _Touched) -> EditType:
    """Type of what both reports say of one finding, each in its way."""
    discrepancy = one.discrepancy
    if discrepancy.aspect in _REWORDED or not discrepancy.finding:
        return EditType.CLARIFICATION
    match discrepancy.type:
        case ErrorType.OMISSION:
            return EditType.CLARIFICATION
        case ErrorType.FABRICATION:
            return EditType.REMOVAL
        case ErrorType.INACCURACY:
            return EditType.CORRECTION
        case None:
            return _type_by_words(one)


def _type_by_words(one: _Touched) -> EditType:
    """Type of what no direction is known of, such as a size: by whether words were put in, taken out or exchanged."""
    changes = [change for sentence in one.changed for change in sentence.changes if not change.is_same]
    if changes and all(change.before.start == change.before.end for change in changes):
        return EditType.CLARIFICATION
    if changes and all(change.after.start == change.after.end for change in changes):
        return EditType.REMOVAL
    return EditType.CORRECTION


def _swapped(touched: Sequence[_Touched]) -> set[int]:
    """Places of findings that one report has in the very place of one that the other has, within a sentence."""
    places = set()
    lost = [place for place, one in enumerate(touched) if _is_alone(one.discrepancy, in_reference=True)]
    gained = [place for place, one in enumerate(touched) if _is_alone(one.discrepancy, in_reference=False)]
    for in_reference in lost:
        for in_candidate in gained:
            if _stand_in_for_each_other(touched[in_candidate], touched[in_reference]):
                places |= {in_reference, in_candidate}
    return places


def _is_alone(discrepancy: Discrepancy, *, in_reference: bool) -> bool:
    here, there = discrepancy.reference_spans, discrepancy.candidate_spans
    if not in_reference:
        here, there = there, here
    return bool(discrepancy.finding and here and not there)


def _stand_in_for_each_other(candidate: _Touched, reference: _Touched) -> bool:
    return any(
        change.is_replacement
        and any(change.before.meets(span) for span in candidate.discrepancy.candidate_spans)
        and any(change.after.meets(span) for span in reference.discrepancy.reference_spans)
        for sentence in candidate.changed
        for change in sentence.changes
    )


def _touching(discrepancy: Discrepancy, alignment: WordAlignment) -> Iterator[AlignedSentence]:
    for sentence in alignment.sentences:
        if _meet(sentence.before, discrepancy.candidate_spans) or _meet(sentence.after, discrepancy.reference_spans):
            yield sentence


def _meet(place: Span | None, spans: Sequence[Span]) -> bool:
    return place is not None and any(place.meets(span) for span in spans)


def _is_edited(sentence: AlignedSentence) -> bool:
    return sentence.fate is not Fate.SAME or sentence.retyped
