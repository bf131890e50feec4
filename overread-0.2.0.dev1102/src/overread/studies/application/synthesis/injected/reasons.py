"""Reasons: what differs, in the words of both reports, and why it matters or does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from attrs import frozen

from overread.domain.reports.report import Span
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.studies.application.synthesis.edits.categories import Category, Subset
from overread.studies.application.synthesis.edits.edit import LabelledSpan
from overread.studies.application.synthesis.edits.reading import sentence_spans
from overread.studies.application.synthesis.vocabulary import load_table

__all__ = ["what_differs", "why"]

_MOST_QUOTED: Final = 16
"""Words of a sentence that is quoted whole; of a longer one, the words that differ are."""

_MOST_PLACES: Final = 2


@frozen
class _Reason:
    aspect: ErrorAspect
    discrimination: str
    robustness: str
    type: ErrorType | None = None


@frozen
class _Document:
    reason: tuple[_Reason, ...]


@cache
def _reasons() -> Mapping[Category, _Reason]:
    return {Category(reason.aspect, reason.type): reason for reason in load_table("reasons", _Document).reason}


def why(category: Category, subset: Subset) -> str:
    """Reason why a change of a category matters, or why it does not."""
    reason = _reasons()[category]
    return reason.discrimination if subset is Subset.DISCRIMINATION else reason.robustness


def what_differs(told: str, spans: Sequence[LabelledSpan], reference: str, candidate: str) -> str:
    """Describes what was done, and how it appears in both reports.

    Args:
        told: what was done, without report text.
        spans: where.
        reference: one report.
        candidate: the other.
    """
    opening = told[:1].upper() + told[1:]
    quotes = [_quote_span(span, reference, candidate) for span in spans[:_MOST_PLACES]]
    return f"{opening}: {'; '.join(quotes)}." if quotes else f"{opening}."


def _quote_span(span: LabelledSpan, reference: str, candidate: str) -> str:
    if span.candidate is None and span.reference is not None:
        return f'the reference says "{_around(span.reference, reference)}", and the candidate lacks "{span.text}"'
    if span.reference is None and span.candidate is not None:
        return f'the candidate says "{_around(span.candidate, candidate)}", and the reference lacks "{span.text}"'
    sides = [
        "" if place is None else _around(place, text)
        for place, text in ((span.reference, reference), (span.candidate, candidate))
    ]
    return f'the reference says "{sides[0]}", the candidate "{sides[1]}"'


def _around(place: Span, text: str) -> str:
    """The sentence in which something stands, where it is short, else the words themselves."""
    sentence = next((s for s in sentence_spans(text) if s.start <= place.start and place.end <= s.end), None)
    whole = "" if sentence is None else sentence.of(text).rstrip(" .")
    return whole if whole and len(whole.split()) <= _MOST_QUOTED else " ".join(place.of(text).split())
