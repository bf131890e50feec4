"""Reading pairs: both reports into units, aligned by transport."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from attrs import define, field, frozen

from overread.application.ports import Aligner, CostModel, Extraction, UnitExtractor
from overread.domain.alignment import AlignedPair, Alignment
from overread.domain.cost import PairCosts, TableTwoCost
from overread.domain.report import Report, ReportPair
from overread.domain.result import Unscored
from overread.domain.unit import NULL_UNIT, ClinicalUnit

__all__ = ["PairReader", "ReadPair"]

Units = tuple[ClinicalUnit, ...]
K = TypeVar("K")
V = TypeVar("V")


@frozen(kw_only=True)
class ReadPair:
    """The clinical units of both reports and their alignment; ``*_asides`` are their administrative sentences."""

    reference_units: Units
    candidate_units: Units
    aligned: AlignedPair
    reference_asides: Units = ()
    candidate_asides: Units = ()


@define(eq=False)
class PairReader:
    """Extracts, costs and aligns a batch of pairs; metrics that share one read each pair once.

    Attributes:
        max_units: a report of more units is unscored as "too long"; transport is quadratic in them.
        remembered: pairs and self-alignments kept, for metrics that follow and reports that come again.
        cost: what it costs to carry one unit onto another.
    """

    extractor: UnitExtractor
    aligner: Aligner
    cost: CostModel = field(factory=TableTwoCost)
    max_units: int = 300
    remembered: int = 2048
    _pairs: OrderedDict[tuple[str, str], ReadPair | Unscored] = field(factory=OrderedDict, init=False, repr=False)
    _selves: OrderedDict[str, Alignment] = field(factory=OrderedDict, init=False, repr=False)

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        """Identity of the extractor, the cost and the aligner."""
        return (
            ("extractor", self.extractor.identity),
            ("cost", self.cost.identity),
            ("aligner", self.aligner.identity),
        )

    def read(self, pairs: Sequence[ReportPair], *, with_selves: bool = False) -> list[ReadPair | Unscored]:
        """Each pair read, or why it cannot be.

        Args:
            pairs: any number of pairs.
            with_selves: whether each report's alignment with itself is needed too.
        """
        texts = [(pair.reference.text, pair.candidate.text) for pair in pairs]
        new = list(dict.fromkeys(key for key in texts if not self._known(key, with_selves=with_selves)))
        fresh = dict(zip(new, self._read_new(new, with_selves=with_selves), strict=True))
        results = [fresh[key] if key in fresh else self._pairs[key] for key in texts]
        for key, result in fresh.items():
            _remember(self._pairs, key, result, self.remembered)
        return results

    def _known(self, key: tuple[str, str], *, with_selves: bool) -> bool:
        known = self._pairs.get(key)
        if known is None:
            return False
        return isinstance(known, Unscored) or not with_selves or known.aligned.reference_self is not None

    def _read_new(self, texts: Sequence[tuple[str, str]], *, with_selves: bool) -> list[ReadPair | Unscored]:
        units = self._extract(list(dict.fromkeys(text for pair in texts for text in pair)))
        refusals = [self._refusal(pair, units) for pair in texts]
        readable = [pair for pair, refusal in zip(texts, refusals, strict=True) if refusal is None]
        costs = [self.cost.between(_or_null(units[r]), _or_null(units[c])) for r, c in readable]
        selves = self._align_selves(readable, units) if with_selves else {}
        read = iter(
            ReadPair(
                reference_units=_clinical(units[r]),
                candidate_units=_clinical(units[c]),
                aligned=AlignedPair(
                    cross=cross,
                    reference_self=selves.get(r),
                    candidate_self=selves.get(c),
                    reference_burden=self.cost.burden(_or_null(units[r])),
                    candidate_burden=self.cost.burden(_or_null(units[c])),
                ),
                reference_asides=_asides(units[r]),
                candidate_asides=_asides(units[c]),
            )
            for (r, c), cross in zip(readable, _checked(self.aligner.align(costs), costs), strict=True)
        )
        return [refusal if refusal is not None else next(read) for refusal in refusals]

    def _extract(self, texts: Sequence[str]) -> dict[str, Extraction]:
        extractions = self.extractor.extract([Report(text) for text in texts])
        for text, extraction in zip(texts, extractions, strict=True):
            _check_units(text, extraction)
        return dict(zip(texts, extractions, strict=True))

    def _refusal(self, texts: tuple[str, str], units: dict[str, Extraction]) -> Unscored | None:
        if not any(text.strip() for text in texts):
            return Unscored("empty", "both reports are empty")
        if not any(units[text] for text in texts) and texts[0].split() != texts[1].split():
            return Unscored("nothing to read", "neither report holds a sentence with a word in it")
        for side, text in zip(("reference", "candidate"), texts, strict=True):
            extraction = units[text]
            if isinstance(extraction, Unscored):
                return Unscored(extraction.reason, f"{side}: {extraction.detail}", extraction.evidence)
            if len(extraction) > self.max_units:
                detail = f"{side}: {len(extraction)} units, more than the limit of {self.max_units}"
                return Unscored("too long", detail)
        return None

    def _align_selves(self, texts: Sequence[tuple[str, str]], units: dict[str, Extraction]) -> dict[str, Alignment]:
        wanted = dict.fromkeys(text for pair in texts for text in pair)
        known = {text: self._selves[text] for text in wanted if text in self._selves}
        new = [text for text in wanted if text not in known]
        costs: list[PairCosts] = [self.cost.between(_or_null(units[t]), _or_null(units[t])) for t in new]
        for text, alignment in zip(new, _checked(self.aligner.align(costs), costs), strict=True):
            known[text] = alignment
            _remember(self._selves, text, alignment, self.remembered)
        return known


def _check_units(text: str, extraction: Extraction) -> None:
    """Units must lie in their report. Raises `ValueError`, which unscores the pair."""
    if isinstance(extraction, Unscored):
        return
    if not isinstance(extraction, tuple) or not all(0 <= u.start <= u.end <= len(text) for u in extraction):
        raise ValueError("the extractor returned units that do not lie in the report")


def _checked(alignments: Sequence[Alignment], costs: Sequence[PairCosts]) -> Sequence[Alignment]:
    """Plans must be finite, nonnegative, of their costs' shape, and carry mass. Raises `ValueError`."""
    if len(alignments) != len(costs):
        raise ValueError(f"the aligner returned {len(alignments)} plans for {len(costs)} pairs")
    for alignment, cost in zip(alignments, costs, strict=True):
        plan = alignment.plan
        if (
            plan.shape != cost.ground["finding"].shape
            or not np.isfinite(plan).all()
            or plan.min() < 0
            or not plan.any()
        ):
            raise ValueError("the aligner returned what is no transport plan")
    return alignments


def _remember(store: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    store[key] = value
    store.move_to_end(key)
    if len(store) > limit:
        store.popitem(last=False)


def _clinical(extraction: Extraction) -> Units:
    return () if isinstance(extraction, Unscored) else tuple(u for u in extraction if not u.administrative)


def _asides(extraction: Extraction) -> Units:
    return () if isinstance(extraction, Unscored) else tuple(u for u in extraction if u.administrative)


def _or_null(extraction: Extraction) -> Units:
    return _clinical(extraction) or (NULL_UNIT,)
