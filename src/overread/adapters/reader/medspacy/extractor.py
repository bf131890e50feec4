"""The medspaCy unit extractor: reports into clinical units, each distinct sentence read once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from attrs import define, evolve, field

from overread.adapters.lexicon import Knowledge, load_knowledge
from overread.adapters.lexicon.dictation import Dictation
from overread.adapters.lexicon.segments import (
    SectionSplitter,
    plain_sentences,
    sentences_by_section,
    split_sentences,
)
from overread.adapters.reader.medspacy._administrative import MAKING
from overread.adapters.reader.medspacy._carrying import Carrier
from overread.adapters.reader.medspacy._cues import has_medspacy
from overread.adapters.reader.medspacy._language import foreign_language
from overread.adapters.reader.medspacy._levels_before import Levels
from overread.adapters.reader.medspacy._reading import SentenceReader, SentenceReading
from overread.adapters.reader.medspacy._regions import Regions
from overread.adapters.reader.medspacy.options import VERSION, MedspacyOptions
from overread.application.ports import Assertion, Extraction, MarkedSentence
from overread.application.traits import ExtractorTraits
from overread.domain.differences.remark import COMPARED_MODALITIES, TECHNIQUE
from overread.domain.differences.unread import Coverage, SentenceContent
from overread.domain.findings.advice import ADVICE, COMMUNICATION
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.plain_text import PlainText
from overread.domain.reports.report import Report, Section, SectionRole, Span
from overread.domain.results.result import Fault, Unscored
from overread.extras import require

__all__ = ["MedspacyUnitExtractor"]

T = TypeVar("T")

_SIDES: Final = frozenset({"left", "right"})

_WITHOUT_MEDSPACY: Final = "medspaCy is not installed: its scope rules for denials and doubts were computed without it"


@define(eq=False)
class MedspacyUnitExtractor:
    """Reads reports over overread's lexicon, with medspaCy's ConText or by the same rules without it.

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
    _own_scopes: bool = False
    _sentences: OrderedDict[str, SentenceReading] = field(factory=OrderedDict, repr=False)
    _reports: OrderedDict[str, tuple[Extraction, Coverage]] = field(factory=OrderedDict, repr=False)

    @classmethod
    def create(cls, options: MedspacyOptions) -> MedspacyUnitExtractor:
        """An extractor over the shipped lexicon or the folder named in the options."""
        own_scopes = options.scopes == "own" or (options.scopes == "auto" and not has_medspacy())
        if not own_scopes:
            require("extractor.scopes=medspacy", "medspacy")
        knowledge = load_knowledge(options.lexicon)
        regions = Regions.of(knowledge)
        return cls(
            options,
            knowledge,
            SectionSplitter(knowledge),
            SentenceReader(knowledge, regions, own_scopes=own_scopes),
            Carrier(knowledge.grammar.carrying),
            {section.name: section.kind for section in knowledge.sections},
            regions,
            Dictation(knowledge.grammar.dictation),
            frozenset(w for term in knowledge.elements.values() for element in term for w in element.alternatives),
            own_scopes,
        )

    @property
    def traits(self) -> ExtractorTraits:
        """Folder of the lexicon it reads with, and a note where medspaCy is not installed."""
        note = _WITHOUT_MEDSPACY if self._own_scopes and self.options.scopes == "auto" else ""
        return ExtractorTraits(note=note, lexicon_folder=self.options.lexicon)

    @property
    def identity(self) -> str:
        """Version and lexicon digest, and whether scopes are computed without medspaCy."""
        return f"medspacy@{VERSION},lexicon={self._knowledge.digest}{',scopes=own' if self._own_scopes else ''}"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        """Units of each report, or why it cannot be read."""
        return [self._report(report.text)[0] for report in reports]

    def coverage(self, reports: Sequence[Report]) -> list[Coverage]:
        """Coverage of each report: what was read and what was not; empty for one that cannot be read."""
        return [self._report(report.text)[1] for report in reports]

    def _report(self, text: str) -> tuple[Extraction, Coverage]:
        return _read_or_recall(self._reports, text, self._read, self.options.report_cache)

    def assertions(self, sentences: Sequence[MarkedSentence]) -> list[Assertion | Unscored]:
        """Read what each sentence says of its marked phrase, taken as a finding whether or not the lexicon has it."""
        return [self._assertion(sentence) for sentence in sentences]

    def _assertion(self, marked: MarkedSentence) -> Assertion | Unscored:
        plain, parts = plain_sentences(marked.text)
        if refusal := self._refusal(plain.text):
            return refusal
        start, end = plain.read(marked.start, marked.end)
        whole = Span(0, len(plain.text))
        span = next((part for part in parts if part.start <= start and end <= part.end), whole)
        read = self._reader.read_marked(span.of(plain.text), start - span.start, end - span.start)
        if isinstance(read, Unscored):
            return read
        return evolve(read, unit=_place_unit(read.unit, plain, marked.text, span, section="", sentence_index=0))

    def _read(self, text: str) -> tuple[Extraction, Coverage]:
        if not text.strip():
            return (), Coverage()
        plain = self._sections.laid_out(text)
        if refusal := self._refusal(plain.text):
            return refusal, Coverage()
        punctuated = self._dictation.punctuate(plain.text)
        return self._units(evolve(plain, text=punctuated), text)

    def _units(self, plain: PlainText, given: str) -> tuple[tuple[ClinicalUnit, ...], Coverage]:
        """The units and the coverage of a report.

        Args:
            plain: the report as it is read.
            given: the report as given, which units quote and in which they are placed.
        """
        text = plain.text
        sections = self._sections.split(text)
        units: list[ClinicalUnit] = []
        placed: list[tuple[int, SentenceContent]] = []
        before: tuple[int, str] = (0, "")
        levels = Levels(self._knowledge.lexicon)
        sentences = sentences_by_section(text, sections)
        readings = self._readings(text, sections, sentences)
        for index, ((section, span), reading) in enumerate(zip(sentences, readings, strict=True)):
            kind = self._kinds.get(section.name, "")
            sentence_units = [
                _place_unit(_file_unread(unit, kind), plain, given, span, section=section.name, sentence_index=index)
                for unit in levels.carried(reading, span.of(text), section.name)
            ]
            start, name = before
            carried = self._carrier.carried(sentence_units, units[start:]) if name == section.name else None
            is_placed = carried is not None or (kind and reading.content.is_whole)
            content = reading.content.read if is_placed else reading.content
            placed.append((plain.given(span.start, span.end)[0], _move_details(content, plain, span)))
            if carried is not None:
                units[start:] = carried
                continue
            if name != section.name or not self._carrier.goes_on(sentence_units):
                before = len(units), section.name
            units += sentence_units
        units = list(_without_margins(units))
        named = self._asides(plain, given, sections)
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
        """Yield what names the examination: sections of its title or technique with headings, and such sentences."""
        for section in sections:
            if section.role is not SectionRole.FINDINGS and self._kind(section) == TECHNIQUE:
                yield text[text.rfind("\n", 0, section.start) + 1 : section.end]
        for span, reading in sentences:
            if any(unit.administrative == TECHNIQUE for unit in reading.units):
                yield span.of(text)

    def _asides(self, plain: PlainText, given: str, sections: Iterable[Section]) -> Iterator[ClinicalUnit]:
        """Sentences of sections that are not compared: advice, messages, and those that name a modality or a side."""
        for section in sections:
            kind = self._kind(section)
            if section.role is SectionRole.FINDINGS or kind not in {*COMPARED_MODALITIES, COMMUNICATION} - {""}:
                continue
            for span in split_sentences(plain.text, section.start, section.end):
                if any(unit.administrative == MAKING for unit in self._sentence(span.of(plain.text)).units):
                    continue
                unit = self._reader.read_aside(span.of(plain.text), kind)
                if unit.modalities or unit.anatomy or kind in {ADVICE, COMMUNICATION}:
                    yield _place_unit(unit, plain, given, span, section=section.name, sentence_index=0)

    def _kind(self, section: Section) -> str:
        """Kind of a section's statements; what stands before a heading of findings, and is none, is a title."""
        is_title = not section.name and section.role is SectionRole.CONTEXT
        return TECHNIQUE if is_title else self._kinds.get(section.name, "")

    def _refusal(self, text: str) -> Unscored | None:
        if "\x00" in text:
            return Unscored("control characters", "the report holds NUL bytes; remove them", fault=Fault.REPORT)
        if len(text) > self.options.max_characters:
            detail = f"{len(text)} characters, more than the limit of {self.options.max_characters}"
            return Unscored("too long", detail, fault=Fault.REPORT)
        if language := foreign_language(text, self._knowledge.stopwords, self._vocabulary):
            return Unscored("language", f"the reader reads English; the report seems {language}", fault=Fault.REPORT)
        return None

    def _sentence(self, sentence: str) -> SentenceReading:
        return _read_or_recall(self._sentences, sentence, self._reader.read, self.options.sentence_cache)


def _read_or_recall(known: OrderedDict[str, T], text: str, read: Callable[[str], T], limit: int) -> T:
    """Read a text, or recall it if it is among the ``limit`` texts asked for last."""
    result = known.get(text)
    if result is None:
        result = known[text] = read(text)
        if len(known) > limit:
            known.popitem(last=False)
    else:
        known.move_to_end(text)
    return result


def _place_unit(
    unit: ClinicalUnit, plain: PlainText, given: str, sentence: Span, *, section: str, sentence_index: int
) -> ClinicalUnit:
    """A unit of a sentence of the plain text, placed in the report as given and in its words."""
    start, end = plain.given(sentence.start + unit.start, sentence.start + unit.end)
    if given[start:end] == unit.span_text:
        return unit.moved(start - unit.start, section=section, sentence_index=sentence_index)
    finding = unit.span_text
    if unit.canonical_finding:
        first = sentence.start + unit.start + unit.span_text.find(unit.surface_finding)
        finding = given[slice(*plain.given(first, first + len(unit.surface_finding)))]
    return evolve(
        unit,
        span_text=given[start:end],
        surface_finding=finding,
        start=start,
        end=end,
        section=section,
        sentence_index=sentence_index,
    )


def _move_details(content: SentenceContent, plain: PlainText, sentence: Span) -> SentenceContent:
    """The content of a sentence, with the places of its details in the report as given."""
    if plain.shift(sentence.start, sentence.end) is not None:
        return content
    first, last = plain.given(sentence.start, sentence.end)
    details = []
    for detail in content.details:
        start, end = plain.given(sentence.start + detail.start, sentence.start + detail.end)
        details.append(evolve(detail, start=start - first, end=end - first))
    return evolve(content, length=last - first, details=tuple(details))


def _without_margins(units: Sequence[ClinicalUnit]) -> Iterator[ClinicalUnit]:
    """The units, those at either end of a report that stand beyond a signature and name nothing as administrative."""
    first, last = _margin(units), len(units) - _margin(units[::-1])
    for number, unit in enumerate(units):
        is_outside = unit.is_unread and not first <= number < last
        yield _of_kind(unit, MAKING) if is_outside else unit


def _margin(units: Sequence[ClinicalUnit]) -> int:
    """Number of units up to the last signature before the first unit that is about the patient."""
    end = next((i for i, u in enumerate(units) if not (u.administrative == MAKING or _names_nothing(u))), len(units))
    return max((i + 1 for i in range(end) if units[i].administrative == MAKING), default=0)


def _names_nothing(unit: ClinicalUnit) -> bool:
    described = (unit.anatomy, unit.severity, unit.change, unit.measurements, unit.modifiers)
    return unit.is_unread and not any(described)


def _file_unread(unit: ClinicalUnit, kind: str) -> ClinicalUnit:
    """The unit, administrative where it is unread and its heading is."""
    return _of_kind(unit, kind) if kind and unit.is_unread else unit


def _of_kind(unit: ClinicalUnit, kind: str) -> ClinicalUnit:
    """An unread unit as a statement of some kind about the report."""
    return ClinicalUnit(
        span_text=unit.span_text,
        start=unit.start,
        end=unit.end,
        section=unit.section,
        sentence_index=unit.sentence_index,
        administrative=kind,
        anatomy=unit.anatomy & _SIDES if kind == TECHNIQUE else frozenset(),
        modalities=unit.modalities,
    )
