"""The 66 features of a plan and their debiased form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.alignment import AlignedPair, Alignment
from overread.domain.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.features import (
    DIFFUSE_FEATURES,
    FEATURE_NAMES,
    debiased_features,
    describe_feature,
    features,
)


def random_alignment(n: int, m: int, seed: int) -> Alignment:
    """A plan with random costs; its marginals are what its sums are."""
    rng = np.random.default_rng(seed)
    plan = rng.random((n, m))
    plan /= plan.sum()
    return Alignment(
        plan=plan,
        ground=rng.random((n, m)),
        channels={name: rng.random((n, m)) for name in GROUND_CHANNELS},
        side={name: rng.random((n, m)) for name in SIDE_CHANNELS},
        row_mass=plan.sum(1),
        column_mass=plan.sum(0),
    )


def named(alignment: Alignment) -> dict[str, float]:
    return dict(zip(FEATURE_NAMES, features(alignment).tolist(), strict=True))


@pytest.fixture
def by_hand() -> dict[str, float]:
    """Features of the plan [[.4, .1, 0], [0, .2, .3]] with hand-set severity and finding costs and no other."""
    zero = np.zeros((2, 3))
    severity = np.array([[0.0, 0.67, 0.33], [0.0, 0.5, 1.0]])
    finding = np.array([[0.0, 1.0, 1.0], [1.0, 0.5, 0.0]])
    return named(
        Alignment(
            plan=np.array([[0.4, 0.1, 0.0], [0.0, 0.2, 0.3]]),
            ground=finding / 4,
            channels=dict.fromkeys(GROUND_CHANNELS, zero) | {"finding": finding},
            side=dict.fromkeys(SIDE_CHANNELS, zero) | {"severity": severity},
            row_mass=np.full(2, 1 / 2),
            column_mass=np.full(3, 1 / 3),
        )
    )


def test_feature_counts_of_table_vi() -> None:
    """66 features; 61 without the severity channel; 49 without the diffuse and concentration family."""
    assert len(FEATURE_NAMES) == len(set(FEATURE_NAMES)) == 66
    assert len([name for name in FEATURE_NAMES if not name.startswith("severity_")]) == 61
    assert len([name for name in FEATURE_NAMES if name not in DIFFUSE_FEATURES]) == 49


@pytest.mark.parametrize("name", FEATURE_NAMES)
def test_every_feature_is_described(name: str) -> None:
    """Each name has a line that says what it measures."""
    assert describe_feature(name).strip()


def test_side_summaries_by_hand(by_hand: dict[str, float]) -> None:
    """Severity: T S is [[0, .067, 0], [0, .1, .3]].

    Expected .067 + .1 + .3 = .467; maximum 1; top three of S are 1, .67, .5, mean .723333; the three largest
    T S add up to .467 and the largest is .3.
    """
    assert by_hand["severity_expected"] == pytest.approx(0.467)
    assert by_hand["severity_maximum"] == 1.0
    assert by_hand["severity_top3_mean"] == pytest.approx(2.17 / 3)
    assert by_hand["severity_top3_mass_weighted"] == pytest.approx(0.467)
    assert by_hand["severity_top1_mass_weighted"] == pytest.approx(0.3)
    assert by_hand["side_maximum_sum"] == 1.0


def test_alignment_summaries_by_hand(by_hand: dict[str, float]) -> None:
    """Finding: T D is [[0, .1, 0], [0, .1, 0]], so expected .2; the ground cost is a quarter of it."""
    assert by_hand["finding_expected"] == pytest.approx(0.2)
    assert by_hand["finding_top3_mean"] == 1.0
    assert by_hand["finding_top3_mass_weighted"] == pytest.approx(0.2)
    assert by_hand["ground_expected"] == pytest.approx(0.05)
    # T (D + S): .1 * (.25 + .67) = .092, .2 * (.125 + .5) = .125, .3 * 1 = .3.
    assert by_hand["top_risk_sum"] == pytest.approx(0.517)


def test_diffuse_features_by_hand(by_hand: dict[str, float]) -> None:
    """With rho = (.8, .6) and gamma = (1, .6, .9), M_R = .3 and M_C = 1/6; none lies below .55."""
    assert by_hand["diffuse_reference"] == pytest.approx(0.3)
    assert by_hand["diffuse_candidate"] == pytest.approx(1 / 6)
    assert by_hand["diffuse_sum"] == pytest.approx(0.3 + 1 / 6)
    assert by_hand["diffuse_reference_excess"] == pytest.approx(0.3 - 1 / 6)
    assert by_hand["diffuse_candidate_excess"] == 0.0
    assert by_hand["low_confidence_sum"] == 0.0
    assert by_hand["max_diffuse_reference"] == pytest.approx(0.4)
    assert by_hand["max_diffuse_candidate"] == pytest.approx(0.4)
    assert by_hand["beyond_top1_mass"] == pytest.approx(0.6)
    assert by_hand["beyond_top3_mass"] == pytest.approx(0.1)


def test_entropy_features_by_hand(by_hand: dict[str, float]) -> None:
    """Entropy of (.4, .1, .2, .3) in nats, over log 6; effective edges exp of it, over max(2, 3)."""
    entropy = -sum(p * math.log(p) for p in (0.4, 0.1, 0.2, 0.3))
    assert entropy == pytest.approx(1.2798542, abs=1e-7)
    assert by_hand["plan_entropy"] == pytest.approx(entropy)
    assert by_hand["plan_entropy_relative"] == pytest.approx(entropy / math.log(6))
    assert by_hand["effective_edges"] == pytest.approx(math.exp(entropy))
    assert by_hand["effective_edges_relative"] == pytest.approx(math.exp(entropy) / 3)


def test_low_confidence_counts_units_below_the_threshold() -> None:
    """A uniform 2 x 4 plan: rho = 1/4 for both rows, gamma = 1/2 for every column, all below .55."""
    alignment = random_alignment(2, 4, seed=0)
    uniform = Alignment(
        plan=np.full((2, 4), 1 / 8),
        ground=alignment.ground,
        channels=alignment.channels,
        side=alignment.side,
        row_mass=np.full(2, 1 / 2),
        column_mass=np.full(4, 1 / 4),
    )
    values = named(uniform)
    assert values["low_confidence_reference"] == values["low_confidence_candidate"] == 1.0
    assert values["low_confidence_sum"] == 2.0
    assert values["effective_edges"] == pytest.approx(8.0)
    assert values["plan_entropy_relative"] == pytest.approx(1.0)


def test_a_single_edge_has_no_entropy() -> None:
    """A 1 x 1 plan: one effective edge, no diffuse mass, and no division by log 1."""
    values = named(random_alignment(1, 1, seed=0))
    assert values["effective_edges"] == 1.0
    assert values["plan_entropy_relative"] == values["diffuse_sum"] == values["beyond_top3_mass"] == 0.0


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000), st.sampled_from([0.5, 1.0, 3.0]))
def test_features_are_finite_and_nonnegative(n: int, m: int, seed: int, mass: float) -> None:
    """So no feature can lower a risk, whatever the shape, and for plans of more or less mass than one."""
    base = random_alignment(n, m, seed)
    scaled = Alignment(
        plan=np.minimum(base.plan * mass, 1.0),
        ground=base.ground,
        channels=base.channels,
        side=base.side,
        row_mass=base.row_mass,
        column_mass=base.column_mass,
    )
    values = features(scaled)
    assert values.shape == (66,)
    assert np.isfinite(values).all()
    assert (values >= 0).all()


class TestDebiased:
    """Each feature's excess over the reports' alignments with themselves."""

    def test_a_report_against_itself_has_only_zeros(self) -> None:
        """The three alignments are the same, so nothing exceeds."""
        same = random_alignment(4, 4, seed=1)
        pair = AlignedPair(cross=same, reference_self=same, candidate_self=same)
        assert not debiased_features(pair).any()

    def test_excess_over_the_mean_of_both_selves(self) -> None:
        """max(0, feature - (reference + candidate) / 2) for every feature but the unit counts."""
        cross, ref, cand = (random_alignment(3, 3, seed) for seed in (1, 2, 3))
        values = debiased_features(AlignedPair(cross=cross, reference_self=ref, candidate_self=cand))
        expected = np.maximum(0.0, features(cross) - (features(ref) + features(cand)) / 2)
        others = [i for i, name in enumerate(FEATURE_NAMES) if not name.endswith("unit_count")]
        assert values[others] == pytest.approx(expected[others], abs=1e-6)
        assert values.any()

    @pytest.mark.parametrize(("n", "m", "counts"), [(5, 3, (2.0, 0.0)), (3, 5, (0.0, 2.0)), (4, 4, (0.0, 0.0))])
    def test_unit_counts_become_the_surplus_of_each_side(self, n: int, m: int, counts: tuple[float, float]) -> None:
        """max(0, n - m) and max(0, m - n)."""
        pair = AlignedPair(
            cross=random_alignment(n, m, 1),
            reference_self=random_alignment(n, n, 2),
            candidate_self=random_alignment(m, m, 3),
        )
        values = dict(zip(FEATURE_NAMES, debiased_features(pair), strict=True))
        assert (values["reference_unit_count"], values["candidate_unit_count"]) == counts

    def test_self_alignments_are_required(self) -> None:
        """Without them there is nothing to subtract."""
        with pytest.raises(ValueError, match="with itself"):
            debiased_features(AlignedPair(cross=random_alignment(2, 2, 0)))
