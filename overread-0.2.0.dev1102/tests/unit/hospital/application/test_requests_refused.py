"""What the service does not take: it says what is wrong, never what it read, and keeps nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from attrs import evolve

from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.severity import Severity
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.requests import Refusal, Search
from overread.hospital.application.sampling import SamplePlan
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, Verdict, VerdictKind

from .hospital import ADMIN, NOON, REVIEWER, SUBMITTER, Clock, hospital, pair, version

SMALL = HospitalConfiguration(longest_report=20, largest_batch=2)
FINAL = version(ReportStatus.FINAL, "clear")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"examinations": ()}, "it names no examination"),
        ({"examinations": FINAL.examinations * 2}, "names an examination twice"),
        ({"examinations": (evolve(FINAL.examinations[0], site=""),)}, "has no site"),
        ({"examinations": (evolve(FINAL.examinations[0], accession="A1 "),)}, "blanks around it"),
        ({"examinations": (evolve(FINAL.examinations[0], patient="P1\u200b"),)}, "invisible character"),
        ({"filler": "\tF1"}, "blanks around it"),
        ({"examinations": (evolve(FINAL.examinations[0], accession="N/A"),)}, "a placeholder"),
        ({"examinations": (evolve(FINAL.examinations[0], accession="000"),)}, "a placeholder"),
        (
            {"examinations": [FINAL.examinations[0], evolve(FINAL.examinations[0], accession="A2", patient="P2")]},
            "belong to several patients",
        ),
        ({"text": "Secret " * 10}, "longer than 20 characters"),
        ({"text": "Secret\0"}, "NUL"),
        ({"text": "Secret\ud800"}, "half a surrogate pair"),
        ({"issued": datetime(2026, 11, 2)}, "a time has no time zone"),  # noqa: DTZ001 - that is the point
        ({"issued": datetime(9999, 12, 31, 23, tzinfo=timezone(-timedelta(hours=12)))}, "too early or too late"),
        ({"issued": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))}, "too early or too late"),
    ],
)
def test_an_unsound_version_is_refused_with_all_that_came_with_it(change: dict[str, Any], problem: str) -> None:
    """By its place in what was handed in; the sound one beside it is not kept either."""
    service = hospital(configuration=SMALL)
    with pytest.raises(InputError, match=problem) as caught:
        service.ingest([FINAL, evolve(FINAL, **change)], by=SUBMITTER)
    assert caught.value.rows == (2,)
    assert "Secret" not in str(caught.value)
    with pytest.raises(NotFoundError):
        service.examination(FINAL.keys[0], by=REVIEWER)


@pytest.mark.parametrize("name", ["kind", "importance", "severity", "category", "state", "review", "radpeer", "order"])
def test_a_search_word_that_there_is_not_is_refused_with_those_there_are(name: str) -> None:
    """It would find nothing, or everything, without a word."""
    wrong: Any = {name: "secret"}
    with pytest.raises(InputError, match=f"{name}: is not .*with one of the words") as caught:
        Search(**wrong)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong", [{"limit": 0}, {"limit": 501}, {"limit": "9"}, {"since": "2026-11-01"}, {"until": NOON.date()}]
)
def test_a_search_out_of_its_bounds_is_refused_where_it_is_written(wrong: dict[str, Any]) -> None:
    """With the name of what is wrong."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        Search(**wrong)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda word: version(word, "clear"), "status: is not one of ReportStatus.*preliminary, partial, final"),
        (lambda word: Verdict(discrepancy=0, kind=word), "kind: is not one of VerdictKind.*agree, disagree, amend"),
        (
            lambda word: Verdict(discrepancy=0, kind=VerdictKind.AMEND, severity=word),
            "severity: is not one of Severity",
        ),
        (lambda word: SamplePlan(size=1, method=word), "method: is not one of SampleMethod.*random, risk, stratified"),
        (lambda word: SamplePlan(size=1, by=word), "by: is not one of Grouping"),
        (
            lambda word: hospital().review(1, by=REVIEWER, signature="", radpeer=word),
            "radpeer: is not one of Radpeer.*1, 2a",
        ),
        (
            lambda word: hospital().rates(Search(), by=REVIEWER, groupings=[word]),
            "groupings: is not one of Grouping.*site",
        ),
        (lambda word: evolve(FINAL, text=word.encode()), "text: is not text"),
    ],
)
def test_a_word_that_there_is_not_is_refused_where_it_is_given(made: Callable[[Any], object], told: str) -> None:
    """With the words there are, rather than kept, or told as something else."""
    with pytest.raises(InputError, match=told):
        made("risky")


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ([], "0 pairs; 1 to 2"),
        ([pair(str(each), "a", "b") for each in range(3)], "3 pairs; 1 to 2"),
        ([pair("1", "a", "b"), pair("1", "c", "d")], "ids are used for more than one pair"),
        ([pair("1", "Secret " * 10, "b")], "longer than 20 characters"),
        ([pair("1", "a", "Secret\0")], "NUL"),
    ],
)
def test_an_unsound_batch_is_refused_whole(pairs: Sequence[ReportPair], problem: str) -> None:
    """Nothing of it waits."""
    service = hospital(configuration=SMALL)
    with pytest.raises(InputError, match=problem) as caught:
        service.submit(pairs, by=SUBMITTER)
    assert "Secret" not in str(caught.value)
    assert service.search(Search(), by=REVIEWER).total == 0


def test_a_key_stands_for_one_batch_of_one_submitter() -> None:
    """Other pairs under the same key are a mistake of the sender; another sender may have chosen the same word."""
    service = hospital()
    first = service.submit([pair("1", "a", "b")], by=SUBMITTER, key="k")
    with pytest.raises(InputError, match="the key was used for another batch"):
        service.submit([pair("1", "a", "c")], by=SUBMITTER, key="k")
    other = Actor(name="other", roles=frozenset({Role.SUBMITTER}))
    assert service.submit([pair("1", "a", "c")], by=other, key="k").number != first.number


def _scored() -> tuple[HospitalService, str]:
    """A hospital with pair 1, which has one discrepancy, and the signature of it."""
    service = hospital(configuration=SMALL)
    service.submit([pair("1", "clear pneumothorax", "clear")], by=SUBMITTER)
    service.work(worker="one")
    return service, str(service.pair(1, by=REVIEWER).current["notation"].signature)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({}, "review is empty"),
        ({"comment": "  "}, "review is empty"),
        ({"verdicts": [Verdict(discrepancy=1, kind=VerdictKind.AGREE)]}, "not among the 1"),
        ({"verdicts": [Verdict(discrepancy=-1, kind=VerdictKind.AGREE)]}, "not among the 1"),
        ({"verdicts": [Verdict(discrepancy=0, kind=VerdictKind.DISAGREE)]}, "needs a reason"),
        ({"verdicts": [Verdict(discrepancy=None, kind=VerdictKind.AGREE)]}, "must be an amendment"),
        ({"verdicts": [Verdict(discrepancy=0, kind=VerdictKind.AGREE)] * 2}, "more than one verdict"),
        (
            {"verdicts": [Verdict(discrepancy=0, kind=VerdictKind.AGREE, severity=Severity.INSIGNIFICANT)]},
            "only an amendment",
        ),
        (
            {"verdicts": [Verdict(discrepancy=None, kind=VerdictKind.AMEND, finding="Secret 3 mm", reason="x")]},
            "by its id",
        ),
        ({"comment": "Secret " * 10}, "longer than 20 characters"),
        ({"comment": "Secret\0"}, "NUL"),
    ],
)
def test_a_review_that_makes_no_sense_is_refused(said: dict[str, Any], problem: str) -> None:
    """And the pair stays open."""
    service, signature = _scored()
    with pytest.raises(InputError, match=problem) as caught:
        service.review(1, by=REVIEWER, signature=signature, **said)
    assert "Secret" not in str(caught.value)
    assert service.pair(1, by=REVIEWER).reviews == ()


def test_a_review_is_of_discrepancies_that_were_looked_at() -> None:
    """Under the signature of notation's result; any other has no discrepancies to speak of."""
    service, signature = _scored()
    for other in ("notation|version:0", signature.replace("notation", "radot")):
        with pytest.raises(NotFoundError, match="no result of notation"):
            service.review(1, by=REVIEWER, signature=other, radpeer=Radpeer.CONCUR)


def test_a_patient_without_an_identifier_is_nobody() -> None:
    """An empty identifier would stand for everybody whose identifier was not told."""
    service = hospital()
    service.ingest([version(ReportStatus.FINAL, "clear", patient="")], by=SUBMITTER)
    with pytest.raises(InputError):
        service.erase_patient("", by=ADMIN)


@pytest.mark.parametrize("odd", ["P2 ", "P\x002", "P\ud8002"])
def test_an_identifier_that_cannot_be_found_again_is_not_merged(odd: str) -> None:
    """Nor one that no store takes: it is refused, as it is in a report."""
    for merge in (
        PatientMerge(site="north", surviving="P1", merged=odd),
        PatientMerge(site=odd, surviving="P1", merged="P3"),
    ):
        with pytest.raises(InputError, match="an identifier has blanks around it or an invisible character"):
            hospital().record_merges([merge], by=SUBMITTER)


def test_a_patient_is_not_merged_with_themselves() -> None:
    """One of the two identifiers was mistyped; nothing says so later."""
    with pytest.raises(InputError, match="both identifiers of a merge are the same"):
        hospital().merge_patients([PatientMerge(site="north", surviving="P1", merged="P1")], by=SUBMITTER)


def test_refused_messages_are_told_newest_first() -> None:
    """With what the sender needs to mend them."""
    service = hospital()
    told = [
        Refusal(at=NOON, source="hl7", message=str(each), reason="status", detail="OBR-25 is not known")
        for each in range(3)
    ]
    for refusal in told:
        service.refuse(refusal)
    assert list(service.refusals(by=REVIEWER, limit=2)) == told[:0:-1]


def test_retention_deletes_what_is_old_and_leaves_the_rest() -> None:
    """Examinations by their last version, given pairs by when they were given; the event tells numbers alone."""
    clock = Clock()
    configuration = HospitalConfiguration(keep_data=timedelta(days=30), keep_texts=timedelta(days=10))
    service = hospital(clock=clock, configuration=configuration)
    service.ingest([version(ReportStatus.FINAL, "old")], by=SUBMITTER)
    service.submit([pair("1", "a", "b")], by=SUBMITTER)
    service.work(worker="one")
    clock.move(days=15)
    service.ingest([version(ReportStatus.FINAL, "new", accession="A2")], by=SUBMITTER)
    erased = service.retain(by=ADMIN)
    assert (erased.examinations, erased.texts) == (0, 2)
    clock.move(days=20)
    erased = service.retain(by=ADMIN)
    assert (erased.examinations, erased.versions, erased.pairs, erased.results) == (1, 1, 1, 2)
    assert service.examination(version(ReportStatus.FINAL, "", accession="A2").keys[0], by=REVIEWER).versions
    assert service.audit_trail(by=ADMIN)[-3].action == "retain"


def test_refusals_go_when_examinations_do() -> None:
    """They may name messages and files; without a retention they stay."""
    clock = Clock()
    service = hospital(clock=clock, configuration=HospitalConfiguration(keep_data=timedelta(days=30)))
    told = [
        Refusal(at=NOON + timedelta(days=day), source="folder", message="day.csv", reason="bad-rows", detail="row 1")
        for day in (0, 20)
    ]
    for refusal in told:
        service.refuse(refusal)
    clock.move(days=35)
    service.retain(by=ADMIN)
    assert list(service.refusals(by=REVIEWER)) == told[1:]
    assert ("refusals", "1") in service.audit_trail(by=ADMIN)[-2].details
