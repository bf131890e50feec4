"""Samples and rates through the service: kept with their weights, told in the audit trail, for reviewers."""

from __future__ import annotations

import pytest

from overread.exceptions import NotFoundError, PermissionDeniedError
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.requests import Search
from overread.hospital.application.sampling import SampleMethod, SamplePlan
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.report_version import ReportStatus

from ..hospital import ADMIN, REVIEWER, SUBMITTER, hospital, version


def _filled(count: int, discordant: int) -> HospitalService:
    service = hospital()
    for number in range(count):
        final = "clear lungs pneumothorax" if number < discordant else "clear lungs"
        told = {"accession": f"A{number}", "filler": f"F{number}"}
        service.ingest(
            [
                version(ReportStatus.PRELIMINARY, "clear lungs", **told),
                version(ReportStatus.FINAL, final, **told),
            ],
            by=SUBMITTER,
        )
    while service.work(worker="one"):
        pass
    return service


def test_a_sample_is_kept_and_found_with_its_weights() -> None:
    """Four of ten pairs at random stand for two and a half each; the same search and seed draw the same."""
    service = _filled(10, 3)
    sample = service.draw_sample(Search(), SamplePlan(size=4, seed=11), by=REVIEWER)
    assert sample.description == "4 of 10 pairs, at random, seed 11"
    rows = service.search(Search(sample=sample.number), by=REVIEWER).rows
    assert {row.pair: row.weight for row in rows} == {each.pair: each.weight for each in sample.pairs}
    assert {row.weight for row in rows} == {2.5}
    again = service.draw_sample(Search(), SamplePlan(size=4, seed=11), by=REVIEWER)
    assert (again.pairs, again.number != sample.number) == (sample.pairs, True)


def test_rates_of_all_and_of_a_sample() -> None:
    """Seven of ten are concordant; a sample by risk tells of ten pairs, as many as its weights sum to about."""
    service = _filled(10, 3)
    rates = service.rates(Search(), by=REVIEWER, groupings=[Grouping.SITE])
    assert rates.overall.pairs == 10
    assert rates.overall.concordant.value == pytest.approx(0.7)
    assert [group.name for group in rates.by(Grouping.SITE)] == ["north"]
    plan = SamplePlan(size=6, method=SampleMethod.RISK, seed=2)
    sample = service.draw_sample(Search(), plan, by=REVIEWER)
    drawn = service.rates(Search(sample=sample.number), by=REVIEWER)
    assert (drawn.sample, drawn.overall.pairs) == (sample.number, 6)
    assert drawn.overall.stands_for == pytest.approx(sum(each.weight for each in sample.pairs))


def test_a_sample_of_a_sample_stands_for_all() -> None:
    """Half of ten pairs, and of these two: each of the two stands for five."""
    service = _filled(10, 3)
    first = service.draw_sample(Search(), SamplePlan(size=5), by=REVIEWER)
    second = service.draw_sample(Search(sample=first.number), SamplePlan(size=2), by=REVIEWER)
    assert [each.weight for each in second.pairs] == [5.0, 5.0]
    assert {each.pair for each in second.pairs} <= {each.pair for each in first.pairs}


def test_both_are_for_reviewers_and_leave_events() -> None:
    """With what was asked for, never with the names that were typed into a search."""
    service = _filled(2, 0)
    service.draw_sample(Search(site="north"), SamplePlan(size=1, seed=5), by=REVIEWER)
    service.rates(Search(), by=REVIEWER)
    events = [event for event in service.audit_trail(by=ADMIN) if event.action in {"sample", "rates"}]
    assert [dict(event.details) for event in events] == [
        {"drawn": "1 of 2 pairs, at random, seed 5", "site": "given"},
        {"pairs": "2"},
    ]
    with pytest.raises(PermissionDeniedError):
        service.rates(Search(), by=SUBMITTER)
    with pytest.raises(PermissionDeniedError):
        service.draw_sample(Search(), SamplePlan(size=1), by=SUBMITTER)


def test_nothing_to_draw_from_and_no_such_sample() -> None:
    """Both are told, rather than an empty sample or the rates of nothing."""
    service = _filled(1, 0)
    with pytest.raises(NotFoundError, match="there are no pairs"):
        service.draw_sample(Search(site="nowhere"), SamplePlan(size=1), by=REVIEWER)
    with pytest.raises(NotFoundError):
        service.rates(Search(sample=99), by=REVIEWER)
