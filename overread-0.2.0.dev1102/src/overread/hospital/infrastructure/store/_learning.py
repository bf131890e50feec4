"""Learning points, actions, responses of authors and their digests in a database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from attrs import define
from sqlalchemy import ColumnElement, Connection, and_, exists, or_, select, update

from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import NotFoundError
from overread.hospital.application.learning import OwnQuery, PointQuery
from overread.hospital.domain.learning import (
    ActionKind,
    ActionState,
    AuthorResponse,
    LearningKind,
    LearningPoint,
    PairAction,
)
from overread.hospital.infrastructure.store._hospital_tables import (
    AUTHOR_DIGESTS,
    AUTHOR_RESPONSES,
    COMPARED,
    COMPARED_VERSIONS,
    LEARNING_POINTS,
    PAIR_ACTIONS,
    VERSIONS,
)
from overread.hospital.infrastructure.store._protocols import hidden_pairs, withheld_pairs
from overread.hospital.infrastructure.store._texts import Owner, Texts
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import Row, add_all, add_new

__all__ = ["SqlAuthorResponses", "SqlDigests", "SqlLearningPoints", "SqlPairActions"]

T = TypeVar("T")

_POINT: Final = ("pair", "finding", "nominated", "presented", "made", "made_by")
_ACTION: Final = ("pair", "due", "made", "made_by", "changed", "changed_by")
_RESPONSE: Final = ("pair", "author", "made", "is_answer")


@define
class SqlLearningPoints:
    """The learning points; their texts are kept as report text is."""

    connection: Connection
    texts: Texts
    keeps_words: bool

    def add(self, point: LearningPoint) -> int:
        """Keep a learning point; the number that it is given."""
        _hold(self.connection, point.pair)
        row = {name: getattr(point, name) for name in _POINT}
        row |= {"kind": point.kind.value, "category": point.category.value if point.category else None}
        [number] = add_all(self.connection, LEARNING_POINTS, [row])
        if self.keeps_words:
            self.texts.put(Owner.LEARNING, {number: point.text.encode()})
        return number

    def get(self, number: int) -> LearningPoint:
        """A learning point."""
        rows = self._read(LEARNING_POINTS.c.id == number)
        if not rows:
            raise NotFoundError(f"there is no learning point {number}")
        return rows[0]

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[LearningPoint]]:
        """The learning points of each pair, oldest first."""
        rows = [row for chunk in chunks(pairs) for row in self._read(LEARNING_POINTS.c.pair.in_(chunk))]
        return _by_pair(pairs, [(row.pair, row) for row in rows])

    def nominate(self, number: int, *, nominated: bool) -> None:
        """Note whether a point is to be shown at a conference; that it was presented before is forgotten."""
        changed = update(LEARNING_POINTS).where(LEARNING_POINTS.c.id == number)
        if not self.connection.execute(changed.values(nominated=nominated, presented=None)).rowcount:
            raise NotFoundError(f"there is no learning point {number}")

    def present(self, pair: int, at: datetime) -> int:
        """Mark the nominated points of a pair as presented; how many had not been."""
        table = LEARNING_POINTS.c
        waiting = (table.pair == pair, table.nominated, table.presented.is_(None))
        return self.connection.execute(update(LEARNING_POINTS).where(*waiting).values(presented=at)).rowcount

    def nominated(self, query: PointQuery) -> Sequence[int]:
        """Numbers of the pairs of nominated points, in number order; of pairs that are withheld, none."""
        table = LEARNING_POINTS.c
        wanted: list[ColumnElement[bool]] = [
            table.nominated,
            table.pair > query.after,
            table.pair.not_in(withheld_pairs()),
        ]
        wanted += _between(table.made, query.since, query.until)
        if query.presented is not None:
            wanted.append(table.presented.is_not(None) if query.presented else table.presented.is_(None))
        numbers = select(table.pair).where(*wanted).distinct().order_by(table.pair).limit(query.limit)
        return [int(number) for number in self.connection.execute(numbers).scalars()]

    def own_pairs(self, query: OwnQuery) -> Sequence[int]:
        """Numbers of the pairs that somebody is an author of, the newest first."""
        every = self.connection.execute(select(VERSIONS.c.reader).where(VERSIONS.c.reader != "").distinct()).scalars()
        readers = [reader for reader in every if query.author.wrote([reader])]
        link, pairs = COMPARED_VERSIONS.c, COMPARED.c
        numbers: set[int] = set()
        for chunk in chunks(readers):
            written = (
                select(link.pair).join(VERSIONS, VERSIONS.c.id == link.version).where(VERSIONS.c.reader.in_(chunk))
            )
            wanted: list[ColumnElement[bool]] = [
                pairs.id.in_(written),
                pairs.withdrawn.is_(False),
                pairs.id.not_in(withheld_pairs()),
            ]
            if query.before is not None:
                wanted.append(pairs.id < query.before)
            if query.news:
                wanted.append(_is_news(query))
            own = select(pairs.id).where(*wanted).order_by(pairs.id.desc())
            own = own if query.limit is None else own.limit(query.limit)
            numbers |= {int(number) for number in self.connection.execute(own).scalars()}
        return sorted(numbers, reverse=True)[: query.limit]

    def _read(self, wanted: ColumnElement[bool]) -> list[LearningPoint]:
        query = select(LEARNING_POINTS).where(wanted).order_by(LEARNING_POINTS.c.id)
        rows = self.connection.execute(query).mappings().all()
        texts = self.texts.get(Owner.LEARNING, [row["id"] for row in rows])
        return [_point(row, texts.get(row["id"], b"")) for row in rows]


@define
class SqlPairActions:
    """The actions about pairs."""

    connection: Connection

    def add(self, action: PairAction) -> int:
        """Keep an action; the number that it is given."""
        _hold(self.connection, action.pair)
        row = {name: getattr(action, name) for name in _ACTION}
        row |= {"kind": action.kind.value, "state": action.state.value}
        [number] = add_all(self.connection, PAIR_ACTIONS, [row])
        return number

    def get(self, number: int) -> PairAction:
        """An action."""
        row = self.connection.execute(select(PAIR_ACTIONS).where(PAIR_ACTIONS.c.id == number)).mappings().first()
        if row is None:
            raise NotFoundError(f"there is no action {number}")
        return _action(row)

    def of(self, pair: int) -> Sequence[PairAction]:
        """The actions of a pair, oldest first."""
        query = select(PAIR_ACTIONS).where(PAIR_ACTIONS.c.pair == pair).order_by(PAIR_ACTIONS.c.id)
        return [_action(row) for row in self.connection.execute(query).mappings()]

    def change(self, action: PairAction) -> None:
        """Keep an action's state, due date and change in place of the earlier ones."""
        values = {name: getattr(action, name) for name in ("due", "changed", "changed_by")}
        statement = update(PAIR_ACTIONS).where(PAIR_ACTIONS.c.id == action.number)
        self.connection.execute(statement.values(state=action.state.value, **values))

    def undone(self, after: int = 0, limit: int = 50, *, hidden_from: str = "") -> Sequence[PairAction]:
        """Actions that are not done, in number order, from the one after a number."""
        table = PAIR_ACTIONS.c
        wanted = [table.state != ActionState.DONE.value, table.id > after]
        hidden = hidden_pairs(self.connection, hidden_from)
        if hidden is not None:
            wanted.append(table.pair.not_in(hidden))
        query = select(PAIR_ACTIONS).where(*wanted).order_by(table.id).limit(limit)
        return [_action(row) for row in self.connection.execute(query).mappings()]


@define
class SqlAuthorResponses:
    """The responses of authors; their words are kept as report text is."""

    connection: Connection
    texts: Texts
    keeps_words: bool

    def add(self, response: AuthorResponse) -> int:
        """Keep a response; the number that it is given."""
        _hold(self.connection, response.pair)
        row = {name: getattr(response, name) for name in _RESPONSE}
        [number] = add_all(self.connection, AUTHOR_RESPONSES, [row])
        if self.keeps_words and response.text:
            self.texts.put(Owner.RESPONSE, {number: response.text.encode()})
        return number

    def of(self, pairs: Sequence[int]) -> Sequence[Sequence[AuthorResponse]]:
        """The responses to each pair, oldest first."""
        responses: list[tuple[int, AuthorResponse]] = []
        for chunk in chunks(pairs):
            query = select(AUTHOR_RESPONSES).where(AUTHOR_RESPONSES.c.pair.in_(chunk)).order_by(AUTHOR_RESPONSES.c.id)
            rows = self.connection.execute(query).mappings().all()
            texts = self.texts.get(Owner.RESPONSE, [row["id"] for row in rows])
            responses += [(row["pair"], _response(row, texts.get(row["id"], b""))) for row in rows]
        return _by_pair(pairs, responses)


@define
class SqlDigests:
    """The digests that were sent to authors."""

    connection: Connection

    def claim(self, author: str, due: datetime, *, worker: str, now: datetime, lease: timedelta) -> bool:
        """Claim a digest until the lease ends; False where it was sent, or another has it."""
        table, until = AUTHOR_DIGESTS.c, now + lease
        row = {"author": author, "due": due, "worker": worker, "free": until, "sent": False}
        if add_new(self.connection, AUTHOR_DIGESTS, [row]):
            return True
        is_free = and_(table.sent.is_(False), or_(table.free.is_(None), table.free <= now))
        statement = update(AUTHOR_DIGESTS).where(table.author == plain(author), table.due == due, is_free)
        return self.connection.execute(statement.values(worker=worker, free=until)).rowcount > 0

    def finish(self, author: str, due: datetime, *, worker: str) -> None:
        """Note that a digest needs to be sent no more."""
        self._change(author, due, worker, sent=True, free=None)

    def release(self, author: str, due: datetime, *, worker: str, again: datetime) -> None:
        """Give a digest back that could not be sent, to be claimed from a moment on."""
        self._change(author, due, worker, free=again)

    def _change(self, author: str, due: datetime, worker: str, **values: Any) -> None:
        table = AUTHOR_DIGESTS.c
        had = (table.author == plain(author), table.due == due, table.worker == plain(worker))
        self.connection.execute(update(AUTHOR_DIGESTS).where(*had).values(**values))


def _hold(connection: Connection, pair: int) -> None:
    """Keeps a pair from being erased before what is said of it is kept; raises `NotFoundError` where it is gone."""
    query = select(COMPARED.c.id).where(COMPARED.c.id == pair).with_for_update()
    if connection.execute(query).first() is None:
        raise NotFoundError(f"there is no pair {pair}")


def _between(moment: Any, since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    bounds = [moment >= since] if since is not None else []
    return [*bounds, moment < until] if until is not None else bounds


def _is_news(query: OwnQuery) -> ColumnElement[bool]:
    """Condition that a pair has a learning point that its author has not seen, and did not write."""
    point, seen, name = LEARNING_POINTS.c, AUTHOR_RESPONSES.c, plain(query.author.name)
    was_seen = exists().where(seen.pair == point.pair, seen.author == name, seen.made >= point.made)
    written = _between(point.made, query.since, query.until)
    return exists().where(point.pair == COMPARED.c.id, point.made_by != name, ~was_seen, *written)


def _by_pair(pairs: Sequence[int], rows: Sequence[tuple[int, T]]) -> list[list[T]]:
    of_pair: dict[int, list[T]] = {}
    for pair, row in rows:
        of_pair.setdefault(pair, []).append(row)
    return [of_pair.get(pair, []) for pair in pairs]


def _point(row: Row, text: bytes) -> LearningPoint:
    return LearningPoint(
        number=row["id"],
        kind=LearningKind(row["kind"]),
        category=ErrorCategory(row["category"]) if row["category"] else None,
        text=text.decode(),
        **{name: row[name] for name in _POINT},
    )


def _action(row: Row) -> PairAction:
    values = {name: row[name] for name in _ACTION}
    return PairAction(number=row["id"], kind=ActionKind(row["kind"]), state=ActionState(row["state"]), **values)


def _response(row: Row, text: bytes) -> AuthorResponse:
    return AuthorResponse(number=row["id"], text=text.decode(), **{name: row[name] for name in _RESPONSE})
