"""A pair: its scores, what a reader must know of them, and its discrepancies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from overread.domain.findings.signs import SignReader, no_signs
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult, Scale, Scored
from overread.domain.vocabulary.severity import Severity
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import chosen_evidence
from overread.infrastructure.views.passages import Passage, Passages, unread_words
from overread.infrastructure.views.terminal._parts import heading, label_words, new_table
from overread.infrastructure.views.wording import FindingName, NumberedDiscrepancy

__all__ = ["show_discrepancies", "show_notes", "show_pair", "show_scores", "show_verdicts"]

_SEVERITY_STYLES: Final = {
    Severity.CRITICAL: "bold magenta",
    Severity.SIGNIFICANT: "bold red",
    Severity.INSIGNIFICANT: "cyan",
}
_LABEL: Final = len("candidate") + 2


def show_pair(
    console: Console,
    pair: ReportPair,
    results: Mapping[str, EvaluationResult],
    finding_name: FindingName,
    *,
    signs: SignReader = no_signs,
) -> None:
    """Show what is wrong, the gravest first, then the scores; `show_evidence` shows what they rest on."""
    heading(console, f"Pair {wording.make_printable(pair.id)}")
    passages = Passages.of(pair, results, signs)
    show_verdicts(console, results, passages)
    console.print()
    show_discrepancies(console, results, finding_name, passages)
    show_scores(console, results)
    show_notes(console, results.values())
    chosen = chosen_evidence(results)
    if chosen is not None and not chosen[1].alignment.converged:
        console.print(Text(wording.convergence_words(chosen[1].alignment), "bold red"))


def show_verdicts(console: Console, results: Mapping[str, EvaluationResult], passages: Passages) -> None:
    """Show how many discrepancies there are and whether they matter, and what was not read."""
    for verdict in wording.verdicts(results):
        console.print(Text(verdict, "bold"))
    unread = unread_words(passages)
    if unread:
        console.print(Text(unread))


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
        table.add_row(
            Text(name), score, Text(_scale(result.scale)), Text(wording.make_printable(words).removesuffix(": "))
        )
    console.print(table)


def _scale(scale: Scale) -> str:
    return scale.describe().replace(", ", ",\n")


def show_notes(console: Console, results: Iterable[EvaluationResult]) -> None:
    notes = [(result.metric, note) for result in results for note in _notes_on(result)]
    for metric, note in notes:
        console.print(label_words(f"Note on {metric}", note, "bold yellow"))
    if notes:
        console.print()


def _notes_on(result: EvaluationResult) -> tuple[str, ...]:
    if not isinstance(result.outcome, Scored):
        return ()
    cut = ("part of a report was not read",) if result.outcome.truncated else ()
    return (*cut, *result.outcome.notes)


def show_discrepancies(
    console: Console,
    results: Mapping[str, EvaluationResult],
    finding_name: FindingName,
    passages: Passages,
    *,
    weighed: bool = False,
) -> None:
    """Each discrepancy with its grade, the words of both reports, and why.

    Args:
        console: where they are shown.
        results: whose discrepancies.
        finding_name: display name of a finding by its lexicon id.
        passages: both reports.
        weighed: whether to tell what the weights are made of, and the categories.
    """
    groups = wording.placed_discrepancies(results)
    if not groups:
        return
    several = len({item.metric for group in groups for item in group}) > 1
    console.print(Text("Discrepancies\n", "bold"))
    for group in groups:
        for item in group:
            console.print(_headline(item, finding_name))
            _rows(console, _about(item, finding_name, passages.pair, weighed=weighed, several=several))
        reference, candidate = passages.about(group[0].discrepancy)
        silent = Text(wording.silence_words(group[0]), "dim")
        _rows(
            console,
            [("reference", _quote_passages(reference) or silent), ("candidate", _quote_passages(candidate) or silent)],
        )
        console.print()
    doubt = wording.doubt_reading_words(item.discrepancy for group in groups for item in group)
    if doubt:
        console.print(Text(f"{doubt}\n", "dim"))


def _headline(item: NumberedDiscrepancy, finding_name: FindingName) -> Table:
    d = item.discrepancy
    line = Table.grid(padding=(0, 0))
    line.add_column(justify="right", width=3)
    line.add_column(width=1)
    line.add_column(overflow="fold")
    grade = wording.grade_words(d).removeprefix(d.severity.value)
    words = Text.assemble(
        (d.severity.value, _SEVERITY_STYLES[d.severity]),
        f"{grade} \u00b7 ",
        (wording.title_words(item, finding_name), "bold"),
    )
    line.add_row(Text(str(item.number), "bold"), "", words)
    return line


def _rows(console: Console, rows: Iterable[tuple[str, Text]]) -> None:
    """Words beside their labels, below a headline."""
    table = Table.grid(padding=(0, 0))
    table.add_column(width=4)
    table.add_column(width=_LABEL, no_wrap=True)
    table.add_column(overflow="fold")
    for label, words in rows:
        table.add_row("", Text(label, "dim"), words)
    if table.row_count:
        console.print(table)


def _about(
    item: NumberedDiscrepancy, finding_name: FindingName, pair: ReportPair, *, weighed: bool, several: bool
) -> Iterator[tuple[str, Text]]:
    d = item.discrepancy
    explanation = wording.explanation_words(item, pair, short=True)
    why = "; ".join(part for part in (wording.why_words(item, finding_name), wording.doubt_words(d)) if part)
    if why:
        yield "why", Text(why)
    if explanation:
        yield ("" if why else "why"), Text(explanation)
    if weighed:
        words = (wording.weight_words(d), wording.taxonomy_words(d))
        yield "counts as", Text("; ".join(part for part in words if part))
    if several:
        yield "found by", Text(item.metric)


def _quote_passages(found: Sequence[Passage]) -> Text:
    """Passages one below the other, with where they stand; cues are underlined."""
    lines = []
    for passage in found:
        line = Text("\u201c")
        for piece in passage.pieces:
            line.append(piece.text, "bold underline" if piece.cue else None)
        line.append("\u201d")
        line.append(f" ({passage.place})" if passage.place else "", "dim")
        lines.append(line)
    return Text("\n").join(lines)
