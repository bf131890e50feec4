"""The result store in a SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from attrs import evolve, frozen
from sqlalchemy import URL, Connection, event, func
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlmodel import Session, col, create_engine, select

from overread.domain.report import ReportPair
from overread.domain.result import EvaluationResult
from overread.exceptions import StoreError
from overread.infrastructure.serialise import result_from_record, result_record
from overread.infrastructure.store._tables import (
    SCHEMA_VERSION,
    DiscrepancyRow,
    PairRow,
    ResultRow,
    RunRow,
    SchemaVersion,
    StoreTable,
)
from overread.infrastructure.store.digest import pair_digest

__all__ = ["SqliteResultStore"]

T = TypeVar("T")

_CHUNK: Final = 500
"""Digests a query: SQLite may be built for as few as 999 variables in one."""

_WAIT_S: Final = 30.0
_RETRY_S: Final = 0.01
_RETRIED: Final = "error"
"""Reason of a metric that broke. Its cause may be gone, so such a result is kept but never found again."""

_CLEARER: Final = {
    "file is not a database": "is not a SQLite file",
    "malformed": "is damaged",
    "locked": "is in use by another process",
    "unable to open": "cannot be opened",
    "readonly": "cannot be written",
    "disk is full": "cannot be written: the disk is full",
    "no such table": "lacks a table: it is damaged or no store of overread",
    "no such column": "lacks a column: it is damaged or no store of overread",
}


class SqliteResultStore:
    """Keeps results in one SQLite file; the same pair under the same metric and signature is kept once.

    A pair is known by its digest; its text is kept only if asked for.

    Raises:
        StoreError: if the file cannot be opened, is no store, or was written by a newer overread.
    """

    def __init__(self, path: Path, *, store_text: bool = False) -> None:
        self._path = path.absolute()
        self._store_text = store_text
        _check_place(self._path)
        is_new = self._is_new()
        # Parameters of a statement may be report text: SQLAlchemy must not put them into its messages.
        self._engine = create_engine(
            URL.create("sqlite", database=str(self._path)),
            hide_parameters=True,
            connect_args={"isolation_level": None, "timeout": _WAIT_S},
        )
        event.listen(self._engine, "connect", _set_up)
        event.listen(self._engine, "begin", _begin)
        if is_new:
            self._create()

    def find(self, pairs: Sequence[ReportPair], metric: str, signature: str) -> list[EvaluationResult | None]:
        """The stored result of each pair under a signature, with the pair's own id; None where there is none."""
        digests = [pair_digest(pair) for pair in pairs]
        known: dict[str, str] = {}
        with self._transaction() as session:
            for chunk in _chunks(digests):
                query = select(ResultRow.pair_digest, ResultRow.record).where(
                    col(ResultRow.pair_digest).in_(chunk),
                    ResultRow.metric == metric,
                    ResultRow.signature == signature,
                    func.coalesce(col(ResultRow.reason), "") != _RETRIED,
                )
                known.update(session.exec(query).all())
        return [
            self._restored(known[digest], pair.id) if digest in known else None
            for pair, digest in zip(pairs, digests, strict=True)
        ]

    def add(self, run: str, pairs: Sequence[ReportPair], results: Iterable[EvaluationResult]) -> None:
        """Store results, all or none; storing the same one again changes nothing.

        Args:
            run: name of the run; one of that name is continued.
            pairs: that the results are of.
            results: one a pair in the pairs' order, or in any number and order if the pairs' ids differ.
        """
        entries = _entries(pairs, results)
        if not entries:
            return
        with self._transaction(write=True) as session:
            run_id = _run_id(session, run)
            self._add_pairs(session, {entry.digest: entry.pair for entry in entries})
            fresh = _fresh(session, entries)
            rows = [entry.row(run_id) for entry in fresh]
            session.add_all(rows)
            session.flush()
            session.add_all(
                _discrepancy_row(row.id, item)
                for row, entry in zip(rows, fresh, strict=True)
                for item in entry.record["discrepancies"]
            )

    def runs(self) -> list[dict[str, Any]]:
        """The runs, newest first: name, started, and the numbers of results and pairs that each added."""
        query = (
            select(
                RunRow.name,
                RunRow.started,
                func.count(col(ResultRow.id)),
                func.count(func.distinct(ResultRow.pair_digest)),
            )
            .outerjoin(ResultRow, col(ResultRow.run_id) == RunRow.id)
            .group_by(col(RunRow.id))
            .order_by(col(RunRow.id).desc())
        )
        with self._transaction() as session:
            return [
                {"run": name, "started": _shown(started), "results": results, "pairs": pairs}
                for name, started, results, pairs in session.exec(query).all()
            ]

    def results(self, run: str | None = None, limit: int = 50) -> list[dict[str, Any]]:
        """Stored results, newest first.

        Args:
            run: only those that this run added.
            limit: how many at most.

        Returns:
            Dicts with pair_id, metric, status, score, reason, run, created, significant and insignificant (numbers
            of discrepancies) and signature.
        """
        query = (
            select(ResultRow, RunRow.name)
            .join(RunRow, col(ResultRow.run_id) == RunRow.id)
            .order_by(col(ResultRow.id).desc())
            .limit(limit)
        )
        if run is not None:
            query = query.where(RunRow.name == _storable(run))
        with self._transaction() as session:
            found = session.exec(query).all()
            severities = _severities(session, [row.id for row, _ in found if row.id is not None])
            return [_listed(row, name, severities.get(row.id, [])) for row, name in found]

    def close(self) -> None:
        """Let go of the file. The store opens it again when it is used again."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _is_new(self) -> bool:
        """Whether the file has yet to get its tables; raises if it holds anything else than a store of this version."""
        try:
            with closing(sqlite3.connect(self._path, timeout=_WAIT_S)) as connection:
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                if not tables:
                    _use_wal(connection)
                    return True
                if SchemaVersion.__tablename__ not in tables or ResultRow.__tablename__ not in tables:
                    raise StoreError(f"{self._path}: is a SQLite file, but no store of overread")
                versions = connection.execute("SELECT version FROM schema_version").fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from None
        self._check_version([version for (version,) in versions])
        return False

    def _check_version(self, versions: Sequence[object]) -> None:
        if versions == [SCHEMA_VERSION]:
            return
        version = versions[0] if len(versions) == 1 else None
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise StoreError(
                f"{self._path}: was written by a newer overread (schema {version}, this one knows {SCHEMA_VERSION});"
                " upgrade overread or use another file"
            )
        raise StoreError(f"{self._path}: its schema version cannot be read; it is damaged or no store of overread")

    def _create(self) -> None:
        with self._transaction(write=True) as session:
            StoreTable.metadata.create_all(session.connection())
            if session.exec(select(SchemaVersion)).first() is None:
                session.add(SchemaVersion(version=SCHEMA_VERSION))

    def _add_pairs(self, session: Session, pairs: Mapping[str, ReportPair]) -> None:
        known: dict[str, PairRow] = {}
        for chunk in _chunks(pairs):
            known.update(
                {row.digest: row for row in session.exec(select(PairRow).where(col(PairRow.digest).in_(chunk)))}
            )
        for digest, pair in pairs.items():
            row = known.get(digest) or PairRow(digest=digest, name=_storable(pair.id))
            if self._store_text:
                row.reference, row.candidate = _storable(pair.reference.text), _storable(pair.candidate.text)
            session.add(row)
        session.flush()

    def _restored(self, record: str, pair_id: str) -> EvaluationResult:
        try:
            return evolve(result_from_record(json.loads(record)), pair_id=pair_id)
        except (KeyError, TypeError, ValueError):
            raise StoreError(f"{self._path}: a stored result cannot be read; the file is damaged") from None

    @contextmanager
    def _transaction(self, *, write: bool = False) -> Iterator[Session]:
        try:
            with Session(self._engine.execution_options(write=write)) as session, session.begin():
                yield session
        except DBAPIError as error:
            raise self._failure(error.orig) from None
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise self._failure(error) from None

    def _failure(self, error: BaseException | None) -> StoreError:
        text = str(error)
        clearer = next((words for sign, words in _CLEARER.items() if sign in text), None)
        return StoreError(f"{self._path}: {clearer or f'cannot be used: {type(error).__name__}'}")


@frozen
class _Entry:
    """A result on its way into the store."""

    digest: str
    pair: ReportPair
    record: Mapping[str, Any]

    @property
    def key(self) -> tuple[str, str, str]:
        """What a result is kept once for."""
        return (self.digest, self.record["metric"], self.record["signature"])

    def row(self, run_id: int) -> ResultRow:
        """The row to store."""
        return ResultRow(
            pair_digest=self.digest,
            metric=self.record["metric"],
            signature=self.record["signature"],
            run_id=run_id,
            pair_name=_storable(self.pair.id),
            status=self.record["status"],
            reason=self.record["reason"],
            score=self.record["score"],
            record=json.dumps(self.record, allow_nan=False),
            created=datetime.now(UTC),
        )


def _entries(pairs: Sequence[ReportPair], results: Iterable[EvaluationResult]) -> list[_Entry]:
    results = list(results)
    if [pair.id for pair in pairs] != [result.pair_id for result in results]:
        by_id = {pair.id: pair for pair in pairs}
        unknown = [result.pair_id for result in results if result.pair_id not in by_id]
        if unknown or len(by_id) != len(pairs):
            raise StoreError("results and pairs do not belong together: ids are missing or there more than once")
        pairs = [by_id[result.pair_id] for result in results]
    return [_Entry(pair_digest(pair), pair, result_record(result)) for pair, result in zip(pairs, results, strict=True)]


def _fresh(session: Session, entries: Sequence[_Entry]) -> list[_Entry]:
    """The entries that are not stored yet. One that replaces a broken metric's result takes that out."""
    stored: dict[tuple[str, str, str], ResultRow] = {}
    for chunk in _chunks(entry.digest for entry in entries):
        found = session.exec(select(ResultRow).where(col(ResultRow.pair_digest).in_(chunk))).all()
        stored.update({(row.pair_digest, row.metric, row.signature): row for row in found})
    fresh: dict[tuple[str, str, str], _Entry] = {}
    for entry in entries:
        row = stored.get(entry.key)
        if row is None:
            fresh.setdefault(entry.key, entry)
        elif row.reason == _RETRIED and entry.record["reason"] != _RETRIED:
            session.delete(row)
            fresh.setdefault(entry.key, entry)
    session.flush()
    return list(fresh.values())


def _run_id(session: Session, name: str) -> int:
    run = session.exec(select(RunRow).where(RunRow.name == _storable(name))).first()
    if run is None:
        run = RunRow(name=_storable(name), started=datetime.now(UTC))
        session.add(run)
        session.flush()
    if run.id is None:
        raise StoreError("the store gave a run no number")
    return run.id


def _discrepancy_row(result_id: int | None, item: Mapping[str, Any]) -> DiscrepancyRow:
    return DiscrepancyRow(
        result_id=result_id,
        category=item["category"],
        aspect=item["aspect"],
        type=item["type"],
        severity=item["severity"],
        finding=item["finding"],
    )


def _severities(session: Session, result_ids: Sequence[int]) -> dict[int | None, list[str]]:
    found: dict[int | None, list[str]] = {}
    for chunk in _chunks(result_ids):
        query = select(DiscrepancyRow.result_id, DiscrepancyRow.severity).where(
            col(DiscrepancyRow.result_id).in_(chunk)
        )
        for result_id, severity in session.exec(query):
            found.setdefault(result_id, []).append(severity)
    return found


def _listed(row: ResultRow, run: str, severities: Sequence[str]) -> dict[str, Any]:
    insignificant = sum(severity == "insignificant" for severity in severities)
    return {
        "pair_id": row.pair_name,
        "metric": row.metric,
        "status": row.status,
        "score": row.score,
        "reason": row.reason,
        "run": run,
        "created": _shown(row.created),
        "significant": len(severities) - insignificant,
        "insignificant": insignificant,
        "signature": row.signature,
    }


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path}: is a folder, not a file")
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist; make it first")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log, waiting for others as they make the same file: SQLite itself does not wait here."""
    deadline = monotonic() + _WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or monotonic() > deadline:
                raise
            sleep(_RETRY_S)
        else:
            return


def _set_up(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin(connection: Connection) -> None:
    # A writer takes its lock at once: one that begins by reading could find the file changed under it.
    write = connection.get_execution_options().get("write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    distinct = list(dict.fromkeys(items))
    for start in range(0, len(distinct), _CHUNK):
        yield distinct[start : start + _CHUNK]


def _storable(text: str) -> str:
    """The text, with half characters, which SQLite cannot hold, written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _shown(moment: datetime) -> str:
    return moment.replace(tzinfo=UTC).isoformat(timespec="seconds")
