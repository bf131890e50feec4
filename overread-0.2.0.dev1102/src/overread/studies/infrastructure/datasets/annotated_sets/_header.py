"""Header of a file of the generic format, for the whole set: targets with their directions, raters and metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import field, frozen

from overread.domain.results.annotation import Target
from overread.studies.infrastructure.datasets.annotated_sets._files import Row

__all__ = ["HEADER", "PREFERENCE", "Header", "is_count", "is_known"]

HEADER: Final = "benchmark"
"""Key of the line that holds it."""

PREFERENCE: Final = "preference"
"""Key of a line that holds a comparison."""

_COUNT: Final = re.compile(r"(total|significant|insignificant)(\.[A-H])?|corrupted")
_SEVERITY: Final = re.compile(r"severity(_sum)?")
_RATING: Final = "rating"
_KEYS: Final = frozenset({"name", "targets", "raters", "provided", "notes", "by_people"})


def is_count(target: str) -> bool:
    """Returns whether a target's name means a number of errors or a severity: never negative, and more is worse."""
    return bool(_COUNT.fullmatch(target) or _SEVERITY.fullmatch(target))


def is_known(column: str) -> bool:
    """Returns whether a column's name alone makes it a target; one named severity may hold a word."""
    return column == _RATING or _COUNT.fullmatch(column) is not None


@frozen
class Header:
    """The header of a file, or what stands in for it.

    Attributes:
        name: of the set.
        targets: by name, in order; None where the rows tell which there are.
        raters: names; empty where the rows tell how many there are.
        metrics: whether more is better, by name of a metric with scores in the set.
        notes: what was left out and why.
        by_people: whether people judged the pairs; None where it does not say so.
    """

    name: str = "pairs"
    targets: Mapping[str, Target] | None = None
    raters: tuple[str, ...] = ()
    metrics: Mapping[str, bool] = field(factory=dict)
    notes: tuple[str, ...] = ()
    by_people: bool | None = None

    @classmethod
    def read(cls, row: Row) -> Header:
        """The header that a row holds.

        Raises:
            InputError: if a key is unknown or its value cannot be used.
        """
        held = row.cells[HEADER]
        if not isinstance(held, dict) or held.keys() - _KEYS:
            raise row.fault(f"the header is not an object with the keys {', '.join(sorted(_KEYS))}")
        targets = None
        if "targets" in held:
            entries = _objects(row, held, "targets", "name")
            targets = {
                name: Target(name, _direction(row, entry, name), str(entry.get("label") or ""))
                for name, entry in entries.items()
            }
        metrics = _objects(row, held, "provided", "metric")
        if not isinstance(held.get("by_people", True), bool):
            raise row.fault("by_people of the header is neither true nor false")
        return cls(
            name=_names(row, {"name": [held.get("name", "pairs")]}, "name")[0],
            targets=targets,
            raters=_names(row, held, "raters"),
            metrics={name: _direction(row, entry, name) for name, entry in metrics.items()},
            notes=_names(row, held, "notes"),
            by_people=held.get("by_people"),
        )

    def direction(self, name: str, told: Mapping[str, bool], *, of_metric: bool = False) -> bool | None:
        """Returns whether more of a target is better; None if nothing tells.

        Args:
            name: of the target.
            told: what the user says, which takes precedence over the header.
            of_metric: whether ``name`` is of a metric instead, which may share the name of a target.
        """
        directions = (
            self.metrics
            if of_metric
            else {key: target.higher_is_better for key, target in (self.targets or {}).items()}
        )
        return told.get(name, directions.get(name, False if is_count(name) else None))


def _objects(row: Row, held: Mapping[str, Any], key: str, name: str) -> dict[str, Mapping[str, Any]]:
    """Objects of a list by their names, which are distinct."""
    entries = held.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise row.fault(f"{key} of the header is not a list of objects")
    names = _names(row, {key: [entry.get(name) for entry in entries]}, key)
    return dict(zip(names, entries, strict=True))


def _names(row: Row, held: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = held.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise row.fault(f"{key} of the header is not a list of names")
    _distinct(row, names, key)
    return tuple(names)


def _distinct(row: Row, names: Iterable[str], key: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise row.fault(f"{key} of the header names {name} twice")
        seen.add(name)


def _direction(row: Row, entry: Mapping[str, Any], name: str) -> bool:
    higher = entry.get("higher_is_better")
    if not isinstance(higher, bool):
        raise row.fault(f"the header does not say whether more of {name} is better", "higher_is_better: true or false")
    return higher
