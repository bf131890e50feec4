"""ReXVal: what six radiologists counted arrives rater by rater, or a message names what is amiss."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from overread.studies.infrastructure.datasets.annotated_sets.rexval import read_rexval

from .layouts import (
    GENERATORS,
    REFERENCES,
    Rows,
    refused,
    rexval_count,
    rexval_errors,
    rexval_reports,
    write_csv,
    write_rexval,
)

ERRORS = "6_valid_raters_per_rater_error_categories.csv"


def counted(study: int, generator: str, rater: int, categories: range = range(1, 7), **kind: bool) -> int:
    return sum(rexval_count(study, generator, category, rater, **kind) for category in categories)


def test_each_rater_is_kept_apart(tmp_path: Path) -> None:
    """Every pair has six ratings a target, in the order of the raters, as the rule of the fixture gives them."""
    benchmark = read_rexval(write_rexval(tmp_path / "rexval"))
    assert benchmark.raters == tuple(f"rater {rater}" for rater in range(6))
    assert [pair.pair.id for pair in benchmark.pairs[:5]] == [
        "0:radgraph",
        "0:bertscore",
        "0:s_emb",
        "0:bleu",
        "1:radgraph",
    ]
    assert len(benchmark.pairs) == 12
    for pair in benchmark.pairs:
        study, generator = int(pair.study), pair.generator
        significant = [counted(study, generator, rater, significant=True) for rater in range(6)]
        insignificant = [counted(study, generator, rater, significant=False) for rater in range(6)]
        assert pair.ratings["significant"] == tuple(significant)
        assert pair.ratings["insignificant"] == tuple(insignificant)
        assert pair.ratings["total"] == tuple(map(sum, zip(significant, insignificant, strict=True)))
        third = [rexval_count(study, generator, 3, rater, significant=True) for rater in range(6)]
        assert pair.ratings["significant.C"] == tuple(third)


def test_targets_are_burdens_then_categories_and_errors_are_bad(tmp_path: Path) -> None:
    """The most telling come first; the letters are ReXVal's A to F; more is worse."""
    benchmark = read_rexval(write_rexval(tmp_path))
    names = [target.name for target in benchmark.targets]
    assert names[:4] == ["total", "significant", "insignificant", "total.A"]
    assert names[-1] == "insignificant.F"
    assert len(names) == 3 + 3 * 6
    assert not any(target.higher_is_better for target in benchmark.targets)
    assert all(set(pair.ratings) == set(names) for pair in benchmark.pairs)


def test_reports_stay_as_they_are(tmp_path: Path) -> None:
    """Line breaks and quotes survive, and the candidate is the one of its generator's column."""
    benchmark = read_rexval(write_rexval(tmp_path))
    assert benchmark.pairs[0].pair.reference.text == REFERENCES[0]
    assert [pair.pair.candidate.text for pair in benchmark.pairs[4:8]] == [
        f"Candidate of {name}." for name in GENERATORS
    ]


def test_rexval_star_leaves_out_identical_pairs(tmp_path: Path) -> None:
    """A pair that differs in white space only is identical; how many were left out is noted."""
    folder = write_rexval(tmp_path)
    kept, dropped = read_rexval(folder), read_rexval(folder, identical="drop")
    assert [pair.pair.id for pair in kept.pairs if pair not in dropped.pairs] == ["0:bleu"]
    assert kept.notes == ()
    assert dropped.notes == ("1 pairs whose candidate equals the reference were left out (ReXVal*)",)
    with pytest.raises(ValueError, match="keep or drop"):
        read_rexval(folder, identical="no")


def test_small_variations_do_not_matter(tmp_path: Path) -> None:
    """Case, spaces, a byte order mark, 0 and 1, another order of rows, study_id alone and other file names."""
    plain = read_rexval(write_rexval(tmp_path / "plain"))
    reports = [{k: v for k, v in row.items() if k != "study_number"} for row in rexval_reports()]
    renamed = [{" Study_ID": row.pop("study_id") - 9000, **row} for row in reports]
    write_csv(tmp_path / "other" / "reports.csv", renamed, encoding="utf-8-sig")
    names = {"candidate_type": "Candidate Type", "num_errors": "NUM_ERRORS", "rater_index": "Rater"}
    errors = [{names.get(key, key): value for key, value in row.items()} for row in reversed(rexval_errors())]
    for row in errors:
        row["clinically_significant"] = {"TRUE": "1", "FALSE": "0"}[row["clinically_significant"]]
        row["Candidate Type"] = row["Candidate Type"].replace("s_emb", "S-Emb")
    write_csv(tmp_path / "other" / "deep" / "per_rater_error_categories.tsv", errors, delimiter="\t")
    assert read_rexval(tmp_path / "other") == plain


@pytest.mark.parametrize("form", ["zip", "gztar"])
def test_archives_and_parents_are_read(tmp_path: Path, form: str) -> None:
    """The folder may be packed, or lie in the one that is named."""
    write_rexval(tmp_path / "all" / "files" / "1.0.0")
    archive = shutil.make_archive(str(tmp_path / "rexval"), form, tmp_path / "all")
    assert read_rexval(Path(archive)) == read_rexval(tmp_path / "all")


def test_table_of_the_valid_raters_is_preferred(tmp_path: Path) -> None:
    """A table of further raters beside that of the valid ones is not read."""
    folder = write_rexval(tmp_path)
    write_csv(folder / "all_raters_per_rater_error_categories.csv", rexval_errors(range(8)))
    assert len(read_rexval(folder).raters) == 6


def as_published(rows: Rows) -> Rows:
    """Reports under the numbers of MIMIC's studies alone."""
    return [{key: value for key, value in row.items() if key != "study_number"} for row in rows]


def test_numbers_are_places_where_no_study_is_named_alike(tmp_path: Path) -> None:
    """The errors' study_number is the row of the reports, which are keyed by study_id; what was done is told."""
    by_name = read_rexval(write_rexval(tmp_path / "name"))
    by_place = read_rexval(write_rexval(tmp_path / "place", as_published(rexval_reports())))
    assert [pair.study for pair in by_place.pairs[::4]] == ["9000", "9001", "9002"]
    assert [pair.ratings for pair in by_place.pairs] == [pair.ratings for pair in by_name.pairs]
    assert any("joined by row order" in line for line in by_place.understood)
    assert not any("row order" in line for line in by_name.understood)
    turned = read_rexval(write_rexval(tmp_path / "turned", as_published(rexval_reports())[::-1]))
    assert turned.pairs[8].pair.id == "9000:radgraph"
    assert turned.pairs[8].ratings == by_name.pairs[8].ratings


def test_reports_without_any_number_are_joined_by_place(tmp_path: Path) -> None:
    """Their place is their name, too; four columns without a generator's name are taken in the published order."""
    rows = [{key: value for key, value in row.items() if key != "study_id"} for row in as_published(rexval_reports())]
    benchmark = read_rexval(write_rexval(tmp_path / "bare", rows))
    assert benchmark == read_rexval(write_rexval(tmp_path / "named"))
    unnamed = [{"study_id": 50, "gt_report": row["gt_report"]} for row in rows]
    for place, row in enumerate(rows):
        unnamed[place] |= {"study_id": 50 + place} | {f"column {n}": row[name] for n, name in enumerate(GENERATORS)}
    by_place = read_rexval(write_rexval(tmp_path / "unnamed", unnamed))
    assert [pair.pair.candidate for pair in by_place.pairs] == [pair.pair.candidate for pair in benchmark.pairs]
    assert any("are read in their order, as radgraph, bertscore, s_emb, bleu" in line for line in by_place.understood)


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        (
            {0: 3},
            "3 studies, the errors 3 numbered studies; no place in the table of reports: 3; places without errors: 0",
        ),
        ({0: 9000}, "2 studies have errors but no reports: 1, 2"),
    ],
)
def test_numbers_that_are_no_places_are_refused(tmp_path: Path, numbers: dict[int, int], told: str) -> None:
    """Places run from 0 without a gap, and no number may be a study's name; else nothing is guessed."""
    errors = [{**row, "study_number": numbers.get(row["study_number"], row["study_number"])} for row in rexval_errors()]
    message = refused(lambda: read_rexval(write_rexval(tmp_path, as_published(rexval_reports()), errors)))
    assert told in message
    assert "number them by row, 0 to 2" in message


def test_tables_that_do_not_belong_together_are_noted(tmp_path: Path) -> None:
    """Candidates that equal their reference have fewer errors than others, unless a join went wrong."""
    errors = [
        {**row, "num_errors": 5} if (row["study_number"], row["candidate_type"]) == (0, "bleu") else row
        for row in rexval_errors()
    ]
    assert "are the tables of one release?" in read_rexval(write_rexval(tmp_path, errors=errors)).notes[0]


def without(**cells: object) -> Callable[[Rows], Rows]:
    return lambda rows: [row for row in rows if any(row[key] != value for key, value in cells.items())]


def with_cell(place: int, **cells: object) -> Callable[[Rows], Rows]:
    return lambda rows: [{**row, **cells} if number == place else row for number, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            without(study_number=1, candidate_type="s_emb", rater_index=4),
            "rater 4 has no row for study 1, candidate s_emb",
        ),
        (
            without(
                study_number=2, candidate_type="bleu", rater_index=0, error_category=5, clinically_significant="FALSE"
            ),
            "rater 0 has no row on insignificant errors of category 5 for study 2, candidate bleu",
        ),
        (
            lambda rows: [*rows, rows[3]],
            "row 865: its rater, candidate, category and significance is also that of row 4",
        ),
        (with_cell(6, num_errors=-1), "row 7: num_errors is negative"),
        (with_cell(6, num_errors="nan"), "row 7: num_errors is missing"),
        (with_cell(6, num_errors=""), "row 7: num_errors is missing"),
        (with_cell(6, num_errors="1.5"), "row 7: num_errors is not a whole number"),
        (with_cell(6, error_category=7), "row 7: error_category is not 1 to 6"),
        (with_cell(6, clinically_significant="maybe"), "row 7: clinically_significant is neither true nor false"),
        (with_cell(6, candidate_type=REFERENCES[1]), "row 7: candidate_type is not one of radgraph, bertscore"),
        (with_cell(6, study_number=8), "1 studies have errors but no reports: 8"),
        (with_cell(6, rater_index=6), "rater 0 has no row on significant errors of category 4"),
    ],
)
def test_faulty_counts_are_refused(tmp_path: Path, change: Callable[[Rows], Rows], told: str) -> None:
    """A count that is missing, twice there or no count is an error that names file, row and remedy; none is made up."""
    folder = write_rexval(tmp_path, errors=change(rexval_errors()))
    message = refused(lambda: read_rexval(folder))
    assert told in message
    assert ERRORS in message


def test_table_that_lists_only_what_was_found_says_so(tmp_path: Path) -> None:
    """Without a single zero in the file, a category without a row is none; a rater without any row is still missing."""
    reports = rexval_reports()
    reports[0]["bleu"] = "Another."
    full = [{**row, "num_errors": row["num_errors"] or (row["error_category"] == 1)} for row in rexval_errors()]
    full = [{**row, "num_errors": int(row["num_errors"])} for row in full]
    sparse = [row for row in full if row["num_errors"]]
    assert len(sparse) < len(full)
    read = read_rexval(write_rexval(tmp_path / "sparse", reports, sparse))
    assert read.pairs == read_rexval(write_rexval(tmp_path / "full", reports, full)).pairs
    assert "holds no zero" in read.notes[0]
    gone = without(study_number=0, candidate_type="bleu", rater_index=2)(sparse)
    assert "rater 2 has no row for study 0" in refused(
        lambda: read_rexval(write_rexval(tmp_path / "gone", reports, gone))
    )


def test_number_of_raters_is_noted(tmp_path: Path) -> None:
    """A set of four raters can be read, and says that it is not the whole ReXVal."""
    assert read_rexval(write_rexval(tmp_path, errors=rexval_errors(range(4)))).notes == (
        "there are 4 raters; ReXVal has 6",
    )


def _rename(rows: Rows, old: str, new: str) -> Rows:
    return [{new if key == old else key: value for key, value in row.items()} for row in rows]


@pytest.mark.parametrize(
    ("reports", "told"),
    [
        (
            _rename(rexval_reports(), "bertscore", "bart"),
            "50_samples_gt_and_candidates.csv has no column bertscore; it has",
        ),
        ([*rexval_reports(), rexval_reports()[0]], "row 4: its study is also that of row 1"),
        ([{**rexval_reports()[0], "study_number": " "}], "row 1: study_number is empty"),
    ],
)
def test_faulty_reports_are_refused(tmp_path: Path, reports: list[dict[str, Any]], told: str) -> None:
    """Missing columns are named with those that are there; studies are distinct."""
    assert told in refused(lambda: read_rexval(write_rexval(tmp_path, reports=reports)))


def test_missing_files_are_told(tmp_path: Path) -> None:
    """Which table is missing, which columns it has, what is there instead, and what to do with a workbook."""
    assert "no such file or folder" in refused(lambda: read_rexval(tmp_path / "nowhere"))
    folder = write_rexval(tmp_path / "set")
    (folder / ERRORS).rename(folder / "errors.xlsx")
    message = refused(lambda: read_rexval(folder))
    assert "the table of errors by rater is missing" in message
    assert "50_samples_gt_and_candidates.csv has study_number, study_id, gt_report" in message
    assert "save each sheet of a workbook as CSV" in message


def test_broken_archive_is_refused(tmp_path: Path) -> None:
    """Half a download is told of."""
    path = tmp_path / "rexval.zip"
    path.write_bytes(b"PK\x03\x04 and then nothing")
    assert "is not a whole archive" in refused(lambda: read_rexval(path))


def test_errors_in_an_archive_name_it(tmp_path: Path) -> None:
    """The message names the archive and the file in it, not the folder it was unpacked to."""
    write_rexval(tmp_path / "all", errors=with_cell(6, num_errors=-1)(rexval_errors()))
    archive = shutil.make_archive(str(tmp_path / "rexval"), "zip", tmp_path / "all")
    assert refused(lambda: read_rexval(Path(archive))).startswith(f"{archive}/{ERRORS}, row 7: num_errors is negative")
