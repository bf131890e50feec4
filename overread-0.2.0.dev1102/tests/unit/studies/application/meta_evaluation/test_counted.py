"""Error counts as rows of their own."""

from __future__ import annotations

from attrs import evolve

from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.counted_errors import error_counts, with_error_counts

from .invented import column, scores


def counting(metric: str, *, significant: float, insignificant: float, score: float) -> MetricScores:
    """A metric that tells significant errors from others."""
    counts = {"significant": significant, "insignificant": insignificant, "A": significant + insignificant}
    subscores = {name: column(count) for name, count in counts.items()}
    return scores(metric, score, higher_is_better=True, signature="made up", subscores=subscores)


def counted(scores: MetricScores) -> list[float] | None:
    found = error_counts(scores)
    return None if found is None else found.tolist()


def test_errors_are_those_of_both_grades() -> None:
    """A metric that lists no errors counts none, whatever its subscores are called."""
    assert counted(counting("green", significant=2, insignificant=1, score=0.4)) == [3.0]
    assert counted(scores("risk", 1.0, subscores={"significant": column(0.7), "insignificant": column(0.3)})) is None


def test_errors_that_are_to_be_expected_are_taken_as_told() -> None:
    """Before any plain count; a pair without a score has none."""
    plain = counting("notation", significant=2, insignificant=1, score=0.4)
    told = evolve(plain, subscores={**plain.subscores, "errors": column(1.7)})
    assert counted(told) == [1.7]
    assert str(counted(evolve(told, scores=column(float("nan"))))) == "[nan]"


def test_errors_of_categories_are_added_where_grades_are_not_told() -> None:
    """As CREPE's heads (its equation 8)."""
    heads = scores("crepe", 1.5, 2.0, subscores={"A": column(1.0, 2.0), "B": column(0.5, 0.0)})
    assert counted(heads) == [1.5, 2.0]
    assert [row.metric for row in with_error_counts([heads], "{} errors".format)] == ["crepe"]


def test_a_count_is_a_row_beside_a_score_that_is_none() -> None:
    """A subscore total speaks for itself, and what counts nothing has no row."""
    notes = counting("notes", significant=2, insignificant=1, score=0.4)
    score, count = with_error_counts([notes], "{} errors".format)
    assert score == notes
    assert (count.metric, count.counts_of, count.higher_is_better) == ("notes errors", "notes", False)
    assert count.scores.tolist() == [3.0]
    whole = evolve(notes, subscores={**notes.subscores, "total": column(3.0)})
    plain = scores("rouge", 0.5, higher_is_better=True)
    assert list(with_error_counts([whole, plain], "{} errors".format)) == [whole, plain]
