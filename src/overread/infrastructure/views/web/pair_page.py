"""One pair as a self-contained HTML page: no script, no network, readable in print and without colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from attrs import frozen

from overread.domain.report import ReportPair, Span
from overread.domain.result import AnswerEvidence, CountEvidence, EntityEvidence, EvaluationResult, TransportEvidence
from overread.domain.severity import Severity
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import (
    UnitRow,
    chosen_evidence,
    edge_rows,
    edge_sum_words,
    entity_sides,
    evidence_of,
    target_terms,
    unit_rows,
)
from overread.infrastructure.views.web.marking import Mark, Segment, UnitMark, segments
from overread.infrastructure.views.web.plan_graph import ROW_HEIGHT, plan_graph
from overread.infrastructure.views.web.templating import template

__all__ = ["pair_page"]

_EDGE_ROWS: Final = 15
_TERM_ROWS: Final = 8
_ANSWER_SHOWN: Final = 100_000
"""Characters of one raw answer on a page."""


@frozen
class _Side:
    """One report with everything marked in it; ``letter`` is "r" or "c"."""

    letter: str
    title: str
    segments: Sequence[Segment]


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
    chosen = chosen_evidence(results)
    result, evidence = chosen or (None, None)
    reference = unit_rows(evidence.reference_units, "R", finding_name) if evidence else []
    candidate = unit_rows(evidence.candidate_units, "C", finding_name) if evidence else []
    discrepancies = wording.numbered_discrepancies(results)
    edges = edge_rows(evidence, _EDGE_ROWS) if evidence else []
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
        weighed=any(item.discrepancy.weight is not None for item in discrepancies),
        sides=_sides(pair, discrepancies, evidence, reference, candidate),
        pair=pair,
        finding_name=finding_name,
        explained=result.metric if result else "",
        evidence=evidence,
        graph=plan_graph(evidence) if evidence else None,
        row_height=ROW_HEIGHT,
        reference_units=reference,
        candidate_units=candidate,
        edges=edges,
        edge_sum=edge_sum_words(result, evidence, len(edges)) if result and evidence else "",
        partial=evidence is not None and evidence.alignment.row_null is not None,
        targets=target_terms(result, evidence) if result and evidence else [],
        term_rows=_TERM_ROWS,
        matched={name: entity_sides(results[name], e) for name, e in evidence_of(results, EntityEvidence).items()},
        predicted=evidence_of(results, CountEvidence),
        said=evidence_of(results, AnswerEvidence),
        answer_shown=_ANSWER_SHOWN,
    )


def _sides(
    pair: ReportPair,
    discrepancies: Sequence[wording.NumberedDiscrepancy],
    evidence: TransportEvidence | None,
    reference: Sequence[UnitRow],
    candidate: Sequence[UnitRow],
) -> list[_Side]:
    matched = _matched(evidence) if evidence and evidence.alignment.plan.size else ([], [])
    weighs = _weighs(evidence) if evidence else ([], [])
    in_reference = [mark for item in discrepancies for mark in _marks(item, item.discrepancy.reference_spans)]
    in_candidate = [mark for item in discrepancies for mark in _marks(item, item.discrepancy.candidate_spans)]
    reference_units, candidate_units = map(_unit_marks, (reference, candidate), matched, weighs)
    return [
        _Side("r", "Reference report", segments(pair.reference.text, in_reference, reference_units)),
        _Side("c", "Candidate report", segments(pair.candidate.text, in_candidate, candidate_units)),
    ]


def _marks(item: wording.NumberedDiscrepancy, spans: Sequence[Span]) -> list[Mark]:
    return [Mark(span.start, span.end, item.number, item.discrepancy.severity) for span in spans]


def _matched(evidence: TransportEvidence) -> tuple[list[bool], list[bool]]:
    """Whether each reference unit, and each candidate unit, has an edge of which the strongest is a match."""
    alignment = evidence.alignment
    close = (alignment.ground + alignment.side_total < wording.MATCHED_COST) & (alignment.plan > 0)
    rows, columns = map(np.arange, alignment.shape)
    return close[rows, alignment.plan.argmax(axis=1)].tolist(), close[alignment.plan.argmax(axis=0), columns].tolist()


def _weighs(evidence: TransportEvidence) -> tuple[list[bool], list[bool]]:
    """Whether any mass hangs on each unit of the reference, and of the candidate."""
    alignment = evidence.alignment
    return (alignment.row_mass > 0).tolist(), (alignment.column_mass > 0).tolist()


def _unit_marks(rows: Sequence[UnitRow], matched: Sequence[bool], weighs: Sequence[bool]) -> list[UnitMark]:
    return [
        UnitMark(row.unit.start, row.unit.end, close, f"{row.label}: {row.name}, {row.polarity}", heavy)
        for row, close, heavy in zip(rows, matched, weighs, strict=False)
    ]
