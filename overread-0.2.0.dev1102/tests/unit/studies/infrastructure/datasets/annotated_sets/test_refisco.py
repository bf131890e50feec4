"""ReFiSco: lines with severities become reports, and nothing is guessed. All reports are invented."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets.refisco import SEVERITIES, read_refisco

from .tables import written

TRUTH = {"s1": "Small left effusion. The heart is normal.", "s2": "No pneumothorax."}
Cells = tuple[str, str, int, str, str, str, str]
LINES: list[Cells] = [
    ("s1", "X-REM", 1, "Large left effusion.", "Small left effusion.", "Actionable nonurgent", "wrong severity"),
    ("s1", "X-REM", 2, "The heart is normal.", "The heart is normal.", "No error", ""),
    ("s1", "X-REM", 3, "Tension pneumothorax.", "", "Emergent", "false finding"),
    ("s1", "CXR-RePaiR", 1, "No effusion.", "Small left effusion.", "Urgent error", "omitted finding"),
    ("s2", "X-REM", 1, "No pneumothorax.", "No pneumothorax.", "No error", ""),
    ("s2", "CXR-RePaiR", 2, "Unchanged.", "", "Not actionable", "comparison"),
    ("s2", "CXR-RePaiR", 1, "No pneumothorax.", "No pneumothorax.", "invalid comparison", ""),
]
NAMES = ("study_id", "generator", "line_number", "generated_line", "corrected_line", "severity", "error_category")


def rows(**changes: Any) -> list[dict[str, Any]]:
    """The seven lines with their ground truth; ``changes`` are made in the first."""
    made = [dict(zip(NAMES, line, strict=True)) | {"ground_truth": TRUTH[line[0]]} for line in LINES]
    return [{**made[0], **changes}, *made[1:]]


def without(*columns: str, of: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    return [{name: cell for name, cell in row.items() if name not in columns} for row in of or rows()]


def read(tmp_path: Path, lines: list[dict[str, Any]] | None = None, **options: Any) -> HumanBenchmark:
    return read_refisco(written(tmp_path / "lines.csv", lines or rows()), **options)


def by_id(benchmark: HumanBenchmark) -> dict[str, AnnotatedPair]:
    return {pair.pair.id: pair for pair in benchmark.pairs}


def test_lines_are_joined_by_study_and_generator_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """The file has lines, metrics need reports."""
    benchmark = read(tmp_path)
    pairs = by_id(benchmark)
    assert list(pairs) == ["s1:X-REM", "s1:CXR-RePaiR", "s2:X-REM", "s2:CXR-RePaiR"]
    assert pairs["s1:X-REM"].pair.candidate.text == "Large left effusion. The heart is normal. Tension pneumothorax."
    assert pairs["s1:X-REM"].pair.reference.text == TRUTH["s1"]
    assert pairs["s2:CXR-RePaiR"].pair.candidate.text == "No pneumothorax. Unchanged."
    assert (pairs["s2:X-REM"].study, pairs["s2:X-REM"].generator) == ("s2", "X-REM")
    assert (benchmark.name, benchmark.raters, benchmark.notes) == ("refisco", ("radiologist",), ())


def test_severities_are_the_worst_lines_their_sum_and_the_number_of_lines_with_an_error(tmp_path: Path) -> None:
    """Lines become three targets of a report."""
    benchmark = read(tmp_path)
    ratings = {name: pair.ratings for name, pair in by_id(benchmark).items()}
    assert ratings == {
        "s1:X-REM": {"severity": (4.0,), "severity_sum": (6.0,), "total": (2.0,)},
        "s1:CXR-RePaiR": {"severity": (3.0,), "severity_sum": (3.0,), "total": (1.0,)},
        "s2:X-REM": {"severity": (0.0,), "severity_sum": (0.0,), "total": (0.0,)},
        "s2:CXR-RePaiR": {"severity": (1.0,), "severity_sum": (1.0,), "total": (1.0,)},
    }
    assert [(target.name, target.higher_is_better) for target in benchmark.targets] == [
        ("severity", False),
        ("severity_sum", False),
        ("total", False),
    ]


@pytest.mark.parametrize(
    ("written_as", "severity"),
    [
        *((word, number) for number, word in enumerate(SEVERITIES)),
        ("No errors", 0),
        ("NON-ACTIONABLE ERROR", 1),
        ("Actionable, non-urgent", 2),
        ("3 - Urgent", 3),
        ("4", 4),
        ("2.0", 2),
    ],
)
def test_a_severity_may_be_a_word_or_a_number(tmp_path: Path, written_as: str, severity: int) -> None:
    """The five severities are known by word and by number, in any case."""
    [first, *_] = read(tmp_path, rows(severity=written_as), level="line").pairs
    assert first.ratings["severity"] == (float(severity),)


def test_columns_may_go_by_other_names_and_the_order_of_the_file_numbers_the_lines(tmp_path: Path) -> None:
    """A file without line numbers is read in its order."""
    names = {"study_id": "Study ID", "generator": "Model", "generated_line": "Original Line", "severity": "Severity"}
    names |= {"corrected_line": "Edited", "ground_truth": "GT Report"}
    lines = [{names[name]: cell for name, cell in row.items() if name in names} for row in rows()[:-2]]
    assert by_id(read(tmp_path, lines))["s1:X-REM"].ratings["severity_sum"] == (6.0,)


def test_without_a_ground_truth_the_corrected_lines_are_the_reference_and_a_note_says_so(tmp_path: Path) -> None:
    """A reference that was put together is told of."""
    benchmark = read(tmp_path, without("ground_truth"))
    assert by_id(benchmark)["s1:X-REM"].pair.reference.text == "Small left effusion. The heart is normal."
    assert benchmark.notes == ("the reference is the corrected lines joined, as the file holds no ground truth",)


def test_a_ground_truth_may_stand_in_one_row_of_its_study(tmp_path: Path) -> None:
    """Spreadsheets leave repeated cells empty."""
    lines = rows()
    for line in lines[1:4]:
        line["ground_truth"] = ""
    assert by_id(read(tmp_path, lines))["s1:CXR-RePaiR"].pair.reference.text == TRUTH["s1"]


def test_an_empty_severity_is_no_error_only_where_the_radiologist_left_the_line(tmp_path: Path) -> None:
    """A missing severity is only guessed where the line was left as it was."""
    lines = rows()
    lines[1]["severity"] = "N/A"
    benchmark = read(tmp_path, lines)
    assert by_id(benchmark)["s1:X-REM"].ratings["total"] == (2.0,)
    assert benchmark.notes == ("1 line without a severity, left as generated: no error",)
    with pytest.raises(InputError, match=r"row 1: severity is missing \(a line without an error has .* no error\)"):
        read(tmp_path, rows(severity=""))
    with pytest.raises(InputError, match="row 2: severity is missing"):
        read(tmp_path, without("corrected_line", of=lines))


def test_raters_are_kept_apart_and_one_who_read_nothing_has_no_number(tmp_path: Path) -> None:
    """A report that a rater did not read is missing and not without errors."""
    second = [{**line, "rater": "r2", "severity": "urgent"} for line in rows()[:3]]
    pairs = by_id(read(tmp_path, [*({**line, "rater": "r1"} for line in rows()), *second]))
    assert pairs["s1:X-REM"].ratings["severity_sum"] == (6.0, 9.0)
    first, missing = pairs["s1:CXR-RePaiR"].ratings["severity"]
    assert first == 3.0
    assert math.isnan(missing)


@pytest.mark.parametrize("others", [rows()[:2], rows(generated_line="Clear.")[:3]])
def test_a_reading_of_other_lines_than_the_rest_is_left_out_and_told(
    tmp_path: Path, others: list[dict[str, Any]]
) -> None:
    """Sums over different lines could not be compared."""
    one = [{**line, "rater": "r1"} for line in rows()[:3]]
    benchmark = read(tmp_path, [*one, *({**line, "rater": "r2"} for line in others)])
    assert benchmark.raters == ("r1",)
    assert by_id(benchmark)["s1:X-REM"].ratings["total"] == (2.0,)
    assert benchmark.notes == (
        (
            "1 reading left out, of other lines than another corrector had, who has more lines or stands first: "
            "s1:X-REM:r2"
        ),
    )


def test_single_lines_are_read_against_their_corrections(tmp_path: Path) -> None:
    """At the level of lines a pair is a line and what the radiologist made of it."""
    benchmark = read(tmp_path, level="line")
    first = benchmark.pairs[0]
    assert (first.pair.id, first.study, first.strata) == ("s1:X-REM:1", "s1", {"category": "wrong severity"})
    assert (first.pair.reference.text, first.pair.candidate.text) == ("Small left effusion.", "Large left effusion.")
    assert [target.name for target in benchmark.targets] == ["severity"]
    assert [pair.ratings["severity"][0] for pair in benchmark.pairs] == [2, 0, 4, 3, 0, 1, 0]
    with pytest.raises(InputError, match="there is no column corrected_line"):
        read(tmp_path, without("corrected_line"), level="line")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"severity": "grave"}, "row 1: severity is not a known severity .use no error, not actionable"),
        ({"severity": "5"}, "row 1: severity is not a known severity"),
        ({"severity": "2.5"}, "row 1: severity is not a known severity"),
        ({"line_number": 2}, "row 2: its line number is also that of row 1"),
        ({"line_number": ""}, "row 1: line_number is missing"),
        ({"line_number": "Large left effusion."}, "row 1: line_number is not a number"),
        ({"study_id": ""}, "row 1: study_id is empty"),
        ({"ground_truth": "Another report."}, "row 2: its ground truth is not that of the rows before it"),
    ],
)
def test_what_cannot_be_used_is_refused_by_row_without_its_text(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    """The message names file and row, and quotes no line."""
    with pytest.raises(InputError, match=problem) as error:
        read(tmp_path, rows(**changes))
    assert "effusion" not in str(error.value)
    assert "lines.csv" in str(error.value)


def test_missing_columns_are_named_beside_those_that_are_there(tmp_path: Path) -> None:
    """The message also gives other names that the column may have."""
    with pytest.raises(InputError, match=r"no column severity; it has study_id, generator.*severity also:"):
        read(tmp_path, without("severity"))
    with pytest.raises(InputError, match="neither a column ground_truth nor one corrected_line"):
        read(tmp_path, without("ground_truth", "corrected_line"))


def test_a_study_without_ground_truth_among_others_is_refused(tmp_path: Path) -> None:
    """References of two kinds in one set would be compared with each other."""
    lines = rows()
    for line in lines[-3:]:
        line["ground_truth"] = ""
    with pytest.raises(InputError, match="row 5: its study has no ground truth, though others have"):
        read(tmp_path, lines)


def test_the_table_is_found_in_a_folder_and_two_are_too_many(tmp_path: Path) -> None:
    """The columns tell which file is meant; of two that fit none is chosen."""
    written(tmp_path / "lines.jsonl", rows())
    written(tmp_path / "other.csv", [{"a": 1}])
    assert len(read_refisco(tmp_path).pairs) == 4
    written(tmp_path / "more.csv", rows())
    with pytest.raises(InputError, match=r"more than one file may be the table of lines: lines\.jsonl, more\.csv"):
        read_refisco(tmp_path)
