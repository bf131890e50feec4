"""Errors a report, by category, aspect and severity, and the subscores of metrics that list no errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
from attrs import frozen

from overread.application.statistics import Resampling, holm
from overread.application.statistics.tabulation import Cell, Column, Table
from overread.domain.results.corpus_figures import counts_for_corpora
from overread.domain.results.scores import COUNTED, Floats, MetricScores
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory
from overread.studies.application.comparison._matched import Matched, SystemPair, system_columns
from overread.studies.application.comparison._means import mean_differences

__all__ = ["error_tables", "subscore_table"]

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
class _Row:
    """A row of a table: what is counted, and the numbers of each system."""

    metric: str
    value: str
    first: Floats
    second: Floats


def error_tables(systems: SystemPair, resampling: Resampling) -> Iterator[Table]:
    """One table each by category, aspect and severity, where a metric lists discrepancies in either file."""
    for kind in COUNTED:
        entries = [
            _row(systems, item, value, item.a.count(kind, value), item.b.count(kind, value))
            for item in systems.metrics
            for value in _sort_values(kind, {**item.a.counts.get(kind, {}), **item.b.counts.get(kind, {})})
        ]
        if not entries:
            continue
        differences = mean_differences([row.first - row.second for row in entries], resampling)
        corrected = holm([difference.randomisation_p for difference in differences])
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (row.metric, _label(kind, row.value), _mean(row.first), _mean(row.second), difference.difference, p)
            for row, difference, p in zip(entries, differences, corrected, strict=True)
        )
        first, second = systems.first.name, systems.second.name
        yield Table(
            name=_NAMES[kind],
            title=_TITLES[kind],
            columns=(
                Column(name="metric", title="Metric"),
                Column(name=kind, title=kind.capitalize()),
                *system_columns(systems),
                Column(name="difference", title="Difference"),
                Column(name="p_holm", title="p (Holm)", digits=4),
            ),
            rows=rows,
            note=f"Mean discrepancies a report, fewer is better; the difference is {first} less {second} with its 95 % "
            "interval; p by paired randomisation, corrected over the table's rows.",
        )


def subscore_table(systems: SystemPair, resampling: Resampling) -> Table | None:
    """The subscores that both files hold; None where there are none.

    Left out is what is the score again, counts the discrepancies again, or is there for figures of a corpus alone.
    """
    entries = [
        _row(systems, item, name, item.a.subscores[name], item.b.subscores[name])
        for item in systems.metrics
        for name in _subscores(item)
    ]
    if not entries:
        return None
    differences = mean_differences([row.first - row.second for row in entries], resampling)
    return Table(
        name="subscores",
        title="Subscores",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="subscore", title="Subscore"),
            Column(name="pairs", title="Pairs"),
            *system_columns(systems),
            Column(name="difference", title="Difference"),
        ),
        rows=tuple(
            (row.metric, row.value, difference.rows, _mean(row.first), _mean(row.second), difference.difference)
            for row, difference in zip(entries, differences, strict=True)
        ),
        note="Means; which end is good depends on the subscore.",
    )


def _row(systems: SystemPair, item: Matched, value: str, of_a: Floats, of_b: Floats) -> _Row:
    first, second = item.both(of_a, of_b, systems.ids)
    return _Row(metric=item.metric, value=value, first=first, second=second)


def _mean(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean(dtype=np.float64)) if len(there) else np.nan


def _subscores(item: Matched) -> list[str]:
    listed = any(item.a.counts.get(kind) or item.b.counts.get(kind) for kind in COUNTED)
    again = {*_ORDER["category"], *_ORDER["severity"]} if listed else set()
    passed_over = again | counts_for_corpora(item.a.subscores)
    return [
        name
        for name in item.a.subscores
        if name in item.b.subscores
        and name not in passed_over
        and not (_is_score(item.a, name) and _is_score(item.b, name))
    ]


def _is_score(scores: MetricScores, name: str) -> bool:
    return np.array_equal(scores.subscores[name], scores.scores, equal_nan=True)


def _sort_values(kind: str, values: Iterable[str]) -> list[str]:
    known = _ORDER[kind]
    return sorted(values, key=lambda value: (known.index(value) if value in known else len(known), value))


def _label(kind: str, value: str) -> str:
    if kind != "category":
        return value
    return f"{value} {ErrorCategory(value).label}" if value in _ORDER["category"] else _UNCATEGORISED
