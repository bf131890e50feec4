"""One pair as a self-contained HTML page: no script, no network, readable in print and without colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from overread.domain.alignment import Alignment
from overread.domain.report import ReportPair, Span
from overread.domain.result import (
    AnswerEvidence,
    CountEvidence,
    EntityEvidence,
    EvaluationResult,
    Scored,
    TransportEvidence,
)
from overread.domain.severity import Severity
from overread.domain.unit import ClinicalUnit
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import (
    AnswerRow,
    EntitySide,
    HeadRow,
    answer_rows,
    entity_sides,
    head_rows,
    seen_words,
)
from overread.infrastructure.views.web.marking import Mark, Segment, UnitMark, segments
from overread.infrastructure.views.web.plan_graph import ROW_HEIGHT, plan_graph
from overread.infrastructure.views.web.templating import template

__all__ = ["pair_page"]

_EDGE_ROWS: Final = 15
_TERM_ROWS: Final = 8
_ANSWER_SHOWN: Final = 100_000
"""Characters of one raw answer on a page."""


@frozen(kw_only=True)
class _Side:
    """One report with everything marked in it; ``letter`` is "r" or "c"."""

    letter: str
    title: str
    segments: Sequence[Segment]


@frozen(kw_only=True)
class _UnitRow:
    label: str
    unit: ClinicalUnit
    name: str
    polarity: str
    attributes: str
    words: str


def pair_page(
    pair: ReportPair, results: Mapping[str, EvaluationResult], finding_name: wording.FindingName, *, part: str = ""
) -> str:
    """The page of one pair.

    Args:
        pair: the two reports; the page contains their full text.
        results: outcome of each metric, by its name.
        finding_name: display name of a finding by its lexicon id.
        part: id of the element that its body will be put into, on a page with several; a word in small letters.
            The element is a container of its own width.
    """
    chosen = wording.chosen_evidence(results)
    result, evidence = chosen or (None, None)
    discrepancies = wording.numbered_discrepancies(results)
    return template("pair.html.j2").render(
        prefix=f"{part}-" if part else "",
        whole=f"#{part}" if part else "body",
        main="div" if part else "main",
        narrow="container" if part else "media",
        pair_id=wording.shown(pair.id),
        about=wording.pair_words(pair),
        results=results,
        verdicts=wording.verdicts(results),
        looked=any(wording.lists_discrepancies(item.outcome) for item in results.values()),
        severities=list(Severity),
        discrepancies=discrepancies,
        several=len({item.metric for item in discrepancies}) > 1,
        sides=_sides(pair, discrepancies, evidence, finding_name),
        pair=pair,
        finding_name=finding_name,
        explained=result.metric if result else "",
        evidence=evidence,
        graph=plan_graph(evidence) if evidence else None,
        row_height=ROW_HEIGHT,
        reference_units=_unit_rows(evidence.reference_units, "R", finding_name) if evidence else [],
        candidate_units=_unit_rows(evidence.candidate_units, "C", finding_name) if evidence else [],
        edges=wording.edge_rows(evidence, _EDGE_ROWS) if evidence else [],
        targets=wording.target_terms(result, evidence) if result and evidence else [],
        term_rows=_TERM_ROWS,
        matched=_matched(results),
        predicted=_predicted(results),
        said=_said(results),
    )


@frozen(kw_only=True)
class _Predicted:
    """What an error counter predicted; ``seen`` says how much of the reports it saw."""

    heads: Sequence[HeadRow]
    total: float
    seen: str


def _matched(results: Mapping[str, EvaluationResult]) -> dict[str, Sequence[EntitySide]]:
    """Both sides' entities of each metric that compares entities."""
    return {
        name: entity_sides(result, result.outcome.evidence)
        for name, result in results.items()
        if isinstance(result.outcome, Scored) and isinstance(result.outcome.evidence, EntityEvidence)
    }


def _predicted(results: Mapping[str, EvaluationResult]) -> dict[str, _Predicted]:
    """The predictions of each metric that counts errors."""
    counts = {
        name: result.outcome.evidence.counts
        for name, result in results.items()
        if isinstance(result.outcome, Scored) and isinstance(result.outcome.evidence, CountEvidence)
    }
    return {
        name: _Predicted(heads=head_rows(errors), total=errors.total, seen=seen_words(errors))
        for name, errors in counts.items()
    }


@frozen(kw_only=True)
class _Said:
    """What a language model said of the pair, in its own words."""

    explanation: str
    matched: Sequence[str]
    rows: Sequence[AnswerRow]


def _said(results: Mapping[str, EvaluationResult]) -> dict[str, _Said]:
    """What was answered for each metric that asked a language model, scored or not."""
    evidence = {name: result.outcome.evidence for name, result in results.items()}
    return {
        name: _Said(
            explanation=wording.shown(found.explanation),
            matched=[wording.shown(finding) for finding in found.matched],
            rows=answer_rows(found, _ANSWER_SHOWN),
        )
        for name, found in evidence.items()
        if isinstance(found, AnswerEvidence)
    }


def _sides(
    pair: ReportPair,
    discrepancies: Sequence[wording.NumberedDiscrepancy],
    evidence: TransportEvidence | None,
    finding_name: wording.FindingName,
) -> list[_Side]:
    alignment = evidence.alignment if evidence else None
    reference = _unit_marks(evidence.reference_units if evidence else (), "R", alignment, finding_name, axis=1)
    candidate = _unit_marks(evidence.candidate_units if evidence else (), "C", alignment, finding_name, axis=0)
    in_reference = [mark for item in discrepancies for mark in _marks(item, item.discrepancy.reference_spans)]
    in_candidate = [mark for item in discrepancies for mark in _marks(item, item.discrepancy.candidate_spans)]
    return [
        _Side(letter="r", title="Reference report", segments=segments(pair.reference.text, in_reference, reference)),
        _Side(letter="c", title="Candidate report", segments=segments(pair.candidate.text, in_candidate, candidate)),
    ]


def _marks(item: wording.NumberedDiscrepancy, spans: Sequence[Span]) -> list[Mark]:
    return [Mark(span.start, span.end, item.number, item.discrepancy.severity) for span in spans]


def _unit_marks(
    units: Sequence[ClinicalUnit],
    letter: str,
    alignment: Alignment | None,
    finding_name: wording.FindingName,
    *,
    axis: int,
) -> list[UnitMark]:
    """Units with whether their strongest edge is a match; ``axis`` is that of the other report in the plan."""
    if alignment is None or not alignment.plan.size:
        return []
    strongest = alignment.plan.argmax(axis=axis)
    cost = alignment.ground + alignment.side_total
    marks = []
    for index, unit in enumerate(units):
        other = int(strongest[index])
        place = (index, other) if axis == 1 else (other, index)
        name = wording.finding_words(unit.canonical_finding, finding_name)
        title = f"{letter}{index + 1}: {name}, {wording.polarity_words(unit)}"
        marks.append(UnitMark(unit.start, unit.end, bool(cost[place] < wording.MATCHED_COST), title))
    return marks


def _unit_rows(units: Sequence[ClinicalUnit], letter: str, finding_name: wording.FindingName) -> list[_UnitRow]:
    return [
        _UnitRow(
            label=f"{letter}{index}",
            unit=unit,
            name=wording.finding_words(unit.canonical_finding, finding_name),
            polarity=wording.polarity_words(unit),
            attributes=wording.attribute_words(unit),
            words=" ".join(wording.shown(unit.span_text).split()),
        )
        for index, unit in enumerate(units, start=1)
    ]
