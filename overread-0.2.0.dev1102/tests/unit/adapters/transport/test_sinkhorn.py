"""The aligners, against POT one by one, closed forms and optimality conditions."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import ot
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from overread.adapters.transport.sinkhorn.balanced import BalancedSolver
from overread.adapters.transport.sinkhorn.plugin import overread_aligners
from overread.adapters.transport.solution import Solution
from overread.domain.differences.cost import GROUND_CHANNELS, PRIORS, SIDE_CHANNELS, PairCosts
from overread.domain.results.alignment import Alignment
from overread.exceptions import ConfigurationError

Matrix = npt.NDArray[np.float64]

SPECS = {spec.name: spec for spec in overread_aligners()}


def build(aligner: str, **options: Any) -> Any:
    spec = SPECS[aligner]
    return spec.factory(spec.options(**options), None)  # type: ignore[arg-type]


def solve(costs: Sequence[Matrix], epsilon: float, *, max_iterations: int = 500) -> list[Solution]:
    return BalancedSolver(epsilon, 1e-9, max_iterations).solve(costs)


def pair(ground: Matrix) -> PairCosts:
    """Costs whose four channels are all ``ground``, so that every prior weighs them to it."""
    return PairCosts(
        ground=dict.fromkeys(GROUND_CHANNELS, ground),
        side=dict.fromkeys(SIDE_CHANNELS, np.zeros_like(ground)),
    )


def marginal_error(plan: Matrix) -> float:
    n, m = plan.shape
    return float(max(np.abs(plan.sum(1) - 1 / n).max(), np.abs(plan.sum(0) - 1 / m).max()))


def block_costs(rng: np.random.Generator, n: int, m: int) -> Matrix:
    """0 within one of four groups and 1 between them: the tied costs on which scaling is slowest."""
    return np.asarray(rng.integers(0, 4, n)[:, None] != rng.integers(0, 4, m)[None, :], dtype=np.float64)


@st.composite
def cost_matrices(draw: st.DrawFn) -> Matrix:
    """1 x 1 to 8 x 8, with ties more often than not."""
    n, m = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    entry = draw(st.sampled_from([st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1), st.just(0.4)]))
    return np.array(draw(st.lists(st.lists(entry, min_size=m, max_size=m), min_size=n, max_size=n)))


def pot_plan(cost: Matrix, epsilon: float) -> tuple[Matrix, bool]:
    """POT's plan and whether POT says that it converged."""
    n, m = cost.shape
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = ot.sinkhorn(np.full(n, 1 / n), np.full(m, 1 / m), cost, epsilon, stopThr=1e-13, numItermax=50_000)
    return plan, not caught


class TestBalanced:
    """Equation 2."""

    @settings(deadline=None)
    @given(st.lists(cost_matrices(), min_size=1, max_size=5), st.sampled_from([0.1, 0.2, 0.5]))
    def test_equals_pot_one_by_one(self, costs: list[Matrix], epsilon: float) -> None:
        """A batch of any shapes gives POT's plan for each, to 1e-8."""
        expected = [pot_plan(cost, epsilon) for cost in costs]
        assume(all(converged for _plan, converged in expected))
        for solution, (plan, _converged) in zip(solve(costs, epsilon), expected, strict=True):
            assert solution.converged
            assert solution.plan == pytest.approx(plan, abs=1e-8)

    @settings(deadline=None)
    @given(st.lists(cost_matrices(), min_size=2, max_size=6), st.sampled_from([0.05, 0.2, 1.0]))
    def test_does_not_depend_on_the_rest_of_the_batch(self, costs: list[Matrix], epsilon: float) -> None:
        """Alone, together and in reverse order, a pair has the same plan to 1e-12."""
        together = solve(costs, epsilon)
        backwards = solve(costs[::-1], epsilon)[::-1]
        for cost, first, second in zip(costs, together, backwards, strict=True):
            alone = solve([cost], epsilon)[0]
            assert first.plan == pytest.approx(alone.plan, abs=1e-12)
            assert second.plan == pytest.approx(alone.plan, abs=1e-12)

    @settings(deadline=None)
    @given(cost_matrices(), st.sampled_from([0.05, 0.2, 1.0]))
    def test_treats_both_reports_alike(self, cost: Matrix, epsilon: float) -> None:
        """Exchanging reference and candidate transposes the plan."""
        plan, mirrored = (solution.plan for solution in solve([cost, cost.T.copy()], epsilon))
        assert pytest.approx(plan, abs=1e-9) == mirrored.T

    @pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.2, 0.5])
    def test_marginals_up_to_60_units(self, epsilon: float) -> None:
        """Marginals hold to 1e-6 for random, tied and block costs of up to 60 x 60 units."""
        rng = np.random.default_rng(7)
        costs = [rng.random((60, 60)), rng.integers(0, 3, (60, 60)) / 2, rng.random((60, 7)), rng.random((1, 60))]
        costs += [block_costs(rng, *shape) for shape in ((60, 60), (60, 59), (37, 60), (12, 12))]
        for solution in solve(costs, epsilon):
            assert solution.converged
            assert marginal_error(solution.plan) <= 1e-6
            assert solution.marginal_error == pytest.approx(marginal_error(solution.plan), abs=1e-15)

    @pytest.mark.parametrize("epsilon", [0.05, 0.2])
    def test_plan_has_the_form_of_an_optimum(self, epsilon: float) -> None:
        """T is optimal just if its marginals hold and log T + D / epsilon is a row term plus a column term."""
        rng = np.random.default_rng(11)
        for cost in (rng.random((60, 60)), rng.integers(0, 3, (40, 55)) / 2, block_costs(rng, 30, 20)):
            potential = np.log(solve([cost], epsilon)[0].plan) + cost / epsilon
            separable = potential[:, :1] + potential[:1, :] - potential[0, 0]
            assert potential == pytest.approx(separable, abs=1e-6)

    def test_costs_without_interaction_give_the_product_plan(self) -> None:
        """D_ij = f_i + g_j on 2 x 3 units leaves nothing to gain: T = a b^T = 1/6 everywhere."""
        cost = np.array([[0.1], [0.4]]) + np.array([[0.0, 0.2, 0.5]])
        assert solve([cost], 0.2)[0].plan == pytest.approx(np.full((2, 3), 1 / 6), abs=1e-12)

    def test_two_by_three_plan_by_hand(self) -> None:
        """D = [[0, 1, .5], [1, 0, .5]] at epsilon .2.

        Exchanging the rows and the first two columns changes nothing, so T = [[x, y, z], [y, x, z]]. The third column
        gives 2 z = 1/3 and the first x + y = 1/3. The scaling form gives (x / y)^2 = exp((1 + 1 - 0 - 0) / .2), so
        x / y = e^5 = 148.413159 and x = (1/3) / (1 + e^-5) = 0.331102383, y = 0.002230950, z = 0.166666667.
        """
        x, y, z = 0.331102383, 0.002230950, 0.166666667
        cost = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]])
        assert solve([cost], 0.2)[0].plan == pytest.approx(np.array([[x, y, z], [y, x, z]]), abs=1e-9)

    @pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1)])
    def test_a_report_of_one_unit_leaves_no_choice(self, shape: tuple[int, int]) -> None:
        """With one unit on a side the marginals alone fix the plan."""
        cost = np.random.default_rng(3).random(shape)
        assert solve([cost], 0.2)[0].plan == pytest.approx(np.full(shape, 1 / max(shape)), abs=1e-12)

    @pytest.mark.parametrize("epsilon", [0.01, 0.001])
    def test_small_epsilon_is_finite(self, epsilon: float) -> None:
        """Sharp plans stay finite and nonnegative, and say truly whether their marginals hold."""
        rng = np.random.default_rng(5)
        costs = [rng.random((60, 60)), rng.integers(0, 3, (12, 12)) / 2, block_costs(rng, 30, 17)]
        for solution in solve(costs, epsilon):
            assert np.isfinite(solution.plan).all()
            assert (solution.plan >= 0).all()
            assert solution.converged == (marginal_error(solution.plan) <= 1e-9)

    def test_two_groups_of_unequal_mass_converge(self) -> None:
        """At epsilon .01 nothing but e^-100 joins two groups of tied costs, yet mass must cross between them."""
        rng = np.random.default_rng(12)
        costs = [
            np.asarray(rng.integers(0, 2, n)[:, None] != rng.integers(0, 2, m)[None, :], dtype=np.float64)
            for n, m in rng.integers(2, 30, (100, 2))
        ]
        for solution in solve(costs, 0.01):
            assert solution.converged
            assert marginal_error(solution.plan) <= 1e-9

    @pytest.mark.parametrize("cap", [1, 2, 4])
    def test_non_convergence_stands_with_its_pair(self, cap: int) -> None:
        """When the cap is hit, the pair that needed more steps says so and its neighbour does not."""
        hard = block_costs(np.random.default_rng(0), 30, 17)
        easy = np.full((3, 2), 0.4)
        first, second = solve([hard, easy], 0.01, max_iterations=cap)
        assert not first.converged
        assert first.marginal_error == pytest.approx(marginal_error(first.plan), abs=1e-15)
        assert first.marginal_error > 1e-9
        assert first.iterations == cap
        assert np.isfinite(first.plan).all()
        assert second.converged

    def test_an_empty_batch_has_no_plans(self) -> None:
        """No costs in, no alignments out."""
        assert build("balanced").align([]) == []

    def test_a_batch_larger_than_one_chunk_keeps_its_order(self) -> None:
        """Plans come back in the order of their costs, also when a batch is solved in parts."""
        rng = np.random.default_rng(1)
        costs = [rng.random((int(n), int(m))) for n, m in rng.integers(50, 61, (150, 2))]
        for cost, solution in zip(costs, solve(costs, 0.5), strict=True):
            assert solution.plan.shape == cost.shape
            assert solution.plan == pytest.approx(solve([cost], 0.5)[0].plan, abs=1e-12)


class TestPartial:
    """Section IV-D with a transported mass tau."""

    @pytest.mark.parametrize("mass", [0.5, 0.9, 1.0])
    def test_constraints(self, mass: float) -> None:
        """Rows and columns carry at most their mass and all together tau."""
        cost = np.random.default_rng(2).random((6, 5))
        alignment = build("partial", mass=mass).align([pair(cost)])[0]
        assert alignment.converged
        assert alignment.plan.sum() == pytest.approx(mass, abs=1e-9)
        assert (alignment.plan.sum(1) <= 1 / 6 + 1e-8).all()
        assert (alignment.plan.sum(0) <= 1 / 5 + 1e-8).all()

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("epsilon", [0.01, 0.05])
    def test_a_resting_iteration_is_not_taken_for_a_plan(self, epsilon: float, seed: int) -> None:
        """On tied costs POT's iteration rests before it goes on; what is called converged meets its constraints."""
        cost = block_costs(np.random.default_rng(seed), 8, 9)
        alignment = build("partial", epsilon=epsilon).align([pair(cost)])[0]
        assert alignment.converged
        assert (alignment.plan.sum(1) <= 1 / 8 + 1e-8).all()
        assert (alignment.plan.sum(0) <= 1 / 9 + 1e-8).all()
        assert alignment.plan.sum() == pytest.approx(0.9, abs=1e-8)

    def test_minimises_the_papers_objective(self) -> None:
        """An independent constrained minimiser of sum T D + epsilon sum T (log T - 1) finds the same plan."""
        cost = np.array([[0.0, 0.6, 0.9], [0.7, 0.2, 1.0]])

        def objective(entries: Matrix) -> float:
            return float((entries * cost.ravel()).sum() + 0.2 * (entries * (np.log(entries) - 1)).sum())

        found = minimize(
            objective,
            np.full(6, 0.8 / 6),
            method="SLSQP",
            bounds=[(1e-9, None)] * 6,
            constraints=[
                {"type": "eq", "fun": lambda t: t.sum() - 0.8},
                {"type": "ineq", "fun": lambda t: 1 / 2 - t.reshape(2, 3).sum(1)},
                {"type": "ineq", "fun": lambda t: 1 / 3 - t.reshape(2, 3).sum(0)},
            ],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        plan = build("partial", mass=0.8).align([pair(cost)])[0].plan
        assert plan == pytest.approx(found.x.reshape(2, 3), abs=1e-5)

    def test_all_the_mass_is_balanced_transport(self) -> None:
        """At tau = 1 the plan is the balanced one."""
        cost = np.random.default_rng(4).random((5, 5))
        partial, balanced = (
            build(name, **options).align([pair(cost)])[0].plan
            for name, options in (("partial", {"mass": 1.0}), ("balanced", {}))
        )
        assert partial == pytest.approx(balanced, abs=1e-7)


class TestUnbalanced:
    """Section IV-D with KL-penalised marginals."""

    @pytest.mark.parametrize(("epsilon", "lambda_m"), [(0.2, 1.0), (0.05, 1.0), (0.2, 0.3)])
    def test_minimises_the_papers_objective(self, epsilon: float, lambda_m: float) -> None:
        """The gradient of the objective vanishes: D + epsilon log T + lambda log(r / a) + lambda log(c / b) = 0."""
        cost = np.random.default_rng(6).random((7, 4))
        alignment = build("unbalanced", epsilon=epsilon, lambda_m=lambda_m).align([pair(cost)])[0]
        plan = alignment.plan
        rows, columns = np.log(plan.sum(1) * 7), np.log(plan.sum(0) * 4)
        gradient = cost + epsilon * np.log(plan) + lambda_m * (rows[:, None] + columns[None, :])
        assert alignment.converged
        assert gradient == pytest.approx(np.zeros_like(cost), abs=1e-7)

    def test_one_edge_by_hand(self) -> None:
        """For 1 x 1 units D + (epsilon + 2 lambda) log T = 0, so D = .44, epsilon .2, lambda 1: T = e^-.2 = .818731."""
        plan = build("unbalanced").align([pair(np.array([[0.44]]))])[0].plan
        assert plan == pytest.approx(np.array([[0.818730753]]), abs=1e-8)


@pytest.mark.parametrize("name", ["partial", "unbalanced"])
def test_relaxed_non_convergence_stands_with_its_pair(name: str) -> None:
    """A cap too low for one pair is reported for it, in silence and without an exception."""
    hard = block_costs(np.random.default_rng(0), 30, 17)
    easy = np.full((1, 1), 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = build(name, epsilon=0.01, max_iterations=15).align([pair(hard), pair(easy)])
    assert not first.converged
    assert first.iterations == 15
    assert first.marginal_error > 1e-9
    assert np.isfinite(first.plan).all()
    assert second.converged


@pytest.mark.parametrize("name", sorted(SPECS))
class TestEveryAligner:
    """What the port asks of each."""

    def test_alignment_carries_its_costs(self, name: str) -> None:
        """Ground cost weighted by the prior, channels before weighting, side costs and uniform masses."""
        rng = np.random.default_rng(8)
        costs = PairCosts(
            ground={channel: rng.random((3, 2)) for channel in GROUND_CHANNELS},
            side={channel: rng.random((3, 2)) for channel in SIDE_CHANNELS},
        )
        alignment: Alignment = build(name, prior="text-heavy").align([costs])[0]
        assert alignment.ground == pytest.approx(costs.weighted(PRIORS["text-heavy"]))
        assert alignment.channels is costs.ground
        assert alignment.side is costs.side
        assert alignment.row_mass == pytest.approx(np.full(3, 1 / 3))
        assert alignment.column_mass == pytest.approx(np.full(2, 1 / 2))
        assert alignment.converged

    def test_prior_changes_the_plan_and_its_name(self, name: str) -> None:
        """A prior that weighs other channels gives another plan, and the identity tells them apart."""
        rng = np.random.default_rng(9)
        costs = PairCosts(
            ground={channel: rng.random((4, 4)) for channel in GROUND_CHANNELS},
            side={channel: np.zeros((4, 4)) for channel in SIDE_CHANNELS},
        )
        one, other = build(name), build(name, prior="text-heavy")
        assert one.identity != other.identity
        assert np.abs(one.align([costs])[0].plan - other.align([costs])[0].plan).max() > 1e-3

    @pytest.mark.parametrize(
        ("options", "problem"),
        [
            ({"epsilon": 0.0}, "epsilon must be a positive number"),
            ({"epsilon": -0.2}, "epsilon must be a positive number"),
            ({"epsilon": float("nan")}, "epsilon must be a positive number"),
            ({"epsilon": float("inf")}, "epsilon must be a positive number"),
            ({"tolerance": 0.0}, "tolerance must be a positive number"),
            ({"max_iterations": 0}, "max_iterations must be at least 1"),
            ({"prior": "lung-heavy"}, "unknown prior 'lung-heavy'; choose from anatomy-heavy"),
            ({"weights": (0.5, 0.5)}, "weights must be four numbers, got 2"),
            ({"weights": (0.5, 0.5, 0.5, 0.5)}, "nonnegative and sum to one"),
        ],
    )
    def test_unusable_options_are_named(self, name: str, options: dict[str, Any], problem: str) -> None:
        """The message says which aligner and what is wrong."""
        with pytest.raises(ConfigurationError, match=f"aligner {name}: .*{problem}"):
            build(name, **options)


def test_all_problems_are_named_together() -> None:
    """One message lists every unusable option."""
    with pytest.raises(ConfigurationError) as caught:
        build("partial", epsilon=0.0, mass=1.5, prior="?")
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    ("name", "options", "identity"),
    [
        ("balanced", {}, "balanced,prior=polarity-heavy,eps=0.2,w=.25/.2/.4/.15"),
        ("balanced", {"prior": "no-text"}, "balanced,prior=no-text,eps=0.2,w=.35/.3/.35/0"),
        ("balanced", {"weights": (1.0, 0.0, 0.0, 0.0)}, "balanced,prior=custom,eps=0.2,w=1/0/0/0"),
        (
            "balanced",
            {"tolerance": 1e-6, "max_iterations": 9},
            "balanced,prior=polarity-heavy,eps=0.2,w=.25/.2/.4/.15,tol=1e-06,iterations=9",
        ),
        ("partial", {"mass": 0.8}, "partial,prior=polarity-heavy,eps=0.2,w=.25/.2/.4/.15,tau=0.8"),
        ("unbalanced", {"lambda_m": 2.0}, "unbalanced,prior=polarity-heavy,eps=0.2,w=.25/.2/.4/.15,lambda=2"),
    ],
)
def test_identity_names_all_that_changes_an_answer(name: str, options: dict[str, Any], identity: str) -> None:
    """It stands in the signature of every score."""
    assert build(name, **options).identity == identity


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("partial", {"mass": 0.0}, "mass must lie above 0"),
        ("partial", {"mass": 1.1}, "mass must lie above 0"),
        ("unbalanced", {"lambda_m": 0.0}, "lambda_m must be a positive number"),
    ],
)
def test_unusable_mass_options_are_named(name: str, options: dict[str, Any], problem: str) -> None:
    """The mass lies in (0, 1] and lambda_m above 0."""
    with pytest.raises(ConfigurationError, match=problem):
        build(name, **options)


def test_listing_aligners_imports_no_solver() -> None:
    """The plugin module is light: POT, SciPy and the solvers come with the factory."""
    code = (
        "import sys, overread.adapters.transport.sinkhorn.plugin as plugin; list(plugin.overread_aligners());"
        "print(sorted({'ot', 'scipy', 'overread.adapters.transport.sinkhorn.balanced'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
