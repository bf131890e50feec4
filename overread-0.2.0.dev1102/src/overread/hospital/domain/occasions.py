"""Versions by the examination that they are of, where an accession number was used again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import field, frozen

from overread.hospital.domain.report_version import KeptVersion, ReportStatus
from overread.hospital.domain.version_times import find_creation_time, find_examination_time

__all__ = ["Occasion", "occasions"]

_USED_AGAIN: Final = timedelta(days=180)
"""Least time between two examinations of one accession number: no report is of both."""

_OF_THE_LAST: Final = frozenset({ReportStatus.CORRECTED, ReportStatus.ADDENDUM, ReportStatus.CANCELLED})
"""Statuses that only follow a report, however much later, and are no sign that something new began."""


@frozen
class Occasion:
    """Versions that are of one use of their accession numbers.

    Attributes:
        versions: in the order given.
        is_sure: whether a version says that its examination was performed then, or no occasion was before; else a
            report that nobody foresaw came half a year after all others, and nothing tells what it is of.
    """

    versions: list[KeptVersion] = field(factory=list)
    is_sure: bool = True


def occasions(versions: Sequence[KeptVersion]) -> list[Occasion]:
    """Versions by when their examinations were performed.

    A report that does not tell is of the examination of the one made next to it, less than half a year apart; else it
    counts by when it was made. A correction that does not tell is of the last that began before it; one that tells
    repeats when the examination was performed, however much later it comes.
    """
    dated = [
        version for version in versions if find_examination_time(version) is not None and not _only_follows(version)
    ]
    begins: list[datetime] = []
    before: datetime | None = None
    for moment in sorted(
        _moment(version, dated) for version in versions if find_examination_time(version) or not _only_follows(version)
    ):
        if before is None or moment - before >= _USED_AGAIN:
            begins.append(moment)
        before = moment
    groups: list[list[KeptVersion]] = [[] for _ in begins] or [[]]
    for version in versions:
        groups[max(0, bisect_right(begins, _moment(version, dated)) - 1)].append(version)
    return [Occasion(group, place == 0 or any(map(find_examination_time, group))) for place, group in enumerate(groups)]


def _moment(version: KeptVersion, dated: Sequence[KeptVersion]) -> datetime:
    return find_examination_time(version) or _performed_beside(version, dated) or find_creation_time(version)


def _performed_beside(version: KeptVersion, dated: Sequence[KeptVersion]) -> datetime | None:
    """Time of the examination whose report was made closest to a version that does not give its own."""
    apart = [
        (abs(find_creation_time(other) - find_creation_time(version)), moment)
        for other in dated
        if (moment := find_examination_time(other)) is not None
    ]
    nearest, moment = min(apart, default=(_USED_AGAIN, None))
    return moment if nearest < _USED_AGAIN and not _only_follows(version) else None


def _only_follows(version: KeptVersion) -> bool:
    return version.version.status in _OF_THE_LAST
