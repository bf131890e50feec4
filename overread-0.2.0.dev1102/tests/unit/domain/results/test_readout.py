"""The monotone readout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.results.readout import TARGETS, MonotoneReadout

NAMES = ("modifier_expected", "comparison_top3_mass_weighted", "effective_edges")


def readout(**changes: object) -> MonotoneReadout:
    """Coefficients of the total and significant risks of Table XIII; scales and the third row are invented."""
    arguments: dict[str, object] = {
        "feature_names": NAMES,
        "scale": np.array([0.5, 2.0, 40.0]),
        "coefficients": {
            "total": np.array([7.224, 3.534, 19.877]),
            "significant": np.array([6.824, 3.404, 0.0]),
            "insignificant": np.array([0.0, 0.0, 2.630]),
        },
        "intercepts": {"total": 1.0, "significant": 0.0, "insignificant": 0.5},
    }
    return MonotoneReadout(**(arguments | changes))  # type: ignore[arg-type]


def test_risk_is_the_sum_of_scaled_terms() -> None:
    """Values (.25, 2, 4) scale to (.5, 1, .1): total = 7.224 / 2 + 3.534 + 1.9877 + 1 = 10.1337."""
    risk = readout().read(np.array([0.25, 2.0, 4.0]))
    assert risk.scores == pytest.approx({"total": 10.1337, "significant": 3.412 + 3.404, "insignificant": 0.763})


def test_contributions_are_coefficient_times_scaled_value() -> None:
    """As in Table XIII, where a comparison feature at its maximum contributes its whole coefficient, 3.534."""
    first, second, third = readout().read(np.array([0.25, 2.0, 4.0])).contributions["total"]
    assert (first.feature, second.feature, third.feature) == (NAMES[0], NAMES[1], NAMES[2])
    assert first.contribution == pytest.approx(3.612)
    assert second.contribution == second.coefficient == 3.534
    assert third.value == 4.0
    assert third.contribution == pytest.approx(1.9877)


def test_only_terms_that_count_are_contributions() -> None:
    """A zero coefficient or a zero value leaves no line."""
    contributions = readout().read(np.array([0.0, 1.0, 1.0])).contributions
    assert [c.feature for c in contributions["significant"]] == [NAMES[1]]
    assert [c.feature for c in contributions["insignificant"]] == [NAMES[2]]


@given(
    values=st.lists(st.floats(0, 100), min_size=3, max_size=3),
    rise=st.floats(0, 100),
    which=st.integers(0, 2),
    coefficients=st.lists(st.lists(st.floats(0, 50), min_size=3, max_size=3), min_size=3, max_size=3),
    scale=st.lists(st.floats(0.01, 10), min_size=3, max_size=3),
)
def test_risk_never_falls_when_a_feature_rises(
    values: list[float], rise: float, which: int, coefficients: list[list[float]], scale: list[float]
) -> None:
    """Stronger discrepancy evidence cannot lower any of the three risks."""
    rows = {target: np.array(row) for target, row in zip(TARGETS, coefficients, strict=True)}
    monotone = readout(coefficients=rows, scale=np.array(scale))
    before = np.array(values)
    after = before.copy()
    after[which] += rise
    low, high = monotone.read(before).scores, monotone.read(after).scores
    assert all(high[target] >= low[target] for target in TARGETS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scale": np.array([1.0, 0.0, 1.0])}, "scales must be positive"),
        ({"scale": np.array([1.0, np.nan, 1.0])}, "scales must be positive"),
        ({"scale": np.ones(2)}, "3 scales"),
        ({"coefficients": {"total": np.array([1.0, -0.1, 0.0])}, "intercepts": {"total": 0.0}}, "nonnegative"),
        ({"coefficients": {"total": np.array([1.0, np.inf, 0.0])}, "intercepts": {"total": 0.0}}, "nonnegative"),
        ({"coefficients": {"total": np.ones(4)}, "intercepts": {"total": 0.0}}, "3 scales and coefficients"),
        ({"coefficients": {"total": np.ones(3)}, "intercepts": {"total": -1.0}}, "intercepts must be nonnegative"),
        ({"coefficients": {"total": np.ones(3)}, "intercepts": {}}, "same targets"),
    ],
)
def test_what_would_not_be_monotone_is_refused(changes: dict[str, object], message: str) -> None:
    """Negative or non-finite numbers, and rows of another length, do not make a readout."""
    with pytest.raises(ValueError, match=message):
        readout(**changes)
