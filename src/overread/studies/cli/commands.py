"""The commands of studies."""

from __future__ import annotations

import typer

from overread.cli.grammar import Panel
from overread.studies.cli.benchmark import benchmark_app
from overread.studies.cli.card import card
from overread.studies.cli.compare import compare, leaderboard
from overread.studies.cli.fit import fit_app
from overread.studies.cli.fit_judge import fit_judge
from overread.studies.cli.reader_checks import checks_app
from overread.studies.cli.reproduce import reproduce_app
from overread.studies.cli.summary import summary
from overread.studies.cli.synthesis import inject, synthesise
from overread.studies.cli.verify import verify

__all__ = ["add_commands"]

_PANELS = {Panel.STUDY: (card, compare, leaderboard, summary, verify), Panel.CORPORA: (synthesise, inject)}


def add_commands(app: typer.Typer) -> None:
    """Adds them to the command line."""
    for panel, commands in _PANELS.items():
        for command in commands:
            app.command(rich_help_panel=panel)(command)
    app.command("synthesize", hidden=True)(synthesise)
    fit_app.command("judge")(fit_judge)
    benchmark_app.add_typer(checks_app)
    app.add_typer(benchmark_app, name="benchmark", rich_help_panel=Panel.STUDY)
    app.add_typer(reproduce_app, name="reproduce", rich_help_panel=Panel.STUDY)
    app.add_typer(fit_app, name="fit", rich_help_panel=Panel.FIT)
