"""Cutting a report into segments, so that overlapping spans can be marked without overlapping tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from attrs import frozen

from overread.domain.severity import Severity
from overread.infrastructure.views.wording import shown

__all__ = ["Mark", "Segment", "UnitMark", "segments"]


@frozen
class Mark:
    """A span of a numbered discrepancy."""

    start: int
    end: int
    number: int
    severity: Severity


@frozen
class UnitMark:
    """Where a unit stands, whether the other report matches it, its description, and whether any mass hangs on it."""

    start: int
    end: int
    matched: bool
    title: str
    weighs: bool = True

    @property
    def state(self) -> str:
        """How it is marked."""
        if not self.weighs:
            return "weightless"
        return "matched" if self.matched else "unmatched"


@frozen(kw_only=True)
class Segment:
    """A stretch of text whose marks do not change within it.

    Attributes:
        numbers: discrepancies that cover it; ``severity`` is that of the gravest.
        anchors: discrepancies that begin here for the first time in the report.
        closing: discrepancies with a span that ends here.
        unit: "matched", "unmatched", "weightless", or "" outside every unit.
    """

    text: str
    numbers: tuple[int, ...]
    severity: Severity | None
    anchors: tuple[int, ...]
    closing: tuple[int, ...]
    unit: str
    title: str


def segments(text: str, marks: Sequence[Mark], units: Sequence[UnitMark]) -> list[Segment]:
    """The text in order, cut at every begin and end of a span; joined, the segments are the text again."""
    marks = [mark for mark in marks if mark.start < mark.end]
    units = [unit for unit in units if unit.start < unit.end]
    bounds = sorted({0, len(text), *_inside(marks, len(text)), *_inside(units, len(text))})
    seen: set[int] = set()
    cut = []
    for start, end in pairwise(bounds):
        over = [mark for mark in marks if mark.start < end and mark.end > start]
        numbers = tuple(sorted({mark.number for mark in over}))
        unit = _innermost([item for item in units if item.start < end and item.end > start])
        cut.append(
            Segment(
                text=shown(text[start:end]),
                numbers=numbers,
                severity=_gravest(over),
                anchors=tuple(number for number in numbers if number not in seen),
                closing=tuple(sorted({mark.number for mark in over if min(mark.end, len(text)) == end})),
                unit=unit.state if unit else "",
                title=unit.title if unit else "",
            )
        )
        seen.update(numbers)
    return cut


def _inside(spans: Sequence[Mark] | Sequence[UnitMark], length: int) -> Iterable[int]:
    for span in spans:
        yield from (min(max(bound, 0), length) for bound in (span.start, span.end))


def _gravest(marks: Iterable[Mark]) -> Severity | None:
    order = tuple(Severity)
    return min((mark.severity for mark in marks), key=order.index, default=None)


def _innermost(units: Sequence[UnitMark]) -> UnitMark | None:
    return min(units, key=lambda item: item.end - item.start, default=None)
