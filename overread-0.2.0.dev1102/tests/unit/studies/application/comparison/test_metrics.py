"""Metrics whose orders of the pairs are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from overread.application.statistics.tabulation import HeatMap, Tabulation
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison import PairFacts, Source, compare_metrics

from .scored import column, held, source, value

RISK = [0.0, 1.0, 2.0, 3.0, 4.0, math.nan]
SHARE = [1.0, 0.9, 0.5, 0.6, math.nan, 0.2]


def compared(*sources: Source, facts: PairFacts | None = None, **options: object) -> Tabulation:
    return compare_metrics(sources, facts or PairFacts(), **{"draws": 200, **options})  # type: ignore[arg-type]


def test_agreement_is_of_badness_with_badness_over_the_pairs_that_both_score() -> None:
    """Two metrics of opposite direction that agree have a positive correlation."""
    (row,) = compared(source("one", held(RISK), held(SHARE, metric="share"))).table("agreement").rows
    assert row[:3] == ("risk", "share", 4)
    badness = [-score for score in SHARE[:4]]
    assert value(row[3]) == pytest.approx(stats.kendalltau(RISK[:4], badness).statistic)
    assert value(row[4]) == pytest.approx(stats.spearmanr(RISK[:4], badness).statistic)


def test_disagreements_are_the_largest_differences_of_rank() -> None:
    """By badness the second metric has p2 and p3 the other way round: each is half a rank in eight and more apart."""
    table = compared(source("one", held(RISK), held(SHARE, metric="share"))).table("disagreements")
    assert column(table, "id") == ["p2", "p3"]
    assert [value(cell) for cell in table.rows[0][3:]] == pytest.approx([2.0, 0.5, 2.5 / 4, 3.5 / 4])


def test_two_settings_of_one_metric_are_told_apart_by_their_file() -> None:
    """They bear the same name."""
    one, two = source("one", held(RISK)), source("two", held(RISK, signature="risk|reader:two"))
    found = compared(one, two)
    assert column(found.table("metrics"), "metric") == ["risk (one)", "risk (two)"]
    assert found.table("disagreements").rows == ()
    assert value(column(found.table("agreement"), "spearman")[0]) == pytest.approx(1)


def test_other_scores_by_the_same_settings_raise_a_doubt() -> None:
    """Two systems' files correlated as metrics: other candidates stand under the same ids."""
    one = source("one", held(RISK), held(SHARE, metric="share"))
    two = source("two", held([each + 1 for each in RISK]))
    [note] = compared(one, two).notes
    assert "risk (one) and risk (two) in 5 of 5 pairs" in note
    assert "as systems" in note
    assert compared(one, source("two", held(RISK))).notes == ()


def test_pairs_that_one_file_holds_alone_are_counted() -> None:
    """Figures are over what the files share."""
    one, two = (
        source("one", held({"a": 1.0, "b": 2.0, "c": 3.0})),
        source("two", held({"a": 1.0, "b": 3.0}, metric="x")),
    )
    found = compared(one, two)
    assert column(found.table("metrics"), "alone") == [1, 0]
    assert column(found.table("agreement"), "pairs") == [2]


def test_unscored_pairs_are_counted_by_reason() -> None:
    """A metric that scores less is not better for it."""
    found = compared(source("one", held(RISK), held(SHARE, metric="share")))
    assert column(found.table("metrics"), "unscored") == [1, 1]
    assert found.table("unscored").rows == (("risk", "risk", "empty", 1), ("share", "share", "empty", 1))


def test_strata_have_their_own_correlation() -> None:
    """The metrics agree within one kind and disagree within the other."""
    facts = PairFacts(strata={"ward": {"p0": "icu", "p1": "icu", "p2": "er", "p3": "er"}})
    found = compared(source("one", held(RISK[:4]), held(SHARE[:4], metric="share")), facts=facts)
    assert [value(cell) for cell in column(found.table("strata"), "spearman")] == pytest.approx([-1, 1])


def test_three_metrics_make_a_map() -> None:
    """Each two of them have a row in the table, too."""
    found = compared(source("one", held(RISK), held(SHARE, metric="share"), held(RISK, metric="again")))
    (heat,) = [plot for plot in found.plots if isinstance(plot, HeatMap)]
    assert heat.values[0][2] == pytest.approx(1)
    assert heat.values[1][0] == heat.values[0][1] == pytest.approx(0.8)
    assert len(found.table("agreement").rows) == 3


def test_very_many_pairs_are_told_with_fewer_draws() -> None:
    """The note says which figures had fewer draws or none; plots stay drawable."""
    random = np.random.default_rng(0)
    scores = random.integers(0, 50, 21_000).astype(float)
    other = scores + random.integers(0, 50, 21_000)
    found = compared(source("one", held(scores.tolist()), held(other.tolist(), metric="again")), draws=2)
    (row,) = found.table("agreement").rows
    assert row[3].low is None  # type: ignore[union-attr]
    assert value(row[3]) == pytest.approx(stats.kendalltau(scores, other).statistic)
    assert "Spearman's from 2 draws" in found.table("agreement").note
    assert len(found.plots[0].points) == 2000  # type: ignore[union-attr]


def test_what_cannot_be_compared_is_refused() -> None:
    """The message tells what is missing."""
    for sources, words in (
        ([source("one", held(RISK))], "only one metric"),
        ([source("one", held(RISK)), source("two", held({"x": 1.0}, metric="share"))], "are the ids the same"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            compared(*sources)
    with pytest.raises(ConfigurationError, match="bleu: not in one"):
        compared(source("one", held(RISK)), metrics=["bleu"])
