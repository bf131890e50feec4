"""Invented diagnostic reports, as servers of either release send them."""

from __future__ import annotations

import base64
from typing import Any

from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions

TEXT = "FINDINGS: Small left pleural effusion.\nIMPRESSION: Effusion."
OPTIONS = FhirOptions(site="north")

Json = dict[str, Any]


def identifier(value: str, kind: str, system: str = "") -> Json:
    code = {"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": kind}
    return {"type": {"coding": [code]}, "value": value} | ({"system": system} if system else {})


def form(text: str | bytes, kind: str = "text/plain") -> Json:
    data = text.encode() if isinstance(text, str) else text
    return {"contentType": kind, "data": base64.b64encode(data).decode()}


def report(**changes: Any) -> Json:
    """A final CT report; a change to None leaves an element out."""
    whole = {
        "resourceType": "DiagnosticReport",
        "id": "r1",
        "meta": {"versionId": "2", "lastUpdated": "2026-03-01T09:00:00Z"},
        "identifier": [identifier("A100", "ACSN"), identifier("F7", "FILL"), identifier("P9", "PLAC")],
        "status": "final",
        "category": [{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0074", "code": "CT"}]}],
        "code": {"text": "CT chest"},
        "effectiveDateTime": "2026-03-01T07:30:00+01:00",
        "issued": "2026-03-01T08:45:00+01:00",
        "resultsInterpreter": [{"reference": "Practitioner/dr-grey"}],
        "presentedForm": [form(TEXT)],
    } | changes
    return {name: value for name, value in whole.items() if value is not None}


def bundle(*resources: Json, kind: str = "collection") -> Json:
    entries = [
        {"fullUrl": f"https://pacs.example/fhir/{each['resourceType']}/{each['id']}", "resource": each}
        for each in resources
    ]
    return {"resourceType": "Bundle", "type": kind, "entry": entries}


def patient(**changes: Any) -> Json:
    return {
        "resourceType": "Patient",
        "id": "p1",
        "identifier": [{"value": "other-7"}, identifier("MRN-5", "MR")],
        "gender": "female",
        "birthDate": "1960-03-01",
    } | changes
