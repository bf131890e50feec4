"""Scores joined by coefficients, as RadCliQ joins them (Yu et al. 2023): a linear function of standardised numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from overread.domain.results.result import Scale

__all__ = ["CompositeTable", "Term"]


@frozen(kw_only=True)
class Term:
    """One number in the sum.

    Attributes:
        metric: choice of the metric, "name" or "name:argument".
        number: name of a subscore; "score" is the score.
        coefficient: multiplies the standardised number.
        mean, deviation: standardise it: (number - mean) / deviation.

    Raises:
        ValueError: if a number is not finite, or ``deviation`` not above 0.
    """

    metric: str
    coefficient: float
    number: str = "score"
    mean: float = 0.0
    deviation: float = 1.0

    def __attrs_post_init__(self) -> None:
        if not all(map(math.isfinite, (self.coefficient, self.mean, self.deviation))) or self.deviation <= 0:
            raise ValueError(f"{self.title} needs finite numbers and a deviation above 0")

    @property
    def title(self) -> str:
        """The number's name among a result's subscores."""
        name = self.metric.partition(":")[0]
        return name if self.number == "score" else f"{name}_{self.number}"

    def of(self, number: float) -> float:
        """Contribution of the term."""
        return self.coefficient * (number - self.mean) / self.deviation


@frozen(kw_only=True)
class CompositeTable:
    """A user's coefficients.

    Attributes:
        name: of the table, for signatures.
        terms: what is summed.
        intercept: added to the sum.
        higher_is_better: which end is good; a predicted number of errors is better low.
        low, high: ends of the scale where it has any.

    Raises:
        ValueError: if there is no term, two have one title, or the ends are no scale.
    """

    name: str
    terms: Sequence[Term]
    higher_is_better: bool
    intercept: float = 0.0
    low: float = field(default=-math.inf)
    high: float = field(default=math.inf)

    def __attrs_post_init__(self) -> None:
        titles = [term.title for term in self.terms]
        if not titles or len(set(titles)) < len(titles):
            raise ValueError("it needs one or more [[term]], and one metric's number in no more than one of them")
        if not math.isfinite(self.intercept) or not self.low < self.high:
            raise ValueError("it needs a finite intercept, and a low end below the high one")

    @property
    def scale(self) -> Scale:
        """Range, and which end is good."""
        return Scale(self.low, self.high, higher_is_better=self.higher_is_better)

    def score(self, numbers: Mapping[str, float]) -> float:
        """The intercept and every term's share, held to the scale's ends.

        Args:
            numbers: by title of each term.
        """
        total = self.intercept + math.fsum(term.of(numbers[term.title]) for term in self.terms)
        return min(max(total, self.low), self.high)
