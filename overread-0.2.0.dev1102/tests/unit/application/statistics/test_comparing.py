"""Paired comparisons, by hand, against every swap there is, and beside sacrebleu's tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.significance import PairedTest, _compute_p_value

from overread.application.statistics import (
    Resampling,
    Standard,
    compare_means,
    compare_measures,
    midranks,
    resampled_mean,
)
from overread.application.statistics.measures import MEASURES

Vector = npt.NDArray[np.float64]


def alone(rows: int, *, draws: int = 10_000) -> Resampling:
    return Resampling.by_study([f"{row:04}" for row in range(rows)], draws=draws)


def test_means_of_few_studies_are_tested_against_every_swap() -> None:
    """Four studies that differ by 1, 2, 3 and 4: of 16 ways to swap, two are as far out; the unscored pair is out."""
    first = np.array([1.0, 2.0, 3.0, 4.0, np.nan])
    told = compare_means(first, np.zeros(5), alone(5))
    assert told.rows == 4
    assert told.difference.value == pytest.approx(2.5)
    assert told.randomisation_p == pytest.approx(2 / 16)


def test_a_study_is_swapped_as_a_whole() -> None:
    """The same differences in two studies: (1 + 2) and (3 + 4), of four ways two are as far out."""
    told = compare_means(np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(4), Resampling.by_study(["a", "a", "b", "b"]))
    assert told.randomisation_p == pytest.approx(2 / 4)


def test_one_study_tells_of_no_spread() -> None:
    """Every draw is the same: there is a difference, without an interval or a p value of the bootstrap."""
    paired = compare_means(np.array([1.0, 2.0, 3.0]), np.zeros(3), Resampling.by_study(["a"] * 3))
    assert (paired.difference.value, paired.difference.low, paired.difference.high) == (2, None, None)
    assert (paired.bootstrap_p, paired.randomisation_p) == (None, 1)


def test_equal_systems_do_not_differ() -> None:
    """No draw sets equal scores apart."""
    values = np.random.default_rng(0).normal(size=40)
    people = np.random.default_rng(1).poisson(3, 40).astype(float)
    for told in (
        compare_means(values, values, alone(40)),
        compare_measures(MEASURES["kendall"], values, np.exp(values), people, alone(40)),
    ):
        assert (told.difference.value, told.bootstrap_p, told.randomisation_p) == (0, 1, 1)


def test_metrics_that_differ_in_one_row_are_equal_in_draws_without_it() -> None:
    """Of 30 rows none but one differs; (1 - 1/30)^30 of the draws lack it, and Pearson's correlations are then equal.

    Rounding of the standardised scores must not tell them apart: p is at least twice that share.
    """
    random = np.random.default_rng(5)
    first = random.normal(size=30)
    people = first + random.normal(size=30)
    second = first.copy()
    second[4] += 2
    told = compare_measures(MEASURES["pearson"], first, second, people, alone(30), standard="z")
    assert told.bootstrap_p is not None
    assert told.bootstrap_p > 2 * (1 - 1 / 30) ** 30 - 0.02
    assert 0.0 in (told.difference.low, told.difference.high)


def test_figures_that_differ_by_rounding_alone_are_equal() -> None:
    """0.1 + 0.2 is not 0.3 in binary."""
    told = compare_means(np.full(20, 0.1) + 0.2, np.full(20, 0.3), alone(20))
    assert (told.difference.value, told.difference.low, told.bootstrap_p) == (0, 0, 1)


def test_with_nothing_to_compare_nothing_is_told() -> None:
    """Systems that share no scored pair, or a constant one, have no difference."""
    for told in (
        compare_means(np.array([1.0, np.nan]), np.array([np.nan, 1.0]), alone(2)),
        compare_measures(MEASURES["kendall"], np.ones(3), np.arange(3.0), np.arange(3.0), alone(3)),
    ):
        assert (told.difference.value, told.bootstrap_p, told.randomisation_p) == (None, None, None)


def _given(values: Vector, standard: Standard) -> Vector:
    if standard == "z":
        return np.asarray((values - values.mean()) / values.std())
    return midranks(values) if standard == "ranks" else values


@pytest.mark.parametrize(
    ("name", "standard"), [("kendall", "ranks"), ("spearman", "ranks"), ("pearson", "z"), ("rmse", "raw")]
)
def test_measures_are_tested_against_every_swap(name: str, standard: Standard) -> None:
    """Each swap of studies done one by one, with the plain measure of the scores that result."""
    random, measure = np.random.default_rng(3), MEASURES[name]
    studies = ["a", "a", "b", "c", "d", "d", "e", "f"]
    people = random.poisson(3, 8).astype(float)
    first, second = people + random.normal(size=8), people + 2 * random.normal(size=8)
    one, other = _given(first, standard), _given(second, standard)
    observed = measure.value(one, people) - measure.value(other, people)
    as_large = 0
    for swap in product((False, True), repeat=6):
        taken = np.array([swap["abcdef".index(study)] for study in studies])
        there, back = np.where(taken, other, one), np.where(taken, one, other)
        as_large += abs(measure.value(there, people) - measure.value(back, people)) >= abs(observed) - 1e-12
    told = compare_measures(measure, first, second, people, Resampling.by_study(studies), standard=standard)
    assert told.difference.value == pytest.approx(observed)
    assert told.randomisation_p == pytest.approx(as_large / 64)


@pytest.mark.parametrize(("name", "standard"), [("pearson", "ranks"), ("mae", "ranks"), ("rmse", "z")])
def test_what_changes_places_must_keep_the_measure(name: str, standard: Standard) -> None:
    """Ranks change an absolute error, so that swapping them would test something else."""
    values = np.array([0.1, 0.2, 5.0, 9.0])
    with pytest.raises(ValueError, match=name):
        compare_measures(MEASURES[name], values, values * values, np.arange(4.0), alone(4), standard=standard)


def test_metrics_that_differ_are_told_apart_and_metrics_that_do_not_are_not() -> None:
    """Of 60 simulations in which two metrics err alike, few have a p value below 0.05."""
    random = np.random.default_rng(5)
    found = []
    for _ in range(60):
        people = random.normal(size=60)
        first, second = people + random.normal(size=60), people + random.normal(size=60)
        told = compare_measures(MEASURES["spearman"], first, second, people, alone(60, draws=200))
        found.append((told.bootstrap_p, told.randomisation_p))
    below = np.mean(np.array(found, dtype=float) < 0.05, axis=0)
    assert (below <= 0.15).all()
    people = random.normal(size=60)
    first, second = people + 0.3 * random.normal(size=60), people + 2 * random.normal(size=60)
    told = compare_measures(MEASURES["spearman"], first, second, people, alone(60, draws=500))
    assert (told.bootstrap_p or 1) < 0.01
    assert (told.randomisation_p or 1) < 0.01


class MeanScore(Metric):
    """A metric of sacrebleu's whose score is the mean of stored sentence scores, told as text."""

    _SIGNATURE_TYPE = Signature

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.num_refs = 1

    def _check_sentence_args(self, hyp: str, refs: Sequence[str] | None) -> None: ...

    def _check_corpus_args(self, hyps: Sequence[str], refs: Sequence[Sequence[str]] | None) -> None: ...

    def _extract_corpus_statistics(self, hypotheses: Sequence[str], references: Any) -> Any:  # noqa: ARG002
        return [[float(text), 1.0] for text in hypotheses]

    def _aggregate_and_compute(self, stats: Any) -> Score:
        return self._compute_score_from_stats(np.sum(np.asarray(stats), axis=0))

    def _compute_score_from_stats(self, stats: Any) -> Score:
        return Score("mean", float(stats[0] / stats[1]))

    def _preprocess_segment(self, sent: str) -> str:
        return sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"refs": refs}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[float]:  # noqa: ARG002
        return [float(hypothesis), 1.0]


def sacrebleu_p(first: Vector, second: Vector, kind: str, trials: int) -> float:
    """P value of sacrebleu's paired test over stored sentence scores."""
    systems: list[tuple[str, Sequence[str]]] = [
        (name, [repr(float(value)) for value in values]) for name, values in (("b", second), ("a", first))
    ]
    _, told = PairedTest(systems, {"mean": MeanScore()}, None, kind, n_samples=trials)()
    (name,) = (key for key in told if key != "System")
    result = told[name][1]
    assert not isinstance(result, str)
    assert result.p_value is not None
    return result.p_value


@pytest.mark.parametrize("shift", [0.0, 0.12, 0.2, 0.3])
def test_sacrebleu_agrees(shift: float) -> None:
    """The same p value of approximate randomisation, and the same draws of the bootstrap, within Monte Carlo error.

    sacrebleu's bootstrap counts, of differences taken without their sign, those above their mean by more than the
    observed one: for a clear difference one tail, which is half of ours.
    """
    random = np.random.default_rng(8)
    first = random.normal(size=120)
    second = first - shift + random.normal(scale=0.9, size=120)
    told, drawn = compare_means(first, second, alone(120)), resampled_mean(first - second, alone(120))
    randomised, bootstrapped = sacrebleu_p(first, second, "ar", 10_000), sacrebleu_p(first, second, "bs", 5_000)
    assert told.difference.value is not None
    assert told.bootstrap_p is not None
    assert told.randomisation_p == pytest.approx(randomised, abs=0.015)
    size = np.abs(drawn)
    assert _compute_p_value(size - size.mean(), abs(told.difference.value)) == pytest.approx(bootstrapped, abs=0.02)
    if told.bootstrap_p < 0.1:
        assert told.bootstrap_p == pytest.approx(2 * bootstrapped, abs=0.02)
