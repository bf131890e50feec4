"""Plans of partial transport with a null unit: exact ones by network simplex, entropic ones by POT or by Newton."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.adapters.transport.sinkhorn.balanced import BalancedSolver
from overread.adapters.transport.solution import Solution
from overread.domain.differences.weighing import UNRELATED
from overread.extras import require

__all__ = ["EntropicSolver", "ExactSolver", "Problem"]

Array = npt.NDArray[np.float64]

_PREFERENCE: Final = 1e-9
"""What a match is favoured by over two units alone that cost the same, and an earlier match over a later one."""


_EMPTY: Final = 1e-13
"""Mass or saving below which there is none but rounding."""

_FEW: Final = 400
"""Edges that are looked at one by one, which takes less time than arrays of them do."""

_NONE: Final = -1
"""Place of no row and of no column."""


@frozen(eq=False)
class Problem:
    """Costs of one pair, n x m, with the masses of both sides and the cost of each unit of mass without a partner."""

    cost: Array
    row_mass: Array
    column_mass: Array
    row_null: Array
    column_null: Array

    @property
    def viable(self) -> npt.NDArray[np.bool_]:
        """Edges that may carry mass: those that cost no more than both units alone."""
        alone = self.row_null[:, None] + self.column_null[None, :]
        masses = (self.row_mass > 0)[:, None] & (self.column_mass > 0)[None, :]
        return np.asarray((self.cost < UNRELATED) & (self.cost <= alone) & masses, dtype=np.bool_)

    def extend(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> tuple[Array, Array, Array]:
        """Masses and costs of some rows and columns with a null unit at the end of each, which takes what is left."""
        a, b = self.row_mass[rows], self.column_mass[columns]
        cost = np.zeros((len(rows) + 1, len(columns) + 1))
        cost[:-1, :-1] = self.cost[np.ix_(rows, columns)]
        cost[:-1, -1], cost[-1, :-1] = self.row_null[rows], self.column_null[columns]
        return np.append(a, b.sum()), np.append(b, a.sum()), cost


@frozen
class ExactSolver:
    """Plans of least cost.

    Units that no viable edge touches stay alone without being asked about; where the others have one viable partner
    each, the plan is plain. Successive shortest paths solve what is left, or POT's network simplex, whose import takes
    seconds.

    Attributes:
        pot: whether POT solves what is not plain.
    """

    pot: bool = False

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """One plan for each problem."""
        return [Solution(self._plan(problem), converged=True, marginal_error=0.0, iterations=0) for problem in problems]

    def _plan(self, problem: Problem) -> Array:
        plan = np.zeros_like(problem.cost)
        viable = problem.viable
        in_row, in_column = viable.sum(axis=1), viable.sum(axis=0)
        rows, columns = np.flatnonzero(in_row), np.flatnonzero(in_column)
        if not rows.size:
            return plan
        if in_row.max() == 1 and in_column.max() == 1:
            at = np.nonzero(viable)
            plan[at] = np.minimum(problem.row_mass[at[0]], problem.column_mass[at[1]])
            return plan
        a, b, cost = problem.extend(rows, columns)
        order = np.add.outer(np.arange(len(rows)), np.arange(len(columns))) / plan.size
        allowed = viable[np.ix_(rows, columns)]
        cost[:-1, :-1] = np.where(allowed, cost[:-1, :-1] - _PREFERENCE * (2.0 - order), 2.0 * UNRELATED)
        plan[np.ix_(rows, columns)] = _by_simplex(a, b, cost, allowed) if self.pot else _by_paths(a, b, cost, allowed)
        return plan


def _by_simplex(a: Array, b: Array, cost: Array, allowed: npt.NDArray[np.bool_]) -> Array:
    require("aligner.solver=pot", "transport", "ot")
    import ot  # noqa: PLC0415 - it takes seconds, and the default does without

    plan: Array = ot.emd(a, b, cost)[:-1, :-1]
    return np.where(allowed, plan, 0.0)


def _by_paths(a: Array, b: Array, cost: Array, allowed: npt.NDArray[np.bool_]) -> Array:
    """The plan by augmenting along the path that saves most against staying alone, while one saves anything."""
    saving = cost[:-1, -1:] + cost[-1:, :-1] - cost[:-1, :-1]
    if np.count_nonzero(allowed) <= _FEW:
        best_path = partial(_best_path, [(int(i), int(j), float(saving[i, j])) for i, j in np.argwhere(allowed)])
    else:
        best_path = partial(_best_path_of_many, np.where(allowed, saving, -np.inf))
    supply, demand = a[:-1].tolist(), b[:-1].tolist()
    plan: Array = np.zeros_like(saving)
    while (path := best_path(supply, demand, plan)) is not None:
        rows_left, columns_left = supply[path[0][0]], demand[path[-1][1]]
        carried = min(rows_left, columns_left, *(plan[i, j] for i, j in path[1::2]), np.inf)
        for step, (i, j) in enumerate(path):
            plan[i, j] = plan[i, j] + carried if step % 2 == 0 else max(plan[i, j] - carried, 0.0)
        supply[path[0][0]] -= carried
        demand[path[-1][1]] -= carried
    return plan


def _best_path(
    edges: Sequence[tuple[int, int, float]], supply: Sequence[float], demand: Sequence[float], plan: Array
) -> list[tuple[int, int]] | None:
    """The alternating path of largest saving from a row with mass left to a column with room: edges taken and given up.

    Bellman and Ford's relaxation; savings along plans of least cost hold no circle that gains.
    """
    best_row = {i: 0.0 for i, left in enumerate(supply) if left > _EMPTY}
    best_column: dict[int, float] = {}
    came: dict[int, int] = {}
    back: dict[int, int] = {}
    moved = True
    while moved:
        moved = False
        for i, j, saving in edges:
            if i in best_row and best_row[i] + saving > best_column.get(j, -np.inf) + _EMPTY:
                best_column[j], came[j], moved = best_row[i] + saving, i, True
        for i, j, saving in edges:
            if j in best_column and plan[i, j] > _EMPTY and best_column[j] - saving > best_row.get(i, -np.inf) + _EMPTY:
                best_row[i], back[i], moved = best_column[j] - saving, j, True
    ends = [(saved, -j) for j, saved in best_column.items() if demand[j] > _EMPTY and saved > 0]
    if not ends:
        return None
    column = -max(ends)[1]
    path = []
    while True:
        row = came[column]
        path.append((row, column))
        if row not in back:
            return path[::-1]
        column = back[row]
        path.append((row, column))


def _best_path_of_many(
    saving: Array, supply: Sequence[float], demand: Sequence[float], plan: Array
) -> list[tuple[int, int]] | None:
    """The same of many edges, all of which are relaxed at once; what is no edge saves minus infinity."""
    best_row = np.where(np.array(supply) > _EMPTY, 0.0, -np.inf)
    best_column = np.full(len(demand), -np.inf)
    came, back = np.full(len(demand), _NONE), np.full(len(supply), _NONE)
    given_up = np.where(plan > _EMPTY, -saving, -np.inf).T
    moved = True
    while moved:
        forth = _relax(best_row[:, None] + saving, best_column, came)
        moved = _relax(best_column[:, None] + given_up, best_row, back) or forth
    ends = np.where((np.array(demand) > _EMPTY) & (best_column > 0), best_column, -np.inf)
    column = int(ends.argmax())
    if ends[column] == -np.inf:
        return None
    path = []
    while True:
        row = int(came[column])
        path.append((row, column))
        column = int(back[row])
        if column == _NONE:
            return path[::-1]
        path.append((row, column))


def _relax(saved: Array, best: Array, origin: npt.NDArray[np.int_]) -> bool:
    """Note where coming from one of the rows of ``saved`` is better than what is known; whether it is anywhere."""
    rows = saved.argmax(axis=0)
    most = saved[rows, np.arange(len(best))]
    better = most > best + _EMPTY
    best[better], origin[better] = most[better], rows[better]
    return bool(better.any())


@frozen
class EntropicSolver:
    """Plans blurred by entropy, of the units that have mass.

    What entropy would carry onto an unrelated unit stays alone on both sides, which costs no more: it is no match.

    Attributes:
        epsilon: weight of the entropy; above 0.
        newton: whether Newton's method solves all pairs at once, or POT's Sinkhorn iteration one by one.
    """

    epsilon: float
    tolerance: float
    max_iterations: int
    newton: bool

    def solve(self, problems: Sequence[Problem]) -> list[Solution]:
        """One plan for each problem; one that missed the tolerance says so."""
        supports = [(np.flatnonzero(p.row_mass > 0), np.flatnonzero(p.column_mass > 0)) for p in problems]
        full = [i for i, (rows, columns) in enumerate(supports) if rows.size and columns.size]
        extended = [problems[i].extend(*supports[i]) for i in full]
        solved = dict(zip(full, (self._by_newton if self.newton else self._by_pot)(extended), strict=True))
        return [self._solution(problem, supports[i], solved.get(i)) for i, problem in enumerate(problems)]

    def _solution(
        self, problem: Problem, kept: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], found: Solution | None
    ) -> Solution:
        plan = np.zeros_like(problem.cost)
        if found is None:
            return Solution(plan, converged=True, marginal_error=0.0, iterations=0)
        plan[np.ix_(*kept)] = found.plan[:-1, :-1]
        plan[problem.cost >= UNRELATED] = 0.0
        return Solution(plan, found.converged, found.marginal_error, found.iterations)

    def _by_newton(self, extended: Sequence[tuple[Array, Array, Array]]) -> list[Solution]:
        solver = BalancedSolver(self.epsilon, self.tolerance, self.max_iterations)
        masses = [(a / a.sum(), b / b.sum()) for a, b, _ in extended]
        plans = solver.solve([cost for _, _, cost in extended], masses)
        return [
            Solution(solution.plan * a.sum(), solution.converged, solution.marginal_error, solution.iterations)
            for solution, (a, _, _) in zip(plans, extended, strict=True)
        ]

    def _by_pot(self, extended: Sequence[tuple[Array, Array, Array]]) -> list[Solution]:
        return [self._sinkhorn(*problem) for problem in extended]

    def _sinkhorn(self, a: Array, b: Array, cost: Array) -> Solution:
        require("aligner.solver=pot", "transport", "ot")
        import ot  # noqa: PLC0415 - as above

        total = a.sum()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Want of convergence stands in the solution.
            warnings.simplefilter("ignore")
            plan, log = ot.sinkhorn(
                a / total,
                b / total,
                cost,
                self.epsilon,
                method="sinkhorn_log",
                numItermax=self.max_iterations,
                stopThr=self.tolerance / 10,
                log=True,
            )
        error = float(max(np.abs(plan.sum(1) - a / total).max(), np.abs(plan.sum(0) - b / total).max()))
        return Solution(plan * total, error <= self.tolerance, error, int(log["niter"]))
