"""Start of a finding's noun phrase in a text, and the word that is its head."""

from __future__ import annotations

import re
from typing import Final

from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Span
from overread.studies.application.synthesis.edits.reading import Reading

__all__ = ["front", "head", "head_span"]

_BEHIND_HEAD: Final = re.compile(
    r"\s+(?:of|in|at|on|along|within|under|over|with|to|from|anterior|posterior)\b", re.IGNORECASE
)
_VERB: Final = re.compile(r"\b(?:is|are|was|were|has|have|appears?|remains?|contains?|shows?|ends?)\b", re.IGNORECASE)
_LEAD: Final = re.compile(
    r"(?:there (?:is|are|may be)|note is made of|also|again|seen|noted|an?|the)\s+", re.IGNORECASE
)
_COURSE: Final = re.compile(
    r"(?:(?:new|unchanged|stable|increas\w+|decreas\w+|worsen\w+|improv\w+|progressive|persistent|enlarging|resolving"
    r"|possible|probable|suspected|likely|questionable|multiple|\d+(?:\.\d+)?[ -]?[mc]m)\s+)+",
    re.IGNORECASE,
)
_ADJECTIVES: Final = re.compile(
    r"(?:(?<![\w-])(?!(?:there|is|are|was|were|an?|the|with|and|or|of|in|on|at|to|no|made|also|again|seen|noted|has"
    r"|have|shows?)\b)[A-Za-z0-9][\w.-]* )+\Z",
    re.IGNORECASE,
)
"""Words that lead up to a phrase and are neither article, verb nor preposition."""


def head_span(reading: Reading, unit: ClinicalUnit) -> Span | None:
    """Span of the head of the finding's noun phrase; None if its words are not a plain noun phrase."""
    surface = reading.surface(unit)
    if surface is None or _VERB.search(surface.of(reading.text)):
        return None
    behind = _BEHIND_HEAD.search(surface.of(reading.text))
    end = surface.start + (behind.start() if behind else len(surface.of(reading.text)))
    start = max(reading.text.rfind(" ", surface.start, end), reading.text.rfind("\n", surface.start, end)) + 1
    return Span(max(start, surface.start), end)


def head(reading: Reading, unit: ClinicalUnit) -> str:
    """The head of the finding's noun phrase in lower case; "" where there is none."""
    span = head_span(reading, unit)
    return "" if span is None else span.of(reading.text).lower()


def front(reading: Reading, unit: ClinicalUnit, *, behind_course: bool = False) -> int | None:
    """Start of the finding's noun phrase, after its article; None if something else comes before the head.

    Args:
        reading: the report.
        unit: the finding.
        behind_course: whether to skip words of change, doubt and size too, up to where a degree belongs.
    """
    span = head_span(reading, unit)
    if span is None:
        return None
    sentence = reading.sentence(unit)
    floor = unit.start if sentence is None else sentence.start
    before = _ADJECTIVES.search(reading.text[floor : unit.start])
    at = unit.start - (len(before[0]) if before else 0)
    while lead := _LEAD.match(reading.text, at, span.start):
        at = lead.end()
    if re.search(r"[,;:.]", reading.text[at : span.start]) or _VERB.search(reading.text, at, span.start):
        return None
    if behind_course and (course := _COURSE.match(reading.text, at, span.start)):
        at = course.end()
    return at
