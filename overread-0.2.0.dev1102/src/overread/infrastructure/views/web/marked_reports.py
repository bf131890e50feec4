"""Both reports of a pair with everything marked in them, and the legend of the marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from overread.domain.findings.signs import Cue, CueKind
from overread.domain.reports.report import Span
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.severity import Severity
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import unit_rows
from overread.infrastructure.views.passages import Passage, Passages, ReportReading
from overread.infrastructure.views.web.cards import Card, entity_grounds
from overread.infrastructure.views.web.marking import COMPARED, Ground, Mark, Segment, segments

__all__ = ["LegendEntry", "MarkedReport", "legend_of", "marked_reports"]

_WORD: Final = re.compile(r"\w+(?:['\u2019-]\w+)*")

# fmt: off
_EMPTY: Final = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "have", "in", "is", "it", "of", "on", "or",
    "that", "the", "there", "to", "was", "with",
})
# fmt: on
"""Words that say nothing by themselves."""

_RULES: Final = {
    Severity.CRITICAL.value: "critical: contradicts itself",
    Severity.SIGNIFICANT.value: "significant: could change care",
    Severity.INSIGNIFICANT.value: "insignificant: unlikely to change care",
    COMPARED: "at odds with the other report, or without a close counterpart in it",
}
_GROUNDS: Final = {
    "unread": "not read: no rule covers it",
    "matched": "has a close counterpart in the other report",
    "alone": "the other report does not have these words",
}
_CUES: Final = {CueKind.NEGATION: "denies it", CueKind.UNCERTAINTY: "leaves it open"}
_SAMPLES: Final = {CueKind.NEGATION: "no", CueKind.UNCERTAINTY: "may"}


@frozen
class MarkedReport:
    """One report with everything marked in it; ``letter`` is "r" or "c"."""

    letter: str
    title: str
    segments: Sequence[Segment]


@frozen
class LegendEntry:
    """A mark as it looks, by its element, its classes and a sample, and what it means."""

    tag: str
    classes: str
    sample: str
    meaning: str


def marked_reports(
    passages: Passages,
    results: Mapping[str, EvaluationResult],
    cards: Sequence[Card],
    finding_name: wording.FindingName,
    *,
    names: tuple[str, str],
    lists: bool,
) -> list[MarkedReport]:
    """Marks the reference and the candidate.

    Args:
        passages: of both reports.
        results: by metric.
        cards: whose words are marked.
        finding_name: display name of a finding by its lexicon id.
        names: of the reference and of the candidate.
        lists: whether any of the metrics looks for discrepancies.
    """
    reports = (passages.reference, passages.candidate)
    compared = ([], []) if lists else entity_grounds(results)
    speaks = bool(cards) or lists or any(compared)
    sides = []
    for letter, name, report, other, grounds in zip("rc", names, reports, reversed(reports), compared, strict=True):
        quoted = [(card, card.reference if letter == "r" else card.candidate) for card in cards]
        marks = [
            Mark(passage.span.start, passage.span.end, entry.number, entry.tone)
            for card, quotes in quoted
            for entry in card.entries
            for passage in quotes
        ]
        under = [*_units(report, letter.upper(), finding_name), *grounds]
        if not speaks and any(result.is_scored for result in results.values()):
            under += _alone(report, other)
        cues = _cues(passage for _, quotes in quoted for passage in quotes)
        sides.append(MarkedReport(letter, name, segments(report.text, marks, under, cues)))
    return sides


def legend_of(reports: Sequence[MarkedReport]) -> list[LegendEntry]:
    """An entry for each mark that occurs in these reports, and for no other."""
    parts = [segment for report in reports for segment in report.segments]
    tones = {part.tone for part in parts if part.tone}
    grounds = {part.ground for part in parts if not part.tone}
    cues = {part.cue for part in parts if part.cue}
    entries = [LegendEntry("mark", f"d {tone}", "words", words) for tone, words in _RULES.items() if tone in tones]
    entries += [LegendEntry("span", state, "words", words) for state, words in _GROUNDS.items() if state in grounds]
    entries += [
        LegendEntry("b", f"cue {kind.value}", _SAMPLES[kind], words) for kind, words in _CUES.items() if kind in cues
    ]
    return entries


def _units(report: ReportReading, letter: str, finding_name: wording.FindingName) -> Iterator[Ground]:
    for row in unit_rows(report.units, letter, finding_name):
        state = "unread" if row.unit.is_unread else "unit"
        yield Ground(row.unit.start, row.unit.end, state, f"{row.label}: {row.name}, {row.polarity}")


def _alone(report: ReportReading, other: ReportReading) -> Iterator[Ground]:
    """Words that the other report has nowhere, with neighbours of the same kind in one; of its sentences, if known."""
    known = {word[0].casefold() for word in _WORD.finditer(other.text)} | _EMPTY
    start = end = -1
    for sentence in report.signs.sentences or (Span(0, len(report.text)),):
        for word in _WORD.finditer(report.text, sentence.start, sentence.end):
            if word[0].casefold() in known or word[0].isdecimal():
                continue
            if end >= 0 and not report.text[end : word.start()].strip(" \t,-/"):
                end = word.end()
                continue
            if end >= 0:
                yield Ground(start, end, "alone")
            start, end = word.start(), word.end()
    if end >= 0:
        yield Ground(start, end, "alone")


def _cues(passages: Iterable[Passage]) -> list[Cue]:
    return [cue for passage in passages for cue in passage.cues]
