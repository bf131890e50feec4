"""The sets of RadOT-Eval's protocol, read into clinical units with the costs between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from overread.application.ports import Aligner, CostModel, UnitExtractor
from overread.domain.alignment import AlignedPair
from overread.domain.annotation import AnnotatedPair, HumanBenchmark
from overread.domain.cost import PairCosts
from overread.domain.features import FEATURE_SETS
from overread.domain.report import Report
from overread.domain.result import Unscored
from overread.domain.unit import FALLBACK_CONFIDENCE, NULL_UNIT, ClinicalUnit
from overread.exceptions import ConfigurationError

__all__ = ["ReadSet", "read_set"]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Units = tuple[ClinicalUnit, ...]


@frozen(kw_only=True, eq=False)
class ReadSet:
    """The pairs of a set that can be read, with their units.

    Attributes:
        benchmark: all of the set.
        pairs: those that could be read, in the set's order.
        units: of the reference and of the candidate of each; administrative sentences are none.
        costs: between the units of each pair.
        skipped: reason for each pair that could not be read, by id.
    """

    benchmark: HumanBenchmark = field(repr=False)
    pairs: tuple[AnnotatedPair, ...] = field(repr=False)
    units: tuple[tuple[Units, Units], ...] = field(repr=False)
    costs: tuple[PairCosts, ...] = field(repr=False)
    skipped: Mapping[str, str] = field(factory=dict)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def ids(self) -> tuple[str, ...]:
        """Id of each pair."""
        return tuple(rated.pair.id for rated in self.pairs)

    @property
    def studies(self) -> tuple[str, ...]:
        """Study of each pair."""
        return tuple(rated.study for rated in self.pairs)

    @property
    def reference_counts(self) -> Vector:
        """Units of each reference."""
        return np.array([len(reference) for reference, _ in self.units], dtype=np.float64)

    @property
    def fallbacks(self) -> npt.NDArray[np.bool_]:
        """Pairs x 2: whether the reference, the candidate was read as whole sentences alone."""
        return np.array([[_falls_back(units) for units in pair] for pair in self.units], dtype=np.bool_).reshape(-1, 2)

    def labels(self, target: str) -> Vector:
        """What the mean rater said of each pair; NaN where nobody said anything."""
        ratings = [np.array(rated.ratings[target], dtype=np.float64) for rated in self.pairs]
        return np.array([np.nanmean(r) if np.isfinite(r).any() else np.nan for r in ratings], dtype=np.float64)

    def features(self, aligner: Aligner) -> Matrix:
        """RadOT-Eval's features of each pair under the plans of an aligner, pairs x 66."""
        known = FEATURE_SETS["paper"]
        alignments = aligner.align(self.costs)
        rows = [known.vector(AlignedPair(cross=alignment)) for alignment in alignments]
        return np.array(rows, dtype=np.float64).reshape(len(self.pairs), len(known.names))

    def thinned(self, share: float, cost: CostModel, rng: np.random.Generator) -> ReadSet:
        """The set with each unit left out at random; a report that loses all of them reads as an empty one.

        Args:
            share: probability that a unit is left out.
            cost: between units.
            rng: source of chance.
        """

        def thin(units: Units) -> Units:
            return tuple(unit for unit, drawn in zip(units, rng.random(len(units)), strict=True) if drawn >= share)

        units = tuple((thin(reference), thin(candidate)) for reference, candidate in self.units)
        return evolve(self, units=units, costs=_costs(units, cost))


def read_set(benchmark: HumanBenchmark, extractor: UnitExtractor, cost: CostModel) -> ReadSet:
    """Read each distinct report of a set once.

    Args:
        benchmark: pairs with what people said of them.
        extractor: reads reports into units.
        cost: between units.

    Raises:
        ConfigurationError: if no pair can be read.
    """
    reports = list(dict.fromkeys(r for rated in benchmark.pairs for r in (rated.pair.reference, rated.pair.candidate)))
    read = dict(zip(reports, extractor.extract(reports), strict=True))
    skipped = {rated.pair.id: why for rated in benchmark.pairs if (why := _refusal(rated, read)) is not None}
    pairs = tuple(rated for rated in benchmark.pairs if rated.pair.id not in skipped)
    if not pairs:
        raise ConfigurationError([f"none of the pairs of {benchmark.name} can be read"])
    clinical = {
        report: tuple(unit for unit in outcome if not unit.administrative)
        for report, outcome in read.items()
        if not isinstance(outcome, Unscored)
    }
    units = tuple((clinical[rated.pair.reference], clinical[rated.pair.candidate]) for rated in pairs)
    return ReadSet(benchmark=benchmark, pairs=pairs, units=units, costs=_costs(units, cost), skipped=skipped)


def _refusal(rated: AnnotatedPair, read: Mapping[Report, Units | Unscored]) -> str | None:
    outcomes = [read[rated.pair.reference], read[rated.pair.candidate]]
    reasons = [outcome.reason for outcome in outcomes if isinstance(outcome, Unscored)]
    if reasons:
        return str(reasons[0])
    return None if any(outcomes) else "neither report has a clinical unit"


def _costs(units: Sequence[tuple[Units, Units]], cost: CostModel) -> tuple[PairCosts, ...]:
    between: Callable[[Units, Units], PairCosts] = cost.between
    return tuple(between(reference or (NULL_UNIT,), candidate or (NULL_UNIT,)) for reference, candidate in units)


def _falls_back(units: Units) -> bool:
    return bool(units) and all(unit.is_unread and unit.confidence <= FALLBACK_CONFIDENCE for unit in units)
