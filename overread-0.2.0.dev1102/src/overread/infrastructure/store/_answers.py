"""Kept answers in a SQLite file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Final

from sqlalchemy import Connection, RowMapping, delete, func
from sqlalchemy import select as sql_select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel, col

from overread.domain.results.answer import Completion, Finish
from overread.infrastructure.logs import Vouched, get_logger
from overread.infrastructure.store._file import SqliteFile
from overread.infrastructure.store.columns import storable
from overread.infrastructure.store.database import VERSION_TABLE, Layout, StoreInDatabase, chunks

__all__ = ["SqliteAnswerStore"]


class _Table(SQLModel, registry=registry()):
    """Base of the tables; their metadata is their own."""


class _Version(_Table, table=True):
    __tablename__: ClassVar[str] = VERSION_TABLE

    version: int = Field(primary_key=True)


class _AnswerRow(_Table, table=True):
    """One completion.

    ``text`` is UTF-8 that passes half characters through, so that it comes back as it was. ``digest`` is of all the
    other columns but ``created``, so that a row in which something has changed is not taken for an answer.
    """

    __tablename__: ClassVar[str] = "answers"

    key: str = Field(primary_key=True)
    prompt: str
    asked_of: str = Field(index=True)
    text: bytes
    finish: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    digest: str
    created: datetime


_DIGESTED: Final = (
    "key",
    "prompt",
    "asked_of",
    "text",
    "finish",
    "model",
    "prompt_tokens",
    "completion_tokens",
)
_COLUMNS: Final = [getattr(_AnswerRow, name) for name in (*_DIGESTED, "digest")]
_NAMED: Final = 3
_SHOWN: Final = 12
_VERSION: Final = 1


def _bring(connection: Connection) -> int | None:
    """Makes the tables; there was never another version of them."""
    versions = _Table.metadata.tables[VERSION_TABLE]
    _Table.metadata.create_all(connection)
    version: int | None = connection.execute(versions.select()).scalar()
    if version is None:
        connection.execute(versions.insert().values(version=_VERSION))
    return version


_LAYOUT: Final = Layout(
    version=_VERSION,
    bring=_bring,
    mark=_AnswerRow.__tablename__,
    what="file of kept answers",
    durable=True,  # an answer costs more than a write to the disk
)


class SqliteAnswerStore(StoreInDatabase):
    """An `AnswerStore` in one SQLite file, for any number of threads and processes.

    Args:
        path: of the file.
        only_kept: whether nothing may be asked that is not kept here.

    Raises:
        StoreError: if the file cannot be opened, holds something else, or was written by a newer overread.
    """

    def __init__(self, path: Path, *, only_kept: bool = False) -> None:
        self._database = SqliteFile(path, _LAYOUT)
        self._only_kept = only_kept
        self._told: set[str] = set()

    @property
    def only_kept(self) -> bool:
        """True if nothing may be asked that is not kept here."""
        return self._only_kept

    def find(self, keys: Sequence[str]) -> dict[str, Completion]:
        """The kept completions among those of ``keys``.

        One that cannot be read, or is not what was kept, is as good as not there; it is told of in the log, once.
        """
        completions: dict[str, Completion] = {}
        damaged: set[str] = set()
        with self._database.transaction() as session:
            for chunk in chunks(keys):
                rows = session.connection().execute(sql_select(*_COLUMNS).where(col(_AnswerRow.key).in_(chunk)))
                for row in rows.mappings():
                    completion = _completion(row)
                    if completion is None:
                        damaged.add(row["key"])
                    else:
                        completions[row["key"]] = completion
        if not damaged <= self._told:
            self._tell(damaged)
        return completions

    def add(self, key: str, completion: Completion, *, prompt: str, model: str) -> None:
        """Keep one completion: it is on the disk when this returns. A key that is kept already stays, if it is whole.

        Args:
            key: of the request.
            completion: what came back.
            prompt: identity of the prompt it answers.
            model: identity of the model that was asked.
        """
        row: dict[str, Any] = {
            "key": key,
            "prompt": storable(prompt),
            "asked_of": storable(model),
            "text": completion.text.encode("utf-8", "surrogatepass"),
            "finish": completion.finish.value,
            "model": storable(completion.model),
            "prompt_tokens": completion.prompt_tokens,
            "completion_tokens": completion.completion_tokens,
        }
        row |= {"digest": _digest(row), "created": datetime.now(UTC)}
        with self._database.transaction(write=True) as session:
            connection = session.connection()
            existing = connection.execute(sql_select(*_COLUMNS).where(col(_AnswerRow.key) == key)).mappings().first()
            if existing is not None and _completion(existing) is None:
                connection.execute(delete(_AnswerRow).where(col(_AnswerRow.key) == key))
            connection.execute(insert(_AnswerRow).values(row).on_conflict_do_nothing())

    def models(self) -> list[str]:
        """Identities of the models that were asked, that with the most whole answers first."""
        query = sql_select(col(_AnswerRow.asked_of), func.count()).group_by(col(_AnswerRow.asked_of))
        with self._database.transaction() as session:
            named = {name: count for name, count in session.connection().execute(query)}  # noqa: C416 - rows are no tuples
            if len(named) > 1 or not all(isinstance(name, str) for name in named):
                every = session.connection().execute(sql_select(*_COLUMNS)).mappings()
                named = Counter(row["asked_of"] for row in every if _completion(row) is not None)
        return sorted(named, key=lambda name: (-named[name], name))

    def _tell(self, damaged: AbstractSet[str]) -> None:
        """Logs how many answers of the file do not hold."""
        with self._database.transaction() as session:
            every = session.connection().execute(sql_select(*_COLUMNS)).mappings()
            keys = [row["key"] for row in every if _completion(row) is None]
        self._told |= {*keys, *damaged}
        first = ", ".join(key[:_SHOWN] for key in keys[:_NAMED] if isinstance(key, str) and key.isprintable())
        event = "damaged_answers_left_out" if self._only_kept else "damaged_answers_asked_anew"
        get_logger("store").warning(event, answers=self._database.name, count=len(keys), first=Vouched(first))


def _completion(row: Mapping[str, Any] | RowMapping) -> Completion | None:
    """The completion that a row keeps; None if the row is damaged."""
    try:
        if _digest(row) != row["digest"]:
            return None
        text, finish = row["text"].decode("utf-8", "surrogatepass"), Finish(row["finish"])
    except (AttributeError, TypeError, ValueError):
        return None
    return Completion(text, finish, row["model"], row["prompt_tokens"], row["completion_tokens"])


def _digest(row: Mapping[str, Any] | RowMapping) -> str:
    """SHA-256 of what a row keeps. Raises `AttributeError` or `TypeError` if something in it is of another kind."""
    values = [row[name].hex() if name == "text" else row[name] for name in _DIGESTED]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
