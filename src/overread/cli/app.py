"""The command line: reads its input, calls the same use cases as embedding software, shows the answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from overread import __version__
from overread.cli.benchmark import benchmark_app
from overread.cli.compare import compare, leaderboard
from overread.cli.corpus import corpus, rescore
from overread.cli.fit import fit_app
from overread.cli.fit_judge import fit_judge
from overread.cli.inject import inject
from overread.cli.lexicon import lexicon_app
from overread.cli.pair import (
    CandidateFile,
    CandidateText,
    PairId,
    PairsFile,
    ReferenceFile,
    ReferenceText,
    read_pair,
)
from overread.cli.reader_checks import checks_app
from overread.cli.reproduce import reproduce_app
from overread.cli.summary import summary
from overread.cli.support import (
    Answers,
    AsJson,
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
from overread.cli.units import units
from overread.exceptions import ConfigurationError, InputError, OverreadError

if TYPE_CHECKING:
    from overread.application.scoring.evaluate import PairResults
    from overread.domain.report import ReportPair
    from overread.infrastructure.settings import Settings

app = typer.Typer(
    name="overread",
    help="Reads a candidate radiology report against its reference: what is wrong, where, and how much it matters.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
fit_app.command("judge")(fit_judge)
app.add_typer(fit_app, name="fit")
benchmark_app.add_typer(checks_app)
app.add_typer(benchmark_app, name="benchmark")
app.add_typer(lexicon_app, name="lexicon")
app.add_typer(reproduce_app, name="reproduce")


class Format(StrEnum):
    """Output formats of one pair."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write instead of standard output.")]
OutFormat = Annotated[Format, typer.Option("--format", "-f", help="How to show the result.")]


@app.callback(invoke_without_command=True)
def _root(
    *,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


@app.command()
def score(
    *,
    reference: ReferenceFile = None,
    candidate: CandidateFile = None,
    reference_text: ReferenceText = None,
    candidate_text: CandidateText = None,
    pairs: PairsFile = None,
    pair_id: PairId = "pair",
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
    settings = read_settings(config, set_, metrics=metric, store=store, answers=answers)
    results = _results(settings, pair, refresh=output_format is not Format.JSON)
    write(output, _rendered(pair, results, output_format, output))


@app.command()
def explain(
    *,
    reference: ReferenceFile = None,
    candidate: CandidateFile = None,
    reference_text: ReferenceText = None,
    candidate_text: CandidateText = None,
    pairs: PairsFile = None,
    pair_id: PairId = "pair",
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

        print_view(lambda console: show_evidence(console, pair, result, _finding_name()), output)


app.command()(corpus)
app.command()(rescore)
app.command()(compare)
app.command()(leaderboard)
app.command()(summary)
app.command()(units)


@app.command()
def plugins(
    *,
    as_json: AsJson = False,
    strict: Annotated[bool, typer.Option(help="Fail if any plugin failed to load.")] = False,
) -> None:
    """List metrics, components and plugins.

    Direction, range, backend, options, origin, and whether each can run here or what to install.
    """
    from overread.plugins.catalogue import Catalogue

    description = Catalogue.discover(strict=strict).describe()
    if as_json:
        typer.echo(json.dumps(description, indent=2, allow_nan=False))
        return
    from overread.infrastructure.views.terminal import show_plugins

    print_view(lambda console: show_plugins(console, description))


@app.command()
def history(
    store: Annotated[Path, typer.Argument(help="The store to look into.")],
    *,
    run: Annotated[str | None, typer.Option(help="Only results of this run.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most results shown, newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON lines.")] = False,
) -> None:
    """List stored results."""
    from overread.infrastructure.store import open_sqlite_store
    from overread.infrastructure.views.terminal import show_history

    if not store.exists():
        raise InputError(str(store), "no such file", remedy="score with --store first")
    rows = open_sqlite_store(store).results(run=run, limit=limit)
    if as_json:
        for row in rows:
            typer.echo(json.dumps(row, allow_nan=False, default=str))
        return
    print_view(lambda console: show_history(console, rows))


@app.command()
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
        show_pair(console, pair, results, _finding_name())
        show_evidence(console, pair, results["radot"], _finding_name())

    print_view(view)
    write(page, _rendered(pair, results, Format.HTML, page))
    typer.echo(f"\nThe same as a page: {page}")


@app.command()
def synthesise(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="JSONL file to write.")],
    studies: Annotated[int, typer.Option(min=1, help="Reference reports; each gets four candidates.")] = 400,
    seed: Annotated[int, typer.Option(help="The same seed writes the same file.")] = 7,
    style: Annotated[
        str, typer.Option(help="Layout: prose, telegraphic, headed, bullets, lower, upper, or mixed.")
    ] = "mixed",
    purpose: Annotated[
        str, typer.Option(help="What to fit: readout; counts, contrast or reworded, for an error counter.")
    ] = "readout",
) -> None:
    """Write invented pairs with known errors.

    For fitting a readout or an error counter, and for trying things out. `synthesize` does the same.
    """
    from overread.application.synthesis.invented import Purpose, Style, SyntheticPairs

    for name, value, known in (("style", style, Style), ("purpose", purpose, Purpose)):
        if value not in list(known):
            raise ConfigurationError([f"no {name} {value!r}; known are {', '.join(known)}"])
    pairs = SyntheticPairs(seed=seed, studies=studies, style=Style(style), purpose=Purpose(purpose))
    try:
        count = pairs.write_jsonl(output)
    except OSError as error:
        raise InputError(str(output), f"cannot be written: {error.strerror}") from error
    typer.echo(f"{count} pairs of {studies} studies in {output}", err=True)


app.command("synthesize", hidden=True)(synthesise)
app.command()(inject)


def main() -> None:
    """Entry point: errors that overread raises on purpose become one clear line and exit status 2."""
    if sys.stdout is None:  # closed by the caller
        sys.exit(2)
    try:
        app()
        sys.stdout.flush()
    except ConfigurationError as error:
        for problem in error.problems:
            typer.echo(f"overread: {problem}", err=True)
        sys.exit(2)
    except OverreadError as error:
        typer.echo(f"overread: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        typer.echo(f"overread: cannot read or write: {error.strerror or type(error).__name__}", err=True)
        sys.exit(2)


def _results(settings: Settings, pair: ReportPair, *, refresh: bool) -> PairResults:
    """The pair's result by each metric of the settings; ``refresh`` scores anew what a store holds."""
    from overread.bootstrap import open_run

    run = open_run(settings, refresh=refresh, watch=watch_model())
    try:
        return run.service.evaluate([pair])[0]
    finally:
        run.close()


def _finding_name() -> Callable[[str], str]:
    from overread.adapters.lexicon import load_knowledge

    return load_knowledge().lexicon.name


def _rendered(pair: ReportPair, results: PairResults, output_format: Format, output: Path | None) -> str:
    if output_format is Format.JSON:
        from overread.infrastructure.serialise import result_record

        records = [result_record(result) for result in results.values()]
        return json.dumps(records, indent=2, ensure_ascii=False, allow_nan=False)
    if output_format is Format.HTML:
        from overread.infrastructure.views.web.pair_page import pair_page

        return pair_page(pair, results, _finding_name())
    from overread.infrastructure.views.terminal import show_pair

    return captured(lambda console: show_pair(console, pair, results, _finding_name()), output)
