"""Scores of systems from what holds them in memory: results, or tidy tables that were made of results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Final

from overread.application.scoring.score_collection import ScoreCollector, gather_scores
from overread.domain.results.scores import MetricScores
from overread.exceptions import InputError
from overread.infrastructure.frames.reading import TableColumns, id_text, plain_cell, table_of

__all__ = ["scores_of"]

_NEEDED: Final = ("id", "metric", "score", "higher_is_better")
_REASON: Final = "reason"
_SUBSCORE: Final = "subscore_"
_MISSING: Final = "missing"
_REMEDY: Final = (
    "give what overread.score_many gives, or overread.frame of it; the command overread compare compares files"
)


def scores_of(results: Any, name: str) -> tuple[MetricScores, ...]:
    """The scores of a system by metric.

    Args:
        results: as `score_many` gives them, or a tidy table of them, as `frame` or `arrow_table` makes it, of pandas,
            polars or Arrow. A table has no discrepancies, so that errors are not compared by kind.
        name: of the argument, for errors.

    Raises:
        InputError: if it is neither, or a row of a table is no score: a pair that stands twice, or a number that is
            none.
    """
    table = table_of(results) if not isinstance(results, list) else None
    if table is not None:
        return _of_table(table, name, getattr(results, "attrs", {}).get("signatures", {}))
    if isinstance(results, str | bytes | PurePath) or not isinstance(results, Iterable):
        raise InputError(name, f"is {type(results).__name__}, not results", remedy=_REMEDY)
    return gather_scores(results)


def _of_table(table: TableColumns, name: str, signatures: Mapping[str, str]) -> tuple[MetricScores, ...]:
    if missing := [column for column in _NEEDED if column not in table.names]:
        raise InputError(name, f"is a table without the columns {', '.join(missing)}", remedy=_REMEDY)
    ids, metrics, scores, directions = (table.column(column) for column in _NEEDED)
    reasons = table.column(_REASON) if _REASON in table.names else [None] * table.length
    subscores = {
        column.removeprefix(_SUBSCORE): table.column(column)
        for column in table.names
        if isinstance(column, str) and column.startswith(_SUBSCORE)
    }
    collectors: dict[str, ScoreCollector] = {}
    seen: set[tuple[str, str]] = set()
    for place in range(table.length):
        pair, metric, score = str(id_text(ids[place])), str(metrics[place]), _number(scores[place])
        if score is None or (pair, metric) in seen:
            problem = "its pair and metric stand above already" if score is not None else "its score is no number"
            raise InputError(name, problem, row=place + 1)
        seen.add((pair, metric))
        if metric not in collectors:
            collectors[metric] = ScoreCollector(
                metric, signatures.get(metric, ""), higher_is_better=bool(directions[place])
            )
        if math.isnan(score):
            reason = id_text(reasons[place])
            collectors[metric].unscored(pair, reason if isinstance(reason, str) else _MISSING)
            continue
        numbers = {label: _number(values[place]) for label, values in subscores.items()}
        given = {label: number for label, number in numbers.items() if number is not None and not math.isnan(number)}
        collectors[metric].scored(pair, score, given, ())
    return tuple(collector.scores() for collector in collectors.values())


def _number(cell: object) -> float | None:
    """A cell as a number: NaN where it is empty, None where it is something else."""
    plain = plain_cell(cell)
    if plain is None:
        return math.nan
    return float(plain) if isinstance(plain, int | float) and not isinstance(plain, bool) else None
