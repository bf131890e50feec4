"""One pair as a self-contained HTML page: no script, no network, readable in print and without colour."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from attrs import frozen

from overread.domain.findings.signs import Cue, CueKind, SignReader, no_signs
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.result import (
    AnswerEvidence,
    CountEvidence,
    EntityEvidence,
    EvaluationResult,
    Scored,
)
from overread.domain.vocabulary.severity import Severity
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import (
    chosen_evidence,
    edge_rows,
    edge_sum_words,
    entity_sides,
    evidence_of,
    target_terms,
    unit_rows,
)
from overread.infrastructure.views.passages import Passage, Passages, ReportReading, unread_words
from overread.infrastructure.views.web.cards import Card, discrepancy_cards, entity_cards, entity_grounds
from overread.infrastructure.views.web.marking import COMPARED, Ground, Mark, Segment, segments
from overread.infrastructure.views.web.palette import PALETTE
from overread.infrastructure.views.web.plan_graph import ROW_HEIGHT, plan_graph
from overread.infrastructure.views.web.templating import template

__all__ = ["Surroundings", "pair_fragment", "pair_page", "pair_style"]

_EDGE_ROWS: Final = 15
_TERM_ROWS: Final = 8
_ANSWER_SHOWN: Final = 100_000
"""Characters of one raw answer on a page."""

_TOLD: Final = 0.05
"""Predicted errors of a category below which the list does not name it; the table behind it does."""

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


@frozen(kw_only=True)
class Surroundings:
    """Additions of a page to the pair that it shows.

    Attributes:
        eyebrow: the line above the heading; ``head`` is HTML that stands under it, and is not escaped.
        reference, candidate: what the two reports are called.
        reference_short, candidate_short: what they are called beside the words quoted from them.
        beneath: gives HTML that stands under an entry of the list, "" for none; it is not escaped.
        below: HTML of one element that stands under the list, after the reports where there is no room beside it; it is
            not escaped.
        nonce: of the page's policy, for the one style element; the fragment has no style attributes.
        is_open: whether the part that explains the scores is open.
    """

    eyebrow: str = "Candidate report read against its reference"
    reference: str = "Reference report"
    candidate: str = "Candidate report"
    reference_short: str = "Reference"
    candidate_short: str = "Candidate"
    head: str = ""
    beneath: Callable[[wording.NumberedDiscrepancy], str] | None = None
    below: str = ""
    nonce: str = ""
    is_open: bool = False


@frozen
class _Side:
    """One report with everything marked in it; ``letter`` is "r" or "c"."""

    letter: str
    title: str
    segments: Sequence[Segment]


def pair_page(
    pair: ReportPair,
    results: Mapping[str, EvaluationResult],
    finding_name: wording.FindingName,
    *,
    signs: SignReader = no_signs,
) -> str:
    """The page of one pair.

    Args:
        pair: the two reports; the page contains their full text.
        results: outcome of each metric, by its name.
        finding_name: display name of a finding by its lexicon id.
        signs: finds headings and cues in the reports.
    """
    body = _body(pair, results, finding_name, signs=signs, part="", title="", level=1, around=Surroundings())
    return template("pair.html.j2").render(pair_id=wording.shown(pair.id), style=pair_style(), body=body)


def pair_fragment(
    pair: ReportPair,
    results: Mapping[str, EvaluationResult],
    finding_name: wording.FindingName,
    *,
    signs: SignReader = no_signs,
    part: str = "",
    title: str = "",
    level: int = 2,
    styled: bool = True,
    around: Surroundings | None = None,
) -> str:
    """The content of `pair_page` as one element that can stand in a notebook or in another page.

    Its style sheet touches nothing outside it. It has no script and loads nothing.

    Args:
        pair: the two reports; the element contains their full text.
        results: outcome of each metric, by its name.
        finding_name: display name of a finding by its lexicon id.
        signs: finds headings and cues in the reports.
        part: id of the element, a lower-case word, from which the ids in it are made; where omitted, one made from the
            pair and its results.
        title: heading instead of the pair's id.
        level: of its heading, 1 to 4.
        styled: whether the style sheet comes with it; only one of several on a page needs it.
        around: what the page around it adds.
    """
    part, around = part or _part(pair, results), around or Surroundings()
    body = _body(pair, results, finding_name, signs=signs, part=part, title=title, level=level, around=around)
    return f"<style>{pair_style()}</style>\n{body}" if styled else body


def pair_style() -> str:
    """The style sheet of `pair_fragment`."""
    return template("pair.css.j2").render(palette=PALETTE, row_height=ROW_HEIGHT)


def _part(pair: ReportPair, results: Mapping[str, EvaluationResult]) -> str:
    """An id that tells one pair and its results from others, and is the same each time."""
    contents = [pair.id, pair.reference.text, pair.candidate.text]
    for name, result in results.items():
        contents += [name, str(result.signature), repr(result.score) if result.is_scored else ""]
    return "orp-" + sha256("\0".join(contents).encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _body(
    pair: ReportPair,
    results: Mapping[str, EvaluationResult],
    finding_name: wording.FindingName,
    *,
    signs: SignReader,
    part: str,
    title: str,
    level: int,
    around: Surroundings,
) -> str:
    passages = Passages.of(pair, results, signs)
    looked = any(wording.lists_discrepancies(item.outcome) for item in results.values())
    cards = discrepancy_cards(results, passages, finding_name) or ([] if looked else entity_cards(results, passages))
    sides = _sides(passages, results, cards, looked=looked, finding_name=finding_name, around=around)
    discrepancies = wording.numbered_discrepancies(results)
    several = len({item.metric for item in discrepancies}) > 1
    return template("pair_body.html.j2").render(
        prefix=f"{part}-" if part else "",
        part=part or "pair",
        is_whole=not part,
        level=level,
        title=wording.shown(title or pair.id),
        about=wording.pair_words(pair),
        results=results,
        verdicts=wording.verdicts(results),
        unread=unread_words(passages),
        looked=looked,
        cards=cards,
        names=(around.reference_short, around.candidate_short),
        found=discrepancies,
        around=around,
        beneath={item.number: around.beneath(item) for item in discrepancies} if around.beneath else {},
        several=several,
        weighed=any(item.discrepancy.weight is not None for item in discrepancies),
        finding_name=finding_name,
        doubt=wording.doubt_reading_words(item.discrepancy for item in discrepancies),
        sides=sides,
        legend=_legend(cards, sides),
        predicted=evidence_of(results, CountEvidence),
        told=_TOLD,
        bare=_bare(results),
        said=evidence_of(results, AnswerEvidence),
        answer_shown=_ANSWER_SHOWN,
        matched={name: entity_sides(results[name], e) for name, e in evidence_of(results, EntityEvidence).items()},
        **_plan_values(results, finding_name),
    )


def _plan_values(results: Mapping[str, EvaluationResult], finding_name: wording.FindingName) -> dict[str, Any]:
    """Template values for the second part of a page, which explains the plan where there is one."""
    chosen = chosen_evidence(results)
    if chosen is None:
        return {"evidence": None, "edges": []}
    result, evidence = chosen
    edges = edge_rows(evidence, _EDGE_ROWS)
    return {
        "evidence": evidence,
        "explained": result.metric,
        "graph": plan_graph(evidence),
        "reference_units": unit_rows(evidence.reference_units, "R", finding_name),
        "candidate_units": unit_rows(evidence.candidate_units, "C", finding_name),
        "edges": edges,
        "edge_sum": edge_sum_words(result, evidence, len(edges)),
        "partial": evidence.alignment.row_null is not None,
        "targets": target_terms(result, evidence),
        "term_rows": _TERM_ROWS,
    }


def _bare(results: Mapping[str, EvaluationResult]) -> dict[str, Mapping[str, float]]:
    """Subscores of the metrics that give nothing else to show, as a panel's are its members' ratings."""
    scored = {name: result.outcome for name, result in results.items() if isinstance(result.outcome, Scored)}
    return {
        name: wording.subscores_shown(outcome)
        for name, outcome in scored.items()
        if outcome.evidence is None and not wording.lists_discrepancies(outcome) and outcome.subscores
    }


def _sides(
    passages: Passages,
    results: Mapping[str, EvaluationResult],
    cards: Sequence[Card],
    *,
    looked: bool,
    finding_name: wording.FindingName,
    around: Surroundings,
) -> list[_Side]:
    reports = (passages.reference, passages.candidate)
    compared = ([], []) if looked else entity_grounds(results)
    speaks = bool(cards) or looked or any(compared)
    sides = []
    for letter, report, other, grounds in zip("rc", reports, reversed(reports), compared, strict=True):
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
        name = around.reference if letter == "r" else around.candidate
        sides.append(_Side(letter, name, segments(report.text, marks, under, cues)))
    return sides


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


def _legend(cards: Sequence[Card], sides: Sequence[_Side]) -> list[tuple[str, str, str, str]]:
    """Tag, classes, sample and words of each mark that occurs in these reports, and of no other."""
    parts = [segment for side in sides for segment in side.segments]
    tones = {part.tone for part in parts if part.tone}
    grounds = {part.ground for part in parts if not part.tone}
    cues = {part.cue for part in parts if part.cue}
    entries = [("mark", f"d {tone}", "words", words) for tone, words in _RULES.items() if tone in tones]
    entries += [("span", state, "words", words) for state, words in _GROUNDS.items() if state in grounds]
    entries += [("b", f"cue {kind.value}", _SAMPLES[kind], words) for kind, words in _CUES.items() if kind in cues]
    return entries if cards or entries else []


_SAMPLES: Final = {CueKind.NEGATION: "no", CueKind.UNCERTAINTY: "may"}
