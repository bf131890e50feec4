"""Deletes examinations and given pairs with all that hangs on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import Column, Connection, Select, Table, delete, select

from overread.hospital.application.requests import Erased
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.store._cases import cases_about
from overread.hospital.infrastructure.store._hospital_tables import (
    AUTHOR_RESPONSES,
    COMPARED,
    COMPARED_VERSIONS,
    EXAMINATIONS,
    LEARNING_POINTS,
    REVIEWS,
    VERSION_EXAMINATIONS,
    VERSIONS,
)
from overread.hospital.infrastructure.store._merging import is_of_patient
from overread.hospital.infrastructure.store._texts import Owner, Texts
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.result_tables import RESULTS, PairRow

__all__ = ["erase", "given_before", "versions_before", "versions_of_patient"]

T = TypeVar("T")

_PAIRS: Final[Table] = PairRow.metadata.tables["pairs"]


def versions_of_patient(connection: Connection, site: str | None, patient: str) -> set[int]:
    """Versions that report on any examination of which any version told this patient, whose digest is given."""
    link = VERSION_EXAMINATIONS
    query = select(link.c.version).join(EXAMINATIONS, EXAMINATIONS.c.id == link.c.examination)
    query = query.where(is_of_patient(patient))
    return _numbers(connection, query if site is None else query.where(EXAMINATIONS.c.site == site))


def versions_before(connection: Connection, before: datetime) -> set[int]:
    """Versions of examinations to which nothing came since a moment; not one that also reports on another."""
    link = VERSION_EXAMINATIONS
    recent = select(link.c.examination).join(VERSIONS, VERSIONS.c.id == link.c.version)
    recent = recent.where(VERSIONS.c.arrived >= before)
    tied = select(link.c.version).where(link.c.examination.in_(recent))
    return _numbers(connection, select(VERSIONS.c.id).where(VERSIONS.c.arrived < before, VERSIONS.c.id.not_in(tied)))


def given_before(connection: Connection, before: datetime) -> set[int]:
    """Pairs that were given before a moment."""
    given = COMPARED.c.kind == PairKind.GIVEN.value
    return _numbers(connection, select(COMPARED.c.id).where(given, COMPARED.c.made < before))


def erase(connection: Connection, texts: Texts, versions: Collection[int], given: Collection[int]) -> Erased:
    """Deletes versions and given pairs, the pairs made of those versions, and examinations that are left with none.

    Results go with the last pair that has their digest.
    """
    if not versions and not given:
        return Erased()
    compared, link = COMPARED_VERSIONS, VERSION_EXAMINATIONS
    pairs = {*given, *_among(connection, select(compared.c.pair), compared.c.version, versions)}
    # Whoever reviews one of them is waited for, so that their words go too; who comes later finds no pair.
    pairs = _among(connection, select(COMPARED.c.id).with_for_update(), COMPARED.c.id, pairs)
    examinations = _among(connection, select(link.c.examination), link.c.version, versions)
    reviews = _among(connection, select(REVIEWS.c.id), REVIEWS.c.pair, pairs)
    digests = _among(connection, select(COMPARED.c.digest), COMPARED.c.id, pairs)
    erased = texts.drop(Owner.VERSION, versions)
    texts.drop(Owner.REVIEW, reviews)
    texts.drop(Owner.CASE, cases_about(connection, pairs))
    for owner, table in ((Owner.LEARNING, LEARNING_POINTS), (Owner.RESPONSE, AUTHOR_RESPONSES)):
        texts.drop(owner, _among(connection, select(table.c.id), table.c.pair, pairs))
    texts.drop(Owner.PAIR, pairs - set(given))
    erased += texts.drop(Owner.PAIR, given)
    _delete(connection, COMPARED, pairs)
    _delete(connection, VERSIONS, versions)
    left = examinations - _among(connection, select(link.c.examination), link.c.examination, examinations)
    texts.drop(Owner.EXAMINATION, left)
    _delete(connection, EXAMINATIONS, left)
    texts.erased = True
    return Erased(
        examinations=len(left),
        versions=len(versions),
        texts=erased,
        pairs=len(pairs),
        results=_erase_results(connection, digests),
        reviews=len(reviews),
    )


def _erase_results(connection: Connection, digests: Collection[str]) -> int:
    spent = set(digests) - _among(connection, select(COMPARED.c.digest), COMPARED.c.digest, digests)
    erased = 0
    for chunk in chunks(sorted(spent)):
        erased += connection.execute(delete(RESULTS).where(RESULTS.c.pair_digest.in_(chunk))).rowcount
        connection.execute(delete(_PAIRS).where(_PAIRS.c.digest.in_(chunk)))
    return erased


def _numbers(connection: Connection, query: Select[int]) -> set[int]:
    return set(connection.execute(query).scalars())


def _among(connection: Connection, query: Select[T], column: Column[Any], values: Iterable[Any]) -> set[T]:
    """Results of a query where a column has any of these values."""
    results: set[T] = set()
    for chunk in chunks(values):
        results.update(connection.execute(query.where(column.in_(chunk))).scalars())
    return results


def _delete(connection: Connection, table: Table, numbers: Iterable[int]) -> None:
    for chunk in chunks(numbers):
        connection.execute(delete(table).where(table.c.id.in_(chunk)))
