"""A reference as the rules see it: its text, its units, its sentences, and what they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import field, frozen

from overread.domain.lexicon import Lexicon
from overread.domain.relation import denies, kinship
from overread.domain.report import Span
from overread.domain.unit import ClinicalUnit

__all__ = ["Reading", "sentence_spans"]

_GENERAL: Final = "general"
_DENIAL: Final = re.compile(r"\b(?:no|not|nor|without|w/o|absent|negative|excluded|neither)\b", re.IGNORECASE)
_BREAK: Final = re.compile(r"(?<=[a-zA-Z\d)\]][.!?])\s+(?=[A-Z_\[\d])|\s*\n+\s*|(?<=\D)(?=\s\d\.\s[A-Z])")
_LEAD: Final = re.compile(r"\s*(?:[-*•]\s+|\d{1,2}[.)]\s+|[A-Z][A-Za-z /]{2,40}:\s+|[a-z]{4,12}:\s+)*")


def sentence_spans(text: str) -> tuple[Span, ...]:
    """The sentences of a report without headings, bullets and numbers before them.

    >>> text = "FINDINGS: Clear lungs. No effusion."
    >>> [span.of(text) for span in sentence_spans(text)]
    ['Clear lungs.', 'No effusion.']
    """
    ends = [(match.start(), match.end()) for match in _BREAK.finditer(text)]
    starts = [0, *(after for _, after in ends)]
    stops = [*(before for before, _ in ends), len(text)]
    spans = []
    for start, stop in zip(starts, stops, strict=True):
        lead = _LEAD.match(text, start, stop)
        begin = lead.end() if lead else start
        if any(c.isalpha() for c in text[begin:stop]) and not text[:stop].endswith(":"):
            spans.append(Span(begin, stop))
    return tuple(spans)


@frozen(eq=False)
class Reading:
    """A report, what it says, and what that asks for.

    Attributes:
        units: in reading order, administrative ones included.
        sentences: their spans.
    """

    text: str = field(repr=False)
    units: Sequence[ClinicalUnit] = field(repr=False)
    lexicon: Lexicon = field(repr=False)
    sentences: tuple[Span, ...]

    @classmethod
    def of(cls, text: str, units: Sequence[ClinicalUnit], lexicon: Lexicon) -> Reading:
        """The reading of a report."""
        return cls(text, units, lexicon, sentence_spans(text))

    @property
    def asserted(self) -> list[ClinicalUnit]:
        """Findings of the lexicon that the report asserts."""
        return [unit for unit in self.units if unit.asserts_finding and unit.canonical_finding in self.lexicon.findings]

    @property
    def denied(self) -> list[ClinicalUnit]:
        """Single findings that the report denies."""
        return [unit for unit in self.units if unit.denies_finding and not unit.denies]

    def single(self) -> Iterator[ClinicalUnit]:
        """Asserted findings of which the report speaks once: one edit makes one difference.

        Remarks on the examination are left out, and findings beside a word of denial, which may be theirs after all.
        """
        return (
            unit
            for unit in self.asserted
            if self.lexicon.findings[unit.canonical_finding].category != _GENERAL
            and self.is_single(unit)
            and not self.is_beside_denial(unit)
        )

    def is_beside_denial(self, unit: ClinicalUnit) -> bool:
        """Whether the unit's sentence holds a word of denial."""
        sentence = self.sentence(unit) or unit.span
        return bool(_DENIAL.search(self.text, sentence.start, sentence.end))

    def is_single(self, unit: ClinicalUnit) -> bool:
        """Whether no other unit asserts or denies the finding, a kind of it or a broader one."""
        return not any(
            other is not unit
            and (
                kinship(unit, other, self.lexicon).is_kin
                or denies(other, unit, self.lexicon)
                or self.lexicon.denies(other.denies, unit.canonical_finding)
            )
            for other in self.units
        )

    def is_actionable(self, unit: ClinicalUnit) -> bool:
        """Whether the finding asks for anything."""
        return self.lexicon.importance(unit.canonical_finding).is_actionable

    def sentence(self, unit: ClinicalUnit) -> Span | None:
        """The sentence that holds the whole unit; None where none does."""
        return next((s for s in self.sentences if s.start <= unit.start and unit.end <= s.end), None)

    def sentence_number(self, at: int) -> int:
        """Number of the sentence that a place is in or stands behind; 0 before the first."""
        return sum(sentence.start <= at for sentence in self.sentences)

    def within(self, span: Span) -> list[ClinicalUnit]:
        """The units that stand in a stretch of the text."""
        return [unit for unit in self.units if span.start <= unit.start and unit.end <= span.end]

    def scope(self, unit: ClinicalUnit) -> Span:
        """Where words about the unit stand: its sentence if it has that for itself, else its own span."""
        sentence = self.sentence(unit)
        return sentence if sentence is not None and len(self.within(sentence)) == 1 else unit.span

    def surface(self, unit: ClinicalUnit) -> Span | None:
        """Where the finding's own words stand; None where they are not found as they are."""
        at = self.text.find(unit.surface_finding, unit.start, unit.end) if unit.surface_finding else -1
        return None if at < 0 else Span(at, at + len(unit.surface_finding))
