"""Terminal views: one pair, its evidence, the plugins, stored results, a readout's selection and a check's figures.

Everything reads well in 80 columns and in a pipe; report text is shown as it is, never as markup.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from overread.application.fit_readout import TransferRow
from overread.application.gold.report import CheckReport, Confusion, Figure, Mistake
from overread.application.gold.report import Table as CheckTable
from overread.domain.readout import TARGETS
from overread.domain.report import ReportPair
from overread.domain.result import EvaluationResult, Scale, Scored, TransportEvidence
from overread.domain.severity import Severity
from overread.domain.unit import ClinicalUnit
from overread.infrastructure import wording
from overread.infrastructure.wording import FindingName

__all__ = [
    "show_check",
    "show_evidence",
    "show_history",
    "show_pair",
    "show_plugins",
    "show_selection",
    "show_transfer",
]

_SEVERITY_STYLES: Final = {
    Severity.CRITICAL: "bold magenta",
    Severity.SIGNIFICANT: "bold red",
    Severity.INSIGNIFICANT: "cyan",
}

_TELLING_EDGES: Final = 5
_EVIDENCE_EDGES: Final = 15
_TERMS: Final = 8


def show_pair(
    console: Console,
    pair: ReportPair,
    results: Mapping[str, EvaluationResult],
    finding_name: FindingName,
) -> None:
    """Scores of every metric, all discrepancies, and the edges that tell most."""
    _heading(console, f"Pair {wording.shown(pair.id)}")
    for verdict in wording.verdicts(results):
        console.print(Text(verdict, "bold"))
    console.print()
    _scores(console, results)
    _notes(console, results.values())
    _discrepancies(console, pair, results, finding_name)
    chosen = wording.chosen_evidence(results)
    if chosen is not None:
        _, evidence = chosen
        _edges(console, evidence, _TELLING_EDGES)
        if not evidence.alignment.converged:
            console.print(Text(wording.convergence_words(evidence.alignment), "bold red"))


def show_evidence(console: Console, pair: ReportPair, result: EvaluationResult, finding_name: FindingName) -> None:
    """What one result rests on: units, plan edges, contributions, and whether the plan converged."""
    _heading(console, f"Pair {wording.shown(pair.id)}: evidence of {result.metric}")
    outcome = result.outcome
    if not isinstance(outcome, Scored):
        console.print(_labelled(f"not scored ({outcome.reason})", outcome.detail))
        return
    console.print()
    _scores(console, {result.metric: result})
    _notes(console, [result])
    if outcome.evidence is None:
        console.print(Text(f"{result.metric} gives no transport evidence."))
        return
    evidence = outcome.evidence
    _units(console, "Reference units", "R", evidence.reference_units, finding_name)
    _units(console, "Candidate units", "C", evidence.candidate_units, finding_name)
    _edges(console, evidence, _EVIDENCE_EDGES)
    _contributions(console, result, evidence)
    console.print(Text(wording.convergence_words(evidence.alignment)))
    console.print(Text(f"Signature: {result.signature}"), soft_wrap=True)


def show_plugins(console: Console, description: Mapping[str, Any]) -> None:
    """Every component by kind, whether it can run here, the plugins behind them, and what failed to load.

    Args:
        console: where to print.
        description: ``plugins``, ``components`` and ``failures`` as the catalogue describes them.
    """
    components: Sequence[Mapping[str, Any]] = description["components"]
    for kind in dict.fromkeys(component["kind"] for component in components):
        table = _table(kind.replace("_", " "), "name", "version", "plugin", "what it does")
        for component in components:
            if component["kind"] == kind:
                name = Text(component["name"], "bold")
                version, plugin = _text(component["version"]), _text(component["plugin"])
                table.add_row(name, version, plugin, _component_words(component))
        console.print(table)
    table = _table("plugins", "name", "version", "distribution", "provides")
    for plugin in description["plugins"]:
        origin = f"{plugin['distribution']} (built in)" if plugin["builtin"] else plugin["distribution"]
        table.add_row(*map(_text, (plugin["name"], plugin["version"], origin, _joined(plugin["provides"]))))
    console.print(table)
    if description["failures"]:
        table = _table("plugins that failed", "plugin", "distribution", "version", "problem")
        for failure in description["failures"]:
            columns = ("plugin", "distribution", "version")
            table.add_row(*(_text(failure[name]) for name in columns), Text(str(failure["problem"]), "red"))
        console.print(table)


def show_history(console: Console, rows: Iterable[Mapping[str, Any]]) -> None:
    """Stored results, one a line."""
    table = _table("", "pair", "metric", "score or reason", "run", "stored")
    for row in rows:
        scored = row["status"] == "scored"
        said = wording.decimal(row["score"]) if scored else f"{row['status']}: {row['reason']}"
        cells = (row["pair_id"], row["metric"], said, row["run"], _moment(row["created"]))
        table.add_row(*map(_text, cells))
    if table.row_count:
        console.print(table)
    console.print(Text(wording.counted(table.row_count, "stored result") if table.row_count else "No stored results."))


def show_selection(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    """Held-out rank correlation of each setting, best first, as in RadOT-Eval Table X; ``->`` marks the chosen one.

    Args:
        console: where to print.
        rows: ``prior``, ``epsilon``, ``macro``, ``total``, ``significant``, ``insignificant``; a true ``chosen``
            marks the selected one, otherwise the first of the highest macro is it.
    """
    targets = ("macro", "total", "significant", "insignificant")
    ranked = sorted(rows, key=lambda row: -_finite(row["macro"]))
    chosen = next((row for row in ranked if row.get("chosen")), ranked[0] if ranked else None)
    table = _table("Held-out Spearman correlation", "", "prior", "epsilon", *targets, numbers=("epsilon", *targets))
    for row in ranked:
        mark, style = ("->", "bold") if row is chosen else ("", "")
        figures = (f"{row[target]:.3f}" for target in targets)
        table.add_row(mark, _text(row["prior"]), f"{row['epsilon']:g}", *figures, style=style)
    console.print(table)


def show_transfer(console: Console, rows: Sequence[TransferRow]) -> None:
    """How a readout ranks pairs it was not fitted on: all of them, then each style."""
    numbers = ("pairs", "total", "signif.", "insignif.", "harmless", "apart", "length", "growth")
    table = _table("On pairs not fitted on", "style", *numbers, numbers=numbers)
    for row in rows:
        scores = (f"{row.scores[target]:.3f}" for target in TARGETS)
        rest = (f"{figure:.2f}" for figure in (row.separation, row.length, row.growth))
        table.add_row(_text(row.style or "all"), str(row.pairs), *scores, str(row.harmless), *rest)
    console.print(table)


def show_check(console: Console, report: CheckReport, *, errors: bool = False) -> None:
    """Figures of a check with their intervals, its confusion matrix and, where asked for, the errors themselves."""
    _heading(console, f"Check: {report.check}")
    console.print()
    for table in report.tables:
        console.print(
            Text.assemble((table.title, "bold"), (f" (n: {table.counted})" if table.lines else ": none", "dim"))
        )
        console.print(_check_table(table) if table.lines else "")
    if report.confusion is not None:
        console.print(_confusion_table(report.confusion))
    if errors:
        _mistakes(console, report.mistakes)
    for note in report.notes:
        console.print(_labelled("Note", note, "bold yellow"))
    console.print(Text("Figures are percentages, with 95 % bootstrap intervals."))
    console.print(_labelled("Reader", report.reader), soft_wrap=True)


def _check_table(table: CheckTable) -> Table:
    names = list(dict.fromkeys(name for line in table.lines for name in line.figures))
    shown = _table("", "", "n", *names, numbers=("n", *names))
    for line in table.lines:
        figures = (_figure(line.figures[name]) if name in line.figures else "" for name in names)
        shown.add_row(_text(line.name), str(line.count), *figures)
    return shown


def _figure(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "none"
    return f"{100 * figure.value:.1f} ({100 * figure.low:.1f}-{100 * figure.high:.1f})"


def _confusion_table(confusion: Confusion) -> Table:
    shown = _table("Labelled (rows) and read as (columns)", "", *confusion.labels, numbers=confusion.labels)
    for label, row in zip(confusion.labels, confusion.counts, strict=True):
        shown.add_row(_text(label), *map(str, row))
    return shown


def _mistakes(console: Console, mistakes: Sequence[Mistake]) -> None:
    for mistake in mistakes:
        words = f"labelled {mistake.expected}, read {mistake.got}"
        console.print(Text.assemble((wording.shown(mistake.place), "bold"), ": ", wording.shown(words)), soft_wrap=True)
        if mistake.text:
            console.print(Text("  " + " ".join(wording.shown(mistake.text).split()), "dim"), soft_wrap=True)
    console.print(Text(wording.counted(len(mistakes), "error") + "\n" if mistakes else "No errors.\n"))


def _heading(console: Console, words: str) -> None:
    console.print(Text(words, "bold underline"))


def _text(value: object) -> Text:
    return Text(wording.shown("" if value is None else str(value)))


def _labelled(label: str, words: str, style: str = "dim") -> Text:
    """Words after a quieter label."""
    return Text.assemble((label, style), ": " if words else "", wording.shown(words))


def _lines(*parts: Text | None) -> Text:
    return Text("\n").join(part for part in parts if part is not None)


def _table(title: str, *columns: str, numbers: Sequence[str] = ()) -> Table:
    """A light table that folds what does not fit; figures keep to one line."""
    table = Table(
        title=Text(title, "bold") if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="dim",
    )
    for name in columns:
        if name in numbers:
            table.add_column(Text(name), justify="right", no_wrap=True)
        else:
            table.add_column(Text(name), overflow="fold")
    return table


def _scores(console: Console, results: Mapping[str, EvaluationResult]) -> None:
    table = _table("Scores", "metric", "score", "scale", "subscores", numbers=("score",))
    for name, result in results.items():
        outcome = result.outcome
        if isinstance(outcome, Scored):
            parts = (
                f"{wording.subscore_words(key)} {wording.decimal(value)}"
                for key, value in outcome.subscores.items()
                if value or not wording.is_category(key)
            )
            score, words = Text(wording.decimal(outcome.score), "bold"), ", ".join(parts)
        else:
            score, words = Text("none", "bold yellow"), f"not scored ({outcome.reason}): {outcome.detail}"
        table.add_row(Text(name), score, Text(_scale(result.scale)), Text(wording.shown(words).removesuffix(": ")))
    console.print(table)


def _scale(scale: Scale) -> str:
    return scale.describe().replace(", ", ",\n")


def _notes(console: Console, results: Iterable[EvaluationResult]) -> None:
    notes = [(result.metric, note) for result in results for note in _notes_on(result)]
    for metric, note in notes:
        console.print(_labelled(f"Note on {metric}", note, "bold yellow"))
    if notes:
        console.print()


def _notes_on(result: EvaluationResult) -> tuple[str, ...]:
    if not isinstance(result.outcome, Scored):
        return ()
    cut = ("part of a report was not read",) if result.outcome.truncated else ()
    return (*cut, *result.outcome.notes)


def _discrepancies(
    console: Console, pair: ReportPair, results: Mapping[str, EvaluationResult], finding_name: FindingName
) -> None:
    found = wording.numbered_discrepancies(results)
    if not found:
        return
    several = len({item.metric for item in found}) > 1
    table = _table("Discrepancies", "no.", "severity", "what", "reference says", "candidate says", numbers=("no.",))
    table.show_lines = True
    for item in found:
        d = item.discrepancy
        name = wording.finding_words(d.finding, finding_name)
        what = _lines(
            Text(f"{wording.category_words(d)}: {name}", "bold"),
            Text(d.reason),
            Text(f"{wording.kind_words(d)}" + (f", by {item.metric}" if several else ""), "dim"),
        )
        table.add_row(
            str(item.number),
            Text(d.severity.value, _SEVERITY_STYLES[d.severity]),
            what,
            Text(wording.quotes(d.reference_spans, pair.reference.text) or "nothing about it"),
            Text(wording.quotes(d.candidate_spans, pair.candidate.text) or "nothing about it"),
        )
    console.print(table)


def _edges(console: Console, evidence: TransportEvidence, limit: int) -> None:
    rows = wording.edge_rows(evidence, limit)
    figures = ("mass", "align", "side", "MW risk")
    title = "Edges of highest mass-weighted (MW) risk"
    table = _table(title, "rank", "reference unit", "candidate unit", *figures, numbers=("rank", *figures))
    for row in rows:
        edge = row.edge
        values = (f"{edge.mass:.3f}", f"{edge.ground:.3f}", f"{edge.side:.2f}", f"{edge.risk:.3f}")
        table.add_row(str(row.rank), Text(row.reference), Text(row.candidate), *values)
    if rows:
        console.print(table)
    else:
        console.print("No edge of the plan carries any risk.\n")


def _units(console: Console, title: str, letter: str, units: Sequence[ClinicalUnit], finding_name: FindingName) -> None:
    table = _table(title, "unit", "offsets", "finding and words", "polarity", "attributes")
    for index, unit in enumerate(units, start=1):
        name = Text(wording.finding_words(unit.canonical_finding, finding_name), "bold")
        words = Text(" ".join(wording.shown(unit.span_text).split()), "dim")
        table.add_row(
            f"{letter}{index}",
            f"{unit.start}-{unit.end}",
            _lines(name, words),
            wording.polarity_words(unit),
            Text(wording.attribute_words(unit)),
        )
    if units:
        console.print(table)
    else:
        console.print(f"{title}: none\n")


def _contributions(console: Console, result: EvaluationResult, evidence: TransportEvidence) -> None:
    figures = ("coeff.", "contribution")
    for target in wording.target_terms(result, evidence):
        risk = "" if target.risk is None else f" risk {target.risk:.3f}"
        table = _table(f"What adds to {target.target}{risk}", "feature", "what it measures", *figures, numbers=figures)
        for term in target.terms[:_TERMS]:
            words, meaning = wording.feature_words(term.feature)
            table.add_row(Text(words), Text(meaning, "dim"), f"{term.coefficient:.3f}", f"{term.contribution:.3f}")
        rest = target.terms[_TERMS:]
        if rest:
            total = sum(term.contribution for term in rest)
            table.add_row(wording.counted(len(rest), "smaller term"), "", "", f"{total:.3f}")
        if target.constant:
            table.add_row("constant", "", "", f"{target.constant:.3f}")
        if table.row_count:
            console.print(table)
        else:
            console.print(Text(f"Nothing adds to {target.target}{risk}.\n"))


def _component_words(component: Mapping[str, Any]) -> Text:
    metric = component["kind"] == "metric"
    options = _joined(component["options"])
    return _lines(
        _text(component["summary"]),
        _text(_metric_words(component)) if metric else None,
        _labelled("options", options) if options else None,
        None if component["can_run"] else _cannot_run(component),
    )


def _metric_words(component: Mapping[str, Any]) -> str:
    better = "higher is better" if component["higher_is_better"] else "lower is better"
    return f"{_range_words(component['range'])}, {better}; backend: {component['backend']}"


def _range_words(bounds: object) -> str:
    """A range in words, whether given in words or as two bounds."""
    if isinstance(bounds, Sequence) and not isinstance(bounds, str):
        low, high = bounds
        return f"{_bound(low)} to {_bound(high)}"
    return str(bounds)


def _bound(bound: float | None) -> str:
    return "infinity" if bound is None or math.isinf(bound) else f"{bound:g}"


def _cannot_run(component: Mapping[str, Any]) -> Text:
    missing = _joined(component["missing"])
    remedy = f"; install with: {component['install']}" if component["install"] else ""
    return _labelled("cannot run here", f"{missing} missing{remedy}" if missing else remedy, "bold yellow")


def _joined(values: object) -> str:
    """Names, or names with their defaults, in one line."""
    if isinstance(values, Mapping):
        return ", ".join(f"{name}={value}" for name, value in values.items())
    if isinstance(values, Iterable) and not isinstance(values, str):
        return ", ".join(str(value) for value in values)
    return "" if values is None else str(values)


def _finite(value: float) -> float:
    """A correlation to rank by; an undefined one ranks last."""
    return value if math.isfinite(value) else -math.inf


def _moment(created: object) -> str:
    """A moment to the second, however it is stored."""
    return str(created).replace("T", " ")[:19]
