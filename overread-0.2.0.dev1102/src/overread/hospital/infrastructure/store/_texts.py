"""The table of texts: the one place where what reports and reviewers say is kept, and erased."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from attrs import define, field
from sqlalchemy import Connection, delete, insert, select, tuple_, update
from sqlalchemy.sql import ColumnElement

from overread.exceptions import StoreError
from overread.hospital.infrastructure.store._hospital_tables import TEXTS
from overread.hospital.infrastructure.store._seals import Sealed, Seals
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import add_new

__all__ = ["Owner", "Texts", "open_some", "reseal_some", "secret_of"]

_SECRET: Final = 1
_SECRET_BYTES: Final = 32


class Owner(StrEnum):
    """Kind of row that a text belongs to."""

    EXAMINATION = "examination"
    VERSION = "version"
    PAIR = "pair"
    REVIEW = "review"
    CASE = "case"
    LEARNING = "learning"
    RESPONSE = "response"
    STORE = "store"


@define
class Texts:
    """The texts within one transaction.

    Attributes:
        connection: of the transaction.
        seals: that open and seal them.
        erased: whether any was erased, so that the file is to be cleaned when the transaction has ended.
    """

    connection: Connection
    seals: Seals
    erased: bool = field(default=False, init=False)

    def put(self, owner: Owner, texts: Mapping[int, bytes]) -> None:
        """Keep texts of rows that have none."""
        rows = [_row(owner, number, self.seals.seal(text, _place(owner, number))) for number, text in texts.items()]
        if rows:
            self.connection.execute(insert(TEXTS), rows)

    def replace(self, owner: Owner, number: int, text: bytes) -> None:
        """Keep a text in place of the one that is there, if any."""
        self.connection.execute(delete(TEXTS).where(TEXTS.c.owner == owner, TEXTS.c.number == number))
        self.put(owner, {number: text})

    def get(self, owner: Owner, numbers: Iterable[int]) -> dict[int, bytes]:
        """The texts of these rows, as far as they are kept.

        Raises:
            StoreError: if one cannot be opened.
        """
        bodies: dict[int, bytes] = {}
        for chunk in chunks(numbers):
            query = select(TEXTS).where(TEXTS.c.owner == owner, TEXTS.c.number.in_(chunk))
            for row in self.connection.execute(query):
                bodies[row.number] = self.seals.open(Sealed(row.key, bytes(row.body)), _place(owner, row.number))
        return bodies

    def drop(self, owner: Owner, numbers: Iterable[int]) -> int:
        """Erase the texts of these rows; how many were there."""
        return sum(self.drop_where(owner, TEXTS.c.number.in_(chunk)) for chunk in chunks(numbers))

    def drop_where(self, owner: Owner, *conditions: ColumnElement[bool]) -> int:
        """Erase the texts of an owner that conditions hold for; how many they were."""
        dropped = self.connection.execute(delete(TEXTS).where(TEXTS.c.owner == owner, *conditions)).rowcount
        self.erased |= dropped > 0
        return dropped


def secret_of(connection: Connection, seals: Seals) -> bytes:
    """The store's own secret for keyed digests, drawn when it is first asked for; kept as texts are.

    Raises:
        StoreError: if it is sealed with a key that is not there: the store belongs to other keys.
    """
    place = _place(Owner.STORE, _SECRET)
    drawn = _row(Owner.STORE, _SECRET, seals.seal(secrets.token_bytes(_SECRET_BYTES), place))
    add_new(connection, TEXTS, [drawn])
    query = select(TEXTS).where(TEXTS.c.owner == Owner.STORE, TEXTS.c.number == _SECRET)
    row = connection.execute(query).one()
    stored = Sealed(row.key, bytes(row.body))
    secret = seals.open(stored, place)
    if seals.seals and not stored.key:
        _write(connection, Owner.STORE, _SECRET, seals.seal(secret, place))
    return secret


def reseal_some(connection: Connection, seals: Seals, limit: int) -> int:
    """Seals so many texts that are sealed otherwise with the current key, or opens them for good; their number."""
    query = select(TEXTS).where(TEXTS.c.key != seals.current).order_by(TEXTS.c.owner, TEXTS.c.number).limit(limit)
    rows = connection.execute(query.with_for_update()).all()
    for row in rows:
        place = _place(row.owner, row.number)
        _write(
            connection, row.owner, row.number, seals.seal(seals.open(Sealed(row.key, bytes(row.body)), place), place)
        )
    return len(rows)


def open_some(connection: Connection, seals: Seals, after: tuple[str, int], limit: int) -> tuple[str, int] | None:
    """Opens so many texts from the one after another on; the last of them, None where there was none.

    Raises:
        StoreError: if one does not open; it is named.
    """
    at = tuple_(TEXTS.c.owner, TEXTS.c.number)
    query = select(TEXTS).where(at > after).order_by(TEXTS.c.owner, TEXTS.c.number).limit(limit)
    last = None
    for row in connection.execute(query):
        last = row.owner, row.number
        try:
            seals.open(Sealed(row.key, bytes(row.body)), _place(*last))
        except StoreError as error:
            raise StoreError(f"{row.owner} {row.number}: {error}") from None
    return last


def _write(connection: Connection, owner: str, number: int, sealed: Sealed) -> None:
    at = (TEXTS.c.owner == owner, TEXTS.c.number == number)
    connection.execute(update(TEXTS).where(*at).values(key=sealed.key, body=sealed.body))


def _row(owner: Owner, number: int, sealed: Sealed) -> dict[str, Any]:
    return {"owner": owner.value, "number": number, "key": sealed.key, "body": sealed.body}


def _place(owner: str, number: int) -> str:
    """Place that a sealed text is bound to."""
    return f"{owner}:{number}"
