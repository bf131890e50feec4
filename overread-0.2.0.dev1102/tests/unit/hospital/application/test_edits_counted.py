"""Edits of near copies in rows, rates and the record of a pair."""

from __future__ import annotations

from overread.domain.differences.edits import Edits, EditType
from overread.hospital.application.requests import Search
from overread.hospital.domain.report_version import ReportStatus

from .hospital import REVIEWER, SUBMITTER, hospital, version

_SAME = "Heart normal. Lungs clear. No effusion."


def test_a_scored_near_copy_has_its_edits_everywhere() -> None:
    """In its record, in its row and in rates; a pair that was dictated anew has none and counts in none."""
    service = hospital()
    for accession, first, final in (
        ("A1", f"{_SAME} Trachea midline.", f"{_SAME} Trachea in the midline."),
        ("A2", "Clear.", "Small pneumothorax on the left."),
    ):
        for status, text in ((ReportStatus.PRELIMINARY, first), (ReportStatus.FINAL, final)):
            service.ingest([version(status, text, accession=accession)], by=SUBMITTER)
    assert service.rates(Search(), by=REVIEWER).edits == ()
    service.work(worker="w")
    rows = {row.examination.accession: row for row in service.search(Search(), by=REVIEWER).rows}
    assert rows["A1"].edits == dict.fromkeys(EditType, 0) | {EditType.STYLE: 1}
    assert rows["A2"].edits is None
    edits = service.pair(rows["A1"].pair, by=REVIEWER).edits
    assert edits == Edits(types=(None,) * len(edits.types), style=1) if edits is not None else False
    assert service.pair(rows["A2"].pair, by=REVIEWER).edits is None
    rates = service.rates(Search(), by=REVIEWER)
    assert [(rate.type, rate.edits, rate.pairs, rate.near_copies) for rate in rates.edits] == [
        (kind, 1.0 if kind is EditType.STYLE else 0.0, 1.0 if kind is EditType.STYLE else 0.0, 1.0) for kind in EditType
    ]
    table = rates.tabulation().tables[-1]
    assert (table.name, table.rows[-1]) == ("edits", ("style", 1.0, 1.0, 1.0, 1.0))
