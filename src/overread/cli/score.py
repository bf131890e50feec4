"""`overread score`, `overread explain` and `overread demo`: one pair, scored and shown."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from attrs import evolve
from rich.console import Console

from overread.bootstrap.naming import finding_name, read_signs
from overread.cli.endings import MaxUnscored, check_unscored, coverage_of
from overread.cli.grammar import Panel
from overread.cli.output import (
    Format,
    Output,
    Views,
    check_target,
    format_option,
    print_view,
    show,
)
from overread.cli.pair import (
    Age,
    CandidateFile,
    CandidateText,
    Indication,
    PairId,
    PairsFile,
    ReferenceFile,
    ReferenceText,
    Sex,
    in_context,
    read_pair,
)
from overread.cli.support import (
    Answers,
    Config,
    Metrics,
    Set,
    Store,
    plugins_print_aside,
    read_settings,
    watch_model,
)
from overread.exceptions import ConfigurationError
from overread.extras import find_missing
from overread.infrastructure.files.csv_rows import as_csv, flat_record

if TYPE_CHECKING:
    from overread.application.scoring.evaluate import PairResults
    from overread.domain.reports.report import ReportPair
    from overread.domain.results.result import EvaluationResult
    from overread.infrastructure.settings import Settings

__all__ = ["demo", "explain", "score"]


_SCORE: Final = (Format.TEXT, Format.JSON, Format.CSV, Format.HTML)
_EXPLAIN: Final = (Format.TEXT, Format.JSON, Format.HTML)
_PAGE: Final = Path("overread-demo.html")

ScoreFormat = Annotated[str | None, format_option(*_SCORE)]
ExplainFormat = Annotated[str | None, format_option(*_EXPLAIN)]


def score(
    *,
    reference: ReferenceFile = None,
    candidate: CandidateFile = None,
    reference_text: ReferenceText = None,
    candidate_text: CandidateText = None,
    pairs: PairsFile = None,
    pair_id: PairId = "pair",
    age: Age = None,
    sex: Sex = None,
    indication: Indication = None,
    metric: Metrics = None,
    set_: Set = None,
    config: Config = None,
    output_format: ScoreFormat = None,
    output: Output = None,
    store: Store = None,
    answers: Answers = None,
    max_unscored: MaxUnscored = None,
) -> None:
    """Score one candidate report against its reference."""
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    inputs = (reference, candidate, pairs, config, store, answers, *settings.files)
    target = check_target(output, output_format, _SCORE, *inputs, command="score")
    pair = read_pair(reference, candidate, reference_text, candidate_text, pairs, pair_id)
    pair = in_context(pair, age, sex, indication)
    results = _results(settings, pair, refresh=target.format in (Format.TEXT, Format.HTML))
    show(_views(pair, results), target)
    check_unscored(coverage_of([results]), max_unscored)


def explain(
    *,
    reference: ReferenceFile = None,
    candidate: CandidateFile = None,
    reference_text: ReferenceText = None,
    candidate_text: CandidateText = None,
    pairs: PairsFile = None,
    pair_id: PairId = "pair",
    age: Age = None,
    sex: Sex = None,
    indication: Indication = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", metavar="NAME", help="Metric to explain; radot by default.")
    ] = None,
    set_: Set = None,
    config: Config = None,
    output_format: ExplainFormat = None,
    output: Output = None,
    answers: Answers = None,
    max_unscored: MaxUnscored = None,
) -> None:
    """Show what a metric's score of a pair rests on.

    radot: units, plan and contributions. notation: discrepancies. ratescore: entities and their matches.
    crepe: predicted errors. green, judge: discrepancies and the model's raw answers.
    """
    from overread.infrastructure.serialise import explanation_record

    chosen, *others = metric or ["radot"]
    if others:
        raise ConfigurationError(["explain shows one metric; name a single --metric"])
    settings = read_settings(config, set_, metrics=[chosen], answers=answers)
    inputs = (reference, candidate, pairs, config, answers, *settings.files)
    target = check_target(output, output_format, _EXPLAIN, *inputs, command="explain")
    pair = read_pair(reference, candidate, reference_text, candidate_text, pairs, pair_id)
    pair = in_context(pair, age, sex, indication)
    name = chosen.partition(":")[0]
    marked = target.format is Format.HTML and name == "radot"  # notation marks what radot's risk comes from
    wanted = (chosen, "notation") if marked else (chosen,)
    results = _results(evolve(settings, metrics=wanted), pair, refresh=True)
    result = results[name]
    views = _views(pair, results, lambda console: _show_evidence(console, pair, result))
    show(evolve(views, json=lambda: explanation_record(result), csv=None), target)
    check_unscored(coverage_of([{name: result}]), max_unscored)


def demo(
    *,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="HTML page to write.", rich_help_panel=Panel.OUTPUT),
    ] = _PAGE,
) -> None:
    """Read a sample pair and write its page.

    Both reports, what is wrong, the risks, and the plan that explains them; beside them ROUGE-L, where it is installed.
    """
    from overread.infrastructure.samples import sample_pairs
    from overread.infrastructure.views.terminal import show_pair

    page = check_target(output, Format.HTML.value, (Format.HTML,), command="demo")
    pair = sample_pairs()[0].pair
    metrics = ["radot", "notation", *([] if find_missing(["rouge_score"]) else ["rouge"])]
    results = _results(read_settings(None, None, metrics=metrics), pair, refresh=True)

    def view(console: Console) -> None:
        for title, report in (("REFERENCE", pair.reference), ("CANDIDATE", pair.candidate)):
            console.print(title, style="bold")
            console.print(report.text + "\n", highlight=False, markup=False)
        show_pair(console, pair, results, finding_name, signs=read_signs)
        _show_evidence(console, pair, results["radot"])

    print_view(view)
    show(_views(pair, results), page)


def _results(settings: Settings, pair: ReportPair, *, refresh: bool) -> PairResults:
    """The pair's result by each metric of the settings; ``refresh`` scores anew what a store holds."""
    from overread.bootstrap.services import open_run

    with plugins_print_aside(), closing(open_run(settings, refresh=refresh, watch=watch_model())) as run:
        return run.service.evaluate([pair])[0]


def _views(pair: ReportPair, results: PairResults, text: Callable[[Console], None] | None = None) -> Views:
    """Views of the results of one pair.

    Args:
        pair: that was scored.
        results: by metric.
        text: replaces the usual text.
    """

    def usual(console: Console) -> None:
        from overread.infrastructure.views.terminal import show_pair

        show_pair(console, pair, results, finding_name, signs=read_signs)

    def records() -> list[dict[str, Any]]:
        from overread.infrastructure.serialise import result_record

        return [result_record(result) for result in results.values()]

    def page() -> str:
        from overread.bootstrap.pages import render_page

        return render_page(pair, results)

    return Views(text=text or usual, json=records, csv=lambda: as_csv(map(flat_record, records())), html=page)


def _show_evidence(console: Console, pair: ReportPair, result: EvaluationResult) -> None:
    from overread.infrastructure.views.terminal import show_evidence

    show_evidence(console, pair, result, finding_name, signs=read_signs)
