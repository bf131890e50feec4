"""Every reader tells what it understood before anything is scored: files, columns, joins, counts, and no cell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attrs import evolve

from overread.domain.results.annotation import HumanBenchmark
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS
from overread.studies.infrastructure.datasets.annotated_sets._account import Account

from .tables import written
from .test_round_trip import DATA, OPTIONS


def _read(name: str, folder: Path) -> HumanBenchmark:
    return BENCHMARKS[name].read(DATA[name](folder), **OPTIONS.get(name, {}))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_reader_tells_its_files_and_counts(name: str, tmp_path: Path) -> None:
    """Each table is named with its rows, and the last line counts studies, pairs and raters; no report is quoted."""
    benchmark = _read(name, tmp_path)
    assert benchmark.understood
    assert any(re.search(r"\.(csv|jsonl?), [\d,]+ \w+", line) for line in benchmark.understood)
    counts = benchmark.account[-1]
    assert f"{len(benchmark.pairs):,} pairs" in counts or len(benchmark.pairs) == 1
    told = " ".join(benchmark.account).lower()
    for annotated in benchmark.pairs:
        for report in (annotated.pair.reference, annotated.pair.candidate):
            assert not report.text.strip() or len(report.text.split()) < 3 or report.text.lower() not in told


def test_columns_are_told_as_what_they_are_read(tmp_path: Path) -> None:
    """A column under another name says which; those that were left alone and tables passed over are named."""
    row = {"GT": "Clear.", "pred": "A mass.", "kind": "D", "reader note": "x"}
    table = written(tmp_path / "pairs.csv", [row])
    written(tmp_path / "other.csv", [{"a": 1}])
    account = Account()
    first, second = account.find(tmp_path)
    assert (first.path.name, second.path) == ("other.csv", table)
    rows = account.read_aliased(second, {"reference": ("gt",), "candidate": ("pred",)}, {"aspect": ("kind",)}, "pair")
    account.say("joined by nothing")
    assert len(rows) == 1
    assert account.lines == (
        "pairs.csv, 1 pair: reference from GT, candidate from pred, aspect from kind; not read: reader note",
        "joined by nothing",
        "passed over, as not of this set's tables: other.csv",
    )


def test_a_first_row_of_reports_is_counted_not_shown(tmp_path: Path) -> None:
    """Columns whose names may be a report are told by their number alone."""
    sentence = "There is a large right pleural effusion; no pneumothorax, unchanged."
    table = written(tmp_path / "pairs.csv", [{"reference": "Clear.", sentence: "x"}])
    account = Account()
    [found] = account.find(table)
    account.read_aliased(found, {"reference": ()}, {})
    assert account.lines == ("pairs.csv, 1 row: reference; not read: 1 column",)


def test_what_was_understood_is_no_part_of_the_set(tmp_path: Path) -> None:
    """The same set from files of other layouts is the same set."""
    one = _read("gold", tmp_path)
    assert evolve(one, understood=("told otherwise",)) == one
