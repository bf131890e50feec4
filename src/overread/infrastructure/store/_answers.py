"""Kept answers in a SQLite file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Final

from sqlalchemy import func
from sqlalchemy import select as sql_select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel, col, select

from overread.domain.answer import Completion, Finish
from overread.infrastructure.store._file import VERSION_TABLE, Layout, SqliteFile, StoreOnFile, chunks, storable

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
_LAYOUT: Final = Layout(
    metadata=_Table.metadata,
    version=1,
    mark=_AnswerRow.__tablename__,
    what="file of kept answers",
    durable=True,  # an answer costs more than a write to the disk
)


class SqliteAnswerStore(StoreOnFile):
    """An `AnswerStore` in one SQLite file, for any number of threads and processes.

    Args:
        path: of the file.
        only_kept: whether nothing may be asked that is not kept here.

    Raises:
        StoreError: if the file cannot be opened, holds something else, or was written by a newer overread.
    """

    def __init__(self, path: Path, *, only_kept: bool = False) -> None:
        self._file = SqliteFile(path, _LAYOUT)
        self._only_kept = only_kept

    @property
    def only_kept(self) -> bool:
        """Whether nothing may be asked that is not kept here."""
        return self._only_kept

    def find(self, keys: Sequence[str]) -> dict[str, Completion]:
        """The kept completions among those of ``keys``.

        Raises:
            StoreError: if one cannot be read, or is not what was kept.
        """
        found: dict[str, Completion] = {}
        columns = [getattr(_AnswerRow, name) for name in (*_DIGESTED, "digest")]
        with self._file.transaction() as session:
            for chunk in chunks(keys):
                rows = session.connection().execute(sql_select(*columns).where(col(_AnswerRow.key).in_(chunk)))
                found.update({row["key"]: self._completion({**row}) for row in rows.mappings()})
        return found

    def add(self, key: str, completion: Completion, *, prompt: str, model: str) -> None:
        """Keep one completion: it is on the disk when this returns. A key that is kept already stays as it is.

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
        with self._file.transaction(write=True) as session:
            session.connection().execute(insert(_AnswerRow).values(row).on_conflict_do_nothing())

    def models(self) -> list[str]:
        """Identities of the models that were asked, that with the most kept answers first.

        Raises:
            StoreError: if one is no text.
        """
        query = select(_AnswerRow.asked_of).group_by(_AnswerRow.asked_of)
        with self._file.transaction() as session:
            models = list(session.exec(query.order_by(func.count().desc(), col(_AnswerRow.asked_of))))
        if not all(isinstance(model, str) for model in models):
            raise self._file.damaged("the name of a model")
        return models

    def _completion(self, row: Mapping[str, Any]) -> Completion:
        try:
            if _digest(row) != row["digest"]:
                raise self._file.damaged("a kept answer")
            text, finish = row["text"].decode("utf-8", "surrogatepass"), Finish(row["finish"])
        except (AttributeError, TypeError, ValueError):
            raise self._file.damaged("a kept answer") from None
        return Completion(text, finish, row["model"], row["prompt_tokens"], row["completion_tokens"])


def _digest(row: Mapping[str, Any]) -> str:
    """SHA-256 of what a row keeps. Raises `AttributeError` or `TypeError` if something in it is of another kind."""
    said = [row[name].hex() if name == "text" else row[name] for name in _DIGESTED]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()
