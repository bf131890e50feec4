"""Alignments: a transport plan between clinical units, with the costs that explain it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.domain.vocabulary.equality import MATRICES, MATRIX, number, numbers

__all__ = ["Alignment", "Edge", "diffuse_mass"]

Matrix = npt.NDArray[np.float64]

_ROUNDING: Final = 1e-12


@frozen
class Edge:
    """One entry of a plan: reference unit ``row``, candidate unit ``column``; None for what has no partner there.

    Attributes:
        mass: T_ij.
        ground: D_ij; of mass without a partner, the cost of having none.
        side: sum of the side costs.
        risk: mass-weighted risk T_ij (D_ij + side), the last column of RadOT-Eval Table XII.
    """

    row: int | None
    column: int | None
    mass: float
    ground: float
    side: float
    risk: float


@frozen(kw_only=True)
class Alignment:
    """A transport plan T between n reference units and m candidate units.

    Attributes:
        plan: T, n x m, nonnegative.
        ground: D, n x m, the weighted ground cost of equation 1.
        channels: the ground channels before weighting.
        side: the side-channel costs.
        row_mass, column_mass: the marginals a and b asked for.
        row_null, column_null: cost of a unit of mass that stays without a partner; None where all must have one.
        factors: what the aligner multiplied each channel by; a channel that is not named, by 1.
        converged: whether the solver met its tolerance.
        marginal_error: largest absolute deviation of the plan's marginals from those asked for; for partial and
            unbalanced plans, which may deviate on purpose, the solver's own criterion.
        iterations: of the solver.
    """

    plan: Matrix = field(repr=False, eq=MATRIX, hash=False)
    ground: Matrix = field(repr=False, eq=MATRIX, hash=False)
    channels: Mapping[str, Matrix] = field(repr=False, eq=MATRICES, hash=False)
    side: Mapping[str, Matrix] = field(repr=False, eq=MATRICES, hash=False)
    row_mass: Matrix = field(repr=False, eq=MATRIX, hash=False)
    column_mass: Matrix = field(repr=False, eq=MATRIX, hash=False)
    row_null: Matrix | None = field(default=None, repr=False, eq=MATRIX, hash=False)
    column_null: Matrix | None = field(default=None, repr=False, eq=MATRIX, hash=False)
    factors: Mapping[str, float] = field(factory=dict, repr=False, eq=numbers)
    converged: bool = True
    marginal_error: float = field(default=0.0, eq=number)
    iterations: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        """(n, m): reference units, candidate units."""
        n, m = self.plan.shape
        return n, m

    @property
    def side_total(self) -> Matrix:
        """Sum of the side costs, n x m."""
        return np.asarray(sum(self.side.values(), start=np.zeros_like(self.plan)), dtype=np.float64)

    @property
    def risk(self) -> Matrix:
        """Mass-weighted risk of each edge, T_ij (D_ij + sum of side costs): it reproduces Table XII."""
        return self.plan * (self.ground + self.side_total)

    @property
    def left_over(self) -> tuple[Matrix, Matrix]:
        """Mass of each reference unit, and of each candidate unit, that stays without a partner."""
        rows, columns = self.row_mass - self.plan.sum(axis=1), self.column_mass - self.plan.sum(axis=0)
        return _above_rounding(rows, self.row_mass), _above_rounding(columns, self.column_mass)

    @property
    def null_risk(self) -> tuple[Matrix, Matrix]:
        """Mass-weighted risk of each unit's mass without a partner; 0 where none may stay without."""
        rows, columns = self.left_over
        no_rows, no_columns = np.zeros_like(rows), np.zeros_like(columns)
        return (
            no_rows if self.row_null is None else rows * self.row_null,
            no_columns if self.column_null is None else columns * self.column_null,
        )

    def total_risk(self) -> float:
        """Sum of the risks of all edges, those without a partner included."""
        rows, columns = self.null_risk
        return float(self.risk.sum() + rows.sum() + columns.sum())

    def expected_cost(self) -> float:
        """Expected ground cost, sum of T_ij D_ij."""
        return float((self.plan * self.ground).sum())

    def edges(self, limit: int | None = None) -> list[Edge]:
        """Edges by falling mass-weighted risk, at most ``limit`` of them; those without a partner are among them."""
        risk, side = self.risk, self.side_total
        order = np.argsort(-risk, axis=None, kind="stable")[:limit]
        rows, columns = np.unravel_index(order, self.plan.shape)
        matched = [
            Edge(
                row=int(i),
                column=int(j),
                mass=float(self.plan[i, j]),
                ground=float(self.ground[i, j]),
                side=float(side[i, j]),
                risk=float(risk[i, j]),
            )
            for i, j in zip(rows, columns, strict=True)
        ]
        if self.row_null is None or self.column_null is None:
            return matched
        return sorted([*matched, *self._null_edges()], key=lambda edge: -edge.risk)[:limit]

    def _null_edges(self) -> Iterator[Edge]:
        for at, (masses, costs) in enumerate(zip(self.left_over, (self.row_null, self.column_null), strict=True)):
            for index, mass in enumerate(masses.tolist()):
                if mass > 0 and costs is not None:
                    cost = float(costs[index])
                    row, column = (index, None) if at == 0 else (None, index)
                    yield Edge(row=row, column=column, mass=mass, ground=cost, side=0.0, risk=mass * cost)


def _above_rounding(rest: Matrix, mass: Matrix) -> Matrix:
    return np.where(rest > _ROUNDING * np.maximum(mass, 1.0), rest, 0.0)


def diffuse_mass(plan: Matrix, row_mass: Matrix) -> tuple[float, Matrix]:
    """Diffuse-match mass M_R = sum a_i (1 - rho_i) and the concentrations rho_i (RadOT-Eval section IV-C).

    Pass the transposed plan with the candidate's marginal for M_C and gamma.

    >>> mass, rho = diffuse_mass(np.array([[0.5, 0.0], [0.25, 0.25]]), np.array([0.5, 0.5]))
    >>> mass, rho.tolist()
    (0.25, [1.0, 0.5])
    """
    rho = np.clip(plan.max(axis=1) / row_mass, 0.0, 1.0)
    return float((row_mass * (1.0 - rho)).sum()), rho
