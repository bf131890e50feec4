"""Use case: fit a readout to labelled pairs (RadOT-Eval section V-A)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.ports import Aligner, UnitExtractor
from overread.domain.alignment import AlignedPair, Alignment
from overread.domain.cost import PRIORS, PairCosts, pair_costs
from overread.domain.features import FEATURE_NAMES, debiased_features, features
from overread.domain.readout import TARGETS, MonotoneReadout
from overread.domain.report import Report, ReportPair
from overread.domain.result import Unscored
from overread.domain.unit import NULL_UNIT, ClinicalUnit
from overread.exceptions import ConfigurationError

__all__ = [
    "DEFAULT_EPSILONS",
    "FitReadout",
    "FitReport",
    "LabelledPair",
    "ReadoutFitter",
    "Selection",
    "SelectionRow",
    "Setting",
]

Matrix = npt.NDArray[np.float64]

Setting = tuple[str, float]
"""Name of a prior, and epsilon."""

DEFAULT_EPSILONS: Final = (0.05, 0.10, 0.20, 0.50)
"""Epsilon grid. The paper shows .05, .10 and .20 (Table VI) and not its whole grid: this one is overread's own."""


@frozen(kw_only=True)
class LabelledPair:
    """A pair with the errors people counted in it.

    Attributes:
        pair: the reports.
        study: pairs of one study stay in one fold.
        total, significant, insignificant: error counts.
    """

    pair: ReportPair
    study: str
    total: float
    significant: float
    insignificant: float


@frozen(kw_only=True)
class SelectionRow:
    """One setting's held-out rank correlations, a row of RadOT-Eval Table X."""

    prior: str
    epsilon: float
    macro: float
    scores: Mapping[str, float]


@frozen(kw_only=True)
class Selection:
    """Every setting by falling macro correlation, and the readout of the first, fitted on all pairs."""

    table: tuple[SelectionRow, ...]
    readout: MonotoneReadout = field(repr=False)

    @property
    def selected(self) -> SelectionRow:
        """The setting of the readout."""
        return self.table[0]


class ReadoutFitter(Protocol):
    """Chooses among settings by cross-validation and fits a monotone readout."""

    def select(
        self,
        features: Mapping[Setting, Matrix],
        targets: Mapping[str, Matrix],
        groups: Sequence[str],
        *,
        kind: str,
        feature_names: Sequence[str],
    ) -> Selection:
        """Select a setting and fit its readout.

        Args:
            features: pairs x features under each setting.
            targets: one number a pair, by target.
            groups: study of each pair.
            kind: "debiased" or "paper".
            feature_names: order of the feature columns.
        """
        ...


@frozen(kw_only=True)
class FitReport:
    """What was fitted, how it was chosen and on what.

    Attributes:
        kind: "debiased" or "paper".
        selection: the table of settings and the readout.
        pairs: number of pairs fitted on.
        studies: number of studies among them.
        skipped: id and reason of each pair left out.
    """

    kind: str
    selection: Selection
    pairs: int
    studies: int
    skipped: tuple[tuple[str, str], ...]


@frozen(kw_only=True)
class FitReadout:
    """Fits a readout to labelled pairs.

    Attributes:
        extractor: reads the reports into units.
        aligner_factory: builds the aligner of a prior and epsilon.
        fitter: selects and fits.
    """

    extractor: UnitExtractor
    aligner_factory: Callable[[str, float], Aligner]
    fitter: ReadoutFitter

    def __call__(
        self,
        pairs: Sequence[LabelledPair],
        *,
        kind: str = "debiased",
        priors: Sequence[str] = tuple(PRIORS),
        epsilons: Sequence[float] = DEFAULT_EPSILONS,
        feature_names: Sequence[str] = FEATURE_NAMES,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> FitReport:
        """Compute features under every setting, select one and fit.

        Args:
            pairs: labelled pairs; one that cannot be read is left out and named in the report.
            kind: "debiased" (needs each report's alignment with itself) or "paper".
            priors: names of cost weights.
            epsilons: entropy parameters.
            feature_names: features to use; the paper's audits leave some out.
            on_progress: called with settings done and settings in all.

        Raises:
            ConfigurationError: if the grid is empty, the kind unknown, or no pair can be read.
        """
        _check(kind, priors, epsilons, feature_names)
        units, skipped = self._units(pairs)
        kept = [labelled for labelled in pairs if labelled.pair.id not in skipped]
        if not kept:
            raise ConfigurationError(["none of the labelled pairs can be read"])
        costs = _Costs.between([labelled.pair for labelled in kept], units, with_self=kind == "debiased")
        settings = [(prior, epsilon) for prior in priors for epsilon in epsilons]
        columns = [FEATURE_NAMES.index(name) for name in feature_names]
        matrices: dict[Setting, Matrix] = {}
        for done, setting in enumerate(settings, start=1):
            matrices[setting] = costs.features(self.aligner_factory(*setting))[:, columns]
            if on_progress is not None:
                on_progress(done, len(settings))
        selection = self.fitter.select(
            matrices, _targets(kept), [labelled.study for labelled in kept], kind=kind, feature_names=feature_names
        )
        return FitReport(
            kind=kind,
            selection=selection,
            pairs=len(kept),
            studies=len({labelled.study for labelled in kept}),
            skipped=tuple(skipped.items()),
        )

    def _units(self, pairs: Sequence[LabelledPair]) -> tuple[dict[Report, tuple[ClinicalUnit, ...]], dict[str, str]]:
        """Units of each distinct report, and the reason for each pair that cannot be read, by id."""
        reports = list(
            dict.fromkeys(r for labelled in pairs for r in (labelled.pair.reference, labelled.pair.candidate))
        )
        read = dict(zip(reports, self.extractor.extract(reports), strict=True))
        units = {report: outcome for report, outcome in read.items() if not isinstance(outcome, Unscored)}
        skipped: dict[str, str] = {}
        for labelled in pairs:
            outcomes = [read[labelled.pair.reference], read[labelled.pair.candidate]]
            failed = [outcome for outcome in outcomes if isinstance(outcome, Unscored)]
            if failed:
                skipped[labelled.pair.id] = str(failed[0].reason)
            elif not any(outcomes):
                skipped[labelled.pair.id] = "neither report has a clinical unit"
        return units, skipped


@frozen(eq=False)
class _Costs:
    """Costs of every alignment that the pairs need, each once; ``places`` tells where a pair's stand."""

    costs: list[PairCosts]
    places: list[tuple[int, ...]]

    @classmethod
    def between(
        cls,
        pairs: Sequence[ReportPair],
        units: Mapping[Report, tuple[ClinicalUnit, ...]],
        *,
        with_self: bool,
    ) -> _Costs:
        costs: list[PairCosts] = []
        index: dict[tuple[Report, Report], int] = {}

        def place(reference: Report, candidate: Report) -> int:
            if (reference, candidate) not in index:
                index[reference, candidate] = len(costs)
                sides = [units[report] or (NULL_UNIT,) for report in (reference, candidate)]
                costs.append(pair_costs(*sides))
            return index[reference, candidate]

        places = []
        for pair in pairs:
            wanted = [(pair.reference, pair.candidate)]
            if with_self:
                wanted += [(pair.reference, pair.reference), (pair.candidate, pair.candidate)]
            places.append(tuple(place(*ends) for ends in wanted))
        return cls(costs, places)

    def features(self, aligner: Aligner) -> Matrix:
        """Features of every pair, pairs x 66."""
        alignments = aligner.align(self.costs)
        return np.stack([_vector([alignments[i] for i in places]) for places in self.places])


def _vector(alignments: Sequence[Alignment]) -> Matrix:
    if len(alignments) == 1:
        return features(alignments[0])
    cross, reference_self, candidate_self = alignments
    return debiased_features(AlignedPair(cross=cross, reference_self=reference_self, candidate_self=candidate_self))


def _targets(pairs: Sequence[LabelledPair]) -> dict[str, Matrix]:
    return {target: np.array([getattr(p, target) for p in pairs], dtype=np.float64) for target in TARGETS}


def _check(kind: str, priors: Sequence[str], epsilons: Sequence[float], feature_names: Sequence[str]) -> None:
    problems = [f"no prior {prior!r}; known are {', '.join(sorted(PRIORS))}" for prior in priors if prior not in PRIORS]
    problems += [f"no feature {name!r}" for name in feature_names if name not in FEATURE_NAMES]
    if kind not in ("debiased", "paper"):
        problems.append(f"kind must be debiased or paper, not {kind!r}")
    if not priors or not epsilons or not feature_names:
        problems.append("at least one prior, one epsilon and one feature are needed")
    if problems:
        raise ConfigurationError(problems)
