"""ReXErr: each report with errors stands beside its clean one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from overread.studies.infrastructure.datasets.annotated_sets.rexerr import read_rexerr

from .layouts import PRIVATE, REFERENCES, refused, rexerr_rows, write_csv


def write_rexerr(folder: Path, rows: list[dict[str, Any]] | None = None, split: str = "test") -> Path:
    write_csv(folder / f"ReXErr-report-level_{split}.csv", rexerr_rows() if rows is None else rows)
    return folder


def test_each_row_is_a_clean_and_a_corrupted_pair(tmp_path: Path) -> None:
    """The reference of both is the original; the clean one is better."""
    benchmark = read_rexerr(write_rexerr(tmp_path))
    clean, corrupted = benchmark.pairs[2:4]
    assert (clean.pair.id, corrupted.pair.id) == ("image-1:clean", "image-1:corrupted")
    assert clean.pair.reference.text == clean.pair.candidate.text == corrupted.pair.reference.text == REFERENCES[1]
    assert corrupted.pair.candidate.text == "Corrupted 1."
    assert (clean.ratings, corrupted.ratings) == ({"corrupted": (0.0,)}, {"corrupted": (1.0,)})
    assert [target.higher_is_better for target in benchmark.targets] == [False]
    preference = benchmark.preferences[1]
    assert (preference.first, preference.second, preference.votes) == (clean.pair.id, corrupted.pair.id, (1.0,))
    assert [pair.study for pair in benchmark.pairs] == ["500", "500", "501", "501", "502", "502", "502", "502"]


def test_kinds_of_error_are_strata_of_both_pairs(tmp_path: Path) -> None:
    """Each kind has its clean pairs, so that a kind can be screened for."""
    benchmark = read_rexerr(write_rexerr(tmp_path))
    with_location = [pair.pair.id for pair in benchmark.pairs if pair.strata["Change Location"] == "sampled"]
    assert with_location == ["image-0:clean", "image-0:corrupted", "image-1:clean", "image-1:corrupted"]
    assert set(benchmark.pairs[4].strata) == {"split", "Add Device", "Change Location", "False Negation"}
    assert benchmark.pairs[4].strata["Change Location"] == "not sampled"
    assert benchmark.preferences[3].strata["Add Device"] == "sampled"


def test_splits_are_read_together_or_one(tmp_path: Path) -> None:
    """Every report-level file, unless a split is named; sentence-level files beside them are not read."""
    write_rexerr(tmp_path)
    other = [{**row, "dicom_id": f"other-{number}"} for number, row in enumerate(rexerr_rows()[:2])]
    write_rexerr(tmp_path, other, "train")
    write_csv(tmp_path / "ReXErr-sentence-level_test.csv", [{"original_sentence": "a", "error_sentence": "b"}])
    assert len(read_rexerr(tmp_path).pairs) == 12
    assert len(read_rexerr(tmp_path, split="train").pairs) == 4
    assert {pair.strata["split"] for pair in read_rexerr(tmp_path, split="train").pairs} == {"train"}
    assert "a report-level file with val in its name is missing" in refused(lambda: read_rexerr(tmp_path, split="val"))


def test_what_lies_beside_does_not_confuse(tmp_path: Path) -> None:
    """Sentences in a folder of their own and a clinician's review are passed over, whatever columns they have."""
    write_csv(tmp_path / "ReXErr-report-level" / "ReXErr-report-level_test.csv", rexerr_rows())
    write_csv(tmp_path / "ReXErr-sentence-level" / "ReXErr-sentence-level_test.csv", rexerr_rows())
    write_csv(tmp_path / "clinician-review.csv", [{**row, "rating": 1} for row in rexerr_rows()])
    for split in ("all", "test"):
        benchmark = read_rexerr(tmp_path, split=split)
        assert len(benchmark.pairs) == 8
        assert {pair.strata["split"] for pair in benchmark.pairs} == {"test"}
        assert benchmark.understood[-1].startswith("passed over")
        assert "clinician-review.csv" in benchmark.understood[-1]
    assert "with val in its name is missing" in refused(lambda: read_rexerr(tmp_path, split="val"))
    assert len(read_rexerr(tmp_path / "clinician-review.csv").pairs) == 8


@pytest.mark.parametrize("cell", ["['a1-b2', 'c3']", "a1-b2, c3", "a1-b2 c3", "a1-b2;c3"])
def test_a_report_of_several_images_has_one_id(tmp_path: Path, cell: str) -> None:
    """However the ids are listed; how many reports there are of the kind is told."""
    rows = [{**rexerr_rows()[0], "dicom_id": cell}, rexerr_rows()[1]]
    benchmark = read_rexerr(write_rexerr(tmp_path, rows))
    assert [pair.pair.id for pair in benchmark.pairs[::2]] == ["a1-b2+c3:clean", "image-1:clean"]
    assert "1 reports are of several images; their id is that of the images, joined by +" in benchmark.understood


def test_sentence_level_files_are_refused(tmp_path: Path) -> None:
    """The message says which files to take."""
    write_csv(tmp_path / "a.csv", [{"study_id": 1, "original_sentence": "a", "error_sentence": "b"}])
    message = refused(lambda: read_rexerr(tmp_path))
    assert "holds sentence-level files only" in message
    assert "take the files named report-level" in message


def test_columns_can_be_named(tmp_path: Path) -> None:
    """Other names than the release's; a named column must be there."""
    names = {"original_report": "CLEAN", "error_report": "broken", "errors_sampled": "what", "dicom_id": "name"}
    rows = [{names.get(key, key): value for key, value in row.items()} for row in rexerr_rows()]
    write_rexerr(tmp_path / "other", rows)
    columns = {"original": "clean", "error": "broken", "errors": "what", "id": "name"}
    assert read_rexerr(tmp_path / "other", columns=columns) == read_rexerr(write_rexerr(tmp_path / "plain"))
    missing = {**columns, "errors": "why"}
    assert "no column why; it has name, study_id" in refused(lambda: read_rexerr(tmp_path / "other", columns=missing))
    with pytest.raises(ValueError, match="no column text to name"):
        read_rexerr(tmp_path / "other", columns={"text": "what"})


def test_without_image_ids_studies_are_distinct(tmp_path: Path) -> None:
    """The study is the id where there is no other."""
    rows = [{key: row[key] for key in ("study_id", "original_report", "error_report")} for row in rexerr_rows()]
    assert read_rexerr(write_rexerr(tmp_path / "few", rows[:3])).pairs[0].pair.id == "500:clean"
    assert "row 4: its id is also that of row 3" in refused(lambda: read_rexerr(write_rexerr(tmp_path / "all", rows)))


@pytest.mark.parametrize(
    ("sampled", "kinds"),
    [
        ('["Add Device", "False Negation"]', {"Add Device", "False Negation"}),
        ("Add Device; False Negation", {"Add Device", "False Negation"}),
        ("Add Device", {"Add Device"}),
        ("[]", set()),
    ],
)
def test_kinds_are_read_however_they_are_listed(tmp_path: Path, sampled: str, kinds: set[str]) -> None:
    """A written list of Python or JSON, or names between separators."""
    rows = [{**rexerr_rows()[0], "errors_sampled": sampled}]
    strata = read_rexerr(write_rexerr(tmp_path, rows)).pairs[0].strata
    assert {kind for kind, value in strata.items() if value == "sampled"} == kinds


@pytest.mark.parametrize("sampled", ["[1, 2]", "['a'", f"{PRIVATE}. {PRIVATE}.", "__import__('os')"])
def test_what_is_no_kind_is_refused(tmp_path: Path, sampled: str) -> None:
    """A report in the wrong column is not taken for a kind of error, and not shown."""
    rows = [{**rexerr_rows()[0], "errors_sampled": sampled}]
    assert "row 1: errors_sampled " in refused(lambda: read_rexerr(write_rexerr(tmp_path, rows)))


def test_reports_that_did_not_change_are_noted(tmp_path: Path) -> None:
    """They stay, as the set has them, and their number is told."""
    rows = [
        {**row, "error_report": row["original_report"]} if place == 1 else row
        for place, row in enumerate(rexerr_rows())
    ]
    assert read_rexerr(write_rexerr(tmp_path, rows)).notes[0].startswith("1 reports with errors equal their originals")
