"""Versions of reports and their examinations, in a database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice, product
from typing import Any, Final

from attrs import asdict, define
from sqlalchemy import Connection, select, tuple_, update

from overread.domain.reports.report import ClinicalContext
from overread.exceptions import NotFoundError
from overread.hospital.application.ports import Stated
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.infrastructure.store._forgetting import forget_versions
from overread.hospital.infrastructure.store._hospital_tables import (
    COMPARED,
    EXAMINATIONS,
    VERSION_EXAMINATIONS,
    VERSIONS,
)
from overread.hospital.infrastructure.store._merging import is_of_patient, merged_into, standing
from overread.hospital.infrastructure.store._seals import keyed_digest
from overread.hospital.infrastructure.store._texts import Owner, Texts
from overread.infrastructure.store.columns import plain
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import Lock, Row, add_all, lock

__all__ = ["SqlVersions", "examinations_of", "find_numbered", "patient_digest"]

_DESCRIBED: Final = ("modality", "procedure", "body_part", "device")
_SHOWN: Final = ("site", "accession", "modality", "device")
"""Columns of an examination that a worklist repeats."""

_SAME_MESSAGE: Final = ("source", "message", "status", "digest")
_SAME_REPORT: Final = ("filler", "model", "status")
_STATED: Final = (
    *("status", "digest", "length", "reader", "model", "filler", "placer", "issued", "source", "message"),
)
_MOST_STATEMENTS: Final = 1000
"""Limit for a version, one for each combination of identifiers that its patients had before they were merged."""


@define
class SqlVersions:
    """The versions within one transaction."""

    connection: Connection
    texts: Texts
    secret: bytes | None

    def lock(self, keys: Sequence[ExaminationKey]) -> None:
        """Until the transaction ends, others wait who lock one of these, and those who merge or erase patients."""
        lock(self.connection, Lock.PATIENTS, shared=True)
        # In one order for all, so that nobody waits for somebody who waits for them.
        for number in sorted({_lock_of(key) for key in keys}):
            lock(self.connection, number)

    def resent(self, version: ReportVersion) -> int | None:
        """Number of the version that this one repeats.

        That of the same message about the same with the same text; or else the newest of the same report and status,
        if it has the same text and the report was not cancelled, or sent after it was cancelled, since.
        """
        digest, given = self._digest(version), [_key_as_stored(key) for key in version.keys]
        about = self._rows_of(version.keys)
        message = plain(version.message)
        same = (plain(version.source), message, version.status.value, digest)
        for row in about:
            if message and tuple(row[name] for name in _SAME_MESSAGE) == same and self._keys_of(row["id"]) == given:
                return int(row["id"]) if self._knows_patients(row["id"], version) else None
        same_report = (plain(version.filler), plain(version.model), version.status.value)
        for row in reversed(about):
            if tuple(row[name] for name in _SAME_REPORT) == same_report and self._keys_of(row["id"]) == given:
                is_repeated = row["digest"] == digest and not _is_reversed(version, row, about)
                return int(row["id"]) if is_repeated and self._knows_patients(row["id"], version) else None
        return None

    def add(self, version: ReportVersion, arrived: datetime) -> KeptVersion:
        """Keep a version, and what it tells of its examinations."""
        digest = self._digest(version)
        row = {
            "arrived": arrived,
            "status": version.status.value,
            "digest": digest,
            "length": len(version.text.text),
            **{name: getattr(version, name) for name in ("reader", "model", "filler", "placer", "source", "message")},
            "issued": version.issued.isoformat() if version.issued else "",
            "site": version.examinations[0].site if version.examinations else "",
        }
        [number] = add_all(self.connection, VERSIONS, [row])
        links = [
            {
                "version": number,
                "examination": self._learn(examination),
                "place": place,
                "told": self._told_of(examination),
            }
            for place, examination in enumerate(version.examinations)
        ]
        if links:
            self.connection.execute(VERSION_EXAMINATIONS.insert(), links)
        self.texts.put(Owner.VERSION, {number: _body(version)})
        patients = [self._patient_of(examination).get("patient", "") for examination in version.examinations]
        return KeptVersion(number=number, arrived=arrived, version=version, digest=digest, patients=patients)

    def stated(self, after: int = 0, limit: int = 1000) -> Sequence[Stated]:
        """Versions as they were told, oldest first, from the one after a number on; no key of texts is needed."""
        query = select(VERSIONS).where(VERSIONS.c.id > after).order_by(VERSIONS.c.id).limit(limit)
        rows = self.connection.execute(query).mappings().all()
        links = self._links([row["id"] for row in rows])
        details = (json.loads(link["told"]) for about in links.values() for link in about)
        known = merged_into(self.connection, (detail["patient"] for detail in details if "patient" in detail))
        return [Stated(number=row["id"], said=_statements(row, links.get(row["id"], []), known)) for row in rows]

    def rewritten(self, after: int, limit: int) -> tuple[int | None, list[int]]:
        """Versions whose text is another than the one they came with, among so many after a number; as of `Pairs`."""
        query = select(VERSIONS.c.id, VERSIONS.c.digest).where(VERSIONS.c.id > after).order_by(VERSIONS.c.id)
        rows = self.connection.execute(query.limit(limit)).all()
        bodies = self.texts.get(Owner.VERSION, [row.id for row in rows])
        rows_with_text = [row for row in rows if row.id in bodies]
        return (rows[-1].id if rows else None), [
            row.id for row in rows_with_text if self._kept_digest(bodies[row.id]) != row.digest
        ]

    def _kept_digest(self, body: bytes) -> str:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            return keyed_digest(self.secret, "text", json.loads(body)[0].encode("utf-8", "surrogatepass"))
        return ""

    def of_patient(self, site: str, patient: str) -> Sequence[ExaminationKey]:
        """The examinations at a site that any version says are of a patient, under any identifier that was merged."""
        stands = standing(self.connection, site, patient_digest(self.secret, patient))
        here = EXAMINATIONS.c.site == plain(site)
        rows = self.connection.execute(select(EXAMINATIONS.c.accession).where(here, is_of_patient(stands)))
        return [ExaminationKey(plain(site), accession) for accession in rows.scalars()]

    def related(self, keys: Sequence[ExaminationKey]) -> Sequence[KeptVersion]:
        """All versions of these examinations and of those that share a report with them, oldest first."""
        link = VERSION_EXAMINATIONS
        examinations, versions = set(self._numbers(keys)), set[int]()
        fresh = examinations
        while fresh:
            reached = self._linked_numbers(link.c.version, link.c.examination, fresh) - versions
            versions |= reached
            fresh = self._linked_numbers(link.c.examination, link.c.version, reached) - examinations
            examinations |= fresh
        return self._load(sorted(versions))

    def get(self, numbers: Sequence[int]) -> Sequence[KeptVersion]:
        """The versions of these numbers, in that order."""
        versions = {version.number: version for version in self._load(numbers)}
        return [find_numbered(versions, number, "version") for number in numbers]

    def examination(self, key: ExaminationKey) -> Examination:
        """An examination as all its versions tell it; the later word counts, and silence takes nothing back."""
        examinations = examinations_of(self.connection, self.texts, self._numbers([key]))
        for examination in examinations.values():
            return examination
        raise NotFoundError("there is no examination with that accession number at that site")

    def forget_texts(self, before: datetime) -> int:
        """Erase the texts of versions that arrived before a moment, and what repeats or quotes them."""
        return forget_versions(self.texts, before)

    def _digest(self, version: ReportVersion) -> str:
        return keyed_digest(self.secret, "text", version.text.text.encode("utf-8", "surrogatepass"))

    def _numbers(self, keys: Iterable[ExaminationKey]) -> list[int]:
        table, numbers = EXAMINATIONS, list[int]()
        for chunk in chunks(_key_as_stored(key) for key in keys):
            given = tuple_(table.c.site, table.c.accession).in_([(key.site, key.accession) for key in chunk])
            numbers += self.connection.execute(select(table.c.id).where(given)).scalars()
        return numbers

    def _linked_numbers(self, wanted: Any, given: Any, numbers: Iterable[int]) -> set[int]:
        return {
            int(number)
            for chunk in chunks(numbers)
            for number in self.connection.execute(select(wanted).where(given.in_(chunk))).scalars()
        }

    def _rows_of(self, keys: Sequence[ExaminationKey]) -> Sequence[Row]:
        """Rows of the versions that report on the first of these examinations, oldest first."""
        link = VERSION_EXAMINATIONS
        query = (
            select(VERSIONS)
            .join(link, link.c.version == VERSIONS.c.id)
            .where(link.c.examination.in_(self._numbers(keys[:1])))
            .order_by(VERSIONS.c.id)
        )
        return self.connection.execute(query).mappings().all()

    def _keys_of(self, version: int) -> list[ExaminationKey]:
        link, table = VERSION_EXAMINATIONS, EXAMINATIONS
        query = select(table.c.site, table.c.accession).join(link, link.c.examination == table.c.id)
        rows = self.connection.execute(query.where(link.c.version == version).order_by(link.c.place))
        return [ExaminationKey(site, accession) for site, accession in rows]

    def _knows_patients(self, number: int, version: ReportVersion) -> bool:
        """Return whether a kept version names every patient that another of the same examinations names."""
        link = VERSION_EXAMINATIONS
        query = select(link.c.told).where(link.c.version == number).order_by(link.c.place)
        known = [json.loads(details).get("patient") for details in self.connection.execute(query).scalars()]
        patients = [self._patient_of(examination).get("patient") for examination in version.examinations]
        return all(new in (None, old) for new, old in zip(patients, known, strict=True))

    def _told_of(self, told: Examination) -> str:
        """JSON of what a version tells of an examination and its patient; a later one may differ, as after a merge."""
        return json.dumps({**_examination_details(told), **self._patient_of(told)})

    def _patient_of(self, told: Examination) -> dict[str, str]:
        """Patient of an examination, under the identifier that stands; nothing if it is not told."""
        if not told.patient:
            return {}
        return {"patient": standing(self.connection, told.site, patient_digest(self.secret, told.patient))}

    def _learn(self, told: Examination) -> int:
        """Keeps what is told of an examination beside what is known of it; its number."""
        news = {
            name: value for name, value in _examination_details(told).items() if value not in ("", None)
        } | self._patient_of(told)
        known = self._numbers([told.key])
        if known:
            number = known[0]
            if news:
                self.connection.execute(update(EXAMINATIONS).where(EXAMINATIONS.c.id == number).values(news))
            shown = {name: news[name] for name in _SHOWN if name in news}
            if shown:
                self.connection.execute(update(COMPARED).where(COMPARED.c.examination == number).values(shown))
        else:
            blank = dict.fromkeys(("patient", *_DESCRIBED, "performed"), "")
            row = {"site": told.site, "accession": told.accession, **blank, "age": None, "sex": None, **news}
            [number] = add_all(self.connection, EXAMINATIONS, [row])
        self._learn_remarks(number, told.context)
        return number

    def _learn_remarks(self, number: int, context: ClinicalContext) -> None:
        remarks = [context.indication, context.comparison]
        if remarks == [None, None]:
            return
        known = json.loads(self.texts.get(Owner.EXAMINATION, [number]).get(number, b"[null, null]"))
        joined = [new if new is not None else old for new, old in zip(remarks, known, strict=True)]
        if joined != known:
            self.texts.replace(Owner.EXAMINATION, number, json.dumps(joined).encode())

    def _links(self, numbers: Sequence[int]) -> dict[int, list[Row]]:
        """Links of versions to their examinations, in order, by version."""
        link, table = VERSION_EXAMINATIONS, EXAMINATIONS
        links: dict[int, list[Row]] = {}
        for chunk in chunks(numbers):
            query = select(link, table.c.site, table.c.accession).join(table, table.c.id == link.c.examination)
            for row in self.connection.execute(
                query.where(link.c.version.in_(chunk)).order_by(link.c.place)
            ).mappings():
                links.setdefault(row["version"], []).append(row)
        return links

    def _load(self, numbers: Sequence[int]) -> list[KeptVersion]:
        """The versions of these numbers that are there, oldest first."""
        rows: list[Row] = []
        for chunk in chunks(numbers):
            rows += self.connection.execute(select(VERSIONS).where(VERSIONS.c.id.in_(chunk))).mappings()
        links = self._links(numbers)
        bodies = self.texts.get(Owner.VERSION, numbers)
        return [
            _kept_version(row, links.get(row["id"], []), bodies.get(row["id"]))
            for row in sorted(rows, key=lambda row: row["id"])
        ]


def examinations_of(connection: Connection, texts: Texts, numbers: Iterable[int]) -> dict[int, Examination]:
    """Examinations as far as they are known, by number."""
    numbers = list(numbers)
    rows = [
        row
        for chunk in chunks(numbers)
        for row in connection.execute(select(EXAMINATIONS).where(EXAMINATIONS.c.id.in_(chunk))).mappings()
    ]
    remarks = texts.get(Owner.EXAMINATION, numbers)
    return {
        row["id"]: _examination(row["site"], row["accession"], row, json.loads(remarks.get(row["id"], b"[null, null]")))
        for row in rows
    }


def patient_digest(secret: bytes | None, patient: str) -> str:
    """Keyed digest that stands in place of a patient's identifier."""
    return keyed_digest(secret, "patient", patient.encode("utf-8", "surrogatepass"))


def find_numbered(found: Mapping[int, Any], number: int, kind: str) -> Any:
    """The entry with a number. Raises `NotFoundError` if there is none."""
    if number not in found:
        raise NotFoundError(f"there is no {kind} {number}")
    return found[number]


def _is_reversed(version: ReportVersion, known: Row, about: Sequence[Row]) -> bool:
    """Return whether a report was cancelled since a version of it or, if that cancels it, was sent since."""
    cancelled, filler = ReportStatus.CANCELLED, plain(version.filler)
    later = [row for row in about if row["id"] > known["id"]]
    if version.status is cancelled:
        return any(row["filler"] == filler or not filler for row in later)
    return any(row["filler"] in ("", filler) for row in later if row["status"] == cancelled.value)


def _key_as_stored(key: ExaminationKey) -> ExaminationKey:
    """A key as its columns give it back."""
    return ExaminationKey(plain(key.site), plain(key.accession))


def _lock_of(key: ExaminationKey) -> int:
    """A number of 63 bits for PostgreSQL's advisory locks; two that share one wait for each other in vain at worst."""
    encoded = json.dumps(asdict(key)).encode()
    return int(keyed_digest(b"overread", "lock", encoded)[:15], 16)


def _examination_details(examination: Examination) -> dict[str, Any]:
    """Details of an examination except its key, its patient and free text."""
    return {
        **{name: plain(getattr(examination, name)) for name in _DESCRIBED},
        "performed": examination.performed.isoformat() if examination.performed else "",
        "age": examination.context.age,
        "sex": examination.context.sex,
    }


def _statements(row: Row, links: Sequence[Row], merged: Mapping[tuple[str, str], Sequence[str]]) -> list[str]:
    """All that a row and its links say; with each identifier that was merged into a patient's in its place, too."""
    row_values = [row["id"], row["arrived"].astimezone(UTC).isoformat(), *(row[name] for name in _STATED)]
    link_details = [(link["site"], link["accession"], json.loads(link["told"])) for link in links]
    people = sorted({(site, details["patient"]) for site, _, details in link_details if "patient" in details})
    statements = []
    for names in islice(product(*((name, *merged.get((site, name), ())) for site, name in people)), _MOST_STATEMENTS):
        known = dict(zip(people, names, strict=True))
        about = [
            [site, accession, {**details, "patient": known.get((site, details.get("patient", "")), "")}]
            for site, accession, details in link_details
        ]
        statements.append(json.dumps([*row_values, about], sort_keys=True))
    return statements


def _body(version: ReportVersion) -> bytes:
    """The texts of a version: its own, and the remarks in it on each examination."""
    remarks = [[examination.context.indication, examination.context.comparison] for examination in version.examinations]
    return json.dumps([version.text.text, remarks]).encode()


def _kept_version(row: Row, links: Sequence[Row], body: bytes | None) -> KeptVersion:
    text, remarks = json.loads(body) if body is not None else ("", [[None, None]] * len(links))
    examinations = (
        _examination(link["site"], link["accession"], json.loads(link["told"]), remark)
        for link, remark in zip(links, remarks, strict=True)
    )
    return KeptVersion(
        number=row["id"],
        arrived=row["arrived"],
        has_text=body is not None,
        digest=row["digest"],
        patients=[json.loads(link["told"]).get("patient", "") for link in links],
        version=ReportVersion(
            examinations=tuple(examinations),
            status=ReportStatus(row["status"]),
            text=text,
            issued=_moment(row["issued"]),
            **{name: row[name] for name in ("reader", "model", "filler", "placer", "source", "message")},
        ),
    )


def _examination(site: str, accession: str, told: Row, remarks: Sequence[str | None]) -> Examination:
    indication, comparison = remarks
    return Examination(
        site=site,
        accession=accession,
        performed=_moment(told["performed"]),
        context=ClinicalContext(age=told["age"], sex=told["sex"], indication=indication, comparison=comparison),
        **{name: told[name] for name in _DESCRIBED},
    )


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
