"""Partial and unbalanced entropic plans (RadOT-Eval section IV-D), one pair at a time with POT."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import ot
from attrs import frozen

from overread.adapters.transport.solution import Solution

__all__ = ["PartialSolver", "UnbalancedSolver"]

Array = npt.NDArray[np.float64]

_LOG_DOMAIN_BELOW: Final = 0.01
"""Epsilon under which exp(-1 / epsilon) and the scalings that undo it come near the limits of a double."""

_CHANGE_SHARE: Final = 0.01
"""Last change of a partial plan over its tolerance: the masses of a plan lag a few times behind its changes."""


@frozen
class _OneByOne(ABC):
    """Base of the two relaxed solvers: everything except the iteration."""

    epsilon: float
    tolerance: float
    max_iterations: int

    def solve(self, grounds: Sequence[Array]) -> list[Solution]:
        """One plan for each cost matrix, in their order; a plan that missed the tolerance says so."""
        return [self._solution(ground) for ground in grounds]

    @abstractmethod
    def _solve(self, row_mass: Array, column_mass: Array, ground: Array) -> tuple[Array, float, int]:
        """Plan, error, iterations."""

    def _solution(self, ground: Array) -> Solution:
        n, m = ground.shape
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Want of convergence stands in the solution.
            warnings.simplefilter("ignore")
            plan, error, iterations = self._solve(np.full(n, 1.0 / n), np.full(m, 1.0 / m), ground)
        finite = bool(np.isfinite(plan).all())
        return Solution(
            plan=np.nan_to_num(plan, nan=0.0, posinf=0.0, neginf=0.0),
            converged=finite and error <= self.tolerance,
            marginal_error=error if finite else float("inf"),
            iterations=iterations,
        )


@frozen
class PartialSolver(_OneByOne):
    """Transports the fraction ``mass`` (tau) of the mass.

    POT's objective has entropy sum T log T; the paper's sum T (log T - 1) differs by tau, a constant. The error of a
    plan is its last change or what it exceeds its masses by, whichever is larger.
    """

    mass: float

    def _solve(self, row_mass: Array, column_mass: Array, ground: Array) -> tuple[Array, float, int]:
        run = partial(self._run, row_mass, column_mass, ground)
        plan, error, iterations = run(_CHANGE_SHARE * self.tolerance)
        if error > self.tolerance and iterations < self.max_iterations:
            # The iteration can rest for hundreds of steps, far from feasible, before it moves on: no stop but the cap.
            plan, error, iterations = run(0.0)
        return plan, error, iterations

    def _run(self, row_mass: Array, column_mass: Array, ground: Array, least_change: float) -> tuple[Array, float, int]:
        # Uniform masses may add up to a rounding error less than one.
        mass = min(self.mass, float(row_mass.sum()), float(column_mass.sum()))
        plan, log = ot.partial.entropic_partial_wasserstein(
            row_mass,
            column_mass,
            ground,
            self.epsilon,
            m=mass,
            method="sinkhorn_log" if self.epsilon < _LOG_DOMAIN_BELOW else "sinkhorn",
            numItermax=self.max_iterations,
            stopThr=least_change,
            log=True,
        )
        excess = max(
            float((plan.sum(1) - row_mass).max()),
            float((plan.sum(0) - column_mass).max()),
            abs(float(plan.sum()) - mass),
        )
        # POT looks at the change on every tenth iteration, beginning with the first.
        stopped = 10 * (len(log["err"]) - 1) + 1 if _last(log) <= least_change else self.max_iterations
        return plan, max(excess, _last(log)), stopped


@frozen
class UnbalancedSolver(_OneByOne):
    """Penalises deviating marginals by ``lambda_m`` times their generalised KL divergence.

    The error of a plan is the last relative change of its scalings.
    """

    lambda_m: float

    def _solve(self, row_mass: Array, column_mass: Array, ground: Array) -> tuple[Array, float, int]:
        plan, log = ot.unbalanced.sinkhorn_unbalanced(
            row_mass,
            column_mass,
            ground,
            self.epsilon,
            self.lambda_m,
            method="sinkhorn",
            # KL to a matrix of ones is the paper's entropy and a constant.
            reg_type="kl",
            c=np.ones_like(ground),
            numItermax=self.max_iterations,
            stopThr=self.tolerance,
            log=True,
        )
        return plan, _last(log), len(log["err"])


def _last(log: dict[str, Any]) -> float:
    return float(log["err"][-1]) if log["err"] else float("inf")
