"""`overread benchmark NAME`: metrics judged by what people said of the same pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from overread.cli.endings import Coverage, MaxUnscored, check_unscored
from overread.cli.grammar import Commands, Panel, if_stopped, kept_answers
from overread.cli.naming import option_name
from overread.cli.output import AsJson, say_written
from overread.cli.progressing import progress
from overread.cli.support import (
    Answers,
    Config,
    Metrics,
    Set,
    read_settings,
    watch_model,
)
from overread.exceptions import ConfigurationError
from overread.infrastructure.files.whole_files import keep_inputs
from overread.studies.cli.study import (
    Draws,
    OldCsv,
    OldHtml,
    ScoreHigher,
    ScoreLower,
    Seed,
    StudyFormat,
    StudyOutput,
    say_understood,
    score_directions,
    show_study,
    study_targets,
)
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS

if TYPE_CHECKING:
    from overread.application.statistics.tabulation import Tabulation
    from overread.studies.infrastructure.datasets.annotated_sets import BenchmarkFormat, BenchmarkOption

__all__ = ["benchmark_app"]

benchmark_app = Commands(help="Judge metrics, and check the reader, against what people said.")


class Measure(StrEnum):
    """Correlations."""

    KENDALL = "kendall"
    SPEARMAN = "spearman"
    PEARSON = "pearson"


def _judge(
    name: str,
    options: Mapping[str, Any],
    *,
    data: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The set as its authors distribute it: a folder or a file.")
    ],
    metric: Metrics = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Results of the same pairs to judge, repeatable; without --metric nothing is scored."
        ),
    ] = None,
    score_higher_is_better: ScoreHigher = None,
    score_lower_is_better: ScoreLower = None,
    target: Annotated[
        str | None, typer.Option(metavar="NAME", help="Target of comparisons and strata, e.g. significant.")
    ] = None,
    measure: Annotated[
        Measure,
        typer.Option(
            metavar="MEASURE",
            help=(
                "kendall, spearman or pearson: the correlation to compare and draw where people say more than "
                "yes or no."
            ),
        ),
    ] = Measure.SPEARMAN,
    draws: Draws = 10_000,
    seed: Seed = 0,
    answers: Answers = None,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    csv: OldCsv = None,
    html: OldHtml = None,
    max_unscored: MaxUnscored = None,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the pairs as JSON lines for overread corpus, and stop.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    set_: Set = None,
    config: Config = None,
) -> None:
    from attrs import evolve

    from overread.infrastructure.views.wording import format_count
    from overread.studies.bootstrap.studies import meta_evaluate_benchmark
    from overread.studies.infrastructure.datasets.annotated_sets import read_benchmark
    from overread.studies.infrastructure.datasets.annotated_sets.generic import write_pairs

    inputs = [path for path in (data, *(results or ())) if path is not None]
    keep_inputs(export, *inputs)
    old = (as_json, csv, html)
    targets = study_targets(output_format, output, *inputs, command=f"benchmark {name}", old=old)
    directions = score_directions(score_higher_is_better, score_lower_is_better)
    settings = read_settings(config, set_, metrics=metric, answers=answers)
    if results:
        settings = evolve(settings, metrics=tuple(metric or ()))
    benchmark = read_benchmark(name, data, options)
    say_understood(name, benchmark)
    if export is not None:
        write_pairs(benchmark, export)
        say_written(export, format_count(len(benchmark.pairs), "pair"))
        return
    watch = watch_model()
    stopped = if_stopped(lambda: kept_answers(settings.answers))
    with stopped, progress(len(benchmark.pairs), of="pairs", watch=watch) as advance:
        tabulation = meta_evaluate_benchmark(
            settings,
            benchmark,
            results=results or (),
            directions=directions,
            target=target,
            draws=draws,
            seed=seed,
            correlation=measure.value,
            on_progress=advance,
            watch=watch,
        )
    show_study(tabulation, targets)
    check_unscored(_coverage(tabulation), max_unscored)


def _coverage(tabulation: Tabulation) -> dict[str, Coverage]:
    """Coverage of each metric that left pairs unscored."""
    rows = [row for table in tabulation.tables if table.name == "unscored" for row in table.rows]
    total, unscored = tabulation.count("pairs"), Counter[str]()
    for metric, _, pairs in rows:
        if isinstance(metric, str) and isinstance(pairs, int):
            unscored[metric] += pairs
    return {metric: Coverage(total - pairs, pairs) for metric, pairs in unscored.items()}


_SHIPPED_DATA: Final = Annotated[
    Path | None, typer.Option(metavar="PATH", help="Folder of the same files, instead of those shipped.")
]


def _command(form: BenchmarkFormat) -> Callable[..., None]:
    """`_judge` for one set, with the options of its reader after --data."""

    def command(**given: Any) -> None:
        values = {option.name: _value(option, given.pop(option.name)) for option in form.options}
        _judge(form.name, {name: value for name, value in values.items() if value is not None}, **given)

    _, _, data, *shared = signature(_judge, eval_str=True).parameters.values()
    if form.shipped:
        data = data.replace(annotation=_SHIPPED_DATA, default=None)
    command.__signature__ = Signature([data, *map(_parameter, form.options), *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {}
    return command


def _parameter(option: BenchmarkOption) -> Parameter:
    """An option of a reader as one of the command."""
    kinds: Mapping[str, Any] = {
        "choice": Literal[option.choices] if option.choices else str,
        "path": Path | None,
        "names": list[str] | None,
        "mapping": list[str] | None,
    }
    default = option.choices[0] if option.choices else None
    words = option.help if option.kind == "choice" else f"{option.help[:1].upper()}{option.help[1:]}"
    metavar = {"mapping": "NAME=VALUE", "names": "NAME", "path": "FILE"}.get(option.kind, "WORD")
    if option.choices:
        words = f"{', '.join(option.choices[:-1])} or {option.choices[-1]}: {words}"
    declared = typer.Option(default, option_name(option.name), help=f"{words}.", metavar=metavar)
    return Parameter(option.name, Parameter.KEYWORD_ONLY, annotation=kinds[option.kind], default=declared)


def _value(option: BenchmarkOption, given: Any) -> Any:
    """Value given for an option, as its reader takes it; None if nothing was given."""
    if not given or option.kind in {"choice", "path"}:
        return given or None
    if option.kind == "names":
        return tuple(given)
    odd = [text for text in given if "=" not in text]
    if odd:
        raise ConfigurationError([f"{option_name(option.name)} takes NAME=VALUE, not {text!r}" for text in odd])
    return dict(text.split("=", 1) for text in given)


for _form in BENCHMARKS.values():
    benchmark_app.command(_form.name, help=f"{_form.title}.\n\nData: {_form.expects}.")(_command(_form))
