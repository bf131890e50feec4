"""Conventions of every command: help grouped by purpose, old option names, and a message after Ctrl-C."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = [
    "INTERRUPTED",
    "OLD_SPELLINGS",
    "Commands",
    "Panel",
    "if_stopped",
    "kept_answers",
    "kept_checkpoints",
    "note_old_spelling",
    "told_interruption",
]

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""

OLD_SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "--out": ("--output",),
    "--page": ("--output",),
}
_STARTS_ANEW: Final = "nothing was written; the same command starts again from the beginning"
_BOUND: Final = re.compile(r"x>=(\S+?)(?=[\];])")
_RANGE: Final = re.compile(r"(?<=[\[ ])([^\s\[]+?)<=x<=(\S+?)(?=[\];])")
_SHARE: Final = re.compile(r" *\[0<=x<=1\]")
_LONGEST_SUMMARY: Final = 200
"""Characters of a command's one sentence in a list; it is folded rather than cut."""


class Panel:
    """Headings under which help lists commands and options."""

    SCORE = "Score"
    STUDY = "Compare and study"
    CORPORA = "Make corpora"
    FIT = "Fit"
    INSPECT = "Look into"
    HOSPITAL = "In the hospital"
    BASELINE = "A baseline"
    OUTPUT = "Output"
    SETTINGS = "Settings"
    COMMANDS = (SCORE, STUDY, CORPORA, FIT, INSPECT, HOSPITAL)


class Commands(typer.Typer):
    """A set of commands, all spelled alike."""

    def __init__(self, **settings: Any) -> None:
        settings = {"cls": _Group, "no_args_is_help": True, "rich_markup_mode": None, **settings}
        super().__init__(pretty_exceptions_enable=False, add_completion=False, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        """Registers a command as typer does, but as a `_Command`."""
        return super().command(name, **{"cls": _Command, **settings})


class _Grouped:
    """Writes help in sections, by ``rich_help_panel``; rich's own boxes leave too few of 80 columns for words."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [_plain_piece(piece) for piece in pieces]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            record = parameter.get_help_record(ctx)
            if record is None or getattr(parameter, "hidden", False):
                continue
            kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panel = getattr(parameter, "rich_help_panel", None) or kind
            words = _BOUND.sub(r"at least \1", _RANGE.sub(r"\1 to \2", _SHARE.sub("", record[1])))
            sections.setdefault(panel, []).append((_plain_name(record[0]), words))
        last = [panel for panel in (Panel.OUTPUT, Panel.SETTINGS) if panel in sections]
        for panel in (*(panel for panel in sections if panel not in last), *last):
            with formatter.section(panel):
                formatter.write_dl(sections[panel], col_max=32)


class _Command(_Grouped, TyperCommand):
    names: ClassVar[Mapping[str, tuple[str, ...]]] = OLD_SPELLINGS

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {name for parameter in self.params for name in (*parameter.opts, *parameter.secondary_opts)}
        return super().parse_args(ctx, list(_current_spellings(args, own)))

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            told_interruption(stop)
            raise typer.Exit(INTERRUPTED) from None


class _Group(_Grouped, TyperGroup):
    def format_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        shown = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        commands = {name: command for name, command in shown.items() if command is not None and not command.hidden}
        width = max(map(len, commands), default=0)
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in commands.items():
            words = command.get_short_help_str(_LONGEST_SUMMARY)
            panel = _panel_of(command) or "Commands"
            panels.setdefault(panel, []).append((name.ljust(width), words))
        for panel in sorted(panels, key=lambda panel: (*Panel.COMMANDS, panel).index(panel)):
            with formatter.section(panel):
                formatter.write_dl(panels[panel])


def _panel_of(command: Any) -> str:
    panel = getattr(command, "rich_help_panel", None)
    return panel if isinstance(panel, str) else ""


def _plain_piece(piece: str) -> str:
    """``{FILE...}...`` of a line of usage as ``FILE...``."""
    return re.sub(r"\{(.*)\}(\.\.\.)?", r"\1", piece).replace("[[", "[").replace("]]", "]")


def _plain_name(name: str) -> str:
    """``[B] <str>`` of an argument as ``[B]``."""
    return re.sub(r"^(\S+) <.+>$", r"\1", name).replace("[[", "[").replace("]]", "]")


def _current_spellings(args: Sequence[str], own: set[str]) -> Iterator[str]:
    """Arguments with the names of before as those of today; what a command has under an old name itself stays."""
    for place, argument in enumerate(args):
        name, equals, value = argument.partition("=")
        if name not in OLD_SPELLINGS or name in own or "--" in args[:place]:
            yield argument
            continue
        now = OLD_SPELLINGS[name]
        note_old_spelling(name, " ".join(now))
        yield from (*now[:-1], now[-1] + equals + value)


def note_old_spelling(before: str, now: str) -> None:
    """Says once, on standard error, how to spell an option from the next release on."""
    typer.echo(f"overread: {before} is now {now}; the old spelling goes with the next release", err=True)


class _Stopped(KeyboardInterrupt):
    """Ctrl-C, with what is kept and how to go on; "" where that was told already."""

    def __init__(self, words: str) -> None:
        self.words = words
        super().__init__(words)


@contextmanager
def if_stopped(words: str | Callable[[], str]) -> Iterator[None]:
    """Tells what is kept and how to go on if Ctrl-C ends what is done within.

    Args:
        words: or what gives them then; "" where others tell.
    """
    try:
        yield
    except _Stopped:
        raise
    except KeyboardInterrupt:
        raise _Stopped(words if isinstance(words, str) else words()) from None


def kept_answers(answers: Path | None) -> str:
    """Message after Ctrl-C where a language model may have answered, for `if_stopped`."""
    if answers is None or not answers.exists():
        return _STARTS_ANEW
    return f"what was answered is kept in {answers}, and the same command does not ask it again"


def kept_checkpoints(folder: Path) -> str:
    """Message after Ctrl-C in a training, for `if_stopped`."""
    if not any(folder.glob("**/checkpoint-*")):
        return _STARTS_ANEW
    return f"the last checkpoint in {folder} is kept, and the same command goes on from it"


def told_interruption(stop: KeyboardInterrupt) -> None:
    """Tells of Ctrl-C in one line, unless others told of it."""
    words = stop.words if isinstance(stop, _Stopped) else _STARTS_ANEW
    if words:
        typer.echo(f"overread: interrupted: {words}", err=True)
