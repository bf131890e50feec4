"""Reading result files back as numbers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from overread.exceptions import InputError
from overread.infrastructure.files.scored import read_results, read_scores
from overread.infrastructure.serialise import result_record

from ...result_files import FALSE, MISSED, NOISE, result, write_results

RESULTS = [
    result("p1", 2.5, subscores={"a": 1.0}, discrepancies=(FALSE, FALSE, NOISE)),
    result("p1", 0.5, metric="share"),
    result("p2", "empty"),
    result("p2", 0.25, metric="share"),
    result("p3", 1.0, subscores={"b": 3.0}, discrepancies=(MISSED,)),
    result("p3", 1.0, metric="share"),
]


@pytest.mark.parametrize("suffix", ["jsonl", "ndjson", "parquet", "jsonl.gz", "csv"])
def test_what_was_written_is_read(tmp_path: Path, suffix: str) -> None:
    """Scores, reasons and counts of discrepancies come back from every format of the output."""
    path = tmp_path / f"results.{suffix}"
    if suffix.endswith(".gz"):
        path.write_bytes(gzip.compress(write_results(tmp_path / "plain.jsonl", RESULTS).read_bytes()))
    else:
        write_results(path, RESULTS)
    found = read_scores(path)
    assert list(found) == ["risk", "share"]
    risk, share = found["risk"], found["share"]
    assert (risk.ids, risk.signature, risk.higher_is_better) == (("p1", "p2", "p3"), "risk|reader:one|version:1", False)
    assert share.higher_is_better
    np.testing.assert_array_equal(risk.scores, [2.5, np.nan, 1.0])
    assert risk.reasons == {"p2": "empty"}
    assert risk.unscored == {"empty": 1}
    assert risk.score_by_id() == {"p1": 2.5, "p3": 1.0}
    assert risk.subscore_by_id("a") == {"p1": 1.0}
    np.testing.assert_array_equal(risk.subscores["b"], [np.nan, np.nan, 3.0])
    assert {kind: set(values) for kind, values in risk.counts.items()} == {
        "category": {"A", "B", "none"},
        "aspect": {"Description", "Noise"},
        "severity": {"critical", "significant", "insignificant"},
    }
    np.testing.assert_array_equal(risk.counts["category"]["A"], [2, np.nan, 0])
    np.testing.assert_array_equal(risk.count("category", "none"), [1.0, np.nan, 0.0])
    np.testing.assert_array_equal(risk.count("category", "C"), [0.0, np.nan, 0.0])
    assert share.counts == {"category": {}, "aspect": {}, "severity": {}}


def test_no_text_is_kept(tmp_path: Path) -> None:
    """Numbers for statistics hold no words of a report."""
    found = read_scores(write_results(tmp_path / "r.jsonl", RESULTS))
    assert "PRIVATE" not in json.dumps([str(vars(scores)) for scores in found.values()])


def edited(tmp_path: Path, change: Callable[[list[dict[str, Any]]], object], *, digests: bool = False) -> Path:
    """A result file after a change to its records, as of a version before there were digests unless they are kept."""
    records = [result_record(each) for each in RESULTS]
    for record in records:
        if not digests:
            del record["digest"], record["schema_version"]
    change(records)
    path = tmp_path / "edited.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "row", "words"),
    [
        (lambda r: r[2].update(signature="risk|reader:two"), 3, "a different signature"),
        (lambda r: r[4].update(higher_is_better=True), 5, "a different signature"),
        (lambda r: r[4].update(id="p1"), 5, "also that of row 1"),
        (lambda r: r[0].update(score="PRIVATE"), 1, "score is not a number"),
        (lambda r: r[0].update(score=None), 1, "score is missing"),
        (lambda r: r[0].update(status="PRIVATE"), 1, "neither scored nor unscored"),
        (lambda r: r[3].update(metric=None), 4, "metric"),
        (lambda r: r[3].pop("signature"), 4, "signature"),
        (lambda r: r[3].update(id=None), 4, "id is missing"),
        (lambda r: r[0]["subscores"].update(a=True), 1, "subscore"),
    ],
)
def test_a_row_that_is_no_result_is_named(
    tmp_path: Path, change: Callable[[list[dict[str, Any]]], object], row: int, words: str
) -> None:
    """The message names file, row and remedy, and quotes no value."""
    path = edited(tmp_path, change)
    with pytest.raises(InputError, match=words) as caught:
        read_scores(path)
    assert (caught.value.row, caught.value.source) == (row, str(path))
    assert caught.value.remedy
    assert "PRIVATE" not in str(caught.value)


def test_a_line_that_is_cut_is_named(tmp_path: Path) -> None:
    """A file of a run that was killed is not read as a shorter run."""
    path = write_results(tmp_path / "r.jsonl", RESULTS)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="not valid JSON") as caught:
        read_scores(path)
    assert caught.value.row == len(RESULTS)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_plain_scores_are_read_by_column(tmp_path: Path, suffix: str) -> None:
    """A table of anybody's scores is read like results, with missing ones counted."""
    path = tmp_path / f"scores{suffix}"
    if suffix == ".jsonl":
        path.write_text('{"id": 1, "f1": 0.5, "wer": 2}\n{"id": 2, "f1": null, "wer": 3.5}\n', encoding="utf-8")
    else:
        comma = "," if suffix == ".csv" else "\t"
        path.write_text("id,f1,wer\n1,0.5,2\n2,,3.5\n".replace(",", comma), encoding="utf-8")
    found = read_scores(path, directions={"f1": True, "wer": False})
    assert [(name, held.higher_is_better, held.signature) for name, held in found.items()] == [
        ("f1", True, ""),
        ("wer", False, ""),
    ]
    assert found["f1"].score_by_id() == {"1": 0.5}
    assert found["f1"].unscored == {"missing": 1}
    np.testing.assert_array_equal(found["wer"].scores, [2, 3.5])


def test_plain_scores_need_their_direction(tmp_path: Path) -> None:
    """A column says not whether more is better, so that its direction must be given."""
    path = tmp_path / "scores.csv"
    path.write_text("id,f1\n1,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="`directions`"):
        read_scores(path, directions={})
    with pytest.raises(InputError, match="no column wer"):
        read_scores(path, directions={"wer": False})
    path.write_text("id,f1\n1,PRIVATE\n", encoding="utf-8")
    with pytest.raises(InputError, match="row 1: score is not a number") as caught:
        read_scores(path, directions={"f1": True})
    assert "PRIVATE" not in str(caught.value)


@pytest.mark.parametrize("cells", ["1,inf", "1,0.5\n1,0.5", "1,Clear"])
def test_a_bad_cell_of_plain_scores_has_its_own_remedy(tmp_path: Path, cells: str) -> None:
    """Nobody who has such a table need have a result file."""
    path = tmp_path / "scores.csv"
    path.write_text(f"id,f1\n{cells}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"each row has an id of its own, .* a number or nothing"):
        read_scores(path, directions={"f1": True})


def test_a_table_holds_some_of_the_columns(tmp_path: Path) -> None:
    """Others may be in other files."""
    path = tmp_path / "scores.csv"
    path.write_text("id,f1\n1,0.5\n", encoding="utf-8")
    assert list(read_scores(path, directions={"wer": False, "f1": True})) == ["f1"]


def test_where_plain_scores_cannot_be_had_no_option_is_named(tmp_path: Path) -> None:
    """A command without the option does not advise to use it."""
    path = tmp_path / "scores.csv"
    path.write_text("id,f1\n1,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="overread corpus -o wrote"):
        read_scores(path, directions=None)


def test_an_empty_table_holds_no_results(tmp_path: Path) -> None:
    """A header alone is told rather than compared."""
    path = tmp_path / "scores.csv"
    path.write_text("id,f1\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no results"):
        read_scores(path, directions={"f1": True})


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_whole_results_of_some_pairs(tmp_path: Path, suffix: str) -> None:
    """Results of the pairs asked for come back with discrepancies and subscores."""
    path = write_results(tmp_path / f"r{suffix}", RESULTS)
    found = read_results(path, ["p2", "p3", "p9"])
    assert {name: list(results) for name, results in found.items()} == {
        "p2": ["risk", "share"],
        "p3": ["risk", "share"],
    }
    assert found["p3"]["risk"].discrepancies == (MISSED,)
    assert found["p3"]["risk"].subscores == {"b": 3.0}
    assert not found["p2"]["risk"].is_scored


def test_a_result_that_is_not_whole_is_named(tmp_path: Path) -> None:
    """A result that lacks its scale cannot be shown and is named by its row."""
    path = edited(tmp_path, lambda records: records[2].pop("range"))
    with pytest.raises(InputError, match="not a whole result") as caught:
        read_results(path, ["p2"])
    assert caught.value.row == 3


DAMAGE: list[Callable[[dict[str, Any]], object]] = [
    lambda r: r.update(subscores=5),
    lambda r: r.update(subscores="PRIVATE"),
    lambda r: r.update(subscores=["PRIVATE"]),
    lambda r: r.update(subscores={"a": "PRIVATE"}),
    lambda r: r.update(discrepancies=5),
    lambda r: r.update(discrepancies=["PRIVATE"]),
    lambda r: r.update(discrepancies=[None]),
    lambda r: r["discrepancies"][0].update(severity="PRIVATE"),
    lambda r: r["discrepancies"][0].update(reference_spans=["PRIVATE"]),
    lambda r: r["discrepancies"][0].update(candidate_spans=[[1]]),
    lambda r: r.update(range=5),
    lambda r: r.update(range=["PRIVATE", None]),
    lambda r: r.update(range=[0.0, 2.0]),
    lambda r: r.update(score=-1.0),
    lambda r: r.update(score=10**400),
    lambda r: r.update(score="2.5"),
    lambda r: r.update(score=True),
    lambda r: r.update(higher_is_better="PRIVATE"),
    lambda r: r.update(metric=5),
    lambda r: r.update(signature=None),
    lambda r: r.update(notes=5),
    lambda r: r.update(notes=[5]),
    lambda r: r.update(answers="PRIVATE"),
    lambda r: r.update(answers=["PRIVATE"]),
    lambda r: r.update(truncated="PRIVATE"),
    lambda r: r.update(status="unscored", reason=5),
    lambda r: r.update(id=["PRIVATE"]),
    lambda r: r.update(id=None),
    lambda r: r.update(schema_version=2),
]


@pytest.mark.parametrize("change", DAMAGE)
def test_a_damaged_row_is_named_whatever_is_wrong_with_it(
    tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    """By file, row and remedy, without a word of it."""
    path = edited(tmp_path, lambda records: change(records[0]))
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert (caught.value.row, caught.value.source) == (1, str(path))
    assert caught.value.remedy
    assert "PRIVATE" not in str(caught.value)


@pytest.mark.parametrize("read", [read_scores, read_results])
@pytest.mark.parametrize(
    "change",
    [
        lambda r: r[0].update(score=1.25),
        lambda r: r[0]["subscores"].update(a=2.0),
        lambda r: r[0]["discrepancies"][0].update(severity="critical"),
        lambda r: r[0].update(id="p9"),
        lambda r: r[0].update(digest="0" * 16),
        lambda r: r[0].update(digest=5),
    ],
)
def test_a_row_that_was_changed_is_refused(
    tmp_path: Path, read: Callable[[Path], object], change: Callable[[list[dict[str, Any]]], object]
) -> None:
    """Though it could be read; the message says how to keep what was changed on purpose."""
    path = edited(tmp_path, change, digests=True)
    with pytest.raises(InputError, match=r"digest does not match.*remove the digest") as caught:
        read(path)
    assert caught.value.row == 1
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in records:
        record.pop("digest")
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    read(path)


@pytest.mark.parametrize("read", [read_scores, read_results])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r[0].update(schema_version=2), r"newer overread \(schema 2, this one knows 1\)"),
        (lambda r: r[3].update(score=42.0), "score lies outside its range"),
    ],
)
def test_a_row_that_cannot_be_is_refused_by_either(
    tmp_path: Path, read: Callable[[Path], object], change: Callable[[list[dict[str, Any]]], object], words: str
) -> None:
    """A score beyond its scale, and a record of a version that is not known."""
    with pytest.raises(InputError, match=words):
        read(edited(tmp_path, change))


def test_an_id_that_is_there_twice_is_named(tmp_path: Path) -> None:
    """One of the two results would hide the other."""
    path = edited(tmp_path, lambda records: records.append(records[0]), digests=True)
    with pytest.raises(InputError, match="'p1' is also that of an earlier row for risk") as caught:
        read_results(path)
    assert caught.value.row == len(RESULTS) + 1


def test_what_another_tool_wrote_is_read_alike(tmp_path: Path) -> None:
    """Keys in another order, columns more, NaN for null and ids that became numbers leave a result what it is."""
    path = edited(tmp_path, lambda records: [record.update(id=7) for record in records[:2]])
    written = path.read_text(encoding="utf-8").replace('"reason": null', '"mine": 1, "reason": NaN')
    path.write_text(written, encoding="utf-8")
    assert list(read_results(path)) == ["7", "p2", "p3"]
    assert list(read_results(path, ["7"])) == ["7"]
    assert read_scores(path)["risk"].ids == ("7", "p2", "p3")


def test_a_file_of_before_there_were_digests_is_read(tmp_path: Path) -> None:
    """As it was then, also in Parquet."""
    old = edited(tmp_path, lambda _: None)
    assert len(read_results(old)) == 3
    table = pq.read_table(write_results(tmp_path / "new.parquet", RESULTS))
    older = tmp_path / "old.parquet"
    pq.write_table(table.drop_columns(["schema_version", "digest"]), older)
    assert read_results(older) == read_results(old)


def test_results_of_csv_are_those_of_json_lines(tmp_path: Path) -> None:
    """Whole and equal, reasons and details of unscored pairs too; a cell that was changed is found by the digest."""
    whole = [*RESULTS, result("p4", "error")]
    lines, table = (write_results(tmp_path / name, whole) for name in ("results.jsonl", "results.csv"))
    assert read_results(table) == read_results(lines)
    table.write_text(table.read_text(encoding="utf-8").replace("2.5", "2.25"), encoding="utf-8")
    with pytest.raises(InputError, match="row 1: was changed after it was written"):
        read_scores(table)
    table.write_text(table.read_text(encoding="utf-8").replace("2.25", "2,5"), encoding="utf-8")
    with pytest.raises(InputError, match="row 1: "):
        read_results(table)


def test_a_cell_that_no_result_has_is_named(tmp_path: Path) -> None:
    """By its row, and without its words."""
    table = write_results(tmp_path / "results.csv", RESULTS)
    table.write_text(table.read_text(encoding="utf-8").replace(",true,", ",qzx,"), encoding="utf-8")
    with pytest.raises(InputError, match="row 2: signature or higher_is_better is missing") as refused:
        read_scores(table)
    assert "qzx" not in str(refused.value)


def test_pairs_in_place_of_results_have_the_remedy(tmp_path: Path) -> None:
    """Those without ids, too."""
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("reference,candidate\nNo mass.,A mass.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"no column id; .*name a file that"):
        read_scores(pairs)
