"""Results held against a baseline whose change is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from overread.exceptions import ConfigurationError
from overread.studies.application.comparison import (
    Limits,
    PairFacts,
    Regression,
    Source,
    check_regression,
    compare_systems,
)

from .scored import column, held, source, value


def checked(before: Source, after: Source, facts: PairFacts | None = None, **options: object) -> Regression:
    return check_regression(before, after, facts or PairFacts(), **{"draws": 2000, **options})  # type: ignore[arg-type]


def shares(name: str, scores: Sequence[float]) -> Source:
    return source(name, held(scores, metric="share"))


BASE = tuple(np.linspace(0.4, 0.9, 10).tolist())


def test_a_loss_in_every_pair_fails_in_either_direction() -> None:
    """Less of what should be more, and more of what should be less, is the same loss above 0."""
    lower = checked(shares("old", BASE), shares("new", [score - 0.1 for score in BASE]))
    higher = checked(source("old", held(BASE)), source("new", held([score + 0.1 for score in BASE])))
    for found in (lower, higher):
        [change] = found.changes
        assert found.fails
        assert change.is_worse
        assert value(change.loss) == pytest.approx(0.1)
        assert change.p == pytest.approx(2 / 2**10)  # all ten studies lost: two of all ways to change places
    assert [line.split(":")[0] for line in lower.describe()] == ["share", "share"]


def test_a_gain_passes_however_clear() -> None:
    """And has no p value, for nothing is told of a loss that there is not."""
    found = checked(shares("old", BASE), shares("new", [score + 0.05 for score in BASE]))
    assert not found.fails
    assert found.changes[0].p is None
    assert value(found.changes[0].loss) == pytest.approx(-0.05)
    assert "not significantly worse" in "".join(found.describe())


def test_equal_results_pass() -> None:
    """A build that changes nothing does not fail."""
    found = checked(shares("old", BASE), shares("new", BASE))
    assert not found.fails
    assert column(found.table(), "verdict") == ["passes"]
    assert found.worst_table() is None


def test_the_margin_is_what_the_loss_must_significantly_exceed() -> None:
    """A loss beyond it that is uncertain passes; a clear one fails; p is that of the loss less the margin."""
    random = np.random.default_rng(7)
    loss = 0.1 + 0.02 * random.normal(size=10)
    after = shares("new", (np.array(BASE) - loss).tolist())
    assert checked(shares("old", BASE), after, limits=Limits(margin=0.05)).fails
    close = checked(shares("old", BASE), after, limits=Limits(margin=float(loss.mean()) - 0.001))
    assert not close.fails
    assert close.changes[0].p is not None
    assert close.changes[0].p > 0.5
    assert value(close.changes[0].loss) == pytest.approx(loss.mean())
    assert not checked(shares("old", BASE), after, limits=Limits(margins={"share": 0.2})).fails


def test_without_a_margin_the_test_is_that_of_a_comparison() -> None:
    """The build and `compare` say the same of the same files."""
    random = np.random.default_rng(3)
    after = shares("new", (np.array(BASE) - 0.05 + 0.1 * random.normal(size=10)).tolist())
    before = shares("old", BASE)
    [compared] = compare_systems(before, after, PairFacts(), draws=2000).table("tests").rows
    [change] = checked(before, after).changes
    assert change.p == compared[4]
    [difference] = column(compare_systems(before, after, PairFacts(), draws=2000).table("differences"), "difference")
    assert change.loss == difference


def test_several_metrics_are_corrected_together() -> None:
    """Six studies that all lost are significant of one metric, and not of two."""
    old, new = held(BASE[:6], metric="share"), held([score - 0.1 for score in BASE[:6]], metric="share")
    other = held(BASE[:6])
    assert checked(source("old", old), source("new", new)).fails
    with pytest.raises(ConfigurationError, match=r"old has 6 studies with a score of each metric.*score 7 or more"):
        checked(source("old", old, other), source("new", new, other))
    assert checked(source("old", old, other), source("new", new, other), metrics=["share"]).fails


def test_pairs_of_one_study_count_once() -> None:
    """Ten pairs of five studies cannot tell a loss, and that is an error, not a pass."""
    facts = PairFacts(studies={f"p{number}": f"s{number // 2}" for number in range(10)})
    with pytest.raises(ConfigurationError, match="no loss of so few can be significant"):
        checked(shares("old", BASE), shares("new", BASE), facts)


def test_pairs_that_have_no_score_any_more_fail() -> None:
    """Means would hide them, whether unscored or absent; a share of them may be put up with."""
    scores = dict(zip((f"p{number}" for number in range(10)), BASE, strict=True))
    fewer = {name: math.nan if name == "p3" else score for name, score in scores.items() if name != "p8"}
    old, new = source("old", held(scores, metric="share")), source("new", held(fewer, metric="share"))
    found = checked(old, new)
    [change] = found.changes
    assert found.fails
    assert not change.is_worse
    assert change.lost == {"p3": "empty", "p8": "not in the results"}
    assert column(found.table(), "verdict") == ["pairs lost"]
    assert "2 of 10 pairs have no score any more, more than may be: p3 (empty); p8 (not in the results)" in "".join(
        found.describe()
    )
    assert not checked(old, new, limits=Limits(max_lost=0.2)).fails
    assert not checked(new, old).fails  # what the baseline did not score does not count


def test_the_pairs_that_lost_most_are_named() -> None:
    """By id alone, the worst first; those that gained are none of them."""
    after = list(BASE)
    after[2], after[5], after[7] = after[2] - 0.1, after[5] - 0.3, after[7] + 0.05
    table = checked(shares("old", BASE), shares("new", after), shown=5).worst_table()
    assert table is not None
    assert column(table, "id") == ["p5", "p2"]


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (Limits(margins={"other": 0.1}), "names other, which is not compared"),
        (Limits(margin=-0.1), "must be 0 or more"),
        (Limits(margin=math.nan), "must be 0 or more"),
        (Limits(max_lost=2.0), "must be a share"),
    ],
)
def test_limits_that_are_none_are_refused(limits: Limits, problem: str) -> None:
    """A build must not pass for a slip of the pen."""
    with pytest.raises(ConfigurationError, match=problem):
        checked(shares("old", BASE), shares("new", BASE), limits=limits)


def test_what_does_not_fit_the_baseline_is_refused() -> None:
    """A metric that is gone, other settings, or other pairs are no pass."""
    old = shares("old", BASE)
    with pytest.raises(ConfigurationError, match="share: not in new"):
        checked(old, source("new", held(BASE)))
    with pytest.raises(ConfigurationError, match="scored with other settings"):
        checked(old, source("new", held(BASE, metric="share", signature="share|reader:two")))
    with pytest.raises(ConfigurationError, match="new has none of the pairs of old"):
        checked(old, source("new", held({f"q{n}": score for n, score in enumerate(BASE)}, metric="share")))


@pytest.mark.slow
def test_a_build_without_a_change_seldom_fails() -> None:
    """Noise of two metrics makes at most some 2.5 of 100 builds fail: the test has two sides, of which one fails."""
    random = np.random.default_rng(11)
    failures = 0
    for _ in range(2000):
        base = random.uniform(size=40)
        noisy = [held((base + random.normal(scale=0.1, size=40)).tolist(), metric=name) for name in ("share", "risk")]
        old = source("old", *(held(base.tolist(), metric=name) for name in ("share", "risk")))
        failures += checked(old, source("new", *noisy), draws=1000).fails
    assert failures / 2000 < 0.035
