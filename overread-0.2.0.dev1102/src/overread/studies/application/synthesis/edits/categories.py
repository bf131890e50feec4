"""The twenty categories of injected errors, the two subsets, and the length buckets of reports."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from attrs import frozen

from overread.domain.vocabulary.taxonomy import ASPECTS_WITH_TYPE, ErrorAspect, ErrorType

__all__ = ["BUCKETS", "CATEGORIES", "KINDS", "Category", "Subset", "bucket_of"]


class Subset(StrEnum):
    """Kind of change, by whether it matters (Beyond Scalar Scores, section 2)."""

    DISCRIMINATION = "discrimination"
    ROBUSTNESS = "robustness"


@frozen
class Category:
    """An aspect of ReEvalMed and, where it has one, an error type."""

    aspect: ErrorAspect
    type: ErrorType | None = None

    @property
    def name(self) -> str:
        """Aspect and type in words, for example "Location, omission"."""
        return self.aspect.value if self.type is None else f"{self.aspect.value}, {self.type.value}"


CATEGORIES: Final = tuple(
    Category(aspect, kind)
    for aspect in ErrorAspect
    for kind in (tuple(ErrorType) if aspect in ASPECTS_WITH_TYPE else (None,))
)
"""Four aspects with three types each and eight without (Beyond Scalar Scores, section 4.3)."""

KINDS: Final = tuple(
    (category, subset)
    for category in CATEGORIES
    for subset in Subset
    if category.aspect is not ErrorAspect.STYLE or subset is Subset.ROBUSTNESS
)
"""The kinds of edits that rules make: what a change of style alters in the meaning is an error of another category."""

BUCKETS: Final = ("0-200", "200-350", "350-500", "500+")
"""Lengths of a reference in characters (Beyond Scalar Scores, section 4.1)."""

_LIMITS: Final = (200, 350, 500)


def bucket_of(text: str) -> str:
    """The length bucket of a report; each but the last includes its upper limit.

    >>> bucket_of("x" * 200), bucket_of("x" * 501)
    ('0-200', '500+')
    """
    return BUCKETS[sum(len(text) > limit for limit in _LIMITS)]
