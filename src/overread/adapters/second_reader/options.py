"""Options of the second readers."""

from __future__ import annotations

from pathlib import Path

from attrs import field, frozen

__all__ = ["OddsOptions"]


@frozen
class OddsOptions:
    """Options of ``odds``.

    Attributes:
        path: a fitted table, as `overread fit second-reader` writes it; None for the shipped one.
    """

    path: Path | None = field(default=None, metadata={"argument": True})
