"""RadOT-Eval's sets, read into clinical units with the costs between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from overread.application.metrics.pair_reader import PairUnits, read_units
from overread.application.ports import Aligner, CostModel, UnitExtractor
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import PairCosts
from overread.domain.differences.features import FEATURE_SETS
from overread.domain.findings.unit import FALLBACK_CONFIDENCE, ClinicalUnit
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark
from overread.domain.results.result import Unscored
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
        units: of each pair, without administrative sentences.
        costs: between the units of each pair.
        skipped: reason for each pair that could not be read, by id.
    """

    benchmark: HumanBenchmark = field(repr=False)
    pairs: tuple[AnnotatedPair, ...] = field(repr=False)
    units: tuple[PairUnits, ...] = field(repr=False)
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
        return np.array([len(pair.reference) for pair in self.units], dtype=np.float64)

    @property
    def fallbacks(self) -> npt.NDArray[np.bool_]:
        """Pairs x 2: whether the reference, the candidate was read as whole sentences alone."""
        both = [[_falls_back(pair.reference), _falls_back(pair.candidate)] for pair in self.units]
        return np.array(both, dtype=np.bool_).reshape(-1, 2)

    def labels(self, target: str) -> Vector:
        """Mean rating of each pair; NaN where nobody rated it."""
        return np.array([rated.mean(target) for rated in self.pairs], dtype=np.float64)

    def features(self, aligner: Aligner) -> Matrix:
        """RadOT-Eval's features of each pair under the plans of an aligner, pairs x 66."""
        known = FEATURE_SETS["paper"]
        alignments = aligner.align(self.costs)
        rows = [known.vector(AlignedPair(cross=alignment)) for alignment in alignments]
        return np.array(rows, dtype=np.float64).reshape(len(self.pairs), len(known.names))

    def subset(self, rows: Iterable[int]) -> ReadSet:
        """Some of the pairs, in the order given."""
        places = [int(row) for row in rows]
        return evolve(
            self,
            pairs=tuple(self.pairs[place] for place in places),
            units=tuple(self.units[place] for place in places),
            costs=tuple(self.costs[place] for place in places),
        )

    def thin(self, share: float, cost: CostModel, rng: np.random.Generator) -> ReadSet:
        """The set with each unit left out at random; a report that loses all of them reads as an empty one.

        Args:
            share: probability that a unit is left out.
            cost: between units.
            rng: source of chance.
        """

        def thin(units: Units) -> Units:
            return tuple(unit for unit, drawn in zip(units, rng.random(len(units)), strict=True) if drawn >= share)

        units = tuple(PairUnits(thin(pair.reference), thin(pair.candidate)) for pair in self.units)
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
    texts = [(rated.pair.reference.text, rated.pair.candidate.text) for rated in benchmark.pairs]
    outcomes = read_units(extractor, texts)
    read = [
        (rated, units)
        for rated, units in zip(benchmark.pairs, outcomes, strict=True)
        if not isinstance(units, Unscored)
    ]
    if not read:
        raise ConfigurationError([f"none of the pairs of {benchmark.name} can be read"])
    units = tuple(PairUnits(pair.reference, pair.candidate) for _, pair in read)
    return ReadSet(
        benchmark=benchmark,
        pairs=tuple(rated for rated, _ in read),
        units=units,
        costs=_costs(units, cost),
        skipped={
            rated.pair.id: str(outcome.reason)
            for rated, outcome in zip(benchmark.pairs, outcomes, strict=True)
            if isinstance(outcome, Unscored)
        },
    )


def _costs(units: Sequence[PairUnits], cost: CostModel) -> tuple[PairCosts, ...]:
    return tuple(cost.between(*pair.ends) for pair in units)


def _falls_back(units: Units) -> bool:
    return bool(units) and all(unit.is_unread and unit.confidence <= FALLBACK_CONFIDENCE for unit in units)
