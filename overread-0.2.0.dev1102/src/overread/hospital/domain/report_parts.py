"""Joined reports: what one text says of each of several examinations.

Two ways lead to one. Where a side reports in several reports what the other reports in one, their texts are joined, and
each is a part. And a report on several examinations may go through them one by one under their titles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve

from overread.domain.reports.report import Report, ReportPart
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.report_version import ReportVersion

__all__ = ["joined_report"]

_BETWEEN: Final = "\n\n"
"""Separator between the texts of several versions."""

_LABEL: Final = re.compile(r"(?i)^(?:exam(?:ination)?|procedure|study)(?: (?:type|name|performed))?\s*[:\-]\s*")
_WORD: Final = re.compile(r"[^\W_]+")
_LINE: Final = re.compile(r"[^\r\n]+")
_CONCLUDES: Final = re.compile(r"(?im)^[^\w\n]*(?:impressions?|conclusions?|opinion|summary)\b")


def joined_report(versions: Sequence[ReportVersion], numbers: Mapping[ExaminationKey, int]) -> Report:
    """The texts of one side of a pair as one report, with its parts where they can be told apart.

    Args:
        versions: in the order of their texts.
        numbers: of all examinations of the pair: by them a part of one report is known in the other.
    """
    parts: list[ReportPart] = []
    start = 0
    for version in versions:
        own = _titled_parts(version, numbers)
        if not own and len(versions) > 1:
            own = [ReportPart(0, len(version.text.text), frozenset(numbers[key] for key in version.keys))]
        parts += (evolve(part, start=part.start + start, end=part.end + start) for part in own)
        start += len(version.text.text) + len(_BETWEEN)
    return Report(_BETWEEN.join(version.text.text for version in versions), parts)


def _titled_parts(version: ReportVersion, numbers: Mapping[ExaminationKey, int]) -> list[ReportPart]:
    """Parts of a report that goes through its examinations under their titles, each once; else none.

    One conclusion for all of them would be the last one's: where some part has none and another has, nothing is parted.
    """
    text = version.text.text
    begins = [_title(text, examination) for examination in version.examinations]
    if len(begins) == 1 or None in begins or len(set(begins)) < len(begins):
        return []
    openings = sorted(
        (begin, numbers[key]) for begin, key in zip(begins, version.keys, strict=True) if begin is not None
    )
    ends = [*(begin for begin, _ in openings[1:]), len(text)]
    parts = [ReportPart(begin, end, frozenset({number})) for (begin, number), end in zip(openings, ends, strict=True)]
    concluded = {_CONCLUDES.search(text, part.start, part.end) is not None for part in parts}
    return parts if len(concluded) == 1 else []


def _title(text: str, examination: Examination) -> int | None:
    """Start of the only line that holds an examination's name and nothing else."""
    name = _WORD.findall(examination.procedure.lower())
    lines = [line.start() for line in _LINE.finditer(text) if name and _unlabelled_words(line.group()) == name]
    return lines[0] if len(lines) == 1 else None


def _unlabelled_words(line: str) -> list[str]:
    """Words of a line without a label before them."""
    return _WORD.findall(_LABEL.sub("", line.strip()).lower())
