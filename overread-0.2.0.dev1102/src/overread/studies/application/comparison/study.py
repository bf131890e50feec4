"""Choice of what result files are compared as: two systems, or several metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from overread.exceptions import ConfigurationError
from overread.studies.application.comparison._aligned import Source

__all__ = ["are_systems"]

_TWO: Final = 2


def are_systems(sources: Sequence[Source], of: str | None) -> bool:
    """Returns whether the files are two systems rather than metrics of one.

    Args:
        sources: one or two files.
        of: "systems" or "metrics". By default two files that share a metric are two systems.

    Raises:
        ConfigurationError: if a single file is to be compared as two systems.
    """
    if of == "systems" and len(sources) != _TWO:
        raise ConfigurationError(["to compare two systems, give two files"])
    shared = len(sources) == _TWO and bool(set(sources[0].metrics) & set(sources[1].metrics))
    return of == "systems" or (of is None and shared)
