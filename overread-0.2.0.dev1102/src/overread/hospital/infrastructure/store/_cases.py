"""Cases that alarms opened, in a database."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime

from attrs import define
from sqlalchemy import Connection, select, update

from overread.exceptions import NotFoundError, StoreError
from overread.hospital.application.cases import Case, CaseOutcome, CaseState
from overread.hospital.application.charts import Alarm
from overread.hospital.infrastructure.store._hospital_tables import CASES
from overread.hospital.infrastructure.store._texts import Owner, Texts
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.statements import Row, add_new

__all__ = ["SqlCases", "cases_about"]


@define
class SqlCases:
    """The cases; the words of who closed one are kept as report text is."""

    connection: Connection
    texts: Texts
    keeps_words: bool

    def add(self, alarms: Sequence[Alarm], *, opened: datetime) -> Sequence[int]:
        """Keep a case for each alarm; their numbers, without those of alarms that have one."""
        numbers = []
        for alarm in alarms:
            row = {
                "chart": alarm.chart,
                "pair": alarm.pair,
                "crossed": alarm.at,
                "changed": alarm.change,
                "pairs": json.dumps(alarm.pairs),
                "events": json.dumps(alarm.events),
                "opened": opened,
                "closed_by": "",
            }
            if add_new(self.connection, CASES, [row]):
                wanted = (CASES.c.chart == plain(alarm.chart), CASES.c.pair == alarm.pair)
                numbers.append(int(self.connection.execute(select(CASES.c.id).where(*wanted)).scalar_one()))
        return numbers

    def get(self, number: int) -> Case:
        """A case."""
        row = self.connection.execute(select(CASES).where(CASES.c.id == number)).mappings().first()
        if row is None:
            raise NotFoundError(f"there is no case {number}")
        return _case(row, self.texts.get(Owner.CASE, [number]).get(number))

    def every(self) -> Sequence[Case]:
        """All cases, the newest first."""
        rows = self.connection.execute(select(CASES).order_by(CASES.c.id.desc())).mappings().all()
        words = self.texts.get(Owner.CASE, [row["id"] for row in rows])
        return [_case(row, words.get(row["id"])) for row in rows]

    def close(self, number: int, *, outcome: CaseOutcome, why: str, by: str, at: datetime) -> None:
        """Close an open case; its words are kept as reviewers' are."""
        closing = update(CASES).where(CASES.c.id == number, CASES.c.closed.is_(None))
        if not self.connection.execute(closing.values(outcome=outcome.value, closed=at, closed_by=by)).rowcount:
            raise NotFoundError(f"there is no open case {number}")
        if self.keeps_words and why:
            self.texts.put(Owner.CASE, {number: why.encode()})


def cases_about(connection: Connection, pairs: Collection[int]) -> list[int]:
    """Numbers of the cases that have any of these pairs: what was said of them may quote a report."""
    rows = connection.execute(select(CASES.c.id, CASES.c.pairs)).all() if pairs else []
    wanted = set(pairs)
    return [number for number, told in rows if not wanted.isdisjoint(json.loads(told))]


def _case(row: Row, words: bytes | None) -> Case:
    try:
        return Case(
            number=row["id"],
            alarm=Alarm(
                chart=row["chart"],
                pair=row["pair"],
                at=row["crossed"],
                change=row["changed"],
                pairs=json.loads(row["pairs"]),
                events=json.loads(row["events"]),
            ),
            opened=row["opened"],
            state=CaseState.OPEN if row["closed"] is None else CaseState.CLOSED,
            closed=row["closed"],
            closed_by=row["closed_by"],
            outcome=CaseOutcome(row["outcome"]) if row["outcome"] else None,
            why=words.decode() if words is not None else "",
        )
    except (ValueError, TypeError):
        raise StoreError(f"case {row['id']} cannot be read: it was written by other means") from None
