"""The monotone readout: three risk scores as nonnegative sums of scaled features (RadOT-Eval section IV-C)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.domain.vocabulary.equality import number

__all__ = ["TARGETS", "Contribution", "MonotoneReadout", "Risk"]

Vector = npt.NDArray[np.float64]

TARGETS: Final = ("total", "significant", "insignificant")
"""The three targets of section III-A."""


@frozen
class Contribution:
    """One feature's share of a risk, as in Table XIII: ``contribution = coefficient * scaled value``."""

    feature: str
    value: float = field(eq=number)
    coefficient: float = field(eq=number)
    contribution: float = field(eq=number)


@frozen(kw_only=True)
class Risk:
    """Risk by target, each 0 or more and lower is better, with the terms that add up to it.

    Attributes:
        relative: risk relative to what there was to say, 0 to 1; None for a readout that knows none.
    """

    scores: Mapping[str, float]
    contributions: Mapping[str, tuple[Contribution, ...]] = field(repr=False)
    relative: float | None = None


@frozen(eq=False, kw_only=True)
class MonotoneReadout:
    """Nonnegative least-squares coefficients over features scaled to [0, 1] on the fitting set.

    Attributes:
        feature_names: order of the vectors it reads.
        scale: divisor of each feature, its maximum on the fitting set (1 where that is 0).
        coefficients: by target, nonnegative, one a feature.
        intercepts: by target, nonnegative; all zero but in the paper's readout.

    Raises:
        ValueError: if a coefficient or intercept is negative or not finite, a scale not positive, a length differs,
            or coefficients and intercepts name different targets.
    """

    feature_names: tuple[str, ...]
    scale: Vector = field(repr=False)
    coefficients: Mapping[str, Vector] = field(repr=False)
    intercepts: Mapping[str, float]

    def __attrs_post_init__(self) -> None:
        count = len(self.feature_names)
        if self.scale.shape != (count,) or any(c.shape != (count,) for c in self.coefficients.values()):
            msg = f"a readout over {count} features needs {count} scales and coefficients"
            raise ValueError(msg)
        if not _within(self.scale, np.nextafter(0.0, 1.0)) or not all(
            _within(c, 0.0) for c in self.coefficients.values()
        ):
            msg = "scales must be positive and coefficients nonnegative: a readout never falls as a feature rises"
            raise ValueError(msg)
        if set(self.intercepts) != set(self.coefficients):
            msg = "coefficients and intercepts must name the same targets"
            raise ValueError(msg)
        if not _within(np.array(list(self.intercepts.values())), 0.0):
            msg = "intercepts must be nonnegative"
            raise ValueError(msg)

    def read(self, vector: Vector) -> Risk:
        """Risk of one feature vector, with every nonzero contribution by falling size."""
        scaled = vector / self.scale
        scores, contributions = {}, {}
        for target, coefficients in self.coefficients.items():
            terms = coefficients * scaled
            scores[target] = float(terms.sum() + self.intercepts[target])
            contributions[target] = self._contributions(vector, coefficients, terms)
        return Risk(scores=scores, contributions=contributions)

    def _contributions(self, vector: Vector, coefficients: Vector, terms: Vector) -> tuple[Contribution, ...]:
        order = [int(i) for i in np.argsort(-terms, kind="stable") if terms[i] > 0]
        return tuple(
            Contribution(self.feature_names[i], float(vector[i]), float(coefficients[i]), float(terms[i]))
            for i in order
        )


def _within(values: Vector, lowest: float) -> bool:
    """Return whether all values are finite and at least ``lowest``."""
    return bool((np.isfinite(values) & (values >= lowest)).all())
