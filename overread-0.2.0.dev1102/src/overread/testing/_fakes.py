"""Fakes of what transport works with, and of a metric: answers that can be worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np
from attrs import field, frozen

from overread.application.ports import Extraction
from overread.application.traits import MetricTraits
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import CostWeights, PairCosts, jaccard, tokens
from overread.domain.findings.unit import ClinicalUnit, Polarity
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.alignment import Alignment
from overread.domain.results.readout import Contribution, Risk
from overread.domain.results.result import EMPTY_PAIR, Outcome, Scale, Scored, Unscored

__all__ = ["SENTENCE", "Fake", "FakeAligner", "FakeExtractor", "FakeMetric", "FakeReadout"]

SENTENCE: Final = re.compile(r"[^.\s][^.]*")
"""What the fakes take for a sentence."""


@frozen
class Fake:
    """A component whose identity is always the same."""

    @property
    def identity(self) -> str:
        """Always the same."""
        return "fake"


@frozen
class FakeExtractor(Fake):
    """Reads every sentence as one unit whose finding is its last word; "no ..." is absent.

    Attributes:
        refused: reason by text, for reports that it shall not read.

    >>> [unit] = FakeExtractor().extract([Report("No left effusion.")])[0]
    >>> unit.canonical_finding, unit.polarity.value, (unit.start, unit.end)
    ('effusion', 'absent', (0, 16))
    """

    refused: Mapping[str, str] = field(factory=dict, repr=False)

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        """Units of each report."""
        return [self._read(report.text) for report in reports]

    def _read(self, text: str) -> Extraction:
        if text in self.refused:
            return Unscored(self.refused[text], "the fake refuses it")
        return tuple(_unit(match, index) for index, match in enumerate(SENTENCE.finditer(text)))


def _unit(sentence: re.Match[str], index: int) -> ClinicalUnit:
    words = sentence.group().lower().split()
    return ClinicalUnit(
        span_text=sentence.group(),
        start=sentence.start(),
        end=sentence.end(),
        sentence_index=index,
        canonical_finding=words[-1],
        polarity=Polarity.ABSENT if words[0] == "no" else Polarity.PRESENT,
    )


@frozen
class FakeAligner(Fake):
    """Spreads every unit's mass evenly over the units of the other report.

    Attributes:
        converged: what it says of its plans.
    """

    converged: bool = True

    def align(self, costs: Sequence[PairCosts]) -> list[Alignment]:
        """An even plan for each pair's costs."""
        return [self._spread(pair) for pair in costs]

    def _spread(self, costs: PairCosts) -> Alignment:
        ground = costs.weighted(CostWeights())
        rows, columns = ground.shape
        return Alignment(
            plan=np.full((rows, columns), 1 / (rows * columns)),
            ground=ground,
            channels=costs.ground,
            side=costs.side,
            row_mass=np.full(rows, 1 / rows),
            column_mass=np.full(columns, 1 / columns),
            converged=self.converged,
        )


@frozen
class FakeReadout:
    """Total risk is the expected ground cost; three quarters of it are significant.

    Attributes:
        uses_self_alignments: whether it takes off the mean cost of each report against itself.
    """

    uses_self_alignments: bool = False

    @property
    def identity(self) -> str:
        """The fake's name, and whether it uses self-alignments."""
        return f"fake,selves={str(self.uses_self_alignments).lower()}"

    def read_out(self, pairs: Sequence[AlignedPair]) -> list[Risk]:
        """Risk for each aligned pair."""
        return [_risk(self._cost(pair)) for pair in pairs]

    def _cost(self, pair: AlignedPair) -> float:
        if not self.uses_self_alignments:
            return pair.cross.expected_cost()
        if pair.reference_self is None or pair.candidate_self is None:
            msg = "the self-alignments that this readout uses are not there"
            raise ValueError(msg)
        bias = (pair.reference_self.expected_cost() + pair.candidate_self.expected_cost()) / 2
        return max(0.0, pair.cross.expected_cost() - bias)


_SHARES: Final = {"total": 1.0, "significant": 0.75, "insignificant": 0.25}


def _risk(cost: float) -> Risk:
    return Risk(
        scores={target: share * cost for target, share in _SHARES.items()},
        contributions={
            target: (Contribution("expected_cost", cost, share, share * cost),) for target, share in _SHARES.items()
        },
    )


@frozen
class FakeMetric:
    """Share of words that both reports hold, 0 to 1, higher is better; two blank reports are unscored.

    Attributes:
        scores: score by pair id, instead of the share.
    """

    scale: ClassVar[Scale] = Scale(0.0, 1.0, higher_is_better=True)
    scores: Mapping[str, float] = field(factory=dict)

    @property
    def traits(self) -> MetricTraits:
        """The scale."""
        return MetricTraits(scale=self.scale)

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        """Always the same."""
        return (("words", "fake"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """Share of each pair."""
        return [self._outcome(pair) for pair in pairs]

    def _outcome(self, pair: ReportPair) -> Outcome:
        if pair.id in self.scores:
            return Scored(score=self.scores[pair.id])
        if pair.is_blank:
            return EMPTY_PAIR
        return Scored(score=jaccard(tokens(pair.reference.text), tokens(pair.candidate.text)))
