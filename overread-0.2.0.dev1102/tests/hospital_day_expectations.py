"""What must come of the invented day, as it was written down by hand before any of it was run."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from attrs import field, frozen

from overread.hospital.application.requests import PairRecord, Search, Withdrawn
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.demo_day import hospital_day
from overread.hospital.infrastructure.demo_day.cases import Truth

_HERE: Final = Path(__file__).parent / "data" / "hospital_day"


@frozen(order=True)
class ExpectedPair:
    """A pair that a radiologist expects: its messages by name, in the order of accession numbers on each side."""

    kind: PairKind
    accessions: tuple[str, ...]
    candidate: tuple[str, ...]
    reference: tuple[str, ...]
    differs: Truth = field(eq=False, order=False)


@frozen(order=True)
class ExpectedRefusal:
    """A message, or a file of the folder, that must be refused."""

    channel: str
    message: str
    why: str = field(eq=False, order=False)


@cache
def expected_pairs() -> tuple[ExpectedPair, ...]:
    """Every pair of the day."""
    return tuple(
        ExpectedPair(
            kind=PairKind(row["kind"]),
            accessions=tuple(row["accessions"].split("+")),
            candidate=tuple(row["candidate"].split("+")),
            reference=tuple(row["reference"].split("+")),
            differs=Truth(row["differs"]),
        )
        for row in _rows("expected_pairs.csv")
    )


def expected_refusals() -> list[ExpectedRefusal]:
    """Every refusal of the day."""
    return [ExpectedRefusal(**row) for row in _rows("expected_refusals.csv")]


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((_HERE / name).read_text(encoding="utf-8").splitlines()))


def found_pairs(service: HospitalService, by: Actor) -> dict[int, ExpectedPair]:
    """The pairs of versions that a service has, by number and in the words of the list, which says what differs."""
    names = _names()
    rows = service.export(Search(withdrawn=Withdrawn.ALSO), by=by)
    records = [service.pair(row.pair, by=by) for row in rows]
    return {record.number: _told(record, names) for record in records}


def _told(record: PairRecord, names: Mapping[_Trace, str]) -> ExpectedPair:
    told = {kept.number: names[trace(kept.version)] for kept in record.versions}
    accessions = {examination.accession for kept in record.versions for examination in kept.version.examinations}
    return ExpectedPair(
        kind=record.pair.kind,
        accessions=tuple(sorted(accessions)),
        candidate=tuple(told[number] for number in record.pair.candidate),
        reference=tuple(told[number] for number in record.pair.reference),
        differs=Truth.SAME,
    )


_Trace = tuple[object, ...]


def _names() -> dict[_Trace, str]:
    """Names of messages by what every way preserves."""
    return {trace(each.version): each.name for each in hospital_day() if not each.fault and not each.file}


def trace(version: ReportVersion) -> _Trace:
    """What every way of sending preserves of a version, and no two versions of the day have in common."""
    keys = tuple(sorted(version.keys))
    return keys, version.status, version.model, version.filler, version.issued
