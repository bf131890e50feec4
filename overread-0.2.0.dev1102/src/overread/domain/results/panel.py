"""A panel: several readers' scores told as ratings of one kind, joined, with how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from attrs import field, frozen

__all__ = ["DISAGREEMENT", "Opinion", "PanelMember", "PanelTable", "Verdict"]

BEST: Final = 5.0
WORST: Final = 1.0

DISAGREEMENT: Final = 0.75
"""Spread, in steps of the rating, from which a panel is not of one mind and a person should look. overread's choice."""


@frozen(kw_only=True)
class PanelMember:
    """A metric in a panel, and what its scores have meant.

    Attributes:
        weight: its share in the panel, 0 or more.
        scores: ascending.
        ratings: mean rating of pairs with each of these scores, 1 to 5; never falling, or never rising.

    Raises:
        ValueError: if the weight is negative, or scores and ratings are no monotone function.
    """

    weight: float
    scores: tuple[float, ...] = field(repr=False)
    ratings: tuple[float, ...] = field(repr=False)

    def __attrs_post_init__(self) -> None:
        steps = np.diff(self.ratings)
        if self.weight < 0 or not 1 < len(self.scores) == len(self.ratings):
            raise ValueError("a panel's member needs a weight of 0 or more and as many ratings as scores, two at least")
        if (np.diff(self.scores) <= 0).any() or not ((steps >= 0).all() or (steps <= 0).all()):
            raise ValueError("a panel's member needs rising scores, and ratings that only rise or only fall with them")

    def rating(self, score: float) -> float:
        """The rating that a score stands for, 1 to 5, higher is better; straight lines between what is known."""
        return float(np.interp(score, self.scores, self.ratings))


@frozen
class Opinion:
    """Opinion of one member on a pair, by its score: a rating, 1 to 5, and its weight."""

    rating: float
    weight: float


@frozen
class Verdict:
    """Verdict of a panel on a pair.

    Attributes:
        rating: weighted mean of its members' ratings, 1 to 5, higher is better.
        spread: weighted standard deviation of them, in steps of the rating; 0 for a single member.
    """

    rating: float
    spread: float

    @property
    def is_split(self) -> bool:
        """True if the members are so far apart that a person should look."""
        return self.spread >= DISAGREEMENT


@frozen(kw_only=True)
class PanelTable:
    """Members by the name of their metric, and what they were fitted on.

    Raises:
        ValueError: if there is no member.
    """

    name: str
    members: Mapping[str, PanelMember] = field(repr=False)
    note: str = ""

    def __attrs_post_init__(self) -> None:
        if not self.members:
            raise ValueError("a panel needs a member")

    def of_copy(self, scores: Iterable[str]) -> tuple[Verdict, Mapping[str, Opinion]]:
        """The verdict on a candidate in the same words as the reference: nobody sees an error in it.

        Args:
            scores: metrics that scored it.
        """
        weights = {name: member.weight for name, member in self.members.items() if name in scores}
        return Verdict(BEST, 0.0), {name: Opinion(BEST, weight) for name, weight in weights.items()}

    def verdict(self, scores: Mapping[str, float]) -> tuple[Verdict, Mapping[str, Opinion]]:
        """Joint verdict of the members with a score, and the opinion of each; the others' weight falls to them.

        Args:
            scores: by metric; one or more of the panel's.
        """
        opinions = {
            name: Opinion(member.rating(scores[name]), member.weight)
            for name, member in self.members.items()
            if name in scores
        }
        whole = sum(opinion.weight for opinion in opinions.values())
        shares = {name: (opinion.weight / whole if whole else 1 / len(opinions)) for name, opinion in opinions.items()}
        mean = sum(shares[name] * opinion.rating for name, opinion in opinions.items())
        variance = sum(shares[name] * (opinion.rating - mean) ** 2 for name, opinion in opinions.items())
        return Verdict(mean, math.sqrt(variance)), opinions
