"""The answer format of the unit parser (RadOT-Eval Table IX): its JSON schema, and reading it strictly."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

from attrs import field, frozen
from cattrs import Converter, transform_error
from cattrs.errors import ClassValidationError, IterableValidationError

from overread.application.asking.answers.json_answer import read_json
from overread.application.asking.answers.refusal import is_refusal
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.findings.unit import Certainty, Change, Polarity

__all__ = ["ParsedUnit", "answer_schema", "parsed_unit", "read_units"]

E = TypeVar("E", bound=StrEnum)

_SPAN: Final = {"type": "string", "minLength": 1, "maxLength": 400}
_TEXT: Final = {"type": "string", "maxLength": 100}
_OPTIONAL: Final = {"type": ["string", "null"], "maxLength": 100}
_LABELS: Final = {"type": "array", "items": _TEXT, "maxItems": 8}


def _one_of(kind: type[StrEnum], *, optional: bool) -> Mapping[str, Any]:
    values: list[str | None] = [member.value for member in kind]
    return {"type": ["string", "null"], "enum": [*values, None]} if optional else {"type": "string", "enum": values}


def _object(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_UNIT: Final = _object(
    {
        "span_text": _SPAN,
        "canonical_finding": _TEXT,
        "surface_finding": _OPTIONAL,
        "polarity": _one_of(Polarity, optional=False),
        "uncertainty": _one_of(Certainty, optional=True),
        "comparison": _one_of(Change, optional=True),
        "device": _OPTIONAL,
        "attributes": _object({"severity": _OPTIONAL}),
        "anatomy": _LABELS,
        "modifiers": _LABELS,
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    }
)


def answer_schema(most: int) -> Mapping[str, Any]:
    """JSON schema of an answer with ``most`` units at most: without limits a weak model fills lists without end.

    Servers that hold a model to a schema want an object outermost.
    """
    return _object({"units": {"type": "array", "items": _UNIT, "maxItems": most}})


@frozen(kw_only=True)
class ParsedUnit:
    """One unit as the parser gives it, in the fields of Table IX; what it leaves out, or null, is missing.

    Attributes:
        span_text: the report's words that state it.
        canonical_finding: normalised name; with a device or a surface finding it may be missing.
        uncertainty, comparison: as `ClinicalUnit.certainty` and `ClinicalUnit.change`.
        severity: ``attributes.severity``, free text.
        confidence: on [0, 1].
    """

    span_text: str = field(repr=False)
    polarity: Polarity
    canonical_finding: str = ""
    surface_finding: str = field(default="", repr=False)
    uncertainty: Certainty | None = None
    comparison: Change | None = None
    device: str | None = None
    severity: str | None = None
    anatomy: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    confidence: float = 1.0

    def __attrs_post_init__(self) -> None:
        if not any(map(str.isalnum, self.span_text)):
            raise ValueError("span_text holds no word of the report")
        if not any(map(str.isalnum, self.label)):
            raise ValueError("canonical_finding is missing")

    @property
    def label(self) -> str:
        """The best name the unit gives for what it is about."""
        return self.canonical_finding or self.device or self.surface_finding


_MISSING: Final = frozenset({"", "none", "null", "n/a", "na", "nil", "unspecified", "not specified", "not stated", "-"})
_LISTED: Final = 5
"""Problems told to the model."""

_MOST_UNITS: Final = 1000

_SYNONYMS: Final[Mapping[type[StrEnum], Mapping[str, str]]] = {
    # What models write for the values that the prompt names. Any other word is refused.
    Polarity: {
        **dict.fromkeys(("positive", "affirmed", "asserted", "abnormal"), "present"),
        **dict.fromkeys(("negative", "negated", "denied", "not present", "normal"), "absent"),
        **dict.fromkeys(("possible", "equivocal", "indeterminate"), "uncertain"),
    },
    Certainty: {
        **dict.fromkeys(("certain", "confirmed", "high"), "definite"),
        **dict.fromkeys(("likely", "suspected", "medium"), "probable"),
        **dict.fromkeys(("uncertain", "questionable", "equivocal", "indeterminate", "low"), "possible"),
    },
    Change: {
        **dict.fromkeys(("unchanged", "no change", "persistent"), "stable"),
        **dict.fromkeys(("decreased", "improving", "better", "smaller"), "improved"),
        **dict.fromkeys(("increased", "worsening", "worse", "larger", "progressed"), "worsened"),
        **dict.fromkeys(("removed", "cleared", "gone"), "resolved"),
    },
}
_DELIMITERS: Final = re.compile(r"[|;,]")
_LABEL_KEYS: Final = ("canonical", "label", "name", "canonical_label", "surface")


def read_units(text: str) -> tuple[ParsedUnit, ...]:
    """The units of an answer: an array of objects, or an object with such an array under "units".

    Fields beyond those of Table IX do not matter. Labels may be listed or stand in one text between pipes, semicolons
    or commas.

    Raises:
        UnreadableAnswerError: "refusal"; "unknown label" for a polarity, uncertainty or comparison that is none of the
            known; else "unreadable answer".
    """
    try:
        items = _items(read_json(text))
    except UnreadableAnswerError as error:
        if is_refusal(text):
            raise UnreadableAnswerError("refusal", "the model refused to answer") from error
        raise
    try:
        return tuple(_CONVERTER.structure([_flat_statements(item) for item in items], list[ParsedUnit]))
    except (ClassValidationError, IterableValidationError) as error:
        raise _unreadable(error) from error


def parsed_unit(item: Mapping[str, Any]) -> ParsedUnit:
    """One unit from a mapping with the fields of Table IX, as in an answer.

    Raises:
        UnreadableAnswerError: as `read_units`; its detail names the fields and quotes none.
    """
    try:
        (unit,) = _CONVERTER.structure([_flat_statements(item)], list[ParsedUnit])
    except (ClassValidationError, IterableValidationError) as error:
        raise _unreadable(error) from error
    return unit


def _items(value: Any) -> Sequence[Mapping[str, Any]]:
    if isinstance(value, dict):
        value = value.get("units", [value])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        remedy = 'Answer with one JSON object of the form {"units": [...]}, each unit an object.'
        raise UnreadableAnswerError("unreadable answer", "the answer is no list of units", remedy)
    if len(value) > _MOST_UNITS:
        detail = f"the answer lists more than {_MOST_UNITS} units"
        raise UnreadableAnswerError("unreadable answer", detail, "Answer again, and list each statement once.")
    return value


def _flat_statements(item: Mapping[str, Any]) -> dict[str, Any]:
    """The statements of a unit, flat: the severity taken out of its attributes, and missing values left out."""
    flat = dict(item)
    attributes = flat.pop("attributes", None)
    if _is_missing(attributes) or attributes == []:
        attributes = {}
    if not isinstance(attributes, dict):
        remedy = 'Answer again, and write "attributes" as an object with the key "severity".'
        raise UnreadableAnswerError("unreadable answer", "the attributes of a unit are no object", remedy)
    if not _is_missing(attributes.get("severity")):
        flat["severity"] = attributes["severity"]
    return {key: value for key, value in flat.items() if not _is_missing(value)}


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in _MISSING)


def _unreadable(error: ClassValidationError | IterableValidationError) -> UnreadableAnswerError:
    unknown = any(isinstance(cause, _UnknownLabelError) for cause in _causes(error))
    problems = [_with_place(problem) for problem in transform_error(error, path="", format_exception=_in_words)]
    shown = "; ".join(problems[:_LISTED]) + ("; and more" if len(problems) > _LISTED else "")
    reason = "unknown label" if unknown else "unreadable answer"
    remedy = f"Answer again with all units, and mend this: {shown}."
    return UnreadableAnswerError(reason, f"{len(problems)} of the answer's fields cannot be used: {shown}", remedy)


def _causes(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _causes(inner)
    else:
        yield error


def _with_place(problem: str) -> str:
    """A problem with the place cattrs gives it, "[0].polarity", in words."""
    message, _, path = problem.rpartition(" @ ")
    index, _, name = path.partition("].")
    number = int(index.strip("[]")) + 1 if index.strip("[]").isdigit() else 0
    return f"unit {number}: {name} {message}".replace("  ", " ") if number else message


def _in_words(error: BaseException, _: type[Any] | None) -> str:
    if isinstance(error, KeyError):
        return "is missing"
    return str(error) if isinstance(error, ValueError) else "is of the wrong type"


class _UnknownLabelError(ValueError):
    """A value outside a closed list."""


def _member(value: Any, kind: type[E]) -> E:
    word = value.strip().lower() if isinstance(value, str) else ""
    word = _SYNONYMS[kind].get(word, word)
    if word not in set(kind):
        raise _UnknownLabelError(f"must be one of {', '.join(kind)}")
    return kind(word)


def _string(value: Any, _: type[str]) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")  # noqa: TRY004 - cattrs gathers it with the others
    return value.strip()


def _share(value: Any, _: type[float]) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0.0 <= number <= 1.0:
        raise ValueError("must be a number from 0 to 1")
    return number


def _labels(value: Any, _: Any) -> frozenset[str]:
    parts = [part for item in (value if isinstance(value, list) else [value]) for part in _parts(item)]
    return frozenset(part for part in parts if not _is_missing(part))


def _parts(item: Any) -> Sequence[str]:
    """The labels of one entry, which may stand with its surface phrase in an object."""
    if isinstance(item, dict):
        named = [item[key] for key in _LABEL_KEYS if not _is_missing(item.get(key))]
        if not named and not all(map(_is_missing, item.values())):
            raise ValueError("must be a list of labels")
        item = next(iter(named), None)
    if item is None:
        return ()
    if not isinstance(item, str):
        raise ValueError("must be a list of labels")  # noqa: TRY004 - as in _string
    return [" ".join(part.lower().split()) for part in _DELIMITERS.split(item)]


def _converter() -> Converter:
    converter = Converter()
    for kind in (Polarity, Certainty, Change):
        converter.register_structure_hook(kind, _member)
    converter.register_structure_hook(str, _string)
    converter.register_structure_hook(float, _share)
    converter.register_structure_hook_func(lambda kind: kind == frozenset[str], _labels)
    return converter


_CONVERTER: Final = _converter()
