"""The importance aligner: its plans against POT's network simplex, each other and limits; what it refuses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.adapters.transport.importance._solvers import EntropicSolver, ExactSolver, Problem
from overread.adapters.transport.importance.options import ImportanceOptions
from overread.adapters.transport.importance.plugin import overread_aligners
from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS, PairCosts
from overread.domain.differences.weighing import UNRELATED
from overread.domain.results.alignment import Alignment
from overread.exceptions import ConfigurationError
from overread.testing import FakeComponents

Matrix = npt.NDArray[np.float64]


def build(**options: Any) -> Any:
    [spec] = overread_aligners()
    return spec.factory(ImportanceOptions(**options), FakeComponents())


def numbers(values: st.SearchStrategy[float], *shape: int) -> st.SearchStrategy[Matrix]:
    count = int(np.prod(shape))
    return st.lists(values, min_size=count, max_size=count).map(lambda listed: np.array(listed).reshape(shape))


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """1 x 1 to 7 x 7 with ties, masses of 0 and unrelated units more often than not."""
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    cost = draw(st.sampled_from([st.sampled_from([0.0, 0.15, 0.5, UNRELATED]), st.floats(0, UNRELATED)]))
    mass = draw(st.sampled_from([st.sampled_from([0.0, 0.05, 0.5, 1.0]), st.floats(0.005, 1)]))
    null = st.sampled_from([0.18, 0.6, 1.0])
    return Problem(
        draw(numbers(cost, n, m)),
        draw(numbers(mass, n)),
        draw(numbers(mass, m)),
        draw(numbers(null, n)),
        draw(numbers(null, m)),
    )


def risk(problem: Problem, plan: Matrix) -> float:
    """What a plan costs, with what it leaves alone."""
    rows, columns = problem.row_mass - plan.sum(axis=1), problem.column_mass - plan.sum(axis=0)
    return float((plan * problem.cost).sum() + rows @ problem.row_null + columns @ problem.column_null)


def is_feasible(problem: Problem, plan: Matrix) -> bool:
    """Whether a plan carries no more than there is, and none onto what is unrelated."""
    return bool(
        (plan >= 0).all()
        and (plan.sum(axis=1) <= problem.row_mass + 1e-9).all()
        and (plan.sum(axis=0) <= problem.column_mass + 1e-9).all()
        and (plan[problem.cost >= UNRELATED] <= 1e-12).all()
    )


def entropic(given: Sequence[Problem], epsilon: float, *, newton: bool = True) -> list[Any]:
    return EntropicSolver(epsilon, 1e-11, 5000, newton=newton).solve(given)


@settings(deadline=None, max_examples=300)
@given(problems())
def test_shortest_paths_cost_what_the_network_simplex_does(problem: Problem) -> None:
    """Both plans are feasible, and neither is cheaper; plans themselves may differ where costs tie."""
    [ours], [pots] = ExactSolver().solve([problem]), ExactSolver(pot=True).solve([problem])
    assert is_feasible(problem, ours.plan)
    assert is_feasible(problem, pots.plan)
    assert risk(problem, ours.plan) == pytest.approx(risk(problem, pots.plan), abs=1e-9)
    assert (ours.converged, ours.marginal_error) == (True, 0.0)


@settings(deadline=None)
@given(problems())
def test_the_plan_of_either_direction_costs_the_same(problem: Problem) -> None:
    """Reference and candidate exchanged, and what is carried nowhere costs no more than all alone."""
    mirrored = Problem(problem.cost.T, problem.column_mass, problem.row_mass, problem.column_null, problem.row_null)
    [ours], [theirs] = ExactSolver().solve([problem]), ExactSolver().solve([mirrored])
    assert risk(problem, ours.plan) == pytest.approx(risk(mirrored, theirs.plan), abs=1e-9)
    assert risk(problem, ours.plan) <= risk(problem, np.zeros_like(problem.cost)) + 1e-9


@pytest.mark.parametrize(
    ("cost", "rows", "columns", "plan"),
    [
        # By hand; to stay alone costs 1 on each side.
        ([[0.5]], [1.0], [0.4], [[0.4]]),
        ([[2.0]], [1.0], [1.0], [[0.0]]),
        # The first row takes the dearer column (.1 + .2), so that the second has one at all (1.9 against 2 alone).
        ([[0.0, 0.1], [0.2, 1.9]], [1.0, 1.0], [1.0, 1.0], [[0.0, 1.0], [1.0, 0.0]]),
        # Two mentions of half the mass, one of which takes what the other leaves.
        ([[0.0], [0.0]], [0.5, 0.5], [1.0], [[0.5], [0.5]]),
    ],
)
@pytest.mark.parametrize("solver", [None, "pot"])
def test_a_plan_by_hand(
    cost: list[list[float]], rows: list[float], columns: list[float], plan: list[list[float]], solver: str | None
) -> None:
    """Whoever solves it."""
    ones = (np.ones(len(rows)), np.ones(len(columns)))
    problem = Problem(np.array(cost), np.array(rows), np.array(columns), *ones)
    [found] = ExactSolver(pot=solver == "pot").solve([problem])
    assert found.plan == pytest.approx(np.array(plan), abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.02, 0.1, 0.5])
@settings(deadline=None, max_examples=15)
@given(st.lists(problems(), min_size=1, max_size=4))
def test_newton_finds_pots_entropic_plan(epsilon: float, given: list[Problem]) -> None:
    """To 1e-7, a whole batch at once or one by one."""
    for ours, pots in zip(entropic(given, epsilon), entropic(given, epsilon, newton=False), strict=True):
        if pots.converged:
            assert ours.converged
            assert ours.plan == pytest.approx(pots.plan, abs=1e-7)


@settings(deadline=None, max_examples=50)
@given(problems())
def test_entropic_plans_tend_to_the_exact_one(problem: Problem) -> None:
    """Their risk exceeds its by no more than epsilon times the entropy that a plan of its size can have."""
    [exact] = ExactSolver().solve([problem])
    least = risk(problem, exact.plan)
    mass = problem.row_mass.sum() + problem.column_mass.sum()
    for epsilon in (0.5, 0.1, 0.02):
        [blurred] = entropic([problem], epsilon)
        excess = risk(problem, blurred.plan) - least
        assert -1e-7 <= excess <= epsilon * mass * np.log(problem.cost.size + sum(problem.cost.shape) + 1) + 1e-7


def test_units_without_mass_have_no_part_in_an_entropic_plan() -> None:
    """Nor does a pair that has no mass at all need a solver."""
    none = Problem(np.zeros((2, 1)), np.zeros(2), np.ones(1), np.ones(2), np.ones(1))
    half = Problem(np.zeros((2, 1)), np.array([0.0, 1.0]), np.ones(1), np.ones(2), np.ones(1))
    empty, full = entropic([none, half], 0.1)
    assert (empty.converged, empty.plan.tolist()) == (True, [[0.0], [0.0]])
    assert full.plan[0, 0] == 0.0
    assert full.plan[1, 0] > 0.5


@pytest.mark.parametrize("newton", [True, False])
def test_want_of_convergence_stands_in_the_solution(newton: bool) -> None:  # noqa: FBT001 - of the table
    """One step is not enough, and nobody is stopped."""
    costs = np.array([[0.0, 1.0], [0.5, 0.2]])
    problem = Problem(costs, np.array([1.0, 0.1]), np.array([0.3, 1.0]), np.ones(2), np.ones(2))
    [solution] = EntropicSolver(0.01, 1e-12, 1, newton=newton).solve([problem])
    assert not solution.converged
    assert solution.marginal_error > 1e-12


def costs(finding: float = 0.0, severity: float = 0.0, **masses: Any) -> PairCosts:
    """One unit against one."""
    channels = {name: np.zeros((1, 1)) for name in (*GROUND_CHANNELS, *SIDE_CHANNELS)}
    channels |= {"finding": np.array([[finding]]), "severity": np.array([[severity]])}
    return PairCosts(
        ground={name: channels[name] for name in GROUND_CHANNELS},
        side={name: channels[name] for name in SIDE_CHANNELS},
        **{name: np.array([value]) for name, value in masses.items()},
    )


def aligned(pair: PairCosts, **options: Any) -> Alignment:
    [alignment] = build(**options).align([pair])
    assert isinstance(alignment, Alignment)
    return alignment


def test_edges_and_what_stays_alone_add_up_to_the_risk() -> None:
    """.3 is carried at a cost of .15; .2 of the reference stays alone at .6."""
    alignment = aligned(costs(severity=0.15, row_mass=0.5, column_mass=0.3, row_null=0.6, column_null=1.0))
    assert alignment.plan.tolist() == [[0.3]]
    assert alignment.total_risk() == pytest.approx(0.3 * 0.15 + 0.2 * 0.6, abs=1e-12)
    assert sum(edge.risk for edge in alignment.edges()) == pytest.approx(alignment.total_risk(), abs=1e-9)


def test_weights_multiply_their_channel() -> None:
    """And a match that costs more than staying alone is none."""
    weights = (1.0,) * 8
    pair = costs(severity=0.5, row_mass=1.0, column_mass=1.0, row_null=0.6, column_null=0.6)
    assert aligned(pair, weights=(*weights, 2.0)).total_risk() == pytest.approx(1.0)
    assert aligned(pair, weights=(*weights, 3.0)).plan.tolist() == [[0.0]]
    assert aligned(pair, weights=(*weights, 0.0)).total_risk() == 0.0


def test_what_is_unrelated_stays_so_whatever_the_weights() -> None:
    """A weight of 0 does not make one finding of another."""
    pair = costs(finding=UNRELATED, row_mass=1.0, column_mass=1.0, row_null=1.0, column_null=1.0)
    assert aligned(pair, weights=(0.0,) * 9).plan.tolist() == [[0.0]]


def test_costs_without_masses_weigh_all_units_alike() -> None:
    """As other aligners do; each unit alone costs 1."""
    alignment = aligned(costs(finding=0.4))
    assert (alignment.row_mass.tolist(), alignment.column_mass.tolist()) == ([1.0], [1.0])
    assert alignment.total_risk() == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"epsilon": -0.1}, "epsilon must be 0, for the exact plan, or a positive number"),
        ({"epsilon": float("nan")}, "epsilon must be 0"),
        ({"weights": (1.0,) * 4}, "weights must be 9 numbers of 0 or more: finding, anatomy"),
        ({"weights": (-1.0,) * 9}, "weights must be 9 numbers"),
        ({"epsilon": 0.1, "tolerance": 0.0}, "tolerance must be a positive number"),
        ({"epsilon": 0.1, "max_iterations": 0}, "max_iterations must be at least 1"),
        # What an exact plan does not depend on.
        ({"solver": "newton"}, "give aligner.epsilon above 0, or leave the solver out"),
        ({"tolerance": 1e-6}, "tolerance: give aligner.epsilon above 0, or leave them out"),
        ({"max_iterations": 10}, "max_iterations: give aligner.epsilon above 0, or leave them out"),
    ],
)
def test_options_that_cannot_be_used_or_change_nothing_are_refused(options: dict[str, Any], problem: str) -> None:
    """With what to do about it."""
    with pytest.raises(ConfigurationError, match=f"^aligner importance: .*{problem}"):
        build(**options)


@pytest.mark.parametrize(
    ("options", "identity"),
    [
        ({}, "importance,eps=0"),
        ({"solver": "pot"}, "importance,eps=0"),
        ({"epsilon": 0.2, "solver": "newton"}, "importance,eps=0.2"),
        ({"weights": (1.0,) * 8 + (0.5,)}, "importance,eps=0,w=1/1/1/1/1/1/1/1/0.5"),
        ({"epsilon": 0.2, "tolerance": 1e-6, "max_iterations": 9}, "importance,eps=0.2,tol=1e-06,iterations=9"),
    ],
)
def test_identity_names_all_that_changes_an_answer(options: dict[str, Any], identity: str) -> None:
    """Solvers find the same plan, so the one that is chosen has no part in it."""
    assert build(**options).identity == identity


def test_default_scoring_imports_neither_pot_nor_torch() -> None:
    """Both take seconds to import; the exact plan needs neither."""
    code = (
        "import sys, overread;"
        "r = 'Small left effusion. Nodule of 8 mm in the right upper lobe. Mild pulmonary edema. No pneumothorax.';"
        "c = 'Large right effusion. Left upper lobe nodule of 4 mm. Severe pulmonary edema. Left effusion.';"
        "overread.score(reference=r, candidate=c);"
        "print(sorted({'ot', 'torch'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
