"""Search by a tree-structured Parzen estimator."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from overread.adapters.metrics.tpe._search import TpeSearch

__all__ = ["TpeSearch"]

_HOMES = {"TpeSearch": "_search"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
