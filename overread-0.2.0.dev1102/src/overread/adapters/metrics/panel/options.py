"""Options of the panel metric."""

from __future__ import annotations

from pathlib import Path

from attrs import field, frozen

__all__ = ["PanelOptions"]


@frozen
class PanelOptions:
    """Options of ``panel``.

    Attributes:
        table: members, weights and what scores mean, as ``overread fit panel`` writes it; there is no default.
        members: metrics to ask, of those in the table; empty for all of them.
    """

    table: Path | None = field(default=None, metadata={"argument": True})
    members: tuple[str, ...] = ()
