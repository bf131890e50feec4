"""A corpus in shards: each is scored as a whole and committed, so that a run that is stopped goes on after the last."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol

from attrs import field, frozen

from overread.application.batching import batches
from overread.application.scoring.corpus import BadRow, CorpusSummary, MetricSummary, ResultSink, Row, evaluate_corpus
from overread.application.scoring.evaluate import EvaluationService, Progress
from overread.application.scoring.fingerprint import Fingerprint
from overread.domain.reports.report import ReportPair
from overread.exceptions import InputError

__all__ = [
    "Engine",
    "InProcessEngine",
    "Ledger",
    "MissingShards",
    "Row",
    "Shard",
    "ShardFiles",
    "ShardRecord",
    "ShardScorer",
    "ShardSink",
    "score_shards",
]


@frozen
class Shard:
    """Rows that are scored together.

    Attributes:
        number: from 0, in the order of the input.
        first: 1-based place of the first row among all rows.
    """

    number: int
    first: int
    rows: Sequence[Row] = field(repr=False)

    @property
    def place(self) -> str:
        """Range of these rows, in words."""
        return f"pairs {self.first:,} to {self.first + len(self.rows) - 1:,}"

    @property
    def digest(self) -> str:
        """SHA-256 over all that a score of these rows can depend on, and their ids."""
        digest = hashlib.sha256()
        for row in self.rows:
            digest.update(_content(row).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


@frozen(kw_only=True)
class ShardRecord:
    """Record of a shard that is scored and on the disk.

    Attributes:
        number: of the shard.
        rows: number of rows.
        input: digest of the rows.
        size: bytes of its file.
        sha256: digest of its file.
        metrics: summary of its results by metric.
        fingerprint: of the pairs that it could read; None in a record that predates fingerprints.
    """

    number: int
    rows: int
    input: str
    size: int
    sha256: str
    metrics: Mapping[str, MetricSummary]
    fingerprint: Fingerprint | None = None


class ShardSink(ResultSink, Protocol):
    """Destination of the results of one shard."""

    @property
    def size(self) -> int:
        """Bytes of the file, once it is whole."""
        ...

    @property
    def sha256(self) -> str:
        """Digest of the file, once it is whole."""
        ...


class ShardFiles(Protocol):
    """Storage of shards."""

    def writing(self, number: int) -> AbstractContextManager[ShardSink]:
        """A sink whose results are on the disk, whole, when the context ends; or not at all."""
        ...

    def attempts(self, number: int) -> int:
        """Number of processes that began to write a shard and neither finished nor failed: still writing, or dead."""
        ...


class Ledger(Protocol):
    """Keeps what is committed."""

    @property
    def kept(self) -> Mapping[int, ShardRecord]:
        """The committed shards by number."""
        ...

    def commit(self, record: ShardRecord) -> None:
        """Keep a record before this returns."""
        ...


class Engine(Protocol):
    """Scores shards, somewhere."""

    @property
    def signatures(self) -> Mapping[str, str]:
        """Signature by metric, in the order of the metrics."""
        ...

    def score(self, shards: Iterable[Shard], on_progress: Progress) -> Iterator[ShardRecord]:
        """The records of the shards, whose files are then on the disk, in any order.

        Shards are taken a few at a time. If taking one fails, those taken before are scored first.

        Args:
            shards: to be scored.
            on_progress: called with the number of rows scored so far.
        """
        ...


@frozen(eq=False)
class ShardScorer:
    """Scores a shard and puts its results into a file."""

    service: EvaluationService
    files: ShardFiles

    @property
    def signatures(self) -> Mapping[str, str]:
        """Signature by metric."""
        return {metric.name: str(metric.signature) for metric in self.service.metrics}

    def score(self, shard: Shard, on_progress: Progress | None = None) -> ShardRecord:
        """The record of the shard, whose file is then on the disk."""
        with self.files.writing(shard.number) as sink:
            summary = evaluate_corpus(self.service, shard.rows, sink, on_progress=on_progress)
        return ShardRecord(
            number=shard.number,
            rows=len(shard.rows),
            input=shard.digest,
            size=sink.size,
            sha256=sink.sha256,
            metrics=summary.metrics,
            fingerprint=Fingerprint.of(row for row in shard.rows if isinstance(row, ReportPair)),
        )


@frozen(eq=False)
class InProcessEngine:
    """An `Engine` in this process, one shard after another."""

    scorer: ShardScorer

    @property
    def signatures(self) -> Mapping[str, str]:
        """Signature by metric."""
        return self.scorer.signatures

    def score(self, shards: Iterable[Shard], on_progress: Progress) -> Iterator[ShardRecord]:
        """The records of the shards, in order."""
        done = 0
        for shard in shards:
            yield self.scorer.score(shard, partial(_report_progress, on_progress, done))
            done += len(shard.rows)


def _report_progress(on_progress: Progress, before: int, rows: int) -> None:
    on_progress(before + rows)


@frozen(eq=False)
class MissingShards:
    """The shards of an input that are not yet committed; going through them checks that the others are as they were.

    Attributes:
        source: name of the input.
        read: the rows of the input, from the first.
        rows: of a shard; the last may have fewer.
        kept: input digest and number of rows of each committed shard, by its number.

    Raises:
        InputError: when gone through, if a committed shard was made of other rows than stand there now.
    """

    source: str
    read: Callable[[], Iterable[Row]]
    rows: int
    kept: Mapping[int, tuple[str, int]]

    def __iter__(self) -> Iterator[Shard]:
        number, count = -1, 0
        for number, rows in enumerate(batches(self.read(), self.rows)):
            shard = Shard(number, count + 1, rows)
            count += len(rows)
            if number not in self.kept:
                yield shard
            elif self.kept[number][0] != shard.digest:
                problem = f"{shard.place} have changed since they were scored"
                raise InputError(self.source, problem, remedy=_AS_BEFORE)
        if any(committed > number for committed in self.kept):
            problem = f"has {count:,} pairs now, fewer than were scored before"
            raise InputError(self.source, problem, remedy=_AS_BEFORE)


_AS_BEFORE = "restore the file, or score everything again with `restart`"


def score_shards(
    missing: MissingShards, engine: Engine, ledger: Ledger, *, on_progress: Progress | None = None
) -> CorpusSummary:
    """Scores what is missing and commits it shard by shard; the summary is of all shards, whoever scored them.

    Args:
        missing: shards that ``ledger`` does not have.
        engine: scores them.
        ledger: is told of each as soon as it is scored.
        on_progress: called with the number of rows done, those committed before included.
    """
    before = sum(record.rows for record in ledger.kept.values())
    notify = on_progress or _unheard
    notify(before)
    for record in engine.score(missing, lambda done: notify(before + done)):
        ledger.commit(record)
    return _summary([ledger.kept[number] for number in sorted(ledger.kept)], tuple(engine.signatures))


def _unheard(_: int) -> None:
    """Nobody wants to know."""


def _summary(records: Sequence[ShardRecord], metrics: Sequence[str]) -> CorpusSummary:
    """Sums in the order of the shards and exactly, so that they are the same whatever order they were made in."""
    return CorpusSummary(
        sum(record.rows for record in records),
        {name: _join_summaries([record.metrics[name] for record in records]) for name in metrics},
    )


def _join_summaries(parts: Sequence[MetricSummary]) -> MetricSummary:
    unscored: Counter[str] = Counter()
    for part in parts:
        unscored.update(part.unscored)
    names = dict.fromkeys(name for part in parts for name in part.sums)
    return MetricSummary(
        scored=sum(part.scored for part in parts),
        truncated=sum(part.truncated for part in parts),
        total=_sum([part.total for part in parts]),
        unscored=unscored,
        sums={name: _sum([part.sums.get(name, 0.0) for part in parts]) for name in names},
    )


def _sum(parts: Sequence[float]) -> float:
    """Exact, but where it is too great for a number."""
    try:
        return math.fsum(parts)
    except (OverflowError, ValueError):  # the latter if sums of single shards were too great already
        return sum(parts)


def _content(row: Row) -> str:
    """A row in one text; lengths tell where its parts end, so that no two rows have the same."""
    if isinstance(row, BadRow):
        return f"bad {row.row} {len(row.id)} {len(row.problem)} {row.id}{row.problem}"
    known, reference, candidate = row.context, row.reference.text, row.candidate.text
    context = repr((known.age, known.sex, known.indication, known.comparison))
    lengths = f"{len(row.id)} {len(reference)} {len(candidate)} {len(context)}"
    return f"pair {lengths} {row.id}{reference}{candidate}{context}"
