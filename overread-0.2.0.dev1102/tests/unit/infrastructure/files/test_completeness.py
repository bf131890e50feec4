"""Result files that lack rows which their run made."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import overread
from overread.exceptions import InputError
from overread.infrastructure.files.completeness import check_complete, completeness_file, read_completeness
from overread.infrastructure.files.scored import read_scores

IDS = ["a", "b", "c", "d"]


def made(folder: Path, name: str, *metrics: str) -> Path:
    """Results of a run over four pairs."""
    pairs = folder / "pairs.csv"
    rows = "".join(f"{each},No effusion {each}.,No effusion.\n" for each in IDS)
    pairs.write_text(f"id,reference,candidate\n{rows}", encoding="utf-8")
    overread.score_corpus(pairs, folder / name, metrics=metrics or ["rouge"])
    return folder / name


def without_rows(path: Path, rows: int) -> None:
    """Takes the last rows off a file."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        pq.write_table(table.slice(0, table.num_rows - rows), path)
    else:
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-rows]))


@pytest.mark.parametrize("name", ["r.jsonl", "r.ndjson", "r.csv", "r.parquet"])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_file_that_was_cut_between_rows_is_refused(tmp_path: Path, name: str, rows: int) -> None:
    """Of each format; the message says how many pairs there are, how many there should be, and who says so."""
    path = made(tmp_path, name)
    assert read_scores(path)["rouge"].ids == tuple(IDS)
    without_rows(path, rows)
    told = f"holds {4 - rows} pairs of rouge instead of the 4 that {name}.complete.json lists"
    with pytest.raises(InputError, match=told) as caught:
        read_scores(path)
    assert caught.value.remedy.endswith(f"if it was shortened on purpose, remove {name}.complete.json")
    completeness_file(path).unlink()
    assert len(read_scores(path)["rouge"].ids) == 4 - rows


def test_the_results_themselves_are_what_they_were(tmp_path: Path) -> None:
    """The record lies beside them; nothing in them tells of it."""
    path = made(tmp_path, "r.jsonl")
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(IDS)
    record = read_completeness(path)
    assert record is not None
    assert (record.pairs, record.metrics) == (4, ("rouge",))
    assert "effusion" not in completeness_file(path).read_text(encoding="utf-8")


def test_a_file_that_was_packed_since_keeps_its_record(tmp_path: Path) -> None:
    """gzip takes the file and leaves the record."""
    path = made(tmp_path, "r.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    packed = tmp_path / "r.jsonl.gz"
    packed.write_bytes(gzip.compress(b"".join(lines)))
    assert len(read_scores(packed)["rouge"].ids) == 4
    packed.write_bytes(gzip.compress(b"".join(lines[:-1])))
    with pytest.raises(InputError, match="holds 3 pairs of rouge instead of the 4"):
        read_scores(packed)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda lines: [*lines, lines[-1].replace(b'"d"', b'"e"').split(b', "digest"')[0] + b"}\n"], "holds 5 pairs"),
        (lambda lines: [line for line in lines if b'"rouge"' not in line], "lacks the metric rouge"),
        (
            lambda lines: [line for line in lines if b'"rouge"' not in line or b'"a"' not in line],
            "holds 3 pairs of rouge",
        ),
    ],
    ids=["a row more", "a metric less", "a row less of one metric"],
)
def test_any_other_number_of_rows_is_refused(
    tmp_path: Path, change: Callable[[list[bytes]], list[bytes]], says: str
) -> None:
    """Files that were put together, or of which a metric was taken."""
    path = made(tmp_path, "r.jsonl", "bleu", "rouge")
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(InputError, match=says):
        read_scores(path)


def test_a_file_without_a_record_is_refused_where_its_last_pair_is_not_whole(tmp_path: Path) -> None:
    """A run writes all metrics of a pair one after the other; files that were put together otherwise are read."""
    path = made(tmp_path, "r.jsonl", "bleu", "rouge")
    completeness_file(path).unlink()
    without_rows(path, 1)
    with pytest.raises(InputError, match="its last pair has no result of rouge, as where a file was cut"):
        read_scores(path)
    check_complete(path, {"bleu": ["a", "b", "c"], "rouge": ["a", "c"]})
    check_complete(path, {"bleu": ["a", "b", "c"], "rouge": ["d"]})
    check_complete(path, {"bleu": ["a", "b"], "rouge": ["b", "a"]})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pairs": "many"}', '{"pairs": 4}'])
def test_a_record_that_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    """It is not taken for none."""
    path = made(tmp_path, "r.jsonl")
    completeness_file(path).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.jsonl\.complete\.json: cannot be read .*remove it"):
        read_scores(path)


def test_a_record_of_a_newer_overread_is_told(tmp_path: Path) -> None:
    """It may say what this one does not understand."""
    path = made(tmp_path, "r.jsonl")
    place = completeness_file(path)
    place.write_text(place.read_text(encoding="utf-8").replace('"version": 1', '"version": 2'), encoding="utf-8")
    with pytest.raises(InputError, match="was written by a newer overread"):
        read_scores(path)


def test_a_new_run_has_a_record_of_its_own(tmp_path: Path) -> None:
    """That of the file from before goes with it."""
    path = made(tmp_path, "r.jsonl", "bleu", "rouge")
    (tmp_path / "two.csv").write_text("id,reference,candidate\nx,Clear.,Clear.\n", encoding="utf-8")
    overread.score_corpus(tmp_path / "two.csv", path, metrics=["rouge"])
    record = read_completeness(path)
    assert record is not None
    assert (record.pairs, record.metrics) == (1, ("rouge",))
    assert read_scores(path)["rouge"].ids == ("x",)


def test_a_file_that_is_not_made_yet_is_told_as_such(tmp_path: Path) -> None:
    """Its shards lie beside where it will be."""
    (tmp_path / "r.jsonl.partial").mkdir()
    with pytest.raises(InputError, match="is not finished: the run that writes it was stopped or is still going on"):
        read_scores(tmp_path / "r.jsonl")
