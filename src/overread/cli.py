"""The command line: reads its input, calls the same use cases as embedding software, shows the answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from overread import __version__
from overread.cli_benchmark import benchmark_app
from overread.cli_fit import fit_app
from overread.cli_lexicon import lexicon_app
from overread.cli_pair import (
    CandidateFile,
    CandidateText,
    PairId,
    PairsFile,
    ReferenceFile,
    ReferenceText,
    read_pair,
)
from overread.cli_support import AsJson, Config, Set, captured, keep_inputs, print_view, progress, read_settings, write
from overread.exceptions import ConfigurationError, InputError, OverreadError

if TYPE_CHECKING:
    from overread.application.evaluate import EvaluationService, PairResults
    from overread.domain.report import ReportPair

app = typer.Typer(
    name="overread",
    help="Reads a candidate radiology report against its reference: what is wrong, where, and how much it matters.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(fit_app, name="fit")
app.add_typer(benchmark_app, name="benchmark")
app.add_typer(lexicon_app, name="lexicon")


class Format(StrEnum):
    """Output formats of one pair."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


class OnError(StrEnum):
    """What a bad row does."""

    FAIL = "fail"
    SKIP = "skip"


Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="Metric to use, repeatable; `overread plugins` lists them."),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write instead of standard output.")]
Store = Annotated[Path | None, typer.Option(help="SQLite file that keeps results; what it holds is not scored again.")]
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
) -> None:
    """Score one candidate report against its reference."""
    keep_inputs(output, reference, candidate, pairs)
    pair = read_pair(reference, candidate, reference_text, candidate_text, pairs, pair_id)
    service = _service(config, set_, metric, store, refresh=output_format is not Format.JSON)
    results = service.evaluate([pair])[0]
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
    metric: Annotated[str, typer.Option("--metric", "-m", help="Metric to explain.")] = "radot",
    set_: Set = None,
    config: Config = None,
    output_format: OutFormat = Format.TEXT,
    output: Output = None,
) -> None:
    """Show what a metric's score of a pair rests on.

    radot: units, plan and contributions. notation: discrepancies. ratescore: entities and their matches.
    crepe: predicted errors.
    """
    from overread.infrastructure.serialise import evidence_record, result_record

    keep_inputs(output, reference, candidate, pairs)
    pair = read_pair(reference, candidate, reference_text, candidate_text, pairs, pair_id)
    marked = [metric] if metric.partition(":")[0] == "notation" else [metric, "notation"]
    wanted = marked if output_format is Format.HTML else [metric]  # notation marks the errors on a page
    results = _service(config, set_, wanted, None, refresh=True).evaluate([pair])[0]
    result = results[metric.partition(":")[0]]
    if output_format is Format.HTML:
        write(output, _rendered(pair, results, output_format, output))
    elif output_format is Format.JSON:
        record = result_record(result)
        if result.is_scored and result.scored.evidence is not None:
            record["evidence"] = evidence_record(result.scored.evidence)
        write(output, json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        from overread.infrastructure.terminal import show_evidence

        print_view(lambda console: show_evidence(console, pair, result, _finding_name()), output)


@app.command()
def corpus(
    pairs: Annotated[Path, typer.Argument(help="CSV, TSV, JSONL or Parquet with columns id, reference, candidate.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Results: .jsonl, .parquet, or - for stdout.")],
    metric: Metrics = None,
    set_: Set = None,
    config: Config = None,
    store: Store = None,
    on_error: Annotated[OnError, typer.Option(help="A bad row ends the run, or is unscored.")] = OnError.FAIL,
    id_column: Annotated[str, typer.Option(help="Column with the pair's id.")] = "id",
    reference_column: Annotated[str, typer.Option(help="Column with the radiologist's report.")] = "reference",
    candidate_column: Annotated[str, typer.Option(help="Column with the report under test.")] = "candidate",
) -> None:
    """Score every pair of a file.

    Writes one result line a pair and metric, in the file's order.
    """
    from time import perf_counter

    from overread.application.corpus import evaluate_corpus
    from overread.infrastructure.tables import Columns, count_rows, open_writer, read_pairs

    columns = Columns(id=id_column, reference=reference_column, candidate=candidate_column)
    rows = read_pairs(pairs, columns=columns, on_error=on_error.value)
    keep_inputs(output, pairs)
    total, writer = count_rows(pairs), open_writer(output)
    service = _service(config, set_, metric, store, run=str(pairs))
    started = perf_counter()
    try:
        with progress(total) as advance, writer:
            summary = evaluate_corpus(service, rows, writer, on_progress=advance)
    finally:
        if writer.partial is not None:
            typer.echo(f"overread: stopped early; what was scored so far is in {writer.partial}", err=True)
    _show_summary(summary, perf_counter() - started, output)


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
    from overread.infrastructure.terminal import show_plugins

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
    from overread.infrastructure.terminal import show_history

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
    from overread.infrastructure.samples import sample_pairs
    from overread.infrastructure.terminal import show_evidence, show_pair

    pair = sample_pairs()[0].pair
    results = _service(None, None, ["radot", "notation", "rouge"], None, refresh=True).evaluate([pair])[0]

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
        str, typer.Option(help="What to fit: readout; counts or contrast, for an error counter.")
    ] = "readout",
) -> None:
    """Write invented pairs with known errors.

    For fitting a readout or an error counter, and for trying things out. `synthesize` does the same.
    """
    from overread.adapters.synthetic import Purpose, Style, SyntheticPairs

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


def _service(
    config: Path | None,
    overrides: list[str] | None,
    metrics: list[str] | None,
    store: Path | None,
    *,
    run: str = "",
    refresh: bool = False,
) -> EvaluationService:
    from attrs import evolve

    from overread.bootstrap import build_service

    settings = read_settings(config, overrides)
    if metrics:
        settings = evolve(settings, metrics=tuple(dict.fromkeys(metrics)))
    if store is not None:
        settings = evolve(settings, store=store)
    return build_service(settings, run=run, refresh=refresh)


def _finding_name() -> Callable[[str], str]:
    from overread.adapters.lexicon import load_knowledge

    return load_knowledge().lexicon.name


def _rendered(pair: ReportPair, results: PairResults, output_format: Format, output: Path | None) -> str:
    if output_format is Format.JSON:
        from overread.infrastructure.serialise import result_record

        records = [result_record(result) for result in results.values()]
        return json.dumps(records, indent=2, ensure_ascii=False, allow_nan=False)
    if output_format is Format.HTML:
        from overread.infrastructure.web.pair_page import pair_page

        return pair_page(pair, results, _finding_name())
    from overread.infrastructure.terminal import show_pair

    return captured(lambda console: show_pair(console, pair, results, _finding_name()), output)


def _show_summary(summary: Any, seconds: float, output: Path) -> None:
    """Rate and means on standard error, so that results may go to standard output."""
    rate = summary.pairs / seconds if seconds else 0.0
    typer.echo(f"{summary.pairs} pairs in {seconds:.1f} s ({rate:.0f} pairs/s) -> {output}", err=True)
    for name, metric in summary.metrics.items():
        mean = "no score" if metric.mean is None else f"mean {metric.mean:.4f} over {metric.scored} scored pairs"
        typer.echo(f"{name}: {mean}{_reasons(metric.unscored)}", err=True)


def _reasons(unscored: Mapping[str, int]) -> str:
    if not unscored:
        return ""
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(unscored.items()))
    return f"; {sum(unscored.values())} unscored ({reasons})"
