"""Commands for authors of plugins: begin one, and check one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.text import Text

from overread.cli.grammar import Commands
from overread.cli.output import Format, Output, Views, check_target, format_option, show
from overread.cli.progressing import progress
from overread.cli.support import Config, Set, plugins_print_aside, read_settings
from overread.infrastructure.files.csv_rows import as_csv

if TYPE_CHECKING:
    from overread.bootstrap.plugin_checks import CheckedComponent

__all__ = ["plugin_app"]

plugin_app = Commands(help="Begin a plugin of your own, and check one.")

_FORMATS: Final = (Format.TEXT, Format.JSON, Format.CSV)
_MOST_SHOWN: Final = 8
_COLUMNS: Final = ("plugin", "kind", "name", "problem")


@plugin_app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the metric or component.")],
    *,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="metric, extractor, recognizer, encoder, aligner, second_reader, readout, error_counter, judge or "
            "model.",
        ),
    ] = "metric",
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="FOLDER", help="Where to write it; by default ./overread-NAME."),
    ] = None,
    author: Annotated[str, typer.Option(metavar="NAME", help="For the licence and the package.")] = "",
) -> None:
    """Write the repository of a new plugin.

    It installs, passes its tests and the checks, and scores: change it from there. Nothing is overwritten.
    """
    from overread.infrastructure.plugin_kit import write_plugin

    written = write_plugin(name, kind, folder, author=author)
    typer.echo(f"wrote {written.folder}: {len(written.files)} files, a working {kind.replace('_', ' ')} {name!r}")
    typer.echo(f"  cd {written.folder}")
    typer.echo("  pip install -e '.[dev]'")
    typer.echo("  pytest")
    typer.echo(f"  overread plugin check {name}")
    typer.echo(f"then change {written.code.relative_to(written.folder)}, and its test beside it.")


@plugin_app.command()
def check(
    target: Annotated[
        str,
        typer.Argument(
            metavar="PLUGIN", help="Name of a plugin, a component as KIND:NAME, or the folder of a project."
        ),
    ],
    *,
    limit: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="Time after which a component is given up.")
    ] = 300.0,
    config: Config = None,
    overrides: Set = None,
    output_format: Annotated[str | None, format_option(*_FORMATS)] = None,
    output: Output = None,
) -> None:
    """Check a plugin's components on invented reports.

    Built as they would be to score, with what is set. Exit status 1 if anything is wrong.
    """
    from attrs import asdict

    from overread.bootstrap.plugin_checks import check_plugin

    goal = check_target(output, output_format, _FORMATS, command="plugin check")
    settings = read_settings(config, overrides)
    with plugins_print_aside(), progress(what="checking"):
        checked = check_plugin(target, settings, limit=limit)
    rows = [
        {"plugin": each.plugin, "kind": each.kind, "name": each.name, "problem": problem}
        for each in checked
        for problem in each.problems or ("",)
    ]
    show(
        Views(
            text=lambda console: _show_checked(console, checked),
            json=lambda: [asdict(each) | {"conforms": each.conforms} for each in checked],
            csv=lambda: as_csv(rows, _COLUMNS),
        ),
        goal,
    )
    if not all(each.conforms for each in checked):
        raise typer.Exit(1)


def _show_checked(console: Console, checked: list[CheckedComponent]) -> None:
    for each in checked:
        source = f"{each.distribution} {each.version}" if each.distribution != "unknown" else "not installed"
        name = f"{each.kind.replace('_', ' ')} {each.name}".strip() or f"plugin {each.plugin}"
        took = "" if each.seconds is None else f", {each.seconds:.1f} s"
        words = "conforms" if each.conforms else "does not conform" if each.kind else "cannot be used in full"
        console.print(Text(f"{name} ({source}): {words}{took}"), soft_wrap=True)
        shown = each.problems if len(each.problems) <= _MOST_SHOWN + 1 else each.problems[:_MOST_SHOWN]
        for problem in shown:
            console.print(Text(f"  - {problem}"), soft_wrap=True)
        if shown != each.problems:
            console.print(Text(f"  ... and {len(each.problems) - len(shown)} more; -f json has all"), soft_wrap=True)
