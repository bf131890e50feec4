"""Alignments: mass-weighted risk, edges, diffuse-match mass."""

from __future__ import annotations

import pickle

import numpy as np
import numpy.typing as npt
import pytest
from attrs import evolve

from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.results.alignment import Alignment, diffuse_mass

Matrix = npt.NDArray[np.float64]


def alignment(plan: Matrix, ground: Matrix, side: Matrix) -> Alignment:
    """An alignment whose side costs add up to ``side``."""
    n, m = plan.shape
    return Alignment(
        plan=plan,
        ground=ground,
        channels=dict.fromkeys(GROUND_CHANNELS, ground),
        side=dict.fromkeys(SIDE_CHANNELS, side / len(SIDE_CHANNELS)),
        row_mass=np.full(n, 1 / n),
        column_mass=np.full(m, 1 / m),
    )


# Table XII of RadOT-Eval: mass, ground cost, side costs, mass-weighted risk, all rounded to three or one decimals.
TABLE_XII = [
    (0.119, 0.476, 3.0, 0.413),
    (0.100, 0.586, 3.0, 0.359),
    (0.239, 0.448, 1.0, 0.346),
    (0.050, 0.550, 3.0, 0.176),
    (0.067, 0.400, 2.0, 0.160),
    (0.033, 0.584, 4.0, 0.151),
]


@pytest.mark.parametrize(("mass", "ground", "side", "published"), TABLE_XII)
def test_mass_weighted_risk_reproduces_table_xii(mass: float, ground: float, side: float, published: float) -> None:
    """T (D + side), for example 0.119 * (0.476 + 3.0) = 0.413, agrees as far as the printed digits allow."""
    rounding = 0.0005 * (ground + side) + 0.0005 * mass + 0.0005
    one = alignment(np.array([[mass]]), np.array([[ground]]), np.array([[side]]))
    assert one.risk[0, 0] == pytest.approx(published, abs=rounding)
    assert one.risk[0, 0] == pytest.approx(mass * ground + mass * side, abs=1e-15)


@pytest.fixture
def two_by_three() -> Alignment:
    """Risks T (D + S): .2 * 1.5 = .3, .1 * .5 = .05, 0; 0, .2 * 1.0 = .2, .1 * 3.0 = .3 (after the first)."""
    return alignment(
        np.array([[0.2, 0.1, 0.2], [0.2, 0.2, 0.1]]),
        np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 1.0]]),
        np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]),
    )


def test_edges_come_by_falling_risk(two_by_three: Alignment) -> None:
    """The highest risk first; equal ones in reading order."""
    edges = two_by_three.edges()
    assert [(edge.row, edge.column) for edge in edges][:4] == [(0, 0), (1, 2), (1, 1), (0, 1)]
    assert [edge.risk for edge in edges][:4] == pytest.approx([0.3, 0.3, 0.2, 0.05])
    assert len(edges) == 6
    assert edges[1].mass == 0.1
    assert edges[1].ground == 1.0
    assert edges[1].side == pytest.approx(2.0)


def test_edges_can_be_limited(two_by_three: Alignment) -> None:
    """The limit keeps the edges of the highest risk."""
    assert two_by_three.edges(2) == two_by_three.edges()[:2]


def test_expected_cost(two_by_three: Alignment) -> None:
    """Sum of T D: .2 * .5 + .1 * .5 + .2 * 1 + .1 * 1 = .45."""
    assert two_by_three.expected_cost() == pytest.approx(0.45)
    assert two_by_three.shape == (2, 3)


def test_diffuse_mass_by_hand() -> None:
    """M_R and M_C of section IV-C for the plan [[.4, .1, 0], [0, .2, .3]] with masses 1/2 and 1/3.

    rho = (.4 / .5, .3 / .5) = (.8, .6), so M_R = .5 * .2 + .5 * .4 = .3. gamma = (.4, .2, .3) / (1/3) = (1.2, .6, .9)
    with 1.2 clipped to 1, so M_C = (0 + .4 + .1) / 3 = 1/6.
    """
    plan = np.array([[0.4, 0.1, 0.0], [0.0, 0.2, 0.3]])
    mass_r, rho = diffuse_mass(plan, np.full(2, 1 / 2))
    mass_c, gamma = diffuse_mass(plan.T, np.full(3, 1 / 3))
    assert mass_r == pytest.approx(0.3)
    assert rho == pytest.approx(np.array([0.8, 0.6]))
    assert mass_c == pytest.approx(1 / 6)
    assert gamma == pytest.approx(np.array([1.0, 0.6, 0.9]))


def test_a_permutation_is_not_diffuse() -> None:
    """A plan that matches each unit to one other has no diffuse mass."""
    assert diffuse_mass(np.eye(3)[[2, 0, 1]] / 3, np.full(3, 1 / 3))[0] == pytest.approx(0.0, abs=1e-15)


def test_alignments_are_equal_by_what_they_hold() -> None:
    """So that results compare after they were sent to another process; one other number makes another alignment."""
    plan, ground, side = np.array([[0.5, 0.0], [0.0, 0.5]]), np.full((2, 2), 0.4), np.zeros((2, 2))
    one = alignment(plan, ground, side)
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own
    assert evolve(one, row_null=np.ones(2)) != one
    assert evolve(one, side={**one.side, "severity": np.ones((2, 2))}) != one
    assert alignment(plan[::-1], ground, side) != one
