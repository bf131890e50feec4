"""`overread score`, `overread explain` and `overread demo`: one pair, scored and shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

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
    captured,
    keep_inputs,
    print_view,
    read_settings,
    watch_model,
    write,
)
from overread.exceptions import ConfigurationError

if TYPE_CHECKING:
    from overread.application.scoring.evaluate import PairResults
    from overread.domain.report import ReportPair
    from overread.domain.signs import SignReader
    from overread.infrastructure.settings import Settings

__all__ = ["demo", "explain", "score"]


class Format(StrEnum):
    """Output formats of one pair."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write instead of standard output.")]
OutFormat = Annotated[Format, typer.Option("--format", "-f", help="How to show the result.")]


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
    output_format: OutFormat = Format.TEXT,
    output: Output = None,
    store: Store = None,
    answers: Answers = None,
) -> None:
    """Score one candidate report against its reference."""
    keep_inputs(output, reference, candidate, pairs, config, store, answers)
    pair = read_pair(reference, candidate, reference_text, candidate_text, pairs, pair_id)
    pair = in_context(pair, age, sex, indication)
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    results = _results(settings, pair, refresh=output_format is not Format.JSON)
    write(output, _rendered(pair, results, output_format, output))


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
        list[str] | None, typer.Option("--metric", "-m", help="Metric to explain; radot by default.")
    ] = None,
    set_: Set = None,
    config: Config = None,
    output_format: OutFormat = Format.TEXT,
    output: Output = None,
    answers: Answers = None,
) -> None:
    """Show what a metric's score of a pair rests on.

    radot: units, plan and contributions. notation: discrepancies. ratescore: entities and their matches.
    crepe: predicted errors. green, judge: discrepancies and the model's raw answers.
    """
    from overread.infrastructure.serialise import explanation_record

    chosen, *others = metric or ["radot"]
    if others:
        raise ConfigurationError(["explain shows one metric; name a single --metric"])
    keep_inputs(output, reference, candidate, pairs, config, answers)
    pair = read_pair(reference, candidate, reference_text, candidate_text, pairs, pair_id)
    pair = in_context(pair, age, sex, indication)
    name = chosen.partition(":")[0]
    marked = output_format is Format.HTML and name == "radot"  # notation marks what radot's risk comes from
    wanted = [chosen, "notation"] if marked else [chosen]
    results = _results(read_settings(config, set_, metrics=wanted, answers=answers), pair, refresh=True)
    result = results[name]
    if output_format is Format.HTML:
        write(output, _rendered(pair, results, output_format, output))
    elif output_format is Format.JSON:
        write(output, json.dumps(explanation_record(result), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        from overread.infrastructure.views.terminal import show_evidence

        print_view(lambda console: show_evidence(console, pair, result, _finding_name(), signs=_signs()), output)


def demo(
    *,
    page: Annotated[Path, typer.Option(help="HTML page to write.")] = Path("overread-demo.html"),
) -> None:
    """Read a sample pair and write its page.

    Both reports, what is wrong, three risks, and the plan that explains them.
    """
    from overread.infrastructure.datasets.samples import sample_pairs
    from overread.infrastructure.views.terminal import show_evidence, show_pair

    pair = sample_pairs()[0].pair
    results = _results(read_settings(None, None, metrics=["radot", "notation", "rouge"]), pair, refresh=True)

    def view(console: Console) -> None:
        for title, report in (("REFERENCE", pair.reference), ("CANDIDATE", pair.candidate)):
            console.print(title, style="bold")
            console.print(report.text + "\n", highlight=False, markup=False)
        show_pair(console, pair, results, _finding_name(), signs=_signs())
        show_evidence(console, pair, results["radot"], _finding_name(), signs=_signs())

    print_view(view)
    write(page, _rendered(pair, results, Format.HTML, page))
    typer.echo(f"\nThe same as a page: {page}")


def _results(settings: Settings, pair: ReportPair, *, refresh: bool) -> PairResults:
    """The pair's result by each metric of the settings; ``refresh`` scores anew what a store holds."""
    from overread.bootstrap.services import open_run

    with closing(open_run(settings, refresh=refresh, watch=watch_model())) as run:
        return run.service.evaluate([pair])[0]


def _finding_name() -> Callable[[str], str]:
    from overread.adapters.lexicon import load_knowledge

    return load_knowledge().lexicon.name


def _signs() -> SignReader:
    from overread.adapters.lexicon import load_knowledge, sign_reader

    return sign_reader(load_knowledge())


def _rendered(pair: ReportPair, results: PairResults, output_format: Format, output: Path | None) -> str:
    if output_format is Format.JSON:
        from overread.infrastructure.serialise import result_record

        records = [result_record(result) for result in results.values()]
        return json.dumps(records, indent=2, ensure_ascii=False, allow_nan=False)
    if output_format is Format.HTML:
        from overread.bootstrap.interface import render_page

        return render_page(pair, results)
    from overread.infrastructure.views.terminal import show_pair

    return captured(lambda console: show_pair(console, pair, results, _finding_name(), signs=_signs()), output)
