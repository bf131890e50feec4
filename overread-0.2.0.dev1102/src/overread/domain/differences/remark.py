"""Remarks: differences between two reports that no finding carries: advice, modality, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from overread.domain.differences.unread import Coverage, DetailKind, ReadSentence, UnreadDifference, unread_differences
from overread.domain.findings.advice import AdviceDifference, AdviceKind, advice_differences
from overread.domain.findings.extents import ABSENT
from overread.domain.findings.unit import FALLBACK_CONFIDENCE, ClinicalUnit
from overread.domain.reports.report import Span
from overread.domain.vocabulary.severity import Importance
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType

__all__ = ["COMPARED_MODALITIES", "TECHNIQUE", "Remark", "remarks_of"]

Units = Sequence[ClinicalUnit]

TECHNIQUE: Final = "technique"
"""Kind of statement that names the examination or tells how it was made."""

COMPARED_MODALITIES: Final = ("recommendation", TECHNIQUE, "comparison", "")
"""Kinds of statement whose modalities count, "" for clinical ones."""

_OTHER_MODALITY: Final = 0.4
"""Extent of another modality than the reference's, in a statement that can change care."""

_UNREAD_DETAIL: Final = 0.6
"""Extent of a number or side that differs wholly where no rule reads it: as much as a finding left out."""

_DENIAL: Final = 0.45
"""Extent of a "not" in one report only, or of a contrary, that no finding carries: that of a finding's other side."""

_WRONG_LIMB: Final = 0.45
"""Extent of the other side in a title that alone tells the side of what was found: that of a finding's other side."""

_ASPECTS: Final = {
    DetailKind.NUMBER: ErrorAspect.SIZE,
    DetailKind.COUNT: ErrorAspect.SIZE,
    DetailKind.SIDE: ErrorAspect.LOCATION,
    DetailKind.DENIAL: ErrorAspect.NEGATION,
    DetailKind.CONTRARY: ErrorAspect.NEGATION,
    DetailKind.WORD: ErrorAspect.DESCRIPTION,
}


@frozen(kw_only=True)
class Remark:
    """A difference that is weighed by itself.

    Attributes:
        reference, candidate: the statements it is about; None where that report has none.
        importance: what the statements ask for.
        extent: on [0, 1].
        reference_spans, candidate_spans: where it stands in each report.
        is_measurement: whether it is about a number that measures what its sentence finds.
        is_spare: whether it counts only where no finding of the two statements differs in the same aspect.
    """

    reference: ClinicalUnit | None
    candidate: ClinicalUnit | None
    importance: Importance
    extent: float
    aspect: ErrorAspect
    type: ErrorType
    reason: str
    reference_spans: tuple[Span, ...] = ()
    candidate_spans: tuple[Span, ...] = ()
    is_spare: bool = False
    is_measurement: bool = False


def remarks_of(
    reference: Units, candidate: Units, texts: tuple[str, str], coverage: tuple[Coverage, Coverage] | None
) -> tuple[Remark, ...]:
    """Everything to remark on a pair.

    Args:
        reference: all units of the reference, the administrative ones too.
        candidate: those of the candidate.
        texts: of both reports.
        coverage: what was read of each report; None where the extractor does not know.
    """
    remarks = [*_modality(reference, candidate), *_title_remarks(reference, candidate)]
    remarks += map(_remark_on_advice, advice_differences(reference, candidate))
    if coverage is not None:
        unread = [_unread(difference, texts) for difference in unread_differences(*coverage) if _tells(difference)]
        remarks += [remark for remark in unread if not (remark.is_spare and _stands_in_any(remark, remarks))]
    return tuple(remarks)


def _stands_in_any(remark: Remark, others: Sequence[Remark]) -> bool:
    """Return whether other remarks are about the same place in the reference."""
    return any(
        span.start < other.end and other.start < span.end
        for span in remark.reference_spans
        for another in others
        for other in another.reference_spans
    )


def _modality(reference: Units, candidate: Units) -> Iterator[Remark]:
    """Statements of one kind that name other modalities: a CT recommended for an ultrasound."""
    # What is recommended is compared as advice.
    reference, candidate = ([unit for unit in units if unit.modalities] for units in (reference, candidate))
    if not reference or not candidate:
        return
    for kind in COMPARED_MODALITIES[1:]:
        named_r, named_c = ([unit for unit in units if unit.administrative == kind] for units in (reference, candidate))
        if not named_r or not named_c:
            continue
        spoken_r, spoken_c = (frozenset().union(*(unit.modalities for unit in named)) for named in (named_r, named_c))
        if _at_odds(spoken_r, spoken_c):
            yield Remark(
                reference=named_r[0],
                candidate=named_c[0],
                importance=Importance.ACTIONABLE,
                extent=_OTHER_MODALITY,
                aspect=ErrorAspect.MODALITY,
                type=ErrorType.INACCURACY,
                reason=f"{', '.join(sorted(spoken_c))} stands for {', '.join(sorted(spoken_r))}",
                reference_spans=tuple(dict.fromkeys(unit.span for unit in named_r)),
                candidate_spans=tuple(dict.fromkeys(unit.span for unit in named_c)),
            )
            return


def _title_remarks(reference: Units, candidate: Units) -> Iterator[Remark]:
    """Titles of the examination, or its technique, that name opposite sides.

    Where the candidate's body names a side, its reader sees that one of the two is a slip. Where it names none, all
    that was found is taken to be in the other limb.
    """
    named_r, named_c = (
        [unit for unit in units if unit.administrative == TECHNIQUE and unit.place.side]
        for units in (reference, candidate)
    )
    sides_r, sides_c = ({unit.place.side for unit in named} for named in (named_r, named_c))
    if sides_r & sides_c or {*sides_r, *sides_c} != {"left", "right"} or not (sides_r and sides_c):
        return
    side_named = any(unit.place.side for unit in candidate if not unit.administrative)
    yield Remark(
        reference=named_r[0],
        candidate=named_c[0],
        importance=Importance.FOLLOW_UP if side_named else Importance.ACTIONABLE,
        extent=_UNREAD_DETAIL if side_named else _WRONG_LIMB,
        aspect=ErrorAspect.LOCATION,
        type=ErrorType.INACCURACY,
        reason=f"the examination's title names the other side{'' if side_named else ', and nothing else names any'}",
        reference_spans=tuple(dict.fromkeys(unit.span for unit in named_r)),
        candidate_spans=tuple(dict.fromkeys(unit.span for unit in named_c)),
    )


def _remark_on_advice(difference: AdviceDifference) -> Remark:
    """Advice that is lost or added weighs as what is to be followed, advice to do otherwise as what changes care."""
    lost, added = difference.candidate is None, difference.reference is None
    return Remark(
        reference=difference.reference,
        candidate=difference.candidate,
        importance=Importance.FOLLOW_UP if lost or added else Importance.ACTIONABLE,
        extent=difference.extent * (ABSENT if lost or added else 1.0),
        aspect=ErrorAspect.MODALITY if difference.kind is AdviceKind.MODALITY else ErrorAspect.DESCRIPTION,
        type=ErrorType.OMISSION if lost else ErrorType.FABRICATION if added else ErrorType.INACCURACY,
        reason=difference.reason,
        reference_spans=() if difference.reference is None else (difference.reference.span,),
        candidate_spans=() if difference.candidate is None else (difference.candidate.span,),
    )


def _at_odds(reference: frozenset[str], candidate: frozenset[str]) -> bool:
    """Return whether two sets of modalities share none, or one has contrast and the other expressly none."""
    given = {"with_contrast", "without_contrast"}
    contrast_r, contrast_c = reference & given, candidate & given
    if len(contrast_r) == len(contrast_c) == 1 and contrast_r != contrast_c:
        return True
    named_r, named_c = reference - given, candidate - given
    return bool(named_r and named_c and not named_r & named_c)


def _tells(difference: UnreadDifference) -> bool:
    """Return whether a difference counts: words do if no rule covers either sentence, numbers and sides always."""
    if difference.kind is not DetailKind.WORD:
        return True
    return difference.reference.content.is_whole and difference.candidate.content.is_whole


def _unread(difference: UnreadDifference, texts: tuple[str, str]) -> Remark:
    """An unread difference; a word weighs next to nothing, as a sentence no rule covers does."""
    word, denial = difference.kind is DetailKind.WORD, _ASPECTS[difference.kind] is ErrorAspect.NEGATION
    is_grave = denial or difference.changes_care
    here, there = bool(difference.reference_spans), bool(difference.candidate_spans)
    kind = ErrorType.INACCURACY if denial or here == there else ErrorType.OMISSION if here else ErrorType.FABRICATION
    return Remark(
        reference=_statement(difference.reference, texts[0]),
        candidate=_statement(difference.candidate, texts[1]),
        importance=Importance.EXPECTED if word else Importance.ACTIONABLE if is_grave else Importance.FOLLOW_UP,
        extent=(1.0 if word else _DENIAL if denial else _UNREAD_DETAIL) * difference.extent,
        aspect=_ASPECTS[difference.kind],
        type=kind,
        reason=difference.reason,
        reference_spans=difference.reference_spans,
        candidate_spans=difference.candidate_spans,
        is_spare=difference.is_read,
        is_measurement=difference.kind is DetailKind.NUMBER and here and there,
    )


def _statement(sentence: ReadSentence, text: str) -> ClinicalUnit:
    """A unit for the words of a sentence."""
    span = sentence.span
    return ClinicalUnit(span_text=span.of(text), start=span.start, end=span.end, confidence=FALLBACK_CONFIDENCE)
