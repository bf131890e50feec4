"""Rows of a worklist for tests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from overread.hospital.application.requests import PairState, WorklistRow
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.version_pairs import PairKind


def row(pair: int, *, site: str = "north", modality: str = "CT", **more: Any) -> WorklistRow:
    """A scored pair without a discrepancy, unless told otherwise."""
    facts: dict[str, Any] = {
        "examination": Examination(site=site, accession=f"A{pair}", modality=modality),
        "kind": PairKind.PRELIMINARY_FINAL,
        "state": PairState.SCORED,
        "arrived": datetime(2026, 3, 2, 12, tzinfo=UTC),
    }
    return WorklistRow(pair=pair, **(facts | more))
