"""`overread reproduce`: the tables of the papers, beside the figures that they print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from overread.cli.study import Csv, Draws, Html, Seed, check_outputs, show_study
from overread.cli.support import (
    Answers,
    AsJson,
    Config,
    Metrics,
    Set,
    progress,
    read_settings,
    watch_model,
)

__all__ = ["reproduce_app"]

reproduce_app = typer.Typer(
    help="Compute a paper's tables on data of yours, beside the figures it prints.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Split(StrEnum):
    """Splits of ReXErr-v1."""

    ALL = "all"
    TRAIN = "train"
    VAL = "val"
    TEST = "test"


Tables = Annotated[
    list[str] | None, typer.Option("--table", help="Table to make, as the paper counts, repeatable; all by default.")
]
Results = Annotated[
    list[Path] | None, typer.Option("--results", help="Result file of another metric over the same pairs, repeatable.")
]
SetResults = Annotated[
    list[Path] | None,
    typer.Option(
        "--results",
        metavar="[SET=]FILE",
        help="Result file to judge, repeatable; alone, nothing is scored. SET= where ids are in two sets.",
    ),
]
ReXVal = Annotated[Path | None, typer.Option(help="ReXVal: the folder of its files.")]
RadEvalX = Annotated[Path | None, typer.Option(help="RadEvalX: the folder of its files.")]
RaTEEval = Annotated[Path | None, typer.Option(help="RaTE-Eval: the file of a task, or the folder.")]


@reproduce_app.callback()
def _reproduce() -> None:
    """Commands by paper."""


@reproduce_app.command("radot")
def reproduce_radot(
    *,
    rexval: Annotated[Path, typer.Option(help="ReXVal: the folder of its files; everything is fitted on it.")],
    radevalx: Annotated[Path | None, typer.Option(help="RadEvalX: the folder of its files.")] = None,
    rexerr: Annotated[Path | None, typer.Option(help="ReXErr-v1: its file of reports, or the folder.")] = None,
    rexerr_split: Annotated[Split, typer.Option(help="Which of ReXErr-v1's files to read.")] = Split.ALL,
    results: Results = None,
    tables: Tables = None,
    draws: Draws = 10_000,
    seed: Seed = 7,
    as_json: AsJson = False,
    csv: Csv = None,
    html: Html = None,
    set_: Set = None,
    config: Config = None,
) -> None:
    """RadOT-Eval: selection on ReXVal, transfer to RadEvalX and ReXErr-v1.

    Tables I, III to VIII, X and XI, and the fifths of section VI-D.
    """
    from overread.bootstrap.reproduction import PaperRun
    from overread.bootstrap.reproduction import reproduce_radot as reproduce

    check_outputs(csv, html, rexval, radevalx, rexerr, *(results or ()))
    settings = read_settings(config, set_)
    with progress(None, "reproducing", "sets and tables") as advance:
        run = PaperRun(
            settings=settings,
            results=tuple(results or ()),
            tables=tuple(tables or ()),
            draws=draws,
            seed=seed,
            on_progress=advance,
        )
        given = {"rexval": rexval, "radevalx": radevalx, "rexerr": rexerr}
        tabulation = reproduce(run, given, rexerr_split=rexerr_split.value)
    show_study(tabulation, as_json=as_json, csv=csv, html=html)


def _files(results: Sequence[Path] | None) -> Iterator[Path]:
    """The files of --results, named with their set or not."""
    for given in results or ():
        yield given
        yield Path(str(given).partition("=")[2] or given)


def _add_metric_paper(key: str, words: str, **options: Any) -> None:
    """Adds the command of a paper that judges metrics: what it says of itself, and an option for each of its sets."""

    def command(
        *,
        metric: Metrics = None,
        results: SetResults = None,
        tables: Tables = None,
        draws: Draws = 10_000,
        seed: Seed = 0,
        answers: Answers = None,
        as_json: AsJson = False,
        csv: Csv = None,
        html: Html = None,
        set_: Set = None,
        config: Config = None,
        **given: Path | None,
    ) -> None:
        from attrs import evolve

        from overread.bootstrap.reproduction import PaperRun, reproduce_metric_paper

        check_outputs(csv, html, *given.values(), *_files(results))
        settings = read_settings(config, set_, metrics=metric, answers=answers)
        if results:
            settings = evolve(settings, metrics=tuple(metric or ()))
        watch = watch_model()
        with progress(None, of="pairs", watch=watch) as advance:
            run = PaperRun(
                settings=settings,
                results=tuple(results or ()),
                tables=tuple(tables or ()),
                draws=draws,
                seed=seed,
                on_progress=advance,
                watch=watch,
            )
            sets = {name.replace("_", "-"): path for name, path in given.items()}
            tabulation = reproduce_metric_paper(key, run, sets)
        show_study(tabulation, as_json=as_json, csv=csv, html=html)

    parameters = signature(command, eval_str=True).parameters.values()
    shared = [each for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    own = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=option) for name, option in options.items()]
    command.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]
    reproduce_app.command(key, help=words)(command)


_add_metric_paper(
    "crepe",
    """CREPE: correlation with counted errors on four sets, and speed.

    Tables 1, 2, 3 and 5, and section 4.6 as 4.6.
    """,
    rexval=ReXVal,
    radevalx=RadEvalX,
    refisco=Annotated[Path | None, typer.Option(help="ReFiSco-v0: its table of lines, or the folder.")],
    rate_eval=RaTEEval,
)
_add_metric_paper(
    "green",
    """GREEN: error counts against six radiologists, and preferences.

    Tables 1 and 4 to 7.
    """,
    rexval=ReXVal,
    preferences=Annotated[Path | None, typer.Option(help="Comparisons of two candidates by radiologists.")],
)
_add_metric_paper(
    "ratescore",
    """RaTEScore: correlation, and synonyms above antonyms.

    Tables 4 and 5, and section 4.3.
    """,
    rexval=ReXVal,
    rate_eval=RaTEEval,
)
_add_metric_paper(
    "judge",
    """Beyond Scalar Scores: what ReEvalMed tells of metrics.

    Tables 2 to 4, aspects, and figures as figure-4, figure-5 and figure-9.
    """,
    reevalmed=Annotated[Path | None, typer.Option(help="ReEvalMed's test set, or pairs of overread inject.")],
)
