"""A run over a corpus: in shards that outlive a stop, or as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Protocol

from attrs import evolve, frozen

from overread.application.scoring.corpus import CorpusSummary, ResultSink, Row, evaluate_corpus
from overread.application.scoring.evaluate import Progress
from overread.application.scoring.run import Run
from overread.application.scoring.run_identity import RunIdentity
from overread.application.scoring.shards import Engine, Ledger, MissingShards, ShardRecord, score_shards
from overread.application.scoring.text_sample import TextSample, diversity_of, watch_rows
from overread.domain.results.diversity import Diversity

__all__ = ["PairSource", "ShardedOutput", "ShardedRun", "StreamedRun"]


class PairSource(Protocol):
    """Rows that can be read as often as they are needed."""

    @property
    def name(self) -> str:
        """Name of the file or folder, for messages."""
        ...

    @property
    def column_names(self) -> Mapping[str, str]:
        """Names of the columns by their meaning."""
        ...

    @property
    def split(self) -> str:
        """Split of several; "" if there is only one."""
        ...

    @property
    def stamp(self) -> str:
        """Size and time, which tell that something was changed."""
        ...

    def rows(self) -> Iterable[Row]:
        """The rows, from the first."""
        ...


class ShardedOutput(Ledger, Protocol):
    """Output that is made shard by shard and joined at the end."""

    @property
    def place(self) -> str:
        """Location of the shards, for messages."""
        ...

    @property
    def format(self) -> str:
        """Format of the results."""
        ...

    def begin(self, identity: RunIdentity, *, restart: bool = False) -> Sequence[str]:
        """Goes on with what is there, unless ``restart`` discards it; returns what was found there, in words.

        Raises:
            InputError: if what is there belongs to another run.
        """
        ...

    def finish(self, diversity: Diversity | None = None) -> None:
        """Joins the shards into the output, records the diversity of the reports, and removes the shards."""
        ...


@frozen(kw_only=True, eq=False)
class ShardedRun:
    """Scores what an output lacks, and joins it.

    Attributes:
        source: of the pairs.
        output: keeps what is scored.
        engine: scores shards.
        shard_rows: pairs that are scored and committed together.
        threads: that a process computes with, 0 where that is left to libraries.
        restart: whether to throw away what a run that was stopped has committed.
        tell: is told what is found of such a run, and what is kept if this one stops, in words.
        run: of this process; None where workers have one each.
    """

    source: PairSource
    output: ShardedOutput
    engine: Engine
    shard_rows: int
    threads: int
    restart: bool
    tell: Callable[[str], None]
    run: Run | None

    def score(self, on_progress: Progress | None = None) -> CorpusSummary:
        """Scores what is not committed yet, and joins all.

        Args:
            on_progress: called with the number of rows done, those of earlier runs included.

        Raises:
            InputError: if rows that were scored are not what they were, a row is bad and may not be passed over, or
                the output cannot be written.
        """
        identity = self._identity()
        for words in self.output.begin(identity, restart=self.restart):
            self.tell(words)
        committed = self.output.kept
        before = _rows(committed)
        inputs = {number: (record.input, record.rows) for number, record in committed.items()}
        sample = TextSample()
        missing = MissingShards(
            self.source.name, partial(watch_rows, sample, self.source.rows), self.shard_rows, inputs
        )
        started = perf_counter()
        try:
            summary = score_shards(missing, self.engine, self.output, on_progress=on_progress)
            seconds = perf_counter() - started
            diversity = self._diversity(sample, summary.pairs, identity)
            self.output.finish(diversity)
        except BaseException:
            self.tell(f"stopped early; {self._describe_kept_rows(_rows(self.output.kept))}")
            raise
        if self.source.stamp != identity.stamp:
            self.tell(f"{self.source.name} changed while it was scored; the results are of what was read of it")
        return evolve(summary, resumed=before, diversity=diversity, seconds=seconds)

    def _diversity(self, sample: TextSample, rows: int, identity: RunIdentity) -> Diversity | None:
        """Diversity of the reports. An engine may read the rows on another machine: then they are read here again."""
        if sample.rows == rows:
            return sample.diversity()
        return diversity_of(self.source.rows()) if self.source.stamp == identity.stamp else None

    def _identity(self) -> RunIdentity:
        return RunIdentity(
            input=self.source.name,
            columns=self.source.column_names,
            split=self.source.split,
            signatures=self.engine.signatures,
            shard_rows=self.shard_rows,
            threads=self.threads,
            format=self.output.format,
            stamp=self.source.stamp,
        )

    def _describe_kept_rows(self, rows: int) -> str:
        if rows:
            return f"{rows:,} scored pairs are kept in {self.output.place}, and the same command goes on from there"
        return f"no shard of {self.shard_rows:,} pairs was finished, so nothing is kept in {self.output.place}"


@frozen(kw_only=True, eq=False)
class StreamedRun:
    """Scores all pairs in order; results go where they go as they come, and nothing outlives a stop.

    Attributes:
        source: of the pairs.
        sink: takes the results.
        run: scores.
    """

    source: PairSource
    sink: ResultSink
    run: Run

    def score(self, on_progress: Progress | None = None) -> CorpusSummary:
        """Scores all pairs; ``on_progress`` is called with the number of rows done."""
        started, sample = perf_counter(), TextSample()
        rows = watch_rows(sample, self.source.rows)
        summary = evaluate_corpus(self.run.service, rows, self.sink, on_progress=on_progress)
        return evolve(summary, diversity=sample.diversity(), seconds=perf_counter() - started)


def _rows(records: Mapping[int, ShardRecord]) -> int:
    return sum(record.rows for record in records.values())
