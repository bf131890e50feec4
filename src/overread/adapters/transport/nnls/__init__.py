"""The monotone readout: shipped or user-fitted coefficients, and their fit by non-negative least squares."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from overread.adapters.transport.nnls._fit import NnlsFitter
    from overread.adapters.transport.nnls._readout import readout_record

__all__ = ["NnlsFitter", "readout_record"]

_HOMES = {"NnlsFitter": "_fit", "readout_record": "_readout"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
