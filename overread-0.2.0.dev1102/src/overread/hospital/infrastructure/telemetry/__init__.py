"""Spans for OpenTelemetry, where its API is installed and a host has set it up; nothing at all elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Protocol

__all__ = ["Tell", "span"]


class Tell(Protocol):
    """Adds to a span what is known only later; attributes as of `span`."""

    def __call__(self, **attributes: object) -> None:
        """Add them."""
        ...


def span(name: str, **attributes: object) -> AbstractContextManager[Tell]:
    """Context manager that runs its block as one span; an error that passes through is told by its kind and place.

    Args:
        name: a fixed word, such as "ingest"; the span is called "overread.NAME".
        attributes: as `overread.infrastructure.logs` lets them through: what it would withhold is withheld here too.
    """
    opened = _span_opener()
    return nullcontext(_untold) if opened is None else opened(name, attributes)


def _untold(**_: object) -> None:
    """Nobody listens."""


@cache
def _span_opener() -> Callable[[str, dict[str, object]], AbstractContextManager[Tell]] | None:
    try:
        from overread.hospital.infrastructure.telemetry._opentelemetry import open_span  # noqa: PLC0415 - the package is optional
    except ImportError:
        return None
    return open_span
