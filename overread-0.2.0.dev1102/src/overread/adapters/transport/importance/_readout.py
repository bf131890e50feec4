"""The readout that sums a plan: every edge's risk, told as the discrepancy it is evidence for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from attrs import frozen

from overread.application.traits import ReadoutTraits
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.readout import Contribution, Risk
from overread.exceptions import ConfigurationError

__all__ = ["PlanReadout"]


@frozen
class PlanReadout:
    """Total risk is the sum of mass times cost over all edges, those to the null unit included.

    What a second reader doubts adds less. The score is the risk relative to what there was to say, 1 less notation's
    score. A term is the risk of the discrepancies of one category in findings of one importance.
    """

    identity: str = "plan"
    uses_self_alignments: bool = False

    @property
    def traits(self) -> ReadoutTraits:
        """It reads weighed pairs."""
        return ReadoutTraits(name="plan", needs_weighing=True)

    def read_out(self, pairs: Sequence[AlignedPair]) -> list[Risk]:
        """Risk for each aligned pair. Raises `ConfigurationError` where the cost names no masses."""
        return [_risk(pair) for pair in pairs]


def _risk(pair: AlignedPair) -> Risk:
    notation = pair.notation
    if notation is None:
        raise ConfigurationError(["readout plan needs masses: leave radot.cost out, or choose another readout"])
    terms = {
        "total": _terms(notation.discrepancies),
        "significant": _terms(d for d in notation.discrepancies if d.severity.counts_as_significant),
        "insignificant": _terms(d for d in notation.discrepancies if not d.severity.counts_as_significant),
    }
    scores = {target: sum((term.contribution for term in summands), 0.0) for target, summands in terms.items()}
    return Risk(scores=scores, contributions=terms, relative=1.0 - notation.score)


def _terms(discrepancies: Iterable[Discrepancy]) -> tuple[Contribution, ...]:
    sums: defaultdict[str, float] = defaultdict(float)
    for discrepancy in discrepancies:
        sums[_name(discrepancy)] += discrepancy.risk
    ordered = sorted(sums.items(), key=lambda term: (-term[1], term[0]))
    return tuple(Contribution(name, value, 1.0, value) for name, value in ordered)


def _name(discrepancy: Discrepancy) -> str:
    kind = discrepancy.category.label if discrepancy.category else discrepancy.aspect.value
    importance = discrepancy.importance.value if discrepancy.importance else ""
    return "_".join(filter(None, (kind.lower().replace(" ", "_").replace("/", "_"), importance)))
