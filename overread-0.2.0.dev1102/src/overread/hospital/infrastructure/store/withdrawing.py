"""Marks pairs of which a report was withdrawn before a store knew of such marks."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Connection, Integer, String, column, select, table, update

from overread.domain.vocabulary.connected import group_connected
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.pairing_rules import withdrawn_of
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.infrastructure.store.columns import Moment
from overread.infrastructure.store.database import chunks

__all__ = ["withdraw_cancelled"]

# As the tables were when the mark was added, whatever they become.
_VERSIONS: Final = table(
    "report_versions",
    column("id", BigInteger),
    column("arrived", Moment),
    column("issued", String),
    column("status", String),
    column("filler", String),
)
_LINKS: Final = table(
    "version_examinations",
    column("version", BigInteger),
    column("examination", BigInteger),
    column("place", Integer),
    column("told", String),
)
_EXAMINATIONS: Final = table(
    "examinations", column("id", BigInteger), column("site", String), column("accession", String)
)
_COMPARED: Final = table("compared_pairs", column("id", BigInteger), column("withdrawn", Boolean))
_COMPARED_VERSIONS: Final = table("compared_versions", column("pair", BigInteger), column("version", BigInteger))


def withdraw_cancelled(connection: Connection) -> None:
    """Marks the pairs that were made of versions which are withdrawn by now."""
    cancelled = select(_VERSIONS.c.id).where(_VERSIONS.c.status == ReportStatus.CANCELLED.value)
    versions = _related_versions(connection, connection.execute(cancelled).scalars())
    gone = [
        number for group in group_connected(versions, lambda kept: kept.version.keys) for number in withdrawn_of(group)
    ]
    link = _COMPARED_VERSIONS.c
    for chunk in chunks(gone):
        pairs = select(link.pair).where(link.version.in_(chunk))
        connection.execute(update(_COMPARED).where(_COMPARED.c.id.in_(pairs)).values(withdrawn=True))


def _related_versions(connection: Connection, numbers: Iterable[int]) -> list[KeptVersion]:
    """These versions, and all that share an examination with them or with others of them; without their texts."""
    link, versions, examinations = _LINKS.c, set(numbers), set[int]()
    fresh = versions
    while fresh:
        met = _linked_numbers(connection, link.examination, link.version, fresh) - examinations
        examinations |= met
        fresh = _linked_numbers(connection, link.version, link.examination, met) - versions
        versions |= fresh
    return _load_versions(connection, versions)


def _linked_numbers(connection: Connection, wanted: Any, given: Any, numbers: Iterable[int]) -> set[int]:
    return {
        number
        for chunk in chunks(numbers)
        for number in connection.execute(select(wanted).where(given.in_(chunk))).scalars()
    }


def _load_versions(connection: Connection, numbers: Iterable[int]) -> list[KeptVersion]:
    rows_by_number: dict[int, Any] = {}
    about: dict[int, list[Examination]] = defaultdict(list)
    joined = _LINKS.join(_EXAMINATIONS, _EXAMINATIONS.c.id == _LINKS.c.examination)
    for chunk in chunks(numbers):
        rows = connection.execute(select(_VERSIONS).where(_VERSIONS.c.id.in_(chunk)))
        rows_by_number.update((row.id, row) for row in rows)
        links = select(_LINKS.c.version, _LINKS.c.told, _EXAMINATIONS.c.site, _EXAMINATIONS.c.accession)
        links = links.select_from(joined).where(_LINKS.c.version.in_(chunk)).order_by(_LINKS.c.version, _LINKS.c.place)
        for version, details, site, accession in connection.execute(links):
            performed = _moment(json.loads(details)["performed"])
            about[version].append(Examination(site=site, accession=accession, performed=performed))
    return [_kept_version(rows_by_number[number], about[number]) for number in sorted(rows_by_number)]


def _kept_version(row: Any, examinations: list[Examination]) -> KeptVersion:
    version = ReportVersion(
        examinations=examinations,
        status=ReportStatus(row.status),
        text="",
        filler=row.filler,
        issued=_moment(row.issued),
    )
    return KeptVersion(number=row.id, arrived=row.arrived, version=version, has_text=False)


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
