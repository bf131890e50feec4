"""Reading protocols and their assignments in a database, and what they hide from whom."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from attrs import define
from sqlalchemy import ColumnElement, CompoundSelect, Connection, Select, and_, exists, func, or_, select, update

from overread.exceptions import NotFoundError
from overread.hospital.application.protocols import AssignmentQuery, ProtocolPair
from overread.hospital.domain.reading import (
    Assignment,
    AssignmentState,
    PairProgress,
    ProtocolReader,
    ReadingMode,
    ReadingProtocol,
    ReadingTask,
)
from overread.hospital.infrastructure.store._hospital_tables import (
    ASSIGNMENTS,
    COMPARED_EXAMINATIONS,
    PROTOCOL_PAIRS,
    PROTOCOL_PEOPLE,
    READING_PROTOCOLS,
)
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import Row, add_all

__all__ = ["SqlAssignments", "SqlReadingProtocols", "hidden_pairs", "withheld_pairs"]

_SAME: Final = ("name", "per_pair", "chosen", "due", "asks_radpeer", "claim_minutes", "made", "made_by", "closed")
"""Columns of a protocol that are its attributes."""

_SETTLED: Final = [progress.value for progress in PairProgress if progress.is_settled]


@define
class SqlReadingProtocols:
    """The protocols by which pairs are read."""

    connection: Connection

    def add(self, protocol: ReadingProtocol, pairs: Sequence[ProtocolPair]) -> int:
        """Keep a protocol, whatever its number, and its pairs; the number that it is given."""
        row = {name: getattr(protocol, name) for name in _SAME} | {"mode": protocol.mode.value}
        [number] = add_all(self.connection, READING_PROTOCOLS, [row])
        people = [
            {
                "protocol": number,
                "name": each.name,
                "task": task.value,
                "place": place,
                "known_as": json.dumps(each.known_as),
            }
            for task in ReadingTask
            for place, each in enumerate(protocol.people(task))
        ]
        self.connection.execute(PROTOCOL_PEOPLE.insert(), people)
        rows = [
            {
                "protocol": number,
                "pair": pair.pair,
                "progress": pair.progress.value,
                "reason": pair.reason,
                "barred": json.dumps(pair.barred),
            }
            for pair in pairs
        ]
        if rows:
            self.connection.execute(PROTOCOL_PAIRS.insert(), rows)
        return number

    def get(self, number: int) -> ReadingProtocol:
        """A protocol."""
        found = self._read(select(READING_PROTOCOLS).where(READING_PROTOCOLS.c.id == number))
        if not found:
            raise NotFoundError(f"there is no protocol {number}")
        return found[0]

    def page(self, after: int = 0, limit: int = 50) -> Sequence[ReadingProtocol]:
        """Protocols, oldest first, from the one after a number."""
        table = READING_PROTOCOLS
        return self._read(select(table).where(table.c.id > after).order_by(table.c.id).limit(limit))

    def pairs(self, number: int, pair: int | None = None) -> Sequence[ProtocolPair]:
        """The pairs of a protocol by their numbers, or the one that is named; without those that were deleted."""
        table = PROTOCOL_PAIRS
        query = select(table).where(table.c.protocol == number).order_by(table.c.pair)
        if pair is not None:
            query = query.where(table.c.pair == pair)
        return [
            ProtocolPair(
                pair=row["pair"],
                progress=PairProgress(row["progress"]),
                reason=row["reason"],
                barred=json.loads(row["barred"]),
            )
            for row in self.connection.execute(query).mappings()
        ]

    def settle(self, number: int, pair: int, progress: PairProgress, reason: str = "") -> None:
        """Note the progress of a pair, and why nobody can adjudicate it."""
        values = {"progress": progress.value} | ({"reason": reason} if reason else {})
        at = (PROTOCOL_PAIRS.c.protocol == number, PROTOCOL_PAIRS.c.pair == pair)
        self.connection.execute(update(PROTOCOL_PAIRS).where(*at).values(values))

    def close(self, number: int, at: datetime) -> None:
        """Let a protocol end; one that has ended before did so then."""
        table = READING_PROTOCOLS
        ended = func.coalesce(table.c.closed, at)
        if not self.connection.execute(update(table).where(table.c.id == number).values(closed=ended)).rowcount:
            raise NotFoundError(f"there is no protocol {number}")

    def blinded(self, name: str, pairs: Sequence[int]) -> frozenset[int]:
        """Those of these pairs that are blinded to somebody."""
        hidden = hidden_pairs(self.connection, name)
        return frozenset() if hidden is None else self._among(hidden, pairs)

    def withheld(self, pairs: Sequence[int]) -> frozenset[int]:
        """Those of these pairs that anybody may be blinded to."""
        return self._among(withheld_pairs(), pairs)

    def _among(self, chosen: CompoundSelect[Any], pairs: Sequence[int]) -> frozenset[int]:
        numbers = chosen.subquery().c[0]
        return frozenset(
            int(number)
            for chunk in chunks(pairs)
            for number in self.connection.execute(select(numbers).where(numbers.in_(chunk))).scalars()
        )

    def _read(self, query: Select[Any]) -> list[ReadingProtocol]:
        rows = self.connection.execute(query).mappings().all()
        table = PROTOCOL_PEOPLE
        people: dict[tuple[int, str], list[ProtocolReader]] = {}
        for chunk in chunks(row["id"] for row in rows):
            of_these = select(table).where(table.c.protocol.in_(chunk)).order_by(table.c.place)
            for row in self.connection.execute(of_these).mappings():
                reader = ProtocolReader(name=row["name"], known_as=json.loads(row["known_as"]))
                people.setdefault((row["protocol"], row["task"]), []).append(reader)
        return [
            ReadingProtocol(
                number=row["id"],
                mode=ReadingMode(row["mode"]),
                readers=people.get((row["id"], ReadingTask.READING.value), []),
                adjudicators=people.get((row["id"], ReadingTask.ADJUDICATION.value), []),
                **{name: row[name] for name in _SAME},
            )
            for row in rows
        ]


@define
class SqlAssignments:
    """The tasks of reading protocols."""

    connection: Connection

    def add(
        self, protocol: int, slots: Sequence[tuple[int, str]], *, task: ReadingTask, due: datetime | None
    ) -> Sequence[int]:
        """Keep assignments, each of a pair and a reader, "" for none; their numbers."""
        rows = [
            {"protocol": protocol, "pair": pair, "task": task.value, "reader": reader, "claimant": "", "due": due}
            for pair, reader in slots
        ]
        return add_all(self.connection, ASSIGNMENTS, rows)

    def get(self, number: int) -> Assignment:
        """An assignment."""
        row = self.connection.execute(select(ASSIGNMENTS).where(ASSIGNMENTS.c.id == number)).mappings().first()
        if row is None:
            raise NotFoundError(f"there is no assignment {number}")
        return _assignment(row)

    def of(self, protocol: int, pair: int | None = None) -> Sequence[Assignment]:
        """Assignments of a protocol, or of one of its pairs, in order of their numbers."""
        query = select(ASSIGNMENTS).where(ASSIGNMENTS.c.protocol == protocol).order_by(ASSIGNMENTS.c.id)
        if pair is not None:
            query = query.where(ASSIGNMENTS.c.pair == pair)
        return [_assignment(row) for row in self.connection.execute(query).mappings()]

    def page(self, query: AssignmentQuery) -> Sequence[Assignment]:
        """Assignments by a query, in order of their numbers; those of closed protocols only if they are done."""
        active = READING_PROTOCOLS.c.closed.is_(None)
        joined = ASSIGNMENTS.join(READING_PROTOCOLS, READING_PROTOCOLS.c.id == ASSIGNMENTS.c.protocol)
        wanted = [ASSIGNMENTS.c.id > query.after, or_(ASSIGNMENTS.c.done.is_not(None), active)]
        if query.protocol is not None:
            wanted.append(ASSIGNMENTS.c.protocol == query.protocol)
        if query.state is not None:
            wanted.append(_is_in(query.state, query.now))
        if query.reader is not None:
            wanted.append(or_(ASSIGNMENTS.c.reader == plain(query.reader), self._may_claim(query)))
        rows = select(ASSIGNMENTS).select_from(joined).where(*wanted).order_by(ASSIGNMENTS.c.id).limit(query.limit)
        return [_assignment(row) for row in self.connection.execute(rows).mappings()]

    def awaited(self, reader: str, pair: int) -> Sequence[Assignment]:
        """Somebody's own readings of a pair that are not done, in active protocols."""
        joined = ASSIGNMENTS.join(READING_PROTOCOLS, READING_PROTOCOLS.c.id == ASSIGNMENTS.c.protocol)
        wanted = (
            ASSIGNMENTS.c.pair == pair,
            ASSIGNMENTS.c.reader == plain(reader),
            ASSIGNMENTS.c.reader != "",
            ASSIGNMENTS.c.task == ReadingTask.READING.value,
            ASSIGNMENTS.c.done.is_(None),
            READING_PROTOCOLS.c.closed.is_(None),
        )
        rows = select(ASSIGNMENTS).select_from(joined).where(*wanted).order_by(ASSIGNMENTS.c.id)
        return [_assignment(row) for row in self.connection.execute(rows).mappings()]

    def claim(self, number: int, name: str, *, now: datetime, until: datetime) -> bool:
        """Keep others away until a moment; False where one of them has a claim, or the assignment is done."""
        table = ASSIGNMENTS.c
        is_free = or_(table.claimant.in_(("", plain(name))), table.claimed_until <= now)
        statement = update(ASSIGNMENTS).where(table.id == number, table.done.is_(None), is_free)
        return self.connection.execute(statement.values(claimant=name, claimed_until=until)).rowcount > 0

    def free(self, number: int, *, reader: str = "") -> bool:
        """Take an assignment from its reader and its claimant, and give it to another; False where it is done."""
        statement = update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == number, ASSIGNMENTS.c.done.is_(None))
        values = {"reader": reader, "claimant": "", "claimed_until": None}
        return self.connection.execute(statement.values(values)).rowcount > 0

    def finish(self, number: int, name: str, at: datetime) -> bool:
        """Mark an assignment as done by somebody, whose it is from then on; False where it was done before."""
        statement = update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == number, ASSIGNMENTS.c.done.is_(None))
        values = {"reader": name, "claimant": "", "claimed_until": None, "done": at}
        return self.connection.execute(statement.values(values)).rowcount > 0

    def _may_claim(self, query: AssignmentQuery) -> ColumnElement[bool]:
        """Condition that an assignment is nobody's, and a reader may do it and nobody else is at it."""
        table, name = ASSIGNMENTS.c, plain(query.reader or "")
        people, pairs, other = PROTOCOL_PEOPLE.c, PROTOCOL_PAIRS.c, ASSIGNMENTS.alias().c
        is_person = exists().where(people.protocol == table.protocol, people.name == name, people.task == table.task)
        named = json.dumps(query.reader or "")
        is_barred = exists().where(
            pairs.protocol == table.protocol, pairs.pair == table.pair, pairs.barred.contains(named, autoescape=True)
        )
        has_another = exists().where(
            other.protocol == table.protocol,
            other.pair == table.pair,
            other.task == table.task,
            other.reader == name,
        )
        is_free = or_(table.claimant.in_(("", name)), table.claimed_until <= query.now)
        return and_(table.reader == "", is_free, is_person, ~is_barred, ~has_another)


def hidden_pairs(connection: Connection, name: str) -> CompoundSelect[Any] | None:
    """Numbers of the pairs that are blinded to somebody; None for somebody of no active blinded protocol."""
    protocols, people = READING_PROTOCOLS.c, PROTOCOL_PEOPLE.c
    takes_part = (
        people.name == plain(name),
        protocols.id == people.protocol,
        protocols.mode == ReadingMode.BLINDED.value,
        protocols.closed.is_(None),
    )
    if connection.execute(select(protocols.id).where(*takes_part).limit(1)).first() is None:
        return None
    pairs, slots = PROTOCOL_PAIRS.c, ASSIGNMENTS.c
    has_read = exists().where(
        slots.protocol == pairs.protocol,
        slots.pair == pairs.pair,
        slots.reader == plain(name),
        slots.task == ReadingTask.READING.value,
        slots.done.is_not(None),
    )
    reads = and_(people.task == ReadingTask.READING.value, ~has_read)
    adjudicates = and_(people.task == ReadingTask.ADJUDICATION.value, pairs.progress.not_in(_SETTLED))
    return _with_examined(
        select(pairs.pair).where(*takes_part, pairs.protocol == protocols.id, or_(reads, adjudicates))
    )


def withheld_pairs() -> CompoundSelect[Any]:
    """Numbers of the pairs of active blinded protocols, and of those that share an examination with them."""
    protocols, pairs = READING_PROTOCOLS.c, PROTOCOL_PAIRS.c
    is_active = (protocols.mode == ReadingMode.BLINDED.value, protocols.closed.is_(None))
    return _with_examined(select(pairs.pair).where(pairs.protocol == protocols.id, *is_active))


def _with_examined(chosen: Select[Any]) -> CompoundSelect[Any]:
    """Pairs that are chosen, and all that share an examination with one of them."""
    link, beside = COMPARED_EXAMINATIONS.c, COMPARED_EXAMINATIONS.alias().c
    examined = select(beside.pair).where(beside.examination.in_(select(link.examination).where(link.pair.in_(chosen))))
    return chosen.union(examined)


def _is_in(state: AssignmentState, now: datetime) -> ColumnElement[bool]:
    """Condition of a state, as `Assignment.state` tells it."""
    table = ASSIGNMENTS.c
    undone, late = table.done.is_(None), and_(table.due.is_not(None), table.due <= now)
    is_claimed = and_(table.claimant != "", table.claimed_until.is_not(None), table.claimed_until > now)
    match state:
        case AssignmentState.DONE:
            return table.done.is_not(None)
        case AssignmentState.OVERDUE:
            return and_(undone, late)
        case AssignmentState.CLAIMED:
            return and_(undone, ~late, is_claimed)
        case AssignmentState.OPEN:
            return and_(undone, ~late, ~is_claimed)


def _assignment(row: Row) -> Assignment:
    names = ("protocol", "pair", "reader", "claimant", "claimed_until", "due", "done")
    return Assignment(number=row["id"], task=ReadingTask(row["task"]), **{name: row[name] for name in names})
