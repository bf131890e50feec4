"""ReFiSco-v0 as it is released: its exact header, markers, added lines, several correctors. Reports are invented."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError, InputError
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation
from overread.studies.application.meta_evaluation.study import meta_evaluate
from overread.studies.infrastructure.datasets.annotated_sets.refisco import read_refisco

HEADER = "id,annotator,source,impression_original,impression_edited,score,indication,notes"
NO, SLIGHT, ACT, URGENT, EMERGENT = (
    "No error",
    "Not actionable error",
    "Actionable nonurgent error",
    "Urgent error",
    "Emergent error",
)
COUGH = "Cough for a week."
ROWS = [
    # One report, three correctors: the second adds a line at the end, the third one at the front and two in between.
    ("11", "ann", "X-REM", "Small left effusion.", "[no edit]", NO, COUGH, ""),
    ("11", "ann", "X-REM", "Tension pneumothorax.", "[delete]", EMERGENT, COUGH, "not there"),
    ("11", "bob", "X-REM", "Small left effusion.", "Small right effusion.", ACT, COUGH, ""),
    ("11", "bob", "X-REM", "Tension pneumothorax.", "[delete]", URGENT, COUGH, ""),
    ("11", "bob", "X-REM", "", "Old rib fractures.", SLIGHT, COUGH, ""),
    ("11", "cat", "X-REM", "", "No comparison at hand.", SLIGHT, COUGH, ""),
    ("11", "cat", "X-REM", "Small left effusion.", "[No Edit]", NO, COUGH, ""),
    ("11", "cat", "X-REM", "", "Nodule in the right apex.", URGENT, COUGH, ""),
    ("11", "cat", "X-REM", "", "Old rib fractures.", SLIGHT, COUGH, ""),
    ("11", "cat", "X-REM", "Tension pneumothorax.", "[delete]", EMERGENT, COUGH, ""),
    # One report, one corrector; an expert wrote one of study 11 but none of study 12.
    ("12", "ann", "CXR-RePaiR", "Lungs are clear.", "[no edit]", NO, "", ""),
    ("11", "bob", "Expert", "Small right effusion.", "[no edit]", NO, COUGH, ""),
    ("11", "bob", "Expert", "Rib fractures, old.", "[no edit]", NO, COUGH, ""),
    ("11", "dan", "Expert", "Small right effusion.", "[no edit]", NO, COUGH, ""),
    ("11", "dan", "Expert", "Rib fractures, old.", "Healed rib fractures.", SLIGHT, COUGH, ""),
    ("11", "dan", "Expert", "", "Stent in place.", SLIGHT, COUGH, ""),
]


def released(folder: Path, rows: Sequence[tuple[str, ...]] | None = None) -> Path:
    """The table of the release, its header as it is."""
    file = folder / "refisco.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        stream.write(f"{HEADER}\n")
        csv.writer(stream).writerows(ROWS if rows is None else rows)
    return file


def read(tmp_path: Path, rows: Sequence[tuple[str, ...]] | None = None, **options: Any) -> HumanBenchmark:
    return read_refisco(released(tmp_path, rows), **options)


def by_id(benchmark: HumanBenchmark) -> dict[str, AnnotatedPair]:
    return {pair.pair.id: pair for pair in benchmark.pairs}


def references(benchmark: HumanBenchmark) -> dict[str, str]:
    return {pair.pair.id: pair.pair.reference.text for pair in benchmark.pairs}


def told(values: tuple[float, ...]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]


def test_each_corrector_gives_a_reference_of_their_own_and_markers_are_no_text(tmp_path: Path) -> None:
    """A line is kept, struck out, mended or added where its corrector did so, and nowhere else."""
    benchmark = read(tmp_path)
    assert references(benchmark) == {
        "11:X-REM:ann": "Small left effusion.",
        "11:X-REM:bob": "Small right effusion. Old rib fractures.",
        "11:X-REM:cat": "No comparison at hand. Small left effusion. Nodule in the right apex. Old rib fractures.",
        "12:CXR-RePaiR:ann": "Lungs are clear.",
        "11:Expert:bob": "Small right effusion. Rib fractures, old.",
        "11:Expert:dan": "Small right effusion. Healed rib fractures. Stent in place.",
    }
    candidates = {pair.pair.candidate.text for pair in benchmark.pairs if pair.generator == "X-REM"}
    assert candidates == {"Small left effusion. Tension pneumothorax."}
    every = [text for pair in benchmark.pairs for text in (pair.pair.reference.text, pair.pair.candidate.text)]
    assert not any("[" in text or "no edit" in text.lower() or "delete" in text.lower() for text in every)


def test_a_corrected_report_has_the_severities_of_its_corrector(tmp_path: Path) -> None:
    """Raters are kept apart: who made the reference is the one who rates against it."""
    benchmark = read(tmp_path)
    pairs = by_id(benchmark)
    assert benchmark.raters == ("ann", "bob", "cat", "dan")
    assert told(pairs["11:X-REM:bob"].ratings["severity"]) == [None, 3.0, None, None]
    assert told(pairs["11:X-REM:cat"].ratings["severity_sum"]) == [None, None, 9.0, None]
    assert told(pairs["11:X-REM:cat"].ratings["total"]) == [None, None, 4.0, None]
    assert pairs["11:X-REM:bob"].rated == pairs["11:X-REM:ann"].rated == "11:X-REM"
    assert {pair.study for pair in benchmark.pairs} == {"11", "12"}


def test_raters_are_held_against_each_other_once_a_report(tmp_path: Path) -> None:
    """Several references of a report do not multiply it; a rater's own row is where the others' are."""
    benchmark = read(tmp_path)
    ids = tuple(pair.pair.id for pair in benchmark.pairs)
    scores = MetricScores(metric="m", higher_is_better=False, ids=ids, scores=np.arange(6.0))
    ratings, _ = MetaEvaluation(benchmark=benchmark, scores=[scores], draws=5).between("severity_sum")
    assert [told(tuple(row)) for row in ratings] == [
        [4.0, 6.0, 9.0, None],
        [0.0, None, None, None],
        [None, 0.0, None, 2.0],
    ]
    tables = {table.name: table for table in meta_evaluate(benchmark, [scores], draws=5).tables}
    agreement = tables["agreement-severity"]
    place = [column.name for column in agreement.columns].index("pairs")
    assert [row[place] for row in agreement.rows] == [6, 2]


def test_severities_of_lines_stay_with_the_line_whoever_added_lines_before_it(tmp_path: Path) -> None:
    """At the level of lines a line is the same for all of its correctors; an added one is its corrector's alone."""
    benchmark = read(tmp_path, level="line")
    pairs = by_id(benchmark)
    second = [pairs[f"11:X-REM:2:{who}"] for who in ("ann", "bob", "cat")]
    assert {pair.pair.candidate.text for pair in second} == {"Tension pneumothorax."}
    assert [pair.pair.reference.text for pair in second] == ["", "", ""]
    assert {pair.rated for pair in second} == {"11:X-REM:2"}
    added = [pair for name, pair in pairs.items() if "+" in name]
    assert [pair.pair.id for pair in added] == [
        "11:X-REM:2+1:bob", "11:X-REM:0+1:cat", "11:X-REM:1+1:cat", "11:X-REM:1+2:cat", "11:Expert:2+1:dan",
    ]  # fmt: skip
    assert {(pair.pair.candidate.text, pair.rated) for pair in added} == {("", "")}


def test_the_experts_report_is_a_reference_where_a_study_has_one(tmp_path: Path) -> None:
    """As it was written, whoever mended it; then all raters of a candidate rate one pair."""
    benchmark = read(tmp_path, reference="expert")
    assert references(benchmark) == {"11:X-REM": "Small right effusion. Rib fractures, old."}
    [pair] = benchmark.pairs
    assert told(pair.ratings["severity"])[:3] == [4.0, 3.0, 4.0]
    assert benchmark.notes == (
        "the reference is the Expert's report as written, of 1 study; it is no candidate",
        "1 report left out, of studies without an Expert's report",
    )
    with pytest.raises(InputError, match=r"no report is of the source Expert; sources are X-REM \(read without"):
        read(tmp_path, ROWS[:2], reference="expert")
    with pytest.raises(ConfigurationError, match="`reference=expert` is for whole reports"):
        read(tmp_path, reference="expert", level="line")


def test_what_was_understood_is_told(tmp_path: Path) -> None:
    """The columns and what they were taken for, how many reports, correctors, markers and severities there are."""
    benchmark = read(tmp_path)
    assert benchmark.account == (
        (
            "refisco.csv, 16 lines: study_id from id, generated_line from impression_original, severity from score, "
            "generator from source, corrected_line from impression_edited, rater from annotator, indication; "
            "not read: notes"
        ),
        "3 reports, by source: X-REM 1, CXR-RePaiR 1, Expert 1",
        "reports by number of correctors: 1: 1, 2: 1, 3: 1",
        "lines marked as not edited 6, marked as deleted 3, added 5; markers are not read as text",
        "lines by severity: no error 6, not actionable 5, actionable nonurgent 1, urgent 2, emergent 2",
        "2 studies, 6 pairs, 4 raters; targets: severity, severity_sum, total",
    )
    assert benchmark.notes == (
        "the reference is the corrected lines joined, as the file holds no ground truth",
        (
            "2 of 3 reports with several correctors: each corrected report is a reference of its own, with the "
            "severities of its corrector"
        ),
    )


@pytest.mark.parametrize(("context", "indication"), [("with", COUGH), ("without", None)])
def test_the_indication_goes_to_metrics_or_not(tmp_path: Path, context: str, indication: str | None) -> None:
    """An option tells; a study without one has none."""
    pairs = by_id(read(tmp_path, context=context))
    assert pairs["11:X-REM:bob"].pair.context.indication == indication
    assert pairs["12:CXR-RePaiR:ann"].pair.context.indication is None


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("[insert]", "row 1: a cell is an unknown marker in brackets .known are .no edit. and .delete."),
        ("[delete] Small right effusion.", "row 1: a cell has a marker beside text"),
        ("Small [no edit] effusion.", "row 1: a cell has a marker beside text"),
    ],
)
def test_a_marker_that_is_not_known_never_becomes_text(tmp_path: Path, cell: str, problem: str) -> None:
    """The row is named, and no word of the report."""
    with pytest.raises(InputError, match=problem) as caught:
        read(tmp_path, [(*ROWS[0][:4], cell, *ROWS[0][5:])])
    assert "effusion" not in str(caught.value)
    with pytest.raises(InputError, match="row 1: "):
        read(tmp_path, [(*ROWS[0][:3], cell, *ROWS[0][4:])])


@pytest.mark.parametrize("cell", ["[NO EDIT]", " [no_edit] ", '"[no edit]"', "[no edit].", ""])
def test_a_line_without_an_error_stays_however_its_marker_is_written(tmp_path: Path, cell: str) -> None:
    """Case, blanks and signs do not matter; an empty correction of a line without an error is none either."""
    [pair] = read(tmp_path, [(*ROWS[0][:4], cell, *ROWS[0][5:])]).pairs
    assert pair.pair.reference.text == "Small left effusion."


def test_gaps_of_the_release_are_counted_and_do_not_stop_it(tmp_path: Path) -> None:
    """A mended line without a severity gives no rating, an error without its correction no reference."""
    base = ("21", "ann", "X-REM", "Small effusion.")
    rows = [
        (*base, "Large effusion.", "", "", ""),
        ("22", "ann", "X-REM", "Small effusion.", "", URGENT, "", ""),
        ("23", "ann", "X-REM", "Small effusion.", "[no edit]", "", "", ""),
        ("23", "ann", "X-REM", "", "", "", "", ""),
    ]
    benchmark = read(tmp_path, rows)
    pairs = by_id(benchmark)
    assert list(pairs) == ["21:X-REM", "23:X-REM"]
    assert told(pairs["21:X-REM"].ratings["total"]) == [None]
    assert told(pairs["23:X-REM"].ratings["total"]) == [0.0]
    assert benchmark.notes == (
        "1 line without a severity, left as generated: no error",
        "1 corrected line without a severity: no rating of the report by that corrector",
        "1 line with an error but without a correction",
        "1 row without any line, passed over",
        "the reference is the corrected lines joined, as the file holds no ground truth",
        "1 reading left out: an error in it has no correction",
    )


def test_of_readings_that_differ_the_longest_is_kept_where_none_is_frequent(tmp_path: Path) -> None:
    """One who graded a part of the report does not cut the candidate for the other."""
    benchmark = read(tmp_path, [ROWS[0], *ROWS[2:5]])
    assert references(benchmark) == {"11:X-REM": "Small right effusion. Old rib fractures."}
    assert benchmark.pairs[0].pair.candidate.text == "Small left effusion. Tension pneumothorax."
    told = "1 reading left out, of other lines than another corrector had, who has more lines or stands first: "
    assert f"{told}11:X-REM:ann" in benchmark.notes


def test_a_corrector_may_have_read_a_report_twice(tmp_path: Path) -> None:
    """Where another read it once: each time is a reading of its own, and no candidate is doubled."""
    rows = [*ROWS[:2], *ROWS[2:5], *ROWS[2:4]]
    benchmark = read(tmp_path, rows)
    assert references(benchmark) == {
        "11:X-REM:ann": "Small left effusion.",
        "11:X-REM:bob": "Small right effusion. Old rib fractures.",
        "11:X-REM:bob (2)": "Small right effusion.",
    }
    assert len({pair.pair.candidate.text for pair in benchmark.pairs}) == 1
    assert "1 report read more than once by one corrector: each time is a reading of its own" in benchmark.notes
