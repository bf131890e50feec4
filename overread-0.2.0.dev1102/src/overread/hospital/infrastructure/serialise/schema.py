"""JSON schemas of what the hospital service is asked and answers, made of the classes themselves and what they say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from attrs import NOTHING, fields, has, resolve_types

from overread.domain.reports.report import Report
from overread.domain.results.result import EvaluationResult
from overread.infrastructure.serialise.schema import result_schema

__all__ = ["HospitalSchemas"]

Schema = dict[str, Any]

_PLAIN: Final[Mapping[Any, Schema]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    datetime: {"type": "string", "format": "date-time", "description": "ISO 8601, with a time zone."},
    Report: {"type": "string", "description": "A report's text, exactly as given."},
    Any: {},
}
_ATTRIBUTES: Final = re.compile(r"^Attributes:\n(?P<body>(?:    .*\n?|\n)*)", re.MULTILINE)
_ATTRIBUTE: Final = re.compile(r"^    (?P<names>\w+(?:, \w+)*): (?P<words>.*(?:\n {6,}.*)*)", re.MULTILINE)


class HospitalSchemas:
    """The schemas of classes, and of all that these are made of, by name.

    Args:
        prefix: of references, for example ``#/$defs/``.

    >>> from overread.hospital.application.requests import BatchState
    >>> schemas = HospitalSchemas("#/$defs/")
    >>> schemas.of(BatchState)
    {'$ref': '#/$defs/BatchState'}
    >>> schemas.named["BatchState"]["properties"]["name"]
    {'type': 'string', 'description': 'as submitted.'}
    """

    def __init__(self, prefix: str) -> None:
        self.named: dict[str, Schema] = {}
        self._prefix = prefix

    def of(self, kind: Any) -> Schema:
        """The schema of a type, as `hospital_record` writes it and `hospital_from_record` reads it."""
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
        origin, parts = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(part) for part in parts]}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(parts[1])}
        if origin is tuple and parts[-1] is not ...:
            items = [self.of(part) for part in parts]
            return {"type": "array", "prefixItems": items, "minItems": len(parts), "maxItems": len(parts)}
        if origin is not None:
            return {"type": "array", "items": self.of(parts[0])}
        if kind.__name__ not in self.named:
            self.named[kind.__name__] = {}  # what holds one of its own kind finds this
            self.named[kind.__name__] = self._define(kind)
        return {"$ref": f"{self._prefix}{kind.__name__}"}

    def _define(self, kind: Any) -> Schema:
        if kind is EvaluationResult:  # where it is explained, it has its evidence as well
            published = {key: value for key, value in result_schema().items() if not key.startswith("$")}
            return {**published, "additionalProperties": True}
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return {"type": "string", "enum": [member.value for member in kind], "description": _summary(kind)}
        if not has(kind):
            raise TypeError(f"{kind} has no schema")
        words, attributes = _attribute_words(kind), fields(resolve_types(kind))
        properties = {
            attribute.name: _with_description(self.of(attribute.type), words.get(attribute.name, ""))
            for attribute in attributes
        }
        required = [attribute.name for attribute in attributes if attribute.default is NOTHING]
        return {
            "type": "object",
            "description": _summary(kind),
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }


def _with_description(schema: Schema, words: str) -> Schema:
    return {**schema, "description": words} if words else schema


def _summary(kind: type) -> str:
    return (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")


def _attribute_words(kind: type) -> dict[str, str]:
    """Descriptions of a class's attributes in its docstring, by name."""
    listed = _ATTRIBUTES.search(inspect.getdoc(kind) or "")
    matches = _ATTRIBUTE.finditer(listed["body"]) if listed is not None else ()
    return {
        name: re.sub(r"\s+", " ", match["words"]).strip() for match in matches for name in match["names"].split(", ")
    }
