"""A pair: its scores, what a reader must know of them, and its discrepancies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rich.console import Console
from rich.text import Text

from overread.domain.report import ReportPair
from overread.domain.result import EvaluationResult, Scale, Scored
from overread.domain.severity import Severity
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import chosen_evidence
from overread.infrastructure.views.terminal._parts import heading, labelled, new_table, stacked
from overread.infrastructure.views.terminal._transport import show_edges
from overread.infrastructure.views.wording import FindingName

__all__ = ["show_discrepancies", "show_notes", "show_pair", "show_scores"]

_SEVERITY_STYLES: Final = {
    Severity.CRITICAL: "bold magenta",
    Severity.SIGNIFICANT: "bold red",
    Severity.INSIGNIFICANT: "cyan",
}
_TELLING_EDGES: Final = 5

_WIDE: Final = 100
"""Columns of a console from which a discrepancy's weight stands in one line; in a narrower one it is parted."""

_WEIGHT_WIDTH: Final = len("follow-up 0.25 \u00d7 0.333")


def show_pair(
    console: Console,
    pair: ReportPair,
    results: Mapping[str, EvaluationResult],
    finding_name: FindingName,
) -> None:
    """Scores of every metric, all discrepancies, and the edges that tell most."""
    heading(console, f"Pair {wording.shown(pair.id)}")
    for verdict in wording.verdicts(results):
        console.print(Text(verdict, "bold"))
    console.print()
    show_scores(console, results)
    show_notes(console, results.values())
    show_discrepancies(console, pair, results, finding_name)
    chosen = chosen_evidence(results)
    if chosen is not None:
        result, evidence = chosen
        show_edges(console, result, evidence, _TELLING_EDGES)
        if not evidence.alignment.converged:
            console.print(Text(wording.convergence_words(evidence.alignment), "bold red"))


def show_scores(console: Console, results: Mapping[str, EvaluationResult]) -> None:
    table = new_table("Scores", "metric", "score", "scale", "subscores", numbers=("score",))
    for name, result in results.items():
        outcome = result.outcome
        if isinstance(outcome, Scored):
            parts = (
                f"{wording.subscore_words(key)} {wording.decimal(value)}"
                for key, value in wording.subscores_shown(outcome).items()
            )
            headline = wording.headline_words(result)
            score, words = Text(wording.decimal(outcome.score), "bold"), ", ".join(parts)
            words = "\n".join(filter(None, (headline, words)))
        else:
            score, words = Text("none", "bold yellow"), f"not scored ({outcome.reason}): {outcome.detail}"
        table.add_row(Text(name), score, Text(_scale(result.scale)), Text(wording.shown(words).removesuffix(": ")))
    console.print(table)


def _scale(scale: Scale) -> str:
    return scale.describe().replace(", ", ",\n")


def show_notes(console: Console, results: Iterable[EvaluationResult]) -> None:
    notes = [(result.metric, note) for result in results for note in _notes_on(result)]
    for metric, note in notes:
        console.print(labelled(f"Note on {metric}", note, "bold yellow"))
    if notes:
        console.print()


def _notes_on(result: EvaluationResult) -> tuple[str, ...]:
    if not isinstance(result.outcome, Scored):
        return ()
    cut = ("part of a report was not read",) if result.outcome.truncated else ()
    return (*cut, *result.outcome.notes)


def show_discrepancies(
    console: Console, pair: ReportPair, results: Mapping[str, EvaluationResult], finding_name: FindingName
) -> None:
    found = wording.numbered_discrepancies(results)
    if not found:
        return
    several = len({item.metric for item in found}) > 1
    table = new_table("Discrepancies", "no.", "severity", "what", "reference says", "candidate says", numbers=("no.",))
    table.show_lines = True
    narrow = console.width < _WIDE and any(item.discrepancy.weight is not None for item in found)
    if narrow:
        table.columns[2].width = _WEIGHT_WIDTH
    for item in found:
        d = item.discrepancy
        weight = wording.weight_words(d).replace("= ", "=\n" if narrow else "= ")
        reason, explanation = wording.reason_words(item), wording.explanation_words(item, pair, short=True)
        doubt = wording.doubt_words(d)
        what = stacked(
            Text(wording.discrepancy_words(item, finding_name), "bold"),
            Text(reason) if reason else None,
            Text(weight) if weight else None,
            Text(doubt) if doubt else None,
            Text(explanation) if explanation else None,
            Text(f"{wording.kind_words(d)}" + (f", by {item.metric}" if several else ""), "dim"),
        )
        table.add_row(
            str(item.number),
            Text(d.severity.value, _SEVERITY_STYLES[d.severity]),
            what,
            Text(wording.quotes(d.reference_spans, pair.reference.text) or wording.silence_words(item)),
            Text(wording.quotes(d.candidate_spans, pair.candidate.text) or wording.silence_words(item)),
        )
    console.print(table)
