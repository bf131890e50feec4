"""Which versions of one examination are of one patient."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from overread.hospital.domain.examination import Examination
from overread.hospital.domain.pairing_rules import doubts_of, pairs_of, withdrawn_of
from overread.hospital.domain.patients import by_patient
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.version_pairs import DoubtReason

_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
P, F, C, X = ReportStatus.PRELIMINARY, ReportStatus.FINAL, ReportStatus.CORRECTED, ReportStatus.CANCELLED


def _kept(*told: tuple[ReportStatus, str, str]) -> list[KeptVersion]:
    """Versions an hour after each other: status, accession numbers and the patient of each."""
    return [
        KeptVersion(
            number=number,
            arrived=_NOON + timedelta(hours=number),
            version=ReportVersion(
                examinations=[Examination(site="north", accession=each) for each in numbers],
                status=status,
                text=f"text {number}",
            ),
            patients=[patient] * len(numbers),
        )
        for number, (status, numbers, patient) in enumerate(told, 1)
    ]


@pytest.mark.parametrize(
    ("told", "pairs", "doubtful"),
    [
        ([(P, "A", "1"), (F, "A", "1")], [(1, 2)], []),
        ([(P, "A", "1"), (F, "A", "")], [(1, 2)], []),
        ([(P, "A", "1"), (F, "A", "2")], [], [1, 2]),
        ([(P, "A", "1"), (F, "A", "2"), (C, "A", "2")], [(2, 3)], [1, 2, 3]),
        ([(P, "A", "1"), (F, "A", "1"), (C, "A", "2")], [(1, 2)], [1, 2, 3]),
        ([(P, "A", ""), (F, "A", "1"), (C, "A", "2")], [], [1, 2, 3]),
        ([(P, "AB", "1"), (F, "A", "1"), (F, "B", "2")], [], [1, 2, 3]),
        ([(P, "A", "1"), (P, "A", "2"), (F, "A", "1"), (F, "A", "2")], [(1, 3), (2, 4)], [1, 2, 3, 4]),
    ],
)
def test_what_is_of_two_patients_is_not_compared(
    told: Sequence[tuple[ReportStatus, str, str]], pairs: list[tuple[int, int]], doubtful: list[int]
) -> None:
    """Nor is it joined; what names nobody goes with the only patient there is, and with none of several."""
    kept = _kept(*told)
    assert sorted((pair.candidate[0], pair.reference[0]) for pair in pairs_of(kept)) == pairs
    doubts = [doubt.version for doubt in doubts_of(kept) if doubt.reason is DoubtReason.PATIENTS_DIFFER]
    assert doubts == doubtful


def test_a_withdrawal_counts_whomever_it_names() -> None:
    """A report that was filed under the wrong patient is withdrawn under either, and leaves no doubt."""
    kept = _kept((P, "A", "1"), (X, "A", "2"), (F, "A", "2"))
    assert withdrawn_of(kept) == {1}
    assert doubts_of(kept) == ()


def test_a_store_that_knows_of_no_patients_tells_none_apart() -> None:
    """As of versions that were kept before."""
    kept = [KeptVersion(number=each.number, arrived=each.arrived, version=each.version) for each in _kept((P, "A", ""))]
    assert by_patient(kept) == [kept]
