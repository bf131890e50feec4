"""Rows and versions as a store gives them, for tests of what pages make of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from overread.hospital.application.requests import PairState, WorklistPage, WorklistRow
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.http.pages import Vocabulary

__all__ = ["NOON", "VOCABULARY", "listed", "row", "version"]

NOON: Final = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
VOCABULARY: Final = Vocabulary(
    {"pneumothorax": "pneumothorax", "rib_fracture": "rib fracture", "spine_fracture": "spinal fracture"},
    lambda finding: finding.replace("_", " "),
)


def row(pair: int, **told: Any) -> WorklistRow:
    known: dict[str, Any] = {
        "examination": Examination(site="north", accession=f"A{pair}", modality="CT", body_part="CHEST"),
        "kind": PairKind.PRELIMINARY_FINAL,
        "state": PairState.SCORED,
        "arrived": NOON,
        "risk": 0.25,
    }
    return WorklistRow(pair=pair, **known | told)


def listed(*pairs: int, **told: Any) -> WorklistPage:
    return WorklistPage(rows=[row(pair) for pair in pairs], **{"total": len(pairs), **told})


def version(number: int, status: ReportStatus, text: str, *, has_text: bool = True) -> KeptVersion:
    about = Examination(site="north", accession="A1")
    made = ReportVersion(examinations=(about,), status=status, text=text, source="hl7")
    return KeptVersion(number=number, arrived=NOON + timedelta(hours=number), version=made, has_text=has_text)
