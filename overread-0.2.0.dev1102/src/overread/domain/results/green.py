"""GREEN's notation (Ostmeier et al. 2024): errors by category and severity, matched findings, and their score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from attrs import field, frozen

from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorAspect, ErrorCategory, ErrorType

__all__ = ["GREEN_ASPECTS", "CountedErrors", "GreenError", "GreenNotation", "green_score"]

GREEN_ASPECTS: Final[Mapping[ErrorCategory, tuple[ErrorAspect, ErrorType]]] = {
    ErrorCategory.FALSE_FINDING: (ErrorAspect.DESCRIPTION, ErrorType.FABRICATION),
    ErrorCategory.OMITTED_FINDING: (ErrorAspect.DESCRIPTION, ErrorType.OMISSION),
    ErrorCategory.LOCATION: (ErrorAspect.LOCATION, ErrorType.INACCURACY),
    ErrorCategory.SEVERITY: (ErrorAspect.SEVERITY, ErrorType.INACCURACY),
    ErrorCategory.COMPARISON_NOT_IN_REFERENCE: (ErrorAspect.COMPARISON, ErrorType.FABRICATION),
    ErrorCategory.OMITTED_COMPARISON: (ErrorAspect.COMPARISON, ErrorType.OMISSION),
}
"""Aspect and type of each category: of those that `ErrorTaxonomy` maps to it, the one that its wording names."""


@frozen
class CountedErrors:
    """Errors of one category in an answer: their number, and its words on them.

    Attributes:
        count: 0 or more.
        explanations: one per error if the answer gives one for each; there may be fewer or more than ``count``.
    """

    count: int = 0
    explanations: tuple[str, ...] = field(default=(), repr=False)


@frozen
class GreenError:
    """One counted error, with the answer's words on it where it gives any."""

    severity: Severity
    category: ErrorCategory
    explanation: str = field(default="", repr=False)


@frozen(kw_only=True)
class GreenNotation:
    """Statements about a pair in an answer in GREEN's format.

    Attributes:
        significant, insignificant: errors by category, A to F; a category that is absent has none.
        matched: number of findings of the reference that the candidate matches.
        matched_findings: the answer's words on them.
        explanation: what the answer says of the pair as a whole.
        notes: oddities of the answer, without its words.
    """

    significant: Mapping[ErrorCategory, CountedErrors] = field(factory=dict)
    insignificant: Mapping[ErrorCategory, CountedErrors] = field(factory=dict)
    matched: int = 0
    matched_findings: tuple[str, ...] = field(default=(), repr=False)
    explanation: str = field(default="", repr=False)
    notes: tuple[str, ...] = ()

    @property
    def error_count(self) -> int:
        """EC: clinically significant errors over the six categories."""
        return sum(errors.count for errors in self.significant.values())

    @property
    def insignificant_count(self) -> int:
        """Clinically insignificant errors over the six categories."""
        return sum(errors.count for errors in self.insignificant.values())

    @property
    def counts(self) -> tuple[int, ...]:
        """The thirteen numbers: six significant, six insignificant, matched."""
        errors = (side.get(c, CountedErrors()).count for side in (self.significant, self.insignificant) for c in _SIX)
        return (*errors, self.matched)

    @property
    def is_silent(self) -> bool:
        """True if it names neither an error nor a matched finding: the score is then undefined."""
        return not any(self.counts)

    def errors(self) -> Iterator[GreenError]:
        """Each counted error, the significant ones first, A to F. What exceeds the count stands with the last one."""
        sides = ((Severity.SIGNIFICANT, self.significant), (Severity.INSIGNIFICANT, self.insignificant))
        return chain.from_iterable(
            (GreenError(severity, category, words) for words in _shared_out(side[category]))
            for severity, side in sides
            for category in _SIX
            if category in side
        )


_SIX: Final = REXVAL_SIX


def _shared_out(errors: CountedErrors) -> Iterator[str]:
    for index in range(errors.count):
        last = index + 1 == errors.count
        yield "; ".join(errors.explanations[index:] if last else errors.explanations[index : index + 1])


def green_score(notation: GreenNotation) -> float:
    """GREEN (equation 1): matched / (matched + significant errors), 0 to 1, higher is better.

    It is 0 if nothing matched; insignificant errors do not enter it.

    >>> errors = {ErrorCategory.LOCATION: CountedErrors(1)}
    >>> green_score(GreenNotation(significant=errors, matched=3)), green_score(GreenNotation(significant=errors))
    (0.75, 0.0)
    """
    return notation.matched / (notation.matched + notation.error_count) if notation.matched else 0.0
