"""Resources held against the definitions of their release, each and all that stand in a bundle."""

from __future__ import annotations

import json
from typing import Any

from fhir.resources import get_fhir_model_class as model_r5
from fhir.resources.R4B import get_fhir_model_class as model_r4b

from overread.hospital.infrastructure.exchange.fhir.options import FhirRelease

Json = dict[str, Any]


def hold(resource: Json, release: FhirRelease) -> None:
    """Reads a resource back strictly from its JSON, and finds in it what was written."""
    model = (model_r5 if release is FhirRelease.R5 else model_r4b)(resource["resourceType"])
    read = model.model_validate_json(json.dumps(resource, allow_nan=False))
    assert _plain(json.loads(read.model_dump_json())) == _plain(resource)
    for entry in resource.get("entry", ()):
        hold(entry["resource"], release)


def only(bundle: Json, kind: str) -> list[Json]:
    """The resources of a kind in a bundle."""
    found = [entry["resource"] for entry in bundle["entry"]]
    return [each for each in found if each["resourceType"] == kind]


def _plain(value: Any) -> Any:
    """Times and numbers have several spellings."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if key != "resourceType"}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, str):
        return value.replace("+00:00", "Z")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
