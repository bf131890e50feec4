"""The medspaCy unit extractor: reports into clinical units, each distinct sentence read once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from attrs import define, evolve, field

from overread.adapters.lexicon import Knowledge, load_knowledge
from overread.adapters.lexicon.dictation import Dictation
from overread.adapters.lexicon.segments import SectionSplitter, plain, sentences_by_section, split_sentences
from overread.adapters.reader.medspacy._carrying import Carrier
from overread.adapters.reader.medspacy._language import foreign_language
from overread.adapters.reader.medspacy._reading import SentenceReader, SentenceReading
from overread.adapters.reader.medspacy._regions import Regions
from overread.adapters.reader.medspacy.options import VERSION, MedspacyOptions
from overread.application.ports import Assertion, Extraction, MarkedSentence
from overread.domain.advice import ADVICE, COMMUNICATION
from overread.domain.remark import COMPARED_MODALITIES
from overread.domain.report import Report, Section, SectionRole, Span
from overread.domain.result import Fault, Unscored
from overread.domain.unit import ClinicalUnit
from overread.domain.unread import Coverage, SentenceContent

__all__ = ["MedspacyUnitExtractor"]

T = TypeVar("T")

_TECHNIQUE: Final = "technique"


@define(eq=False)
class MedspacyUnitExtractor:
    """Reads reports with medspaCy over overread's lexicon.

    A report is unscored as "too long" beyond ``max_characters``, as "language" where it is not English, and as
    "control characters" where it holds NUL bytes. A blank report has no units.
    """

    options: MedspacyOptions
    _knowledge: Knowledge
    _sections: SectionSplitter
    _reader: SentenceReader
    _carrier: Carrier
    _kinds: Mapping[str, str]
    _regions: Regions
    _dictation: Dictation
    _vocabulary: frozenset[str]
    _sentences: OrderedDict[str, SentenceReading] = field(factory=OrderedDict, repr=False)
    _reports: OrderedDict[str, tuple[Extraction, Coverage]] = field(factory=OrderedDict, repr=False)

    @classmethod
    def create(cls, options: MedspacyOptions) -> MedspacyUnitExtractor:
        """An extractor over the shipped lexicon or the folder named in the options."""
        knowledge = load_knowledge(options.lexicon)
        regions = Regions.of(knowledge)
        return cls(
            options,
            knowledge,
            SectionSplitter(knowledge.sections),
            SentenceReader(knowledge, regions),
            Carrier(knowledge.grammar.carrying),
            {section.name: section.kind for section in knowledge.sections},
            regions,
            Dictation(knowledge.grammar.dictation),
            frozenset(w for term in knowledge.elements.values() for element in term for w in element.alternatives),
        )

    @property
    def lexicon_folder(self) -> str | None:
        """Folder of the lexicon it reads with, None for the shipped one."""
        return self.options.lexicon

    @property
    def identity(self) -> str:
        """Version and lexicon digest."""
        return f"medspacy@{VERSION},lexicon={self._knowledge.digest}"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        """Units of each report, or why it cannot be read."""
        return [self._report(report.text)[0] for report in reports]

    def coverage(self, reports: Sequence[Report]) -> list[Coverage]:
        """What was read of each report and what was not; nothing of one that cannot be read."""
        return [self._report(report.text)[1] for report in reports]

    def _report(self, text: str) -> tuple[Extraction, Coverage]:
        return _recalled(self._reports, text, self._read, self.options.report_cache)

    def assertions(self, sentences: Sequence[MarkedSentence]) -> list[Assertion | Unscored]:
        """What each sentence says of its marked phrase, read as a finding whether or not the lexicon has it."""
        return [self._assertion(sentence) for sentence in sentences]

    def _assertion(self, marked: MarkedSentence) -> Assertion | Unscored:
        text = plain(marked.text)
        if refusal := self._refusal(text):
            return refusal
        whole = Span(0, len(text))
        parts = split_sentences(text, 0, len(text))
        span = next((part for part in parts if part.start <= marked.start and marked.end <= part.end), whole)
        told = self._reader.read_marked(span.of(text), marked.start - span.start, marked.end - span.start)
        if isinstance(told, Unscored):
            return told
        return evolve(told, unit=told.unit.moved(span.start, section="", sentence_index=0))

    def _read(self, text: str) -> tuple[Extraction, Coverage]:
        text = plain(text)
        if not text.strip():
            return (), Coverage()
        if refusal := self._refusal(text):
            return refusal, Coverage()
        told = self._dictation.punctuated(text)
        units, coverage = self._told(told)
        return (units if told == text else tuple(_quoted(unit, text) for unit in units)), coverage

    def _told(self, text: str) -> tuple[tuple[ClinicalUnit, ...], Coverage]:
        sections = self._sections.split(text)
        units: list[ClinicalUnit] = []
        placed: list[tuple[int, SentenceContent]] = []
        before: tuple[int, str] = (0, "")
        sentences = sentences_by_section(text, sections)
        readings = self._readings(text, sections, sentences)
        for index, ((section, span), reading) in enumerate(zip(sentences, readings, strict=True)):
            kind = self._kinds.get(section.name, "")
            found = [
                _filed(unit, kind).moved(span.start, section=section.name, sentence_index=index)
                for unit in reading.units
            ]
            start, name = before
            told = self._carrier.carried(found, units[start:]) if name == section.name else None
            is_placed = told is not None or (kind and reading.content.is_whole)
            placed.append((span.start, reading.content.read if is_placed else reading.content))
            if told is not None:
                units[start:] = told
                continue
            if name != section.name or not self._carrier.goes_on(found):
                before = len(units), section.name
            units += found
        named = self._asides(text, sections)
        return tuple(sorted([*named, *units], key=lambda unit: unit.start)), Coverage(tuple(placed))

    def _readings(
        self, text: str, sections: Iterable[Section], sentences: Sequence[tuple[Section, Span]]
    ) -> list[SentenceReading]:
        """Each sentence read by itself, and again where what it says hangs on those around it.

        Its words may be another finding in its region of the body, or mean the side of the sentence before.
        """
        spans = [span for _, span in sentences]
        readings = [self._sentence(span.of(text)) for span in spans]
        regions = self._regions.around(
            self._titles(text, sections, zip(spans, readings, strict=True)), [reading.regions for reading in readings]
        )
        known, side, part = "", "", ""
        for index, ((section, span), region) in enumerate(zip(sentences, regions, strict=True)):
            side, part = (side, part) if section.name == known else ("", "")
            known = section.name
            homonyms = self._regions.homonyms.get(region, frozenset())
            is_homonym = not homonyms.isdisjoint(unit.canonical_finding for unit in readings[index].units)
            if is_homonym or (readings[index].refers and (side or part)):
                readings[index] = self._reader.read(span.of(text), region, side, part)
            side, part = readings[index].side or side, readings[index].part
        return readings

    def _titles(
        self, text: str, sections: Iterable[Section], sentences: Iterable[tuple[Span, SentenceReading]]
    ) -> Iterator[str]:
        """What names the examination: sections of its title or technique with their headings, and such sentences."""
        for section in sections:
            if section.role is not SectionRole.FINDINGS and self._kinds.get(section.name) == _TECHNIQUE:
                yield text[text.rfind("\n", 0, section.start) + 1 : section.end]
        for span, reading in sentences:
            if any(unit.administrative == _TECHNIQUE for unit in reading.units):
                yield span.of(text)

    def _asides(self, text: str, sections: Iterable[Section]) -> Iterator[ClinicalUnit]:
        """Sentences of sections that are not compared, where they recommend, tell of a message or name a modality."""
        for section in sections:
            kind = self._kinds.get(section.name, "")
            if section.role is SectionRole.FINDINGS or kind not in {*COMPARED_MODALITIES, COMMUNICATION} - {""}:
                continue
            for span in split_sentences(text, section.start, section.end):
                unit = self._reader.read_aside(span.of(text), kind)
                if unit.modalities or kind in {ADVICE, COMMUNICATION}:
                    yield unit.moved(span.start, section=section.name, sentence_index=0)

    def _refusal(self, text: str) -> Unscored | None:
        if "\x00" in text:
            return Unscored("control characters", "the report holds NUL bytes; remove them", fault=Fault.REPORT)
        if len(text) > self.options.max_characters:
            detail = f"{len(text)} characters, more than the limit of {self.options.max_characters}"
            return Unscored("too long", detail, fault=Fault.REPORT)
        if language := foreign_language(text, self._knowledge.stopwords, self._vocabulary):
            return Unscored("language", f"the reader knows English; the report looks {language}", fault=Fault.REPORT)
        return None

    def _sentence(self, sentence: str) -> SentenceReading:
        return _recalled(self._sentences, sentence, self._reader.read, self.options.sentence_cache)


def _recalled(known: OrderedDict[str, T], text: str, read: Callable[[str], T], limit: int) -> T:
    """What was read in a text, remembered for the ``limit`` texts that were asked for last."""
    found = known.get(text)
    if found is None:
        found = known[text] = read(text)
        if len(known) > limit:
            known.popitem(last=False)
    else:
        known.move_to_end(text)
    return found


def _quoted(unit: ClinicalUnit, text: str) -> ClinicalUnit:
    """The unit in the report's own words, where marks were spoken."""
    return evolve(unit, span_text=text[unit.start : unit.end])


def _filed(unit: ClinicalUnit, kind: str) -> ClinicalUnit:
    """The unit, administrative where it is unread and its heading is."""
    if not kind or not unit.is_unread:
        return unit
    return ClinicalUnit(
        span_text=unit.span_text, start=unit.start, end=unit.end, administrative=kind, modalities=unit.modalities
    )
