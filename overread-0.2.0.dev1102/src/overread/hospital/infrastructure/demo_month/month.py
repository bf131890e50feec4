"""The reports of the month, each with the time at which it came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.demo_month.tables import rows, toml

__all__ = ["Arrival", "MonthPlan", "Person", "hospital_month", "month_plan"]

_ON_THE_WAY: Final = timedelta(minutes=1)
"""Time from the issue of a report to its arrival."""


@frozen(kw_only=True)
class Arrival:
    """A version of a report, and when it came."""

    at: datetime
    version: ReportVersion = field(repr=False)


@frozen(kw_only=True)
class Person:
    """A reader or adjudicator, and the names by which reports name them."""

    name: str
    known_as: tuple[str, ...] = field(default=(), converter=in_tuple)


@frozen(kw_only=True)
class MonthPlan:
    """Plan of the month.

    Attributes:
        month: of the examinations, for example "2026-10".
        hospital: settings of the service: zones, groups of authors, and the period of reference of charts.
        silent_site, silent_day: where and when a feed was down; what was issued then never came.
        protocol: name of the reading protocol.
        sample, seed: size of the random sample that it reads, and what decides the draw and who reads what.
        per_pair: readers of each pair.
        readers, adjudicators: its people.
        read: when reading begins.
        after: when the month is over, and somebody looks at it.
    """

    month: str
    hospital: Mapping[str, Any]
    silent_site: str
    silent_day: date
    protocol: str
    sample: int
    seed: int
    per_pair: int
    readers: tuple[Person, ...] = field(converter=in_tuple)
    adjudicators: tuple[Person, ...] = field(converter=in_tuple)
    read: datetime
    after: datetime

    def zone_of(self, site: str) -> ZoneInfo:
        """The time zone of a site."""
        return ZoneInfo(self.hospital["site_zones"].get(site, self.hospital["zone"]))


@cache
def month_plan() -> MonthPlan:
    """The plan of the month."""
    table = toml("month.toml")
    people: dict[str, Any] = {
        task: [Person(**person) for person in table.pop(task)] for task in ("readers", "adjudicators")
    }
    return MonthPlan(**table, **people)


@cache
def hospital_month() -> tuple[Arrival, ...]:
    """All reports that came, the earliest first."""
    plan = month_plan()
    issued = (arrival for study in rows("studies.csv") for arrival in _versions(study, plan))
    came = [arrival for arrival in issued if not _is_lost(arrival, plan)]
    return tuple(sorted(came, key=lambda arrival: (arrival.at.astimezone(UTC), arrival.version.message)))


def _versions(study: Mapping[str, str], plan: MonthPlan) -> Iterator[Arrival]:
    performed = datetime.fromisoformat(study["performed"]).replace(tzinfo=plan.zone_of(study["site"]))
    examination = Examination(
        site=study["site"],
        accession=study["accession"],
        patient=f"PAT{study['accession']}",
        modality=study["modality"],
        procedure=study["procedure"],
        performed=performed,
    )
    early = ReportStatus(study["status"])
    authors = {
        early: {"model" if early is ReportStatus.DRAFT else "reader": study["author"]},
        ReportStatus.FINAL: {"reader": study["attending"]},
    }
    texts = {early: study["final"].replace(study["old"], study["new"], 1), ReportStatus.FINAL: study["final"]}
    minutes = {early: study["early_after"], ReportStatus.FINAL: study["final_after"]}
    for status, author in authors.items():
        issued = performed + timedelta(minutes=int(minutes[status]))
        yield Arrival(
            at=issued + _ON_THE_WAY,
            version=ReportVersion(
                examinations=[examination],
                status=status,
                text=texts[status],
                issued=issued,
                source="hl7",
                message=f"{study['accession']}-{status.value}",
                **author,
            ),
        )


def _is_lost(arrival: Arrival, plan: MonthPlan) -> bool:
    site = arrival.version.examinations[0].site
    return site == plan.silent_site and arrival.at.astimezone(plan.zone_of(site)).date() == plan.silent_day
