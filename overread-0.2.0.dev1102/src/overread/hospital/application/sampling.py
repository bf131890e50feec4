"""Samples of pairs for review, each pair with the number of pairs that it stands for, so that rates stay unbiased."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate
from statistics import fmean
from typing import Final

from attrs import field, frozen, validators

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.members import member_of
from overread.exceptions import ConfigurationError
from overread.hospital.application.grouping import Drawable, Grouping
from overread.hospital.application.ports import Sampled

__all__ = ["MOST_PAIRS", "DrawnSample", "SampleAllocation", "SampleMethod", "SamplePlan", "allocate_sample", "draw"]

MOST_PAIRS: Final = 10_000
"""Pairs of a sample: more than people can review."""

_MILLION: Final = 1_000_000


class SampleMethod(StrEnum):
    """Ways to draw pairs into a sample. Every pair has a known chance."""

    RANDOM = "random"
    """Each with the same chance."""

    RISK = "risk"
    """The riskier, the likelier: with a chance in proportion to the floor plus radot's score."""

    STRATIFIED = "stratified"
    """A random sample of each group, so that small groups are seen too."""


class SampleAllocation(StrEnum):
    """Ways to share a stratified sample out among its groups."""

    EQUAL = "equal"
    """As many of each, as far as a group has them: for comparing groups."""

    PROPORTIONAL = "proportional"
    """In proportion to the groups, one of each at least: for the rate of all."""


@frozen(kw_only=True)
class SamplePlan:
    """Plan of a sample to be drawn.

    Attributes:
        size: pairs wanted, 1 to 10,000; all are taken where there are fewer.
        method: of drawing.
        seed: the same seed draws the same sample of the same pairs.
        floor: added to every pair's risk, more than 0, at most 1,000: with 0.2 a pair of risk 1 is drawn six times as
            often as one of risk 0. The smaller, the more the sample follows the risk, and the wider the intervals of
            its rates.
        by: property that makes the groups of a stratified sample.
        allocation: of a stratified sample.

    Raises:
        InputError: if a word isn't a member of its enumeration.
        ValueError: if a number is out of bounds.
    """

    size: int = field(validator=[validators.ge(1), validators.le(MOST_PAIRS)])
    method: SampleMethod = field(default=SampleMethod.RANDOM, validator=member_of(SampleMethod))
    seed: int = 0
    floor: float = field(default=0.2, validator=[validators.gt(0.0), validators.le(1000.0)])
    by: Grouping = field(default=Grouping.SITE, validator=member_of(Grouping))
    allocation: SampleAllocation = field(default=SampleAllocation.EQUAL, validator=member_of(SampleAllocation))

    @property
    def words(self) -> str:
        """The method as people say it."""
        match self.method:
            case SampleMethod.RANDOM:
                return "at random"
            case SampleMethod.RISK:
                return f"weighted by risk, floor {self.floor:g}"
            case SampleMethod.STRATIFIED:
                return f"stratified by {self.by.value}, {self.allocation.value} parts"


@frozen(kw_only=True)
class DrawnSample:
    """A sample that is kept.

    Attributes:
        number: by which `Search.sample` asks for it.
        pairs: drawn, in order of their numbers.
        drawn_from: how many pairs there were.
        description: of how it was drawn, in words.
    """

    number: int
    pairs: tuple[Sampled, ...] = field(converter=in_tuple)
    drawn_from: int
    description: str


def draw(pairs: Sequence[Drawable], plan: SamplePlan) -> tuple[Sampled, ...]:
    """Pairs drawn without replacement, in their order, each with one over the probability of its being drawn.

    Sums over the sample, each pair taken with its weight, estimate sums over all without bias (Horvitz and
    Thompson, Journal of the American Statistical Association 47, 1952). Of pairs that are a sample themselves, each one
    drawn stands for those that it stood for, too.

    Raises:
        ConfigurationError: if the sample is too small to have a pair of each group.
    """
    source = random.Random(plan.seed)  # noqa: S311 - a sample is to be drawn again, not to be secret
    chosen = dict(entry for stratum in _strata(pairs, plan) for entry in _systematic(*stratum, source))
    return tuple(
        Sampled(pair=pairs[place].pair, weight=times * pairs[place].weight) for place, times in sorted(chosen.items())
    )


def allocate_sample(counts: Mapping[str, int], wanted: int, allocation: SampleAllocation) -> dict[str, int]:
    """Number to draw of each group, 1 to all it has: in total as many as are wanted, or all where there are fewer.

    Raises:
        ConfigurationError: if there are more groups than pairs wanted: a group without a pair would be in no rate.
    """
    if wanted < len(counts):
        raise ConfigurationError([f"a sample of {wanted} cannot have a pair of each of {len(counts)} groups"])
    parts = dict.fromkeys(counts, 1)
    for _ in range(min(wanted, sum(counts.values())) - len(counts)):
        parts[_neediest(parts, counts, allocation)] += 1
    return parts


def _neediest(parts: Mapping[str, int], counts: Mapping[str, int], allocation: SampleAllocation) -> str:
    """The group that the next pair goes to: the one with the fewest, or with the fewest for its size (as Webster)."""
    names = [name for name in counts if parts[name] < counts[name]]
    if allocation is SampleAllocation.EQUAL:
        return min(names, key=lambda name: (parts[name], name))
    return max(names, key=lambda name: (counts[name] / (2 * parts[name] + 1), name))


def _strata(pairs: Sequence[Drawable], plan: SamplePlan) -> Iterator[tuple[dict[int, int], int]]:
    """Sizes by place, and how many are wanted, for each part that is drawn by itself."""
    match plan.method:
        case SampleMethod.RANDOM:
            yield dict.fromkeys(range(len(pairs)), 1), plan.size
        case SampleMethod.RISK:
            yield dict(enumerate(_sizes(pairs, plan.floor))), plan.size
        case SampleMethod.STRATIFIED:
            places: dict[str, list[int]] = {}
            for place, pair in enumerate(pairs):
                places.setdefault(pair.group, []).append(place)
            counts = {name: len(places[name]) for name in sorted(places)}
            for name, wanted in allocate_sample(counts, plan.size, plan.allocation).items():
                yield dict.fromkeys(places[name], 1), wanted


def _sizes(pairs: Sequence[Drawable], floor: float) -> list[int]:
    """Floor plus risk in millionths; a pair without a risk counts as the mean of the others."""
    known = [pair.risk for pair in pairs if pair.risk is not None]
    mean = fmean(known) if known else 0.0
    return [max(1, round(_MILLION * (floor + (mean if pair.risk is None else pair.risk)))) for pair in pairs]


def _systematic(sizes: Mapping[int, int], wanted: int, source: random.Random) -> Iterator[tuple[int, float]]:
    """Places drawn with a chance in proportion to their sizes, each with one over its chance; as many as are wanted.

    Systematic sampling in random order (Madow, Annals of Mathematical Statistics 20, 1949; Hartley and Rao, 33, 1962),
    in whole numbers, so that the chances are exact: of the marks at a random start and every ``total`` from there on,
    at most one falls on a place. With equal sizes it is a simple random sample.
    """
    certain = _certain(sizes, wanted)
    yield from ((place, 1.0) for place in certain)
    places = [place for place in sizes if place not in certain]
    if not places:
        return
    source.shuffle(places)
    wanted -= len(certain)
    ends = list(accumulate(sizes[place] * wanted for place in places))
    total = ends[-1] // wanted
    for mark in range(source.randrange(total), ends[-1], total):
        place = places[bisect_right(ends, mark)]
        yield place, total / (sizes[place] * wanted)


def _certain(sizes: Mapping[int, int], wanted: int) -> set[int]:
    """Places whose chance would come to 1 or more: they are taken, and the rest is shared out among the others."""
    left, certain = sum(sizes.values()), set[int]()
    for place in sorted(sizes, key=sizes.__getitem__, reverse=True):
        if sizes[place] * (wanted - len(certain)) < left:
            break
        left -= sizes[place]
        certain.add(place)
    return certain
