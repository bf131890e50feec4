"""The result store in a SQLite file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from attrs import evolve, frozen
from sqlalchemy import func
from sqlmodel import Session, col, select

from overread.domain.report import ReportPair
from overread.domain.result import EvaluationResult
from overread.exceptions import StoreError
from overread.infrastructure.serialise import result_from_record, result_record
from overread.infrastructure.store._file import Layout, SqliteFile, StoreOnFile, chunks, storable
from overread.infrastructure.store._result_tables import (
    SCHEMA_VERSION,
    UPGRADES,
    DiscrepancyRow,
    PairRow,
    ResultRow,
    RunRow,
    StoreTable,
)
from overread.infrastructure.store.digest import pair_digest

__all__ = ["SqliteResultStore"]

_LAYOUT: Final = Layout(
    metadata=StoreTable.metadata,
    version=SCHEMA_VERSION,
    upgrades=UPGRADES,
    mark=ResultRow.__tablename__,
    what="store of overread",
)
_RETRIED: Final = ("error", "no answer", "not asked")
"""Reasons of a metric that broke and of a model that did not answer or was not asked. The cause may be gone, so such
a result is kept but never found again."""


class SqliteResultStore(StoreOnFile):
    """Keeps results in one SQLite file; the same pair under the same metric and signature is kept once.

    A pair is known by its digest; its text is kept only if asked for.

    Raises:
        StoreError: if the file cannot be opened, is no store, or was written by a newer overread.
    """

    def __init__(self, path: Path, *, store_text: bool = False) -> None:
        self._file = SqliteFile(path, _LAYOUT)
        self._store_text = store_text

    def find(self, pairs: Sequence[ReportPair], metric: str, signature: str) -> list[EvaluationResult | None]:
        """The stored result of each pair under a signature, with the pair's own id; None where there is none."""
        digests = [pair_digest(pair) for pair in pairs]
        known: dict[str, str] = {}
        with self._file.transaction() as session:
            for chunk in chunks(digests):
                query = select(ResultRow.pair_digest, ResultRow.record).where(
                    col(ResultRow.pair_digest).in_(chunk),
                    ResultRow.metric == metric,
                    ResultRow.signature == signature,
                    func.coalesce(col(ResultRow.reason), "").not_in(_RETRIED),
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
        with self._file.transaction(write=True) as session:
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
        with self._file.transaction() as session:
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
            query = query.where(RunRow.name == storable(run))
        with self._file.transaction() as session:
            found = session.exec(query).all()
            severities = _severities(session, [row.id for row, _ in found if row.id is not None])
            return [_listed(row, name, severities.get(row.id, [])) for row, name in found]

    def _add_pairs(self, session: Session, pairs: Mapping[str, ReportPair]) -> None:
        known: dict[str, PairRow] = {}
        for chunk in chunks(pairs):
            known.update(
                {row.digest: row for row in session.exec(select(PairRow).where(col(PairRow.digest).in_(chunk)))}
            )
        for digest, pair in pairs.items():
            row = known.get(digest) or PairRow(digest=digest, name=storable(pair.id))
            if self._store_text:
                row.reference, row.candidate = storable(pair.reference.text), storable(pair.candidate.text)
            session.add(row)
        session.flush()

    def _restored(self, record: str, pair_id: str) -> EvaluationResult:
        try:
            return evolve(result_from_record(json.loads(record)), pair_id=pair_id)
        except (KeyError, TypeError, ValueError):
            raise self._file.damaged("a stored result") from None


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
            pair_name=storable(self.pair.id),
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
    for chunk in chunks(entry.digest for entry in entries):
        found = session.exec(select(ResultRow).where(col(ResultRow.pair_digest).in_(chunk))).all()
        stored.update({(row.pair_digest, row.metric, row.signature): row for row in found})
    fresh: dict[tuple[str, str, str], _Entry] = {}
    for entry in entries:
        row = stored.get(entry.key)
        if row is None:
            fresh.setdefault(entry.key, entry)
        elif row.reason in _RETRIED and entry.record["reason"] not in _RETRIED:
            session.delete(row)
            fresh.setdefault(entry.key, entry)
    session.flush()
    return list(fresh.values())


def _run_id(session: Session, name: str) -> int:
    run = session.exec(select(RunRow).where(RunRow.name == storable(name))).first()
    if run is None:
        run = RunRow(name=storable(name), started=datetime.now(UTC))
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
        importance=item["importance"],
        extent=item["extent"],
        weight=item["weight"],
    )


def _severities(session: Session, result_ids: Sequence[int]) -> dict[int | None, list[str]]:
    found: dict[int | None, list[str]] = {}
    for chunk in chunks(result_ids):
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


def _shown(moment: datetime) -> str:
    return moment.replace(tzinfo=UTC).isoformat(timespec="seconds")
