"""What the commands share: settings, progress, and output that reads well on a terminal, in a pipe and in a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from overread.exceptions import InputError

if TYPE_CHECKING:
    from overread.application.evaluate import Progress
    from overread.infrastructure.settings import Settings

__all__ = [
    "AsJson",
    "Config",
    "Set",
    "captured",
    "keep_inputs",
    "open_console",
    "print_view",
    "progress",
    "read_settings",
    "write",
]

Set = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="KEY=VALUE", help="aligner=partial, aligner.epsilon=0.1, readout=paper ..."),
]
Config = Annotated[Path | None, typer.Option(help="TOML file with settings.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]


def read_settings(config: Path | None, overrides: list[str] | None) -> Settings:
    """Settings from the file, the environment and the command line; logging follows them."""
    from overread.infrastructure.logs import configure
    from overread.infrastructure.settings import load_settings

    settings = load_settings(config, overrides or [])
    configure(settings.log_level)
    return settings


def keep_inputs(output: Path | None, *inputs: Path | None) -> None:
    """Refuses an output that would replace what is read."""
    for source in inputs:
        if (
            output is not None
            and source is not None
            and output.exists()
            and source.exists()
            and output.samefile(source)
        ):
            raise InputError(str(output), "is the file that is read", remedy="name another for the output")


def captured(view: Callable[[Console], None], output: Path | None) -> str:
    """What a view prints: for a file in 80 plain columns, else as the terminal has it."""
    console = open_console() if output is None else Console(width=80, no_color=True, force_terminal=False)
    with console.capture() as capture:
        view(console)
    text = capture.get().rstrip("\n")
    return text if console.is_terminal else "\n".join(line.rstrip() for line in text.split("\n"))


def open_console() -> Console:
    """Standard output; 80 columns in a pipe, where there is no width to ask for."""
    return Console() if sys.stdout.isatty() else Console(width=80)


def print_view(view: Callable[[Console], None], output: Path | None = None) -> None:
    """Prints a view, or writes it to a file."""
    write(output, captured(view, output))


def write(output: Path | None, text: str) -> None:
    """Writes text to a file, or to standard output where there is none or it is ``-``."""
    if output is None or str(output) == "-":
        typer.echo(text)
        return
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(str(output), f"cannot be written: {error.strerror}") from error


@contextmanager
def progress(total: int | None, what: str = "scoring") -> Iterator[Progress]:
    """A bar on a terminal, nothing in a pipe; it stands on standard error, so output stays clean."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
