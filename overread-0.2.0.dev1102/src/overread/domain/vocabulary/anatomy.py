"""Places in the body: the sides, heights and levels that anatomy labels name, and which of them are at odds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from attrs import frozen

__all__ = ["FIRST_DISC", "FIRST_RIB", "Place"]

_SIDES: Final = frozenset({"left", "right"})
_ONE_SIDED: Final = {"middle_lobe": "right", "lingula": "left"}
_DEPTHS: Final = frozenset({"anterior", "posterior"})

# Reports name one height of the lung by its lobe, its zone or a landmark; readers of a frontal picture cannot tell
# them apart, and take neighbouring heights for one another.
_HEIGHTS: Final = {
    **dict.fromkeys(("apex", "upper_lobe", "upper_zone"), 2),
    **dict.fromkeys(("middle_lobe", "lingula", "mid_zone", "perihilar"), 1),
    **dict.fromkeys(("lower_lobe", "lower_zone", "base", "retrocardiac", "costophrenic_angle"), 0),
}

FIRST_RIB: Final = 101
"""Number of the first rib; vertebrae count from C1, which is 1, to L5, which is 24."""

FIRST_DISC: Final = 202
"""Number of the disc below C2; each disc has that of the vertebra above it, and 200."""

_UNDER: Final = {
    **{f"c{n}_c{n + 1}": n for n in range(2, 7)},
    "c7_t1": 7,
    **{f"t{n}_t{n + 1}": 7 + n for n in range(1, 12)},
    "t12_l1": 19,
    **{f"l{n}_l{n + 1}": 19 + n for n in range(1, 5)},
    "l5_s1": 24,
}
"""Vertebrae by the disc below each."""

_LEVELS: Final = {
    **{f"c{n}": n for n in range(1, 8)},
    **{f"t{n}": 7 + n for n in range(1, 13)},
    **{f"l{n}": 19 + n for n in range(1, 6)},
    **{f"rib_{n}": FIRST_RIB + n - 1 for n in range(1, 13)},
    **{disc: FIRST_DISC - 2 + vertebra for disc, vertebra in _UNDER.items()},
}


@frozen
class Place:
    """Place that some labels of anatomy name.

    Attributes:
        sides: "left" and "right" if named, or if implied by a lobe that only one lung has.
        heights: in the chest: 2 upper, 1 middle, 0 lower.
        levels: vertebrae, ribs and discs by number, see `FIRST_RIB` and `FIRST_DISC`.
        depths: "anterior" and "posterior" if named.
    """

    labels: frozenset[str]
    sides: frozenset[str]
    heights: frozenset[int]
    levels: frozenset[int]
    depths: frozenset[str]

    @staticmethod
    @lru_cache(maxsize=8192)
    def of(labels: frozenset[str]) -> Place:
        """The place that labels of anatomy name."""
        return Place(
            labels,
            sides=labels & _SIDES or frozenset(_ONE_SIDED[label] for label in labels if label in _ONE_SIDED),
            heights=frozenset(_HEIGHTS[label] for label in labels if label in _HEIGHTS),
            levels=frozenset(_LEVELS[label] for label in labels if label in _LEVELS),
            depths=labels & _DEPTHS,
        )

    @staticmethod
    def joined(places: Iterable[Place]) -> Place:
        """All that any of the places names."""
        return Place.of(frozenset().union(*(place.labels for place in places)))

    @property
    def sites(self) -> frozenset[str]:
        """The labels that are neither side nor height."""
        return self.labels - _SIDES - _HEIGHTS.keys()

    @property
    def side(self) -> str:
        """The side named: "left", "right" or "both", or "" for none.

        >>> Place.of(frozenset({"left", "base"})).side, Place.of(frozenset({"left", "right"})).side
        ('left', 'both')
        """
        return "both" if self.sides == _SIDES else next(iter(self.sides), "")

    def is_across_from(self, other: Place) -> bool:
        """Return whether both name a side and none in common."""
        return bool(self.sides and other.sides and not self.sides & other.sides)

    def is_opposite_in_depth(self, other: Place) -> bool:
        """Return whether one lies in front and the other behind."""
        return bool(self.depths and other.depths and not self.depths & other.depths)

    @property
    def discs(self) -> frozenset[int]:
        """The discs among its levels."""
        return frozenset(level for level in self.levels if level >= FIRST_DISC)

    def levels_beside(self, other: Place) -> frozenset[int]:
        """Its levels as they are compared with another place's: discs with discs, or else the vertebrae beside them.

        >>> disc, vertebra = (Place.of(frozenset({label})) for label in ("l4_l5", "l4"))
        >>> sorted(disc.levels_beside(vertebra)), sorted(disc.levels_beside(disc))
        ([23, 24], [223])
        """
        if not self.discs:
            return self.levels
        if other.discs:
            return self.discs
        rest = self.levels - self.discs
        if rest and other.levels:
            return rest
        vertebrae = (level - FIRST_DISC + 2 for level in self.discs)
        return rest.union(*((vertebra, vertebra + 1) for vertebra in vertebrae))

    def has_other_levels(self, other: Place) -> bool:
        """Return whether both name levels and none in common."""
        return bool(self.levels and other.levels and not self.levels_beside(other) & other.levels_beside(self))

    def heights_apart(self, other: Place) -> int:
        """Smallest difference of height; 0 where either names none."""
        return min((abs(a - b) for a in self.heights for b in other.heights), default=0)
