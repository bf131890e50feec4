from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from overread.hospital.application.coverage import Coverage, FeedHour
from overread.hospital.bootstrap.demo_month import MonthClock, silent_days
from overread.hospital.domain.reading import ReadingTask
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.demo_month import hospital_month, month_plan, month_readings
from overread.hospital.infrastructure.demo_month.tables import rows


def test_three_sites_send_reports_of_one_month() -> None:
    """Some 900 examinations, each with one early report and one final one of 25 to 60 words."""
    studies = rows("studies.csv")

    assert len({study["accession"] for study in studies}) == len(studies)
    assert 900 < len(studies) < 1000
    assert {study["performed"][:7] for study in studies} == {month_plan().month}
    assert {study["site"] for study in studies} == {"NORTH", "SOUTH", "COAST"}
    assert all(25 <= len(study["final"].split()) <= 60 for study in studies)


def test_each_error_stands_in_one_place_of_its_report() -> None:
    """What an early report has otherwise can be put in without doubt, and those without an error are the same."""
    for study in rows("studies.csv"):
        if study["truth"] == "same":
            assert study["old"] == study["new"] == ""
        else:
            assert study["final"].count(study["old"]) == 1
            assert study["old"] != study["new"]


def test_versions_come_in_order_and_none_on_the_silent_day() -> None:
    """A feed that was down sends nothing later either."""
    plan, arrivals = month_plan(), hospital_month()
    assert list(arrivals) == sorted(arrivals, key=lambda arrival: arrival.at.astimezone(UTC))
    days = {arrival.at.date() for arrival in arrivals if arrival.version.examinations[0].site == plan.silent_site}
    assert plan.silent_day not in days
    assert {plan.silent_day - timedelta(days=1), plan.silent_day + timedelta(days=1)} <= days


def test_models_draft_and_people_sign() -> None:
    """Three versions of models write the drafts, and no model a preliminary or a final report."""
    versions = [arrival.version for arrival in hospital_month()]
    models = {version.model for version in versions if version.status is ReportStatus.DRAFT}

    assert models == {"A 1.0", "A 1.1", "B 2.0"}
    assert all(bool(version.model) is (version.status is ReportStatus.DRAFT) for version in versions)
    assert all(bool(version.reader) is not bool(version.model) for version in versions)


def test_each_pair_of_the_sample_is_read_twice_and_decided_where_readers_differ() -> None:
    """By four readers in equal shares, and one adjudicator."""
    plan, said = month_plan(), month_readings()
    read = Counter(reading.accession for reading in said if reading.task is ReadingTask.READING)
    decided = [reading for reading in said if reading.task is ReadingTask.ADJUDICATION]
    loads = Counter(reading.reader for reading in said if reading.task is ReadingTask.READING)

    assert (len(read), set(read.values())) == (plan.sample, {plan.per_pair})
    assert {reading.reader for reading in decided} == {person.name for person in plan.adjudicators}
    assert set(loads) == {person.name for person in plan.readers}
    assert max(loads.values()) - min(loads.values()) <= 1


def test_the_clock_stands_until_it_is_let_go() -> None:
    """Reports come at their hours, and whoever looks at the month has a clock that goes."""
    moment = datetime(2026, 10, 1, 8, tzinfo=UTC)
    clock = MonthClock(moment)
    assert clock() == clock() == moment
    clock.stand_at(moment + timedelta(days=1))
    assert clock() == moment + timedelta(days=1)
    clock.go_from(moment)
    first = clock()
    assert moment <= first <= clock()
    assert clock() < moment + timedelta(minutes=1)


@pytest.mark.parametrize(("days", "silent"), [((1, 2, 4), (3,)), ((1, 2, 3), ()), ((5,), ()), ((), ())])
def test_silent_days_are_those_between_the_first_and_the_last(days: tuple[int, ...], silent: tuple[int, ...]) -> None:
    """A site is not silent before it begins, nor after it ends."""
    first = datetime(2026, 10, 1, tzinfo=UTC)
    hours = [FeedHour(door="hl7", site="S", hour=first.replace(day=day), messages=1) for day in days]
    coverage = Coverage(since=first, until=first + timedelta(days=9), feeds=[], hours=hours, refused=[], near_misses=[])
    assert [day.day for _, day in silent_days(coverage)] == list(silent)
