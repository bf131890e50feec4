"""The command line: reads its input, calls the same use cases as embedding software, shows the answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from overread import __version__
from overread.cli.corpus import corpus, rescore
from overread.cli.grammar import INTERRUPTED, Commands, Panel, told_interruption
from overread.cli.inventory import history, plugins, schema
from overread.cli.lexicon import lexicon_app
from overread.cli.naming import as_options
from overread.cli.plugin import plugin_app
from overread.cli.score import demo, explain, score
from overread.cli.units import units
from overread.exceptions import ConfigurationError, OverreadError
from overread.extras import missing_dependency
from overread.infrastructure.engines.collecting import collect_seldom

__all__ = ["PRODUCTS", "app", "main"]

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


PRODUCTS: Final = ("overread.studies.cli.commands", "overread.hospital.cli.commands")
"""Modules of the commands of what is built on the core, named as text: the core knows neither."""

_PANELS = {
    Panel.SCORE: (score, explain, corpus, rescore),
    Panel.CORPORA: (units,),
    Panel.INSPECT: (plugins, history, schema, demo),
}
for panel, commands in _PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(lexicon_app, name="lexicon", rich_help_panel=Panel.INSPECT)
app.add_typer(plugin_app, name="plugin", rich_help_panel=Panel.INSPECT)
for product in PRODUCTS:
    import_module(product).add_commands(app)


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
    except ModuleNotFoundError as error:
        known = missing_dependency(error)
        if known is None:
            raise
        _tell(str(known))
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
