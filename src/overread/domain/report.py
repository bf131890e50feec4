"""Reports, their sections, and the pairs that are compared."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

__all__ = ["ClinicalContext", "Report", "ReportPair", "Section", "SectionRole", "Span"]


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


class SectionRole(StrEnum):
    """What a section contributes: findings are compared, context and administration are not."""

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
class Report:
    """A report's text, exactly as given; every offset in overread points into it."""

    text: str = field(repr=False)

    @property
    def is_blank(self) -> bool:
        """Whether the report holds nothing but white space."""
        return not self.text.strip()


def _report(value: Report | str) -> Report:
    return value if isinstance(value, Report) else Report(value)


@frozen
class ClinicalContext:
    """What is known about the patient and the examination; every field may be missing.

    Attributes:
        age: years.
        sex: as recorded by the source.
        indication: the reason for the examination.
        comparison: the prior examinations named.
    """

    age: float | None = None
    sex: str | None = None
    indication: str | None = field(default=None, repr=False)
    comparison: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class ReportPair:
    """A candidate report and the reference it is read against."""

    id: str
    reference: Report = field(converter=_report)
    candidate: Report = field(converter=_report)
    context: ClinicalContext = ClinicalContext()

    @property
    def is_blank(self) -> bool:
        """Whether both reports are."""
        return self.reference.is_blank and self.candidate.is_blank

    @property
    def is_copy(self) -> bool:
        """Whether the reports differ in white space at most."""
        return self.reference.text.split() == self.candidate.text.split()
