"""`overread plugins`, `history` and `schema`: what can score here, what was scored before, and how it is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from overread.cli.grammar import note_old_spelling
from overread.cli.output import (
    AsJson,
    Format,
    Output,
    Views,
    check_target,
    format_option,
    show,
    with_old_json,
)
from overread.exceptions import InputError
from overread.infrastructure.files.csv_rows import as_csv

__all__ = ["history", "plugins", "schema"]


_FORMATS: Final = (Format.TEXT, Format.JSON, Format.CSV)

_STORED: Final = (
    "pair_id",
    "metric",
    "status",
    "score",
    "reason",
    "run",
    "created",
    "significant",
    "insignificant",
    "signature",
)

ListFormat = Annotated[str | None, format_option(*_FORMATS)]


def plugins(
    *,
    output_format: ListFormat = None,
    output: Output = None,
    as_json: AsJson = False,
    strict: Annotated[bool, typer.Option(help="Fail if any plugin failed to load.")] = False,
) -> None:
    """List metrics, components and plugins.

    Direction, range, backend, options, origin, and whether each can run here or what to install.
    """
    from overread.bootstrap.interface import list_plugins

    target = check_target(output, with_old_json(output_format, old=as_json), _FORMATS, command="plugins")
    description = list_plugins(strict=strict)

    def text(console: Console) -> None:
        from overread.infrastructure.views.terminal import show_plugins

        show_plugins(console, description)

    show(Views(text=text, json=lambda: description, csv=lambda: as_csv(description["components"])), target)


def history(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="Store to read.")],
    *,
    run: Annotated[str | None, typer.Option(metavar="NAME", help="Only results of this run.")] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Number of results to show, newest first.")] = 20,
    output_format: ListFormat = None,
    output: Output = None,
    as_lines: Annotated[bool, typer.Option("--json", hidden=True, help="Now -f json.")] = False,
) -> None:
    """List stored results."""
    from overread.infrastructure.store import open_store

    target = check_target(output, output_format, _FORMATS, store, command="history")
    if not store.exists():
        raise InputError(str(store), "no such file", remedy="score with --store first")
    rows = list(open_store(store).results(run=run, limit=limit))
    if as_lines:
        note_old_spelling("--json, a result a line,", "-f json, one list of all")
        for row in rows:
            typer.echo(json.dumps(row, allow_nan=False, default=str))
        return

    def text(console: Console) -> None:
        from overread.infrastructure.views.terminal import show_history

        show_history(console, rows)

    show(Views(text=text, json=lambda: rows, csv=lambda: as_csv(rows, _STORED)), target)


def schema(*, output_format: Annotated[str | None, format_option(Format.JSON)] = None, output: Output = None) -> None:
    """Print the JSON Schema of a result record.

    Of a line of a result file, and of what score -f json prints.
    """
    from overread.infrastructure.serialise import result_schema

    target = check_target(output, output_format or Format.JSON.value, (Format.JSON,), command="schema")
    record_schema = result_schema()
    show(Views(text=lambda console: console.print_json(data=record_schema), json=lambda: record_schema), target)
