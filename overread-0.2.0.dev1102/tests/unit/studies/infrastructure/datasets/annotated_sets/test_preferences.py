"""Preferences: votes of several radiologists in the layouts people write them in. All reports are invented."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from overread.domain.results.annotation import HumanBenchmark
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets.preferences import read_preferences

from .tables import written

TEXTS = [
    {"id": "c1", "study": "s1", "reference": "Clear.", "candidate_a": "Clear lungs.", "candidate_b": "A mass."},
    {"id": "c2", "study": "s2", "reference": "A mass.", "candidate_a": "Clear.", "candidate_b": "Large mass."},
    {"id": "c3", "study": "s2", "reference": "A mass.", "candidate_a": "Mass.", "candidate_b": "The mass."},
]


def rows(*cells: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**texts, **more} for texts, more in zip(TEXTS, cells, strict=False)]


def read(tmp_path: Path, lines: list[dict[str, Any]], name: str = "pref.jsonl", **options: Any) -> HumanBenchmark:
    return read_preferences(written(tmp_path / name, lines), **options)


def votes(benchmark: HumanBenchmark) -> list[tuple[float, ...]]:
    return [preference.votes for preference in benchmark.preferences]


@pytest.mark.parametrize("name", ["pref.csv", "pref.jsonl", "pref.json"])
def test_each_comparison_is_two_pairs_and_the_votes_of_each_rater(tmp_path: Path, name: str) -> None:
    """A vote is 1 for the first candidate, -1 for the second, 0 for a tie, and NaN where there is none."""
    lines = rows(
        {"choice_1": "A", "choice_2": "a", "confidence_1": 9, "confidence_2": 7},
        {"choice_1": "B", "choice_2": "tie", "confidence_1": 8, "confidence_2": 1},
        {"choice_1": "A", "choice_2": "", "confidence_1": 2, "confidence_2": ""},
    )
    benchmark = read(tmp_path, lines, name)
    assert [pair.pair.id for pair in benchmark.pairs] == ["c1:a", "c1:b", "c2:a", "c2:b", "c3:a", "c3:b"]
    assert benchmark.pairs[1].pair.candidate.text == "A mass."
    assert benchmark.pairs[1].pair.reference.text == "Clear."
    assert (benchmark.raters, benchmark.targets) == (("1", "2"), ())
    assert votes(benchmark) == [(1.0, 1.0), (-1.0, 0.0), pytest.approx((1.0, math.nan), nan_ok=True)]
    last = benchmark.preferences[-1]
    assert (last.id, last.study, last.first, last.second) == ("c3", "s2", "c3:a", "c3:b")
    assert last.confidence == pytest.approx((2.0, math.nan), nan_ok=True)


@pytest.mark.parametrize(
    ("first", "second", "tie"),
    [
        ("A", "B", "tie"),
        ("left", "right", "equal"),
        ("First", "Second", "neither"),
        (1, 2, 0),
        ("1", "-1", "0"),
        ("Candidate A", "candidate_b", "no preference"),
    ],
)
def test_choices_are_understood_in_several_words(tmp_path: Path, first: Any, second: Any, tie: Any) -> None:
    """People write a choice as a letter, a place, a number or the name of a column."""
    lines = rows({"preference": first}, {"preference": second}, {"preference": tie})
    assert votes(read(tmp_path, lines)) == [(1.0,), (-1.0,), (0.0,)]


def test_choices_of_0_and_1_alone_can_be_read_in_two_ways(tmp_path: Path) -> None:
    """What could mean two things is asked and not guessed."""
    with pytest.raises(InputError, match=r"none of 2, so that 0 may be the first candidate or a tie \(write A, B"):
        read(tmp_path, rows({"choice": 0}, {"choice": 1}, {"choice": 0}))


def test_columns_name_the_rater_at_either_end(tmp_path: Path) -> None:
    """A rater's number is found before or after what the column holds."""
    lines = rows({"Radiologist 1 Preference": "A", "rater2_choice": "B", "Radiologist 1 Confidence": 5})
    benchmark = read(tmp_path, lines)
    assert benchmark.raters == ("1", "2")
    assert votes(benchmark) == [(1.0, -1.0)]
    assert benchmark.preferences[0].confidence == pytest.approx((5.0, math.nan), nan_ok=True)


def test_json_may_hold_a_list_or_an_object_over_raters(tmp_path: Path) -> None:
    """Raters of a list are numbered, those of an object have their names."""
    listed = read(tmp_path, rows({"choices": ["A", None, "tie"], "confidences": [3, None, 4]}))
    assert listed.raters == ("1", "2", "3")
    assert votes(listed) == [pytest.approx((1.0, math.nan, 0.0), nan_ok=True)]
    named = read(tmp_path, rows({"choices": {"ann": "B"}}, {"choices": {"bo": "A"}}))
    assert named.raters == ("ann", "bo")
    assert votes(named) == [pytest.approx((-1.0, math.nan), nan_ok=True), pytest.approx((math.nan, 1.0), nan_ok=True)]


def test_a_row_for_each_rater_is_gathered_by_id(tmp_path: Path) -> None:
    """Long tables become one comparison an id, whose reports must be the same in every row."""
    lines = [
        {**TEXTS[0], "radiologist": "ann", "choice": "A", "confidence": 6},
        {**TEXTS[1], "radiologist": "ann", "choice": "B", "confidence": 7},
        {**TEXTS[0], "radiologist": "bo", "choice": "tie", "confidence": 1},
    ]
    benchmark = read(tmp_path, lines)
    assert benchmark.raters == ("ann", "bo")
    assert votes(benchmark) == [(1.0, 0.0), pytest.approx((-1.0, math.nan), nan_ok=True)]
    assert len(benchmark.pairs) == 4
    with pytest.raises(InputError, match="row 3: its comparison and rater is also that of row 1"):
        read(tmp_path, [*lines[:2], lines[0]])
    with pytest.raises(InputError, match="row 3: its reports are not those of row 1 with the same id"):
        read(tmp_path, [*lines[:2], {**lines[2], "candidate_b": "Other."}])


def test_without_a_choice_the_better_rated_candidate_is_preferred(tmp_path: Path) -> None:
    """Ratings of both candidates are a vote as well as a target; one rating alone is no vote."""
    lines = rows(
        {"rating_a_1": 5, "rating_b_1": 2, "rating_a_2": 3, "rating_b_2": 3},
        {"rating_a_1": 1, "rating_b_1": 4, "rating_a_2": 2, "rating_b_2": None},
    )
    benchmark = read(tmp_path, lines)
    assert votes(benchmark) == [(1.0, 0.0), pytest.approx((-1.0, math.nan), nan_ok=True)]
    assert [pair.ratings["rating"] for pair in benchmark.pairs[:3]] == [(5.0, 3.0), (2.0, 3.0), (1.0, 2.0)]
    [target] = benchmark.targets
    assert (target.name, target.higher_is_better) == ("rating", True)
    assert benchmark.notes == ("1 times a rater rated one candidate of two: no vote comes of it",)


def test_ratings_that_count_errors_turn_the_vote_and_the_direction(tmp_path: Path) -> None:
    """More errors are worse, for the vote and for the target alike."""
    benchmark = read(tmp_path, rows({"rating_a": 5, "rating_b": 2}), ratings="errors")
    assert votes(benchmark) == [(-1.0,)]
    assert not benchmark.targets[0].higher_is_better


def test_a_choice_outweighs_the_ratings_and_contradictions_are_counted(tmp_path: Path) -> None:
    """A rater who contradicts their own ratings is taken at their choice, and a note says so."""
    benchmark = read(tmp_path, rows({"choice": "B", "rating_a": 5, "rating_b": 2}))
    assert votes(benchmark) == [(-1.0,)]
    assert "1 times a rater chose the candidate that they rated worse; the choice is the vote" in benchmark.notes


def test_columns_of_the_reports_go_by_other_names_and_generators_are_kept(tmp_path: Path) -> None:
    """Published files name the reports and the systems in their own ways."""
    lines = [
        {
            "GT Report": "Clear.",
            "report_1": "Clear lungs.",
            "report_2": "A mass.",
            "model_1": "X",
            "model_2": "Y",
            "source": "rexval",
            "choice": "A",
        }
    ]
    first, second = read(tmp_path, lines).pairs
    assert (first.pair.id, first.generator, second.generator) == ("1:a", "X", "Y")
    assert first.strata == {"subset": "rexval"}
    assert first.pair.candidate.text == "Clear lungs."


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"choice": "Clear"}, "row 1: choice is not a known choice .use A, B or tie"),
        ({"choice": 3}, "row 1: choice is not a known choice"),
        ({"choice": True}, "row 1: choice is true or false, not a choice"),
        ({"choice": "A", "confidence": "Clear"}, "row 1: confidence is not a number"),
        ({"choice": "A", "candidate_a": None}, "row 1: candidate_a is null"),
        ({"confidence": 4}, "has neither choices nor ratings .name the column choice"),
        ({}, "has neither choices nor ratings"),
        ({"choice_1": "A", "preference_1": "B"}, "two columns say the same of one rater"),
        ({"choice": "A", "id": "c2"}, "row 2: its comparison and rater is also that of row 1"),
    ],
)
def test_what_cannot_be_used_is_refused_without_its_text(tmp_path: Path, cells: dict[str, Any], problem: str) -> None:
    """The message names file, row and column, and quotes no report."""
    with pytest.raises(InputError, match=problem) as error:
        read(tmp_path, rows(cells, {"choice": "A"} if "choice" in cells else {}))
    assert "Clear" not in str(error.value)
    assert "pref.jsonl" in str(error.value)


def test_comparisons_nobody_judged_are_counted(tmp_path: Path) -> None:
    """A comparison without a choice stays in the set and is told of."""
    benchmark = read(tmp_path, rows({"choice": "A"}, {"choice": None}))
    assert benchmark.notes == ("1 comparisons have nobody's choice",)


def test_a_file_without_two_candidates_is_refused_with_its_columns(tmp_path: Path) -> None:
    """The message lists the columns there are."""
    with pytest.raises(InputError, match="no column candidate_b; it has reference, candidate_a, choice"):
        read(tmp_path, [{"reference": "Clear.", "candidate_a": "Clear.", "choice": "A"}])
