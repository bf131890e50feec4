"""`overread reproduce`: the tables of the papers, beside the figures that they print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from overread.cli.endings import Coverage, MaxUnscored, check_unscored
from overread.cli.grammar import Commands, if_stopped, kept_answers
from overread.cli.output import AsJson
from overread.cli.progressing import progress
from overread.cli.support import (
    Answers,
    Config,
    Metrics,
    Set,
    read_settings,
    watch_model,
)
from overread.studies.cli.study import (
    Draws,
    OldCsv,
    OldHtml,
    Seed,
    StudyFormat,
    StudyOutput,
    say_understood,
    show_study,
    study_targets,
)

if TYPE_CHECKING:
    from overread.domain.results.scores import MetricScores

__all__ = ["reproduce_app"]

reproduce_app = Commands(help="Compute a paper's tables on your data, beside the paper's.")


class Split(StrEnum):
    """Splits of ReXErr-v1."""

    ALL = "all"
    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class Reference(StrEnum):
    """Reference that reports of ReFiSco-v0 are read against."""

    AUTO = "auto"
    CORRECTED = "corrected"
    EXPERT = "expert"


Tables = Annotated[
    list[str] | None,
    typer.Option(
        "--table", metavar="NUMBER", help="Table to compute, by the paper's number, repeatable; all by default."
    ),
]
Results = Annotated[
    list[Path] | None,
    typer.Option("--results", metavar="FILE", help="Result file of another metric over the same pairs, repeatable."),
]
SetResults = Annotated[
    list[Path] | None,
    typer.Option(
        "--results",
        metavar="[SET=]FILE",
        help=(
            "Result file to judge, repeatable; without --metric nothing is scored. Give SET= if its ids are in "
            "two sets."
        ),
    ),
]
ReXVal = Annotated[Path | None, typer.Option(metavar="PATH", help="ReXVal: the folder of its files.")]
RadEvalX = Annotated[Path | None, typer.Option(metavar="PATH", help="RadEvalX: the folder of its files.")]
RaTEEval = Annotated[Path | None, typer.Option(metavar="PATH", help="RaTE-Eval: the file of a task, or the folder.")]


_REFERENCE = "_reference"
"""End of the name of an option that tells a set's reference; the set stands before it."""


@reproduce_app.callback()
def _reproduce() -> None:
    """Commands by paper."""


@reproduce_app.command("radot")
def reproduce_radot(
    *,
    rexval: Annotated[
        Path, typer.Option(metavar="PATH", help="ReXVal: the folder of its files; everything is fitted on it.")
    ],
    radevalx: Annotated[Path | None, typer.Option(metavar="PATH", help="RadEvalX: the folder of its files.")] = None,
    rexerr: Annotated[
        Path | None, typer.Option(metavar="PATH", help="ReXErr-v1: its file of reports, or the folder.")
    ] = None,
    rexerr_split: Annotated[
        Split, typer.Option(metavar="SPLIT", help="train, val, test or all: which of ReXErr-v1's files to read.")
    ] = Split.ALL,
    results: Results = None,
    tables: Tables = None,
    draws: Draws = 10_000,
    seed: Seed = 7,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    csv: OldCsv = None,
    html: OldHtml = None,
    set_: Set = None,
    config: Config = None,
) -> None:
    """RadOT-Eval: selection on ReXVal, transfer to RadEvalX and ReXErr-v1.

    Tables I, III to VIII, X and XI, and the fifths of section VI-D.
    """
    from overread.studies.bootstrap.reproduction import PaperRun
    from overread.studies.bootstrap.reproduction import reproduce_radot as reproduce

    inputs, old = (rexval, radevalx, rexerr, *(results or ())), (as_json, csv, html)
    targets = study_targets(output_format, output, *inputs, command="reproduce radot", old=old)
    settings = read_settings(config, set_)
    with progress(None, "reproducing", "sets and tables") as advance:
        run = PaperRun(
            settings=settings,
            results=tuple(results or ()),
            tables=tuple(tables or ()),
            draws=draws,
            seed=seed,
            on_progress=advance,
            on_read=say_understood,
        )
        given = {"rexval": rexval, "radevalx": radevalx, "rexerr": rexerr}
        tabulation = reproduce(run, given, rexerr_split=rexerr_split.value)
    show_study(tabulation, targets)


def _files(results: Sequence[Path] | None) -> Iterator[Path]:
    """The files of --results, named with their set or not."""
    for given in results or ():
        yield given
        yield Path(str(given).partition("=")[2] or given)


def _count(coverage: dict[str, Coverage], scores: Sequence[MetricScores]) -> None:
    """Adds what metrics have and have not scored of a set."""
    for scored in scores:
        before, unscored = coverage.get(scored.metric, Coverage()), sum(scored.unscored.values())
        coverage[scored.metric] = Coverage(before.scored + len(scored.ids) - unscored, before.unscored + unscored)


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
        output_format: StudyFormat = None,
        output: StudyOutput = None,
        as_json: AsJson = False,
        csv: OldCsv = None,
        html: OldHtml = None,
        max_unscored: MaxUnscored = None,
        set_: Set = None,
        config: Config = None,
        **given: Path | Reference | None,
    ) -> None:
        from attrs import evolve

        from overread.studies.bootstrap.reproduction import PaperRun, reproduce_metric_paper

        paths = {name.replace("_", "-"): path for name, path in given.items() if not isinstance(path, Reference)}
        chosen = {
            name.removesuffix(_REFERENCE): {"reference": word.value}
            for name, word in given.items()
            if isinstance(word, Reference)
        }
        inputs, old = (*paths.values(), *_files(results)), (as_json, csv, html)
        targets = study_targets(output_format, output, *inputs, command=f"reproduce {key}", old=old)
        settings = read_settings(config, set_, metrics=metric, answers=answers)
        if results:
            settings = evolve(settings, metrics=tuple(metric or ()))
        watch, coverage = watch_model(), dict[str, Coverage]()
        with if_stopped(lambda: kept_answers(settings.answers)), progress(of="pairs", watch=watch) as advance:
            run = PaperRun(
                settings=settings,
                results=tuple(results or ()),
                tables=tuple(tables or ()),
                draws=draws,
                seed=seed,
                on_progress=advance,
                on_read=say_understood,
                on_scores=lambda scores: _count(coverage, scores),
                watch=watch,
            )
            tabulation = reproduce_metric_paper(key, run, paths, chosen)
        show_study(tabulation, targets)
        check_unscored(coverage, max_unscored)

    parameters = signature(command, eval_str=True).parameters.values()
    shared = [parameter for parameter in parameters if parameter.kind is Parameter.KEYWORD_ONLY]
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
    refisco=Annotated[Path | None, typer.Option(metavar="PATH", help="ReFiSco-v0: its table of lines, or the folder.")],
    refisco_reference=Annotated[
        Reference | None,
        typer.Option(metavar="WORD", help="auto, corrected or expert: reference of the reports of ReFiSco-v0."),
    ],
    rate_eval=RaTEEval,
)
_add_metric_paper(
    "green",
    """GREEN: error counts against six radiologists, and preferences.

    Tables 1 and 4 to 7.
    """,
    rexval=ReXVal,
    preferences=Annotated[
        Path | None, typer.Option(metavar="PATH", help="Comparisons of two candidates by radiologists.")
    ],
    radpref=Annotated[
        Path | None, typer.Option(metavar="PATH", help="RadPref: its folder; Table 7's protocol on another set.")
    ],
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
    """Beyond Scalar Scores: what ReEvalMed shows about metrics.

    Tables 2 to 4, aspects, and figures as figure-4, figure-5 and figure-9.
    """,
    reevalmed=Annotated[
        Path | None, typer.Option(metavar="PATH", help="ReEvalMed's test set, or pairs of overread inject.")
    ],
)
