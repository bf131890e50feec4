"""Measures of agreement, from scipy and scikit-learn where they have them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from overread.adapters.statistics._measures import MEASURES
    from overread.adapters.statistics._wilcoxon import wilcoxon

__all__ = ["MEASURES", "wilcoxon"]

_HOMES = {"MEASURES": "_measures", "wilcoxon": "_wilcoxon"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
