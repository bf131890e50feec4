"""Systems whose order is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from overread.application.statistics.tabulation import Forest, HeatMap, Tabulation
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison import PairFacts, Source, compare_systems, rank_systems

from .scored import column, held, source, value


def ranked(*sources: Source, facts: PairFacts | None = None, **options: object) -> Tabulation:
    return rank_systems(sources, facts or PairFacts(), **{"draws": 2000, **options})  # type: ignore[arg-type]


def systems(metric: str = "risk") -> list[Source]:
    """Two systems that are alike, and one whose scores are higher by far; the last pair of one is unscored."""
    random = np.random.default_rng(2)
    base = random.normal(size=60)
    shifts = {"high": 3.0, "one": 0.0, "two": 0.0}
    scores = {name: (base + shift + 0.1 * random.normal(size=60)).tolist() for name, shift in shifts.items()}
    scores["two"][-1] = math.nan
    return [source(name, held(found, metric=metric)) for name, found in scores.items()]


def test_systems_are_ranked_and_those_alike_share_a_letter() -> None:
    """A rank alone would hide that two systems are not told apart."""
    table = ranked(*systems()).table("leaderboard")
    assert column(table, "system")[-1] == "high"
    assert column(table, "rank") == [1, 2, 3]
    assert column(table, "group") == ["a", "a", "b"]


def test_where_more_is_better_the_order_is_turned() -> None:
    """The best stands first whatever the direction of the score."""
    table = ranked(*systems("share")).table("leaderboard")
    assert column(table, "system")[0] == "high"
    assert column(table, "group") == ["a", "b", "b"]


def test_means_are_over_the_pairs_that_all_score() -> None:
    """The second system would lead if its hard pair were simply left out of its mean."""
    one, two = source("one", held([1.0, 2.0, 9.0])), source("two", held([1.5, 2.5, math.nan]))
    table = ranked(one, two).table("leaderboard")
    assert column(table, "system") == ["one", "two"]
    assert [value(cell) for cell in column(table, "mean")] == pytest.approx([1.5, 2.0])
    assert [row[5:8] for row in table.rows] == [(3, 0, 2), (2, 1, 2)]


def test_equal_systems_share_a_rank() -> None:
    """The next rank counts both, and names decide the order of rows."""
    same = [1.0, 2.0, 3.0]
    table = ranked(source("b", held(same)), source("a", held(same)), source("c", held([9.0, 9.0, 9.0])))
    assert [row[1:3] for row in table.table("leaderboard").rows] == [(1, "a"), (1, "b"), (3, "c")]


def test_tests_are_paired_and_corrected_together() -> None:
    """Differences of 1, 2, 3 and 4: of 16 swaps two are as far out; three tests are corrected together."""
    zero = [0.0] * 4
    one, two, three = (source(name, held(s)) for name, s in (("a", zero), ("b", [1.0, 2.0, 3.0, 4.0]), ("c", zero)))
    table = ranked(one, two, three).table("tests")
    rows = {(row[1], row[2]): row[3:] for row in table.rows}
    assert set(rows) == {("a", "c"), ("a", "b"), ("c", "b")}
    assert value(rows["a", "b"][0]) == pytest.approx(-2.5)
    assert rows["a", "b"][1:] == pytest.approx((2 / 16, 3 * 2 / 16))
    assert rows["a", "c"][1:] == (1.0, 1.0)


def test_two_systems_come_out_as_in_their_comparison() -> None:
    """One family of tests in both: all that the table shows, here two metrics."""
    risk, share = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.5, 0.4, 0.6, 0.5, 0.3, 0.4, 0.1]
    one = source("one", held(risk), held(share, metric="share"))
    two = source("two", held([0.0] * 7), held([0.4, 0.5, 0.1, 0.3, 0.2, 0.1, 0.0], metric="share"))
    compared = compare_systems(one, two, PairFacts(), draws=2000).table("tests")
    board = ranked(one, two).table("tests")
    expected = dict(zip(column(compared, "metric"), column(compared, "p_randomisation_holm"), strict=True))
    assert expected["risk"] == pytest.approx(2 * 2 / 2**7)
    assert dict(zip(column(board, "metric"), column(board, "p_holm"), strict=True)) == pytest.approx(expected)


def test_metrics_are_asked_whether_they_order_systems_alike() -> None:
    """Of the three twos, by the second metric one is tied, one alike and one the other way round."""
    risks = {"a": [1.0, 1.0], "b": [2.0, 2.0], "c": [3.0, 3.0]}
    shares = {"a": [0.5, 0.5], "b": [0.5, 0.5], "c": [0.4, 0.4]}
    found = ranked(*(source(n, held(risks[n]), held(shares[n], metric="share")) for n in "abc"))
    assert found.table("rankings").rows == (("risk", "share", 2, 0, 1.0),)
    shares["a"] = [0.1, 0.1]
    found = ranked(*(source(n, held(risks[n]), held(shares[n], metric="share")) for n in "abc"))
    assert found.table("rankings").rows == (("risk", "share", 1, 2, 1 / 3),)


def test_plots_go_best_first() -> None:
    """The matrix reads either way, with nothing on its diagonal."""
    forest, heat = ranked(*systems()).plots
    assert isinstance(forest, Forest)
    assert forest.rows[-1].label == "high (b)"
    assert isinstance(heat, HeatMap)
    assert heat.rows == heat.columns
    assert heat.values[2][2] is None
    best_against_worst, reverse = heat.values[0][2], heat.values[2][0]
    assert best_against_worst == pytest.approx(3, abs=0.2)
    assert reverse is not None
    assert best_against_worst == -reverse


def test_what_cannot_be_ranked_is_refused() -> None:
    """The message names the files and what they have in common."""
    one = source("one", held([1.0, 2.0]))
    for sources, words in (
        ([one], "two or more files"),
        ([one, one], "NAME=FILE"),
        ([one, source("two", held([1.0], metric="share"))], "share no metric"),
        ([one, source("two", held({"x": 1.0}))], "no pair is scored in every file"),
        ([one, source("two", held([1.0, 2.0], signature="risk|reader:two"))], "other settings"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            ranked(*sources)
    with pytest.raises(ConfigurationError, match="bleu: not in every file; they share risk"):
        ranked(one, source("two", held([1.0, 2.0])), metrics=["bleu"])
