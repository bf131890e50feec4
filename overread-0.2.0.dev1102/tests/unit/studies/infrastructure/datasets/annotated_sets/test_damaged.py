"""Damaged copies of published sets are refused where they are damaged, or told. Invented reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from overread.domain.results.annotation import HumanBenchmark
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import Settings
from overread.studies.bootstrap.studies import meta_evaluate_benchmark
from overread.studies.infrastructure.datasets.annotated_sets import read_benchmark

from .layouts import (
    radevalx_errors,
    refused,
    rexerr_rows,
    rexval_errors,
    rexval_reports,
    write_csv,
    write_radevalx,
    write_rexval,
)
from .test_refisco_release import ROWS, read

LEVEL = "ReXErr-report-level"


def _rexerr(folder: Path) -> Path:
    for split in ("train", "test"):
        rows = [{**row, "dicom_id": f"{split}-{row['dicom_id']}"} for row in rexerr_rows()]
        write_csv(folder / LEVEL / f"{LEVEL}_{split}.csv", rows)
    write_csv(folder / "clinician-review.csv", rexerr_rows())
    write_csv(folder / "notes.csv", [{"a": 1}])
    return folder


def test_a_review_is_not_the_set(tmp_path: Path) -> None:
    """Without its report-level files the set is not there, whatever lies beside; a file that is named alone is read."""
    review = write_csv(tmp_path / "clinician-review.csv", rexerr_rows())
    assert "no report-level file; passed over by its name" in refused(lambda: read_benchmark("rexerr", tmp_path))
    assert len(read_benchmark("rexerr", review).pairs) == 8


@pytest.mark.parametrize("split", ["all", "test"])
def test_a_damaged_split_is_refused(tmp_path: Path, split: str) -> None:
    """In an encoding that is not read, or with a column under another name: file and reason are told."""
    file = _rexerr(tmp_path) / LEVEL / f"{LEVEL}_test.csv"
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole, encoding="utf-16")
    message = refused(lambda: read_benchmark("rexerr", tmp_path, split=split))
    assert f"{LEVEL}_test.csv: is UTF-16" in message
    file.write_text(whole.replace("original_report", "orig", 1), encoding="utf-8")
    message = refused(lambda: read_benchmark("rexerr", tmp_path, split=split))
    assert f"{LEVEL}_test.csv: no column original" in message
    assert len(read_benchmark("rexerr", tmp_path, split="train").pairs) == 8


def test_another_split_is_told_as_such(tmp_path: Path) -> None:
    """Each table that is passed over says why."""
    told = read_benchmark("rexerr", _rexerr(tmp_path), split="train").understood
    assert f"passed over, as of another split: {LEVEL}/{LEVEL}_test.csv" in told
    assert "passed over, as sentences or a review by their name: clinician-review.csv" in told
    assert "passed over, as not of this set's tables: notes.csv" in told


def _radpref(folder: Path, said: dict[str, Any]) -> HumanBenchmark:
    texts = {"ground_truth_report": "Clear.", "C1_report": "Mass.", "C2_report": "Clear lungs."}
    (folder / "radiologist_annotations").mkdir()
    (folder / "preference_data.json").write_text(json.dumps([{"id": "1", **texts}]), encoding="utf-8")
    other = {"rating": 4, "finding_errors": {}, "missing_findings": {}}
    user = {"user_id": "u", "annotations": {"1": {"C1": said, "C2": other}}}
    (folder / "radiologist_annotations" / "user_1.json").write_text(json.dumps(user), encoding="utf-8")
    return read_benchmark("radpref", folder)


@pytest.mark.parametrize("said", [{"rating": 1}, {"rating": 1, "finding_errors": None, "missing_findings": None}])
def test_lists_of_findings_that_are_not_there_are_told(tmp_path: Path, said: dict[str, Any]) -> None:
    """Nothing said is read as no error, but an empty list is not taken for a missing one."""
    told = "\n".join(_radpref(tmp_path, said).notes)
    assert "1 candidate without finding_errors" in told
    assert "1 candidate without missing_findings" in told


def test_attributes_of_a_false_finding_are_told(tmp_path: Path) -> None:
    """The finding is one error, and what was marked in it beside is not lost in silence."""
    wrong = {"error_type": False, "clinical_significance": "urgent", "attributes": {"location": "significant"}}
    benchmark = _radpref(tmp_path, {"rating": 1, "finding_errors": {"0": wrong}, "missing_findings": {}})
    assert benchmark.pairs[0].ratings["total"] == (1.0,)
    assert "1 attribute marked in findings that are false altogether: not counted beside these" in benchmark.notes


def _cell(row: int, column: int, text: str) -> Sequence[tuple[str, ...]]:
    cells = list(ROWS[row])
    cells[column] = text
    return [*ROWS[:row], tuple(cells), *ROWS[row + 1 :]]


@pytest.mark.parametrize(
    "cell", ["no edit", "(no edit)", "[no edit", "delete", "<delete>", "{no-edits}", "(delete) Clear lungs."]
)
def test_a_marker_without_its_brackets_never_becomes_text(tmp_path: Path, cell: str) -> None:
    """It is refused by its row."""
    with pytest.raises(InputError, match=r"row 1: a cell (is a marker without both|has a marker beside)"):
        read(tmp_path, _cell(0, 4, cell))


@pytest.mark.parametrize(
    ("column", "note"),
    [
        (1, "1 row without a corrector: read as of one more, named radiologist"),
        (2, "1 row without a source: read as reports of their own"),
    ],
)
def test_blank_names_are_told(tmp_path: Path, column: int, note: str) -> None:
    """A rater or a report that comes of a blank cell is not passed off as the file's."""
    assert note in read(tmp_path, _cell(10, column, " ")).notes


def test_a_row_that_stands_twice_costs_nobody_their_reading(tmp_path: Path) -> None:
    """It is left out where the others have the line once, and told where nothing shows it."""
    benchmark = read(tmp_path, [*ROWS, ROWS[0], ROWS[10]])
    assert [pair.pair for pair in benchmark.pairs][:3] == [pair.pair for pair in read(tmp_path, ROWS).pairs][:3]
    assert not any("reading left out" in note for note in benchmark.notes)
    told = (
        "2 rows like one before of the same reading, in every cell; 1 of them left out, as another corrector has the "
    )
    assert f"{told}line once: row 17, 18" in benchmark.notes


def test_a_line_left_as_it_is_with_an_error_is_told(tmp_path: Path) -> None:
    """Marker and severity contradict each other; the severity is kept."""
    benchmark = read(tmp_path, _cell(10, 5, "Urgent error"))
    assert "1 line left as generated but with the severity of an error, which is kept" in benchmark.notes


def test_blank_reports_are_told(tmp_path: Path) -> None:
    """Whichever reader made the pairs, before they are counted."""
    reports = rexval_reports()
    reports[1]["gt_report"], reports[2]["s_emb"] = " ", ""
    account = read_benchmark("rexval", write_rexval(tmp_path, reports)).account
    assert "4 pairs with a blank reference, read as an empty report" in account
    assert "1 pair with a blank candidate, read as an empty report" in account


@pytest.mark.parametrize("name", ["50_samples_gt_and_candidates.csv", "6_valid_raters_per_rater_error_categories.csv"])
def test_a_header_alone_is_no_table(tmp_path: Path, name: str) -> None:
    """A table that is read has rows."""
    file = write_rexval(tmp_path) / name
    file.write_text(file.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    assert f"{name}: holds no rows" in refused(lambda: read_benchmark("rexval", tmp_path))


def test_no_pair_is_no_set(tmp_path: Path) -> None:
    """Where every row is left out the notes say why; nor is a set without pairs judged."""
    rows = [{**row, "report_id": ""} for row in radevalx_errors(2)]
    message = refused(lambda: read_benchmark("radevalx", write_radevalx(tmp_path, rows)))
    assert "leaves no pair to judge" in message
    assert "12 rows without a report_id were left out" in message
    empty = evolve(read_benchmark("rexval", write_rexval(tmp_path / "other")), pairs=())
    with pytest.raises(InputError, match="holds no pair to judge"):
        meta_evaluate_benchmark(Settings(), empty)


def test_options_are_keywords_too(tmp_path: Path) -> None:
    """A path may be a text; an option that the set does not have is told with those that it has."""
    folder = write_radevalx(tmp_path)
    options: dict[str, Any] = {"blank": "none", "significant": "clinically_significant_annotations.csv"}
    assert read_benchmark("radevalx", folder, **options) == read_benchmark("radevalx", folder, options)
    with pytest.raises(ConfigurationError, match="radevalx has no option split; it has significant, insignificant"):
        read_benchmark("radevalx", folder, split="test")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.encode("utf-16"), "csv is UTF-16 or UTF-32 text (rep.csv: save it as UTF-8)"),
        (lambda text: text.replace(",", ";").encode(), "not separated as its suffix says (rep.csv: "),
        (lambda text: text.replace("bleu\n", "bleu\r\n").replace("radgraph.", "radgraph.,").encode(), "double quotes"),
        (lambda text: text.replace("Candidate", "Cand\0idate").encode(), "(correct the row, or copy the file again)"),
        (lambda text: text.replace("gt_report", "report").encode(), "rep.csv has no column gt_report"),
        (lambda text: text.replace("9001", "").encode(), "row 2: study_id is "),
    ],
)
def test_every_refusal_names_file_column_and_remedy(tmp_path: Path, change: Any, told: str) -> None:
    """Columns are named as the file names them, and each kind of damage has its remedy."""
    folder = write_rexval(tmp_path, [{k: v for k, v in row.items() if k != "study_number"} for row in rexval_reports()])
    file = (folder / "50_samples_gt_and_candidates.csv").rename(folder / "rep.csv")
    file.write_bytes(change(file.read_bytes().decode()))
    message = refused(lambda: read_benchmark("rexval", folder))
    assert told in message.replace("csv: is", "csv is")


def test_a_stray_number_is_told_not_cut_off(tmp_path: Path) -> None:
    """How many studies there are on either side, and which number is none of them."""
    reports = [{k: v for k, v in row.items() if k != "study_number"} for row in rexval_reports()]
    stray = [*rexval_errors(), {**rexval_errors()[0], "study_number": 99}]
    message = refused(lambda: read_benchmark("rexval", write_rexval(tmp_path / "a", reports, stray)))
    assert "holds 3 studies, the errors 4 numbered studies; no place in the table of reports: 99" in message
    more = [*reports, {**reports[0], "study_id": 77}]
    message = refused(lambda: read_benchmark("rexval", write_rexval(tmp_path / "b", more)))
    assert "holds 4 studies, the errors 3 numbered studies; places without errors: 3 (77)" in message


def test_what_is_not_there_is_named_with_what_is(tmp_path: Path) -> None:
    """An archive in a folder, the published file, and which of two tables is missing."""
    (tmp_path / "rexval.zip").write_bytes(b"PK")
    message = refused(lambda: read_benchmark("rexval", tmp_path))
    assert "rexval.zip is an archive (name the archive itself, or unpack it)" in message
    folder = write_rexval(tmp_path / "half")
    (folder / "50_samples_gt_and_candidates.csv").unlink()
    assert "add 50_samples_gt_and_candidates.csv" in refused(lambda: read_benchmark("rexval", folder))
    other = write_radevalx(tmp_path / "other")
    (other / "clinically_insignificant_annotations.csv").unlink()
    assert "the table of insignificant errors is missing" in refused(lambda: read_benchmark("radevalx", other))


def test_numbered_columns_are_told_as_columns(tmp_path: Path) -> None:
    """That 3 is not a number is no message."""
    rows = radevalx_errors(2)
    rows[1]["3"] = "x"
    message = refused(lambda: read_benchmark("radevalx", write_radevalx(tmp_path, rows)))
    assert 'row 2: column "3" is not a number' in message


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"[]", "holds no rows"),
        (b'[{"id": "1", ', "is not valid JSON at line 1, column "),
        ("[]".encode("utf-16"), "is UTF-16 or UTF-32 text, not valid JSON in UTF-8 (save it as UTF-8)"),
    ],
)
def test_comparisons_that_cannot_be_read_have_a_remedy(tmp_path: Path, content: bytes, told: str) -> None:
    """RadPref's file of comparisons, empty, cut off or in another encoding."""
    (tmp_path / "preference_data.json").write_bytes(content)
    assert f"preference_data.json: {told}" in refused(lambda: read_benchmark("radpref", tmp_path))


@pytest.mark.parametrize(("place", "column"), [(1, "annotator"), (5, "score")])
def test_a_release_that_lacks_a_column_is_told_which(tmp_path: Path, place: int, column: str) -> None:
    """Not the columns of another layout."""
    header = ["id", "annotator", "source", "impression_original", "impression_edited", "score", "indication", "notes"]
    rows = [{k: v for k, v in zip(header, row, strict=True) if k != header[place]} for row in ROWS]
    file = write_csv(tmp_path / "refisco.csv", rows)
    with pytest.raises(InputError, match=f"refisco.csv: no column {column}; it has id"):
        read_benchmark("refisco", file)


def test_an_index_without_a_name_is_told(tmp_path: Path) -> None:
    """As any other column that is not read."""
    reports = [{"": place, **row} for place, row in enumerate(rexval_reports())]
    told = read_benchmark("rexval", write_rexval(tmp_path, reports)).understood[0]
    assert told.endswith("not read: study_id, a first column without a name")


def test_the_range_of_what_people_said_is_told(tmp_path: Path) -> None:
    """So that a number out of the scale is seen, and a count that is not a whole number."""
    rows = radevalx_errors(2)
    rows[1]["3"] = 0.5
    told = read_benchmark("radevalx", write_radevalx(tmp_path, rows)).understood
    assert "clinically_significant_annotations.csv: counts from 0 to 22; 1 of 96 are not whole numbers" in told
    assert "clinically_insignificant_annotations.csv: counts from 0 to 11" in told
    (tmp_path / "other").mkdir()
    assert "ratings from 4 to 99" in _radpref(tmp_path / "other", {"rating": 99, "finding_errors": {}}).understood


def test_equal_columns_are_told_once(tmp_path: Path) -> None:
    """Tables of one layout refer to the first."""
    told = read_benchmark("rexerr", _rexerr(tmp_path)).understood
    assert told[1] == f"{LEVEL}/{LEVEL}_train.csv, 4 reports: columns as in {LEVEL}/{LEVEL}_test.csv"
