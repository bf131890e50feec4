"""Balanced entropic plans, solved a whole batch at once by Newton's method on the dual in the log domain.

Sinkhorn's scaling reaches the same plan but needs up to 100,000 sweeps at small epsilon and tied costs. Newton's
method on the semi-dual

    F(f) = sum_j b_j f_j - sum_i a_i log sum_j exp(f_j - D_ij / epsilon)

(concave; its gradient is the column error of the plan whose rows are exact) needs a handful.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen

from overread.adapters.transport.solution import Solution

__all__ = ["BalancedSolver"]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

_SWEEPS: Final = 2
"""Scaling sweeps before the first Newton step: a start that is within its reach for most pairs."""

_RIDGE: Final = 1e-14
"""Added to the Hessian, which is singular to rounding where parts of a plan hardly touch."""

_ARMIJO: Final = 1e-4
"""Share of the predicted gain that a step must realise."""

_BACKTRACKS: Final = 30

_RESOLUTION: Final = 1e-10
"""Gains below this share of F may drown in its rounding; a step is then judged by the error alone."""

_CHUNK: Final = 1 << 18
"""Matrix entries solved at once; what keeps the working set in cache."""

_PADDING: Final = ((32, 4), (64, 8))
_COARSEST: Final = 32
"""Sides up to 32 are padded to a multiple of 4, up to 64 of 8, above that of 32: few shapes, little waste."""


@frozen
class BalancedSolver:
    """Solves for the balanced plans of RadOT-Eval equation 2."""

    epsilon: float
    tolerance: float
    max_iterations: int

    def solve(self, grounds: Sequence[Array], masses: Sequence[tuple[Array, Array]] | None = None) -> list[Solution]:
        """One plan for each cost matrix, in their order.

        A plan depends on its own costs only, not on the others in the batch: padding follows from its shape alone.

        Args:
            grounds: cost matrices.
            masses: of the rows and columns of each, positive and adding up to one; uniform where not given.
        """
        solutions: dict[int, Solution] = {}
        for indices, shape in _chunks(grounds):
            weights = None if masses is None else [masses[i] for i in indices]
            batch = _Batch.pad([grounds[i] for i in indices], shape, self.epsilon, weights)
            batch.solve(self.tolerance, self.max_iterations)
            errors = batch.marginal_errors()
            for k, index in enumerate(indices):
                solutions[index] = Solution(
                    plan=batch.plan(k, grounds[index].shape),
                    converged=bool(errors[k] <= self.tolerance),
                    marginal_error=float(errors[k]),
                    iterations=int(batch.steps[k]),
                )
        return [solutions[i] for i in range(len(grounds))]


def _chunks(costs: Sequence[Array]) -> Iterator[tuple[list[int], tuple[int, int]]]:
    buckets: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for index, cost in enumerate(costs):
        buckets[_padded_size(max(cost.shape)), _padded_size(min(cost.shape))].append(index)
    for shape, indices in buckets.items():
        size = max(1, _CHUNK // (shape[0] * shape[1]))
        for start in range(0, len(indices), size):
            yield indices[start : start + size], shape


def _padded_size(size: int) -> int:
    step = next((step for limit, step in _PADDING if size <= limit), _COARSEST)
    return -(-size // step) * step


@define(eq=False)
class _Batch:
    """Problems padded to one shape, more rows than columns, with the state of each.

    Attributes:
        kernel: -D / epsilon; 0 in padded rows, minus infinity in padded columns.
        rows, columns: mass of each over that of a uniform one, 1 where they are uniform; 0 where padded.
        count_rows, count_columns: n and m of each problem.
        reach: the longest step worth trying, the largest cost over epsilon.
        f: dual potentials of the columns over epsilon.
        share: n T_ij; each row sums to its mass over that of a uniform one.
        value: F(f).
        error: largest column error.
        steps: taken for each problem.
    """

    kernel: Array
    rows: Array
    columns: Array
    count_rows: Array = field(init=False)
    count_columns: Array = field(init=False)
    reach: Array = field(init=False)
    f: Array = field(init=False)
    share: Array = field(init=False)
    value: Array = field(init=False)
    error: Array = field(init=False)
    steps: npt.NDArray[np.int64] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.count_rows, self.count_columns = (
            (self.rows > 0).sum(axis=1, dtype=float),
            (self.columns > 0).sum(axis=1, dtype=float),
        )
        cost = -np.where(np.isfinite(self.kernel), self.kernel, 0.0)
        self.reach = np.maximum(1.0, cost.max(axis=(1, 2)))
        self.steps = np.zeros(len(self.kernel), dtype=np.int64)
        self.f = np.zeros_like(self.columns)
        self.share, self.value, self.error = self._evaluate(np.arange(len(self.f)), self.f)

    @classmethod
    def pad(
        cls,
        costs: Sequence[Array],
        shape: tuple[int, int],
        epsilon: float,
        masses: Sequence[tuple[Array, Array]] | None = None,
    ) -> _Batch:
        """Pad costs to ``shape``, transposing those with more columns than rows."""
        size = len(costs)
        kernel = np.zeros((size, *shape))
        rows, columns = np.zeros((size, shape[0])), np.zeros((size, shape[1]))
        for k, cost in enumerate(costs):
            upright = cost if cost.shape[0] >= cost.shape[1] else cost.T
            n, m = upright.shape
            kernel[k, :n, :m] = -upright / epsilon
            kernel[k, :, m:] = -np.inf
            rows[k, :n] = columns[k, :m] = 1.0
            if masses is not None:
                a, b = masses[k] if upright is cost else masses[k][::-1]
                rows[k, :n], columns[k, :m] = n * a, m * b
        return cls(kernel, rows, columns)

    def solve(self, tolerance: float, max_iterations: int) -> None:
        """Step each problem until it meets the tolerance, and once more; or cannot improve; or the cap is hit."""
        for _ in range(min(_SWEEPS, max_iterations)):
            self._sweep()
        active = np.arange(len(self.f))
        for _ in range(max_iterations - _SWEEPS):
            if not active.size:
                return
            met = self.error[active] <= tolerance
            moved = self._newton(active)
            active = active[moved & ~met]

    def marginal_errors(self) -> Array:
        """Largest absolute deviation of each plan's row and column sums from the masses asked for."""
        row_error = np.abs(self.share.sum(2) - self.rows).max(axis=1) / self.count_rows
        return np.maximum(row_error, self.error)

    def plan(self, index: int, shape: tuple[int, ...]) -> Array:
        """The plan of one problem in the shape it was given."""
        n, m = max(shape), min(shape)
        plan = self.share[index, :n, :m] / n
        return plan if plan.shape == shape else plan.T.copy()

    def _evaluate(self, at: Index, f: Array) -> tuple[Array, Array, Array]:
        """Shares, F and the column error of the problems ``at`` for potentials ``f``."""
        logits = self.kernel[at] + f[:, None, :]
        top = logits.max(axis=2, keepdims=True)
        share = np.exp(logits - top)
        total = share.sum(axis=2, keepdims=True)
        share *= self.rows[at][:, :, None] / total
        evidence = ((np.log(total) + top)[..., 0] * self.rows[at]).sum(1) / self.count_rows[at]
        value = (f * self.columns[at]).sum(1) / self.count_columns[at] - evidence
        return share, value, np.abs(self._gradient(at, share)).max(axis=1)

    def _gradient(self, at: Index, share: Array) -> Array:
        column_mass = self.columns[at] / self.count_columns[at][:, None]
        return np.asarray(column_mass - share.sum(1) / self.count_rows[at][:, None], dtype=np.float64)

    def _sweep(self) -> None:
        """One Sinkhorn sweep: scale the columns to their mass, then the rows."""
        everything = np.arange(len(self.f))
        mass = (
            self.share.sum(1)
            * (self.count_columns / self.count_rows)[:, None]
            / np.where(self.columns > 0, self.columns, 1.0)
        )
        self.f -= np.log(np.where(self.columns > 0, np.maximum(mass, 1e-300), 1.0))
        self.share, self.value, self.error = self._evaluate(everything, self.f)
        self.steps += 1

    def _newton(self, active: Index) -> npt.NDArray[np.bool_]:
        """One damped Newton step for each active problem; tells which could improve."""
        gradient = self._gradient(active, self.share[active])
        step = np.linalg.solve(self._hessian(active), gradient[:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, self.reach[active] / np.maximum(length, 1e-300))[:, None]
        gain = (step * gradient).sum(1)
        self.steps[active] += 1
        return self._line_search(active, step, gain)

    def _hessian(self, active: Index) -> Array:
        """-F'' without its null vector: the Laplacian of the graph that rows span between columns."""
        share, rows = self.share[active], self.rows[active]
        scaled = share / np.where(rows > 0, rows, 1.0)[:, :, None]
        weight = np.matmul(scaled.transpose(0, 2, 1), share) / self.count_rows[active][:, None, None]
        diagonal = np.arange(weight.shape[1])
        weight[:, diagonal, diagonal] = 0.0
        degree = weight.sum(axis=2)
        columns = self.columns[active]
        # Added along the null vector, where the gradient is zero, this changes no step.
        level = columns / self.count_columns[active][:, None]
        hessian = level[:, :, None] * level[:, None, :] - weight
        ridge = _RIDGE + self.error[active] / self.reach[active]
        hessian[:, diagonal, diagonal] += degree + np.where(columns > 0, ridge[:, None], 1.0)
        return np.asarray(hessian, dtype=np.float64)

    def _line_search(self, active: Index, step: Array, gain: Array) -> npt.NDArray[np.bool_]:
        """Take each step as far as it raises F enough, or halves the error where F no longer resolves a gain."""
        pending = np.arange(len(active))
        length = 1.0
        for _ in range(_BACKTRACKS):
            at = active[pending]
            f = self.f[at] + length * step[pending]
            share, value, error = self._evaluate(at, f)
            rises = value - self.value[at] >= _ARMIJO * length * gain[pending]
            unresolved = gain[pending] <= _RESOLUTION * (1.0 + np.abs(value))
            good = rises | (unresolved & (error <= 0.5 * self.error[at]))
            taken = at[good]
            self.f[taken], self.share[taken] = f[good], share[good]
            self.value[taken], self.error[taken] = value[good], error[good]
            pending = pending[~good]
            if not pending.size:
                break
            length *= 0.25
        moved = np.ones(len(active), dtype=np.bool_)
        moved[pending] = False
        return moved
