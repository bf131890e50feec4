"""Two systems whose differences are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Forest, HeatMap, Scatter, Tabulation
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison import PairFacts, Source, compare_systems

from .scored import column, held, source, value

FIRST = [1.0, 2.0, 3.0, 4.0, 5.0, math.nan]
SECOND = [3.0, 2.0, 5.0, 7.0, 4.0, 1.0]
"""Less is better. The differences of the first five are -2, 0, -2, -3 and 1."""


def compared(first: Source, second: Source, facts: PairFacts | None = None, **options: object) -> Tabulation:
    return compare_systems(first, second, facts or PairFacts(), **{"draws": 500, **options})  # type: ignore[arg-type]


def test_means_and_difference_over_the_pairs_that_both_score() -> None:
    """A pair that one system lacks says nothing about the difference."""
    (row,) = compared(source("one", held(FIRST)), source("two", held(SECOND))).table("differences").rows
    assert row[:3] == ("risk", "lower", 5)
    assert [value(cell) for cell in row[3:]] == pytest.approx([15 / 5, 21 / 5, -6 / 5])


def test_the_order_of_the_files_does_not_matter() -> None:
    """Rows are paired by id."""
    turned = held({f"p{i}": SECOND[i] for i in (4, 2, 0, 5, 1, 3)})
    one, other = (compared(source("one", held(FIRST)), source("two", second)) for second in (held(SECOND), turned))
    assert one.table("differences").rows == other.table("differences").rows
    assert one.table("wins").rows == other.table("wins").rows


def test_p_values_by_hand() -> None:
    """Of the 32 sums of +-2, +-0, +-2, +-3 and +-1, those as far from 0 as -6 are 8 and 6, each with either sign.

    The 0 doubles them: 8 of 32.
    """
    (row,) = compared(source("one", held(FIRST)), source("two", held(SECOND))).table("tests").rows
    assert row[1:3] == ("one", "no")
    assert value(row[3]) == pytest.approx(8 / 32)


def test_holm_corrects_over_the_metrics() -> None:
    """Two metrics with the same scores: the smaller p is doubled, and the other follows it."""
    first = source("one", held(FIRST), held(FIRST, metric="again"))
    second = source("two", held(SECOND), held(SECOND, metric="again"))
    tests = compared(first, second).table("tests")
    assert [value(cell) for cell in column(tests, "p_randomisation_holm")] == pytest.approx([0.5, 0.5])


def test_effects_count_better_worse_and_tied() -> None:
    """The advantage is the mean difference over its deviation, by hand."""
    (row,) = compared(source("one", held(FIRST)), source("two", held(SECOND))).table("effects").rows
    assert [value(cell) for cell in row[1:4]] == pytest.approx([3 / 5, 1 / 5, 1 / 5])
    deviation = np.std([-2, 0, -2, -3, 1], ddof=1)
    assert value(row[4]) == pytest.approx(1.2 / deviation)


def test_where_more_is_better_the_other_one_wins() -> None:
    """The same scores under the other direction turn every verdict."""
    one, two = source("one", held(FIRST, metric="share")), source("two", held(SECOND, metric="share"))
    found = compared(one, two)
    assert column(found.table("tests"), "ahead") == ["two"]
    assert value(column(found.table("effects"), "advantage")[0]) < 0
    assert column(found.table("wins"), "id") == ["p4"]


def test_wins_and_losses_are_the_largest_differences_each_way() -> None:
    """These are the pairs to look at first."""
    found = compared(source("one", held(FIRST)), source("two", held(SECOND)), shown=2)
    assert found.table("wins").rows == (("p3", "risk", 4.0, 7.0, -3.0), ("p0", "risk", 1.0, 3.0, -2.0))
    assert found.table("losses").rows == (("p4", "risk", 5.0, 4.0, 1.0),)


def test_identical_files_do_not_differ() -> None:
    """Every figure is nought, every p value one, and nothing is listed."""
    again = held(FIRST, counts={"A": [1, 0, 2, 0, 0, math.nan]})
    found = compared(source("one", again), source("two", again))
    assert found.table("differences").rows[0][-1] == Estimate(0.0, 0.0, 0.0)
    assert found.table("tests").rows == (("risk", "neither", "no", 1.0, 1.0, 1.0, 1.0),)
    assert found.table("effects").rows == (("risk", 0.0, 1.0, 0.0, Estimate(0.0, 0.0, 0.0)),)
    assert found.table("errors-by-category").rows[0][-2:] == (Estimate(0.0, 0.0, 0.0), 1.0)
    assert found.table("wins").rows == found.table("losses").rows == ()


def test_errors_a_report_by_category() -> None:
    """A kind that one file does not list counts as none there; the unscored pair is left out of both."""
    one = held(FIRST, counts={"A": [1, 0, 2, 0, 0, math.nan], "none": [1, 0, 0, 0, 0, math.nan]})
    two = held(SECOND, counts={"A": [1, 1, 1, 1, 1, 1]})
    table = compared(source("one", one), source("two", two)).table("errors-by-category")
    assert column(table, "category") == ["A false finding", "outside the eight"]
    assert [value(cell) for cell in table.rows[0][2:5]] == pytest.approx([3 / 5, 1, -2 / 5])
    assert [value(cell) for cell in table.rows[1][2:5]] == pytest.approx([1 / 5, 0, 1 / 5])


def test_subscores_without_those_that_say_the_same_again() -> None:
    """The total is the score; the category is counted among the discrepancies."""
    first, second = (
        held(scores, counts={"A": [1] * 6}, subscores={"total": scores, "A": [1] * 6, "matched": [2, 4, 6, 8, 10, 12]})
        for scores in (FIRST, SECOND)
    )
    table = compared(source("one", first), source("two", second)).table("subscores")
    assert column(table, "subscore") == ["matched"]
    assert value(table.rows[0][3]) == pytest.approx(7)


def test_pairs_of_one_file_only_and_unscored_ones_are_counted() -> None:
    """Each pair that is left out has its reason in a table."""
    first = held({"a": 1.0, "b": math.nan, "c": 2.0, "d": 3.0, "e": math.nan})
    second = held({"a": 1.0, "b": 1.0, "c": math.nan, "x": 0.0})
    found = compared(source("one", first), source("two", second))
    assert found.table("pairs").rows == (("risk", 3, 1, 2, 1, 2, 1),)
    assert found.table("unscored").rows == (("risk", "one", "empty", 2), ("risk", "two", "empty", 1))


def test_a_metric_that_one_file_never_scores_tells_nothing() -> None:
    """The other metric is compared all the same."""
    nothing = [math.nan] * 6
    facts = PairFacts(strata={"ward": {"p0": "icu"}})
    first, second = (
        source("one", held(FIRST), held(nothing, metric="x")),
        source("two", held(SECOND), held(FIRST, metric="x")),
    )
    found = compared(first, second, facts)
    assert found.table("differences").rows[1] == ("x", "lower", 0, *[Estimate(None)] * 3)
    assert found.table("tests").rows[1][1:] == ("", "no", None, None, None, None)
    assert found.table("verdicts").rows[0][2:5] == (0, "", 0)
    assert found.table("tests").rows[0][3:5] == (8 / 32, 8 / 32)


def test_strata_are_compared_each() -> None:
    """Pairs without a value are a stratum of their own."""
    facts = PairFacts(strata={"ward": {"p0": "icu", "p1": "icu", "p2": "er"}})
    found = compared(source("one", held(FIRST)), source("two", held(SECOND)), facts)
    table = found.table("strata")
    assert column(table, "value") == ["(none)", "er", "icu"]
    assert column(table, "pairs") == [2, 1, 2]
    assert [value(cell) for cell in column(table, "difference")] == pytest.approx([-1, -2, -1])
    assert [plot.rows for plot in found.plots if isinstance(plot, HeatMap)] == [
        ("ward: (none)", "ward: er", "ward: icu")
    ]


def test_pairs_of_a_study_are_swapped_together() -> None:
    """Two studies with sums of -4 and -2: of four ways to swap, two are as far out as -6."""
    facts = PairFacts(studies={"p0": "s", "p1": "s", "p2": "s", "p3": "t", "p4": "t"})
    found = compared(source("one", held(FIRST)), source("two", held(SECOND)), facts)
    assert column(found.table("tests"), "p_randomisation") == [0.5]
    assert found.facts["studies"] == 3


def test_metrics_are_asked_whether_they_agree() -> None:
    """The two metrics see differences on four and five pairs; on four of them both do, and on three they agree."""
    better = [5.0, 4.0, 3.0, 2.0, 1.0, math.nan]
    first = source("one", held(FIRST), held(better, metric="share"))
    second = source("two", held(SECOND), held([1.0, 2.0, 2.0, 3.0, 2.0, 1.0], metric="share"))
    (row,) = compared(first, second).table("verdicts").rows
    assert row[:6] == ("risk", "share", 5, "yes", 4, 0.75)


def test_plots_hold_what_the_tables_say() -> None:
    """No figure is computed twice."""
    found = compared(source("one", held(FIRST)), source("two", held(SECOND)))
    forest, scatter = found.plots
    assert isinstance(forest, Forest)
    assert forest.rows[0].estimate == found.table("effects").rows[0][-1]
    assert isinstance(scatter, Scatter)
    assert scatter.points[0] == (1.0, 3.0, "p0")
    assert len(scatter.points) == 5


def test_other_settings_are_refused_unless_forced() -> None:
    """Which part of the signature differs is named, versions aside."""
    first = source("one", held(FIRST, signature="risk|reader:one|version:1"))
    second = source("two", held(SECOND, signature="risk|reader:two|version:1"))
    with pytest.raises(ConfigurationError) as caught:
        compared(first, second)
    assert "reader is one in one and two in two" in caught.value.problems[0]
    assert "version" not in caught.value.problems[0]
    assert "`force`" in caught.value.problems[-1]
    assert "reader is one" in compared(first, second, force=True).notes[0]


def test_files_that_do_not_fit_together_are_refused() -> None:
    """The likeliest mistake is asked about."""
    one = source("one", held(FIRST))
    for other, words in (
        (source("two", held(FIRST, metric="share")), "share no metric"),
        (source("two", held({"x": 1.0})), "are the ids the same"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            compared(one, other)
    with pytest.raises(ConfigurationError, match="bleu is not in both"):
        compared(one, one, metrics=["bleu"])


def test_the_same_seed_gives_the_same_figures() -> None:
    """A comparison can be published and made again."""
    random = np.random.default_rng(1)
    first, second = (source(name, held(random.normal(size=40).tolist())) for name in ("one", "two"))
    assert compared(first, second) == compared(first, second)
    assert compared(first, second).table("tests") != compared(first, second, seed=5).table("tests")
