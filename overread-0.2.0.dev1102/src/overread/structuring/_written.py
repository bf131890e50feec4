"""Values of settings from where everything is text."""

from __future__ import annotations

__all__ = ["Written"]


class Written(str):
    """A value from a command line or an environment variable, where a number, a switch or a list is text, too.

    >>> Written("0.1") == "0.1"
    True
    """

    __slots__ = ()
