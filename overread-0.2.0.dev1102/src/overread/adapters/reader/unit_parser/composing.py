"""Parsed units made the units of a report, whoever parsed them: named, placed, and completed by what they leave out."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, field, frozen

from overread.adapters.lexicon.segments import SectionSplitter
from overread.adapters.reader.unit_parser._answer import ParsedUnit, parsed_unit
from overread.adapters.reader.unit_parser._naming import Naming
from overread.adapters.reader.unit_parser._placing import Outline, Placed, place
from overread.domain.findings.unit import FALLBACK_CONFIDENCE, ClinicalUnit

__all__ = ["Outline", "ParsedUnit", "UnitComposer", "parsed_unit", "place"]


@frozen
class UnitComposer:
    """Makes units of what a parser says of a report.

    Attributes:
        naming: the lexicon's names.
    """

    naming: Naming
    _splitter: SectionSplitter = field(repr=False)

    @classmethod
    def create(cls, lexicon: str | None = None) -> UnitComposer:
        """A composer over the shipped lexicon or that of a folder. Raises `ConfigurationError` if it cannot be used."""
        naming = Naming(lexicon)
        return cls(naming, SectionSplitter(naming.knowledge))

    def outline(self, text: str) -> Outline:
        """The sentences of a report that are compared."""
        return Outline.of(text, self._splitter)

    def told(self, outline: Outline) -> str:
        """The sentences of a report that a parser is to tell of: those that say something of the patient."""
        sentences = (span.of(outline.text) for _, span in outline.sentences)
        return " ".join(sentence for sentence in sentences if not self._is_aside(sentence))

    def _is_aside(self, sentence: str) -> bool:
        read = self.naming.statements(sentence)
        return bool(read) and all(unit.administrative for unit in read)

    def units(self, outline: Outline, placed: Sequence[Placed]) -> tuple[ClinicalUnit, ...]:
        """The units of an answer, and those of the sentences that it leaves uncovered, in reading order."""
        units: list[ClinicalUnit] = []
        positions: list[ClinicalUnit] = []
        for one in placed:
            section = outline.sentences[one.sentence][0]
            own, *others = (
                evolve(unit, section=section, sentence_index=one.sentence)
                for unit in self.naming.units(one.unit, outline.text, one.span)
            )
            units += [own] if not (own.denies and _is_told(own, units)) else []
            positions += others
        for position in positions:
            units += [position] if not _is_told(position, units) else []
        for index, section, span in outline.find_uncovered([one.span for one in placed]):
            units += [
                unit.moved(span.start, section=section, sentence_index=index)
                for unit in self._fallback(span.of(outline.text))
            ]
        return tuple(sorted(units, key=lambda unit: unit.start))

    def _fallback(self, sentence: str) -> tuple[ClinicalUnit, ...]:
        """A sentence as one unit, none if it holds no word.

        What the rules know of a sentence without a finding is kept: that it tells only of the report, or its anatomy.
        """
        if not self.naming.has_words(sentence):
            return ()
        read = self.naming.statements(sentence)
        if read and all(unit.administrative or unit.is_unread for unit in read):
            return read
        return (ClinicalUnit(span_text=sentence, start=0, end=len(sentence), confidence=FALLBACK_CONFIDENCE),)


def _is_told(unit: ClinicalUnit, others: Sequence[ClinicalUnit]) -> bool:
    """Return whether words in the same place say the same: parsers list what a normal statement denies one by one."""
    return any(
        other.canonical_finding == unit.canonical_finding and other.start < unit.end and unit.start < other.end
        for other in others
    )
