"""The aligner: weighs the costs of each pair into its ground matrix, and has the matrices solved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.adapters.transport.solution import Solution
from overread.application.traits import AlignerTraits
from overread.domain.differences.cost import GROUND_CHANNELS, CostWeights, PairCosts
from overread.domain.results.alignment import Alignment

__all__ = ["EntropicAligner", "Solver"]

Array = npt.NDArray[np.float64]


class Solver(Protocol):
    """Finds entropic plans between uniform marginals."""

    def solve(self, grounds: Sequence[Array]) -> list[Solution]:
        """One plan for each cost matrix, in their order; a plan that missed the tolerance says so."""
        ...


@frozen(kw_only=True)
class EntropicAligner:
    """Aligns units by the plans of a solver.

    Attributes:
        plans: kind, prior and epsilon of the plans.
        weights: of the ground cost.
        solver: knows ground matrices alone.
    """

    identity: str
    plans: str
    weights: CostWeights
    solver: Solver

    @property
    def traits(self) -> AlignerTraits:
        """Name of the plans."""
        return AlignerTraits(plans=self.plans)

    def align(self, costs: Sequence[PairCosts]) -> list[Alignment]:
        """One plan for each pair's costs."""
        grounds = [pair.weighted(self.weights) for pair in costs]
        solutions = self.solver.solve(grounds)
        return [
            Alignment(
                plan=solution.plan,
                ground=ground,
                channels=pair.ground,
                side=pair.side,
                row_mass=np.full(ground.shape[0], 1.0 / ground.shape[0]),
                column_mass=np.full(ground.shape[1], 1.0 / ground.shape[1]),
                factors=dict(zip(GROUND_CHANNELS, self.weights.as_tuple(), strict=True)),
                converged=solution.converged,
                marginal_error=solution.marginal_error,
                iterations=solution.iterations,
            )
            for pair, ground, solution in zip(costs, grounds, solutions, strict=True)
        ]
