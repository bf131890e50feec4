"""The command line: reads its input, calls the same use cases as embedding software, shows the answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from overread import __version__
from overread.cli.benchmark import benchmark_app
from overread.cli.compare import compare, leaderboard
from overread.cli.corpus import corpus, rescore
from overread.cli.fit import fit_app
from overread.cli.fit_judge import fit_judge
from overread.cli.grammar import INTERRUPTED, Commands, Panel, told_interruption
from overread.cli.inventory import history, plugins, schema
from overread.cli.keys import keys_app
from overread.cli.lexicon import lexicon_app
from overread.cli.naming import as_options
from overread.cli.operation import audit_app, backup, restore, rotate_keys, upgrade
from overread.cli.reader_checks import checks_app
from overread.cli.reproduce import reproduce_app
from overread.cli.score import demo, explain, score
from overread.cli.serve import serve
from overread.cli.summary import summary
from overread.cli.synthesis import inject, synthesise
from overread.cli.units import units
from overread.exceptions import ConfigurationError, OverreadError
from overread.infrastructure.engines.collecting import collect_seldom

__all__ = ["app", "main"]

app = Commands(
    name="overread",
    help="Reads a candidate radiology report against its reference: what is wrong, where, and how much it matters.",
)


@app.callback(invoke_without_command=True)
def _root(
    *,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


_PANELS = {
    Panel.SCORE: (score, explain, corpus, rescore),
    Panel.STUDY: (compare, leaderboard, summary),
    Panel.CORPORA: (units, synthesise, inject),
    Panel.INSPECT: (plugins, history, schema, demo),
    Panel.HOSPITAL: (serve, backup, restore, upgrade, rotate_keys),
}
for panel, commands in _PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.command("synthesize", hidden=True)(synthesise)
fit_app.command("judge")(fit_judge)
benchmark_app.add_typer(checks_app)
app.add_typer(benchmark_app, name="benchmark", rich_help_panel=Panel.STUDY)
app.add_typer(reproduce_app, name="reproduce", rich_help_panel=Panel.STUDY)
app.add_typer(fit_app, name="fit", rich_help_panel=Panel.FIT)
app.add_typer(keys_app, name="keys", rich_help_panel=Panel.HOSPITAL)
app.add_typer(lexicon_app, name="lexicon", rich_help_panel=Panel.INSPECT)
app.add_typer(audit_app, name="audit", rich_help_panel=Panel.HOSPITAL)


def main() -> None:
    """Entry point: errors that overread raises on purpose become one clear line and exit status 2."""
    if sys.stdout is None:  # closed by the caller
        sys.exit(2)
    collect_seldom()
    try:
        app()
        sys.stdout.flush()
    except ConfigurationError as error:
        _tell(*error.problems)
        sys.exit(2)
    except OverreadError as error:
        _tell(str(error))
        sys.exit(2)
    except KeyboardInterrupt as stop:
        told_interruption(stop)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        typer.echo(f"overread: cannot read or write: {error.strerror or type(error).__name__}", err=True)
        sys.exit(2)


def _tell(*problems: str) -> None:
    options = set(_options(typer.main.get_command(app)))
    for problem in problems:
        typer.echo(f"overread: {as_options(problem, options)}", err=True)


def _options(command: Any) -> Iterator[str]:
    """The options of a command and of those below it."""
    for parameter in command.params:
        yield from parameter.opts
    for inner in getattr(command, "commands", {}).values():
        yield from _options(inner)


if __name__ == "__main__":
    main()
