"""The aligner: weighs the channels into one cost, and has the plans solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.adapters.transport.importance._solvers import Problem
from overread.adapters.transport.solution import Solution
from overread.application.traits import AlignerTraits
from overread.domain.differences.cost import PairCosts
from overread.domain.differences.weighing import UNRELATED
from overread.domain.results.alignment import Alignment

__all__ = ["ImportanceAligner", "Solver"]

Array = npt.NDArray[np.float64]


class Solver(Protocol):
    """Finds plans of partial transport."""

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """One plan for each problem, in their order."""
        ...


@frozen(kw_only=True)
class ImportanceAligner:
    """Aligns units by plans that leave alone what has no partner.

    Attributes:
        plans: kind and epsilon.
        factors: of the costs, by channel.
    """

    identity: str
    plans: str
    factors: Mapping[str, float]
    solver: Solver

    @property
    def traits(self) -> AlignerTraits:
        """Its plans are between the masses of the costs."""
        return AlignerTraits(plans=self.plans, takes_masses=True, factors=self.factors)

    def align(self, costs: Sequence[PairCosts]) -> list[Alignment]:
        """One plan for each pair's costs; where these name no masses, units weigh 1 / n and 1 / m and alone cost 1."""
        problems = [self._problem(pair) for pair in costs]
        solutions = self.solver.solve(problems)
        return [
            self._alignment(pair, problem, solution)
            for pair, problem, solution in zip(costs, problems, solutions, strict=True)
        ]

    def _weigh_channels(self, channels: Mapping[str, Array]) -> dict[str, Array]:
        factors = self.factors
        return {
            name: cost if (factor := factors.get(name, 1.0)) == 1.0 else factor * cost
            for name, cost in channels.items()
        }

    def _problem(self, pair: PairCosts) -> Problem:
        weighed = self._weigh_channels({**pair.ground, **pair.side})
        total = np.asarray(sum(weighed.values()), dtype=np.float64)
        unrelated = pair.ground["finding"] >= UNRELATED
        n, m = total.shape
        return Problem(
            np.where(unrelated, UNRELATED, total),
            _or_even(pair.row_mass, n),
            _or_even(pair.column_mass, m),
            np.ones(n) if pair.row_null is None else pair.row_null,
            np.ones(m) if pair.column_null is None else pair.column_null,
        )

    def _alignment(self, pair: PairCosts, problem: Problem, solution: Solution) -> Alignment:
        side = self._weigh_channels(pair.side)
        return Alignment(
            plan=solution.plan,
            ground=problem.cost - np.asarray(sum(side.values()), dtype=np.float64),
            channels=pair.ground,
            side=side,
            row_mass=problem.row_mass,
            column_mass=problem.column_mass,
            row_null=problem.row_null,
            column_null=problem.column_null,
            factors=self.factors,
            converged=solution.converged,
            marginal_error=solution.marginal_error,
            iterations=solution.iterations,
        )


def _or_even(mass: Array | None, count: int) -> Array:
    return np.full(count, 1.0 / max(count, 1)) if mass is None else mass
