"""Ground and side costs, with every number worked out by hand from Table II and section V-A of RadOT-Eval."""

from __future__ import annotations

import numpy as np
import pytest

from overread.domain.differences.cost import (
    GROUND_CHANNELS,
    PRIORS,
    SIDE_CHANNELS,
    CostWeights,
    TableTwoCost,
    anatomy_cost,
    categorical_cost,
    comparison_cost,
    device_cost,
    finding_cost,
    jaccard,
    modifier_cost,
    polarity_cost,
    set_cost,
    severity_cost,
    text_cost,
    tokens,
    uncertainty_cost,
)
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity, severity_ordinal


def unit(text: str, **attributes: object) -> ClinicalUnit:
    return ClinicalUnit(span_text=text, start=0, end=len(text), **attributes)  # type: ignore[arg-type]


EFFUSION = unit(
    "Small left pleural effusion",
    canonical_finding="pleural_effusion",
    surface_finding="pleural effusion",
    anatomy=frozenset({"left", "pleura"}),
)
NO_EFFUSION = unit(
    "no right pleural effusion",
    canonical_finding="pleural_effusion",
    surface_finding="pleural effusion",
    anatomy=frozenset({"right", "pleura"}),
    polarity=Polarity.ABSENT,
)
HEART = unit(
    "heart size normal",
    canonical_finding="cardiomegaly",
    surface_finding="heart size",
    anatomy=frozenset({"heart"}),
    polarity=Polarity.ABSENT,
)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (set(), set(), 1.0),
        ({"left"}, set(), 0.0),
        (set(), {"left"}, 0.0),
        ({"left", "base"}, {"left", "apex"}, 1 / 3),
        ({"left"}, {"left"}, 1.0),
    ],
)
def test_jaccard_cases(a: set[str], b: set[str], expected: float) -> None:
    """J is 1 for two empty sets, 0 for one, and shared over all labels otherwise."""
    assert jaccard(a, b) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(None, None, 0.0), ("new", None, 0.35), (None, "new", 0.35), ("new", "new", 0.0), ("new", "stable", 1.0)],
)
def test_categorical_cost_cases(a: str | None, b: str | None, expected: float) -> None:
    """c_cat(.35, 1): missing on both sides agrees, on one side costs mu, a mismatch costs eta."""
    assert categorical_cost(a, b, missing=0.35, mismatch=1.0) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (set(), set(), 0.0),
        ({"left"}, set(), 0.6),
        (set(), {"left"}, 0.6),
        ({"left", "base"}, {"left"}, 0.5),
        ({"left"}, {"right"}, 1.0),
    ],
)
def test_set_cost_cases(a: set[str], b: set[str], expected: float) -> None:
    """c_set(.6): as c_cat, with 1 - J between two nonempty sets."""
    assert set_cost(a, b, missing=0.6) == expected


def test_tokens_are_lower_case_and_alphanumeric() -> None:
    """tau(x) splits at everything else, the underscores of a canonical finding included."""
    assert tokens("Right-sided PLEURAL_effusion, 2cm.") == {"right", "sided", "pleural", "effusion", "2cm"}


class TestGroundCosts:
    """Table II."""

    def test_same_canonical_finding_costs_nothing(self) -> None:
        """The wording does not matter where the canonical finding is the same and not empty."""
        assert finding_cost(EFFUSION, NO_EFFUSION) == 0.0

    def test_other_finding_backs_off_to_tokens(self) -> None:
        """Of {pleural, effusion, small, left} and {cardiomegaly, heart, size, normal} nothing is shared."""
        assert finding_cost(EFFUSION, HEART) == 1.0

    def test_backoff_reads_canonical_surface_and_span(self) -> None:
        """{opacity, airspace, left} and {consolidation, airspace, left}: 2 of 4 tokens are shared."""
        a = unit("left", canonical_finding="opacity", surface_finding="airspace")
        b = unit("left", canonical_finding="consolidation", surface_finding="airspace")
        assert finding_cost(a, b) == 0.5

    def test_two_unread_sentences_do_not_match_by_their_empty_finding(self) -> None:
        """Without canonical findings {lungs, clear} and {lungs, are, clear} share 2 of 3 tokens."""
        assert finding_cost(unit("lungs clear"), unit("Lungs are clear.")) == pytest.approx(1 / 3)

    def test_anatomy(self) -> None:
        """{left, pleura} and {right, pleura} share 1 of 3; unstated against stated costs .6."""
        assert anatomy_cost(EFFUSION, NO_EFFUSION) == pytest.approx(2 / 3)
        assert anatomy_cost(EFFUSION, unit("effusion")) == 0.6

    def test_polarity(self) -> None:
        """Present against absent, or against uncertain, costs 1."""
        assert polarity_cost(EFFUSION, NO_EFFUSION) == 1.0
        assert polarity_cost(EFFUSION, unit("maybe", polarity=Polarity.UNCERTAIN)) == 1.0
        assert polarity_cost(HEART, NO_EFFUSION) == 0.0

    def test_text(self) -> None:
        """{small, left, pleural, effusion} and {no, right, pleural, effusion} share 2 of 6 tokens."""
        assert text_cost(EFFUSION, NO_EFFUSION) == pytest.approx(2 / 3)


class TestSideCosts:
    """Section V-A."""

    @pytest.mark.parametrize(
        ("a", "b", "expected"),
        [(Change.NEW, None, 0.35), (Change.IMPROVED, Change.STABLE, 1.0), (None, None, 0.0)],
    )
    def test_comparison(self, a: Change | None, b: Change | None, expected: float) -> None:
        """c_cat(.35, 1) over change."""
        assert comparison_cost(unit("x", change=a), unit("x", change=b)) == expected

    @pytest.mark.parametrize(
        ("a", "b", "expected"),
        [(Certainty.POSSIBLE, None, 0.35), (Certainty.POSSIBLE, Certainty.PROBABLE, 1.0), (None, None, 0.0)],
    )
    def test_uncertainty(self, a: Certainty | None, b: Certainty | None, expected: float) -> None:
        """c_cat(.35, 1) over certainty."""
        assert uncertainty_cost(unit("x", certainty=a), unit("x", certainty=b)) == expected

    def test_device(self) -> None:
        """c_cat(.2, 1) over the state of a device, or the device itself where no state is given."""
        tube = unit("x", device="endotracheal_tube")
        low_tube = unit("x", device="endotracheal_tube", device_status="malpositioned")
        assert device_cost(tube, unit("x")) == 0.2
        assert device_cost(tube, tube) == 0.0
        assert device_cost(tube, low_tube) == 1.0

    def test_modifier(self) -> None:
        """c_set(.4) over modifiers."""
        dense, dense_patchy = (
            unit("x", modifiers=frozenset({"dense"})),
            unit("x", modifiers=frozenset({"dense", "patchy"})),
        )
        assert modifier_cost(dense, unit("x")) == 0.4
        assert modifier_cost(dense, dense_patchy) == 0.5

    @pytest.mark.parametrize(
        ("word", "ordinal"),
        [
            (None, 0.0),
            ("", 0.0),
            ("none", 0.0),
            ("normal", 0.0),
            ("mild", 0.33),
            ("Moderate", 0.66),
            ("severe", 1.0),
            ("marked", 1.0),
            ("extensive", 0.5),
        ],
    )
    def test_severity_ordinal(self, word: str | None, ordinal: float) -> None:
        """The scale of section V-A; a word outside it is .5."""
        assert severity_ordinal(word) == ordinal

    def test_severity(self) -> None:
        """The absolute difference of two ordinals: |.33 - 1| and |.66 - 0|."""
        mild, severe = unit("x", severity="mild"), unit("x", severity="severe")
        assert severity_cost(mild, severe) == pytest.approx(0.67)
        assert severity_cost(unit("x"), unit("x", severity="moderate")) == 0.66


def test_ground_cost_by_hand() -> None:
    """Equation 1 with the polarity-heavy prior over two candidate units.

    Against NO_EFFUSION: .25 * 0 + .2 * 2/3 + .4 * 1 + .15 * 2/3 = 0.633333.
    Against HEART: every channel 1, so 1.
    """
    costs = TableTwoCost().between([EFFUSION], [NO_EFFUSION, HEART])
    assert costs.weighted(PRIORS["polarity-heavy"]) == pytest.approx(np.array([[0.6333333333, 1.0]]))


def test_matrices_have_a_row_for_each_reference_unit() -> None:
    """All nine channels are n x m, reference by candidate, and n x 0 for an empty candidate."""
    costs = TableTwoCost().between([EFFUSION, HEART], [NO_EFFUSION])
    assert tuple(costs.ground) == GROUND_CHANNELS
    assert tuple(costs.side) == SIDE_CHANNELS
    assert {matrix.shape for matrix in (*costs.ground.values(), *costs.side.values())} == {(2, 1)}
    assert TableTwoCost().between([EFFUSION], []).ground["text"].shape == (1, 0)


def test_a_unit_costs_nothing_against_itself() -> None:
    """Every channel is 0 on the diagonal of a report against itself."""
    units = [EFFUSION, NO_EFFUSION, HEART]
    costs = TableTwoCost().between(units, units)
    for matrix in (*costs.ground.values(), *costs.side.values()):
        assert not np.diagonal(matrix).any()


def test_priors_are_the_ten_of_the_paper() -> None:
    """Each is a valid set of weights, and polarity-heavy is as published."""
    assert len(PRIORS) == 10
    assert PRIORS["polarity-heavy"].as_tuple() == (0.250, 0.200, 0.400, 0.150)
    assert PRIORS["no-text"].text == PRIORS["no-polarity"].polarity == 0.0
    assert PRIORS["polarity-heavy"] == CostWeights()


@pytest.mark.parametrize("weights", [(0.5, 0.5, 0.5, -0.5), (0.25, 0.25, 0.25, 0.2)])
def test_weights_must_be_a_distribution(weights: tuple[float, float, float, float]) -> None:
    """Negative weights and weights that do not add up to one are refused."""
    with pytest.raises(ValueError, match="nonnegative and sum to one"):
        CostWeights(*weights)


def test_costs_do_not_show_report_text() -> None:
    """The repr of a pair's costs holds no matrix and no words."""
    assert "effusion" not in repr(TableTwoCost().between([EFFUSION], [NO_EFFUSION]))
