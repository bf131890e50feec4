"""Error counts as rows of their own."""

from __future__ import annotations

from attrs import evolve

from overread.application.studies.meta_evaluation.counted import error_counts, with_error_counts
from overread.application.studies.meta_evaluation.scores import TrialScores


def counting(metric: str, *, significant: float, insignificant: float, score: float) -> TrialScores:
    """A metric that tells significant errors from others."""
    return TrialScores(
        metric=metric,
        higher_is_better=True,
        signature="made up",
        scores={"p": score},
        subscores={"significant": {"p": significant}, "insignificant": {"p": insignificant}},
        counts={"total.A": {"p": significant + insignificant}},
    )


def test_errors_are_those_of_both_grades() -> None:
    """A metric that lists no errors counts none, whatever its subscores are called."""
    assert error_counts(counting("green", significant=2, insignificant=1, score=0.4)) == {"p": 3.0}
    risk = TrialScores(
        metric="risk",
        higher_is_better=False,
        scores={"p": 1.0},
        subscores={"significant": {"p": 0.7}, "insignificant": {"p": 0.3}},
    )
    assert error_counts(risk) == {}


def test_errors_of_categories_are_added_where_grades_are_not_told() -> None:
    """As CREPE's heads (its equation 8)."""
    heads = TrialScores(
        metric="crepe",
        higher_is_better=False,
        scores={"p": 1.5, "q": 2.0},
        counts={"total.A": {"p": 1.0, "q": 2.0}, "total.B": {"p": 0.5, "q": 0.0}},
    )
    assert error_counts(heads) == {"p": 1.5, "q": 2.0}
    assert [row.metric for row in with_error_counts([heads], "{} errors".format)] == ["crepe"]


def test_a_count_is_a_row_beside_a_score_that_is_none() -> None:
    """A subscore total speaks for itself, and what counts nothing has no row."""
    notes = counting("notes", significant=2, insignificant=1, score=0.4)
    score, count = with_error_counts([notes], "{} errors".format)
    assert score == notes
    assert (count.metric, count.counts_of, count.higher_is_better) == ("notes errors", "notes", False)
    assert dict(count.scores) == {"p": 3.0}
    whole = evolve(notes, subscores={**notes.subscores, "total": {"p": 3.0}})
    plain = TrialScores(metric="rouge", higher_is_better=True, scores={"p": 0.5})
    assert list(with_error_counts([whole, plain], "{} errors".format)) == [whole, plain]
