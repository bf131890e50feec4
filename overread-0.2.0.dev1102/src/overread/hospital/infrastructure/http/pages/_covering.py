"""Route of the page of coverage: what came, by which door and when, and what seems to be missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final

from attrs import field, frozen
from fastapi import Query, Request
from starlette.responses import Response

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.coverage import MOST_MISSES, Coverage, FeedState
from overread.hospital.infrastructure.http._access import Reviewer
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages._answers import page
from overread.infrastructure.views.wording import one_line

__all__ = ["COVERAGE", "coverage_page"]

COVERAGE: Final = "/coverage"

_HOURS: Final = 168
"""Rows of hours that are shown, the newest first."""

_DIFFERENCES: Final = {
    "site": "another site",
    "blanks": "blanks",
    "case": "small and capital letters",
    "hyphen": "hyphens or dots",
    "zeros": "leading zeros",
    "prefix": "letters in front",
}


@frozen(kw_only=True)
class _FeedLine:
    door: str
    site: str
    last: str
    last_iso: str
    silent: str
    counted: FeedState


@frozen(kw_only=True)
class _HourLine:
    hour: str
    door: str
    site: str
    numbers: tuple[int, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class _RefusedLine:
    door: str
    reason: str
    messages: int
    last: str


@frozen(kw_only=True)
class _MissLine:
    unfinished: str
    final: str
    modality: str
    difference: str


def coverage_page(
    request: Request,
    actor: Reviewer,
    days: Annotated[int, Query(ge=1, le=92)] = 7,
    open_days: Annotated[int, Query(ge=0, le=92)] = 3,
) -> Response:
    """Feeds, hours, refusals, and examinations that lack their counterpart."""
    coverage = served_of(request).hospital.coverage(
        by=actor, lasting=timedelta(days=days), open_after=timedelta(days=open_days)
    )
    return page(
        request,
        "coverage.html.j2",
        actor,
        title="Coverage",
        place=COVERAGE,
        days=days,
        open_days=open_days,
        feeds=[_feed(feed) for feed in coverage.feeds],
        hours=_hours(coverage),
        hours_total=len(coverage.hours),
        refused=_refused(coverage),
        misses=[
            _MissLine(
                unfinished=_key(miss.unfinished.site, miss.unfinished.accession),
                final=_key(miss.final.site, miss.final.accession),
                modality=one_line(miss.modality),
                difference=_DIFFERENCES[miss.difference.value],
            )
            for miss in coverage.near_misses
        ],
        misses_total=coverage.near_misses_total,
        most_misses=MOST_MISSES,
    )


def _feed(feed: FeedState) -> _FeedLine:
    return _FeedLine(
        door=words.source_words(feed.door),
        site=one_line(feed.site),
        last=words.moment(feed.last),
        last_iso=feed.last.isoformat(),
        silent=words.moment(feed.silent_since) if feed.silent_since else "",
        counted=feed,
    )


def _hours(coverage: Coverage) -> list[_HourLine]:
    newest = sorted(coverage.hours, key=lambda hour: (hour.hour, hour.door, hour.site), reverse=True)
    return [
        _HourLine(
            hour=_local(hour.hour),
            door=words.source_words(hour.door),
            site=one_line(hour.site),
            numbers=(hour.messages, hour.versions, hour.pairs),
        )
        for hour in newest[:_HOURS]
    ]


def _refused(coverage: Coverage) -> Sequence[_RefusedLine]:
    counts: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], datetime] = {}
    for hour in coverage.refused:
        counts[hour.door, hour.reason] += hour.messages
        last[hour.door, hour.reason] = hour.hour
    return [
        _RefusedLine(
            door=words.source_words(door), reason=one_line(reason), messages=count, last=_local(last[door, reason])
        )
        for (door, reason), count in counts.most_common()
    ]


def _key(site: str, accession: str) -> str:
    return f"{one_line(accession)}, {one_line(site)}"


def _local(hour: datetime) -> str:
    return f"{hour:%a} {hour.day} {hour:%b %Y, %H:%M} ({hour:%z})"
