"""Errors a report, by category, aspect and severity, and the subscores of metrics that list no errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
from attrs import frozen

from overread.application.statistics import holm
from overread.application.studies.comparison._matched import Matched, Rivals
from overread.application.studies.comparison._means import Means
from overread.application.studies.tabulation import Cell, Column, Estimate, Table
from overread.domain.scores import COUNTED, Floats, MetricScores
from overread.domain.severity import Severity
from overread.domain.taxonomy import ErrorAspect, ErrorCategory

__all__ = ["Asked", "ask_errors", "ask_subscores", "error_tables", "subscore_table"]

_TITLES: Final = {
    "category": "Errors a report by category",
    "aspect": "Errors a report by aspect",
    "severity": "Errors a report by severity",
}
_NAMES: Final = {"category": "errors-by-category", "aspect": "errors-by-aspect", "severity": "errors-by-severity"}
_ORDER: Final[Mapping[str, tuple[str, ...]]] = {
    "category": tuple(category.value for category in ErrorCategory),
    "aspect": tuple(aspect.value for aspect in ErrorAspect),
    "severity": tuple(severity.value for severity in Severity),
}
_UNCATEGORISED: Final = "outside the eight"


@frozen(kw_only=True)
class Asked:
    """A row of a table before its mean is told.

    Attributes:
        metric: of the row.
        kind: which table it belongs to.
        value: what is counted.
        first, second: mean of each system.
        place: of the mean difference among those asked for.
    """

    metric: str
    kind: str
    value: str
    first: float
    second: float
    place: int


def ask_errors(rivals: Rivals, means: Means) -> list[Asked]:
    """The counts of every metric that lists discrepancies in either file."""
    return [
        _asked(means, item, kind, value, item.both(item.a.count(kind, value), item.b.count(kind, value), rivals.ids))
        for item in rivals.metrics
        for kind in COUNTED
        for value in _ordered(kind, {**item.a.counts.get(kind, {}), **item.b.counts.get(kind, {})})
    ]


def ask_subscores(rivals: Rivals, means: Means) -> list[Asked]:
    """The subscores that both files hold, but for those that are the score again, or count the discrepancies again."""
    return [
        _asked(means, item, "subscore", name, item.both(item.a.subscores[name], item.b.subscores[name], rivals.ids))
        for item in rivals.metrics
        for name in _subscores(item)
    ]


def error_tables(rivals: Rivals, asked: Iterable[Asked], means: Means) -> Iterator[Table]:
    """One table each by category, aspect and severity, where there are rows for it."""
    asked = list(asked)
    for kind in COUNTED:
        chosen = [row for row in asked if row.kind == kind]
        if not chosen:
            continue
        told = [means.told[row.place] for row in chosen]
        corrected = holm([found.randomisation_p for found in told])
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (row.metric, _label(kind, row.value), row.first, row.second, found.difference, p)
            for row, found, p in zip(chosen, told, corrected, strict=True)
        )
        yield Table(
            name=_NAMES[kind],
            title=_TITLES[kind],
            columns=(
                Column(name="metric", title="Metric"),
                Column(name=kind, title=kind.capitalize()),
                Column(name="first", title=rivals.first.name),
                Column(name="second", title=rivals.second.name),
                Column(name="difference", title="Difference"),
                Column(name="p_holm", title="p (Holm)", digits=4),
            ),
            rows=rows,
            note=f"Mean discrepancies a report, fewer is better; the difference is {rivals.first.name} less "
            f"{rivals.second.name} with its 95 % interval; p by paired randomisation, corrected over the table's rows.",
        )


def subscore_table(rivals: Rivals, asked: Iterable[Asked], means: Means) -> Table | None:
    """The subscores, None where there are none."""
    rows: list[tuple[Cell, ...]] = [
        (row.metric, row.value, means.told[row.place].rows, row.first, row.second, _shown(means, row)) for row in asked
    ]
    if not rows:
        return None
    return Table(
        name="subscores",
        title="Subscores",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="subscore", title="Subscore"),
            Column(name="pairs", title="Pairs"),
            Column(name="first", title=rivals.first.name),
            Column(name="second", title=rivals.second.name),
            Column(name="difference", title="Difference"),
        ),
        rows=tuple(rows),
        note="Means; which end is good depends on the subscore.",
    )


def _shown(means: Means, row: Asked) -> Estimate:
    return means.told[row.place].difference


def _asked(means: Means, item: Matched, kind: str, value: str, both: tuple[Floats, Floats]) -> Asked:
    one, other = both
    place = means.ask(one - other)
    return Asked(metric=item.metric, kind=kind, value=value, first=_mean(one), second=_mean(other), place=place)


def _mean(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean(dtype=np.float64)) if len(there) else np.nan


def _subscores(item: Matched) -> list[str]:
    listed = any(item.a.counts.get(kind) or item.b.counts.get(kind) for kind in COUNTED)
    again = {*_ORDER["category"], *_ORDER["severity"]} if listed else set()
    return [
        name
        for name in item.a.subscores
        if name in item.b.subscores and name not in again and not (_is_score(item.a, name) and _is_score(item.b, name))
    ]


def _is_score(scores: MetricScores, name: str) -> bool:
    return np.array_equal(scores.subscores[name], scores.scores, equal_nan=True)


def _ordered(kind: str, values: Iterable[str]) -> list[str]:
    known = _ORDER[kind]
    return sorted(values, key=lambda value: (known.index(value) if value in known else len(known), value))


def _label(kind: str, value: str) -> str:
    if kind != "category":
        return value
    return f"{value} {ErrorCategory(value).label}" if value in _ORDER["category"] else _UNCATEGORISED
