"""Pairs of reports that differ in one thing, labelled by whether it matters: JSON Lines or any other table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeVar

from overread.application.scoring.corpus import BadRow
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.exceptions import InputError
from overread.infrastructure.files.tables import Columns, read_row
from overread.studies.application.reader_checks.significance import Probe
from overread.tables.cells import RowError, is_missing
from overread.tables.records import read_records

__all__ = ["read_probes"]

E = TypeVar("E", bound=StrEnum)

_COLUMNS: Final = Columns()
_REMEDY: Final = "each row has id, aspect, significant (true or false), reference, candidate, and may have type"
_SWITCH: Final = {"true": True, "false": False}


def read_probes(path: Path) -> list[Probe]:
    """Every pair of a file with its labels; age, sex and indication are used where they are there.

    Raises:
        InputError: if there are none, or naming the first row that cannot be used.
    """
    probes = list(_probes(path))
    if not probes:
        raise InputError(str(path), "holds no pairs", remedy=_REMEDY)
    return probes


def _probes(path: Path) -> Iterator[Probe]:
    seen: dict[str, int] = {}
    required = (*_COLUMNS.required, "aspect", "significant")
    for record in read_records(path, required, (*_COLUMNS.optional, "type"), remedy=_REMEDY):
        pair = read_row(record, _COLUMNS, seen)
        if isinstance(pair, BadRow):
            raise InputError(str(path), pair.problem, row=record.row, remedy=_REMEDY)
        try:
            yield Probe(
                pair=pair,
                aspect=_member(record.fields, "aspect", ErrorAspect),
                significant=_switch(record.fields.get("significant")),
                type=_member(record.fields, "type", ErrorType) if _is_given(record.fields.get("type")) else None,
            )
        except RowError as error:
            raise InputError(str(path), str(error), row=record.row, remedy=_REMEDY) from None


def _is_given(value: object) -> bool:
    return not is_missing(value) and value != ""


def _member(fields: Mapping[str, Any], column: str, kind: type[E]) -> E:
    known = {member.value.lower(): member for member in kind}
    chosen = known.get(str(fields.get(column)).strip().lower())
    if chosen is None:
        raise RowError(f"{column} is not one of {', '.join(member.value for member in kind)}")
    return chosen


def _switch(value: object) -> bool:
    switched = _SWITCH.get(str(value).strip().lower())
    if switched is None:
        raise RowError("significant is neither true nor false")
    return switched
