"""The rows of unit tables: what was read of a report, as plain values and back.

A row that was changed, or belongs to another report, must not become a score: all that a row holds is checked against
the report it is wanted for.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from cattrs import Converter

from overread.application.ports import Extraction
from overread.domain.findings.unit import ClinicalUnit, Measurement
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored

__all__ = ["digest_of", "extraction_of", "is_row", "row_of"]

_DIGEST: Final = re.compile("[0-9a-f]{64}")
_LONGEST_REASON: Final = 100


def digest_of(report: Report) -> str:
    """SHA-256 of a report's text, by which a table knows it."""
    return hashlib.sha256(report.text.encode(errors="surrogatepass")).hexdigest()


def row_of(report: Report, extraction: Extraction) -> dict[str, Any]:
    """The row of a report: its digest, its units, and reason and detail if it could not be read."""
    row: dict[str, Any] = {"report": digest_of(report), "reason": None, "detail": None, "units": []}
    if isinstance(extraction, Unscored):
        return row | {"reason": extraction.reason, "detail": extraction.detail}
    return row | {"units": [_CONVERTER.unstructure(unit) for unit in extraction]}


def is_row(row: object) -> bool:
    """Return whether a value may be a row: it has a report's digest and a list of units, which need not be valid."""
    if not isinstance(row, dict) or not isinstance(row.get("units"), list):
        return False
    digest = row.get("report")
    return isinstance(digest, str) and _DIGEST.fullmatch(digest) is not None


def extraction_of(row: Mapping[str, Any], report: Report) -> Extraction:
    """The extraction of a report that a row holds.

    Raises:
        ValueError: if a field is missing, of another type or out of its range; if there are units beside a reason; or
            if the words of a unit are not those that stand in the report where it says.
    """
    reason, detail = row.get("reason"), row.get("detail")
    if reason is not None:
        if not _is_reason(reason) or not isinstance(detail, str | None) or row["units"]:
            raise ValueError("no reason for which a report was not read")
        return Unscored(reason, detail or "")
    try:
        units = tuple(_CONVERTER.structure(row["units"], list[ClinicalUnit]))
    except Exception as error:  # cattrs gathers whatever conversion raises
        raise ValueError("no units") from error
    if not all(_is_sound(unit, report.text) for unit in units):
        raise ValueError("not the units of this report")
    return units


def _is_reason(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and 0 < len(value.strip()) <= len(value) <= _LONGEST_REASON


def _is_sound(unit: ClinicalUnit, text: str) -> bool:
    return (
        0 <= unit.start < unit.end <= len(text)
        and _letters(unit.span_text) == _letters(unit.span.of(text))
        and unit.sentence_index >= 0
        and 0 <= unit.confidence <= 1
        and all(size.value >= 0 and size.millimetres >= 0 for size in unit.measurements)
    )


def _letters(text: str) -> str:
    """A text without white space: readers even out line ends and byte order marks before they quote."""
    return "".join(text.replace("\ufeff", " ").split())


def _converter() -> Converter:
    """Units to plain values and back: enums by value, sets as sorted lists."""
    converter = Converter(forbid_extra_keys=True, unstruct_collection_overrides={frozenset: sorted})
    # By identity: members of a StrEnum are texts too, and must come back as members.
    converter.register_structure_hook_func(lambda kind: kind is str, _text)
    converter.register_structure_hook_func(lambda kind: kind == frozenset[str], _labels)
    converter.register_structure_hook_func(lambda kind: kind == tuple[Measurement, ...], _sizes)
    converter.register_structure_hook(int, _whole)
    converter.register_structure_hook(float, _number)
    return converter


def _text(value: Any, _: type[str]) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value


def _labels(value: Any, _: Any) -> frozenset[str]:
    return frozenset(_text(label, str) for label in _list(value))


def _sizes(value: Any, _: Any) -> tuple[Measurement, ...]:
    return tuple(_CONVERTER.structure(size, Measurement) for size in _list(value))


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value


def _whole(value: Any, _: type[int]) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("not a whole number")
    return value


def _number(value: Any, _: type[float]) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise TypeError("not a finite number")
    return float(value)


_CONVERTER: Final = _converter()
