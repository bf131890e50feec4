"""`overread plugins` and `overread history`: what can score here, and what was scored before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from overread.cli.support import AsJson, print_view
from overread.exceptions import InputError

__all__ = ["history", "plugins"]


def plugins(
    *,
    as_json: AsJson = False,
    strict: Annotated[bool, typer.Option(help="Fail if any plugin failed to load.")] = False,
) -> None:
    """List metrics, components and plugins.

    Direction, range, backend, options, origin, and whether each can run here or what to install.
    """
    from overread.bootstrap.interface import list_plugins

    description = list_plugins(strict=strict)
    if as_json:
        typer.echo(json.dumps(description, indent=2, allow_nan=False))
        return
    from overread.infrastructure.views.terminal import show_plugins

    print_view(lambda console: show_plugins(console, description))


def history(
    store: Annotated[Path, typer.Argument(help="The store to look into.")],
    *,
    run: Annotated[str | None, typer.Option(help="Only results of this run.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most results shown, newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON lines.")] = False,
) -> None:
    """List stored results."""
    from overread.infrastructure.store import open_store
    from overread.infrastructure.views.terminal import show_history

    if not store.exists():
        raise InputError(str(store), "no such file", remedy="score with --store first")
    rows = open_store(store).results(run=run, limit=limit)
    if as_json:
        for row in rows:
            typer.echo(json.dumps(row, allow_nan=False, default=str))
        return
    print_view(lambda console: show_history(console, rows))
