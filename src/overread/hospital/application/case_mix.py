"""Expectations of a pair by the kind of its case, as a period of reference has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, Self

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.observations import Observation
from overread.hospital.application.risk_adjusted import CaseShare

__all__ = ["LEAST_EVENTS", "LEAST_REFERENCE", "CaseMix"]

LEAST_REFERENCE: Final = 100
"""Pairs that a rate in control is taken from, at least; ours."""

LEAST_EVENTS: Final = 5
"""Events among them, at least: the rate of fewer may be half or twice what it seems. Ours."""

Kind = tuple[str, str]


@frozen(kw_only=True)
class CaseMix:
    """Rates by site and modality.

    Attributes:
        rates: of each site and modality that has pairs and events enough for a rate of its own.
        others: rate of all others together.
        shares: kinds of cases in the reference.
    """

    rates: Mapping[Kind, float] = field(factory=dict)
    others: float
    shares: tuple[CaseShare, ...] = field(converter=in_tuple)

    @classmethod
    def of(cls, reference: Sequence[Observation], has: Callable[[Observation], bool]) -> Self:
        """Make a mix of the pairs of a reference.

        Kinds of cases with fewer than 100 pairs, 5 events or 5 other pairs have one rate together; if that is of too
        few as well, the smallest kind joins them. The expected events of all kinds are those of the reference.

        Args:
            reference: pairs with events and others among them.
            has: whether a pair is an event.
        """
        counts: dict[Kind, tuple[int, int]] = {}
        for each in reference:
            pairs, events = counts.get(_kind(each), (0, 0))
            counts[_kind(each)] = pairs + 1, events + has(each)
        few = [kind for kind in counts if not _is_enough(*counts[kind])]
        many = sorted((kind for kind in counts if kind not in few), key=lambda kind: (counts[kind], kind))
        while few and many and not _is_enough(*_sum(counts, few)):
            few.append(many.pop(0))
        rows = [*(counts[kind] for kind in many), *([_sum(counts, few)] if few else [])]
        overall = _sum(counts, counts)
        return cls(
            rates={kind: counts[kind][1] / counts[kind][0] for kind in many},
            others=rows[-1][1] / rows[-1][0] if few else overall[1] / overall[0],
            shares=[CaseShare(expected=events / pairs, share=pairs / overall[0]) for pairs, events in rows],
        )

    def expected(self, each: Observation) -> float:
        """Return the probability of an event that is expected of a pair."""
        return self.rates.get(_kind(each), self.others)


def _kind(each: Observation) -> Kind:
    return each.site, each.modality


def _sum(counts: Mapping[Kind, tuple[int, int]], kinds: Collection[Kind]) -> tuple[int, int]:
    """Pairs and events of some kinds of cases together."""
    return sum(counts[kind][0] for kind in kinds), sum(counts[kind][1] for kind in kinds)


def _is_enough(pairs: int, events: int) -> bool:
    return pairs >= LEAST_REFERENCE and LEAST_EVENTS <= events <= pairs - LEAST_EVENTS
