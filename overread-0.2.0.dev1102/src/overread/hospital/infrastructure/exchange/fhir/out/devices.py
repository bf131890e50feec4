"""Makers of scores and drafts: devices with version and signatures, and the provenance that names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from overread.domain.results.result import EvaluationResult
from overread.hospital.domain.audit_signal import SIGNAL
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.parts import (
    Resource,
    code,
    make_concept,
    make_resource,
    moment,
    pointer,
)

__all__ = ["digest_of", "model_device", "provenance", "scoring_device"]

_PARTICIPANTS: Final = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"
_OPERATIONS: Final = "http://terminology.hl7.org/CodeSystem/v3-DataOperation"
_DIGITS: Final = 16


def scoring_device(results: Mapping[str, EvaluationResult], output: FhirOutput) -> Resource:
    """overread as it was when it made results: a device for each set of signatures, which say all that matters.

    Args:
        results: by metric.
        output: how it is written.
    """
    lines = {metric: str(result.signature) for metric, result in sorted(results.items())}
    versions = {dict(result.signature.parts).get("version", "") for result in results.values()} - {""}
    properties = [
        {"type": {"text": f"signature of {metric}"}} | _property(line, output) for metric, line in lines.items()
    ]
    elements: dict[str, Any] = {
        "version": [{"value": version} for version in sorted(versions)],
        "property": properties,
        "note": [{"text": SIGNAL}],
    }
    name = f"overread/{digest_of(*lines.values())}"
    return make_resource("Device", name, output, _device_name("overread", output) | elements)


def model_device(model: str, output: FhirOutput) -> Resource:
    """The model that wrote a draft, by name and version."""
    return make_resource("Device", f"model/{model}", output, _device_name(model, output))


def provenance(
    name: str,
    device: Resource,
    targets: Sequence[Resource],
    sources: Sequence[Resource],
    at: datetime,
    output: FhirOutput,
) -> Resource:
    """Provenance stating that a device made resources out of others.

    Args:
        name: of what it is about.
        device: that made them.
        targets: resources that were made; at least one.
        sources: resources that they were made of.
        at: when.
        output: how it is written.
    """
    elements = {
        "target": [pointer(resource) for resource in targets],
        "recorded": moment(at),
        "activity": code(_OPERATIONS, "CREATE"),
        "agent": [{"type": code(_PARTICIPANTS, "author"), "who": pointer(device)}],
        "entity": [{"role": "source", "what": pointer(resource)} for resource in sources],
    }
    return make_resource("Provenance", name, output, elements)


def digest_of(*lines: str) -> str:
    """Digest of signature lines, to name a thing by."""
    return sha256("\n".join(lines).encode()).hexdigest()[:_DIGITS]


def _device_name(name: str, output: FhirOutput) -> Resource:
    if output.is_r5:
        return {"name": [{"value": name, "type": "user-friendly-name"}]}
    return {"deviceName": [{"name": name, "type": "model-name"}]}


def _property(line: str, output: FhirOutput) -> Resource:
    return {"valueString": line} if output.is_r5 else {"valueCode": [make_concept(line)]}
