"""Arguments and settings by their names on the command line; errors name them as Python callers have them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

__all__ = ["as_options", "option_name"]

_NAMED: Final = re.compile(r"`([a-z_]+)(?:=([^`]+))?`")
_OTHERWISE: Final[Mapping[str, str]] = {
    "`columns=Columns(...)`": "--id-column, --reference-column, --candidate-column",
    "`columns=NAME`": "--column NAME",
    "`directions`": "--score-higher-is-better NAME and --score-lower-is-better NAME",
    "`overrides`": "--set",
}
"""What is not called alike."""


def option_name(name: str) -> str:
    """An argument's name as an option.

    >>> option_name("on_error")
    '--on-error'
    """
    return f"--{name.replace('_', '-')}"


def as_options(words: str, options: Collection[str]) -> str:
    """The words of an error, with options in place of the arguments and settings that it names between backticks.

    Args:
        words: of the error.
        options: that commands have, as "--on-error"; a name that is neither an option nor a component stays as it is.

    >>> as_options("has no reference (`on_error=skip` goes on without it)", {"--on-error"})
    'has no reference (--on-error skip goes on without it)'
    >>> as_options("no model is chosen; give `model=openai:NAME`", set())
    'no model is chosen; give --set model=openai:NAME'
    """
    return _NAMED.sub(lambda match: _OTHERWISE.get(match[0]) or _spell_option(match, options), words)


def _spell_option(match: re.Match[str], options: Collection[str]) -> str:
    from overread.plugins.specs import KINDS  # heavy, and wanted for errors alone

    name, value = match.groups()
    if name in KINDS and value:
        return f"--set {name}={value}"
    option = option_name(name)
    if option not in options:
        return match[0]
    return f"{option} {value}" if value else option
