"""What must come of the invented day, as it was written down by hand before any of it was run."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

from attrs import field, frozen

from overread.domain.hospital.version_pairs import PairKind
from overread.infrastructure.datasets.hospital_day.cases import Truth

_HERE: Final = Path(__file__).parent / "data" / "hospital_day"


@frozen(order=True)
class ExpectedPair:
    """A pair that a radiologist expects: its messages by name, in the order of accession numbers on each side."""

    kind: PairKind
    accessions: tuple[str, ...]
    candidate: tuple[str, ...]
    reference: tuple[str, ...]
    differs: Truth = field(eq=False, order=False)


@frozen(order=True)
class ExpectedRefusal:
    """A message, or a file of the folder, that must be refused."""

    channel: str
    message: str
    why: str = field(eq=False, order=False)


def expected_pairs() -> list[ExpectedPair]:
    """Every pair of the day."""
    return [
        ExpectedPair(
            kind=PairKind(row["kind"]),
            accessions=tuple(row["accessions"].split("+")),
            candidate=tuple(row["candidate"].split("+")),
            reference=tuple(row["reference"].split("+")),
            differs=Truth(row["differs"]),
        )
        for row in _rows("expected_pairs.csv")
    ]


def expected_refusals() -> list[ExpectedRefusal]:
    """Every refusal of the day."""
    return [ExpectedRefusal(**row) for row in _rows("expected_refusals.csv")]


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((_HERE / name).read_text(encoding="utf-8").splitlines()))
