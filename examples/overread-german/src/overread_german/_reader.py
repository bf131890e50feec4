"""The reader: terms by spaCy's Matcher, what is said of them by medspaCy's ConText with German cues."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import spacy
from attrs import frozen
from overread.adapters.lexicon import load_knowledge
from overread.application.ports import Extraction
from overread.application.traits import ExtractorTraits
from overread.domain.findings.unit import (
    FALLBACK_CONFIDENCE,
    Certainty,
    Change,
    ClinicalUnit,
    Measurement,
    Polarity,
    Temporality,
)
from overread.domain.reports.report import Report
from spacy.matcher import Matcher
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from overread_german._words import Words

with warnings.catch_warnings():  # medspaCy silences the warnings of the whole process
    from medspacy.context import ConText, ConTextRule

_SENTENCE: Final = re.compile(
    r"\S(?:[^.!?\n]|[.](?=\S)|(?<=\d)[.](?=\s)|(?<=\bZ)[.]|(?<=\bV)[.]|(?<=\b[naij])[.](?=\s)|(?<=\bbds)[.](?=\s[a-zäöü]))*[.!?]?"
)
"""A sentence: neither the point of an ordinal nor that of "Z. n.", "V. a." or "bds." ends it."""

_HEADING: Final = re.compile(r"^\s*(?P<name>[A-ZÄÖÜ][\wäöüß ]{2,40}):\s*", re.MULTILINE)
_NOT_READ: Final = re.compile("klinische angaben|fragestellung|indikation|rechtfertigende", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[,;]|\b(?:mit|sowie|bei)\b")
_SIZE: Final = re.compile(r"\b(?P<value>\d+(?:[.,]\d+)?)\s?(?P<unit>mm|cm)\b")
_PLACES: Final = {"left": {"left"}, "right": {"right"}, "both": {"left", "right"}}
_DEVICES: Final = frozenset({"central_venous_catheter", "endotracheal_tube", "enteric_tube", "chest_tube", "pacemaker"})
_READ: Final = ("normals", "denied", "findings")
"""Tables of what makes a unit; of two terms of the same words, that of the first counts."""


@frozen(slots=False)
class GermanExtractor:
    """A unit for each finding that a sentence names; a sentence without one is a unit that nobody read.

    Headings of the indication and the like are passed over. A blank report has no units.
    """

    words: Words
    traits = ExtractorTraits(name="german", note="reports were read in German, by a small lexicon")

    @property
    def identity(self) -> str:
        """Name, version and digest of the words."""
        return f"german@0.1.0,words={self.words.digest}"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        """Units of each report in reading order."""
        return [tuple(self._read(report.text)) for report in reports]

    @cached_property
    def _language(self) -> Any:
        return spacy.blank("de")

    @cached_property
    def _matchers(self) -> Mapping[str, Matcher]:
        matchers = {}
        for table, rows in self.words.tables.items():
            matchers[table] = Matcher(self._language.vocab)
            for label, patterns in rows.items():
                matchers[table].add(label, patterns)
        return matchers

    @cached_property
    def _context(self) -> ConText:
        context = ConText(self._language, rules=None)
        context.add(
            [
                ConTextRule(term, category, pattern=pattern, direction=direction)
                for category, direction, term, pattern in self.words.cues
            ]
        )
        return context

    @cached_property
    def _denials(self) -> Mapping[str, frozenset[str]]:
        """Findings that each statement of normality denies, as overread's lexicon has it."""
        normals = load_knowledge().lexicon.normals
        return {label: frozenset(normals[label].denies) for label in self.words.tables["normals"]}

    def _read(self, text: str) -> Iterator[ClinicalUnit]:
        headings = list(_HEADING.finditer(text))
        for index, sentence in enumerate(_SENTENCE.finditer(text)):
            before = [heading for heading in headings if heading.start() <= sentence.start()]
            section = before[-1]["name"].strip() if before else ""
            start = max(sentence.start(), before[-1].end() if before else 0)
            if _NOT_READ.search(section) or not re.search(r"\w", text[start : sentence.end()]):
                continue
            yield from self._units(text[start : sentence.end()], start, section, index)

    def _units(self, sentence: str, start: int, section: str, index: int) -> Iterator[ClinicalUnit]:
        doc = self._language(sentence)
        for token in doc:
            token.is_sent_start = token.i == 0
        found = self._find(doc)
        doc.ents = [Span(doc, span.start, span.end, label=span.label) for _, span in found]
        self._context(doc)
        asides = self._labels("asides", doc)
        if not found:
            finding = {} if asides else {"confidence": FALLBACK_CONFIDENCE}
            aside = min(asides, default="")
            yield self._unit(sentence, (0, len(sentence)), start, section, index, administrative=aside, **finding)
        for (table, span), target in zip(found, doc.ents, strict=True):
            clause = _clause(sentence, target.start_char, target.end_char)
            said = {"canonical_finding": span.label_, **self._attributes(doc, clause), **self._assertion(target, table)}
            if table == "normals":
                said |= {"denies": self._denials[span.label_], "polarity": Polarity.ABSENT}
            if span.label_ in _DEVICES:
                said |= {"device": span.label_}
            yield self._unit(sentence, clause, start, section, index, **said)

    def _unit(
        self, sentence: str, clause: tuple[int, int], start: int, section: str, index: int, **said: Any
    ) -> ClinicalUnit:
        begin, end = clause
        return ClinicalUnit(
            span_text=sentence[begin:end],
            start=start + begin,
            end=start + end,
            section=section,
            sentence_index=index,
            **said,
        )

    def _find(self, doc: Doc) -> list[tuple[str, Span]]:
        """The longest terms with their tables, none over another, in reading order."""
        tables = {}
        for table in reversed(_READ):
            for span in self._matchers[table](doc, as_spans=True):
                tables[span.start, span.end] = table, span
        return [tables[span.start, span.end] for span in filter_spans([span for _, span in tables.values()])]

    def _labels(self, table: str, doc: Doc, clause: tuple[int, int] | None = None) -> set[str]:
        spans = self._matchers[table](doc, as_spans=True)
        inside = [s for s in spans if clause is None or (clause[0] <= s.start_char and s.end_char <= clause[1])]
        return {span.label_ for span in inside}

    def _attributes(self, doc: Doc, clause: tuple[int, int]) -> dict[str, Any]:
        sides = {place for side in self._labels("sides", doc, clause) for place in _PLACES[side]}
        severities = self._labels("severities", doc, clause)
        changes = self._labels("changes", doc, clause)
        return {
            "anatomy": frozenset(sides | self._labels("places", doc, clause)),
            "severity": min(severities, key=["severe", "moderate", "mild"].index, default=None),
            "change": Change(min(changes)) if changes else None,
            "measurements": tuple(map(_measurement, _SIZE.finditer(doc.text, clause[1]))),
        }

    def _assertion(self, target: Span, table: str) -> dict[str, Any]:
        """Polarity, certainty and time of a target; a cue within a term counts, too: "Herz nicht groß"."""
        graph = target.doc._.context_graph
        inside = [m for m in graph.modifiers if m.modifier_span[0] >= target.start and m.modifier_span[1] <= target.end]
        categories = {modifier.category for modifier in (*target._.modifiers, *inside)}
        said: dict[str, Any] = {"polarity": Polarity.PRESENT}
        if table == "denied" or "NEGATED_EXISTENCE" in categories:
            said["polarity"] = Polarity.ABSENT
        elif "POSSIBLE_EXISTENCE" in categories:
            said |= {"polarity": Polarity.UNCERTAIN, "certainty": Certainty.POSSIBLE}
        if "HISTORICAL" in categories:
            said["temporality"] = Temporality.HISTORICAL
        return said


def _clause(sentence: str, begin: int, end: int) -> tuple[int, int]:
    """The part of a sentence around a term, up to the next comma or "mit", without the spaces around it."""
    starts = [0, *(cut.end() for cut in _CLAUSE.finditer(sentence) if cut.end() <= begin)]
    ends = [*(cut.start() for cut in _CLAUSE.finditer(sentence) if cut.start() >= end), len(sentence)]
    words = sentence[starts[-1] : ends[0]]
    return ends[0] - len(words.lstrip()), starts[-1] + len(words.rstrip())


def _measurement(match: re.Match[str]) -> Measurement:
    value = float(match["value"].replace(",", "."))
    return Measurement(value, match["unit"], value * (10 if match["unit"] == "cm" else 1))
