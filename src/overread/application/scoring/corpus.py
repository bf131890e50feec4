"""Evaluating a corpus: a stream of rows in, results written as they come, a summary at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol

from attrs import define, field, frozen

from overread.application.batching import batches
from overread.application.scoring.evaluate import OUT_OF_MEMORY, EvaluationService, PairResults, Progress
from overread.domain.reports.report import ReportPair
from overread.domain.results.corpus_figures import figures_of_sums, terms_of
from overread.domain.results.diversity import Diversity
from overread.domain.results.result import EvaluationResult, Scored, Unscored
from overread.exceptions import OverreadError

__all__ = [
    "BAD_INPUT",
    "MOST_LOST",
    "BadRow",
    "CorpusSummary",
    "MemoryGoneError",
    "MetricSummary",
    "ResultSink",
    "Row",
    "evaluate_corpus",
    "evaluate_rows",
]


BAD_INPUT: Final = "bad input"
"""Reason of a row that holds no usable pair."""

MOST_LOST: Final = 512
"""Pairs in a row, each too much for the memory by itself, after which it is no pair that is too large."""


class MemoryGoneError(OverreadError):
    """Memory sufficed for none of many pairs in a row.

    A run that went on would write a reason in the place of every score. What was scored before is kept, and the same
    run goes on where there is memory again.
    """

    def __init__(self, metric: str) -> None:
        super().__init__(
            f"there was not enough memory for {metric} on any of {MOST_LOST} pairs in a row, even one at a "
            "time; free memory or use fewer `workers`, then run the same command again: what was scored is "
            "kept"
        )


@frozen
class BadRow:
    """A row that holds no usable pair; it keeps its place and becomes an unscored result.

    Attributes:
        row: 1-based row of the input.
        id: the row's id where it has one, else "row-N".
        problem: what is wrong, without report text.
    """

    row: int
    id: str
    problem: str


Row = ReportPair | BadRow


class ResultSink(Protocol):
    """Destination of results."""

    def write(self, results: Iterable[EvaluationResult]) -> None:
        """Keep the results, in order."""
        ...


@define
class MetricSummary:
    """One metric over a corpus: the mean covers ``scored`` pairs, and no others; ``truncated`` of them in part.

    ``sums`` are of what the figures are made of (`overread.domain.results.corpus_figures`).
    """

    scored: int = 0
    truncated: int = 0
    total: float = 0.0
    unscored: Counter[str] = field(factory=Counter)
    sums: dict[str, float] = field(factory=dict)

    @property
    def figures(self) -> dict[str, float]:
        """Figures of the corpus that are no mean of its scores, by name, over the scored pairs.

        Of a metric that grades discrepancies ``without_significant_error``, the share of reports; of one that reads by
        units ``candidate_unread`` and ``reference_unread``, the mean share of words passed over; of notation also
        ``actionable_errors`` a report, ``actionable_recall`` and ``actionable_precision`` of the findings that ask for
        action; of bleu ``corpus_bleu``. One that would be divided by 0 is left out. `overread summary` gives their
        intervals.
        """
        return figures_of_sums(self.sums)

    @property
    def pairs(self) -> int:
        """Pairs of the corpus, scored or not."""
        return self.scored + self.unscored.total()

    @property
    def mean(self) -> float | None:
        """Mean score of the scored pairs, None where there are none."""
        return self.total / self.scored if self.scored else None

    def add(self, result: EvaluationResult) -> None:
        """Count one result."""
        if isinstance(result.outcome, Scored):
            self.scored += 1
            self.total += result.outcome.score
            self.truncated += result.outcome.truncated
            for name, value in terms_of(result.outcome.subscores).items():
                self.sums[name] = self.sums.get(name, 0.0) + value
        else:
            self.unscored[result.outcome.reason] += 1


@frozen
class CorpusSummary:
    """Outcome of a run over a corpus.

    Attributes:
        pairs: total number.
        metrics: summary of all of them by metric.
        resumed: pairs that were scored by an earlier run, which was stopped.
        diversity: of the wording of a sample of the reports; None where no pair could be read.
        seconds: time that scoring the others took.
    """

    pairs: int
    metrics: Mapping[str, MetricSummary]
    resumed: int = 0
    diversity: Diversity | None = None
    seconds: float = field(default=0.0, eq=False)


def evaluate_corpus(
    service: EvaluationService,
    rows: Iterable[Row],
    sink: ResultSink,
    *,
    on_progress: Progress | None = None,
) -> CorpusSummary:
    """Scores every row in order, in constant memory; a bad row is unscored in its place ("bad input").

    Raises:
        MemoryGoneError: if memory did not suffice for any of many pairs in a row.
    """
    summaries = {metric.name: MetricSummary() for metric in service.metrics}
    lost = dict.fromkeys(summaries, 0)
    done = 0
    for batch in batches(rows, service.batch_size):
        for results in evaluate_rows(service, batch):
            sink.write(results.values())
            for result in results.values():
                summaries[result.metric].add(result)
                lost[result.metric] = lost[result.metric] + 1 if _is_lost(result) else 0
        if gone := [name for name, pairs in lost.items() if pairs >= MOST_LOST]:
            raise MemoryGoneError(gone[0])
        done += len(batch)
        if on_progress is not None:
            on_progress(done)
    return CorpusSummary(done, summaries)


def evaluate_rows(service: EvaluationService, rows: Iterable[Row]) -> Iterator[PairResults]:
    """Results of each row, in order, a batch at a time; a bad row is unscored in its place ("bad input")."""
    for batch in batches(rows, service.batch_size):
        scored = iter(service.evaluate_batch([row for row in batch if isinstance(row, ReportPair)]))
        for row in batch:
            yield next(scored) if isinstance(row, ReportPair) else _unscored_results(service, row)


def _is_lost(result: EvaluationResult) -> bool:
    return isinstance(result.outcome, Unscored) and result.outcome.reason == OUT_OF_MEMORY


def _unscored_results(service: EvaluationService, row: BadRow) -> PairResults:
    outcome = Unscored(BAD_INPUT, f"row {row.row}: {row.problem}")
    return {
        metric.name: EvaluationResult(
            pair_id=row.id, metric=metric.name, scale=metric.scale, signature=metric.signature, outcome=outcome
        )
        for metric in service.metrics
    }
