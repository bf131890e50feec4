"""Counts of pairs that the database keeps: which searches they answer, and how they stay few."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from attrs import evolve, fields, frozen
from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, not_, or_, text
from sqlalchemy.dialects import postgresql, sqlite

from overread.hospital.application.grouping import MonthSpan
from overread.hospital.application.requests import Search
from overread.hospital.infrastructure.store._hospital_tables import COUNTED, FEED_COUNTED, FEED_COUNTS, PAIR_COUNTS
from overread.infrastructure.store.statements import Lock, is_postgres, try_lock

__all__ = ["CountedMonths", "counted_in", "counted_months", "settle_counts"]

_TOLD: Final = frozenset(
    ("kind", "site", "modality", "reader", "model", "since", "until", "importance", "state", "review", "radpeer")
) | {"withdrawn"}
"""Criteria of a search that the counts tell apart; times by whole months."""

_NO_CRITERIA: Final = frozenset(("order", "after", "limit"))
_SETTLED: Final = (
    (PAIR_COUNTS, COUNTED, ("pairs", "edited", "edits")),
    (FEED_COUNTS, FEED_COUNTED, ("messages", "versions", "pairs")),
)
"""Tables of counts, each with what rows are alike in, and with what is added up."""

_MONTH: Final = len("2026-03")
_A_MONTH: Final = timedelta(days=31)


@frozen(kw_only=True)
class CountedMonths:
    """A search as far as the counts answer it.

    Attributes:
        search: what they answer: whole months, in which ``since`` and ``until`` are their ends.
        rest: searches for what came before and after those months.
    """

    search: Search
    rest: tuple[Search, ...]

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        """Conditions on the months of the counts."""
        since, until, month = self.search.since, self.search.until, PAIR_COUNTS.c.month
        first = [month >= _name(since)] if since is not None else []
        return [*first, month < _name(until)] if until is not None else first


def counted_months(search: Search, *, without: Collection[str] = ()) -> CountedMonths | None:
    """Whole months of a search that the counts answer; None where they tell nothing of it.

    Args:
        search: whose order and limit do not count.
        without: criteria that these counts do not tell apart.
    """
    given = {each.name for each in fields(Search) if getattr(search, each.name) is not None} - _NO_CRITERIA
    if not given <= _TOLD.difference(without):
        return None
    since, until = (None if moment is None else moment.astimezone(UTC) for moment in (search.since, search.until))
    first = since if since is None or since == _begin(since) else _next(since)
    end = None if until is None else _begin(until)
    if first is not None and end is not None and first >= end:
        return None
    before = [evolve(search, until=first)] if first != since else []
    after = [evolve(search, since=end)] if end != until else []
    return CountedMonths(search=evolve(search, since=first, until=end), rest=(*before, *after))


def counted_in(months: MonthSpan) -> ColumnElement[bool]:
    """Condition that examinations may be of these months, on the keys that the counts have."""
    key, length = PAIR_COUNTS.c.examined, func.length(PAIR_COUNTS.c.examined)
    is_month = and_(length == _MONTH, key >= months.first, key <= months.last)
    is_moment = and_(length > _MONTH, key >= months.begin.isoformat(), key < months.end.isoformat())
    return or_(is_month, is_moment)


def settle_counts(connection: Connection) -> int:
    """Put sums in the place of what was counted since the last time, so that few rows are read; how many rows it was.

    Where another does the same it is left to them.
    """
    if not try_lock(connection, Lock.COUNTS):
        return 0
    return sum(_settle(connection, table, alike, sums) for table, alike, sums in _SETTLED)


def _settle(connection: Connection, table: Table, alike: Sequence[str], sums: Sequence[str]) -> int:
    columns = [table.c[name] for name in (*alike, *sums)]
    rows = connection.execute(delete(table).where(not_(table.c.settled)).returning(*columns)).all()
    totals: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        key, numbers = tuple(row[: len(alike)]), row[len(alike) :]
        totals[key] = [one + other for one, other in zip(totals.get(key, [0] * len(sums)), numbers, strict=True)]
    changed = [
        {**dict(zip(alike, key, strict=True)), **dict(zip(sums, numbers, strict=True)), "settled": True}
        for key, numbers in sorted(totals.items())
        if any(numbers)
    ]
    if changed:
        statement: Any = postgresql.insert(table) if is_postgres(connection) else sqlite.insert(table)
        added = {name: table.c[name] + statement.excluded[name] for name in sums}
        one = {"index_elements": alike, "index_where": text("settled")}
        connection.execute(statement.on_conflict_do_update(**one, set_=added), changed)
        connection.execute(delete(table).where(*(table.c[name] == 0 for name in sums)))
    return len(rows)


def _begin(moment: datetime) -> datetime:
    return moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _next(moment: datetime) -> datetime:
    """Begin of the month after that of a moment."""
    return _begin(_begin(moment) + _A_MONTH)


def _name(moment: datetime) -> str:
    return moment.isoformat()[:_MONTH]
