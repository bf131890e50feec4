"""The metric ratescore (RaTEScore), assembled from the chosen recognizer and encoder, and the fit of its table."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from overread.adapters.metrics.ratescore._fit import FittedTable, fit_ratescore
    from overread.adapters.metrics.ratescore._tables import load_table, table_record

__all__ = ["FittedTable", "fit_ratescore", "load_table", "table_record"]

_HOMES = {"FittedTable": "_fit", "fit_ratescore": "_fit", "load_table": "_tables", "table_record": "_tables"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
