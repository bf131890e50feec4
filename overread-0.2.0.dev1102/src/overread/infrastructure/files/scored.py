"""Result files read back as scores: numbers by pair id, without the text of any reason or remark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final

from overread.application.scoring.score_collection import UNCATEGORISED, ScoreCollector
from overread.domain.results.result import EvaluationResult
from overread.domain.results.scores import COUNTED, MetricScores
from overread.exceptions import InputError
from overread.infrastructure.files.completeness import check_complete, partial_folder
from overread.infrastructure.files.csv_rows import is_flat, whole_record
from overread.infrastructure.serialise import ROUNDING, SCHEMA_VERSION, is_intact, result_from_record
from overread.tables.cells import RowError, finite_number, identifier, is_blank, is_missing
from overread.tables.records import Record, read_columns, read_records, table_format

__all__ = ["holds_results", "read_results", "read_scores"]

_KEYS: Final = ("metric", "status", "reason", "score", "higher_is_better", "subscores", "discrepancies", "signature")
_WHOLE: Final = (*_KEYS, "detail", "fault", "range", "truncated", "notes", "answers", "schema_version", "digest")
_AS_WRITTEN: Final = "name a file that overread corpus -o wrote, or write it again"
_CHANGED: Final = "write it again, or remove the digest of a row that was changed on purpose"
_PLAIN_CELLS: Final = "each row has an id of its own, and in a column of scores a number or nothing"
_MISSING: Final = "missing"


def holds_results(path: Path | str) -> bool:
    """Return whether a file's first row has the columns metric and status, and so holds results rather than pairs.

    A folder, such as a saved data set, holds pairs.

    Raises:
        InputError: if the file cannot be read.
    """
    if Path(path).is_dir():
        return False
    first = next(read_records(Path(path), (), ("metric", "status")), None)
    return first is not None and not first.problem and {"metric", "status"} <= first.fields.keys()


def read_scores(path: Path | str, *, directions: Mapping[str, bool] | None = None) -> dict[str, MetricScores]:
    """The scores of a file by metric, in memory that grows with the numbers alone.

    Args:
        path: results as ``overread corpus -o`` writes them, .jsonl, .ndjson (each also gzipped) or .parquet. A file
            without the columns metric and status is read as a table of plain scores, .csv and .tsv too: column id and
            one column a metric. An empty cell there is unscored for the reason "missing".
        directions: whether higher is better, by the name of each column of plain scores to be read, of those that the
            file has; None where a table of plain scores is not to be had at all.

    Raises:
        InputError: if the file cannot be read, or is not made yet; if it lacks rows, as `check_complete` finds; at the
            first row that is no result, was changed since it was written,
            repeats an id of its metric, or was made under another signature than the metric's rows before it; and for
            a table of plain scores whose columns have no direction, or that has none of those that do.
    """
    path = Path(path)
    if not path.exists() and partial_folder(path).is_dir():
        problem = "is not finished: the run that writes it was stopped or is still going on"
        raise InputError(str(path), problem, remedy="run its command again")
    records = read_records(path, ("id",), (*_of_results(path), *(directions or ())), remedy=_AS_WRITTEN)
    first = next(records, None)
    if first is None:
        raise InputError(str(path), "holds no results")
    every = chain([first], records)
    if first.problem or {"metric", "status"} <= first.fields.keys():
        by_metric = _collect_scores(path, map(_result_row, every), _AS_WRITTEN)
        check_complete(path, {metric: scores.ids for metric, scores in by_metric.items()})
        return by_metric
    if not directions:
        problem = "has no columns metric and status, so it is not a result file"
        remedy = "name its columns of scores with `directions`"
        raise InputError(str(path), problem, remedy=_AS_WRITTEN if directions is None else remedy)
    there = {name: higher_is_better for name, higher_is_better in directions.items() if name in first.fields}
    if not there:
        raise InputError(str(path), f"no column {' or '.join(directions)}", remedy="name the columns that it has")
    return _collect_scores(path, (row for record in every for row in _plain_rows(record, there)), _PLAIN_CELLS)


def read_results(path: Path | str, ids: Iterable[str] | None = None) -> dict[str, dict[str, EvaluationResult]]:
    """The whole results of pairs, first by pair id, then by metric; their evidence is not in the file.

    Args:
        path: of a file that ``overread corpus -o`` or `score_corpus` wrote.
        ids: of the pairs that are wanted; all where omitted.

    Raises:
        InputError: if the file cannot be read, or a row of one of these pairs is no result, was changed since it was
            written, or repeats the id of its metric.
    """
    path, wanted = Path(path), None if ids is None else set(ids)
    results: dict[str, dict[str, EvaluationResult]] = {}
    for record in read_records(path, ("id",), _of_results(path)):
        if record.problem and wanted is None:
            raise InputError(str(path), record.problem, row=record.row, remedy=_AS_WRITTEN)
        if record.problem or (wanted is not None and str(record.fields["id"]) not in wanted):
            continue
        result = _result(path, record)
        if result.metric in results.setdefault(result.pair_id, {}):
            problem = f"id {result.pair_id!r} is also that of an earlier row for {result.metric}"
            raise InputError(str(path), problem, row=record.row, remedy=_AS_WRITTEN)
        results[result.pair_id][result.metric] = result
    return results


def _result(path: Path, record: Record) -> EvaluationResult:
    fields = _as_written(record.fields)
    try:
        return result_from_record({**fields, "id": identifier(fields["id"], "id")})
    except (RowError, ValueError) as error:
        remedy = _AS_WRITTEN if is_intact(fields) else _CHANGED
        raise InputError(str(path), f"is not a whole result: {error}", row=record.row, remedy=remedy) from None


def _of_results(path: Path) -> tuple[str, ...]:
    """The columns of a file of results; in CSV each subscore has one."""
    if not path.is_file() or table_format(path) not in ("csv", "tsv"):
        return _WHOLE
    return (*_WHOLE, *filter(is_flat, read_columns(path)))


def _as_written(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a row as those of a record: of CSV from its cells, null for NaN, what Parquet has for an object."""
    if any(map(is_flat, fields)):
        with suppress(ValueError):  # a cell that is none of its kind stays, and is told with what it stands for
            return whole_record(fields)
    written = {name: None if is_missing(value) else value for name, value in fields.items()}
    subscores = written.get("subscores")
    if isinstance(subscores, list) and all(isinstance(entry, tuple) for entry in subscores):
        written["subscores"] = dict(subscores)
    return written


_Row = tuple[Record, str, Mapping[str, Any]]
"""A record, the metric that it is of, and its fields as those of a result."""


def _result_row(record: Record) -> _Row:
    fields = _as_written(record.fields)
    metric = fields.get("metric")
    return record, metric if isinstance(metric, str) else "", fields


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


def _collect_scores(path: Path, rows: Iterable[_Row], remedy: str) -> dict[str, MetricScores]:
    collectors: dict[str, _Collector] = {}
    for record, metric, fields in rows:
        try:
            _add(collectors, record, metric, fields)
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row, remedy=remedy) from None
    if not collectors:
        raise InputError(str(path), "holds no results")
    return {metric: collector.scores() for metric, collector in collectors.items()}


def _add(found: dict[str, _Collector], record: Record, metric: str, fields: Mapping[str, Any]) -> None:
    if record.problem:
        raise RowError(record.problem)
    if not metric:
        raise RowError("metric is not a name")
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
            raise RowError(f"{self._metric} has a different signature in the rows before it")
        self._rows[name] = row
        _check_whole(fields)
        if fields["status"] == "unscored":
            self._scores.unscored(name, str(fields.get("reason") or _MISSING))
            return
        score = _number(fields.get("score"), "score")
        _check_range(score, fields.get("range"))
        given, discrepancies = fields.get("subscores") or {}, fields.get("discrepancies") or ()
        if not isinstance(given, Mapping) or not isinstance(discrepancies, list | tuple):
            raise RowError("subscores is not an object, or discrepancies is not a list")
        subscores = {key: _number(value, "a subscore") for key, value in given.items()}
        self._scores.scored(name, score, subscores, map(_kinds, discrepancies))

    def scores(self) -> MetricScores:
        return self._scores.scores()

    @staticmethod
    def _way(fields: Mapping[str, Any]) -> tuple[str, bool]:
        """The signature and direction that a row was made with."""
        signature, higher_is_better = fields.get("signature"), fields.get("higher_is_better")
        if fields.get("status") not in ("scored", "unscored"):
            raise RowError("status is neither scored nor unscored")
        if not isinstance(signature, str) or not isinstance(higher_is_better, bool):
            raise RowError("signature or higher_is_better is missing")
        return signature, higher_is_better


def _check_whole(fields: Mapping[str, Any]) -> None:
    version = fields.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise RowError(
            f"was written by a newer overread (schema {version}, this one knows {SCHEMA_VERSION}); upgrade overread"
        )
    if not is_intact(fields):
        raise RowError(f"was changed after it was written: its digest does not match; {_CHANGED}")


def _check_range(score: float, ends: object) -> None:
    if not isinstance(ends, list | tuple) or len(ends) != 2:  # noqa: PLR2004 - low and high; plain scores have none
        return
    low, high = (_number(end, "range") if end is not None else None for end in ends)
    if (low is not None and score < low - ROUNDING) or (high is not None and score > high + ROUNDING):
        raise RowError("score lies outside its range")


def _kinds(discrepancy: object) -> dict[str, str]:
    given = discrepancy if isinstance(discrepancy, dict) else {}
    return {kind: value if isinstance(value := given.get(kind), str) else UNCATEGORISED for kind in COUNTED}


def _number(value: object, name: str) -> float:
    if is_missing(value):
        raise RowError(f"{name} is missing, not a number")
    return finite_number(value, name)
