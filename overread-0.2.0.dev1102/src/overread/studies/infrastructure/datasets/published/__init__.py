"""Figures printed in papers, one TOML file a paper."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import Any, Final

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell
from overread.exceptions import ConfigurationError
from overread.studies.application.reproduction.published import PublishedPaper, PublishedTable

__all__ = ["PAPERS", "read_published"]

PAPERS: Final = ("radot", "crepe", "green", "ratescore", "judge")
"""Papers whose figures are kept here."""


def read_published(key: str) -> PublishedPaper:
    """The figures of a paper.

    A file has the paper's name and source, and each table with its title, its head (what its rows are), its columns
    (name and heading) and its rows. A figure is a number or a word, ``[value, low, high]`` with its interval, and
    ``nan`` where the paper has a dash.

    Raises:
        ConfigurationError: if there is no such paper.
    """
    if key not in PAPERS:
        raise ConfigurationError([f"unknown paper {key!r}; choose from {', '.join(PAPERS)}"])
    content = (resources.files("overread.studies.infrastructure.datasets.published") / f"{key}.toml").read_text(
        encoding="utf-8"
    )
    record = tomllib.loads(content)
    return PublishedPaper(
        key=key,
        name=record["name"],
        source=record["source"],
        tables={number: _table(number, table) for number, table in record["tables"].items()},
    )


def _table(number: str, table: dict[str, Any]) -> PublishedTable:
    columns = dict(table["columns"])
    rows = {name: tuple(_figure(cell) for cell in cells) for name, cells in table["rows"].items()}
    wrong = [name for name, cells in rows.items() if len(cells) != len(columns)]
    if wrong:
        raise ValueError(f"table {number}: {', '.join(wrong)} must have {len(columns)} figures")
    return PublishedTable(
        number=number, title=table["title"], head=table.get("head", "System"), columns=columns, rows=rows
    )


def _figure(cell: float | str | Sequence[float]) -> Cell:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float):
        return None if math.isnan(cell) else cell
    value, low, high = cell
    return Estimate(value, low, high)
