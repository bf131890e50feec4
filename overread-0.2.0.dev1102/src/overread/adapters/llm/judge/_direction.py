"""The direction in which a negation or a certainty was turned, from the reports' own words.

ReEvalMed prints no error type for negation and uncertainty, yet each points to two of the eight categories.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from overread.domain.reports.report import ReportPair, Span
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType

__all__ = ["direction"]

_DENIAL: Final = re.compile(
    r"\b(?:no|not|nor|neither|none|without|absent|absence|denies|denied|negative|free of|clear of|cleared|resolved|"
    r"resolution|excluded|ruled out|isn't|aren't|never)\b"
)
_HEDGE: Final = re.compile(
    r"\b(?:may|might|could|can|possibl[ey]|possibility|probabl[ey]|likely|suspected|suspicious|suspicion|suggest\w*|"
    r"questionable|question|equivocal|indeterminate|uncertain|unclear|concern\w*|presum\w*|perhaps|potential\w*|"
    r"consider\w*|cannot be excluded|not excluded|compatible|consistent with|versus|vs|differential|whether|appear\w*|"
    r"favou?r\w*|rule out|doubtful)\b"
)
_LATER_DENIAL: Final = re.compile(
    r"\b(?:is|are|was|were|has|have)(?: been| now| since| completely)* (?:not (?!excluded)|no longer|absent|resolved|"
    r"cleared|excluded|ruled out)\b|\b(?:isn't|aren't|not seen|not present|not identified)\b"
)
_STOP: Final = re.compile(r"[;:!?]|\.(?!\d)|\n\s*\n|\b(?:but|however|although|though|except)\b", re.IGNORECASE)


def direction(
    aspect: ErrorAspect, pair: ReportPair, reference: Sequence[Span], candidate: Sequence[Span]
) -> ErrorType | None:
    """The type of a difference of negation or uncertainty, None for other aspects and where it cannot be told.

    A denial in the candidate omits what the reference asserts, one in the reference makes the candidate's statement a
    fabrication. With hedges it is the reverse: one in the candidate alone is an unsupported uncertainty, one in the
    reference alone an omitted one. Where a passage stands in one report only, the other is taken to say the opposite.

    Args:
        aspect: of the difference.
        pair: the reports.
        reference: where the passage stands in the reference.
        candidate: where it stands in the candidate.
    """
    if aspect not in (ErrorAspect.NEGATION, ErrorAspect.UNCERTAINTY) or not (reference or candidate):
        return None
    says = _is_denied if aspect is ErrorAspect.NEGATION else _is_hedged
    in_reference = any(says(pair.reference.text, span) for span in reference)
    in_candidate = any(says(pair.candidate.text, span) for span in candidate)
    if not candidate:
        in_candidate = not in_reference
    if not reference:
        in_reference = not in_candidate
    if in_reference == in_candidate:
        return None
    taken_away = in_candidate if aspect is ErrorAspect.NEGATION else in_reference
    return ErrorType.OMISSION if taken_away else ErrorType.FABRICATION


def _is_denied(text: str, span: Span) -> bool:
    """Returns whether a passage is denied: within it, before it in its clause, or by the predicate that follows it."""
    start, end = _clause(text, span)
    before, after = text[start : span.end].lower(), text[span.end : end].lower()
    return _DENIAL.search(before) is not None or _LATER_DENIAL.search(after) is not None


def _is_hedged(text: str, span: Span) -> bool:
    """Returns whether the clause of a passage contains a hedge."""
    start, end = _clause(text, span)
    return _HEDGE.search(text[start:end].lower()) is not None


def _clause(text: str, span: Span) -> tuple[int, int]:
    start = max((stop.end() for stop in _STOP.finditer(text, 0, span.start)), default=0)
    stop = _STOP.search(text, span.end)
    return start, stop.start() if stop else len(text)
