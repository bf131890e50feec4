"""The 66 features of a plan, their debiased form, and the relaxed features."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.differences.features import (
    DIFFUSE_FEATURES,
    FEATURE_NAMES,
    FEATURE_SETS,
    RELAXED_FEATURE_NAMES,
    debiased_features,
    describe_feature,
    features,
    relaxed_features,
)
from overread.domain.differences.relational_cost import RelationalCost
from overread.domain.findings.unit import NULL_UNIT, Certainty, Change, ClinicalUnit
from overread.domain.results.alignment import Alignment
from overread.testing import FakeAligner

from ..clinical import LEXICON, no, unit, units


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


def test_relaxed_features_are_a_channel_a_weight_and_a_report_each() -> None:
    """All channels but text, for findings that ask for action and others, in both reports; none is named as another."""
    assert len(RELAXED_FEATURE_NAMES) == len(set(RELAXED_FEATURE_NAMES)) == 8 * 2 * 2
    assert not set(RELAXED_FEATURE_NAMES) & set(FEATURE_NAMES)
    assert len({describe_feature(name) for name in RELAXED_FEATURE_NAMES}) == len(RELAXED_FEATURE_NAMES)


@pytest.mark.parametrize("name", [*FEATURE_NAMES, *RELAXED_FEATURE_NAMES])
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
        assert values.shape == (66,)
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


def relaxed(pair: AlignedPair) -> dict[str, float]:
    """The relaxed features that are not zero, by name."""
    values = zip(RELAXED_FEATURE_NAMES, relaxed_features(pair).tolist(), strict=True)
    return {name: value for name, value in values if value}


def related(reference: list[ClinicalUnit], candidate: list[ClinicalUnit]) -> AlignedPair:
    """Two reports under the relational cost; the plan is even, as the relaxed features do not look at it."""
    cost = RelationalCost(LEXICON)
    rows, columns = reference or [NULL_UNIT], candidate or [NULL_UNIT]
    return AlignedPair(
        cross=FakeAligner().align([cost.between(rows, columns)])[0],
        reference_burden=cost.burden(rows),
        candidate_burden=cost.burden(columns),
    )


REPORTS = st.lists(units(), max_size=5)


class TestRelaxed:
    """What asserted findings cost at their best match in the other report."""

    def test_by_hand(self) -> None:
        """Two reference units, three of the candidate, costs as tables.

        Of finding, anatomy and polarity the largest is [[.2, .5, 1], [.6, .4, .9]], as text does not count; of the
        side costs it is [[.4, 0, 0], [0, .5, 0]]. The best match has the least of the one plus half the other,
        [[.4, .5, 1], [.6, .65, .9]]: rows 0 and 1 both take column 0, and columns 0, 1 and 2 take rows 0, 0 and 1.
        """
        zero = np.zeros((2, 3))
        cross = Alignment(
            plan=np.full((2, 3), 1 / 6),
            ground=zero,
            channels={
                "finding": np.array([[0.2, 0.5, 0.0], [0.0, 0.4, 0.9]]),
                "anatomy": np.array([[0.1, 0.0, 1.0], [0.6, 0.0, 0.0]]),
                "polarity": zero,
                "text": np.ones((2, 3)),
            },
            side=dict.fromkeys(SIDE_CHANNELS, zero)
            | {
                "severity": np.array([[0.4, 0.0, 0.0], [0.0, 0.1, 0.0]]),
                "modifier": np.array([[0.1, 0.0, 0.0], [0.0, 0.5, 0.0]]),
            },
            row_mass=np.full(2, 1 / 2),
            column_mass=np.full(3, 1 / 3),
        )
        pair = AlignedPair(
            cross=cross,
            reference_burden=np.array([[1.0, 0.0], [0.0, 1.0]]),
            candidate_burden=np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]),
        )
        assert relaxed(pair) == pytest.approx(
            {
                "relaxed_finding_reference_major": 0.2,
                "relaxed_anatomy_reference_major": 0.1,
                "relaxed_severity_reference_major": 0.4,
                "relaxed_modifier_reference_major": 0.1,
                "relaxed_anatomy_reference_minor": 0.6,
                "relaxed_finding_candidate_major": 0.2 + 0.5,
                "relaxed_anatomy_candidate_major": 0.1,
                "relaxed_severity_candidate_major": 0.4,
                "relaxed_modifier_candidate_major": 0.1,
                "relaxed_finding_candidate_minor": 2 * 0.9,
            }
        )

    def test_burdens_are_required(self) -> None:
        """Without them nobody knows which units count."""
        with pytest.raises(ValueError, match="burden"):
            relaxed_features(AlignedPair(cross=random_alignment(2, 3, 1)))

    @given(REPORTS, st.randoms(use_true_random=False))
    def test_a_report_finds_all_of_itself(self, report: list[ClinicalUnit], chance: random.Random) -> None:
        """In any order of its units."""
        assert relaxed(related(report, chance.sample(report, len(report)))) == {}

    def test_equally_good_matches_are_told_apart_by_what_they_cost(self) -> None:
        """A finding that the other report does not bear on is far from an effusion on the left and from a denial."""
        finding, others = [unit("nodule")], [unit("effusion", "left"), no("edema")]
        assert relaxed(related(finding, others)) == relaxed(related(finding, others[::-1]))

    @given(REPORTS, REPORTS, st.randoms(use_true_random=False))
    def test_the_order_of_units_does_not_matter(
        self, reference: list[ClinicalUnit], candidate: list[ClinicalUnit], chance: random.Random
    ) -> None:
        """Also where several matches are equally good."""
        mixed = related(chance.sample(reference, len(reference)), chance.sample(candidate, len(candidate)))
        assert relaxed(mixed) == pytest.approx(relaxed(related(reference, candidate)))

    @given(REPORTS, REPORTS)
    def test_the_other_way_round_the_reports_change_places(
        self, reference: list[ClinicalUnit], candidate: list[ClinicalUnit]
    ) -> None:
        """What the reference's findings lack forth, the candidate's lack back."""
        places = {"reference": "candidate", "candidate": "reference"}
        back = {
            "_".join(places.get(part, part) for part in name.split("_")): value
            for name, value in relaxed(related(candidate, reference)).items()
        }
        assert relaxed(related(reference, candidate)) == pytest.approx(back)

    @given(st.lists(units("effusion", "nodule", "scar"), max_size=5))
    def test_a_harmless_denial_adds_nothing(self, report: list[ClinicalUnit]) -> None:
        """A candidate that repeats the reference and denies what neither speaks of has no risk, nor the other way."""
        if report:
            assert relaxed(related(report, [*report, no("fracture")])) == {}
            assert relaxed(related([no("fracture"), *report], report)) == {}

    @pytest.mark.parametrize(("concepts", "weight"), [(("nodule", "edema", "fracture"), "major"), (("scar",), "minor")])
    def test_each_unmatched_finding_adds(self, concepts: tuple[str, ...], weight: str) -> None:
        """Every finding the other report does not bear on adds its whole cost, at the report that names it."""
        shared = [unit("effusion"), no("pneumothorax")]
        for count in range(1, len(concepts) + 1):
            more = [*shared, *map(unit, concepts[:count])]
            for reference, candidate, side in ((more, shared, "reference"), (shared, more, "candidate")):
                names = (f"relaxed_{channel}_{side}_{weight}" for channel in ("finding", "polarity"))
                assert relaxed(related(reference, candidate)) == dict.fromkeys(names, float(count))

    @pytest.mark.parametrize(
        ("altered", "channels", "cost"),
        [
            (unit("effusion", "left", severity="severe"), ("severity",), 0.67),
            (unit("effusion", "right", severity="mild"), ("anatomy",), 1.0),
            (unit("effusion", "left", severity="mild", change=Change.NEW), ("comparison",), 0.35),
            (no("effusion", "left"), ("finding", "polarity"), 1.0),
        ],
    )
    def test_an_altered_finding_costs_in_the_channel_of_what_is_altered(
        self, altered: ClinicalUnit, channels: tuple[str, ...], cost: float
    ) -> None:
        """And in no other, at both reports if both assert it."""
        pair = related([unit("effusion", "left", severity="mild")], [altered])
        sides = ("reference", "candidate") if altered.asserts_finding else ("reference",)
        names = [f"relaxed_{channel}_{side}_major" for side in sides for channel in channels]
        assert relaxed(pair) == pytest.approx(dict.fromkeys(names, cost))

    def test_a_repeated_finding_counts_once(self) -> None:
        """The same miss in findings and impression is one miss."""
        once, twice = ([unit("effusion", "left")] * times for times in (1, 2))
        assert relaxed(related(twice, [no("edema")])) == relaxed(related(once, [no("edema")])) != {}

    def test_more_errors_never_cost_less(self) -> None:
        """A finding on the wrong side and in doubt costs as much whether or not something unrelated is added."""
        reference = [unit("effusion", "right", certainty=Certainty.POSSIBLE)]
        wrong = [unit("effusion", "left", certainty=Certainty.PROBABLE)]
        before, after = (relaxed(related(reference, c)) for c in (wrong, [*wrong, unit("edema")]))
        assert all(after.get(name, 0.0) >= value for name, value in before.items())


@pytest.mark.parametrize("kind", FEATURE_SETS)
def test_each_readout_has_its_features(kind: str) -> None:
    """One value a name; self-alignments are asked for where they are used."""
    known = FEATURE_SETS[kind]
    same = random_alignment(3, 3, seed=1)
    plain = AlignedPair(
        cross=random_alignment(3, 3, 2), reference_burden=np.eye(3)[:, :2], candidate_burden=np.ones((3, 2))
    )
    full = evolve(plain, reference_self=same, candidate_self=same)
    values = known.vector(full)
    assert values.shape == (len(known.names),)
    assert np.isfinite(values).all()
    assert (values >= 0).all()
    assert values.any()
    if known.uses_self_alignments:
        with pytest.raises(ValueError, match="with itself"):
            known.vector(plain)
    else:
        assert (known.vector(plain) == values).all()
