"""Screening: high scores against any error that people count."""

from __future__ import annotations

import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from overread.domain.results.annotation import Target
from overread.studies.application.meta_evaluation.screening import screening

from .invented import annotated, benchmark, by_row, meta, scores

SIGNIFICANT = Target("significant", higher_is_better=False)


def pairs(*said: tuple[float, ...]) -> list:  # type: ignore[type-arg]
    return [annotated(number, {"significant": values}) for number, values in enumerate(said)]


def test_half_an_error_of_the_mean_rater_is_positive() -> None:
    """One of two raters who counts one error makes half; one of three does not."""
    made = benchmark(pairs((0, 0, 0), (1, 0, 0), (1, 1, 0), (3, 0, 0)), SIGNIFICANT, raters="abc")
    [table] = screening(meta(made, scores("errors", 0, 1, 2, 3))).tables
    assert by_row(table, "positive") == {"errors": 2}
    assert by_row(table, "auroc") == {"errors": 1.0}
    assert "one error that a single rater finds, a mean of 0.33, is negative" in table.note


@pytest.mark.parametrize(
    ("raters", "words"),
    [("a", "the rater counts one error or more"), ("ab", "one error that either of them finds is enough")],
)
def test_what_is_positive_is_said_for_few_raters(raters: str, words: str) -> None:
    """Of one there is no mean."""
    made = benchmark(pairs((0,) * len(raters), (1,) * len(raters)), SIGNIFICANT, raters=raters)
    [table] = screening(meta(made, scores("errors", 0, 1))).tables
    assert words in table.note


def test_figures_are_scikit_learns() -> None:
    """AUROC and average precision over the scored pairs, of a score that is turned."""
    said, quality = (0, 2, 0, 1, 0, 3), (0.9, 0.4, 0.5, 0.6, 0.7, 0.2)
    told = meta(
        benchmark(pairs(*((value,) for value in said)), SIGNIFICANT), scores("q", *quality, higher_is_better=True)
    )
    [table] = screening(told).tables
    labels, badness = [value > 0 for value in said], [-value for value in quality]
    assert by_row(table, "auroc")["q"] == pytest.approx(roc_auc_score(labels, badness))
    assert by_row(table, "auprc")["q"] == pytest.approx(average_precision_score(labels, badness))


def test_the_highest_fifth_holds_twice_its_share() -> None:
    """Two of ten pairs are positive and the metric finds both: enrichment 1 / 0.2 = 5."""
    made = benchmark(pairs(*((float(number > 7),) for number in range(10))), SIGNIFICANT)
    [table] = screening(meta(made, scores("errors", *range(10)))).tables
    assert by_row(table, "enrichment_20") == {"errors": 5.0}


def test_where_more_is_better_the_positive_are_those_that_fall_short() -> None:
    """A set may mark the reports that are sound."""
    sound = Target("corrupted", higher_is_better=True)
    made = benchmark([annotated(n, {"corrupted": (value,)}) for n, value in enumerate((1, 1, 0, 1))], sound)
    told = meta(made, scores("errors", 0, 1, 3, 2))
    [table] = screening(told).tables
    assert by_row(table, "positive") == {"errors": 1}
    assert "rater" not in table.note
    assert by_row(table, "auroc") == {"errors": 1.0}
    assert (told.measure, told.judged(sound).tolist()) == ("auroc", [0, 0, 1, 0])


def test_a_set_in_which_all_have_an_error_is_not_screened() -> None:
    """There is nobody to tell them from."""
    made = benchmark(pairs((1,), (2,), (1,)), SIGNIFICANT)
    assert screening(meta(made, scores("errors", 0, 1, 2))).tables == ()
