"""Evidence of one result, whichever kind its metric gives."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from overread.domain.findings.signs import SignReader, no_signs
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import (
    AnswerEvidence,
    CountEvidence,
    EntityEvidence,
    EvaluationResult,
    Scored,
    TransportEvidence,
)
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import EntitySide, entity_sides, head_rows, seen_words
from overread.infrastructure.views.passages import Passages
from overread.infrastructure.views.terminal._answers import show_answers
from overread.infrastructure.views.terminal._pair import (
    show_discrepancies,
    show_notes,
    show_scores,
    show_verdicts,
)
from overread.infrastructure.views.terminal._parts import heading, label_words, new_table, stack, wrap_signature
from overread.infrastructure.views.terminal._transport import show_transport
from overread.infrastructure.views.wording import FindingName

__all__ = ["show_evidence"]


def show_evidence(
    console: Console,
    pair: ReportPair,
    result: EvaluationResult,
    finding_name: FindingName,
    *,
    signs: SignReader = no_signs,
) -> None:
    """Show what one result rests on: its discrepancies, and units and plan, entities and matches, counts, or answers.

    An unscored result shows the answers that could not be read, where there are any.
    """
    heading(console, f"Pair {wording.make_printable(pair.id)}: evidence of {result.metric}")
    outcome = result.outcome
    if not isinstance(outcome, Scored):
        console.print(label_words(f"not scored ({outcome.reason})", outcome.detail))
        if outcome.evidence is not None:
            console.print()
            show_answers(console, outcome.evidence)
        return
    results = {result.metric: result}
    passages = Passages.of(pair, results, signs)
    show_verdicts(console, results, passages)
    console.print()
    show_discrepancies(console, results, finding_name, passages, weighed=True)
    show_scores(console, results)
    show_notes(console, results.values())
    match outcome.evidence:
        case TransportEvidence() as evidence:
            show_transport(console, result, evidence, finding_name)
        case EntityEvidence() as evidence:
            _entities(console, result, evidence)
        case CountEvidence() as evidence:
            _counts(console, evidence)
        case AnswerEvidence() as evidence:
            show_answers(console, evidence)
        case None:
            console.print(Text(f"{result.metric} gives no evidence beyond this."))
    console.print(wrap_signature(Text(f"Signature: {result.signature}"), console.width), soft_wrap=True)


def _entities(console: Console, result: EvaluationResult, evidence: EntityEvidence) -> None:
    for side in entity_sides(result, evidence):
        if side.rows:
            _entity_table(console, side)
        else:
            console.print(Text(side.title, "bold"))
        if side.silence:
            console.print(Text(side.silence))
        console.print()
    console.print(
        Text("adds: W \u00d7 p \u00d7 alike, over the sum of W; a table's rows add up to its direction.", "dim")
    )


def _entity_table(console: Console, side: EntitySide) -> None:
    figures = ("alike", "W", "p", "adds")
    title = side.title + (f": {side.direction}" if side.direction else "")
    table = new_table(title, "entity", "offsets", "best match", *figures, numbers=("offsets", *figures))
    for row in side.rows:
        match = row.figures
        numbers = (match.similarity, match.weight, match.penalty, row.contribution) if match else ()
        table.add_row(
            stack(Text(row.entity, "bold"), Text(row.type, "dim")),
            f"{row.start}-{row.end}",
            stack(Text(row.match), Text(row.match_type, "dim")) if match else Text("none", "dim"),
            *(f"{number:.3f}" for number in numbers),
        )
    console.print(table)


def _counts(console: Console, evidence: CountEvidence) -> None:
    table = new_table("Predicted errors", "category", "count", "presence", numbers=("count", "presence"))
    for row in head_rows(evidence.counts):
        presence = "" if row.presence is None else f"{100 * row.presence:.1f} %"
        table.add_row(Text(wording.make_printable(row.label)), f"{row.count:.3f}", presence)
    table.add_section()
    table.add_row(Text("all", "bold"), f"{evidence.counts.total:.3f}", "")
    console.print(table)
    console.print(Text(seen_words(evidence.counts), "bold red" if evidence.counts.unseen else ""))
