"""Evidence of a transport metric: units, plan edges, contributions, and whether the plan converged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from overread.domain.results.result import EvaluationResult, TransportEvidence
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import (
    UnitRow,
    edge_rows,
    edge_sum_words,
    target_terms,
    unit_rows,
)
from overread.infrastructure.views.terminal._parts import new_table, stack
from overread.infrastructure.views.wording import FindingName

__all__ = ["show_edges", "show_transport"]

_EVIDENCE_EDGES: Final = 15
_TERMS: Final = 8


def show_transport(
    console: Console, result: EvaluationResult, evidence: TransportEvidence, finding_name: FindingName
) -> None:
    """Both reports' units, the edges of highest risk, and what adds to each target."""
    _units(console, "Reference units", unit_rows(evidence.reference_units, "R", finding_name))
    _units(console, "Candidate units", unit_rows(evidence.candidate_units, "C", finding_name))
    show_edges(console, result, evidence, _EVIDENCE_EDGES)
    _contributions(console, result, evidence)
    console.print(Text(wording.convergence_words(evidence.alignment)))


def show_edges(console: Console, result: EvaluationResult, evidence: TransportEvidence, limit: int) -> None:
    """The edges of highest mass-weighted risk, and what all edges add up to."""
    rows = edge_rows(evidence, limit)
    figures = ("mass", "align", "side", "MW risk")
    title = "Edges of highest mass-weighted (MW) risk"
    table = new_table(title, "rank", "reference unit", "candidate unit", *figures, numbers=("rank", *figures))
    for row in rows:
        edge = row.edge
        values = (f"{edge.mass:.3f}", f"{edge.ground:.3f}", f"{edge.side:.2f}", f"{edge.risk:.3f}")
        table.add_row(str(row.rank), Text(row.reference), Text(row.candidate), *values)
    if rows:
        console.print(table)
        foot = edge_sum_words(result, evidence, len(rows))
        if foot:
            console.print(Text(f"{foot}\n"))
    else:
        console.print("No edge of the plan carries any risk.\n")


def _units(console: Console, title: str, rows: Sequence[UnitRow]) -> None:
    table = new_table(title, "unit", "offsets", "finding and words", "polarity", "attributes")
    for row in rows:
        words = stack(Text(row.name, "bold"), Text(row.words, "dim"))
        offsets = f"{row.unit.start}-{row.unit.end}"
        table.add_row(row.label, offsets, words, row.polarity, Text(row.attributes))
    if rows:
        console.print(table)
    else:
        console.print(f"{title}: none\n")


def _contributions(console: Console, result: EvaluationResult, evidence: TransportEvidence) -> None:
    figures = ("coeff.", "contribution")
    for target in target_terms(result, evidence):
        risk = "" if target.risk is None else f" risk {target.risk:.3f}"
        table = new_table(
            f"What adds to {target.target}{risk}", "feature", "what it measures", *figures, numbers=figures
        )
        for term in target.terms[:_TERMS]:
            words, meaning = wording.feature_words(term.feature)
            table.add_row(Text(words), Text(meaning, "dim"), f"{term.coefficient:.3f}", f"{term.contribution:.3f}")
        rest = target.terms[_TERMS:]
        if rest:
            total = sum(term.contribution for term in rest)
            table.add_row(wording.format_count(len(rest), "smaller term"), "", "", f"{total:.3f}")
        if target.constant:
            table.add_row("constant", "", "", f"{target.constant:.3f}")
        if table.row_count:
            console.print(table)
        else:
            console.print(Text(f"Nothing adds to {target.target}{risk}.\n"))
