"""Records of invented pairs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Outcome, Scale, Scored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.application.requests import PairRecord, PairState
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.review import Review, Verdict
from overread.hospital.domain.version_pairs import PairKind, VersionPair

NOON: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
CANARY: Final = "canary-of-the-text"
NOTATION: Final = Signature("notation", [("reader", "abc"), ("version", "0.1.0")])


def discrepancy(**told: Any) -> Discrepancy:
    facts: dict[str, Any] = {
        "category": ErrorCategory.OMITTED_FINDING,
        "aspect": ErrorAspect.DESCRIPTION,
        "type": ErrorType.OMISSION,
        "severity": Severity.SIGNIFICANT,
        "reason": "left out",
        "finding": "pneumothorax",
        "side": "left",
        "importance": Importance.URGENT,
        "extent": 1.0,
        "explanation": CANARY,
    }
    return Discrepancy(**(facts | told))


def result(metric: str, outcome: Outcome) -> EvaluationResult:
    signature = NOTATION if metric == "notation" else Signature(metric, [("version", "0.1.0")])
    scale = Scale(0.0, 1.0, higher_is_better=False)
    return EvaluationResult(pair_id="17", metric=metric, scale=scale, signature=signature, outcome=outcome)


def kept(number: int, status: ReportStatus, **told: Any) -> KeptVersion:
    examination = Examination(
        site="north",
        accession="A1",
        patient="P1",
        modality="CR",
        procedure="Chest",
        performed=NOON - timedelta(hours=4),
    )
    facts: dict[str, Any] = {
        "examinations": (examination,),
        "status": status,
        "text": f"{CANARY} {number}",
        "reader": f"reader-{number}",
        "filler": "F1",
        "issued": NOON - timedelta(hours=3 - number),
        "source": "test",
    }
    return KeptVersion(number=number, arrived=NOON + timedelta(minutes=number), version=ReportVersion(**(facts | told)))


def review(*verdicts: Verdict, signature: Signature = NOTATION) -> Review:
    return Review(reviewer="lead", made=NOON + timedelta(days=1), signature=str(signature), verdicts=verdicts)


def record(*discrepancies: Discrepancy, **told: Any) -> PairRecord:
    """A preliminary report against a final one, scored."""
    versions = (kept(1, ReportStatus.PRELIMINARY), kept(2, ReportStatus.FINAL))
    current = {
        "radot": result("radot", Scored(score=0.75)),
        "notation": result("notation", Scored(score=1.0, discrepancies=discrepancies)),
    }
    facts: dict[str, Any] = {
        "number": 17,
        "pair": VersionPair(kind=PairKind.PRELIMINARY_FINAL, candidate=(1,), reference=(2,)),
        "examinations": versions[0].version.examinations,
        "versions": versions,
        "report_pair": None,
        "state": PairState.SCORED,
        "results": {},
        "current": current,
    }
    return PairRecord(**(facts | told))
