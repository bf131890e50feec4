"""Options of the readouts."""

from __future__ import annotations

from attrs import field, frozen

__all__ = ["ReadoutOptions"]


@frozen(kw_only=True)
class ReadoutOptions:
    """Options of every readout.

    Attributes:
        path: coefficients fitted by ``overread fit readout``, in place of those shipped.
    """

    path: str | None = field(default=None, metadata={"argument": True})
