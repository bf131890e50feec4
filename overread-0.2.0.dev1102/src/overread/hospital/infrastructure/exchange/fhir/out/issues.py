"""Discrepancies as detected issues: what differs, how grave it is, and what people said of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Importance, Severity
from overread.hospital.application.requests import PairRecord
from overread.hospital.application.worklist import DISCREPANCIES_OF, is_significant
from overread.hospital.domain.review import Review, ReviewStage, Verdict, VerdictKind
from overread.hospital.infrastructure.exchange.fhir.out.devices import digest_of
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.parts import (
    AI_LABEL,
    Resource,
    code,
    make_concept,
    make_identifier_reference,
    make_resource,
    moment,
    pointer,
)
from overread.hospital.infrastructure.exchange.fhir.out.versions import patient_of

__all__ = ["CATEGORIES", "FINDINGS", "issues_of"]

CATEGORIES: Final = "urn:overread:error-category"
"""System of the codes of discrepancies: the categories A to H of ReXVal and RadEvalX, or an aspect of ReEvalMed."""

FINDINGS: Final = "urn:overread:finding"
"""System of the codes of findings: the lexicon's ids."""

_BY_IMPORTANCE: Final = {Importance.URGENT: "high", Importance.ACTIONABLE: "moderate"}
_BY_SEVERITY: Final = {Severity.CRITICAL: "high", Severity.SIGNIFICANT: "moderate"}
_STATUSES: Final = {
    VerdictKind.AGREE: "final",
    VerdictKind.AMEND: "final",
    VerdictKind.DISAGREE: "entered-in-error",
}
_SAID: Final = {
    VerdictKind.AGREE: "A reviewer agreed.",
    VerdictKind.AMEND: "A reviewer amended this.",
    VerdictKind.DISAGREE: "A reviewer disagreed.",
}


def issues_of(record: PairRecord, device: Resource, versions: Sequence[Resource], output: FhirOutput) -> list[Resource]:
    """An issue for each discrepancy of a pair's present result, and for each that a reviewer added to it.

    An issue is preliminary until somebody says something of it. The last verdict counts: agreed to or amended it is
    final, disagreed with it is entered in error. So are all of a pair of which a report was withdrawn.

    Args:
        record: of the pair.
        device: that found them.
        versions: that they lie between; both are implicated.
        output: how it is written.
    """
    result = record.current.get(DISCREPANCIES_OF)
    if result is None:
        return []
    name = f"pair/{record.number}/{digest_of(str(result.signature))}"
    verdicts: dict[int | None, list[tuple[Review, Verdict]]] = defaultdict(list)
    for review in record.reviews:
        blind = review.stage is ReviewStage.ADJUDICATED and not review.signature
        if blind or review.signature == str(result.signature):
            for verdict in review.verdicts:
                verdicts[verdict.discrepancy].append((review, verdict))
    shared = _shared_elements(record, versions, output)
    detected = [
        (f"{name}/{place}", shared | _detected_elements(discrepancy, device, versions, output, verdicts[place]))
        for place, discrepancy in enumerate(record.discrepancies)
    ]
    added = [
        (f"{name}/added/{place}", shared | _added_elements(review, verdict, versions, output))
        for place, (review, verdict) in enumerate(verdicts[None])
    ]
    withdrawn = {"status": "entered-in-error"} if record.withdrawn else {}
    return [
        make_resource("DetectedIssue", about, output, elements | withdrawn) for about, elements in [*detected, *added]
    ]


def _shared_elements(record: PairRecord, versions: Sequence[Resource], output: FhirOutput) -> Resource:
    patient = patient_of(record.examinations)
    latest = max((version.arrived for version in record.versions), default=None)
    return {
        "subject" if output.is_r5 else "patient": patient,
        "identifiedDateTime": moment(latest),
        "implicated": [pointer(resource) for resource in versions],
    }


def _detected_elements(
    discrepancy: Discrepancy,
    device: Resource,
    versions: Sequence[Resource],
    output: FhirOutput,
    verdicts: Sequence[tuple[Review, Verdict]],
) -> Resource:
    words = [discrepancy.label, discrepancy.finding, discrepancy.side, discrepancy.reason]
    if output.with_text:
        words.append(discrepancy.explanation)
    return {
        "meta": {"security": [AI_LABEL]},
        "status": _STATUSES[verdicts[-1][1].kind] if verdicts else "preliminary",
        "code": _kind(discrepancy),
        "severity": _severity(discrepancy),
        "author": pointer(device),
        "evidence": _evidence(discrepancy.finding, versions),
        "detail": "; ".join(filter(None, words)),
        "mitigation": [_mitigation(review, verdict, output) for review, verdict in verdicts],
    }


def _added_elements(review: Review, verdict: Verdict, versions: Sequence[Resource], output: FhirOutput) -> Resource:
    """A discrepancy that a reviewer found and the program did not: the reviewer's, so without the AI label."""
    label = verdict.category.label if verdict.category else "discrepancy"
    return {
        "status": "final",
        "identifiedDateTime": moment(review.made),
        "code": code(CATEGORIES, verdict.category.value, label) if verdict.category else make_concept(label),
        "severity": _BY_SEVERITY.get(verdict.severity, "low") if verdict.severity else None,
        "author": make_identifier_reference("Practitioner", review.reviewer),
        "evidence": _evidence(verdict.finding, versions),
        "detail": "; ".join(filter(None, [label, verdict.finding, verdict.reason if output.with_text else ""])),
    }


def _evidence(finding: str, versions: Sequence[Resource]) -> list[Resource]:
    concept = {"code": [code(FINDINGS, finding)]} if finding else {}
    detail = {"detail": [pointer(resource) for resource in versions]} if versions else {}
    return [concept | detail] if concept or detail else []


def _kind(discrepancy: Discrepancy) -> Resource:
    value = discrepancy.category.value if discrepancy.category else discrepancy.aspect.value
    return code(CATEGORIES, value, discrepancy.label)


def _severity(discrepancy: Discrepancy) -> str:
    """High is for what asks for action at once; a trifle, or a doubtful one, is low whatever it is about."""
    if not is_significant(discrepancy):
        return "low"
    if discrepancy.importance is None:
        return _BY_SEVERITY[discrepancy.severity]
    return _BY_IMPORTANCE.get(discrepancy.importance, "low")


def _mitigation(review: Review, verdict: Verdict, output: FhirOutput) -> Resource:
    """A reviewer's verdict; their own words only if texts are included, since they may quote a report."""
    words = [_SAID[verdict.kind]]
    words += [f"Category: {verdict.category.label}."] if verdict.category else []
    words += [f"Severity: {verdict.severity.value}."] if verdict.severity else []
    words += [f"Finding: {verdict.finding}."] if verdict.finding else []
    words += [verdict.reason] if output.with_text and verdict.reason else []
    author = make_identifier_reference("Practitioner", review.reviewer)
    return {"action": make_concept(" ".join(words)), "date": moment(review.made)} | (
        {"author": author} if author else {}
    )
