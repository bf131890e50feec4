"""`overread compare` and `overread leaderboard`: what kept results say of systems and of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overread.cli.endings import end_worse
from overread.cli.grammar import Panel
from overread.cli.output import AsJson, say_written
from overread.exceptions import ConfigurationError
from overread.studies.cli.study import (
    Draws,
    OldCsv,
    OldHtml,
    ScoreHigher,
    ScoreLower,
    Seed,
    StudyFormat,
    StudyOutput,
    score_directions,
    show_study,
    study_targets,
)

if TYPE_CHECKING:
    from overread.studies.bootstrap.studies import Compared

__all__ = ["compare", "leaderboard"]


class Of(StrEnum):
    """Things that are compared."""

    SYSTEMS = "systems"
    METRICS = "metrics"


Result = Annotated[str, typer.Argument(metavar="A", help="Results of overread corpus -o, or NAME=FILE.")]
Other = Annotated[str | None, typer.Argument(metavar="B", help="Results to compare with, or NAME=FILE.")]
ResultFiles = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Results, one file per system, or NAME=FILE; or a folder of such files."),
]
Metric = Annotated[
    list[str] | None, typer.Option("--metric", "-m", metavar="NAME", help="Metric to use, repeatable; all by default.")
]
Pairs = Annotated[
    list[Path] | None,
    typer.Option(
        "--pairs",
        metavar="FILE",
        help="The pairs of A, then those of B; needed for studies, kinds and pages. With --fail-if-worse one is of B.",
    ),
]
Studies = Annotated[
    list[Path] | None,
    typer.Option("--pairs", metavar="FILE", help="The pairs; their column study keeps the pairs of a study together."),
]
By = Annotated[
    list[str] | None, typer.Option("--by", metavar="COLUMN", help="Column of --pairs with the kind of each pair.")
]
Shown = Annotated[
    int, typer.Option("--show", min=0, metavar="N", help="Pairs listed for each metric in each direction.")
]
Force = Annotated[bool, typer.Option("--force", help="Also compare scores made with different settings.")]
Folder = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Folder for a page of each listed pair.", rich_help_panel=Panel.OUTPUT),
]


def compare(
    first: Result,
    second: Other = None,
    *,
    of: Annotated[
        Of | None,
        typer.Option(
            "--of", metavar="WHAT", help="systems or metrics; two files that share a metric are systems by default."
        ),
    ] = None,
    metric: Metric = None,
    pairs: Pairs = None,
    by: By = None,
    score_higher_is_better: ScoreHigher = None,
    score_lower_is_better: ScoreLower = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    show: Shown = 5,
    force: Force = False,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="Take A for the baseline of B: if B is significantly worse by any metric, the exit status is 1.",
            rich_help_panel=Panel.BASELINE,
        ),
    ] = False,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            "--margin",
            metavar="[METRIC=]NUMBER",
            help="With --fail-if-worse, loss of the mean that passes, repeatable; 0 by default.",
            rich_help_panel=Panel.BASELINE,
        ),
    ] = None,
    max_lost: Annotated[
        float | None,
        typer.Option(
            "--max-lost",
            min=0,
            max=1,
            metavar="SHARE",
            help="With --fail-if-worse, share of the pairs scored in A that may be unscored in B; 0 by default.",
            show_default=False,
            rich_help_panel=Panel.BASELINE,
        ),
    ] = None,
    pages: Folder = None,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    csv: OldCsv = None,
    html: OldHtml = None,
) -> None:
    """Compare two systems, or the metrics of one.

    Paired differences with intervals and p values, errors by kind, wins and losses; for metrics, how far they rank
    the pairs alike and where they do not.
    """
    from overread.studies.bootstrap.baselines import compare_with_baseline, read_limits
    from overread.studies.bootstrap.studies import compare_results
    from overread.studies.infrastructure.files.sources import named_file, two_files

    if not fail_if_worse and (margin or max_lost is not None):
        raise ConfigurationError(["--margin and --max-lost say what passes with --fail-if-worse; give that, too"])
    if fail_if_worse and (second is None or of is Of.METRICS):
        raise ConfigurationError(["--fail-if-worse compares two systems; give the baseline, then the results"])
    if fail_if_worse and pages is not None and len(pairs or ()) == 1:
        raise ConfigurationError(["--pages shows the reports of both; give --pairs for the baseline, too"])
    limits = read_limits(margin or (), max_lost or 0.0)
    files = [first] if second is None else [first, second]
    sources = tuple(pairs or ())
    if len(sources) > len(files):
        raise ConfigurationError(["--pairs is given more often than there are result files"])
    if pages is not None and not sources:
        raise ConfigurationError(["--pages needs the reports; give them with --pairs, once for each result file"])
    read, old = (*(named_file(file)[1] for file in files), *sources), (as_json, csv, html)
    targets = study_targets(output_format, output, *read, command="compare", old=old)
    directions = score_directions(score_higher_is_better, score_lower_is_better)
    given = _build_compared(sources, by, metric, directions, draws, seed)
    regression = None
    if fail_if_worse:
        regression, tabulation = compare_with_baseline(files, given, limits, shown=show, force=force)
    else:
        tabulation = compare_results(files, given, of=of.value if of else None, shown=show, force=force)
    if pages is not None:
        from overread.bootstrap.naming import finding_name, read_signs
        from overread.studies.infrastructure.views.compared_pages import write_pair_pages

        both, page = two_files(files), targets.page
        tabulation = write_pair_pages(
            tabulation, both, sources, pages, page=page, finding_name=finding_name, signs=read_signs
        )
        say_written(pages, "a page for each listed pair")
    show_study(tabulation, targets)
    if regression is not None and regression.fails:
        end_worse(regression.describe())


def leaderboard(
    files: ResultFiles,
    *,
    metric: Metric = None,
    pairs: Studies = None,
    score_higher_is_better: ScoreHigher = None,
    score_lower_is_better: ScoreLower = None,
    draws: Draws = 10_000,
    seed: Seed = 0,
    force: Force = False,
    site: Annotated[
        Path | None,
        typer.Option(
            "--site",
            metavar="FOLDER",
            help="Folder for static pages: the leaderboard, a page for each system, and the figures as JSON.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    output_format: StudyFormat = None,
    output: StudyOutput = None,
    as_json: AsJson = False,
    csv: OldCsv = None,
    html: OldHtml = None,
) -> None:
    """Rank many systems.

    By each metric: means with intervals, ranks, and letters for systems that do not differ significantly.
    """
    from overread.studies.bootstrap.leaderboard_site import result_files, write_site
    from overread.studies.bootstrap.studies import rank_results
    from overread.studies.infrastructure.files.sources import named_file

    sources = tuple(pairs or ())
    if len(sources) > 1:
        raise ConfigurationError(
            ["--pairs is given more than once; a leaderboard takes one file, for the studies of all"]
        )
    files = result_files(files)
    read, old = (*(named_file(file)[1] for file in files), *sources), (as_json, csv, html)
    targets = study_targets(output_format, output, *read, command="leaderboard", old=old)
    directions = score_directions(score_higher_is_better, score_lower_is_better)
    given = _build_compared(sources, None, metric, directions, draws, seed)
    ranked = rank_results(files, given, force=force)
    if site is not None:
        ranked = write_site(site, ranked, files, given)
        say_written(site, f"a page for each of {len(files)} systems")
    show_study(ranked, targets)


def _build_compared(
    pairs: tuple[Path, ...],
    by: Iterable[str] | None,
    metrics: Iterable[str] | None,
    directions: Mapping[str, bool],
    draws: int,
    seed: int,
) -> Compared:
    from overread.studies.bootstrap.studies import Compared

    return Compared(
        pairs=pairs,
        by=tuple(dict.fromkeys(by or ())),
        directions=directions,
        metrics=tuple(dict.fromkeys(metrics or ())),
        draws=draws,
        seed=seed,
    )
