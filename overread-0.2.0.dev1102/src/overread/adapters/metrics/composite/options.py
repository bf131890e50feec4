"""Options of the composite metric."""

from __future__ import annotations

from pathlib import Path

from attrs import field, frozen

__all__ = ["CompositeOptions"]


@frozen(kw_only=True)
class CompositeOptions:
    """Options of composite.

    Attributes:
        table: a .toml file with your coefficients; there is no default.
    """

    table: Path | None = field(default=None, metadata={"argument": True})
