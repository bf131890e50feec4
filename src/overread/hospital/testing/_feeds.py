"""The feeds of a store in memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from attrs import frozen

from overread.hospital.application.coverage import FeedCounts, HalfPair, RefusedHour
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.report_version import EARLY, FINISHED, KeptVersion, ReportStatus
from overread.hospital.testing._rows import examination_of
from overread.hospital.testing._state import State

__all__ = ["MemoryFeeds"]

_ENDED: Final = frozenset({*FINISHED, ReportStatus.CANCELLED})


@frozen
class MemoryFeeds:
    """The feeds within one unit of work."""

    tables: State

    def counts(self, since: datetime, until: datetime, steps: Mapping[str, int] | None = None) -> Sequence[FeedCounts]:
        """Numbers of each feed by quarters of an hour, whatever steps would do."""
        del steps
        messages: defaultdict[tuple[Feed, datetime], list[str]] = defaultdict(list)
        for kept in self._within(since, until):
            messages[_feed(kept), _quarter(kept.arrived)].append(kept.version.message)
        counts = [
            FeedCounts(
                feed=feed,
                quarter=quarter,
                messages=len({name for name in names if name}) + names.count(""),
                versions=len(names),
            )
            for (feed, quarter), names in messages.items()
        ]
        return [*counts, *self._pairs(since, until)]

    def _pairs(self, since: datetime, until: datetime) -> Iterator[FeedCounts]:
        for row in self.tables.pairs.values():
            references = [self.tables.versions[number].kept for number in row.pair.reference]
            if references and since <= (arrived := max(kept.arrived for kept in references)) < until:
                yield FeedCounts(feed=_feed(references[0]), quarter=_quarter(arrived), pairs=1)

    def refused(self, since: datetime, until: datetime) -> Sequence[RefusedHour]:
        """Refused messages by door, reason and quarter of an hour."""
        counts = Counter(
            (refusal.source, refusal.reason, _quarter(refusal.at))
            for refusal in self.tables.refusals.values()
            if since <= refusal.at < until
        )
        return [
            RefusedHour(door=door, hour=quarter, reason=reason, messages=count)
            for (door, reason, quarter), count in counts.items()
        ]

    def last(self) -> Mapping[Feed, datetime]:
        """The last message of each feed."""
        last: dict[Feed, datetime] = {}
        for kept in self._every():
            last[_feed(kept)] = max(kept.arrived, last.get(_feed(kept), kept.arrived))
        return last

    def finals_alone(self, since: datetime, until: datetime) -> Mapping[Feed, int]:
        """Numbers of examinations with a final report in the window and neither a draft nor a preliminary one."""
        return self._counted(since, until, FINISHED, EARLY)

    def preliminaries_open(self, since: datetime, until: datetime) -> Mapping[Feed, int]:
        """Numbers of examinations with a draft or preliminary report in the window and no final or cancelled one."""
        return self._counted(since, until, EARLY, _ENDED)

    def twins(self, since: datetime, until: datetime, limit: int) -> Sequence[tuple[HalfPair, HalfPair]]:
        """Two examinations of one patient and modality each, one without a final, one with nothing else."""
        ones = [key for _, key in self._lacking(since, until, EARLY, _ENDED)]
        others = [key for _, key in self._lacking(since, until, FINISHED, EARLY)]
        pairs = [(one, other) for one in dict.fromkeys(ones) for other in dict.fromkeys(others)]
        alike = [
            (one, other) for one, other in pairs if self._patient(one) and self._patient(one) == self._patient(other)
        ]
        halves = [(self._half(one), self._half(other)) for one, other in alike]
        twins = [(one, other) for one, other in halves if one.modality and one.modality == other.modality]
        return sorted(twins, key=lambda twin: (twin[0].key, twin[1].key))[:limit]

    def arrivals(self, feed: Feed, since: datetime) -> Sequence[datetime]:
        """Moments since one at which messages of a feed came, in order."""
        return sorted({kept.arrived for kept in self._every() if _feed(kept) == feed and kept.arrived >= since})

    def silences(self) -> Mapping[Feed, datetime]:
        """Feeds that are silent, each with when its last message came."""
        return dict(self.tables.silences)

    def begin_silence(self, feed: Feed, *, since: datetime, noticed: datetime) -> bool:
        """Keep that a feed is silent; False if that is known."""
        _ = noticed
        is_new = feed not in self.tables.silences
        self.tables.silences.setdefault(feed, since)
        return is_new

    def end_silence(self, feed: Feed) -> datetime | None:
        """Forget that a feed is silent; since when it was, None if it was not."""
        return self.tables.silences.pop(feed, None)

    def _every(self) -> list[KeptVersion]:
        return [row.kept for row in self.tables.versions.values()]

    def _within(self, since: datetime, until: datetime) -> list[KeptVersion]:
        return [kept for kept in self._every() if since <= kept.arrived < until]

    def _statuses(self, key: ExaminationKey) -> set[ReportStatus]:
        return {kept.version.status for kept in self._every() if key in kept.version.keys}

    def _lacking(
        self, since: datetime, until: datetime, having: Collection[ReportStatus], lacking: Collection[ReportStatus]
    ) -> set[tuple[Feed, ExaminationKey]]:
        return {
            (_feed(kept), key)
            for kept in self._within(since, until)
            if kept.version.status in having
            for key in kept.version.keys
            if self._statuses(key).isdisjoint(lacking)
        }

    def _counted(
        self, since: datetime, until: datetime, having: Collection[ReportStatus], lacking: Collection[ReportStatus]
    ) -> Mapping[Feed, int]:
        return Counter(feed for feed, _ in self._lacking(since, until, having, lacking))

    def _patient(self, key: ExaminationKey) -> str:
        patient = examination_of(self.tables, key).patient
        return self.tables.merged.get((key.site, patient), patient)

    def _half(self, key: ExaminationKey) -> HalfPair:
        examination = examination_of(self.tables, key)
        first = min(kept.arrived for kept in self._every() if key in kept.version.keys)
        return HalfPair(key=key, modality=examination.modality, at=examination.performed or first)


def _feed(kept: KeptVersion) -> Feed:
    return Feed(kept.version.source, kept.version.examinations[0].site)


def _quarter(moment: datetime) -> datetime:
    return moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)
