"""A corpus in shards: each row scored once, whatever was committed before, and the same sums at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import permutations

import pytest
from attrs import define, evolve, field
from hypothesis import given
from hypothesis import strategies as st

from overread.application.scoring.corpus import BadRow
from overread.application.scoring.evaluate import EvaluationService
from overread.application.scoring.shards import (
    InProcessEngine,
    MissingShards,
    Row,
    Shard,
    ShardRecord,
    ShardScorer,
    score_shards,
)
from overread.domain.reports.report import ClinicalContext
from overread.domain.results.result import EvaluationResult, Outcome, Scale, Scored
from overread.exceptions import InputError

from ..fakes import ScriptedMetric, named, pair

ROWS: list[Row] = [*(pair(f"p{n}", "x", "y" * n) for n in range(7)), BadRow(8, "row-8", "no candidate")]


@define
class FakeFiles:
    """Keeps the results of each shard, and keeps the books; a `ShardFiles` and a `Ledger`."""

    shards: dict[int, list[EvaluationResult]] = field(factory=dict)
    kept: dict[int, ShardRecord] = field(factory=dict)
    size: int = 1
    sha256: str = "-"
    _number: int = 0

    @contextmanager
    def writing(self, number: int) -> Iterator[FakeFiles]:
        self._number, self.shards[number] = number, []
        yield self

    def attempts(self, _: int) -> int:
        return 0

    def write(self, results: Iterable[EvaluationResult]) -> None:
        self.shards[self._number] += results

    def commit(self, record: ShardRecord) -> None:
        self.kept[record.number] = record

    @property
    def ids(self) -> list[str]:
        return [result.pair_id for number in sorted(self.shards) for result in self.shards[number]]


def missing(files: FakeFiles, rows: Sequence[Row] = ROWS, size: int = 3) -> MissingShards:
    kept = {number: (record.input, record.rows) for number, record in files.kept.items()}
    return MissingShards("pairs.csv", lambda: rows, size, kept)


def engine(files: FakeFiles, answer: Callable[[Sequence[object]], Sequence[Outcome]] | None = None) -> InProcessEngine:
    return InProcessEngine(ShardScorer(EvaluationService([named(ScriptedMetric(answer), "m")], batch_size=2), files))


@given(st.integers(1, 10), st.sets(st.integers(0, 9)))
def test_each_row_is_scored_once(size: int, before: set[int]) -> None:
    """In its place, whichever shards were committed before."""
    files, numbers = FakeFiles(), range(math.ceil(len(ROWS) / size))
    for shard in missing(files, size=size):
        if shard.number in before:
            files.commit(engine(files).scorer.score(shard))
    told: list[int] = []
    scored = [shard.number for shard in missing(files, size=size)]
    summary = score_shards(missing(files, size=size), engine(files), files, on_progress=told.append)
    assert scored == [number for number in numbers if number not in before]
    assert files.ids == [row.id for row in ROWS]
    assert (summary.pairs, summary.metrics["m"].scored, summary.metrics["m"].unscored) == (8, 7, {"bad input": 1})
    assert summary.metrics["m"].mean == 3.0
    assert (told, told[-1]) == (sorted(told), 8)


def test_the_mean_does_not_depend_on_the_order_in_which_shards_are_done() -> None:
    """Down to the last bit, where plain sums do."""
    scores = [1e16, 1.0, -1e16, 0.1, 1.0, 0.1]
    rows = [pair(str(n), "x", "y") for n in range(len(scores))]

    def answer(pairs: Sequence[object]) -> list[Outcome]:
        return [Scored(score=scores[int(pair.id)] + 1e16) for pair in pairs]  # type: ignore[attr-defined]

    files = FakeFiles()
    whole = score_shards(missing(files, rows, 2), engine(files, answer), files)
    records = list(files.kept.values())
    for order in permutations(records):
        kept = FakeFiles(kept={record.number: record for record in order})
        assert score_shards(missing(kept, rows, 2), engine(kept), kept) == whole


def test_figures_of_a_corpus_are_of_all_shards_whoever_scored_them() -> None:
    """They follow from sums, those of shards that a run before has committed included."""

    def answer(pairs: Sequence[object]) -> list[Outcome]:
        return [Scored(score=0.5, subscores={"A": 0.0, "significant": float(pair.id in "03")}) for pair in pairs]  # type: ignore[attr-defined]

    rows = [pair(str(n), "x", "y") for n in range(5)]
    files = FakeFiles()
    files.commit(engine(files, answer).scorer.score(next(iter(missing(files, rows, 2)))))
    summary = score_shards(missing(files, rows, 2), engine(files, answer), files)
    assert summary.metrics["m"].sums == {"reports": 5.0, "reports_without_significant_error": 3.0}
    assert summary.metrics["m"].figures == {"without_significant_error": 0.6}


CHANGED = {
    "a text": evolve(pair("p1", "x", "y"), reference="other"),
    "an id": evolve(pair("p1", "x", "y"), id="q"),
    "an age": evolve(pair("p1", "x", "y"), context=ClinicalContext(age=60.0)),
    "its place": ROWS[2],
    "its fault": BadRow(2, "p1", "no candidate"),
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
def test_rows_that_changed_since_are_named(changed: Row) -> None:
    """Only those that were scored: others may have been mended."""
    files = FakeFiles()
    shards = list(missing(files))
    files.commit(engine(files).scorer.score(shards[0]))
    files.commit(engine(files).scorer.score(shards[2]))
    mended = [*ROWS[:4], changed, *ROWS[5:]]
    assert [shard.number for shard in missing(files, mended)] == [1]
    with pytest.raises(InputError, match=r"^pairs.csv: pairs 1 to 3 have changed since .*`restart`"):
        list(missing(files, [ROWS[0], changed, *ROWS[2:]]))


def test_an_input_that_shrank_is_named() -> None:
    """Also when it ends where a shard ends."""
    files = FakeFiles()
    score_shards(missing(files), engine(files), files)
    for rows in (ROWS[:6], []):
        with pytest.raises(InputError, match=f"has {len(rows)} pairs now, fewer than were scored before"):
            list(missing(files, rows))
    with pytest.raises(InputError, match="pairs 7 to 7 have changed"):
        list(missing(files, ROWS[:7]))


def test_what_was_committed_stays_if_reading_fails() -> None:
    """The shards before the failure are committed."""
    files = FakeFiles()

    def source() -> Iterator[Row]:
        yield from ROWS[:4]
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - it is the source's own, and says nothing
        score_shards(MissingShards("pairs.csv", source, 3, {}), engine(files), files)
    assert list(files.kept) == [0]


def test_an_empty_corpus_names_its_metrics() -> None:
    """A summary has a line for each metric even without pairs."""
    files = FakeFiles()
    summary = score_shards(missing(files, []), engine(files), files)
    assert (summary.pairs, list(summary.metrics), summary.metrics["m"].mean) == (0, ["m"], None)


def test_a_shard_says_where_it_is() -> None:
    """People count pairs from one."""
    assert Shard(2, 2049, ROWS).place == "pairs 2,049 to 2,056"


def test_scores_whose_sum_is_too_great_for_a_number_are_summed_up_all_the_same() -> None:
    """Within a shard and over shards: the mean is infinite, and nothing is lost."""
    rows = [pair(str(n), "x", "y") for n in range(4)]
    metric = named(ScriptedMetric(lambda pairs: [Scored(score=1e308)] * len(pairs)), "m")
    service = EvaluationService([evolve(metric, scale=Scale(0.0, math.inf, higher_is_better=True))], batch_size=2)
    for size in (1, 2):
        files = FakeFiles()
        scoring = InProcessEngine(ShardScorer(service, files))
        assert score_shards(missing(files, rows, size), scoring, files).metrics["m"].mean == math.inf
