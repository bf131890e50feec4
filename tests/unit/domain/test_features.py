"""The 66 features of a plan and their debiased form."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.alignment import AlignedPair, Alignment
from overread.domain.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.features import (
    DEBIASED_FEATURE_NAMES,
    DIFFUSE_FEATURES,
    FEATURE_NAMES,
    UNMATCHED_FEATURES,
    debiased_features,
    describe_feature,
    features,
)
from overread.domain.relational_cost import RelationalCost
from overread.domain.unit import NULL_UNIT, ClinicalUnit
from overread.testing import FakeAligner

from .clinical import LEXICON, no, unit, units


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
    assert DEBIASED_FEATURE_NAMES == FEATURE_NAMES + UNMATCHED_FEATURES
    assert len(set(DEBIASED_FEATURE_NAMES)) == 66 + 8


@pytest.mark.parametrize("name", DEBIASED_FEATURE_NAMES)
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
        assert values.shape == (74,)
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
        values = dict(zip(DEBIASED_FEATURE_NAMES, debiased_features(pair), strict=True))
        assert (values["reference_unit_count"], values["candidate_unit_count"]) == counts

    def test_self_alignments_are_required(self) -> None:
        """Without them there is nothing to subtract."""
        with pytest.raises(ValueError, match="with itself"):
            debiased_features(AlignedPair(cross=random_alignment(2, 2, 0)))


def best_matches(pair: AlignedPair) -> dict[str, float]:
    """The unmatched features by name."""
    return dict(zip(UNMATCHED_FEATURES, debiased_features(pair)[-len(UNMATCHED_FEATURES) :].tolist(), strict=True))


def related(reference: list[ClinicalUnit], candidate: list[ClinicalUnit]) -> AlignedPair:
    """Two reports under the relational cost; their plans are even, as the best matches do not look at them."""
    cost = RelationalCost(LEXICON)

    def spread(rows: list[ClinicalUnit], columns: list[ClinicalUnit]) -> Alignment:
        return FakeAligner().align([cost.between(rows or [NULL_UNIT], columns or [NULL_UNIT])])[0]

    return AlignedPair(
        cross=spread(reference, candidate),
        reference_self=spread(reference, reference),
        candidate_self=spread(candidate, candidate),
        reference_burden=cost.burden(reference or [NULL_UNIT]),
        candidate_burden=cost.burden(candidate or [NULL_UNIT]),
    )


class TestUnmatched:
    """What asserted findings find at best in the other report."""

    def test_by_hand(self) -> None:
        """Two reference units, three of the candidate, costs as tables.

        Ground is the largest of finding, anatomy and polarity: [[.2, .5, 1], [.6, .4, .9]]; text does not count. Side
        is the largest side cost: [[.3, 0, 0], [0, .5, 0]]. The best match has least ground + side / 2:
        [[.35, .5, 1], [.6, .65, .9]], so rows 0 and 1 both take column 0, at (.2, .3) and (.6, 0); columns 0, 1, 2
        take rows 0, 0, 1 at (.2, .3), (.5, 0), (.9, 0).
        """
        zero = np.zeros((2, 3))
        channels = {
            "finding": np.array([[0.2, 0.5, 0.0], [0.0, 0.4, 0.9]]),
            "anatomy": np.array([[0.1, 0.0, 1.0], [0.6, 0.0, 0.0]]),
            "polarity": zero,
            "text": np.ones((2, 3)),
        }
        side = dict.fromkeys(SIDE_CHANNELS, zero) | {
            "severity": np.array([[0.3, 0.0, 0.0], [0.0, 0.1, 0.0]]),
            "modifier": np.array([[0.1, 0.0, 0.0], [0.0, 0.5, 0.0]]),
        }
        cross = Alignment(
            plan=np.full((2, 3), 1 / 6),
            ground=zero,
            channels=channels,
            side=side,
            row_mass=np.full(2, 1 / 2),
            column_mass=np.full(3, 1 / 3),
        )
        pair = AlignedPair(
            cross=cross,
            reference_self=cross,
            candidate_self=cross,
            reference_burden=np.array([[1.0, 0.0], [0.0, 1.0]]),
            candidate_burden=np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]),
        )
        assert best_matches(pair) == pytest.approx(
            {
                "unmatched_reference_major": 0.2,
                "unmatched_candidate_major": 0.2 + 0.5,
                "unmatched_reference_minor": 0.6,
                "unmatched_candidate_minor": 2 * 0.9,
                "altered_reference_major": 0.3,
                "altered_candidate_major": 0.3,
                "altered_reference_minor": 0.0,
                "altered_candidate_minor": 0.0,
            }
        )

    def test_without_burdens_they_are_zero(self) -> None:
        """An aligned pair that weighs nothing has none."""
        cross = random_alignment(2, 3, 1)
        assert not any(best_matches(AlignedPair(cross=cross, reference_self=cross, candidate_self=cross)).values())

    @given(st.lists(units(), max_size=6), st.randoms(use_true_random=False))
    def test_a_report_finds_all_of_itself(self, report: list[ClinicalUnit], chance: random.Random) -> None:
        """In any order of its units."""
        assert not any(best_matches(related(report, chance.sample(report, len(report)))).values())

    @given(st.lists(units("effusion", "nodule", "scar"), max_size=5), st.lists(units("effusion", "edema"), max_size=5))
    def test_a_harmless_denial_adds_nothing(self, reference: list[ClinicalUnit], candidate: list[ClinicalUnit]) -> None:
        """A candidate that also denies what neither report speaks of is no worse."""
        added = [*candidate, no("fracture")]
        before, after = best_matches(related(reference, candidate)), best_matches(related(reference, added))
        assert all(after[name] <= before[name] + 1e-9 for name in UNMATCHED_FEATURES)

    @pytest.mark.parametrize(("concepts", "weight"), [(("nodule", "edema", "fracture"), "major"), (("scar",), "minor")])
    def test_each_unmatched_finding_adds(self, concepts: tuple[str, ...], weight: str) -> None:
        """Every finding the other report does not bear on adds the whole cost, at the side that names it."""
        shared = [unit("effusion", "left"), no("pneumothorax")]
        for count in range(1, len(concepts) + 1):
            more = [*shared, *map(unit, concepts[:count])]
            for reference, candidate, side in ((more, shared, "reference"), (shared, more, "candidate")):
                expected = dict.fromkeys(UNMATCHED_FEATURES, 0.0) | {f"unmatched_{side}_{weight}": float(count)}
                assert best_matches(related(reference, candidate)) == pytest.approx(expected)

    def test_an_altered_finding_is_told_from_an_unmatched_one(self) -> None:
        """A degree that differs by two steps stands in the altered features alone."""
        pair = related([unit("effusion", severity="mild")], [unit("effusion", severity="severe")])
        expected = dict.fromkeys(UNMATCHED_FEATURES, 0.0)
        expected |= {"altered_reference_major": 0.67, "altered_candidate_major": 0.67}
        assert best_matches(pair) == pytest.approx(expected)
