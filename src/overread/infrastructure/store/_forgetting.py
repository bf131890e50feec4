"""What goes with a text that is no longer kept: copies in pairs, words of reviewers, remarks on the examination."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import ColumnElement, Connection, Select, func, select

from overread.domain.hospital.report_version import ReportStatus
from overread.domain.hospital.version_pairs import PairKind
from overread.infrastructure.store._database import chunks
from overread.infrastructure.store._hospital_tables import (
    COMPARED,
    COMPARED_VERSIONS,
    JOBS,
    REVIEWS,
    TEXTS,
    VERSION_EXAMINATIONS,
    VERSIONS,
)
from overread.infrastructure.store._texts import Owner, Texts

__all__ = ["forget_given", "forget_scored", "forget_versions"]

_SIGNED: Final = (ReportStatus.FINAL.value, ReportStatus.CORRECTED.value)


def forget_versions(connection: Connection, texts: Texts, versions: Select[int]) -> int:
    """Erases the texts of versions; how many there were.

    With them go the texts of pairs that repeat them, what reviewers wrote about those, and remarks on examinations of
    which no version has a text any more.
    """
    pairs = select(COMPARED_VERSIONS.c.pair).where(COMPARED_VERSIONS.c.version.in_(versions))
    _forget_pairs(connection, texts, pairs)
    numbers = connection.execute(versions).scalars().all()
    dropped = texts.drop(Owner.VERSION, numbers)
    _forget_remarks(connection, texts, numbers)
    return dropped


def forget_given(connection: Connection, texts: Texts, made_before: Select[int]) -> int:
    """Erases the texts of given pairs that do not wait, and what reviewers wrote about them; how many pairs."""
    return _forget_pairs(connection, texts, made_before.where(COMPARED.c.kind == PairKind.GIVEN.value, ~_waits()))


def forget_scored(connection: Connection, texts: Texts, pairs: Collection[int]) -> None:
    """Erases the texts of pairs that wait no longer, and those of their versions which no later pair can need.

    Of an examination, the newest signed report may still be corrected: its text stays.
    """
    done = select(COMPARED.c.id).where(COMPARED.c.id.in_(pairs), ~_waits())
    _forget_pairs(connection, texts, done)
    compared = COMPARED_VERSIONS
    waiting = select(compared.c.version).join(JOBS, JOBS.c.pair == compared.c.pair)
    link = VERSION_EXAMINATIONS
    newest = (
        select(func.max(VERSIONS.c.id))
        .join(link, link.c.version == VERSIONS.c.id)
        .where(VERSIONS.c.status.in_(_SIGNED))
        .group_by(link.c.examination)
    )
    spent = select(compared.c.version).where(
        compared.c.pair.in_(done), compared.c.version.not_in(waiting), compared.c.version.not_in(newest)
    )
    numbers = connection.execute(spent).scalars().all()
    texts.drop(Owner.VERSION, numbers)
    _forget_remarks(connection, texts, numbers)


def _forget_pairs(connection: Connection, texts: Texts, pairs: Select[int]) -> int:
    numbers = connection.execute(pairs).scalars().all()
    reviews = connection.execute(select(REVIEWS.c.id).where(REVIEWS.c.pair.in_(pairs))).scalars().all()
    texts.drop(Owner.REVIEW, reviews)
    return texts.drop(Owner.PAIR, numbers)


def _forget_remarks(connection: Connection, texts: Texts, versions: Sequence[int]) -> None:
    """Erases the remarks on examinations of these versions, where none of their versions has a text any more."""
    link, still = VERSION_EXAMINATIONS, TEXTS.alias()
    for chunk in chunks(versions):
        examinations = set(connection.execute(select(link.c.examination).where(link.c.version.in_(chunk))).scalars())
        told = (
            select(link.c.examination)
            .join(still, still.c.number == link.c.version)
            .where(still.c.owner == Owner.VERSION, link.c.examination.in_(examinations))
        )
        texts.drop(Owner.EXAMINATION, examinations - set(connection.execute(told).scalars()))


def _waits() -> ColumnElement[bool]:
    return COMPARED.c.id.in_(select(JOBS.c.pair))
