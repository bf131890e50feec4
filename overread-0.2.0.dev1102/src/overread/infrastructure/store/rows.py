"""Rows of the result store: made of results, and trusted only as far as their digests hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from attrs import frozen
from sqlalchemy import ColumnElement, Connection, RowMapping, String, delete, insert, select, type_coerce, update

from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult
from overread.infrastructure.serialise import result_from_record, result_record
from overread.infrastructure.store.columns import storable
from overread.infrastructure.store.result_tables import DISCREPANCIES, RESULTS, ResultRow

__all__ = [
    "RESULT_COLUMNS",
    "Entry",
    "Key",
    "StoredResult",
    "adopt",
    "discrepancies_of",
    "every_result",
    "format_damaged",
    "stored_discrepancies",
]

Key = tuple[str, str, str]
"""What a result is kept once for: digest of the pair, metric and signature."""

_KEY: Final = ("pair_digest", "metric", "signature")
_SAID: Final = (*_KEY, "pair_name", "status", "reason", "score", "record")
_DISCREPANCY: Final = (
    "category",
    "aspect",
    "type",
    "severity",
    "finding",
    "importance",
    "extent",
    "weight",
    "probability",
)
_BATCH: Final = 500

RESULT_COLUMNS: Final[tuple[ColumnElement[Any], ...]] = (
    RESULTS.c.id,
    *(type_coerce(RESULTS.c[name], String).label(name) for name in ("created", "run_id")),
    *(RESULTS.c[name] for name in (*_SAID, "digest")),
)
"""Columns of a `StoredResult`, none of which is interpreted as it is read: any of them may be damaged."""


@frozen
class Entry:
    """A result on its way into the store."""

    digest: str
    pair: ReportPair
    record: Mapping[str, Any]

    @classmethod
    def of(cls, digest: str, pair: ReportPair, result: EvaluationResult) -> Entry:
        """The entry of a pair's result."""
        return cls(digest, pair, result_record(result))

    @property
    def key(self) -> Key:
        """Key under which it is kept only once."""
        return (self.digest, self.record["metric"], self.record["signature"])

    def row(self, run_id: int) -> ResultRow:
        """The row to store."""
        values = {
            "pair_digest": self.digest,
            "metric": self.record["metric"],
            "signature": self.record["signature"],
            "pair_name": storable(self.pair.id),
            "status": self.record["status"],
            "reason": self.record["reason"],
            "score": self.record["score"],
            "record": json.dumps(self.record, allow_nan=False),
        }
        return ResultRow(
            **values, run_id=run_id, digest=_digest([values[name] for name in _SAID]), created=datetime.now(UTC)
        )


@frozen
class StoredResult:
    """A row of the table of results as it stands there, whatever that is."""

    row: Mapping[str, Any]

    @property
    def key(self) -> Key:
        """Key of the result that it stands for."""
        return (self.row["pair_digest"], self.row["metric"], self.row["signature"])

    @property
    def name(self) -> str:
        """The pair's id, as far as it can be shown."""
        return format_damaged(self.row["pair_name"])

    def result(self) -> EvaluationResult:
        """The result.

        Raises:
            ValueError: if the row does not hold: its digest is another, or its record no result of its own columns.
        """
        if self.row["digest"] != _digest_or_none([self.row[name] for name in _SAID]):
            raise ValueError("its digest does not hold")
        return self.read_unchecked()

    def read_unchecked(self) -> EvaluationResult:
        """The same without a look at the digest.

        Raises:
            ValueError: if the record is no result of the row's own columns.
        """
        try:
            record = json.loads(self.row["record"])
        except (TypeError, ValueError, RecursionError):
            raise ValueError("its record cannot be read") from None
        result = result_from_record(record)
        columns = ("metric", "signature", "status", "reason", "score")
        if any(record[name] != self.row[name] for name in columns):
            raise ValueError("its columns are not those of its record")
        return result


def discrepancies_of(entry_key: Key, record: Mapping[str, Any], result_id: int) -> Iterator[dict[str, Any]]:
    """The rows of a result's discrepancies."""
    for place, item in enumerate(record["discrepancies"]):
        fields = {name: item.get(name) for name in _DISCREPANCY}
        yield {"result_id": result_id, **fields, "digest": _digest([*entry_key, place, *fields.values()])}


def stored_discrepancies(connection: Connection, result_ids: Iterable[int]) -> dict[int, list[dict[str, Any]]]:
    """The rows of results' discrepancies as they stand there, by the results' numbers, in order."""
    table = DISCREPANCIES
    columns = [table.c[name] for name in ("result_id", *_DISCREPANCY, "digest")]
    by_result: dict[int, list[dict[str, Any]]] = {}
    for row in connection.execute(select(*columns).where(table.c.result_id.in_(result_ids)).order_by(table.c.id)):
        by_result.setdefault(row.result_id, []).append({**row._mapping})  # noqa: SLF001 - this is SQLAlchemy's own way
    return by_result


def every_result(connection: Connection) -> Iterator[StoredResult]:
    """All rows of results, oldest first, some at a time."""
    last: int = -1
    number = RESULTS.c.id
    while True:
        query = select(*RESULT_COLUMNS).where(number > last).order_by(number).limit(_BATCH)
        rows: Sequence[RowMapping] = connection.execute(query).mappings().all()
        if not rows:
            return
        yield from (StoredResult({**row}) for row in rows)
        last = rows[-1]["id"]


def adopt(connection: Connection) -> None:
    """Gives results of before there were digests theirs, as they stand; one that cannot be a result gets none.

    Their discrepancies are written anew, with their probabilities.
    """
    results, discrepancies = RESULTS, DISCREPANCIES
    for stored in every_result(connection):
        try:
            stored.read_unchecked()
            digest = _digest([stored.row[name] for name in _SAID])
        except (TypeError, ValueError):
            continue
        number = stored.row["id"]
        connection.execute(update(results).where(results.c.id == number).values(digest=digest))
        connection.execute(delete(discrepancies).where(discrepancies.c.result_id == number))
        rows = list(discrepancies_of(stored.key, json.loads(stored.row["record"]), number))
        if rows:
            connection.execute(insert(discrepancies), rows)


def format_damaged(value: object) -> str:
    """A text of a row that may be damaged, as it can be shown."""
    text = value if isinstance(value, str) else type(value).__name__
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _digest(said: Sequence[Any]) -> str:
    """SHA-256 of values. Raises `TypeError` or `ValueError` for one that cannot be a value of these tables."""
    # SQLite knows no negative zero.
    plain = [value + 0.0 if isinstance(value, float) else value for value in said]
    return hashlib.sha256(json.dumps(plain, allow_nan=False).encode()).hexdigest()


def _digest_or_none(said: Sequence[Any]) -> str | None:
    try:
        return _digest(said)
    except (TypeError, ValueError):
        return None
