"""Features of the structured rival: how two reports' units differ as sets, without any plan between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import numpy as np
import numpy.typing as npt

from overread.domain.differences.cost import jaccard, tokens
from overread.domain.findings.unit import ClinicalUnit
from overread.studies.application.reproduction.radot.reading import ReadSet

__all__ = ["COUNT_NAMES", "SHARE_NAMES", "finding_of", "structured_features"]

Matrix = npt.NDArray[np.float64]
Statement = tuple[str, str]
"""A finding and one value of an attribute of it."""

_ATTRIBUTES: Final[Mapping[str, Callable[[ClinicalUnit], Iterable[str | None]]]] = {
    "polarity": lambda unit: (unit.polarity,),
    "anatomy": lambda unit: unit.anatomy,
    "uncertainty": lambda unit: (unit.certainty,),
    "comparison": lambda unit: (unit.change,),
    "device": lambda unit: (unit.device_status or unit.device,),
    "modifier": lambda unit: unit.modifiers,
    "severity": lambda unit: (unit.severity,),
}
"""The attributes of Table IX, compared between the findings that both reports name."""

_CHANNELS: Final = ("finding", *_ATTRIBUTES)

COUNT_NAMES: Final = tuple(f"{channel}_{side}" for channel in _CHANNELS for side in ("omitted", "added"))
"""Statements that only the reference, only the candidate makes."""

SHARE_NAMES: Final = tuple(f"{channel}_distance" for channel in _CHANNELS)
"""One less the Jaccard similarity of both reports' statements."""


def finding_of(unit: ClinicalUnit) -> str:
    """Subject of a unit: its canonical finding, or its words if it was not read."""
    return unit.canonical_finding or " ".join(sorted(tokens(unit.span_text)))


def structured_features(data: ReadSet) -> Matrix:
    """Counts and distances of each pair, pairs x (`COUNT_NAMES` and `SHARE_NAMES`); 0 is agreement.

    Findings are compared as sets. Attributes are compared between the findings that both reports name, so that a
    finding that is left out is one discrepancy and not one for each of its attributes.
    """
    rows = [_row(pair.reference, pair.candidate) for pair in data.units]
    return np.array(rows, dtype=np.float64).reshape(len(data), len(COUNT_NAMES) + len(SHARE_NAMES))


def _row(reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> list[float]:
    named = {finding_of(unit) for unit in reference}, {finding_of(unit) for unit in candidate}
    both = named[0] & named[1]
    compared: list[tuple[AbstractSet[object], AbstractSet[object]]] = [named]
    compared += [
        (_stated_values(reference, values, both), _stated_values(candidate, values, both))
        for values in _ATTRIBUTES.values()
    ]
    counts = [float(len(side)) for first, second in compared for side in (first - second, second - first)]
    return counts + [1.0 - jaccard(first, second) for first, second in compared]


def _stated_values(
    units: Sequence[ClinicalUnit],
    values: Callable[[ClinicalUnit], Iterable[str | None]],
    findings: AbstractSet[str],
) -> set[Statement]:
    named = ((finding_of(unit), unit) for unit in units)
    return {(name, value) for name, unit in named if name in findings for value in values(unit) if value is not None}
