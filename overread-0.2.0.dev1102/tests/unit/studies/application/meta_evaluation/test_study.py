"""The study of a benchmark: what the set holds decides what is asked."""

from __future__ import annotations

import pytest
from attrs import evolve
from scipy import stats

from overread.application.statistics.tabulation import Tabulation
from overread.domain.results.annotation import HumanBenchmark, Preference, Target
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError
from overread.studies.application.meta_evaluation import meta_evaluate

from .invented import TOTAL, annotated, benchmark, by_row, cells, column, counted, scores


def judged(made: HumanBenchmark, *metrics: object, draws: int = 100) -> Tabulation:
    return meta_evaluate(made, metrics, draws=draws, seed=2)  # type: ignore[arg-type]


def names(tabulation: Tabulation) -> set[str]:
    return {table.name for table in tabulation.tables}


def test_counts_of_one_rater_have_agreement_screening_and_controls() -> None:
    """No raters to compare, no preferences, no contrasts, no categories."""
    found = judged(counted(0, 1, 2, 3), scores("a", 0, 1, 2, 3), scores("b", 3, 2, 1, 0))
    assert names(found) == {"agreement-total", "screening", "paired", "controlled", "calibration"}
    assert by_row(found.table("agreement-total"), "kendall") == {"a": 1.0, "b": -1.0}


def counting() -> MetricScores:
    """A metric whose score says little, and whose counts of both grades add up to what people count."""
    significant, insignificant = column(0, 0, 1, 2), column(0, 1, 1, 1)
    return scores(
        "notes",
        *(0.3, 0.4, 0.1, 0.2),
        subscores={"significant": significant, "insignificant": insignificant, "A": column(0, 1, 2, 3)},
    )


def test_counted_errors_have_a_row_beside_the_score() -> None:
    """In tables and plots about all errors, and in the paired comparison."""
    found = judged(counted(0, 1, 2, 3), counting())
    table = found.table("agreement-total")
    assert by_row(table, "kendall") == pytest.approx({"notes": -1 / 3, "notes errors": 1.0})
    assert by_row(table, "number") == {"notes": "score", "notes errors": "count"}
    assert found.table("paired").rows[0][:2] == ("notes", "notes errors")
    plots = {plot.name: plot for plot in found.plots}
    assert "scatter-notes errors" in plots
    assert "notes errors" in [row.label for row in plots["correlations"].rows]  # type: ignore[union-attr]
    assert found.facts["notes errors"] == "all errors that notes counts"


def test_counts_of_both_grades_are_not_held_against_those_of_one() -> None:
    """The metric's own count of that grade is."""
    pairs = [annotated(n, {"significant": (n,), "total": (n,)}) for n in range(4)]
    made = benchmark(pairs, Target("significant", higher_is_better=False), TOTAL)
    found = judged(made, counting())
    assert set(by_row(found.table("agreement-significant"), "number")) == {"notes"}
    assert set(by_row(found.table("agreement-total"), "number")) == {"notes", "notes errors"}


def test_unscored_pairs_are_told_once_for_a_metric_that_counts() -> None:
    """The count is missing where the score is."""
    told = counting()
    told = evolve(told, scores=column(0.3, 0.4, 0.1, None), reasons={"p3": "too long"})
    assert cells(judged(counted(0, 1, 2, 3), told).table("unscored"), "metric") == ["notes"]


@pytest.mark.parametrize(("measure", "word"), [("kendall", "Kendall tau-b"), ("pearson", "Pearson")])
def test_what_is_compared_and_drawn_can_be_chosen(measure: str, word: str) -> None:
    """Of two metrics, against the differences that scipy's correlations have."""
    people, one, two = (0, 2, 1, 3, 5, 9), (0.0, 1, 2, 3, 4, 50), (1.0, 0, 2, 4, 3, 5)
    found = meta_evaluate(counted(*people), [scores("a", *one), scores("b", *two)], draws=100, correlation=measure)
    tell = stats.kendalltau if measure == "kendall" else stats.pearsonr
    expected = tell(one, people).statistic - tell(two, people).statistic
    assert cells(found.table("paired"), "difference") == pytest.approx([expected])
    assert word in found.table("controlled").title
    assert [plot.title for plot in found.plots if plot.name == "correlations"] == [f"{word} correlation with people"]


def test_people_are_named_only_where_they_judged() -> None:
    """Labels that come with how the pairs were made are no people, in tables and in plots."""
    made = evolve(counted(0, 2, 1, 3, 5, 9), by_people=False)
    found = judged(made, scores("a", 0, 1, 2, 3, 4, 50))
    titles = [each.title for each in (*found.tables, *found.plots)]
    assert "Agreement with the labels: all errors" in titles
    assert not [title for title in titles if "people" in title]


def test_contrasts_have_no_correlation() -> None:
    """But D and R, the screening, and the paired test of their average."""
    pairs = [
        annotated(n, {"significant": (n % 2,)}, strata={"subset": ("robustness", "discrimination")[n % 2]})
        for n in range(6)
    ]
    made = benchmark(pairs, Target("significant", higher_is_better=False))
    found = judged(made, scores("a", 0, 1, 0, 1, 0, 1), scores("b", 0, 1, 0, 1, 1, 1))
    assert names(found) == {"discrimination", "screening", "paired-average"}


def test_counts_are_no_contrast_whatever_their_strata_are_called() -> None:
    """A set with a stratum "subset" that counts errors has correlations."""
    pairs = [annotated(n, {"significant": (n,)}, strata={"subset": "ab"[n % 2]}) for n in range(6)]
    made = benchmark(pairs, Target("significant", higher_is_better=False))
    found = names(judged(made, scores("a", 0, 1, 2, 3, 4, 5)))
    assert {"agreement-significant", "by-subset"} <= found
    assert "discrimination" not in found


def test_a_rating_of_yes_and_no_has_correlations_whatever_its_strata_are_called() -> None:
    """Grades that happen to be 0 and 1 are grades, in the direction that is told."""
    pairs = [annotated(n, {"rating": (n % 2,)}, strata={"subset": "ab"[n // 3]}) for n in range(6)]
    found = judged(benchmark(pairs, Target("rating", higher_is_better=True)), scores("a", 1, 0, 1, 0, 1, 0))
    assert by_row(found.table("agreement-rating"), "kendall") == {"a": 1.0}
    assert "by-subset" in names(found)


def test_preferences_alone_have_accuracy_alone() -> None:
    """A set may have no target at all."""
    pairs = [annotated(n, {}, study="s") for n in range(2)]
    asked = Preference(id="c", study="s", first="p0", second="p1", votes=(1.0,))
    found = judged(benchmark(pairs, preferences=[asked]), scores("a", 0, 1))
    assert names(found) == {"preferences"}


def test_pairs_without_a_score_are_counted_by_reason() -> None:
    """Also those of which nothing at all is known."""
    told = scores("a", 0, 1, None, None, 4)
    found = judged(counted(0, 1, 2, 3, 4, 5), told)
    table = found.table("unscored")
    assert dict(zip(cells(table, "reason"), cells(table, "pairs"), strict=True)) == {"too long": 2, "no score": 1}


def test_nothing_unscored_has_no_table() -> None:
    """The table says what is missing."""
    assert "unscored" not in names(judged(counted(0, 1, 2), scores("a", 0, 1, 2)))


def test_what_was_run_stands_in_the_facts() -> None:
    """Pairs and studies, draws and seed, and the signature of each metric or where its scores come from."""
    made = benchmark([annotated(n, {"total": (n,)}, study="one") for n in range(3)], TOTAL)
    found = judged(made, scores("a", 0, 1, 2, signature="a|1"), scores("b", 0, 1, 2, source="file"))
    assert (found.facts["pairs"], found.facts["studies"]) == (3, 1)
    assert (found.facts["draws"], found.facts["seed"]) == (100, 2)
    assert found.facts["a"] == "a|1"
    assert found.facts["b"] == "file"


def test_the_same_seed_gives_the_same_study() -> None:
    """Intervals and p values included."""
    made, metrics = counted(0, 2, 1, 3, 5, 4), (scores("a", 0, 1, 2, 3, 4, 5), scores("b", 1, 0, 2, 4, 3, 5))
    assert judged(made, *metrics) == judged(made, *metrics)


def test_no_metric_is_no_study() -> None:
    """The error says how to name one."""
    with pytest.raises(ConfigurationError, match="`metric`"):
        judged(counted(0, 1))
