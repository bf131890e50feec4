"""One grammar of output: ``-o`` names the file, ``-f`` the format, which else is that of the file's suffix."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from attrs import frozen
from rich.console import Console

from overread.cli.grammar import Panel, note_old_spelling
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.csv_rows import finite
from overread.infrastructure.files.whole_files import check_place, keep_inputs, write_whole

__all__ = [
    "AsJson",
    "Format",
    "Output",
    "Target",
    "Views",
    "as_json",
    "capture_view",
    "check_target",
    "format_option",
    "open_console",
    "print_view",
    "say_written",
    "show",
    "with_old_json",
]


class Format(StrEnum):
    """Formats that results are shown in."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


_SUFFIXES: Final[Mapping[str, Format]] = {
    "": Format.TEXT,
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".md": Format.MARKDOWN,
    ".json": Format.JSON,
    ".csv": Format.CSV,
    ".html": Format.HTML,
    ".htm": Format.HTML,
}
_WIDTH: Final = 80

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write instead of standard output; without -f its suffix sets the format.",
        rich_help_panel=Panel.OUTPUT,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", hidden=True, help="Now -f json.")]


def format_option(*formats: Format) -> Any:
    """The option ``-f`` of a command that has these formats; an unknown one is refused by `check_target`."""
    *most, last = (form.value for form in formats)
    words = f"{', '.join(most)} or {last}" if most else last
    return typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help=f"{words}; by default the format of -o, or else text." if Format.TEXT in formats else f"{words}.",
        show_default=False,
        rich_help_panel=Panel.OUTPUT,
    )


@frozen
class Target:
    """Destination and format of a result.

    Attributes:
        path: None for standard output.
    """

    format: Format
    path: Path | None = None


@frozen(kw_only=True)
class Views:
    """Views of a result; a command has no view where it is None.

    Attributes:
        text: prints it.
        json: gives what JSON can hold.
        csv: gives a table with its header.
        html: gives a page that holds everything.
        markdown: gives what GitHub and GitLab show; a command without it writes its text.
    """

    text: Callable[[Console], None]
    json: Callable[[], Any] | None = None
    csv: Callable[[], str] | None = None
    html: Callable[[], str] | None = None
    markdown: Callable[[], str] | None = None

    def render(self, target: Target) -> str:
        """The result as the target wants it, without a line break at the end."""
        if target.format is Format.JSON and self.json is not None:
            return as_json(self.json())
        if target.format is Format.CSV and self.csv is not None:
            return self.csv().rstrip("\n")
        if target.format is Format.HTML and self.html is not None:
            return self.html()
        if target.format is Format.MARKDOWN and self.markdown is not None:
            return self.markdown().rstrip("\n")
        return capture_view(self.text, target.path)


def check_target(
    output: Path | None, form: str | None, formats: Sequence[Format], *inputs: Path | None, command: str
) -> Target:
    """Determines before a command's work where and in what format it is to write.

    Args:
        output: as given; ``-`` is standard output.
        form: as given to ``-f``; where None, the suffix of the output tells.
        formats: that the command has.
        inputs: what is read, which an output may not replace.
        command: its name, for messages.

    Raises:
        ConfigurationError: if the command has no such format.
        InputError: if no file can be there, or it is one that is read.
    """
    path = None if output is None or str(output) == "-" else output
    has = _list_formats(formats)
    if path is not None:
        keep_inputs(path, *inputs)
    if form is not None:
        if form.lower() not in {allowed.value for allowed in formats}:
            raise ConfigurationError([f"{command} has no format {form!r}; it has {has}"])
        chosen = Format(form.lower())
    elif path is None:
        chosen = Format.TEXT
    else:
        chosen = _told_by(path, formats, command)
    if path is not None:
        check_place(path)
    return Target(chosen, path)


def _told_by(path: Path, formats: Sequence[Format], command: str) -> Format:
    if path.is_dir():
        check_place(path)
    named = _SUFFIXES.get(path.suffix.lower())
    if named is Format.MARKDOWN and named not in formats:
        named = Format.TEXT
    if named is None:
        problem = f"its suffix is not that of a format; {command} has {_list_formats(formats)}"
        raise InputError(str(path), problem, remedy="name one with -f")
    if named not in formats:
        problem = f"{command} has no {named.value}; it has {_list_formats(formats)}"
        raise InputError(str(path), problem, remedy="name a file with such a suffix, or a format with -f")
    return named


def _list_formats(formats: Sequence[Format]) -> str:
    *most, last = (form.value for form in formats)
    return f"{', '.join(most)} and {last}" if most else last


def with_old_json(form: str | None, *, old: bool) -> str | None:
    """The format, where ``--json`` of before may have been given."""
    if not old:
        return form
    note_old_spelling("--json", "-f json")
    return form or Format.JSON.value


def show(views: Views, target: Target) -> None:
    """Prints a result, or writes it to its file and says so."""
    text = views.render(target)
    if target.path is None:
        typer.echo(text)
        return
    write_whole(target.path, text + "\n")
    say_written(target.path)


def say_written(path: Path, what: str = "") -> None:
    """Says on standard error that a file was written, and what is in it."""
    typer.echo(f"wrote {path}{': ' if what else ''}{what}", err=True)


def as_json(value: Any) -> str:
    """JSON for people and programs: a number that is not finite is null, for JSON has no other."""
    return json.dumps(finite(value), indent=2, ensure_ascii=False, allow_nan=False, default=str)


def capture_view(view: Callable[[Console], None], output: Path | None) -> str:
    """The output of a view: in 80 plain columns for a file, else as the terminal shows it."""
    console = open_console() if output is None else Console(width=_WIDTH, no_color=True, force_terminal=False)
    with console.capture() as capture:
        view(console)
    text = capture.get().rstrip("\n")
    return text if console.is_terminal else "\n".join(line.rstrip() for line in text.split("\n"))


def open_console() -> Console:
    """Standard output; 80 columns in a pipe, where there is no width to ask for."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDTH)


def print_view(view: Callable[[Console], None]) -> None:
    """Prints a view on standard output."""
    typer.echo(capture_view(view, None))
