"""Versions, pairs and results to store: invented, and small."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from attrs import evolve

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Outcome, Scale, Scored, Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.domain.audit_trail import AuditEvent
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.domain.version_pairs import PairKind, VersionPair

NOW: Final = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
RISK: Final = Signature("radot", (("version", "1"),))
FINDINGS: Final = Signature("notation", (("version", "1"),))
PRESENT: Final = (str(RISK), str(FINDINGS))
_SCALE: Final = Scale(0.0, 1.0, higher_is_better=False)


def examination(accession: str = "A1", site: str = "north", **told: Any) -> Examination:
    """An examination."""
    return Examination(site=site, accession=accession, **{"modality": "CT", "device": "scanner 1", **told})


def version(
    accession: str = "A1", status: ReportStatus = ReportStatus.FINAL, text: str = "No pneumothorax.", **told: Any
) -> ReportVersion:
    """A version of a report on one examination."""
    about = told.pop("examinations", None) or (examination(accession, **told.pop("about", {})),)
    given = {"source": "hl7", "reader": "r1", "filler": f"F{accession}", **told}
    return ReportVersion(examinations=about, status=status, text=text, **given)


def discrepancy(
    finding: str = "pneumothorax",
    importance: Importance = Importance.URGENT,
    category: ErrorCategory = ErrorCategory.OMITTED_FINDING,
    severity: Severity = Severity.SIGNIFICANT,
) -> Discrepancy:
    """A discrepancy."""
    return Discrepancy(
        category=category,
        aspect=ErrorAspect.NEGATION,
        type=ErrorType.OMISSION,
        severity=severity,
        reason="it is not there",
        finding=finding,
        importance=importance,
        extent=1.0,
    )


def results(
    pair_id: str,
    risk: float | Unscored = 0.5,
    found: Sequence[Discrepancy] = (),
    *,
    signatures: tuple[Signature, Signature] = (RISK, FINDINGS),
    read: float | None = None,
) -> dict[str, EvaluationResult]:
    """Results of both metrics."""
    outcomes: tuple[Outcome, Outcome] = (risk, risk) if isinstance(risk, Unscored) else _scored(risk, found, read)
    return {
        signature.metric: EvaluationResult(
            pair_id=pair_id, metric=signature.metric, scale=_SCALE, signature=signature, outcome=outcome
        )
        for signature, outcome in zip(signatures, outcomes, strict=True)
    }


def _scored(risk: float, found: Sequence[Discrepancy], read: float | None) -> tuple[Outcome, Outcome]:
    shares = {} if read is None else {"reference_coverage": 1.0, "candidate_coverage": read}
    return Scored(score=risk), Scored(score=1 - risk, discrepancies=tuple(found), subscores=shares)


def report_pair(name: str, reference: str = "No pneumothorax.", candidate: str = "") -> ReportPair:
    """A pair of texts of its own."""
    context = ClinicalContext(age=66, sex="F", indication="Fall.")
    return ReportPair(id=name, reference=reference, candidate=candidate or f"Clear. {name}", context=context)


def add_compared(
    unit: UnitOfWork,
    accession: str = "A1",
    *,
    at: datetime = NOW,
    risk: float | Unscored | None = None,
    found: Sequence[Discrepancy] = (),
    read: float | None = None,
    **told: Any,
) -> int:
    """A preliminary report against its final, scored where a risk is given; the pair's number."""
    candidate = unit.versions.add(version(accession, ReportStatus.PRELIMINARY, f"Clear. {accession}", **told), at)
    reference = unit.versions.add(version(accession, ReportStatus.FINAL, f"Not clear. {accession}", **told), at)
    pair = VersionPair(kind=PairKind.PRELIMINARY_FINAL, candidate=(candidate.number,), reference=(reference.number,))
    name = f"{candidate.number}:{reference.number}"
    number, _ = unit.pairs.add(pair, report_pair(name, f"Not clear. {accession}", f"Clear. {accession}"), made=at)
    unit.jobs.add([number])
    if risk is not None:
        finish(unit, number, results(name, risk, found, read=read))
    return number


def finish(unit: UnitOfWork, pair: int, found: dict[str, EvaluationResult]) -> None:
    """Keep results of a pair and take it off the queue."""
    jobs = unit.jobs.claim("w", limit=1000, now=NOW + 99 * HOUR, lease=HOUR, profile="")
    unit.pairs.add_results({pair: found})
    unit.jobs.finish("w", [job.number for job in jobs if job.pair == pair])
    unit.jobs.release("w", [job.number for job in jobs if job.pair != pair], again=NOW)


def event(action: str = "search", **told: str) -> AuditEvent:
    """An event that is not on the trail yet."""
    return AuditEvent(number=0, at=NOW, actor="ruth", action=action, details=tuple(told.items()))


def without_patient(given: ReportVersion) -> ReportVersion:
    """A version as a store gives it back, which keeps no patient's identifier."""
    return evolve(given, examinations=tuple(evolve(each, patient="") for each in given.examinations))
