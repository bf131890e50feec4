"""Attribute costs between clinical units (RadOT-Eval section IV-B, Table II and section V-A).

Every cost lies on [0, 1]: 0 is agreement, larger is a stronger discrepancy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.domain.findings.unit import ClinicalUnit, severity_ordinal

__all__ = [
    "GROUND_CHANNELS",
    "GROUND_COSTS",
    "PRIORS",
    "SIDE_CHANNELS",
    "SIDE_COSTS",
    "CostWeights",
    "PairCosts",
    "TableTwoCost",
    "anatomy_cost",
    "categorical_cost",
    "comparison_cost",
    "device_cost",
    "finding_cost",
    "jaccard",
    "modifier_cost",
    "polarity_cost",
    "prior_weights",
    "set_cost",
    "severity_cost",
    "text_cost",
    "tokens",
    "uncertainty_cost",
]

Matrix = npt.NDArray[np.float64]

_WORD = re.compile(r"[a-z0-9]+")
_SUM_TOLERANCE: Final = 1e-9


@frozen
class CostWeights:
    """Weights of the ground cost, equation 1: nonnegative, summing to one.

    Raises:
        ValueError: if a weight is negative or they do not sum to one.
    """

    finding: float = 0.250
    anatomy: float = 0.200
    polarity: float = 0.400
    text: float = 0.150

    def __attrs_post_init__(self) -> None:
        if min(self.as_tuple()) < 0 or abs(sum(self.as_tuple()) - 1) > _SUM_TOLERANCE:
            msg = "the four cost weights must be nonnegative and sum to one"
            raise ValueError(msg)

    def as_tuple(self) -> tuple[float, float, float, float]:
        """(finding, anatomy, polarity, text)."""
        return (self.finding, self.anatomy, self.polarity, self.text)

    def __str__(self) -> str:
        """The weights as signatures write them, for example ".25/.2/.4/.15"."""
        return "/".join(f"{weight:g}".removeprefix("0") or "0" for weight in self.as_tuple())


PRIORS: Final[Mapping[str, CostWeights]] = {
    # The grid of RadOT-Eval section V-A. Only polarity-heavy is published; the other weights are overread's own.
    "polarity-heavy": CostWeights(0.250, 0.200, 0.400, 0.150),
    "uniform": CostWeights(0.250, 0.250, 0.250, 0.250),
    "finding-heavy": CostWeights(0.450, 0.200, 0.200, 0.150),
    "anatomy-heavy": CostWeights(0.250, 0.400, 0.200, 0.150),
    "text-heavy": CostWeights(0.200, 0.200, 0.200, 0.400),
    "text-light": CostWeights(0.350, 0.300, 0.300, 0.050),
    "no-text": CostWeights(0.350, 0.300, 0.350, 0.000),
    "no-polarity": CostWeights(0.400, 0.350, 0.000, 0.250),
    "stable-prior": CostWeights(0.400, 0.300, 0.200, 0.100),
    "parser-robust": CostWeights(0.150, 0.150, 0.300, 0.400),
}


def prior_weights(prior: str, weights: Sequence[float] | None = None) -> CostWeights:
    """The weights of a named prior, or four others in its place.

    Raises:
        ValueError: if there is no such prior, or the four cannot be weights.
    """
    if weights is not None:
        if len(weights) != len(GROUND_CHANNELS):
            raise ValueError(f"weights must be four numbers, got {len(weights)}")
        return CostWeights(*weights)
    if prior not in PRIORS:
        raise ValueError(f"unknown prior {prior!r}; choose from {', '.join(sorted(PRIORS))}")
    return PRIORS[prior]


@lru_cache(maxsize=8192)
def tokens(text: str) -> frozenset[str]:
    """The set of lower-cased alphanumeric tokens of a text, tau(x) of section IV-B.

    >>> sorted(tokens("No right-sided effusion."))
    ['effusion', 'no', 'right', 'sided']
    """
    return frozenset(_WORD.findall(text.lower()))


def jaccard(a: AbstractSet[Hashable], b: AbstractSet[Hashable]) -> float:
    """Jaccard similarity J(A, B) of section IV-B: 1 for two empty sets, 0 if just one is empty.

    >>> jaccard(set(), set()), jaccard({"left"}, set()), jaccard({"left", "base"}, {"left"})
    (1.0, 0.0, 0.5)
    """
    if not a and not b:
        return 1.0
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


def categorical_cost(a: object | None, b: object | None, *, missing: float, mismatch: float) -> float:
    """c_cat(a, b; mu, eta) of section IV-B; None is the missing value.

    >>> categorical_cost("new", None, missing=0.35, mismatch=1.0)
    0.35
    """
    if a is None or b is None:
        return 0.0 if a is b else missing
    return 0.0 if a == b else mismatch


def set_cost(a: AbstractSet[Hashable], b: AbstractSet[Hashable], *, missing: float) -> float:
    """c_set(A, B; mu) of section IV-B.

    >>> set_cost({"left"}, {"left", "base"}, missing=0.6), set_cost({"left"}, set(), missing=0.6)
    (0.5, 0.6)
    """
    if not a and not b:
        return 0.0
    if not a or not b:
        return missing
    return 1.0 - jaccard(a, b)


def finding_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """d_find of Table II: 0 for the same nonempty canonical finding, else token overlap of the descriptions."""
    if reference.canonical_finding and reference.canonical_finding == candidate.canonical_finding:
        return 0.0
    return 1.0 - jaccard(_description(reference), _description(candidate))


def anatomy_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """d_anat of Table II: c_set with mu = 0.6 over anatomy labels."""
    return set_cost(reference.anatomy, candidate.anatomy, missing=0.6)


def polarity_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """d_pol of Table II: c_cat with mu = 0.5, eta = 1 over polarity."""
    return categorical_cost(reference.polarity, candidate.polarity, missing=0.5, mismatch=1.0)


def text_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """d_text of Table II: 1 - J over the tokens of the span texts."""
    return 1.0 - jaccard(tokens(reference.span_text), tokens(candidate.span_text))


def comparison_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """Comparison side cost: c_cat with mu = 0.35, eta = 1 (section V-A)."""
    return categorical_cost(reference.change, candidate.change, missing=0.35, mismatch=1.0)


def uncertainty_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """Uncertainty side cost: c_cat with mu = 0.35, eta = 1 (section V-A)."""
    return categorical_cost(reference.certainty, candidate.certainty, missing=0.35, mismatch=1.0)


def device_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """Device-status side cost: c_cat with mu = 0.2, eta = 1 (section V-A)."""
    return categorical_cost(_device_state(reference), _device_state(candidate), missing=0.2, mismatch=1.0)


def modifier_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """Modifier side cost: c_set with mu = 0.4 (section V-A)."""
    return set_cost(reference.modifiers, candidate.modifiers, missing=0.4)


def severity_cost(reference: ClinicalUnit, candidate: ClinicalUnit) -> float:
    """Severity side cost: absolute difference on the ordinal scale of section V-A."""
    return abs(severity_ordinal(reference.severity) - severity_ordinal(candidate.severity))


_Cost = Callable[[ClinicalUnit, ClinicalUnit], float]

GROUND_COSTS: Final[Mapping[str, _Cost]] = {
    "finding": finding_cost,
    "anatomy": anatomy_cost,
    "polarity": polarity_cost,
    "text": text_cost,
}
SIDE_COSTS: Final[Mapping[str, _Cost]] = {
    "comparison": comparison_cost,
    "uncertainty": uncertainty_cost,
    "device": device_cost,
    "modifier": modifier_cost,
    "severity": severity_cost,
}

GROUND_CHANNELS: Final = tuple(GROUND_COSTS)
"""Channels of the ground cost D, in the order of equation 1."""

SIDE_CHANNELS: Final = tuple(SIDE_COSTS)
"""Side channels S, in the order of equation 3's text."""


@frozen(eq=False)
class PairCosts:
    """Cost matrices of one pair, each n x m: reference units by candidate units.

    Attributes:
        ground: the four channels of equation 1 before weighting.
        side: the five side channels.
        row_mass, column_mass: what each unit weighs; None where the cost knows no weights.
        row_null, column_null: cost of a unit of mass that has no partner; None with the masses.
    """

    ground: Mapping[str, Matrix] = field(repr=False)
    side: Mapping[str, Matrix] = field(repr=False)
    row_mass: Matrix | None = field(default=None, repr=False)
    column_mass: Matrix | None = field(default=None, repr=False)
    row_null: Matrix | None = field(default=None, repr=False)
    column_null: Matrix | None = field(default=None, repr=False)

    def weighted(self, weights: CostWeights) -> Matrix:
        """The ground cost D of equation 1, clipped to [0, 1] (Table II)."""
        total = sum(w * self.ground[name] for w, name in zip(weights.as_tuple(), GROUND_CHANNELS, strict=True))
        return np.clip(np.asarray(total, dtype=np.float64), 0.0, 1.0)


@frozen
class TableTwoCost:
    """Costs as RadOT-Eval's Table II and section V-A print them, which compare labels and words."""

    @property
    def identity(self) -> str:
        """Name of the cost."""
        return "table-ii"

    def between(self, reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> PairCosts:
        """All nine cost matrices, len(reference) x len(candidate)."""
        return PairCosts(
            ground={name: _matrix(cost, reference, candidate) for name, cost in GROUND_COSTS.items()},
            side={name: _matrix(cost, reference, candidate) for name, cost in SIDE_COSTS.items()},
        )

    def burden(self, units: Sequence[ClinicalUnit]) -> Matrix:
        """Weight of each unit, n x 2: Table II knows no importance, so what is asserted counts in the first."""
        return np.array([(float(unit.asserts_finding), 0.0) for unit in units], dtype=np.float64).reshape(-1, 2)


def _matrix(cost: _Cost, reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> Matrix:
    return np.array([[cost(r, c) for c in candidate] for r in reference], dtype=np.float64).reshape(
        len(reference), len(candidate)
    )


def _description(unit: ClinicalUnit) -> frozenset[str]:
    return tokens(f"{unit.canonical_finding} {unit.surface_finding} {unit.span_text}")


def _device_state(unit: ClinicalUnit) -> str | None:
    return unit.device_status or unit.device
