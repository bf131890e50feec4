"""Reports, their sections, and the pairs that are compared."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, Protocol

from attrs import Attribute, field, frozen

from overread.domain.reports.plain_text import same_words

__all__ = [
    "OLDEST",
    "ClinicalContext",
    "Placed",
    "Report",
    "ReportPair",
    "ReportPart",
    "Section",
    "SectionRole",
    "Span",
    "age_in_years",
    "are_apart",
    "examinations_at",
    "share_a_place",
]

OLDEST: Final = 125.0
"""Ages above are taken for mistakes: nobody is known to have become older than 122."""

_AGE: Final = re.compile(
    r"""(?P<above>>|over\s)?\s*(?P<number>\d+(?:\.\d+)?)(?P<more>\+)?[\s-]*
    (?P<unit>years?|yrs?|y\.?/?o\.?|y|a|months?|mos?|mths?|m|weeks?|wks?|w|days?|d)?
    (?:[\s-]*(?:old|of\sage))?\.?""",
    re.IGNORECASE | re.VERBOSE,
)
_PER_YEAR: Final = {"m": 12.0, "w": 52.18, "d": 365.25}


@frozen(order=True)
class Span:
    """Half-open character range ``[start, end)`` into a report's text as given."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters this span covers in ``text``.

        >>> Span(3, 6).of("no effusion")
        'eff'
        """
        return text[self.start : self.end]

    def meets(self, other: Span) -> bool:
        """Return whether both share a character.

        >>> Span(0, 4).meets(Span(3, 5)), Span(0, 4).meets(Span(4, 5))
        (True, False)
        """
        return self.start < other.end and other.start < self.end


class Placed(Protocol):
    """Something that stands in one report of a pair or in both."""

    @property
    def reference_spans(self) -> tuple[Span, ...]:
        """Places in the reference; empty if it is silent."""
        ...

    @property
    def candidate_spans(self) -> tuple[Span, ...]:
        """Places in the candidate; empty if it is silent."""
        ...


def share_a_place(one: Placed, other: Placed) -> bool:
    """Return whether both point at one character of the same report."""
    sides = ((one.reference_spans, other.reference_spans), (one.candidate_spans, other.candidate_spans))
    return any(here.meets(there) for spans, others in sides for here in spans for there in others)


class SectionRole(StrEnum):
    """Role of a section: findings are compared, context and administration are not."""

    FINDINGS = "findings"
    CONTEXT = "context"
    ADMINISTRATIVE = "administrative"


@frozen
class Section:
    """A titled part of a report; ``start`` and ``end`` bound its body, without the title."""

    name: str
    role: SectionRole
    start: int
    end: int


@frozen
class ReportPart:
    """Part of a joined report on some of its examinations; ``start`` and ``end`` bound it.

    Attributes:
        examinations: their numbers in the pair, by which a part of one report is identified in the other.
    """

    start: int
    end: int
    examinations: frozenset[int]


def examinations_at(parts: Sequence[ReportPart], place: int) -> frozenset[int]:
    """Numbers of the examinations that a report speaks of at a place; empty where that cannot be told."""
    return next((part.examinations for part in parts if part.start <= place < part.end), _UNKNOWN)


def are_apart(some: frozenset[int], others: frozenset[int]) -> bool:
    """Return whether two statements are about different examinations, as far as this is known."""
    return bool(some and others) and some.isdisjoint(others)


_UNKNOWN: Final = frozenset[int]()


def _in_order(parts: Iterable[ReportPart]) -> tuple[ReportPart, ...]:
    return tuple(parts)


@frozen
class Report:
    """A report's text, exactly as given; every offset in overread points into it.

    Attributes:
        parts: of a report on several examinations, where they can be told apart, in reading order. What one says is
            neither compared with what the other report says in another, nor held against another part of its own.
    """

    text: str = field(repr=False)
    parts: tuple[ReportPart, ...] = field(default=(), converter=_in_order)

    @property
    def is_blank(self) -> bool:
        """True if the report holds only white space."""
        return not self.text.strip()


def age_in_years(value: float | Decimal | str | None) -> float | None:
    """An age as sources write it, in years; None where it is not given.

    Understood are numbers, DICOM's age strings ("066Y", "015M", "003W", "001D") and words ("66 years", "66-year-old",
    "18 months", "90+").

    Raises:
        ValueError: if it is none, below 0 or above `OLDEST`. The message does not hold it.

    >>> age_in_years("066Y"), age_in_years("018M"), age_in_years(44), age_in_years(" ")
    (66.0, 1.5, 44.0, None)
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        years = _written_age(value.strip())
    elif isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError(f"not an age but {type(value).__name__}; {_AGE_REMEDY}")  # noqa: TRY004 - as for any other age
    else:
        years = float(value)
    if years is not None and not 0 <= years <= OLDEST:
        raise ValueError(f"not an age between 0 and {OLDEST:g} years; {_AGE_REMEDY}")
    return years


_AGE_REMEDY: Final = 'give years (66), or "066Y", "015M", "003W", "001D", or leave it out where it is not known'


def _written_age(text: str) -> float | None:
    if not text:
        return None
    match = _AGE.fullmatch(text)
    if match is None:
        raise ValueError(f"not an age in years; {_AGE_REMEDY}")
    unit = (match["unit"] or "y").lower()
    return float(match["number"]) / _PER_YEAR.get(unit[0], 1.0)


def _report(value: Report | str) -> Report:
    return value if isinstance(value, Report) else Report(value)


def _none_if_nan(value: str | float | None) -> str | float | None:
    return None if isinstance(value, float) and math.isnan(value) else value


def _is_remark(_: object, about: Attribute[Any], value: object) -> None:
    if not isinstance(value, str | None):
        raise TypeError(f"{about.name} is {type(value).__name__}, not text")


@frozen
class ClinicalContext:
    """Known facts about the patient and the examination; every field may be missing.

    Attributes:
        age: years; texts such as DICOM's "066Y" become years, see `age_in_years`.
        sex: as recorded by the source.
        indication: the reason for the examination.
        comparison: the prior examinations named.

    Raises:
        ValueError: if the age is invalid.
        TypeError: if another field isn't text; NaN counts as missing.
    """

    age: float | None = field(default=None, converter=age_in_years)
    sex: str | None = field(default=None, converter=_none_if_nan, validator=_is_remark)
    indication: str | None = field(default=None, converter=_none_if_nan, validator=_is_remark, repr=False)
    comparison: str | None = field(default=None, converter=_none_if_nan, validator=_is_remark, repr=False)


@frozen(kw_only=True)
class ReportPair:
    """A candidate report and the reference it is read against."""

    id: str
    reference: Report = field(converter=_report)
    candidate: Report = field(converter=_report)
    context: ClinicalContext = ClinicalContext()

    @property
    def is_blank(self) -> bool:
        """True if both reports are blank."""
        return self.reference.is_blank and self.candidate.is_blank

    @property
    def is_copy(self) -> bool:
        """True if the reports have the same words, however they are laid out."""
        return same_words(self.reference.text, self.candidate.text)
