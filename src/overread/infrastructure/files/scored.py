"""Result files read back as scores: numbers by pair id, without the text of any reason or remark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from overread.application.scoring.scores import UNCATEGORISED, ScoreCollector
from overread.domain.result import EvaluationResult
from overread.domain.scores import COUNTED, MetricScores
from overread.exceptions import InputError
from overread.infrastructure.files.cells import RowError, finite_number, identifier, is_blank, is_missing
from overread.infrastructure.files.records import Record, read_records
from overread.infrastructure.serialise import result_from_record

__all__ = ["read_results", "read_scores"]

_KEYS: Final = ("metric", "status", "reason", "score", "higher_is_better", "subscores", "discrepancies", "signature")
_WHOLE: Final = (*_KEYS, "detail", "fault", "range", "truncated", "notes", "answers")
_AS_WRITTEN: Final = "name a file that overread corpus -o wrote"
_PLAIN_CELLS: Final = "each row has an id of its own, and in a column of scores a number or nothing"
_MISSING: Final = "missing"


def read_scores(path: Path | str, *, directions: Mapping[str, bool] | None = None) -> dict[str, MetricScores]:
    """The scores of a file by metric, in memory that grows with the numbers alone.

    Args:
        path: results as ``overread corpus -o`` writes them, .jsonl, .ndjson (each also gzipped) or .parquet. A file
            without the columns metric and status is read as a table of plain scores, .csv and .tsv too: column id and
            one column a metric. An empty cell there is unscored for the reason "missing".
        directions: whether higher is better, by the name of each column of plain scores to be read, of those that the
            file has; None where a table of plain scores is not to be had at all.

    Raises:
        InputError: if the file cannot be read; at the first row that is no result, repeats an id of its metric, or
            was made under another signature than the metric's rows before it; and for a table of plain scores whose
            columns have no direction, or that has none of those that do.
    """
    path = Path(path)
    records = read_records(path, ("id",), (*_KEYS, *(directions or ())))
    first = next(records, None)
    if first is None:
        raise InputError(str(path), "holds no results")
    every = chain([first], records)
    if first.problem or {"metric", "status"} <= first.fields.keys():
        return _collected(path, map(_result_row, every), _AS_WRITTEN)
    if not directions:
        problem = "has no columns metric and status, so it is no result file"
        remedy = "name its columns of scores with --score-higher-is-better NAME and --score-lower-is-better NAME"
        raise InputError(str(path), problem, remedy=_AS_WRITTEN if directions is None else remedy)
    there = {name: higher_is_better for name, higher_is_better in directions.items() if name in first.fields}
    if not there:
        raise InputError(str(path), f"no column {' or '.join(directions)}", remedy="name the columns that it has")
    return _collected(path, (row for record in every for row in _plain_rows(record, there)), _PLAIN_CELLS)


def read_results(path: Path | str, ids: Iterable[str] | None = None) -> dict[str, dict[str, EvaluationResult]]:
    """The whole results of pairs, first by pair id, then by metric; their evidence is not in the file.

    Args:
        path: of a file that ``overread corpus -o`` or `score_corpus` wrote.
        ids: of the pairs that are wanted; all where omitted.

    Raises:
        InputError: if the file cannot be read, or a row of one of these pairs is no result.
    """
    path, wanted = Path(path), None if ids is None else set(ids)
    found: dict[str, dict[str, EvaluationResult]] = {}
    for record in read_records(path, ("id",), _WHOLE):
        if record.problem and wanted is None:
            raise InputError(str(path), record.problem, row=record.row, remedy=_AS_WRITTEN)
        if record.problem or (wanted is not None and str(record.fields["id"]) not in wanted):
            continue
        fields = {**record.fields, "subscores": dict(record.fields.get("subscores") or {})}
        try:
            result = result_from_record(fields)
        except (KeyError, TypeError, ValueError):
            raise InputError(str(path), "is not a whole result", row=record.row, remedy=_AS_WRITTEN) from None
        found.setdefault(result.pair_id, {})[result.metric] = result
    return found


_Row = tuple[Record, str, Mapping[str, Any]]
"""A record, the metric that it is of, and its fields as those of a result."""


def _result_row(record: Record) -> _Row:
    metric = record.fields.get("metric")
    return record, metric if isinstance(metric, str) else "", record.fields


def _plain_rows(record: Record, directions: Mapping[str, bool]) -> Iterator[_Row]:
    for name, higher_is_better in directions.items():
        cell = record.fields.get(name)
        empty = is_blank(cell)
        fields = {
            "id": record.fields.get("id"),
            "status": "unscored" if empty else "scored",
            "reason": _MISSING if empty else None,
            "score": cell,
            "higher_is_better": higher_is_better,
            "signature": "",
        }
        yield record, name, fields


def _collected(path: Path, rows: Iterable[_Row], remedy: str) -> dict[str, MetricScores]:
    found: dict[str, _Collector] = {}
    for record, metric, fields in rows:
        try:
            _add(found, record, metric, fields)
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row, remedy=remedy) from None
    if not found:
        raise InputError(str(path), "holds no results")
    return {metric: collector.scores() for metric, collector in found.items()}


def _add(found: dict[str, _Collector], record: Record, metric: str, fields: Mapping[str, Any]) -> None:
    if record.problem:
        raise RowError(record.problem)
    if not metric:
        raise RowError("metric is no name")
    if metric not in found:
        found[metric] = _Collector(metric, fields)
    found[metric].add(record.row, fields)


class _Collector:
    """Gathers the rows of one metric."""

    def __init__(self, metric: str, fields: Mapping[str, Any]) -> None:
        self._metric = metric
        self._made_as = self._way(fields)
        signature, higher_is_better = self._made_as
        self._scores = ScoreCollector(metric, signature, higher_is_better=higher_is_better)
        self._rows: dict[str, int] = {}

    def add(self, row: int, fields: Mapping[str, Any]) -> None:
        name = identifier(fields.get("id"), "id")
        if name in self._rows:
            raise RowError(f"its id is also that of row {self._rows[name]} for {self._metric}")
        if self._way(fields) != self._made_as:
            raise RowError(f"{self._metric} has another signature than in the rows before it")
        self._rows[name] = row
        if fields["status"] == "unscored":
            self._scores.unscored(name, str(fields.get("reason") or _MISSING))
            return
        score = _number(fields.get("score"), "score")
        subscores = {key: _number(value, "a subscore") for key, value in dict(fields.get("subscores") or {}).items()}
        self._scores.scored(name, score, subscores, map(_kinds, fields.get("discrepancies") or ()))

    def scores(self) -> MetricScores:
        return self._scores.scores()

    @staticmethod
    def _way(fields: Mapping[str, Any]) -> tuple[str, bool]:
        """How a row was made: signature and direction."""
        signature, higher_is_better = fields.get("signature"), fields.get("higher_is_better")
        if fields.get("status") not in ("scored", "unscored"):
            raise RowError("status is neither scored nor unscored")
        if not isinstance(signature, str) or not isinstance(higher_is_better, bool):
            raise RowError("signature or higher_is_better is missing")
        return signature, higher_is_better


def _kinds(discrepancy: object) -> dict[str, str]:
    given = discrepancy if isinstance(discrepancy, dict) else {}
    return {kind: value if isinstance(value := given.get(kind), str) else UNCATEGORISED for kind in COUNTED}


def _number(value: object, name: str) -> float:
    if is_missing(value):
        raise RowError(f"{name} is missing, not a number")
    return finite_number(value, name)
