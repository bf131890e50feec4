"""The command line: reads its input, calls the same use cases as embedding software, shows the answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from overread import __version__
from overread.cli_lexicon import lexicon_app
from overread.exceptions import ConfigurationError, InputError, OverreadError

if TYPE_CHECKING:
    from overread.application.evaluate import EvaluationService, PairResults, Progress
    from overread.application.gold.report import CheckReport
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
fit_app = typer.Typer(help="Fit a component to labelled pairs.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(fit_app, name="fit")
benchmark_app = typer.Typer(
    help="Check the reader against labels that people made.", no_args_is_help=True, rich_markup_mode=None
)
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


ReferenceFile = Annotated[Path | None, typer.Option("--reference", help="File with the radiologist's report.")]
CandidateFile = Annotated[Path | None, typer.Option("--candidate", help="File with the report under test.")]
PairsFile = Annotated[Path | None, typer.Option("--pairs", help="Table to take the pair from, by its --id.")]
PairId = Annotated[str, typer.Option("--id", help="The pair's id: a name to show, or which one of --pairs.")]
ReferenceText = Annotated[str | None, typer.Option(help="The radiologist's report itself.")]
CandidateText = Annotated[str | None, typer.Option(help="The report under test itself.")]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="Metric to use, repeatable; `overread plugins` lists them."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="KEY=VALUE", help="aligner=partial, aligner.epsilon=0.1, readout=paper ..."),
]
Config = Annotated[Path | None, typer.Option(help="TOML file with settings.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write instead of standard output.")]
Store = Annotated[Path | None, typer.Option(help="SQLite file that keeps results; what it holds is not scored again.")]
Errors = Annotated[bool, typer.Option("--errors", help="Show the errors too; they quote your data.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]
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
    _keep_inputs(output, reference, candidate, pairs)
    pair = _pair(reference, candidate, reference_text, candidate_text, pairs, pair_id)
    service = _service(config, set_, metric, store, refresh=output_format is not Format.JSON)
    results = service.evaluate([pair])[0]
    _write(output, _rendered(pair, results, output_format, width=None if output is None else 80))


@app.command()
def explain(
    *,
    reference: ReferenceFile = None,
    candidate: CandidateFile = None,
    reference_text: ReferenceText = None,
    candidate_text: CandidateText = None,
    pairs: PairsFile = None,
    pair_id: PairId = "pair",
    set_: Set = None,
    config: Config = None,
    output_format: OutFormat = Format.TEXT,
    output: Output = None,
) -> None:
    """Show the units, the plan and what adds up to the risk.

    Units of both reports, edges by mass-weighted risk, and the contributions to each of the three risks.
    """
    from overread.infrastructure.serialise import evidence_record, result_record

    _keep_inputs(output, reference, candidate, pairs)
    pair = _pair(reference, candidate, reference_text, candidate_text, pairs, pair_id)
    results = _service(config, set_, ["radot", "notation"], None, refresh=True).evaluate([pair])[0]
    result = results["radot"]
    if output_format is Format.HTML:
        _write(output, _rendered(pair, results, output_format))
    elif output_format is Format.JSON:
        record = result_record(result)
        if result.is_scored and result.scored.evidence is not None:
            record["evidence"] = evidence_record(result.scored.evidence)
        _write(output, json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        from overread.infrastructure.terminal import show_evidence

        _write(output, _captured(lambda console: show_evidence(console, pair, result, _finding_name()), output))


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
    _keep_inputs(output, pairs)
    total, writer = count_rows(pairs), open_writer(output)
    service = _service(config, set_, metric, store, run=str(pairs))
    started = perf_counter()
    try:
        with _progress(total) as advance, writer:
            summary = evaluate_corpus(service, rows, writer, on_progress=advance)
    finally:
        if writer.partial is not None:
            typer.echo(f"overread: stopped early; what was scored so far is in {writer.partial}", err=True)
    _show_summary(summary, perf_counter() - started, output)


@app.command()
def plugins(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
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

    _write(None, _captured(lambda console: show_plugins(console, description), None))


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
    _write(None, _captured(lambda console: show_history(console, rows), None))


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

    def show(console: Console) -> None:
        for title, report in (("REFERENCE", pair.reference), ("CANDIDATE", pair.candidate)):
            console.print(title, style="bold")
            console.print(report.text + "\n", highlight=False, markup=False)
        show_pair(console, pair, results, _finding_name())
        show_evidence(console, pair, results["radot"], _finding_name())

    _write(None, _captured(show, None))
    _write(page, _rendered(pair, results, Format.HTML))
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
) -> None:
    """Write invented pairs with known errors.

    For fitting a readout, and for trying things out.
    """
    from overread.adapters.synthetic import Style, SyntheticPairs

    if style not in list(Style):
        raise ConfigurationError([f"no style {style!r}; known are {', '.join(Style)}"])
    try:
        count = SyntheticPairs(seed=seed, studies=studies, style=Style(style)).write_jsonl(output)
    except OSError as error:
        raise InputError(str(output), f"cannot be written: {error.strerror}") from error
    typer.echo(f"{count} pairs of {studies} studies in {output}", err=True)


@fit_app.command("readout")
def fit_readout(
    *,
    pairs: Annotated[
        Path,
        typer.Option(help="Table with id, study, reference, candidate, total, significant, insignificant."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Coefficients to write, for --set readout=KIND:FILE.")],
    kind: Annotated[str, typer.Option(help="relaxed, debiased or paper.")] = "relaxed",
    set_: Set = None,
    grid: Annotated[bool, typer.Option(help="Search all priors and epsilons; else only the default.")] = True,
    cost: Annotated[
        str | None, typer.Option(help="relation or table-ii; by default as the kind.", show_default=False)
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name in the readout's identity; the file's by default.")] = None,
    note: Annotated[str, typer.Option(help="How the pairs came about; kept with the coefficients.")] = "",
    test: Annotated[Path | None, typer.Option(help="Pairs of other studies to try the fitted readout on.")] = None,
) -> None:
    """Refit the readout to labelled pairs.

    Grid of priors and epsilons, 5-fold by study, chosen by macro held-out Spearman.
    """
    from overread.bootstrap import fit_readout as fit
    from overread.infrastructure.labelled import read_labelled
    from overread.infrastructure.terminal import show_selection, show_transfer

    _keep_inputs(output, pairs, *([] if test is None else [test]))
    if not output.parent.is_dir():
        raise InputError(str(output), f"the folder {output.parent} does not exist", remedy="make it first")
    settings = _settings(None, set_)
    labelled = read_labelled(pairs)
    with _progress(None, "fitting") as advance:
        report = fit(
            settings,
            labelled,
            kind=kind,
            grid=grid,
            cost=cost,
            name=name or pairs.stem,
            note=note,
            test=() if test is None else read_labelled(test),
            on_progress=advance,
        )
    _write(output, json.dumps(report.record, indent=1, allow_nan=False))
    _write(None, _captured(lambda console: show_selection(console, report.rows), None))
    if report.transfer:
        _write(None, _captured(lambda console: show_transfer(console, report.transfer), None))
    for pair_id, reason in report.skipped:
        typer.echo(f"left out {pair_id}: {reason}", err=True)
    chosen = report.record["aligner"]
    typer.echo(
        f"fitted on {report.pairs} pairs of {report.studies} studies; use it with "
        f"--set readout={kind}:{output} --set aligner=balanced:{chosen['prior']} "
        f"--set aligner.epsilon={chosen['epsilon']}",
        err=True,
    )


@benchmark_app.command("polarity")
def benchmark_polarity(
    *,
    data: Annotated[Path, typer.Option(help="TSV of marked phrases, as in the NegEx and ConText test kit.")],
    errors: Errors = False,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check negation, history and experiencer.

    Marked phrases in sentences, each labelled negated or affirmed, historical or not, patient or another person.
    """
    from overread.bootstrap import check_polarity

    settings = _settings(config, set_)
    with _progress(None, "reading") as advance:
        report = check_polarity(settings, data, on_progress=advance)
    _show_check(report, errors=errors, as_json=as_json)


@benchmark_app.command("findings")
def benchmark_findings(
    *,
    data: Annotated[Path, typer.Option(help="Open-i reports: NLMCXR_reports.tgz, or a folder of their XML files.")],
    min_count: Annotated[int, typer.Option(min=1, help="Leave out terms of fewer reports.")] = 10,
    errors: Errors = False,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check findings against coded reports.

    Coded findings found, findings without a code, alarms in normal reports, sentences without a reading.
    """
    from overread.bootstrap import check_findings

    settings = _settings(config, set_)
    with _progress(None, "reading") as advance:
        report = check_findings(settings, data, min_count=min_count, on_progress=advance)
    _show_check(report, errors=errors, as_json=as_json)


@benchmark_app.command("entailment")
def benchmark_entailment(
    *,
    data: Annotated[Path, typer.Option(help="JSON list of labelled phrases, as in RadFact's examples.")],
    errors: Errors = False,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check entailment of statements by reports.

    Phrases labelled entailed, contradicted or neutral against the phrases of another report.
    """
    from overread.bootstrap import check_entailment

    settings = _settings(config, set_)
    with _progress(None, "reading") as advance:
        report = check_entailment(settings, data, on_progress=advance)
    _show_check(report, errors=errors, as_json=as_json)


@benchmark_app.command("names")
def benchmark_names(
    *,
    data: Annotated[Path, typer.Option(help="CSV with id, name, synonyms, as in OIDM's list of chest X-ray findings.")],
    errors: Errors = False,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check that names of findings are read.

    Each name and synonym alone, against the findings that are right for its entry.
    """
    from overread.bootstrap import check_names

    settings = _settings(config, set_)
    _show_check(check_names(settings, data), errors=errors, as_json=as_json)


@benchmark_app.command("significance")
def benchmark_significance(
    *,
    data: Annotated[Path, typer.Option(help="Table with id, aspect, significant, reference, candidate.")],
    errors: Errors = False,
    as_json: AsJson = False,
    set_: Set = None,
    config: Config = None,
) -> None:
    """Check significance on pairs that differ in one thing.

    Whether notation finds what matters, and keeps quiet about what does not.
    """
    from overread.bootstrap import check_significance

    settings = _settings(config, set_)
    with _progress(None, "scoring") as advance:
        report = check_significance(settings, data, on_progress=advance)
    _show_check(report, errors=errors, as_json=as_json)


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


def _show_check(report: CheckReport, *, errors: bool, as_json: bool) -> None:
    if as_json:
        from overread.infrastructure.serialise import check_record

        typer.echo(json.dumps(check_record(report, errors=errors), indent=2, ensure_ascii=False, allow_nan=False))
        return
    from overread.infrastructure.terminal import show_check

    _write(None, _captured(lambda console: show_check(console, report, errors=errors), None))


def _settings(config: Path | None, overrides: list[str] | None) -> Settings:
    from overread.infrastructure.logs import configure
    from overread.infrastructure.settings import load_settings

    settings = load_settings(config, overrides or [])
    configure(settings.log_level)
    return settings


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

    settings = _settings(config, overrides)
    if metrics:
        settings = evolve(settings, metrics=tuple(dict.fromkeys(metrics)))
    if store is not None:
        settings = evolve(settings, store=store)
    return build_service(settings, run=run, refresh=refresh)


def _keep_inputs(output: Path | None, *inputs: Path | None) -> None:
    """Refuses an output that would replace what is read."""
    for source in inputs:
        if (
            output is not None
            and source is not None
            and output.exists()
            and source.exists()
            and output.samefile(source)
        ):
            raise InputError(str(output), "is the file that is read", remedy="name another for the output")


def _pair(
    reference: Path | None,
    candidate: Path | None,
    reference_text: str | None,
    candidate_text: str | None,
    pairs: Path | None,
    pair_id: str,
) -> ReportPair:
    from overread.domain.report import ReportPair

    if pairs is not None:
        if any(source is not None for source in (reference, candidate, reference_text, candidate_text)):
            raise ConfigurationError(["give --pairs and --id, or the two reports, not both"])
        return _row(pairs, pair_id)
    return ReportPair(
        id=pair_id,
        reference=_text("reference", reference, reference_text),
        candidate=_text("candidate", candidate, candidate_text),
    )


def _row(pairs: Path, pair_id: str) -> ReportPair:
    from overread.domain.report import ReportPair
    from overread.infrastructure.tables import Columns, read_pairs

    for row in read_pairs(pairs, columns=Columns(), on_error="skip"):
        if row.id == pair_id and isinstance(row, ReportPair):
            return row
    raise InputError(str(pairs), f"has no usable pair with id {pair_id!r}", remedy="name one with --id")


def _text(name: str, path: Path | None, text: str | None) -> str:
    from overread.infrastructure.tables import read_text

    if text is not None and any("\ud800" <= character <= "\udfff" for character in text):
        raise ConfigurationError([f"--{name}-text is not UTF-8; save it as a file in UTF-8 and use --{name} FILE"])
    if (path is None) == (text is None):
        raise ConfigurationError([f"give the {name} as --{name} FILE or as --{name}-text TEXT, one of them"])
    return read_text(path) if path is not None else text or ""


def _finding_name() -> Callable[[str], str]:
    from overread.adapters.lexicon import load_knowledge

    return load_knowledge().lexicon.name


def _rendered(pair: ReportPair, results: PairResults, output_format: Format, *, width: int | None = None) -> str:
    if output_format is Format.JSON:
        from overread.infrastructure.serialise import result_record

        records = [result_record(result) for result in results.values()]
        return json.dumps(records, indent=2, ensure_ascii=False, allow_nan=False)
    if output_format is Format.HTML:
        from overread.infrastructure.web.pair_page import pair_page

        return pair_page(pair, results, _finding_name())
    from overread.infrastructure.terminal import show_pair

    return _captured(lambda console: show_pair(console, pair, results, _finding_name()), Path("-") if width else None)


def _captured(show: Callable[[Console], None], output: Path | None) -> str:
    """What a view prints: for a file in 80 plain columns, else as the terminal has it."""
    console = _console() if output is None else Console(width=80, no_color=True, force_terminal=False)
    with console.capture() as capture:
        show(console)
    text = capture.get().rstrip("\n")
    return text if console.is_terminal else "\n".join(line.rstrip() for line in text.split("\n"))


def _console() -> Console:
    """Standard output; 80 columns in a pipe, where there is no width to ask for."""
    return Console() if sys.stdout.isatty() else Console(width=80)


def _write(output: Path | None, text: str) -> None:
    if output is None or str(output) == "-":
        typer.echo(text)
        return
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(str(output), f"cannot be written: {error.strerror}") from error


@contextmanager
def _progress(total: int | None, what: str = "scoring") -> Iterator[Progress]:
    """A bar on a terminal, nothing in a pipe; it stands on standard error, so output stays clean."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


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
