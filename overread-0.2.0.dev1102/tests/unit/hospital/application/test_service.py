from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from overread.domain.vocabulary.severity import Importance
from overread.exceptions import InputError, PermissionDeniedError
from overread.hospital.application.requests import EvaluationRequest, PairState, ReceiptKind, Search
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, ReviewState, Verdict, VerdictKind
from overread.hospital.domain.version_pairs import Doubt, DoubtReason

from .hospital import ADMIN, REVIEWER, SUBMITTER, Words, hospital, pair, version


def test_a_preliminary_report_is_paired_with_its_final_one_scored_found_and_reviewed() -> None:
    """The whole way of one examination, from two messages to a review that the worklist shows."""
    service = hospital()
    first = version(ReportStatus.PRELIMINARY, "clear lungs", reader="resident")
    final = version(ReportStatus.FINAL, "clear lungs pneumothorax", reader="attending")

    [receipt] = service.ingest([first], by=SUBMITTER)
    assert (receipt.kind, receipt.pairs) == (ReceiptKind.STORED, ())
    [receipt] = service.ingest([final], by=SUBMITTER)
    [number] = receipt.pairs
    [row] = service.search(Search(), by=REVIEWER).rows
    assert (row.pair, row.state) == (number, PairState.WAITING)

    assert service.work(worker="one") == 1
    [row] = service.search(Search(importance=Importance.URGENT), by=REVIEWER).rows
    assert (row.reader, row.significant, row.findings) == ("resident", 1, ("pneumothorax",))
    assert row.risk == 1 / 3

    record = service.pair(number, by=REVIEWER)
    assert [found.finding for found in record.discrepancies] == ["pneumothorax"]
    assert record.proposed is Radpeer.EXPECTED_SIGNIFICANT
    signature = str(record.current["notation"].signature)
    service.review(
        number,
        by=REVIEWER,
        signature=signature,
        verdicts=[Verdict(discrepancy=0, kind=VerdictKind.AGREE)],
        radpeer=Radpeer.UNDERSTANDABLE_SIGNIFICANT,
    )
    [row] = service.search(Search(review=ReviewState.REVIEWED), by=REVIEWER).rows
    assert row.radpeer is Radpeer.UNDERSTANDABLE_SIGNIFICANT
    [review] = service.pair(number, by=REVIEWER).reviews
    assert review.proposed is Radpeer.EXPECTED_SIGNIFICANT

    actions = [event.action for event in service.audit_trail(by=ADMIN)]
    assert actions == ["ingest", "ingest", "search", "search", "read", "review", "search", "read", "audit"]


def test_requests_of_several_people_are_scored_at_once_and_each_is_answered_by_itself() -> None:
    """Who may not, or asks for too much, is told so; the others have the results that they would have had alone."""
    notation = Words("notation")
    service = hospital(metrics=[Words("radot"), notation])
    asked = [
        EvaluationRequest(pairs=[pair("1", "clear pneumothorax", "clear"), pair("2", "clear", "clear")], by=SUBMITTER),
        EvaluationRequest(pairs=[pair("1", "clear effusion", "clear")], by=REVIEWER),
        EvaluationRequest(pairs=[], by=SUBMITTER),
        EvaluationRequest(pairs=[pair("1", "clear effusion", "clear")], by=ADMIN),
    ]
    first, refused, empty, last = service.evaluate_together(asked)
    assert notation.asked == [("1", "2", "1")]
    assert [first, last] == [service.evaluate(each.pairs, by=each.by) for each in (asked[0], asked[3])]
    assert (type(refused), type(empty)) == (PermissionDeniedError, InputError)
    assert [(event.actor, dict(event.details)["pairs"]) for event in service.audit_trail(by=ADMIN)[:2]] == [
        (SUBMITTER.name, "2"),
        (ADMIN.name, "1"),
    ]


def test_nothing_asked_is_nothing_answered() -> None:
    """And nothing stands in the audit trail."""
    service = hospital()
    assert service.evaluate_together([]) == []
    assert [event.action for event in service.audit_trail(by=ADMIN)] == ["audit"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda service: service.evaluate([{"id": "1"}], by=SUBMITTER), "overread.ReportPair"),
        (lambda service: service.submit(pair("1", "a", "b"), by=SUBMITTER), "overread.ReportPair"),
        (lambda service: service.ingest([{"id": "1"}], by=SUBMITTER), "overread.ReportVersion"),
        (lambda service: service.ingest(version(ReportStatus.FINAL, "a"), by=SUBMITTER), "overread.ReportVersion"),
        (lambda _: Search(since=datetime(2026, 1, 2)), "since must be a time with a time zone"),  # noqa: DTZ001
        (lambda _: Search(until=datetime(2026, 1, 2)), "until must be a time with a time zone"),  # noqa: DTZ001
    ],
)
def test_what_is_of_the_wrong_kind_is_refused_with_what_to_give(
    call: Callable[[HospitalService], object], told: str
) -> None:
    """A host learns it from the error, not from an attribute that is missing inside, or from the store."""
    with pytest.raises(InputError, match=told):
        call(hospital())


def test_a_search_for_what_is_no_text_is_refused_where_it_is_written() -> None:
    """Before a database meets it."""
    wrong: Any = 3
    with pytest.raises(InputError, match="site"):
        Search(site=wrong)


def test_a_service_is_let_go_of_at_the_end_of_a_with_statement() -> None:
    """Whatever happens in it."""
    service, closed = hospital(), []
    service.store.close = lambda: closed.append(service)  # type: ignore[method-assign]

    def use() -> None:
        with service as same:
            same.evaluate([], by=SUBMITTER)

    with pytest.raises(InputError):
        use()
    assert closed == [service]


def test_what_is_not_compared_for_want_of_knowledge_is_told() -> None:
    """The receipt of a version in doubt says why it makes no pair, and so does the examination from then on."""
    service = hospital()
    service.ingest([version(ReportStatus.PRELIMINARY, "clear", filler="9")], by=SUBMITTER)
    addendum = version(ReportStatus.FINAL, "ADDENDUM: small effusion", filler="2")
    [receipt] = service.ingest([addendum], by=SUBMITTER)
    assert (receipt.pairs, receipt.doubts) == ((), (DoubtReason.OPENS_AS_ADDENDUM,))
    [final] = service.ingest([version(ReportStatus.FINAL, "clear", filler="1")], by=SUBMITTER)
    assert (len(final.pairs), final.doubts) == (1, ())
    told = service.examination(addendum.keys[0], by=REVIEWER)
    assert told.doubts == (Doubt(receipt.version, DoubtReason.OPENS_AS_ADDENDUM),)


def test_a_merge_is_in_the_trail_and_names_nobody() -> None:
    """With how many examinations changed hands; the same again changes none, and half a merge is refused."""
    service = hospital()
    service.ingest([version(ReportStatus.FINAL, "clear", patient="P2")], by=SUBMITTER)
    merge = PatientMerge(site="north", surviving="P1", merged="P2")
    assert [service.merge_patients([merge], by=SUBMITTER) for _ in range(2)] == [1, 0]
    with pytest.raises(InputError):
        service.merge_patients([merge, PatientMerge(site="north", surviving="P1", merged="")], by=SUBMITTER)
    back = PatientMerge(site="north", surviving="P2", merged="P1")
    receipts = service.record_merges([merge, back], by=SUBMITTER)
    assert [(each.kind, each.examinations, each.note) for each in receipts] == [
        (MergeKind.KNOWN, 0, "already merged; nothing changed"),
        (MergeKind.REVERSED, 0, "already merged the other way; nothing changed"),
    ]
    told = [event for event in service.audit_trail(by=ADMIN) if event.action == "merge"]
    assert [(event.subject, dict(event.details)) for event in told] == [
        ("patients", {"merges": "1", "examinations": "1"}),
        ("patients", {"merges": "1", "examinations": "0"}),
        ("patients", {"merges": "2", "examinations": "0", "reversed": "1"}),
    ]
    assert service.erase_patient("P1", by=ADMIN).examinations == 1
    assert "P2" not in repr(merge)


def test_what_comes_in_one_message_is_compared_as_a_whole() -> None:
    """A final that was split is joined at once, and no part of it is compared alone; each receipt has its own pairs."""
    service = hospital()
    receipts = service.ingest(
        [
            version(ReportStatus.PRELIMINARY, "clear", filler="9"),
            version(ReportStatus.FINAL, "effusion", filler="1"),
            version(ReportStatus.FINAL, "fracture", filler="2"),
            version(ReportStatus.PRELIMINARY, "clear", accession="B"),
            version(ReportStatus.FINAL, "nodule", accession="B"),
            version(ReportStatus.FINAL, "nodule", accession="B"),
        ],
        by=SUBMITTER,
    )
    assert [len(receipt.pairs) for receipt in receipts] == [0, 0, 1, 0, 1, 0]
    assert service.pair(receipts[2].pairs[0], by=REVIEWER).pair.reference == (2, 3)


def test_joined_reports_have_parts_by_their_examinations() -> None:
    """Two preliminary reports and one final on both: what each is about stays known, in the text as it is compared."""
    service = hospital()
    wrist, hip = (Examination(site="north", accession=number, procedure=f"XR {number}") for number in ("wrist", "hip"))
    receipts = service.ingest(
        [
            version(ReportStatus.PRELIMINARY, "broken", examinations=[wrist], filler="1"),
            version(ReportStatus.PRELIMINARY, "intact", examinations=[hip], filler="2"),
            version(ReportStatus.FINAL, "XR wrist:\nbroken\nXR hip:\nbroken", examinations=[wrist, hip], filler="3"),
        ],
        by=SUBMITTER,
    )
    [number] = {number for receipt in receipts for number in receipt.pairs}
    compared = service.pair(number, by=REVIEWER).report_pair
    assert compared is not None
    for report, expected in ((compared.candidate, ["intact", "broken"]), (compared.reference, ["broken", "broken"])):
        found = sorted(report.parts, key=lambda part: sorted(part.examinations))
        assert [report.text[part.start : part.end].split()[-1] for part in found] == expected


def test_a_report_on_more_examinations_than_anybody_reads_together_is_refused() -> None:
    """Each is locked and looked up, so that their number is bounded."""
    service = hospital()
    examinations = [Examination(site="north", accession=str(number)) for number in range(101)]
    service.ingest([version(ReportStatus.FINAL, "clear", examinations=examinations[1:])], by=SUBMITTER)
    with pytest.raises(InputError, match="more than 100 examinations"):
        service.ingest([version(ReportStatus.FINAL, "clear", examinations=examinations)], by=SUBMITTER)
