"""RadOT-Eval's study: readouts selected on ReXVal and tried, frozen, on other sets (section V-A)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen

from overread.application.ports import Aligner, CostModel
from overread.application.statistics import Resampling
from overread.application.statistics.measures import MEASURES
from overread.application.training.fit_readout import DEFAULT_EPSILONS, ReadoutFitter, Selection, SelectionRow
from overread.domain.differences.cost import PRIORS, CostWeights
from overread.domain.differences.features import FEATURE_NAMES
from overread.domain.results.readout import TARGETS
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.rivals.rival import Rival, RivalFit, select_rival

__all__ = [
    "GREEN_ROWS",
    "GRID",
    "NO_EXTERNAL",
    "NO_STRESS",
    "OUR_NAME",
    "TITLES",
    "Fit",
    "Plan",
    "RadotStudy",
    "Variant",
]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

OUR_NAME: Final = "RadOT-Eval"
"""Row of the system itself in the paper's tables."""

TITLES: Final = {"total": "Total", "significant": "Significant", "insignificant": "Insignificant"}
"""The targets in words, as rows of tables."""


@frozen
class Plan:
    """A way to align units.

    Attributes:
        name: of the weights; one of `overread.domain.differences.cost.PRIORS`, or another if ``weights`` is given.
        epsilon: entropy parameter.
        aligner: "balanced", "partial" or "unbalanced".
        weights: of the ground cost; those of the named prior if None.
    """

    name: str
    epsilon: float
    aligner: str = "balanced"
    weights: CostWeights | None = None

    @property
    def cost_weights(self) -> CostWeights:
        """Weights of the ground cost."""
        return PRIORS[self.name] if self.weights is None else self.weights


GREEN_ROWS: Final = ("GREEN native count", "GREEN risk")
"""Rows that need stored results of green."""

NO_EXTERNAL: Final = "No figures of ours: RadEvalX was not given."
NO_STRESS: Final = "No figures of ours: ReXErr-v1 was not given."

PARTIAL_MASS: Final = 0.90
MASS_PENALTY: Final = 1.0
"""tau and lambda_m of section IV-D. The paper publishes neither: these are overread's own."""

GRID: Final = tuple(Plan(prior, epsilon) for prior in PRIORS for epsilon in DEFAULT_EPSILONS)
"""All priors under all epsilons; ties go to the first."""

PAPER_PLAN: Final = Plan("polarity-heavy", 0.20)
"""What the paper selects."""


@frozen
class Variant:
    """A system to be selected on ReXVal: the plans that compete, names distinct by epsilon, and its features."""

    plans: tuple[Plan, ...] = GRID
    features: tuple[str, ...] = FEATURE_NAMES


@frozen(kw_only=True)
class Fit:
    """A variant selected and fitted on ReXVal.

    Attributes:
        variant: what competed.
        plan: the plan chosen.
        selection: each plan's held-out correlations and the readout of the first.
    """

    variant: Variant
    plan: Plan
    selection: Selection

    @property
    def selected_row(self) -> SelectionRow:
        """Held-out correlations of the chosen plan."""
        return self.selection.selected_row


@define(eq=False, kw_only=True, slots=False)
class RadotStudy:
    """The data and models behind RadOT-Eval's tables. Features and fits are computed once and kept.

    Attributes:
        source: ReXVal, on which everything is selected and fitted.
        external: RadEvalX, on which nothing is; None if it is not available.
        stress: ReXErr-v1, likewise.
        aligner: builds an aligner of a plan.
        cost: between units, for reports that lose some.
        fitter: selects plans and fits readouts.
        others: scores of other systems on RadEvalX, provided with it or given, by row of Table III and pair id; higher
            is worse.
        provided: rows of ``others`` that are distributed with RadEvalX.
        rivals: the paper's discrepancy baselines as they are rebuilt here, by row of Table III.
        draws: of the bootstrap.
        seed: of everything left to chance.
    """

    source: ReadSet
    external: ReadSet | None = None
    stress: ReadSet | None = None
    aligner: Callable[[Plan], Aligner]
    cost: CostModel
    fitter: ReadoutFitter
    others: Mapping[str, Mapping[str, float]] = field(factory=dict, repr=False)
    provided: tuple[str, ...] = ()
    rivals: Mapping[str, Rival] = field(factory=dict)
    draws: int = 10_000
    seed: int = 7
    _resamplings: dict[ReadSet, Resampling] = field(factory=dict, init=False, repr=False)
    _features: dict[tuple[ReadSet, Plan], Matrix] = field(factory=dict, init=False, repr=False)
    _fits: dict[Variant, Fit] = field(factory=dict, init=False, repr=False)
    _rivals: dict[str, RivalFit] = field(factory=dict, init=False, repr=False)

    @cached_property
    def main(self) -> Fit:
        """The selected system: all features, all plans of the grid in competition."""
        return self.fit(Variant())

    @cached_property
    def without_reference_count(self) -> Variant:
        """The selected system without the number of reference units among its features."""
        return Variant((self.main.plan,), tuple(name for name in FEATURE_NAMES if name != "reference_unit_count"))

    @cached_property
    def labels(self) -> Mapping[str, Vector]:
        """Ratings on ReXVal, summed over the raters, by target.

        The paper does not say whether it fits sums or means; its mean absolute error of 11.7 on totals that average
        5.05 in the fifth with the most (Table X, section VI-D) suggests sums. Only that table depends on it: ranks are
        the same.
        """
        raters = len(self.source.benchmark.raters)
        return {target: self.source.labels(target) * raters for target in TARGETS}

    def features(self, data: ReadSet, plan: Plan) -> Matrix:
        """All 66 features of a set's pairs under a plan, pairs x features."""
        key = (data, plan)
        if key not in self._features:
            self._features[key] = data.features(self.aligner(plan))
        return self._features[key]

    def fit(self, variant: Variant) -> Fit:
        """Select a variant's plan by five folds over ReXVal's studies, and fit its readout to all of ReXVal."""
        if variant not in self._fits:
            columns = _columns(variant)
            selection = self.fitter.select(
                {(plan.name, plan.epsilon): self.features(self.source, plan)[:, columns] for plan in variant.plans},
                self.labels,
                self.source.studies,
                kind="paper",
                feature_names=variant.features,
            )
            chosen = (selection.selected_row.prior, selection.selected_row.epsilon)
            plan = next(plan for plan in variant.plans if (plan.name, plan.epsilon) == chosen)
            self._fits[variant] = Fit(variant=variant, plan=plan, selection=selection)
        return self._fits[variant]

    def rival(self, row: str) -> RivalFit:
        """A rival selected by five folds over ReXVal's studies and fitted to all of ReXVal."""
        if row not in self._rivals:
            self._rivals[row] = select_rival(self.rivals[row].learners(), self.source, self.labels)
        return self._rivals[row]

    def risks(self, fit: Fit, data: ReadSet) -> Mapping[str, Vector]:
        """Risk of each pair of a set under a frozen fit, by target."""
        return self.read(fit, self.features(data, fit.plan))

    def other(self, row: str, data: ReadSet) -> Vector:
        """Scores of another system for each pair of a set; NaN where it gave none."""
        scores = self.others[row]
        return np.array([scores.get(pair_id, np.nan) for pair_id in data.ids], dtype=np.float64)

    @staticmethod
    def read(fit: Fit, rows: Matrix) -> Mapping[str, Vector]:
        """Risk by target of rows of all 66 features."""
        scores = [fit.selection.readout.read(row).scores for row in rows[:, _columns(fit.variant)]]
        return {target: np.array([row[target] for row in scores], dtype=np.float64) for target in TARGETS}

    def measured(self, name: str, scores: Vector, people: Vector) -> float | None:
        """A measure over the rows that have both; None where it is not defined."""
        both = np.isfinite(scores) & np.isfinite(people)
        if not both.any():
            return None
        value = MEASURES[name].value(scores[both], people[both])
        return float(value) if np.isfinite(value) else None

    def refit_difference(self, data: ReadSet) -> float:
        """Largest difference of a set's risks once plans, features and readout are made anew (section VI-B)."""
        plan = self.main.plan
        aligner = self.aligner(plan)
        again = self.fitter.select(
            {(plan.name, plan.epsilon): self.source.features(aligner)},
            self.labels,
            self.source.studies,
            kind="paper",
            feature_names=FEATURE_NAMES,
        )
        anew = self.read(Fit(variant=Variant((plan,)), plan=plan, selection=again), data.features(aligner))
        risks = self.risks(self.main, data)
        return max(float(np.abs(anew[target] - risks[target]).max()) for target in TARGETS)

    def resampling(self, data: ReadSet) -> Resampling:
        """Draws of a set's studies."""
        if data not in self._resamplings:
            self._resamplings[data] = Resampling.by_study(data.studies, draws=self.draws, seed=self.seed)
        return self._resamplings[data]

    def ranks(self, risks: Mapping[str, Vector], data: ReadSet) -> dict[str, float | None]:
        """Spearman's correlation of risks with what a set's raters said, by target; its mean over them as "macro"."""
        figures = {target: self.measured("spearman", risks[target], data.labels(target)) for target in TARGETS}
        known = [value for value in figures.values() if value is not None]
        return {**figures, "macro": float(np.mean(known)) if len(known) == len(TARGETS) else None}

    def transfer(self, variant: Variant, data: ReadSet) -> dict[str, float | None]:
        """`ranks` of a variant on a set that it was not selected on."""
        return self.ranks(self.risks(self.fit(variant), data), data)


def _columns(variant: Variant) -> list[int]:
    return [FEATURE_NAMES.index(name) for name in variant.features]
