from __future__ import annotations

from overread.application.hospital.requests import PairState, ReceiptKind, Search
from overread.domain.hospital.report_version import ReportStatus
from overread.domain.hospital.review import Radpeer, ReviewState, Verdict, VerdictKind
from overread.domain.severity import Importance

from .hospital import ADMIN, REVIEWER, SUBMITTER, hospital, version


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
