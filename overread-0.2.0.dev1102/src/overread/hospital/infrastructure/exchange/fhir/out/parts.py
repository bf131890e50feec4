"""Parts that resources are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput

__all__ = [
    "AI_LABEL",
    "Resource",
    "code",
    "make_bundle",
    "make_concept",
    "make_identifier_reference",
    "make_resource",
    "moment",
    "pointer",
]

Resource = dict[str, Any]
"""A resource, or a part of one."""

AI_LABEL: Final = {
    "system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue",
    "code": "AIAST",
    "display": "Artificial Intelligence asserted",
}
"""The label of what a model says, as HL7's guide on the transparency of artificial intelligence asks for it."""


def make_resource(kind: str, name: str, output: FhirOutput, elements: Mapping[str, Any]) -> Resource:
    """A resource with its stable id; elements that are empty are left out.

    Args:
        kind: of resource.
        name: of what it is about, for example "pair/17".
        output: how it is written.
        elements: by name.
    """
    about = f"{kind}/{name}"
    number = str(uuid5(uuid5(NAMESPACE_URL, output.system), about))
    present = {key: value for key, value in elements.items() if value not in (None, "", [], {})}
    return {"resourceType": kind, "id": number, **present}


def pointer(resource: Resource) -> Resource:
    """A reference to a resource of the same bundle."""
    return {"reference": f"urn:uuid:{resource['id']}", "type": resource["resourceType"]}


def make_identifier_reference(kind: str, value: str) -> Resource | None:
    """A reference to somebody by an identifier; None where that is not known."""
    return {"type": kind, "identifier": {"value": value}} if value else None


def code(system: str, value: str, text: str = "") -> Resource:
    """A concept with one code, in which no space may stand, and with words beside it where there are any."""
    return {"coding": [{"system": system, "code": "-".join(value.split())}]} | make_concept(text)


def make_concept(text: str) -> Resource:
    """A concept in words; empty without any."""
    return {"text": text} if text else {}


def moment(at: datetime | None) -> str | None:
    """A time as FHIR writes it, in UTC."""
    return at.astimezone(UTC).isoformat() if at is not None else None


def make_bundle(resources: Iterable[Resource], name: str, output: FhirOutput, at: datetime) -> Resource:
    """Resources in one bundle, each once.

    Args:
        resources: that refer to each other.
        name: of what it is about.
        output: how it is written.
        at: when.
    """
    unique = {resource["id"]: resource for resource in resources}
    kind = "transaction" if output.is_transaction else "collection"
    entries = [_entry(resource, output) for resource in unique.values()]
    return make_resource("Bundle", name, output, {"type": kind, "timestamp": moment(at), "entry": entries})


def _entry(resource: Resource, output: FhirOutput) -> Resource:
    entry: Resource = {"fullUrl": f"urn:uuid:{resource['id']}", "resource": resource}
    if output.is_transaction:
        entry["request"] = {"method": "PUT", "url": f"{resource['resourceType']}/{resource['id']}"}
    return entry
