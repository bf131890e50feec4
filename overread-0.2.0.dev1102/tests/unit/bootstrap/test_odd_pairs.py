"""Files of pairs that do not fit the results they are given for: each is right, told of, or refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import overread
from overread.application.statistics.estimating import Estimate
from overread.application.statistics.tabulation import Tabulation
from overread.domain.results.annotation import HumanBenchmark
from overread.exceptions import InputError
from overread.infrastructure.files.completeness import completeness_file
from overread.studies.bootstrap.studies import (
    Compared,
    compare_results,
    meta_evaluate_benchmark,
    rank_results,
    summarise_file,
)

Row = dict[str, str]

ONE: list[Row] = [
    {
        "id": f"p{number}",
        "study": f"s{number // 2}",
        "reference": f"Nodule of {number} mm. No effusion.",
        "candidate": f"Nodule of {number} mm.",
    }
    for number in range(1, 9)
]
TWO = [{**row, "candidate": f"{row['reference']} Zebra."} for row in ONE]


def table(rows: Sequence[Mapping[str, str]], names: Sequence[str] = ("id", "study", "reference", "candidate")) -> str:
    made = io.StringIO()
    writer = csv.DictWriter(made, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()


def lines(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems, scored, with their pairs."""
    made = tmp_path_factory.mktemp("scored")
    for name, rows in (("one", ONE), ("two", TWO)):
        (made / f"{name}.csv").write_text(table(rows), encoding="utf-8")
        overread.score_corpus(made / f"{name}.csv", made / f"{name}.jsonl", metrics=["rouge"])
    return made


def compared(folder: Path, *pairs: Path) -> Tabulation:
    files = [str(folder / "one.jsonl"), str(folder / "two.jsonl")]
    return compare_results(files, Compared(pairs=pairs, draws=20))


def summarised(folder: Path, *pairs: Path) -> Tabulation:
    return summarise_file(str(folder / "one.jsonl"), Compared(pairs=pairs, draws=20))


def ranked(folder: Path, *pairs: Path) -> Tabulation:
    return rank_results([str(folder / "one.jsonl"), str(folder / "two.jsonl")], Compared(pairs=pairs, draws=20))


def figures(found: Tabulation) -> list[Any]:
    return [each.rows for each in found.tables]


def changed(place: int, **cells: str) -> list[Row]:
    return [{**row, **cells} if index == place else row for index, row in enumerate(ONE)]


NEXT = [{**row, "id": other["id"]} for row, other in zip(ONE, [*ONE[1:], ONE[0]], strict=True)]
NUMBERED = [{**row, "id": str(number)} for number, row in enumerate(ONE, start=1)]
UNNAMED = ("study", "reference", "candidate")
BEYOND = {**ONE[0], "id": "p99"}

RIGHT: dict[str, bytes] = {
    "as scored.csv": table(ONE).encode(),
    "other order.csv": table(ONE[::-1]).encode(),
    "byte order mark.csv": b"\xef\xbb\xbf" + table(ONE).encode(),
    "line ends.csv": table(ONE).replace("\n", "\r\n").encode(),
    "white space.csv": table([{**row, "reference": f" {row['reference']}\n"} for row in ONE]).encode(),
    "more columns.csv": table([{**row, "ward": "icu"} for row in ONE], ["ward", *ONE[0]]).encode(),
    "ids and studies.csv": table(ONE, ["id", "study"]).encode(),
    "no candidates.csv": table(ONE, ["id", "study", "reference"]).encode(),
    "lines.jsonl": lines(ONE).encode(),
    "packed.csv.gz": gzip.compress(table(ONE).encode()),
}

REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing.csv": (b"", "is empty"),
    "header alone.csv": (table([]).encode(), "holds no pairs"),
    "another corpus.csv": (
        table([{**row, "id": f"q{row['id']}"} for row in ONE]).encode(),
        "holds none of the 8 pairs",
    ),
    "another corpus under the same ids.csv": (
        table([{**row, "reference": "Clear.", "candidate": "Clear."} for row in ONE]).encode(),
        "has different reports under the same ids",
    ),
    "shuffled ids.csv": (table(NEXT).encode(), "has different reports under the same ids"),
    "an id twice.csv": (table([*ONE, ONE[3]]).encode(), "row 9: its id is also that of a row before"),
    "rows missing.csv": (table(ONE[:5]).encode(), "holds 5 alone of the 8 pairs"),
    "a word changed.csv": (
        table(changed(2, reference="Nodule of 4 mm.")).encode(),
        "has different reports under the same",
    ),
    "a candidate changed.csv": (table(changed(2, candidate="None.")).encode(), "has different candidates"),
    "blank references.csv": (
        table([{**row, "reference": ""} for row in ONE]).encode(),
        "has different reports under the",
    ),
    "blank candidates.csv": (table([{**row, "candidate": ""} for row in ONE]).encode(), "has different candidates"),
    "numbers for ids.csv": (table(NUMBERED).encode(), "holds none of the 8 pairs"),
    "no ids.csv": (
        table(ONE, UNNAMED).encode(),
        "it has no column of ids, so that the numbers of its rows are its ids",
    ),
    "other names of columns.csv": (
        table(ONE).replace("id,study", "name,study").encode(),
        "it has no column of ids, so that the numbers of its rows are its ids",
    ),
    "semicolons.csv": (table(ONE).replace(",", ";").encode(), "not separated as its suffix says"),
    "wide characters.csv": (table(ONE).encode("utf-16"), "is UTF-16 or UTF-32 text"),
    "another encoding.csv": (
        table(changed(2, reference="Größe.")).encode("latin-1"),
        "has different reports|not UTF-8",
    ),
    "gzip in disguise.csv": (gzip.compress(table(ONE).encode()), "is compressed with gzip"),
    "a row of another shape.csv": (table(ONE).replace("p3,s1,", "p3,").encode(), "cells instead of|different reports"),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("study", [compared, summarised, ranked])
def test_a_file_of_the_same_pairs_is_right_however_it_is_written(
    folder: Path, tmp_path: Path, name: str, study: Callable[..., Tabulation]
) -> None:
    """The figures are those with the file that was scored, and nothing is remarked."""
    path = tmp_path / name
    path.write_bytes(RIGHT[name])
    expected = study(folder, folder / "one.csv")
    found = study(folder, path)
    assert figures(found) == figures(expected)
    assert found.notes == expected.notes
    assert not any("holds" in note for note in found.notes)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("study", [compared, summarised])
def test_a_file_of_other_pairs_is_refused(
    folder: Path, tmp_path: Path, name: str, study: Callable[..., Tabulation]
) -> None:
    """The message names the file and what does not fit, and quotes nothing."""
    data, says = REFUSED[name]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=says) as caught:
        study(folder, path)
    assert str(path) in str(caught.value)
    assert "Nodule" not in str(caught.value)


def test_parquet_of_the_same_pairs_is_right(folder: Path, tmp_path: Path) -> None:
    """As any other format."""
    path = tmp_path / "p.parquet"
    pq.write_table(pa.Table.from_pylist(ONE), path)
    assert figures(compared(folder, path)) == figures(compared(folder, folder / "one.csv"))


@pytest.mark.parametrize("study", [compared, summarised, ranked])
def test_pairs_that_the_results_lack_are_remarked(
    folder: Path, tmp_path: Path, study: Callable[..., Tabulation]
) -> None:
    """The results may have been cut, or be those of a part."""
    path = tmp_path / "more.csv"
    path.write_text(table([*ONE, BEYOND]), encoding="utf-8")
    [note, *_] = [note for note in study(folder, path).notes if "more.csv" in note]
    assert note.startswith(f"{path} holds one pair that is not in {folder / 'one.jsonl'}; if these were scored too")


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        (("two.csv",), "has different candidates from those that .*one.jsonl was made of"),
        (("two.csv", "one.csv"), "has different candidates from those that .*one.jsonl was made of"),
        (("one.csv", "one.csv"), "has different candidates from those that .*two.jsonl was made of"),
        (("one.jsonl",), "holds results, not pairs"),
        ((".",), "is a folder, but not one that the datasets library saved"),
        (("nowhere.csv",), "no such file"),
    ],
)
def test_a_file_of_another_system_or_none_of_pairs_is_refused(folder: Path, pairs: tuple[str, ...], says: str) -> None:
    """The pairs of the first system come first."""
    with pytest.raises(InputError, match=says):
        compared(folder, *(folder / name for name in pairs))


def test_two_files_without_a_common_id_are_refused(folder: Path, tmp_path: Path) -> None:
    """They cannot be of the same pairs."""
    path = tmp_path / "other.csv"
    path.write_text(table([{**row, "id": f"q{row['id']}"} for row in TWO]), encoding="utf-8")
    with pytest.raises(InputError, match="has no id in common with"):
        compared(folder, folder / "one.csv", path)


def test_a_leaderboard_takes_the_pairs_of_any_of_its_systems(folder: Path, tmp_path: Path) -> None:
    """Only references and studies count there; those of other reports are refused."""
    assert figures(ranked(folder, folder / "two.csv")) == figures(ranked(folder, folder / "one.csv"))
    path = tmp_path / "other.csv"
    path.write_bytes(REFUSED["shuffled ids.csv"][0])
    with pytest.raises(InputError, match="has different reports under the same ids"):
        ranked(folder, path)


def test_columns_are_those_under_which_the_pairs_were_scored(tmp_path: Path) -> None:
    """Nobody need rename them to compare."""
    names = {"id": "name", "reference": "truth", "candidate": "draft"}
    rows = [{names.get(key, key): cell for key, cell in row.items()} for row in ONE]
    pairs = tmp_path / "p.csv"
    pairs.write_text(table(rows, list(rows[0])), encoding="utf-8")
    results = tmp_path / "r.jsonl"
    overread.score_corpus(pairs, results, metrics=["rouge"], columns=overread.Columns(**names))
    found = summarise_file(str(results), Compared(pairs=(pairs,), draws=20))
    assert not any("no studies" in note for note in found.notes)
    for usual in (table(ONE).replace("id,study", "name,study"), table(ONE)):
        pairs.write_text(usual, encoding="utf-8")
        summarise_file(str(results), Compared(pairs=(pairs,), draws=20))
    pairs.write_text(table(changed(2, reference="Clear.")).replace("id,study", "name,study"), encoding="utf-8")
    with pytest.raises(InputError, match="has different reports under the same ids"):
        summarise_file(str(results), Compared(pairs=(pairs,), draws=20))


def test_rows_that_could_not_be_read_do_not_count_as_changed(tmp_path: Path) -> None:
    """They were unscored in their places, and another system's file may hold them."""
    rows = changed(2, candidate="nan")
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    bad.write_text(table(rows), encoding="utf-8")
    good.write_text(table(ONE), encoding="utf-8")
    for path in (bad, good):
        overread.score_corpus(path, path.with_suffix(".jsonl"), metrics=["rouge"], on_error="skip")
    for order in ((bad, good), (good, bad)):
        files = [str(path.with_suffix(".jsonl")) for path in order]
        compare_results(files, Compared(pairs=order, draws=20))
        compare_results(files, Compared(pairs=order[:1], draws=20))


def test_results_without_a_record_tell_ids_alone(folder: Path, tmp_path: Path) -> None:
    """Of files from before there were any, and of plain scores: reports cannot be held against them."""
    results = tmp_path / "one.jsonl"
    results.write_bytes((folder / "one.jsonl").read_bytes())
    assert not completeness_file(results).exists()
    path = tmp_path / "p.csv"
    path.write_bytes(REFUSED["shuffled ids.csv"][0])
    summarise_file(str(results), Compared(pairs=(path,), draws=20))
    path.write_bytes(REFUSED["another corpus.csv"][0])
    with pytest.raises(InputError, match="holds none of the 8 pairs"):
        summarise_file(str(results), Compared(pairs=(path,), draws=20))


@pytest.mark.parametrize(
    ("study", "says"),
    [
        (compared, "names no studies in a column study: each pair counts as one"),
        (ranked, "names no studies in a column study: each pair counts as one"),
        (summarised, "no studies are known: each pair counts as one"),
    ],
)
def test_pairs_without_studies_are_remarked(
    folder: Path, tmp_path: Path, study: Callable[..., Tabulation], says: str
) -> None:
    """As where the column has another name; pairs with studies are not."""
    assert not any(says in note for note in study(folder, folder / "one.csv").notes)
    path = tmp_path / "p.csv"
    path.write_text(table(ONE).replace("study", "study_id", 1), encoding="utf-8")
    assert len([note for note in study(folder, path).notes if "each pair counts as one" in note]) == 1
    assert any(says in note for note in study(folder, path).notes)


def test_pairs_of_one_study_have_no_intervals(folder: Path, tmp_path: Path) -> None:
    """As where a column holds the name of the corpus; a point would look like certainty."""
    path = tmp_path / "p.csv"
    path.write_text(table([{**row, "study": "ward"} for row in ONE]), encoding="utf-8")
    estimates = [
        cell
        for found in (compared(folder, path), ranked(folder, path), summarised(folder, path))
        for each in found.tables
        for row in each.rows
        for cell in row
        if isinstance(cell, Estimate)
    ]
    assert any(each.value is not None for each in estimates)
    assert all(each.low is each.high is None for each in estimates)


@pytest.fixture
def benchmark(tmp_path: Path) -> HumanBenchmark:
    """The pairs of the first system, each with a rating."""
    path = tmp_path / "rated.csv"
    path.write_text(table([{**row, "total": "1"} for row in ONE], [*ONE[0], "total"]), encoding="utf-8")
    return overread.read_benchmark("pairs", path)


def judged(benchmark: HumanBenchmark, folder: Path, rows: Sequence[Row]) -> Tabulation:
    """What the results of some pairs come to on a benchmark."""
    pairs, results = folder / "given.csv", folder / "given.jsonl"
    pairs.write_text(table(rows), encoding="utf-8")
    overread.score_corpus(pairs, results, metrics=["rouge"], on_error="skip")
    return meta_evaluate_benchmark(overread.Settings(), benchmark, results=[results], draws=20)


@pytest.mark.parametrize("rows", [ONE, ONE[::-1], ONE[:5], changed(2, candidate="nan")])
def test_results_of_a_benchmarks_own_reports_are_judged(
    benchmark: HumanBenchmark, tmp_path: Path, rows: Sequence[Row]
) -> None:
    """In any order, of a part of them, and where a row could not be read when they were scored."""
    assert judged(benchmark, tmp_path, rows).tables


@pytest.mark.parametrize("rows", [NEXT, NEXT[:5], changed(2, reference="Clear."), changed(2, candidate="None.")])
def test_results_of_other_reports_than_a_benchmarks_are_refused(
    benchmark: HumanBenchmark, tmp_path: Path, rows: Sequence[Row]
) -> None:
    """Its reports are known, so that the same ids do not suffice."""
    with pytest.raises(InputError, match="was made of other reports than the benchmark has under the same ids"):
        judged(benchmark, tmp_path, rows)


def test_a_metric_that_a_file_lacks_is_remarked(folder: Path, tmp_path: Path) -> None:
    """It is left out of a comparison, and of a leaderboard."""
    overread.score_corpus(folder / "one.csv", tmp_path / "more.jsonl", metrics=["rouge", "bleu"])
    files = [str(tmp_path / "more.jsonl"), str(folder / "two.jsonl")]
    for found in (compare_results(files, Compared(draws=20)), rank_results(files, Compared(draws=20))):
        assert "bleu is not in two, so that it is left out" in found.notes


def test_results_that_are_being_made_anew_are_remarked(folder: Path, tmp_path: Path) -> None:
    """What is read is the file from before."""
    results = tmp_path / "one.jsonl"
    results.write_bytes((folder / "one.jsonl").read_bytes())
    (tmp_path / "one.jsonl.partial").mkdir()
    found = summarise_file(str(results), Compared(draws=20))
    assert any("is to be replaced by a run that was stopped or is still going on" in note for note in found.notes)
