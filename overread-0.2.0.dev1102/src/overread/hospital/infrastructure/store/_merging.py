"""Identifiers of patients that were merged: rows are kept under the one that stands."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, update

from overread.hospital.domain.patient_merge import MergeKind
from overread.hospital.infrastructure.store._hospital_tables import EXAMINATIONS, MERGED_PATIENTS, VERSION_EXAMINATIONS
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import Lock, lock

__all__ = ["forget_merges", "is_of_patient", "merge", "merge_kind", "merged_into", "standing"]


def standing(connection: Connection, site: str, patient: str) -> str:
    """The digest under which a patient's rows are kept at a site, given the digest of any of their identifiers."""
    table = MERGED_PATIENTS.c
    query = select(table.surviving).where(table.site == site, table.merged == patient)
    return connection.execute(query).scalar() or patient


def merged_into(connection: Connection, patients: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """The identifiers that were merged into these, by site and the one that stands for them; as digests."""
    digests: dict[tuple[str, str], list[str]] = {}
    table = MERGED_PATIENTS.c
    for chunk in chunks(sorted(set(patients))):
        for row in connection.execute(select(MERGED_PATIENTS).where(table.surviving.in_(chunk)).order_by(table.merged)):
            digests.setdefault((row.site, row.surviving), []).append(row.merged)
    return digests


def merge_kind(connection: Connection, site: str, surviving: str, merged: str) -> MergeKind:
    """The outcome that a merge would have, given digests; nobody merges until the transaction ends."""
    lock(connection, Lock.PATIENTS)
    stands = standing(connection, site, surviving)
    if stands != standing(connection, site, merged):
        return MergeKind.MERGED
    return MergeKind.REVERSED if stands == merged else MergeKind.KNOWN


def merge(connection: Connection, site: str, surviving: str, merged: str) -> int:
    """Relabels the rows of one patient at a site as another's, now and from now on; the number of examinations."""
    lock(connection, Lock.PATIENTS)
    surviving, merged = standing(connection, site, surviving), standing(connection, site, merged)
    if surviving == merged:
        return 0
    examinations, link, table = EXAMINATIONS.c, VERSION_EXAMINATIONS.c, MERGED_PATIENTS.c
    here = select(examinations.id).where(examinations.site == site)
    moved = connection.execute(here.where(is_of_patient(merged)).with_only_columns(func.count())).scalar_one()
    linked = (link.examination.in_(here), link.told.contains(merged))
    connection.execute(
        update(VERSION_EXAMINATIONS).where(*linked).values(told=func.replace(link.told, merged, surviving))
    )
    labelled = (examinations.site == site, examinations.patient == merged)
    connection.execute(update(EXAMINATIONS).where(*labelled).values(patient=surviving))
    before = (table.site == site, table.surviving == merged)
    connection.execute(update(MERGED_PATIENTS).where(*before).values(surviving=surviving))
    connection.execute(MERGED_PATIENTS.insert().values(site=site, merged=merged, surviving=surviving))
    return moved


def is_of_patient(patient: str) -> ColumnElement[bool]:
    """Condition that any version told that an examination is of a patient, whose digest is given."""
    link = VERSION_EXAMINATIONS.c
    examinations = select(link.examination).where(link.told.contains(patient))
    return (EXAMINATIONS.c.patient == patient) | EXAMINATIONS.c.id.in_(examinations)


def forget_merges(connection: Connection, site: str | None, patient: str) -> dict[str, str]:
    """Forgets which identifiers were merged with a patient's; the digest that stood for theirs, by site."""
    table = MERGED_PATIENTS.c
    at = () if site is None else (table.site == site,)
    known = select(table.site, table.surviving).where(or_(table.merged == patient, table.surviving == patient), *at)
    stood = {row.site: row.surviving for row in connection.execute(known.distinct())}
    for where, surviving in stood.items():
        connection.execute(delete(MERGED_PATIENTS).where(table.site == where, table.surviving == surviving))
    return stood
