"""Attribute costs that know what findings mean: Table II of RadOT-Eval, guided by the relation of two units.

Table II compares wording where findings differ: it sets "the lungs are clear" far from "no consolidation", and a
finding near another that is swapped for it at the same place. Here the relation decides, and Table II remains where a
unit was not read. All costs lie on [0, 1]; the numbers of this module are overread's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Final

import numpy as np
from attrs import define, field

from overread.domain.differences import cost
from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS, Matrix, PairCosts
from overread.domain.findings.extents import judge_size
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import Relation, relation
from overread.domain.findings.unit import ClinicalUnit, largest
from overread.domain.vocabulary.recent import Recent
from overread.domain.vocabulary.severity import Importance

__all__ = ["RelationalCost"]

_BROADER: Final = 0.2
"""Finding and text cost of a broader or narrower term."""

_SIGN: Final = 0.4
"""Finding and text cost of a sign of the finding."""

_CONFUSABLE: Final = 0.6
"""Finding and text cost of a finding that readers take for the other."""

_FINDING: Final = {Relation.SAME: 0.0, Relation.SIGN: _SIGN, Relation.CONFUSABLE: _CONFUSABLE}

_UNSTATED: Final = 0.3
"""Anatomy cost where one unit says less of the place than the other and nothing else: it may say so elsewhere."""

_ZONE: Final = (0.0, 0.15, 0.6)
"""Anatomy cost of zones that lie 0, 1 or 2 levels apart."""

_SIZE: Final = 0.66
"""Severity cost of sizes that differ by more than readers do: two steps of degree."""

_WEIGHTS: Final = {
    Importance.URGENT: (1.0, 0.0),
    Importance.ACTIONABLE: (1.0, 0.0),
    Importance.FOLLOW_UP: (0.0, 1.0),
    Importance.INCIDENTAL: (0.0, 1.0),
    Importance.EXPECTED: (0.0, 1.0),
}

_UNREAD: Final = 0.1
"""Weight of a sentence that no rule covers, among what does not ask for action."""

_Costs = tuple[float, ...]
"""The four ground costs and the five side costs of two units."""

_AGREE: Final[_Costs] = (0.0,) * (len(GROUND_CHANNELS) + len(SIDE_CHANNELS))
_CACHE: Final = 100_000
"""Pairs of meanings whose costs are remembered; as many meanings."""


@define(eq=False)
class RelationalCost:
    """Costs of two reports' units by what they mean.

    Two denials never disagree: a normal that only one report names is silent in the other. An assertion carried onto
    what does not bear on it costs as much as onto its denial, but for the wording, which costs nothing between units
    that bear on each other by one finding.
    """

    lexicon: Lexicon
    _known: Recent[tuple[int, int], _Costs] = field(factory=lambda: Recent(_CACHE), init=False, repr=False)
    _meanings: Recent[tuple[object, ...], int] = field(factory=lambda: Recent(_CACHE), init=False, repr=False)
    _numbers: Iterator[int] = field(factory=count, init=False, repr=False)

    @property
    def identity(self) -> str:
        """Name of the cost, and the lexicon it asks."""
        return f"relation,lexicon={self.lexicon.version}"

    def between(self, reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> PairCosts:
        """All nine cost matrices, len(reference) x len(candidate)."""
        rows, columns = [self._meaning(u) for u in reference], [self._meaning(u) for u in candidate]
        values = np.array(
            [
                [self._costs(a, b, r, c) for b, c in zip(columns, candidate, strict=True)]
                for a, r in zip(rows, reference, strict=True)
            ],
            dtype=np.float64,
        ).reshape(len(rows), len(columns), len(_AGREE))
        channels = (*GROUND_CHANNELS, *SIDE_CHANNELS)
        matrices: Mapping[str, Matrix] = {name: values[:, :, k].copy() for k, name in enumerate(channels)}
        return PairCosts(
            ground={name: matrices[name] for name in GROUND_CHANNELS},
            side={name: matrices[name] for name in SIDE_CHANNELS},
        )

    def burden(self, units: Sequence[ClinicalUnit]) -> Matrix:
        """Weight of each unit, n x 2: asserted findings that ask for action, and asserted ones that do not.

        Mentions of one finding on one side share its weight, as a report that repeats itself is wrong once.
        """
        mentions = Counter(_mention(unit) for unit in units)
        weights = [[weight / mentions[_mention(unit)] for weight in self._burden(unit)] for unit in units]
        return np.array(weights, dtype=np.float64).reshape(len(units), 2)

    def _burden(self, unit: ClinicalUnit) -> tuple[float, float]:
        if unit.is_unread:
            return (0.0, _UNREAD if unit.span_text else 0.0)
        if not unit.asserts_finding:
            return (0.0, 0.0)
        return _WEIGHTS[self.lexicon.importance(unit.canonical_finding)]

    def _meaning(self, unit: ClinicalUnit) -> int:
        """A number for all that the costs look at, the same for units that mean the same."""
        key = (
            unit.canonical_finding,
            unit.polarity,
            unit.certainty,
            unit.change,
            unit.severity,
            unit.anatomy,
            unit.modifiers,
            unit.measurements,
            unit.denies,
            unit.temporality,
            unit.experiencer,
            unit.device,
            unit.device_status,
        )
        number = self._meanings.get(key)
        # A number is never given twice: what was forgotten of one must not be told of another.
        return self._meanings.keep(key, next(self._numbers)) if number is None else number

    def _costs(self, a: int, b: int, reference: ClinicalUnit, candidate: ClinicalUnit) -> _Costs:
        if reference.is_unread or candidate.is_unread:
            # Their wording counts, which is no part of a meaning.
            return self._compute_costs(reference, candidate)
        known = self._known.get((a, b))
        if known is None:
            known = self._known.keep((a, b), self._compute_costs(reference, candidate))
        return known

    def _compute_costs(self, r: ClinicalUnit, c: ClinicalUnit) -> _Costs:
        if not r.canonical_finding or not c.canonical_finding:
            return (*(f(r, c) for f in cost.GROUND_COSTS.values()), *(f(r, c) for f in cost.SIDE_COSTS.values()))
        if not r.asserts_finding and not c.asserts_finding:
            return _AGREE
        bearing = relation(r, c, self.lexicon)
        if bearing is Relation.DENIES:
            return (1.0, 0.0, 1.0, 0.0, *_AGREE[len(GROUND_CHANNELS) :])
        if bearing is Relation.UNRELATED:
            return (1.0, 0.0, 1.0, 1.0, *_AGREE[len(GROUND_CHANNELS) :])
        finding = _FINDING.get(bearing, _BROADER)
        return (
            finding,
            _anatomy(r, c),
            0.0,
            finding,
            cost.comparison_cost(r, c),
            cost.uncertainty_cost(r, c),
            cost.device_cost(r, c),
            cost.modifier_cost(r, c),
            max(cost.severity_cost(r, c), _size(r, c)),
        )


def _mention(unit: ClinicalUnit) -> tuple[object, ...]:
    """Key that a unit shares with others that assert the same finding."""
    return (unit.canonical_finding or unit.span_text, unit.asserts_finding, unit.place.sides)


def _anatomy(r: ClinicalUnit, c: ClinicalUnit) -> float:
    """Table II's cost, but for a side that differs, which is 1, and for zones, whose distance counts."""
    if r.place.is_across_from(c.place):
        return 1.0
    if r.place.heights and c.place.heights:
        sides = cost.set_cost(r.place.sides, c.place.sides, missing=_UNSTATED)
        return max(sides, _ZONE[r.place.heights_apart(c.place)])
    if r.anatomy <= c.anatomy or c.anatomy <= r.anatomy:
        return 0.0 if r.anatomy == c.anatomy else _UNSTATED
    return cost.anatomy_cost(r, c)


def _size(r: ClinicalUnit, c: ClinicalUnit) -> float:
    size_r, size_c = largest(r.measurements), largest(c.measurements)
    if size_r is None or size_c is None:
        return 0.0
    judgement = judge_size(size_r, size_c)
    return _SIZE if judgement is not None and judgement.severity.counts_as_significant else 0.0
