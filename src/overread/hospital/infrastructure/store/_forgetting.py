"""Erases texts, and what goes with them: copies in pairs, words of reviewers, remarks on the examination."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, exists, func, select

from overread.hospital.domain.report_version import FINISHED
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.store._hospital_tables import (
    AUTHOR_RESPONSES,
    COMPARED,
    COMPARED_EXAMINATIONS,
    COMPARED_VERSIONS,
    JOBS,
    LEARNING_POINTS,
    REVIEWS,
    TEXTS,
    VERSION_EXAMINATIONS,
    VERSIONS,
)
from overread.hospital.infrastructure.store._texts import Owner, Texts
from overread.infrastructure.store.database import chunks

__all__ = ["forget_given", "forget_scored", "forget_versions"]

_SAID: Final = {Owner.REVIEW: REVIEWS, Owner.LEARNING: LEARNING_POINTS, Owner.RESPONSE: AUTHOR_RESPONSES}
"""What people wrote about a pair."""

_SIGNED: Final = tuple(status.value for status in FINISHED)


def forget_versions(texts: Texts, before: datetime) -> int:
    """Erases the texts of versions that arrived before a moment; how many there were.

    With them go the texts of pairs that repeat them, what reviewers wrote about those, and remarks on examinations of
    which no version has a text any more. It begins with the texts that are kept: versions without one may be many more.
    """
    link, compared, old = VERSION_EXAMINATIONS.c, COMPARED_VERSIONS.c, VERSIONS.c.arrived < before
    _forget_pairs(texts, exists().where(compared.pair == COMPARED.c.id, VERSIONS.c.id == compared.version, old))
    dropped = texts.drop_where(Owner.VERSION, exists().where(VERSIONS.c.id == TEXTS.c.number, old))
    about_old = exists().where(link.examination == TEXTS.c.number, VERSIONS.c.id == link.version, old)
    texts.drop_where(Owner.EXAMINATION, about_old, ~_is_told_of())
    return dropped


def forget_given(texts: Texts, before: datetime) -> int:
    """Erases the texts of given pairs that were made before a moment and do not wait; how many there were.

    With them goes what reviewers wrote about them.
    """
    given = (COMPARED.c.kind == PairKind.GIVEN.value, COMPARED.c.made < before)
    return _forget_pairs(texts, and_(*given, ~_waits()))


def forget_scored(connection: Connection, texts: Texts, pairs: Collection[int]) -> None:
    """Erases the texts of pairs that wait no longer, and those of their versions which no later pair can need.

    Of an examination, the newest signed report may still be corrected: its text stays.
    """
    link, compared = VERSION_EXAMINATIONS.c, COMPARED_VERSIONS.c
    done = select(COMPARED.c.id).where(COMPARED.c.id.in_(pairs), ~_waits())
    for owner, table in _SAID.items():
        texts.drop(owner, connection.execute(select(table.c.id).where(table.c.pair.in_(done))).scalars())
    texts.drop(Owner.PAIR, connection.execute(done).scalars())
    waiting = select(compared.version).join(JOBS, JOBS.c.pair == compared.pair)
    examined = COMPARED_EXAMINATIONS.c
    newest = (
        select(func.max(VERSIONS.c.id))
        .join(VERSION_EXAMINATIONS, link.version == VERSIONS.c.id)
        .where(VERSIONS.c.status.in_(_SIGNED))
        .where(link.examination.in_(select(examined.examination).where(examined.pair.in_(done))))
        .group_by(link.examination)
    )
    spent = select(compared.version).where(
        compared.pair.in_(done), compared.version.not_in(waiting), compared.version.not_in(newest)
    )
    numbers = connection.execute(spent).scalars().all()
    texts.drop(Owner.VERSION, numbers)
    for chunk in chunks(numbers):
        about = select(link.examination).where(link.version.in_(chunk))
        texts.drop_where(Owner.EXAMINATION, TEXTS.c.number.in_(about), ~_is_told_of())


def _forget_pairs(texts: Texts, which: ColumnElement[bool]) -> int:
    """Erases the texts of pairs that a condition holds for, and what people wrote about them; how many pairs."""
    for owner, table in _SAID.items():
        texts.drop_where(owner, exists().where(table.c.id == TEXTS.c.number, COMPARED.c.id == table.c.pair, which))
    return texts.drop_where(Owner.PAIR, exists().where(COMPARED.c.id == TEXTS.c.number, which))


def _is_told_of() -> ColumnElement[bool]:
    """Condition that a version of the examination that a text is about still has its own text."""
    link, still = VERSION_EXAMINATIONS.c, TEXTS.alias().c
    return exists().where(
        link.examination == TEXTS.c.number, still.number == link.version, still.owner == Owner.VERSION
    )


def _waits() -> ColumnElement[bool]:
    return COMPARED.c.id.in_(select(JOBS.c.pair))
