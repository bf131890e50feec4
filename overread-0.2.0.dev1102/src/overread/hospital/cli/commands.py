"""The commands of the hospital."""

from __future__ import annotations

import typer

from overread.cli.grammar import Panel
from overread.hospital.cli.keys import keys_app
from overread.hospital.cli.operation import audit_app, backup, restore, rotate_keys, upgrade
from overread.hospital.cli.serve import serve

__all__ = ["add_commands"]


def add_commands(app: typer.Typer) -> None:
    """Adds them to the command line."""
    for command in (serve, backup, restore, upgrade, rotate_keys):
        app.command(rich_help_panel=Panel.HOSPITAL)(command)
    app.add_typer(keys_app, name="keys", rich_help_panel=Panel.HOSPITAL)
    app.add_typer(audit_app, name="audit", rich_help_panel=Panel.HOSPITAL)
