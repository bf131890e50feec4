"""Evaluating a corpus: rows in, results in the same order out, bad rows in their place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

from overread.application.scoring.corpus import MOST_LOST, BadRow, MemoryGoneError, MetricSummary, evaluate_corpus
from overread.application.scoring.evaluate import EvaluationService
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult, Outcome, Scored, Unscored

from ..fakes import ScriptedMetric, length, named, pair

Row = ReportPair | BadRow


@define
class FakeSink:
    """Keeps what is written, row by row."""

    rows: list[list[EvaluationResult]] = field(factory=list)

    def write(self, results: Iterable[EvaluationResult]) -> None:
        self.rows.append(list(results))


def service(size: int = 256, *metrics: ScriptedMetric) -> EvaluationService:
    chosen = metrics or (ScriptedMetric(),)
    return EvaluationService([named(m, f"m{index}") for index, m in enumerate(chosen)], batch_size=size)


def written(rows: Sequence[Row], size: int = 256) -> list[tuple[str, Outcome]]:
    sink = FakeSink()
    evaluate_corpus(service(size), rows, sink)
    return [(result.pair_id, result.outcome) for results in sink.rows for result in results]


def expected(row: Row) -> tuple[str, Outcome]:
    if isinstance(row, BadRow):
        return row.id, Unscored("bad input", f"row {row.row}: {row.problem}")
    return row.id, length(row)


ROWS: list[Row] = [
    pair("a", "x", "one"),
    BadRow(2, "row-2", "no candidate"),
    BadRow(3, "c", "is not UTF-8"),
    pair("d", "x", "three"),
    pair("e", "", "4"),
]


def test_a_bad_row_is_unscored_in_its_place() -> None:
    """It keeps its id, says its row and problem, and shifts nobody."""
    assert written(ROWS) == [expected(row) for row in ROWS]
    assert written(ROWS)[1] == ("row-2", Unscored("bad input", "row 2: no candidate"))


@st.composite
def corpora(draw: st.DrawFn) -> list[Row]:
    """Rows in any mixture."""
    kinds = draw(st.lists(st.none() | st.text(max_size=4), max_size=12))
    return [
        BadRow(index, f"row-{index}", "is bad") if text is None else pair(f"case-{index}", "x", text)
        for index, text in enumerate(kinds, start=1)
    ]


@given(corpora(), st.integers(1, 5))
def test_batch_boundaries_do_not_matter(rows: list[Row], size: int) -> None:
    """Every row has its result, in order, wherever a batch ends."""
    assert written(rows, size) == [expected(row) for row in rows]


def _starving(*fed: str) -> ScriptedMetric:
    """Memory suffices for the pairs named alone."""

    def answer(pairs: Sequence[ReportPair]) -> list[Outcome]:
        if len(pairs) > 1 or pairs[0].id not in fed:
            raise MemoryError
        return [length(one) for one in pairs]

    return ScriptedMetric(answer)


def test_a_run_goes_on_while_memory_suffices_for_some_pair() -> None:
    """Pairs that are too large are unscored in their places, fewer in a row than would be a want of memory for all."""
    rows = [pair(f"p{number}", "x", "y") for number in range(2 * MOST_LOST - 1)]
    sink = FakeSink()
    summary = evaluate_corpus(service(64, _starving(f"p{MOST_LOST - 1}")), rows, sink)
    assert len(sink.rows) == len(rows)
    assert (summary.metrics["m0"].scored, dict(summary.metrics["m0"].unscored)) == (
        1,
        {"out of memory": 2 * MOST_LOST - 2},
    )


def test_a_run_ends_where_memory_suffices_for_none_of_many_pairs() -> None:
    """Else a reason would stand in the place of every score that a machine with memory gives."""
    rows = [pair(f"p{number}", "x", "y") for number in range(2 * MOST_LOST)]
    sink = FakeSink()
    with pytest.raises(MemoryGoneError, match="was not enough memory for m1 on any of 512 pairs in a row"):
        evaluate_corpus(service(64, ScriptedMetric(), _starving()), rows, sink)
    assert len(sink.rows) == MOST_LOST


def test_every_metric_writes_a_result_for_every_row() -> None:
    """A row's results are written together, in the order of the metrics, under each metric's signature."""
    sink = FakeSink()
    metrics = ScriptedMetric(), ScriptedMetric(signature_parts=[("script", "2")])
    evaluate_corpus(service(2, *metrics), ROWS, sink)
    assert [[(r.metric, str(r.signature)) for r in results] for results in sink.rows] == [
        [("m0", "m0|script:1|version:1.0"), ("m1", "m1|script:2|version:1.0")]
    ] * 5


def test_metrics_see_good_rows_only() -> None:
    """A batch of nothing but bad rows reaches no metric."""
    metric = ScriptedMetric()
    evaluate_corpus(service(1, metric), ROWS, FakeSink())
    assert metric.batches == [["a"], ["d"], ["e"]]


def test_the_summary_covers_what_was_scored() -> None:
    """Pairs count every row; the mean is of the scored ones, the others stand by reason."""

    def answer(pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [Unscored("empty") if not p.reference.text else Scored(score=len(p.candidate.text)) for p in pairs]

    summary = evaluate_corpus(service(2, ScriptedMetric(answer)), ROWS, FakeSink())
    assert summary.pairs == 5
    found = summary.metrics["m0"]
    assert (found.scored, found.mean) == (2, (3 + 5) / 2)
    assert found.unscored == {"bad input": 2, "empty": 1}


def test_a_mean_of_nothing_is_none() -> None:
    """No scored pair, no mean; and an empty corpus still names its metrics."""
    assert MetricSummary().mean is None
    summary = evaluate_corpus(service(), [], FakeSink())
    assert (summary.pairs, summary.metrics) == (0, {"m0": MetricSummary()})
    assert evaluate_corpus(service(), ROWS[1:3], FakeSink()).metrics["m0"].mean is None


@pytest.mark.parametrize(("size", "seen"), [(2, [2, 4, 5]), (5, [5]), (100, [5])])
def test_progress_counts_rows_bad_ones_too(size: int, seen: list[int]) -> None:
    """After each batch, the rows done so far."""
    told: list[int] = []
    evaluate_corpus(service(size), iter(ROWS), FakeSink(), on_progress=told.append)
    assert told == seen


def test_results_are_written_before_the_corpus_is_read_to_its_end() -> None:
    """A corpus of any length passes through: a batch is written when it is done."""
    sink = FakeSink()
    at_row: list[int] = []

    def source() -> Iterator[Row]:
        for row in ROWS:
            at_row.append(len(sink.rows))
            yield row

    evaluate_corpus(service(2), source(), sink)
    assert at_row == [0, 0, 2, 2, 4]


def test_what_is_written_stays_if_reading_fails() -> None:
    """The results of whole batches before the failure are in the sink."""
    sink = FakeSink()

    def source() -> Iterator[Row]:
        yield from ROWS[:3]
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - it is the source's own, and says nothing
        evaluate_corpus(service(2), source(), sink)
    assert [results[0].pair_id for results in sink.rows] == ["a", "row-2"]
