"""Cutting a report into segments, so that overlapping spans can be marked without overlapping tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from attrs import field, frozen

from overread.domain.findings.signs import Cue, CueKind
from overread.domain.vocabulary.severity import Severity
from overread.infrastructure.views.wording import make_printable

__all__ = ["COMPARED", "TONES", "Ground", "Mark", "Segment", "segments"]

COMPARED: Final = "compared"
"""Tone of what a metric compared and did not grade."""

TONES: Final = (*(severity.value for severity in Severity), COMPARED)
"""How marks look, the gravest first."""


@frozen
class Mark:
    """A span of what bears a number in the list beside the reports."""

    start: int
    end: int
    number: int
    tone: str


@frozen
class Ground:
    """A span of words beneath the marks, with what is known of them.

    Attributes:
        state: "unit" for what was read, "unread" for what was not, "matched" for what the other report has, too,
            "alone" for what it lacks.
        title: what the words were read as, "" for nothing.
    """

    start: int
    end: int
    state: str
    title: str = ""


@frozen(kw_only=True)
class Segment:
    """A stretch of text whose marks do not change within it.

    Attributes:
        numbers: what covers it; ``tone`` is that of the gravest, "" for none.
        anchors: numbers that begin here for the first time in the report.
        closing: numbers with a span that ends here.
        ground: state of the innermost ground, "" outside of all.
        cue: whether it is part of a cue, and of which kind.
    """

    text: str = field(repr=False)
    numbers: tuple[int, ...]
    tone: str
    anchors: tuple[int, ...]
    closing: tuple[int, ...]
    ground: str
    title: str
    cue: CueKind | None = None


def segments(text: str, marks: Sequence[Mark], grounds: Sequence[Ground], cues: Sequence[Cue] = ()) -> list[Segment]:
    """The text in order, cut at every begin and end of a span; joined, the segments are the text again."""
    marks = [mark for mark in marks if mark.start < mark.end]
    grounds = [ground for ground in grounds if ground.start < ground.end]
    bounds = sorted({0, len(text), *(bound for spans in (marks, grounds, cues) for bound in _inside(spans, len(text)))})
    seen: set[int] = set()
    cut = []
    for start, end in pairwise(bounds):
        over = [mark for mark in marks if mark.start < end and mark.end > start]
        numbers = tuple(sorted({mark.number for mark in over}))
        ground = _innermost([item for item in grounds if item.start < end and item.end > start])
        cut.append(
            Segment(
                text=make_printable(text[start:end]),
                numbers=numbers,
                tone=min((mark.tone for mark in over), key=TONES.index, default=""),
                anchors=tuple(number for number in numbers if number not in seen),
                closing=tuple(sorted({mark.number for mark in over if min(mark.end, len(text)) == end})),
                ground=ground.state if ground else "",
                title=ground.title if ground else "",
                cue=next((cue.kind for cue in cues if cue.start < end and cue.end > start), None),
            )
        )
        seen.update(numbers)
    return cut


def _inside(spans: Iterable[Mark | Ground | Cue], length: int) -> Iterable[int]:
    for span in spans:
        yield from (min(max(bound, 0), length) for bound in (span.start, span.end))


def _innermost(grounds: Sequence[Ground]) -> Ground | None:
    return min(grounds, key=lambda item: item.end - item.start, default=None)
