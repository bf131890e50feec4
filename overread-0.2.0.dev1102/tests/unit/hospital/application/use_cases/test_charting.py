"""Charts, cases, flags and the report of a month through the service: for reviewers, and told in the audit trail."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.cases import CaseOutcome, CaseState
from overread.hospital.application.charts import ChartPlan
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.requests import Search
from overread.hospital.application.sampling import SamplePlan
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.reading import ProtocolReader
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer
from overread.hospital.infrastructure.exchange.registry import radpeer_csv

from ..hospital import ADMIN, NOON, REVIEWER, SUBMITTER, hospital, version

_UNTIL = NOON + timedelta(hours=120)
_SETTINGS = HospitalConfiguration(reference_until=_UNTIL, chart_odds=3.0, chart_run_length=500.0, zone="Europe/Berlin")


def _filled(pattern: str, *, start: int = 0, service: HospitalService | None = None) -> HospitalService:
    """A pair an hour from noon on 2 November: "d" is discordant."""
    service = service or hospital(configuration=_SETTINGS)
    for number, letter in enumerate(pattern, start):
        final = "clear lungs pneumothorax" if letter == "d" else "clear lungs"
        performed = NOON + timedelta(hours=number)
        about = (
            Examination(site="north", accession=f"A{number}", patient=f"P{number}", modality="CR", performed=performed),
        )
        told: dict[str, Any] = {"filler": f"F{number}", "examinations": about}
        service.ingest(
            [version(ReportStatus.PRELIMINARY, "clear lungs", **told), version(ReportStatus.FINAL, final, **told)],
            by=SUBMITTER,
        )
    while service.work(worker="one"):
        pass
    return service


@pytest.fixture(scope="module")
def charted() -> HospitalService:
    """Of a reference of one in ten, and then a run of discordant pairs; tests that change it take their own."""
    return _filled(("." * 9 + "d") * 12 + "." * 5 + "d" * 6)


def test_an_alarm_opens_one_case_which_a_person_closes(charted: HospitalService) -> None:
    """Looking again opens nothing; the words of who closes it are kept with it, and the trail tells of both."""
    charts = charted.charts(Search(), by=REVIEWER)
    opened = charted.alarms(by=REVIEWER)
    assert {case.alarm for case in opened} <= set(charts.alarms)
    assert {case.alarm.chart for case in opened} == {"discordance/site/north", "major/site/north"}
    assert charted.alarms(by=REVIEWER) == ()
    closed = charted.close_case(1, by=REVIEWER, outcome=CaseOutcome.CHANGE, why="A new template.")
    assert (closed.state, closed.closed_by, closed.why) == (CaseState.CLOSED, "lead", "A new template.")
    assert charted.cases(by=REVIEWER, state=CaseState.CLOSED) == (closed,)
    assert len(charted.cases(by=REVIEWER)) == len(opened)
    with pytest.raises(InputError, match="case 1 is closed"):
        charted.close_case(1, by=REVIEWER, outcome=CaseOutcome.CHANCE)
    with pytest.raises(NotFoundError):
        charted.close_case(99, by=REVIEWER, outcome=CaseOutcome.CHANCE)
    told = [(event.action, event.subject) for event in charted.audit_trail(by=ADMIN, limit=10_000)]
    assert {("open-case", "case:1"), ("close-case", "case:1")} <= set(told)
    assert charted.alarms(by=REVIEWER) == ()


def test_a_plan_of_ones_own_stands_in_the_place_of_the_settings(charted: HospitalService) -> None:
    """Without an end of the reference no site has a chart."""
    charts = charted.charts(Search(), by=REVIEWER, plan=ChartPlan())
    assert charts.charts == ()
    assert {each.reason for each in charts.uncharted} == {"no period of reference is set"}
    with pytest.raises(InputError, match="leave sample"):
        charted.charts(Search(sample=1), by=REVIEWER)


def test_a_months_report_is_of_its_examinations(charted: HospitalService) -> None:
    """November has all pairs, December none; the trend is that of months that have any."""
    report = charted.monthly_report("2026-11", by=REVIEWER)
    assert (report.rates.overall.pairs, [group.name for group in report.trend]) == (131, ["2026-11"])
    assert [group.name for group in report.rates.by(Grouping.MODALITY)] == ["CR"]
    assert report.alarms
    assert (report.flags, report.no_flags) == (None, "no reviewed sample was named")
    before = charted.monthly_report("2026-10", by=REVIEWER)
    assert (before.rates.overall.pairs, before.trend, before.alarms) == (0, (), ())
    for month in ("2026-13", "November", "2026-11-02"):
        with pytest.raises(InputError):
            charted.monthly_report(month, by=REVIEWER)


def test_what_a_flag_is_worth_needs_a_sample_that_was_reviewed() -> None:
    """Not reviewed, it is refused; reviewed, it tells sensitivity and more, and the report of the month has it."""
    service = _filled("d" * 12 + "." * 18)
    with pytest.raises(InputError, match="from a drawn sample alone"):
        service.flag_worth(Search(), by=REVIEWER)
    sample = service.draw_sample(Search(), SamplePlan(size=30), by=REVIEWER).number
    with pytest.raises(InputError, match="30 of its 30 scored pairs"):
        service.flag_worth(Search(sample=sample), by=REVIEWER)
    assert "30 of its 30" in service.monthly_report("2026-11", by=REVIEWER, sample=sample).no_flags
    for number in range(1, 31):
        [signature] = [str(each.signature) for each in service.pair(number, by=REVIEWER).current.values()][1:]
        score = Radpeer.EXPECTED_SIGNIFICANT if number <= 10 else Radpeer.CONCUR
        service.review(number, by=REVIEWER, signature=signature, radpeer=score)
    worth = service.flag_worth(Search(sample=sample), by=REVIEWER, pairs_a_day=100.0)
    urgent = worth.flags[0]
    assert (urgent.sensitivity.value, urgent.specificity.value) == (1.0, 0.9)
    assert urgent.ppv.value == pytest.approx(10 / 12)
    assert urgent.load.value == pytest.approx(40.0)
    report = service.monthly_report("2026-11", by=REVIEWER, sample=sample)
    assert report.flags is not None
    assert report.flags.flags[0].ppv == urgent.ppv
    with pytest.raises(InputError, match="min_risk would choose pairs by what is to be measured"):
        service.flag_worth(Search(sample=sample, min_risk=0.5), by=REVIEWER)
    counts = service.radpeer_counts(Search(), by=REVIEWER)
    assert [(each.month, each.site, each.modality, each.pairs, each.reviewed) for each in counts] == [
        ("2026-11", "north", "CR", 30, 30)
    ]
    assert list(radpeer_csv(counts)) == [
        "month,site,modality,pairs,reviewed,1,2a,2b,3a,3b\r\n",
        "2026-11,north,CR,30,30,20,0,0,0,10\r\n",
    ]


def test_a_patients_erasure_takes_what_was_said_of_their_case() -> None:
    """The case stays with its numbers; the words, which may quote a report, go."""
    service = _filled(("." * 9 + "d") * 12 + "." * 5 + "d" * 6)
    case = service.alarms(by=REVIEWER)[0]
    service.close_case(case.number, by=REVIEWER, outcome=CaseOutcome.CASES, why="Trauma week.")
    service.erase_patient("P0", by=ADMIN)
    assert _words(service, case.number) == "Trauma week."
    service.erase_patient(f"P{case.alarm.pair - 1}", by=ADMIN)
    assert _words(service, case.number) == ""
    [kept] = [each for each in service.cases(by=REVIEWER) if each.number == case.number]
    assert (kept.alarm, kept.outcome) == (case.alarm, CaseOutcome.CASES)


def _words(service: HospitalService, number: int) -> str:
    return next(each.why for each in service.cases(by=REVIEWER) if each.number == number)


def test_a_blinded_reader_learns_nothing_of_their_pairs_from_cases_and_counts() -> None:
    """Neither the pair at which an alarm was raised nor one before it; whoever does not read them sees all."""
    service = _filled(("." * 9 + "d") * 12 + "." * 5 + "d" * 6)
    case = service.alarms(by=REVIEWER)[0]
    raised, before = case.alarm.pair, case.alarm.pairs[-2]
    ann, ben = (Actor(name=name, roles={Role.REVIEWER}) for name in ("ann", "ben"))
    for name, reader, pair in (("raised", ann, raised), ("before", ben, before)):
        plan = ProtocolPlan(name=name, readers=[ProtocolReader(name=reader.name)], per_pair=1, pairs=[pair])
        service.create_protocol(plan, by=ADMIN)
    assert raised not in {each.alarm.pair for each in service.cases(by=ann)}
    with pytest.raises(NotFoundError):
        service.close_case(case.number, by=ann, outcome=CaseOutcome.CHANCE)
    [seen] = [each for each in service.cases(by=ben) if each.number == case.number]
    assert raised in seen.alarm.pairs
    assert before not in {*seen.alarm.pairs, *seen.alarm.events}
    everything = [each for each in service.cases(by=REVIEWER) if each.number == case.number]
    assert everything == [case]
    [all_pairs] = service.radpeer_counts(Search(), by=REVIEWER)
    [not_theirs] = service.radpeer_counts(Search(), by=ann)
    assert not_theirs.pairs == all_pairs.pairs - 1
