"""The result store in a SQLite file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from attrs import evolve
from sqlalchemy import String, delete, func, insert, select, type_coerce
from sqlmodel import Session, col
from sqlmodel import select as sqlmodel_select

from overread.domain.report import ReportPair
from overread.domain.result import EvaluationResult, Unscored
from overread.exceptions import StoreError
from overread.infrastructure.logs import Vouched, get_logger
from overread.infrastructure.store._file import Layout, SqliteFile, StoreOnFile, chunks, storable
from overread.infrastructure.store._result_tables import (
    DISCREPANCIES,
    RESULTS,
    RUNS,
    SCHEMA_VERSION,
    UPGRADES,
    PairRow,
    ResultRow,
    RunRow,
    StoreTable,
)
from overread.infrastructure.store._rows import (
    RESULT_COLUMNS,
    Entry,
    Key,
    StoredResult,
    adopt,
    discrepancies_of,
    every_result,
    shown,
    stored_discrepancies,
)
from overread.infrastructure.store.digest import pair_digest

__all__ = ["SqliteResultStore"]

_LAYOUT: Final = Layout(
    metadata=StoreTable.metadata,
    version=SCHEMA_VERSION,
    upgrades={**UPGRADES, SCHEMA_VERSION - 1: (*UPGRADES[SCHEMA_VERSION - 1], adopt)},
    caveat="results of before had no digests and are taken as they stood; what could not be read is scored anew",
    mark=ResultRow.__tablename__,
    what="store of overread",
)
_DAMAGED: Final = "damaged"
_NAMED: Final = 3
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
        self._told: set[Key] = set()

    def find(self, pairs: Sequence[ReportPair], metric: str, signature: str) -> list[EvaluationResult | None]:
        """The stored result of each pair under a signature, with the pair's own id; None where there is none.

        What does not hold is as good as not there: its digest is another, it cannot be read, lies outside of its scale,
        or was written by a newer overread. It is told of in the log, once, with all that the file has of such.
        """
        digests = [pair_digest(pair) for pair in pairs]
        known: dict[str, EvaluationResult] = {}
        damaged: list[StoredResult] = []
        with self._file.transaction() as session:
            for chunk in chunks(digests):
                wanted = (
                    RESULTS.c.pair_digest.in_(chunk),
                    RESULTS.c.metric == metric,
                    RESULTS.c.signature == signature,
                )
                for row in session.connection().execute(select(*RESULT_COLUMNS).where(*wanted)).mappings():
                    stored = StoredResult({**row})
                    try:
                        known[row["pair_digest"]] = stored.result()
                    except ValueError:
                        damaged.append(stored)
        if damaged:
            self._tell(damaged)
        return [
            None if found is None or _is_retried(found) else evolve(found, pair_id=pair.id)
            for pair, found in ((pair, known.get(digest)) for pair, digest in zip(pairs, digests, strict=True))
        ]

    def damaged(self) -> list[dict[str, str]]:
        """The stored results that do not hold, oldest first: pair_id, metric and problem of each. All are looked at."""
        with self._file.transaction() as session:
            return [
                {"pair_id": stored.name, "metric": shown(stored.row["metric"]), "problem": problem}
                for stored in every_result(session.connection())
                if (problem := _problem(stored))
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
            found = [
                each
                for row, entry in zip(rows, fresh, strict=True)
                for each in discrepancies_of(entry.key, entry.record, row.id or 0)
            ]
            if found:
                session.connection().execute(insert(DISCREPANCIES), found)

    def runs(self) -> list[dict[str, Any]]:
        """The runs, newest first: name, started, and the numbers of results and pairs that each added."""
        query = (
            select(
                RUNS.c.name,
                type_coerce(RUNS.c.started, String),
                func.count(RESULTS.c.id),
                func.count(func.distinct(RESULTS.c.pair_digest)),
            )
            .outerjoin(RESULTS, RESULTS.c.run_id == RUNS.c.id)
            .group_by(RUNS.c.id)
            .order_by(RUNS.c.id.desc())
        )
        with self._file.transaction() as session:
            return [
                {"run": shown(name), "started": _shown(started), "results": results, "pairs": pairs}
                for name, started, results, pairs in session.connection().execute(query)
            ]

    def results(self, run: str | None = None, limit: int = 50) -> list[dict[str, Any]]:
        """Stored results, newest first.

        Args:
            run: only those that this run added.
            limit: how many at most.

        Returns:
            Dicts with pair_id, metric, status, score, reason, run, created, significant and insignificant (numbers
            of discrepancies) and signature. The status of one that does not hold is "damaged", and its reason says why.
        """
        query = select(*RESULT_COLUMNS).order_by(RESULTS.c.id.desc()).limit(limit)
        names = select(RUNS.c.id, RUNS.c.name)
        with self._file.transaction() as session:
            connection = session.connection()
            runs = {str(number): name for number, name in connection.execute(names)}
            if run is not None:
                query = query.where(RESULTS.c.run_id.in_([key for key, name in runs.items() if name == storable(run)]))
            found = [StoredResult({**row}) for row in connection.execute(query).mappings()]
            stored: dict[int, list[dict[str, Any]]] = {}
            for chunk in chunks(each.row["id"] for each in found):
                stored.update(stored_discrepancies(connection, chunk))
        return [
            _listed(each, shown(runs.get(str(each.row["run_id"]), "")), stored.get(each.row["id"], []))
            for each in found
        ]

    def _add_pairs(self, session: Session, pairs: Mapping[str, ReportPair]) -> None:
        known: dict[str, PairRow] = {}
        for chunk in chunks(pairs):
            known.update(
                {
                    row.digest: row
                    for row in session.exec(sqlmodel_select(PairRow).where(col(PairRow.digest).in_(chunk)))
                }
            )
        for digest, pair in pairs.items():
            row = known.get(digest) or PairRow(digest=digest, name=storable(pair.id))
            if self._store_text:
                row.reference, row.candidate = storable(pair.reference.text), storable(pair.candidate.text)
            session.add(row)
        session.flush()

    def _tell(self, found: Sequence[StoredResult]) -> None:
        """Logs what does not hold: all of the file at the first time, then what is new."""
        if {stored.key for stored in found} <= self._told:
            return
        with self._file.transaction() as session:
            every = [stored for stored in every_result(session.connection()) if _problem(stored)]
        self._told |= {stored.key for stored in (*every, *found)}
        named = [f"{stored.name} ({shown(stored.row['metric'])})" for stored in every or found]
        first = ", ".join(named[:_NAMED]) + (", ..." if len(named) > _NAMED else "")
        get_logger("store").warning(
            "damaged_results_scored_anew", store=str(self._file.path), count=len(named), first=Vouched(first)
        )


def _problem(stored: StoredResult) -> str:
    """What is wrong with a stored result, "" if nothing is."""
    try:
        stored.result()
    except ValueError as error:
        return str(error)
    return ""


def _is_retried(result: EvaluationResult) -> bool:
    return isinstance(result.outcome, Unscored) and result.outcome.reason in _RETRIED


def _entries(pairs: Sequence[ReportPair], results: Iterable[EvaluationResult]) -> list[Entry]:
    results = list(results)
    if [pair.id for pair in pairs] != [result.pair_id for result in results]:
        by_id = {pair.id: pair for pair in pairs}
        unknown = [result.pair_id for result in results if result.pair_id not in by_id]
        if unknown or len(by_id) != len(pairs):
            raise StoreError("results and pairs do not belong together: ids are missing or there more than once")
        pairs = [by_id[result.pair_id] for result in results]
    return [Entry.of(pair_digest(pair), pair, result) for pair, result in zip(pairs, results, strict=True)]


def _fresh(session: Session, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that are not stored yet. One takes the place of a broken metric's, and of what is damaged."""
    connection = session.connection()
    stored: dict[Key, StoredResult] = {}
    for chunk in chunks(entry.digest for entry in entries):
        found = connection.execute(select(*RESULT_COLUMNS).where(RESULTS.c.pair_digest.in_(chunk))).mappings()
        stored.update({each.key: each for each in (StoredResult({**row}) for row in found)})
    fresh: dict[Key, Entry] = {}
    for entry in entries:
        old = stored.get(entry.key)
        if old is not None and entry.key not in fresh:
            if not (_problem(old) or (_is_retried(old.result()) and entry.record["reason"] not in _RETRIED)):
                continue
            connection.execute(delete(RESULTS).where(RESULTS.c.id == old.row["id"]))
        fresh.setdefault(entry.key, entry)
    return list(fresh.values())


def _run_id(session: Session, name: str) -> int:
    known = session.connection().execute(select(RUNS.c.id).where(RUNS.c.name == storable(name))).scalar()
    if known is not None:
        return int(known)
    run = RunRow(name=storable(name), started=datetime.now(UTC))
    session.add(run)
    session.flush()
    if run.id is None:
        raise StoreError("the store gave a run no number")
    return run.id


def _listed(stored: StoredResult, run: str, discrepancies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    row, problem = stored.row, _problem(stored)
    severities: list[str] = []
    if not problem:
        record = json.loads(row["record"])
        severities = [each["severity"] for each in record["discrepancies"]]
        if list(discrepancies) != list(discrepancies_of(stored.key, record, row["id"])):
            problem = "the rows of its discrepancies are not those of its record"
    insignificant = sum(severity == "insignificant" for severity in severities)
    return {
        "pair_id": stored.name,
        "metric": shown(row["metric"]),
        "status": _DAMAGED if problem else row["status"],
        "score": None if problem else row["score"],
        "reason": problem or row["reason"],
        "run": run,
        "created": _shown(row["created"]),
        "significant": len(severities) - insignificant,
        "insignificant": insignificant,
        "signature": shown(row["signature"]),
    }


def _shown(moment: object) -> str:
    try:
        return datetime.fromisoformat(str(moment)).replace(tzinfo=UTC).isoformat(timespec="seconds")
    except ValueError:
        return "unknown"
