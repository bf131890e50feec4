"""The result store in a database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from attrs import evolve
from sqlalchemy import String, func, select, type_coerce

from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult
from overread.exceptions import StoreError
from overread.infrastructure.logs import Vouched, get_logger
from overread.infrastructure.store.columns import storable
from overread.infrastructure.store.database import Database, StoreInDatabase, chunks
from overread.infrastructure.store.digest import pair_digest
from overread.infrastructure.store.keeping import is_retried, keep, problem_of
from overread.infrastructure.store.result_tables import RESULTS, RUNS
from overread.infrastructure.store.rows import (
    RESULT_COLUMNS,
    Entry,
    Key,
    StoredResult,
    discrepancies_of,
    every_result,
    format_damaged,
    stored_discrepancies,
)

__all__ = ["SqlResultStore"]

_DAMAGED: Final = "damaged"
_NAMED: Final = 3


class SqlResultStore(StoreInDatabase):
    """Keeps results in a database; the same pair under the same metric and signature is kept once.

    A pair is known by its digest; its text is kept only if asked for.
    """

    def __init__(self, database: Database, *, store_text: bool = False) -> None:
        self._database = database
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
        with self._database.transaction() as session:
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
            None if result is None or is_retried(result) else evolve(result, pair_id=pair.id)
            for pair, result in ((pair, known.get(digest)) for pair, digest in zip(pairs, digests, strict=True))
        ]

    def damaged(self) -> list[dict[str, str]]:
        """The stored results that do not hold, oldest first: pair_id, metric and problem of each. All are looked at."""
        with self._database.transaction() as session:
            return [
                {"pair_id": stored.name, "metric": format_damaged(stored.row["metric"]), "problem": problem}
                for stored in every_result(session.connection())
                if (problem := problem_of(stored))
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
        with self._database.transaction(write=True) as session:
            keep(session, run, entries, store_text=self._store_text)

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
        with self._database.transaction() as session:
            return [
                {"run": format_damaged(name), "started": _format_moment(started), "results": results, "pairs": pairs}
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
        with self._database.transaction() as session:
            connection = session.connection()
            runs = {str(number): name for number, name in connection.execute(names)}
            if run is not None:
                query = query.where(RESULTS.c.run_id.in_([key for key, name in runs.items() if name == storable(run)]))
            selected = [StoredResult({**row}) for row in connection.execute(query).mappings()]
            stored: dict[int, list[dict[str, Any]]] = {}
            for chunk in chunks(entry.row["id"] for entry in selected):
                stored.update(stored_discrepancies(connection, chunk))
        return [
            _result_summary(
                entry, format_damaged(runs.get(str(entry.row["run_id"]), "")), stored.get(entry.row["id"], [])
            )
            for entry in selected
        ]

    def _tell(self, found: Sequence[StoredResult]) -> None:
        """Logs what does not hold: all of the file at the first time, then what is new."""
        if {stored.key for stored in found} <= self._told:
            return
        with self._database.transaction() as session:
            every = [stored for stored in every_result(session.connection()) if problem_of(stored)]
        self._told |= {stored.key for stored in (*every, *found)}
        named = [f"{stored.name} ({format_damaged(stored.row['metric'])})" for stored in every or found]
        first = ", ".join(named[:_NAMED]) + (", ..." if len(named) > _NAMED else "")
        get_logger("store").warning(
            "damaged_results_scored_anew", store=self._database.name, count=len(named), first=Vouched(first)
        )


def _entries(pairs: Sequence[ReportPair], results: Iterable[EvaluationResult]) -> list[Entry]:
    results = list(results)
    if [pair.id for pair in pairs] != [result.pair_id for result in results]:
        by_id = {pair.id: pair for pair in pairs}
        unknown = [result.pair_id for result in results if result.pair_id not in by_id]
        if unknown or len(by_id) != len(pairs):
            raise StoreError("results and pairs do not belong together: ids are missing or there more than once")
        pairs = [by_id[result.pair_id] for result in results]
    return [Entry.of(pair_digest(pair), pair, result) for pair, result in zip(pairs, results, strict=True)]


def _result_summary(stored: StoredResult, run: str, discrepancies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    row, problem = stored.row, problem_of(stored)
    severities: list[str] = []
    if not problem:
        record = json.loads(row["record"])
        severities = [item["severity"] for item in record["discrepancies"]]
        if list(discrepancies) != list(discrepancies_of(stored.key, record, row["id"])):
            problem = "the rows of its discrepancies are not those of its record"
    insignificant = sum(severity == "insignificant" for severity in severities)
    return {
        "pair_id": stored.name,
        "metric": format_damaged(row["metric"]),
        "status": _DAMAGED if problem else row["status"],
        "score": None if problem else row["score"],
        "reason": problem or row["reason"],
        "run": run,
        "created": _format_moment(row["created"]),
        "significant": len(severities) - insignificant,
        "insignificant": insignificant,
        "signature": format_damaged(row["signature"]),
    }


def _format_moment(moment: object) -> str:
    try:
        return datetime.fromisoformat(str(moment)).replace(tzinfo=UTC).isoformat(timespec="seconds")
    except ValueError:
        return "unknown"
