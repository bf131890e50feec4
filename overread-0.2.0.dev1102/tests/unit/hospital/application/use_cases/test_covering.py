"""Coverage as a reviewer asks for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from overread.exceptions import InputError, PermissionDeniedError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.coverage import FeedCounts, RefusedHour, hours_in_zones
from overread.hospital.application.requests import Refusal
from overread.hospital.application.use_cases.covering import OPEN_AFTER
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.report_version import ReportStatus

from ..hospital import ADMIN, NOON, REVIEWER, SUBMITTER, Clock, hospital, version

_KOLKATA = HospitalConfiguration(site_zones={"north": "Asia/Kolkata"}, zone="Europe/Berlin")


def test_a_feed_is_told_with_its_hours_in_its_zone() -> None:
    """Half an hour off UTC, too; what lacks a counterpart counts once it is old enough."""
    clock = Clock()
    service = hospital(configuration=_KOLKATA, clock=clock)
    service.ingest([version(ReportStatus.PRELIMINARY, "clear", accession="A1")], by=SUBMITTER)
    clock.move(minutes=20)
    service.ingest([version(ReportStatus.FINAL, "clear lungs", accession="A1")], by=SUBMITTER)
    clock.move(minutes=20)
    service.ingest([version(ReportStatus.FINAL, "clear lungs", accession="A2")], by=SUBMITTER)
    service.ingest([version(ReportStatus.PRELIMINARY, "clear lungs", accession="A3")], by=SUBMITTER)
    service.refuse(Refusal(at=clock(), source="hl7", message="m", reason="no-text", detail="d"))
    coverage = service.coverage(by=REVIEWER, until=clock() + timedelta(hours=1))
    [feed] = coverage.feeds
    assert (feed.site, feed.zone, feed.last, feed.silent_since) == ("north", "Asia/Kolkata", clock(), None)
    assert (feed.versions, feed.pairs, feed.finals_alone, feed.preliminaries_open) == (4, 1, 1, 0)
    hours = [(hour.hour.isoformat(), hour.versions, hour.pairs) for hour in coverage.hours]
    assert hours == [("2026-11-02T17:00:00+05:30", 2, 1), ("2026-11-02T18:00:00+05:30", 2, 0)]
    [refused] = coverage.refused
    berlin = datetime.fromisoformat("2026-11-02T13:00:00+01:00")
    assert (refused.hour.isoformat(), refused.hour) == ("2026-11-02T13:00:00+01:00", berlin)
    assert refused == RefusedHour(door="hl7", hour=refused.hour, reason="no-text", messages=1)
    clock.move(days=OPEN_AFTER.days, minutes=1)
    assert service.coverage(by=REVIEWER).feeds[0].preliminaries_open == 1
    assert service.coverage(by=REVIEWER, open_after=timedelta(days=4)).feeds[0].preliminaries_open == 0
    assert service.coverage(by=REVIEWER, lasting=timedelta(hours=1)).hours == ()


def test_an_hour_that_clocks_show_twice_is_two() -> None:
    """On 25 October 2026 in Berlin, two o'clock in summer and in winter."""
    quarters = [datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    counts = [FeedCounts(feed=Feed("hl7", "north"), quarter=quarter, versions=1) for quarter in quarters]
    zone = HospitalConfiguration(zone="Europe/Berlin").zone_of("north")
    hours = [hour.hour.isoformat() for hour in hours_in_zones(counts, {}, zone)]
    assert hours == ["2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"]


def test_a_window_that_is_none_is_refused() -> None:
    """Empty, too long, without a zone, or with an age below nothing."""
    service = hospital()
    for wrong in (
        {"since": NOON, "until": NOON},
        {"since": NOON - timedelta(days=93), "until": NOON},
        {"lasting": timedelta(days=10**6)},
        {"since": NOON.replace(tzinfo=None)},
        {"open_after": timedelta(days=-1)},
    ):
        with pytest.raises(InputError):
            service.coverage(by=REVIEWER, **wrong)


def test_only_reviewers_see_coverage_and_leave_an_event() -> None:
    """A submitter does not."""
    service = hospital()
    with pytest.raises(PermissionDeniedError):
        service.coverage(by=SUBMITTER)
    service.coverage(by=REVIEWER)
    assert [event.action for event in service.audit_trail(by=ADMIN)][-2:] == ["coverage", "audit"]
