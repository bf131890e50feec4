"""Resources held against the definitions of their release."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from fhir.resources import get_fhir_model_class as model_r5
from fhir.resources.R4B import get_fhir_model_class as model_r4b
from pydantic import ValidationError

from overread.hospital.infrastructure.exchange.fhir._elements import Resource, words
from overread.hospital.infrastructure.exchange.fhir.options import FhirRelease
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["check", "from_xml"]

_MODELS: Final = {FhirRelease.R4B: model_r4b, FhirRelease.R5: model_r5}
_NAME: Final = re.compile(r"[A-Za-z_]{1,40}")
_SHOWN: Final = 3
_MOST_VALUES: Final = 20_000
"""Limit for one resource, far above what a report has: looking at a value takes a hundred times its bytes."""


def check(resource: Resource, release: FhirRelease | None) -> None:
    """Holds a resource against a release, or against each that is read.

    Raises:
        RefusedMessageError: if it is none of either; it names the places, and never what stands there.
    """
    kind = words(resource, "resourceType") if _NAME.fullmatch(words(resource, "resourceType")) else "resource"
    if _is_too_large(resource):
        detail = f"a resource may have at most {_MOST_VALUES:,} values"
        raise RefusedMessageError("too-large", detail, location=kind)
    problems = [_problems(resource, kind, candidate) for candidate in ([release] if release else list(FhirRelease))]
    if all(problems):
        places = problems[0]
        more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
        detail = f"this is not a valid {kind} of FHIR: {', '.join(places[:_SHOWN])}{more}"
        raise RefusedMessageError("not-fhir", detail, location=kind)


def _is_too_large(resource: object) -> bool:
    """Return whether a resource has more values, at any depth, than a report has."""
    left, seen = [resource], 0
    while left and seen <= _MOST_VALUES:
        node = left.pop()
        inner = list(node.values()) if isinstance(node, Mapping) else node if isinstance(node, list) else []
        seen += len(inner)
        left += inner
    return seen > _MOST_VALUES


def from_xml(kind: str, release: FhirRelease, document: bytes, parser: object) -> Resource | None:
    """A resource in XML as JSON has it, None where it is none of a release.

    What the definitions do not have is left out: whoever calls this must see to it that nothing was.
    """
    try:
        model = _MODELS[release](kind).model_validate_xml(document, xmlparser=parser)
        read: Resource = json.loads(model.model_dump_json())
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError):
        return None
    return read


def _problems(resource: Resource, kind: str, release: FhirRelease) -> list[str]:
    try:
        model = _MODELS[release](kind)
    except ValueError:
        return ["resourceType"]
    try:
        model.model_validate(resource)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        return [f"{_place(problem['loc'])} ({problem['type']})" for problem in problems]
    except RecursionError:
        return ["nested too deeply"]
    except (LookupError, TypeError, AttributeError):  # what fhir_core raises where a resource within names no type
        return ["a resource within"]
    return []


def _place(steps: Sequence[int | str]) -> str:
    """A path; whatever a sender made up for a name is left out."""
    known = (str(step) if isinstance(step, int) or _NAME.fullmatch(step) else "?" for step in steps)
    return ".".join(known) or "the resource"
