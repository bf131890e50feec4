"""Error taxonomies and the crosswalk between them.

ReXVal's six categories (Yu et al. 2023; also GREEN and CREPE), RadEvalX's two on uncertainty (RadOT-Eval Table IX),
and ReEvalMed's twelve aspects with up to three error types (Beyond Scalar Scores, Tables 1 and 10).
"""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

__all__ = [
    "ASPECTS_WITH_TYPE",
    "REXVAL_SIX",
    "ErrorAspect",
    "ErrorCategory",
    "ErrorTaxonomy",
    "ErrorType",
]


class ErrorCategory(StrEnum):
    """ReXVal's six categories, A to F, and RadEvalX's two more, G and H."""

    FALSE_FINDING = "A"
    OMITTED_FINDING = "B"
    LOCATION = "C"
    SEVERITY = "D"
    COMPARISON_NOT_IN_REFERENCE = "E"
    OMITTED_COMPARISON = "F"
    UNSUPPORTED_UNCERTAINTY = "G"
    OMITTED_UNCERTAINTY = "H"

    @property
    def label(self) -> str:
        """Name of the category in plain words."""
        return _LABELS[self]

    @property
    def radevalx_column(self) -> int:
        """Column 1 to 8 of the category in RadEvalX's error tables (RadOT-Eval Table IX)."""
        return "ABCDEFGH".index(self.value) + 1


_LABELS = {
    ErrorCategory.FALSE_FINDING: "false finding",
    ErrorCategory.OMITTED_FINDING: "omitted finding",
    ErrorCategory.LOCATION: "wrong location",
    ErrorCategory.SEVERITY: "wrong severity",
    ErrorCategory.COMPARISON_NOT_IN_REFERENCE: "comparison not in reference",
    ErrorCategory.OMITTED_COMPARISON: "omitted comparison",
    ErrorCategory.UNSUPPORTED_UNCERTAINTY: "unsupported uncertainty",
    ErrorCategory.OMITTED_UNCERTAINTY: "omitted uncertainty",
}

REXVAL_SIX = tuple(ErrorCategory)[:6]
"""The six categories that ReXVal, GREEN and CREPE count."""


class ErrorAspect(StrEnum):
    """ReEvalMed's twelve aspects (Beyond Scalar Scores, Table 10)."""

    LOCATION = "Location"
    SEVERITY = "Severity"
    DESCRIPTION = "Description"
    COMPARISON = "Comparison/Progression"
    NEGATION = "Negation"
    MODALITY = "Modality"
    SIZE = "Size/Distance"
    CONTRADICTION = "Contradiction"
    UNCERTAINTY = "Uncertainty"
    TERMINOLOGY = "Terminology"
    NOISE = "Noise"
    STYLE = "Stylistic Variation"


class ErrorType(StrEnum):
    """Ways in which the candidate departs from the reference."""

    OMISSION = "omission"
    FABRICATION = "fabrication"
    INACCURACY = "inaccuracy"


ASPECTS_WITH_TYPE = frozenset(
    {ErrorAspect.LOCATION, ErrorAspect.SEVERITY, ErrorAspect.DESCRIPTION, ErrorAspect.COMPARISON}
)
"""Aspects for which ReEvalMed states an error type (Beyond Scalar Scores, appendix I); the others carry none."""


_CROSSWALK: dict[tuple[ErrorAspect, ErrorType | None], ErrorCategory] = {
    (ErrorAspect.DESCRIPTION, ErrorType.OMISSION): ErrorCategory.OMITTED_FINDING,
    (ErrorAspect.DESCRIPTION, ErrorType.FABRICATION): ErrorCategory.FALSE_FINDING,
    (ErrorAspect.DESCRIPTION, ErrorType.INACCURACY): ErrorCategory.FALSE_FINDING,
    (ErrorAspect.LOCATION, ErrorType.OMISSION): ErrorCategory.LOCATION,
    (ErrorAspect.LOCATION, ErrorType.FABRICATION): ErrorCategory.LOCATION,
    (ErrorAspect.LOCATION, ErrorType.INACCURACY): ErrorCategory.LOCATION,
    (ErrorAspect.SEVERITY, ErrorType.OMISSION): ErrorCategory.SEVERITY,
    (ErrorAspect.SEVERITY, ErrorType.FABRICATION): ErrorCategory.SEVERITY,
    (ErrorAspect.SEVERITY, ErrorType.INACCURACY): ErrorCategory.SEVERITY,
    (ErrorAspect.COMPARISON, ErrorType.OMISSION): ErrorCategory.OMITTED_COMPARISON,
    (ErrorAspect.COMPARISON, ErrorType.FABRICATION): ErrorCategory.COMPARISON_NOT_IN_REFERENCE,
    (ErrorAspect.COMPARISON, ErrorType.INACCURACY): ErrorCategory.COMPARISON_NOT_IN_REFERENCE,
    (ErrorAspect.NEGATION, ErrorType.OMISSION): ErrorCategory.OMITTED_FINDING,
    (ErrorAspect.NEGATION, ErrorType.FABRICATION): ErrorCategory.FALSE_FINDING,
    (ErrorAspect.SIZE, None): ErrorCategory.SEVERITY,
    (ErrorAspect.CONTRADICTION, None): ErrorCategory.FALSE_FINDING,
    (ErrorAspect.UNCERTAINTY, ErrorType.OMISSION): ErrorCategory.OMITTED_UNCERTAINTY,
    (ErrorAspect.UNCERTAINTY, ErrorType.FABRICATION): ErrorCategory.UNSUPPORTED_UNCERTAINTY,
}


@frozen
class ErrorTaxonomy:
    """Crosswalk from ReEvalMed's aspect and type to the ReXVal and RadEvalX category.

    ReEvalMed prints no type for eight aspects; where one of them points to two categories (a flipped negation
    is a false finding or an omission) the direction of the change decides. Modality, terminology, noise and style
    have no counterpart among the eight categories.
    """

    def category(self, aspect: ErrorAspect, error_type: ErrorType | None = None) -> ErrorCategory | None:
        """Category of an aspect and type, or None where the eight categories have none.

        >>> ErrorTaxonomy().category(ErrorAspect.COMPARISON, ErrorType.OMISSION).label
        'omitted comparison'
        >>> ErrorTaxonomy().category(ErrorAspect.NOISE) is None
        True
        """
        return _CROSSWALK.get((aspect, error_type)) or _CROSSWALK.get((aspect, None))

    def printed_type(self, aspect: ErrorAspect, error_type: ErrorType | None) -> ErrorType | None:
        """The type ReEvalMed prints for the aspect: none for the eight aspects without one."""
        return error_type if aspect in ASPECTS_WITH_TYPE else None
