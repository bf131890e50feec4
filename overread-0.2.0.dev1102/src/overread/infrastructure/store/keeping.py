"""Keeps results in the tables: each once for its pair, metric and signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import delete, insert, select
from sqlmodel import Session, col
from sqlmodel import select as sqlmodel_select

from overread.application.scoring.evaluate import OUT_OF_MEMORY
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult, Unscored
from overread.exceptions import StoreError
from overread.infrastructure.store.columns import storable
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.result_tables import DISCREPANCIES, RESULTS, RUNS, PairRow, RunRow
from overread.infrastructure.store.rows import RESULT_COLUMNS, Entry, Key, StoredResult, discrepancies_of
from overread.infrastructure.store.statements import Lock, lock

__all__ = ["is_retried", "keep", "problem_of"]

_RETRIED: Final = ("error", "no answer", "not asked", OUT_OF_MEMORY, "timed out")
"""Reasons of a metric that broke, or that memory or time did not suffice for, and of a model that did not answer or was
not asked. The cause may be gone, so such a result is kept but never found again."""


def keep(session: Session, run: str, entries: Sequence[Entry], *, store_text: bool = False) -> None:
    """Adds results that are not there yet, with their discrepancies.

    Args:
        session: that writes.
        run: name of the run; one of that name is continued.
        entries: in order.
        store_text: whether to keep the reports' text beside their digest.
    """
    lock(session.connection(), Lock.RESULTS)
    run_id = _run_id(session, run)
    _add_pairs(session, {entry.digest: entry.pair for entry in entries}, store_text=store_text)
    fresh = _fresh(session, entries)
    rows = [entry.row(run_id) for entry in fresh]
    session.add_all(rows)
    session.flush()
    discrepancies = [
        discrepancy
        for row, entry in zip(rows, fresh, strict=True)
        for discrepancy in discrepancies_of(entry.key, entry.record, row.id or 0)
    ]
    if discrepancies:
        session.connection().execute(insert(DISCREPANCIES), discrepancies)


def problem_of(stored: StoredResult) -> str:
    """The fault of a stored result in words, "" if it has none."""
    try:
        stored.result()
    except ValueError as error:
        return str(error)
    return ""


def is_retried(result: EvaluationResult) -> bool:
    """Return whether a result may differ next time, as its metric broke or its model did not answer."""
    return isinstance(result.outcome, Unscored) and result.outcome.reason in _RETRIED


def _add_pairs(session: Session, pairs: Mapping[str, ReportPair], *, store_text: bool) -> None:
    known: dict[str, PairRow] = {}
    for chunk in chunks(pairs):
        known.update(
            {row.digest: row for row in session.exec(sqlmodel_select(PairRow).where(col(PairRow.digest).in_(chunk)))}
        )
    for digest, pair in pairs.items():
        row = known.get(digest) or PairRow(digest=digest, name=storable(pair.id))
        if store_text:
            row.reference, row.candidate = storable(pair.reference.text), storable(pair.candidate.text)
        session.add(row)
    session.flush()


def _fresh(session: Session, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that are not stored yet. One takes the place of a broken metric's, and of what is damaged."""
    connection = session.connection()
    stored: dict[Key, StoredResult] = {}
    for chunk in chunks(entry.digest for entry in entries):
        mappings = connection.execute(select(*RESULT_COLUMNS).where(RESULTS.c.pair_digest.in_(chunk))).mappings()
        stored.update({result.key: result for result in (StoredResult({**row}) for row in mappings)})
    fresh: dict[Key, Entry] = {}
    for entry in entries:
        old = stored.get(entry.key)
        if old is not None and entry.key not in fresh:
            if not (problem_of(old) or _is_better(entry, old.result())):
                continue
            connection.execute(delete(RESULTS).where(RESULTS.c.id == old.row["id"]))
        fresh.setdefault(entry.key, entry)
    return list(fresh.values())


def _is_better(entry: Entry, old: EvaluationResult) -> bool:
    """Return whether a score replaces the reason for its lack, or a lasting reason replaces one that may pass."""
    if entry.record["status"] == "scored":
        return not old.is_scored
    return is_retried(old) and entry.record["reason"] not in _RETRIED


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
