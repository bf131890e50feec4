"""Rates as a page shows them, and the form by which a sample is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.application.statistics.tabulation import Cell, Forest, Plot, Table, Tabulation
from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.rates import UNTOLD
from overread.hospital.application.sampling import SampleAllocation, SampleMethod, SamplePlan
from overread.hospital.infrastructure.exchange.registry import harmless
from overread.hospital.infrastructure.http.pages import words
from overread.infrastructure.views.table_words import DASH, MINUS, CellWords, cell_words, is_figures
from overread.infrastructure.views.tabulations import tabulation_csv
from overread.infrastructure.views.web.plots import Drawing, draw

__all__ = ["GROUPINGS", "Picture", "RatesPart", "pictures", "plan_of", "rates_csv", "rates_parts", "tabulation_parts"]

GROUPINGS: Final = (Grouping.SITE, Grouping.MODALITY, Grouping.KIND, Grouping.MODEL, Grouping.EXAMINATION_MONTH)
"""What rates are told by. Readers are left out: a rate of a few pairs says little of a person and is easily misread."""

_KINDS: Final[Mapping[str, str]] = {kind.value: told for kind, told in words.KINDS.items()}
_LARGEST: Final = 10_000
_SEEDS: Final = 2**31


@frozen(kw_only=True)
class RatesPart:
    """Rates by one property: figures, and a drawing of them where there are groups.

    Attributes:
        columns: heading of each, and whether it holds figures.
    """

    name: str
    title: str
    note: str
    columns: tuple[tuple[str, bool], ...] = field(converter=in_tuple)
    rows: tuple[tuple[CellWords, ...], ...] = field(converter=in_tuple)
    drawing: Drawing | None


def rates_parts(tabulation: Tabulation) -> list[RatesPart]:
    """The tables of rates in words, each with its drawing."""
    drawings = {plot.name.removesuffix("-forest"): draw(_rename_rows(plot)) for plot in tabulation.plots}
    return [_part(table, drawings.get(table.name)) for table in tabulation.tables]


@frozen(kw_only=True)
class Picture:
    """A plot laid out, with its title."""

    title: str
    drawing: Drawing


def tabulation_parts(tabulation: Tabulation) -> list[RatesPart]:
    """Tables of a study in words, without drawings; those without a row are left out."""
    return [_part(table, None) for table in tabulation.tables if table.rows]


def pictures(plots: Iterable[Plot]) -> list[Picture]:
    """Plots laid out, each with its title."""
    return [Picture(title=plot.title, drawing=draw(plot)) for plot in plots]


def rates_csv(tabulation: Tabulation) -> str:
    """The tables of rates as CSV, a line a cell; figures are not rounded, and no name is taken for a formula."""
    tables = tuple(
        evolve(table, rows=tuple((harmless(str(row[0])), *row[1:]) for row in table.rows))
        for table in tabulation.tables
    )
    return tabulation_csv(evolve(tabulation, tables=tables))


def plan_of(form: Mapping[str, str]) -> tuple[SamplePlan | None, list[str]]:
    """The plan of a sample as a form states it; None, with every problem, where something is amiss."""
    problems = []
    size, seed = _whole(form.get("size", "")), _whole(form.get("seed", ""))
    if size is None or not 1 <= size <= _LARGEST:
        problems.append(f"Pairs wanted: give a number from 1 to {_LARGEST:,}.")
    if seed is None or seed >= _SEEDS:
        problems.append(f"Seed: give a number from 0 to {_SEEDS - 1:,}.")
    method, by, allocation = form.get("method", ""), form.get("by", ""), form.get("allocation", "")
    if method not in set(SampleMethod) or by not in set(GROUPINGS) or allocation not in set(SampleAllocation):
        problems.append("How: choose one of the ways to draw.")
    if problems or size is None or seed is None:
        return None, problems
    return SamplePlan(
        size=size, seed=seed, method=SampleMethod(method), by=Grouping(by), allocation=SampleAllocation(allocation)
    ), []


def _rename_rows(plot: Plot) -> Plot:
    if not isinstance(plot, Forest):
        return plot
    by = plot.name.removesuffix("-forest")
    return evolve(plot, rows=tuple(evolve(row, label=_group(by, row.label)) for row in plot.rows))


def _group(by: str, name: str) -> str:
    """The name of a group on pages."""
    if by == Grouping.KIND:
        return _KINDS.get(name, name)
    return "no model" if by == Grouping.MODEL and name == UNTOLD else name


def _part(table: Table, drawing: Drawing | None) -> RatesPart:
    figures = [is_figures(table, index) for index in range(len(table.columns))]
    return RatesPart(
        name=table.name,
        title=table.title,
        note=table.note,
        columns=[(column.title, right) for column, right in zip(table.columns, figures, strict=True)],
        rows=[
            tuple(
                _typeset(cell_words(cell, column))
                for cell, column in zip(_with_group_name(table, row), table.columns, strict=True)
            )
            for row in table.rows
        ],
        drawing=drawing,
    )


def _with_group_name(table: Table, row: Sequence[Cell]) -> tuple[Cell, ...]:
    return (_group(table.name.removesuffix("-major"), str(row[0])), *row[1:])


def _typeset(told: CellWords) -> CellWords:
    """An en dash where there is nothing to tell, and between the ends of an interval."""
    if told.text == DASH:
        return CellWords("\u2013")
    return CellWords(told.text, told.interval.replace("-", MINUS).replace(", ", " to "))


def _whole(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) <= len(str(_SEEDS)) else None
