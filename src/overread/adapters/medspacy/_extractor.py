"""The medspaCy unit extractor: reports into clinical units, each distinct sentence read once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from attrs import define, field

from overread.adapters.lexicon import Knowledge, load_knowledge
from overread.adapters.medspacy._language import foreign_language
from overread.adapters.medspacy._matching import Matchers
from overread.adapters.medspacy._reading import read_sentence
from overread.adapters.medspacy._segments import SectionSplitter, sentences_by_section
from overread.adapters.medspacy.plugin import VERSION, MedspacyOptions
from overread.application.ports import Extraction
from overread.domain.report import Report
from overread.domain.result import Unscored
from overread.domain.unit import ClinicalUnit

__all__ = ["MedspacyUnitExtractor"]


@define(eq=False)
class MedspacyUnitExtractor:
    """Reads reports with medspaCy over overread's lexicon.

    A report is unscored as "too long" beyond ``max_characters``, as "language" where it is not English, and as
    "control characters" where it holds NUL bytes. A blank report has no units.
    """

    options: MedspacyOptions
    _knowledge: Knowledge
    _matchers: Matchers
    _sections: SectionSplitter
    _sentences: OrderedDict[str, tuple[ClinicalUnit, ...]] = field(factory=OrderedDict, repr=False)

    @classmethod
    def create(cls, options: MedspacyOptions) -> MedspacyUnitExtractor:
        """An extractor over the shipped lexicon or the folder named in the options."""
        knowledge = load_knowledge(options.lexicon)
        return cls(options, knowledge, Matchers(knowledge), SectionSplitter(knowledge.sections))

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
        return [self._read(report.text) for report in reports]

    def _read(self, text: str) -> Extraction:
        text = _plain(text)
        if not text.strip():
            return ()
        if refusal := self._refusal(text):
            return refusal
        units: list[ClinicalUnit] = []
        placed = sentences_by_section(text, self._sections.split(text))
        for index, (section, span) in enumerate(placed):
            units += (
                unit.moved(span.start, section=section.name, sentence_index=index)
                for unit in self._sentence(span.of(text))
            )
        return tuple(units)

    def _refusal(self, text: str) -> Unscored | None:
        if "\x00" in text:
            return Unscored("control characters", "the report holds NUL bytes; remove them")
        if len(text) > self.options.max_characters:
            return Unscored("too long", f"{len(text)} characters, more than the limit of {self.options.max_characters}")
        if language := foreign_language(text, self._knowledge.stopwords):
            return Unscored("language", f"the reader knows English; the report looks {language}")
        return None

    def _sentence(self, sentence: str) -> tuple[ClinicalUnit, ...]:
        units = self._sentences.get(sentence)
        if units is not None:
            self._sentences.move_to_end(sentence)
            return units
        words = self._knowledge.normaliser.words(sentence)
        if not any(word[0].isalpha() for word in words.words):
            units = ()
        else:
            units = read_sentence(sentence, words, self._matchers.match(words.words), self._knowledge.lexicon)
        self._sentences[sentence] = units
        if len(self._sentences) > self.options.sentence_cache:
            self._sentences.popitem(last=False)
        return units


def _plain(text: str) -> str:
    """The text with a byte order mark and the line ends of other systems as white space of the same length."""
    return text.replace("\ufeff", " ").replace("\r\n", " \n").replace("\r", "\n")
