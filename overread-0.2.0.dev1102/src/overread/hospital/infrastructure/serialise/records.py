"""Requests and answers of the hospital service as plain JSON values and back, and the schemas of these."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from types import GenericAlias
from typing import Any, Final, TypeVar, cast, get_args, get_origin

from attrs import Attribute, fields, has, resolve_types
from cattrs import Converter, transform_error
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn

from overread.domain.reports.report import Report
from overread.domain.results.record import result_record
from overread.domain.results.result import EvaluationResult
from overread.hospital.application.use_cases.context import is_storable_moment
from overread.infrastructure.serialise import explanation_record, result_from_record

__all__ = ["RecordError", "hospital_from_json", "hospital_from_record", "hospital_record"]

T = TypeVar("T")

_LONGEST_WORDS: Final = 12
_AT_ONCE: Final = 100
"""Members of a list that are looked at before it is given up: an error of each takes thousands of its bytes."""


class RecordError(ValueError):
    """A record is not what is wanted. Tells each place and what is wrong there, and quotes nothing.

    Attributes:
        problems: places, as ``$.pairs[0].id`` names them, each with what is wrong.

    >>> hospital_from_record(Report, 5)
    Traceback (most recent call last):
    overread.hospital.infrastructure.serialise.records.RecordError: $: must be text
    """

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{place}: {problem}" for place, problem in self.problems))


def hospital_record(value: object, *, explain: bool = False) -> Any:
    """A request or an answer as JSON holds it: dictionaries, lists, text, numbers, true, false and null.

    A report is its text, a time ISO 8601 with its zone, a word of a list that word, a result the record of
    `result_record`.

    Args:
        value: a request, an answer, or a sequence or mapping of such.
        explain: whether results tell what they rest on, as `explanation_record` does; this may hold report text.
    """
    return _converter(explain=explain).unstructure(value)


def hospital_from_record(kind: type[T], record: object) -> T:
    """Rebuild the value that a record was made from. Unknown keys are refused; keys with a default may be left out.

    Args:
        kind: type of the value.
        record: as `hospital_record` makes it, before or after JSON.

    Raises:
        RecordError: naming every place that is wrong.
    """
    try:
        return _converter(explain=False).structure(record, kind)
    except Exception as error:  # noqa: BLE001 - cattrs gathers whatever conversion raises, which may quote the record
        raise RecordError(_problems(error)) from None


def hospital_from_json(kind: type[T], text: bytes) -> T:
    """Rebuild the value that JSON text was made from.

    Raises:
        RecordError: as for `hospital_from_record`; also for what isn't JSON, for NaN and infinity, which JSON lacks,
            and for a key that occurs twice in an object: one of two texts would be lost.
    """
    try:
        record = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_once)
    except _WrongError as error:
        raise RecordError([("$", str(error))]) from None
    except (ValueError, RecursionError):
        raise RecordError([("$", "is not JSON in UTF-8")]) from None
    return hospital_from_record(kind, record)


class _WrongError(ValueError):
    """A value is of the wrong kind, in words that do not quote it."""


@cache
def _converter(*, explain: bool) -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook_factory(has, partial(_object, converter))
    converter.register_structure_hook_factory(_is_list, partial(_list, converter))
    for kind, structure in _STRICT.items():
        converter.register_structure_hook(kind, structure)
    converter.register_unstructure_hook(datetime, datetime.isoformat)
    converter.register_unstructure_hook(Report, lambda report: report.text)
    converter.register_unstructure_hook_func(_is_set, sorted)
    converter.register_unstructure_hook(EvaluationResult, explanation_record if explain else result_record)
    return converter


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is frozenset or (get_origin(kind) is tuple and get_args(kind)[-1] is ...)


def _is_set(kind: Any) -> bool:
    return get_origin(kind) is frozenset


def _object(converter: Converter, kind: type) -> Callable[[Any, Any], Any]:
    structure: Callable[[Any, Any], Any] = make_dict_structure_fn(
        resolve_types(kind), converter, _cattrs_forbid_extra_keys=True
    )

    def check(value: object, kind: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _WrongError("must be an object")
        return structure(value, kind)

    return check


def _list(converter: Converter, kind: Any) -> Callable[[Any, Any], Any]:
    inner, gather = GenericAlias(list, get_args(kind)[:1]), get_origin(kind)
    structure = converter.get_structure_hook(inner)

    def check(value: object, _: object) -> Any:
        if not isinstance(value, list | tuple):
            raise _WrongError("must be a list")
        items: list[Any] = []
        for start in range(0, len(value), _AT_ONCE):
            try:
                items += structure(value[start : start + _AT_ONCE], inner)
            except Exception:
                structure(value[: start + _AT_ONCE], inner)  # raises the same with its place in the whole list
                raise
        return gather(items)

    return check


def _text(value: object, _: object = None) -> str:
    if not isinstance(value, str):
        raise _WrongError("must be text")
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise _WrongError("contains characters that are not allowed in text (NUL, or half a surrogate pair)")
    return value


def _switch(value: object, _: object) -> bool:
    if not isinstance(value, bool):
        raise _WrongError("must be true or false")
    return value


def _whole(value: object, _: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _WrongError("must be a whole number")
    if not -(2**63) <= value < 2**63:
        raise _WrongError("is too large a number")
    return value


def _number(value: object, _: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _WrongError("must be a number")
    return float(value)


def _moment(value: object, _: object) -> datetime:
    if isinstance(value, datetime):
        moment = value
    else:
        try:
            moment = datetime.fromisoformat(_text(value))
        except ValueError:
            raise _WrongError("must be an ISO 8601 date and time") from None
    if moment.tzinfo is None:
        raise _WrongError("must have a time zone, for example +01:00 or Z")
    if not is_storable_moment(moment):
        raise _WrongError("must be a time that exists in UTC")
    return moment


def _word(value: object, kind: type[StrEnum]) -> StrEnum:
    for member in kind:
        if value == member.value:
            return member
    words = [member.value for member in kind]
    raise _WrongError(f"must be one of {', '.join(words)}" if len(words) <= _LONGEST_WORDS else "is not a known word")


def _result(value: object, _: object) -> EvaluationResult:
    return result_from_record(cast("Mapping[str, Any]", value))


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _WrongError("an object has a key twice")
    return members


def _refuse_constant(_: str) -> object:
    raise ValueError("JSON has no such number")


_STRICT: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    str: _text,
    bool: _switch,
    int: _whole,
    float: _number,
    StrEnum: _word,
    datetime: _moment,
    Report: lambda value, _: Report(_text(value)),
    EvaluationResult: _result,
}


def _problems(error: Exception) -> list[tuple[str, str]]:
    """The places of an error of cattrs; a name that the record made up is in none of them."""
    problems = []
    for line in transform_error(error, format_exception=_describe_error):
        words, _, place = line.rpartition(" @ ")
        problems.append((place, words))
    return sorted(set(problems))


def _describe_error(error: BaseException, _: type | None) -> str:
    if isinstance(error, _WrongError):
        return str(error)
    if isinstance(error, ForbiddenExtraKeysError):
        known = ", ".join(_describe_key(attribute) for attribute in fields(error.cl)) if has(error.cl) else ""
        return f"has an unknown key (known: {known})"
    if isinstance(error, KeyError):
        return "is missing"
    return "is not valid"


def _describe_key(attribute: Attribute[Any]) -> str:
    """A key, with the keys of the object that it holds, since a key may have been written a level too high."""
    inner = attribute.type
    if not isinstance(inner, type) or not has(inner) or inner in _STRICT:
        return attribute.name
    return f"{attribute.name} with {', '.join(member.name for member in fields(inner))}"
