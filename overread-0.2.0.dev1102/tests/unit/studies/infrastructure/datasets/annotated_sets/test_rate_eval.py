"""RaTE-Eval: grades of each level turned the same way, and triads as preferences. All reports are invented."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets.rate_eval import read_rate_eval

from .tables import written

SENTENCES: list[dict[str, Any]] = [
    {"reference": "Foley catheter in situ.", "candidate": "Foley catheter removed.", "errors": 1, "potential": 2},
    {"reference": "Foley catheter in situ.", "candidate": "Foley catheter in  situ.", "errors": 0, "potential": 2},
    {"reference": "No mass.", "candidate": "A mass and a cyst.", "errors": 2, "potential": 1},
    {"reference": "As above.", "candidate": "A cyst.", "errors": 1, "potential": 0},
]
PARAGRAPHS: list[dict[str, Any]] = [
    {"id": "x", "reference": "Clear lungs. No mass.", "candidate": "Clear lungs. A mass.", "rating": 3},
    {"id": "y", "reference": "Clear lungs. No mass.", "candidate": "Clear lungs. No mass.", "rating": 5},
]
TRIADS: list[dict[str, Any]] = [
    {"reference": "No effusion.", "synonym": "No pleural fluid.", "antonym": "There is an effusion."},
    {"reference": "Stable mass.", "synonym": "Unchanged mass.", "antonym": "The mass has grown."},
]


def read(tmp_path: Path, rows: list[dict[str, Any]], name: str = "sentence.json", **options: Any) -> HumanBenchmark:
    return read_rate_eval(written(tmp_path / name, rows), **options)


def grades(benchmark: HumanBenchmark, target: str = "rating") -> list[tuple[float, ...]]:
    return [pair.ratings[target] for pair in benchmark.pairs]


def by_level(benchmark: HumanBenchmark) -> dict[str, list[AnnotatedPair]]:
    levels: dict[str, list[AnnotatedPair]] = {}
    for pair in benchmark.pairs:
        levels.setdefault(pair.strata["level"], []).append(pair)
    return levels


@pytest.mark.parametrize("name", ["sentence.json", "Task1-sentences.csv", "task.jsonl"])
def test_a_sentences_grade_is_one_less_errors_per_potential_error(tmp_path: Path, name: str) -> None:
    """More errors than potential ones give a negative grade, and no potential error none at all."""
    benchmark = read(tmp_path, SENTENCES, name)
    # RaTEScore, section 3 and Fig. 3: by hand 1 - 1/2, 1 - 0/2, 1 - 2/1; nothing to divide by in the last.
    assert grades(benchmark)[:3] == [(0.5,), (1.0,), (-1.0,)]
    assert math.isnan(grades(benchmark)[3][0])
    assert grades(benchmark, "total") == [(1.0,), (0.0,), (2.0,), (1.0,)]
    assert [(target.name, target.higher_is_better) for target in benchmark.targets] == [
        ("rating", True),
        ("total", False),
    ]
    assert benchmark.raters == ("mean",)
    assert {pair.strata["level"] for pair in benchmark.pairs} == {"sentence"}
    assert "1 pairs have no grade, or no potential error to divide by" in benchmark.notes


def test_pairs_with_one_reference_are_one_study(tmp_path: Path) -> None:
    """Pairs that share a reference depend on each other and are resampled together."""
    first, second, third, _ = (pair.study for pair in read(tmp_path, SENTENCES).pairs)
    assert first == second != third


def test_a_rating_of_sentences_is_a_share_of_errors_unless_told_otherwise(tmp_path: Path) -> None:
    """Equal texts with the worst grade betray a file that is turned round."""
    rows = [
        {"ref": "No mass.", "pred": "A mass.", "score": 0.75},
        {"ref": "No mass.", "pred": "No mass.", "score": 0.0},
    ]
    assert grades(read(tmp_path, rows)) == [(0.25,), (1.0,)]
    turned = [{**row, "score": 1.0 - row["score"]} for row in rows]  # type: ignore[operator]
    assert grades(read(tmp_path, turned, sentence_grades="quality")) == [(0.25,), (1.0,)]
    with pytest.raises(InputError, match=r"grades equal texts of the sentence level worse.*sentence-grades quality"):
        read(tmp_path, turned)


def test_each_radiologist_is_a_rater(tmp_path: Path) -> None:
    """The grades of single radiologists are taken before their mean, however the columns name them."""
    rows = [
        {"reference": "No mass.", "candidate": "A mass.", "rating": 3.5, "rating_1": 4, "Rater2 Score": 3},
        {"reference": "No mass.", "candidate": "A cyst.", "rating": 3.0, "rating_1": 3, "Rater2 Score": None},
    ]
    benchmark = read(tmp_path, rows, "paragraph.jsonl")
    assert benchmark.raters == ("radiologist 1", "radiologist 2")
    assert grades(benchmark)[0] == (4.0, 3.0)
    assert grades(benchmark)[1] == pytest.approx((3.0, math.nan), nan_ok=True)
    listed = [{"reference": "No mass.", "candidate": "A mass.", "ratings": [4, None, 2]}]
    assert grades(read(tmp_path, listed, "paragraph.json"))[0] == pytest.approx((4.0, math.nan, 2.0), nan_ok=True)


def test_each_radiologist_counts_errors_among_their_own_or_shared_potential_ones(tmp_path: Path) -> None:
    """A shared number of potential errors divides every radiologist's count."""
    row = {"reference": "No mass.", "candidate": "A mass.", "errors_rater1": 1, "errors_rater2": 2}
    own = read(tmp_path, [{**row, "potential_rater1": 4, "potential_rater2": 5}])
    assert grades(own) == [pytest.approx((0.75, 0.6))]
    assert grades(own, "total") == [(1.0, 2.0)]
    assert grades(read(tmp_path, [{**row, "potential": 4}])) == [pytest.approx((0.75, 0.5))]


def test_a_triad_is_two_pairs_and_the_synonym_is_preferred(tmp_path: Path) -> None:
    """A metric is right where it puts the synonym before the antonym."""
    benchmark = read(tmp_path, TRIADS, "simulation.json")
    assert [pair.pair.id for pair in benchmark.pairs] == [
        "synthetic-1:synonym",
        "synthetic-1:antonym",
        "synthetic-2:synonym",
        "synthetic-2:antonym",
    ]
    first = benchmark.preferences[0]
    assert (first.first, first.second, first.votes) == ("synthetic-1:synonym", "synthetic-1:antonym", (1.0,))
    texts = {pair.pair.id: pair.pair.candidate.text for pair in benchmark.pairs}
    assert texts[first.first] == "No pleural fluid."
    assert texts[first.second] == "There is an effusion."
    assert (benchmark.targets, benchmark.raters) == ((), ("rewriting",))


def test_tasks_of_a_folder_are_read_together_and_told_apart(tmp_path: Path) -> None:
    """Levels and splits become strata; their grades lie on scales that must not be mixed."""
    written(tmp_path / "sentence" / "test.json", SENTENCES)
    written(tmp_path / "sentence" / "train.json", SENTENCES)
    written(tmp_path / "paragraph" / "test.json", PARAGRAPHS)
    written(tmp_path / "simulation.json", TRIADS)
    benchmark = read_rate_eval(tmp_path)
    levels = by_level(benchmark)
    assert {level: len(pairs) for level, pairs in levels.items()} == {"sentence": 8, "paragraph": 2, "synthetic": 4}
    assert [pair.pair.id for pair in levels["paragraph"]] == ["paragraph-test-x", "paragraph-test-y"]
    assert [pair.strata.get("split") for pair in levels["sentence"]] == ["test"] * 4 + ["train"] * 4
    assert len({pair.pair.id for pair in benchmark.pairs}) == 14
    assert benchmark.raters == ("mean", "rewriting")
    assert all(
        math.isnan(value) for pair in levels["synthetic"] for values in pair.ratings.values() for value in values
    )
    assert all(set(pair.ratings) == {"rating", "total"} for pair in benchmark.pairs)
    assert benchmark.preferences[0].votes == pytest.approx((math.nan, 1.0), nan_ok=True)
    assert any("different scales" in note for note in benchmark.notes)


def test_two_files_of_one_task_and_split_keep_their_ids_distinct(tmp_path: Path) -> None:
    """The name of the file leads the ids where rows have none."""
    written(tmp_path / "sentence-ct.json", SENTENCES)
    written(tmp_path / "sentence-mr.json", SENTENCES)
    names = [pair.pair.id for pair in read_rate_eval(tmp_path).pairs]
    assert names[0] == "sentence-ct-1"
    assert names[4] == "sentence-mr-1"


def test_single_levels_may_be_asked_for(tmp_path: Path) -> None:
    """A level the files lack is an error of the input, an unknown one of the program."""
    written(tmp_path / "sentence.json", SENTENCES)
    written(tmp_path / "paragraph.json", PARAGRAPHS)
    assert set(by_level(read_rate_eval(tmp_path, levels=["paragraph"]))) == {"paragraph"}
    with pytest.raises(InputError, match="holds no pairs of the level synthetic"):
        read_rate_eval(tmp_path, levels=["synthetic"])
    with pytest.raises(ValueError, match="levels must be among sentence, paragraph, synthetic"):
        read_rate_eval(tmp_path, levels=["word"])


def test_a_column_may_tell_the_level_and_others_become_strata(tmp_path: Path) -> None:
    """Modality and anatomy can be reported apart."""
    rows = [{**row, "level": "Paragraph-level", "modality": "CT", "anatomy": "Chest"} for row in PARAGRAPHS]
    [first, _] = read(tmp_path, rows, "all.csv").pairs
    assert first.strata == {"level": "paragraph", "modality": "CT", "anatomy": "Chest"}


@pytest.mark.parametrize(
    ("name", "cells", "problem"),
    [
        ("ratings.json", {}, "row 1: it is not given whether this is a sentence or a paragraph .put sentence or"),
        ("paragraph.json", {"rating": 6}, "row 1: rating is not 0 to 5"),
        ("paragraph.json", {"rating": -1}, "row 1: rating is not 0 to 5"),
        ("sentence.json", {"rating": -0.1}, "row 1: rating is not 0 or more"),
        ("paragraph.json", {"rating": "Clear"}, "row 1: rating is not a number"),
        ("paragraph.json", {"rating": True}, "row 1: rating is true or false, not a number"),
        ("paragraph.json", {"id": "y"}, "row 2: its id is also that of row 1"),
        ("paragraph.json", {"reference": None}, "row 1: reference is null"),
    ],
)
def test_what_cannot_be_used_is_refused_by_row(tmp_path: Path, name: str, cells: dict[str, Any], problem: str) -> None:
    """A grade outside its scale is refused without quoting a report."""
    with pytest.raises(InputError, match=problem) as error:
        read(tmp_path, [{**PARAGRAPHS[0], **cells}, PARAGRAPHS[1]], name)
    assert "lungs" not in str(error.value)
    assert name in str(error.value)


def test_a_missing_rating_is_no_grade_and_counted(tmp_path: Path) -> None:
    """A pair without a grade stays, and a note tells how many there are."""
    benchmark = read(tmp_path, [{**PARAGRAPHS[0], "rating": None}, PARAGRAPHS[1]], "paragraph.json")
    assert math.isnan(grades(benchmark)[0][0])
    assert benchmark.notes == ("1 pairs have no grade, or no potential error to divide by",)


def test_grades_of_reports_that_are_turned_round_are_refused(tmp_path: Path) -> None:
    """A report equal to its reference cannot be graded worst of all."""
    with pytest.raises(InputError, match="grades equal texts of the paragraph level worse than others"):
        read(tmp_path, [PARAGRAPHS[0], {**PARAGRAPHS[1], "rating": 0}], "paragraph.json")


def test_a_good_grade_of_equal_texts_below_the_others_is_no_sign_of_that(tmp_path: Path) -> None:
    """One strict grade of an equal report does not refuse a set."""
    rows = [{**PARAGRAPHS[0], "rating": 5}, {**PARAGRAPHS[1], "rating": 4}, {**PARAGRAPHS[0], "id": "z", "rating": 0}]
    assert grades(read(tmp_path, rows, "paragraph.json")) == [(5.0,), (4.0,), (0.0,)]
    assert grades(read(tmp_path, rows[:2], "paragraph.json")) == [(5.0,), (4.0,)]


def test_a_file_that_is_no_task_is_refused_with_its_columns(tmp_path: Path) -> None:
    """The message names the file and the columns it has."""
    with pytest.raises(
        InputError, match=r"a task of RaTE-Eval is missing.*a.json has no column rating; it has reference, candidate"
    ):
        read(tmp_path, [{"reference": "No mass.", "candidate": "A mass."}], "a.json")
