"""`overread verify`: tells whether results can be made again with what is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from overread.cli.grammar import Panel
from overread.cli.output import Format, Output, check_target, format_option
from overread.cli.progressing import progress
from overread.cli.support import Config, Set, plugins_print_aside, read_settings
from overread.exceptions import InputError
from overread.studies.cli.study import Seed, StudyTargets, show_study

__all__ = ["verify"]

_FORMATS: Final = (Format.TEXT, Format.JSON, Format.CSV, Format.HTML)
_CHANGED: Final = 3
"""Exit status where results cannot be made again."""


def verify(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="Results of overread corpus -o.")],
    pairs: Annotated[
        Path | None,
        typer.Argument(metavar="[PAIRS]", help="The pairs that were scored, of which a sample is scored anew."),
    ] = None,
    *,
    sample: Annotated[int, typer.Option(min=1, metavar="N", help="Most pairs that are scored anew.")] = 100,
    seed: Seed = 0,
    requirements: Annotated[
        Path | None,
        typer.Option(
            "--requirements",
            metavar="FILE",
            help="Also write the packages that the results were made with, for pip install -r.",
            rich_help_panel=Panel.OUTPUT,
        ),
    ] = None,
    set_: Set = None,
    config: Config = None,
    output_format: Annotated[str | None, format_option(*_FORMATS)] = None,
    output: Output = None,
) -> None:
    """Tell whether results can be made again with what is installed.

    Compares the signature of each metric with that of today, and the versions of packages with those that the results
    were made with. With PAIRS, a sample is scored anew and compared. The exit status is 3 if anything would differ.
    """
    from overread.studies.bootstrap.verification import verify as verify_results

    target = check_target(output, output_format, _FORMATS, results, pairs, config, command="verify")
    settings = read_settings(config, set_)
    if requirements is not None:
        _write_requirements(results, requirements, pairs, config)
    with plugins_print_aside(), progress(sample if pairs is not None else 0, of="pairs") as advance:
        found = verify_results(results, pairs, settings=settings, sample=sample, seed=seed, on_progress=advance)
    show_study(found.tabulation, StudyTargets((target,)))
    if not found.can_be_made_again:
        typer.echo(f"overread: {results} would come out otherwise: exit status {_CHANGED}", err=True)
        raise typer.Exit(_CHANGED)


def _write_requirements(results: Path, place: Path, *inputs: Path | None) -> None:
    from overread.infrastructure.files.completeness import read_completeness
    from overread.infrastructure.files.environment import pinned_requirements
    from overread.infrastructure.files.whole_files import keep_inputs, write_whole

    keep_inputs(place, results, *inputs)
    record = read_completeness(results)
    if record is None or record.environment is None:
        problem = "does not say what it was made with"
        raise InputError(str(results), problem, remedy="an earlier overread wrote it, or its .complete.json is gone")
    write_whole(place, pinned_requirements(record.environment))
    typer.echo(f"wrote {place}", err=True)
