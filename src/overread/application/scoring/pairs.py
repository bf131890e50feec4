"""Pairs as a caller gives them: ready-made, or mappings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from overread.domain.report import ClinicalContext, Report, ReportPair
from overread.exceptions import InputError

__all__ = ["PairLike", "checked_pairs"]

_CONTEXT: Final = ("age", "sex", "indication", "comparison")

PairLike = ReportPair | Mapping[str, Any]
"""A mapping has id, reference, candidate and optionally age, sex, indication and comparison."""


def checked_pairs(pairs: Iterable[PairLike]) -> list[ReportPair]:
    """The pairs, made of mappings where they are such.

    Raises:
        InputError: if a pair lacks a field, holds something that is no text or an age that is none, or two pairs share
            an id.
    """
    seen: dict[str, int] = {}
    checked = []
    for row, pair in enumerate(pairs, start=1):
        made = pair if isinstance(pair, ReportPair) else _pair(pair, row)
        if made.id in seen:
            raise InputError("pairs", f"id {made.id!r} is also that of row {seen[made.id]}", row=row)
        seen[made.id] = row
        checked.append(made)
    return checked


def _known(value: Any) -> Any:
    """NaN is what tables in memory put for nothing."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _pair(fields: Mapping[str, Any], row: int) -> ReportPair:
    missing = [name for name in ("id", "reference", "candidate") if name not in fields]
    if missing:
        remedy = "each pair needs id, reference and candidate"
        raise InputError("pairs", f"missing {', '.join(missing)}", row=row, remedy=remedy)
    for name in ("reference", "candidate"):
        if not isinstance(fields[name], str | Report):
            problem = f"{name} is {type(fields[name]).__name__}, not text"
            raise InputError("pairs", problem, row=row, remedy="give an empty string for an empty report")
    try:
        context = ClinicalContext(**{key: _known(fields.get(key)) for key in _CONTEXT})
    except ValueError as error:
        problem, _, remedy = str(error).partition("; ")
        raise InputError("pairs", f"age is {problem}", row=row, remedy=remedy) from None
    return ReportPair(
        id=str(fields["id"]), reference=fields["reference"], candidate=fields["candidate"], context=context
    )
