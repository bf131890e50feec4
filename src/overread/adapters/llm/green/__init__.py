"""GREEN (Ostmeier et al. 2024): errors that a language model counts, and clusters of their explanations."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from overread.adapters.llm.green._clusters import KMeansGrouper

__all__ = ["KMeansGrouper"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}._clusters"), name)
