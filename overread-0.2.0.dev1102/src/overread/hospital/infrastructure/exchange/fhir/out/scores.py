"""Scores as observations about two versions of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from overread.domain.results.result import EvaluationResult, Unscored
from overread.hospital.application.requests import PairRecord
from overread.hospital.application.worklist import RISK_OF
from overread.hospital.domain.audit_signal import SIGNAL
from overread.hospital.infrastructure.exchange.fhir.out.devices import digest_of
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.parts import (
    AI_LABEL,
    Resource,
    code,
    make_resource,
    moment,
    pointer,
)
from overread.hospital.infrastructure.exchange.fhir.out.versions import patient_of

__all__ = ["METRICS", "score_of"]

METRICS: Final = "urn:overread:metric"
"""System of the codes of scores: a metric's name is the code."""

_ABSENT: Final = "http://terminology.hl7.org/CodeSystem/data-absent-reason"


def score_of(
    record: PairRecord, result: EvaluationResult, device: Resource, versions: Sequence[Resource], output: FhirOutput
) -> Resource:
    """One metric's score of a pair, or why there is none.

    Args:
        record: of the pair.
        result: of the metric.
        device: that made it.
        versions: that it is about.
        output: how it is written.
    """
    line = str(result.signature)
    latest = max((version.arrived for version in record.versions), default=None)
    elements: dict[str, Any] = {
        "meta": {"security": [AI_LABEL]},
        "status": "entered-in-error" if record.withdrawn else "final",
        "code": code(METRICS, result.metric, _TITLES.get(result.metric, f"{result.metric} of two reports")),
        "subject": patient_of(record.examinations),
        "focus": [pointer(resource) for resource in versions],
        "effectiveDateTime": moment(latest),
        "interpretation": [{"text": SIGNAL}],
        "method": {"text": line},
        "device": pointer(device),
        "referenceRange": [{"text": result.scale.describe()}],
        **_value(result),
    }
    return make_resource("Observation", f"pair/{record.number}/{result.metric}/{digest_of(line)}", output, elements)


_TITLES: Final = {RISK_OF: "Risk of a clinically significant discrepancy between two versions of a report"}


def _value(result: EvaluationResult) -> Resource:
    if isinstance(result.outcome, Unscored):
        return {"dataAbsentReason": code(_ABSENT, "error", result.outcome.reason)}
    if not math.isfinite(result.score):
        return {"dataAbsentReason": code(_ABSENT, "not-a-number")}
    return {"valueQuantity": {"value": result.score, "system": "http://unitsofmeasure.org", "code": "1"}}
