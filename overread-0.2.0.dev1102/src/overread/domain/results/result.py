"""Results: a score with its evidence, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from attrs import evolve, field, frozen

from overread.domain.entities.entity import Entity
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.results.alignment import Alignment
from overread.domain.results.answer import Answer
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.readout import Contribution
from overread.domain.results.record import result_record
from overread.domain.results.showing import result_html, result_words
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.equality import in_tuple, number, numbers
from overread.exceptions import UnscoredPairError

__all__ = [
    "EMPTY_PAIR",
    "SAME_WORDS",
    "AnswerEvidence",
    "CountEvidence",
    "EntityEvidence",
    "EntityMatch",
    "EvaluationResult",
    "Evidence",
    "Fault",
    "Outcome",
    "Scale",
    "Scored",
    "TransportEvidence",
    "Unscored",
]


@frozen
class Scale:
    """Range of a score and which end is good."""

    low: float
    high: float
    higher_is_better: bool

    def describe(self) -> str:
        """The scale in words.

        >>> Scale(0.0, math.inf, higher_is_better=False).describe()
        '0 to infinity, lower is better'
        """
        low = "minus infinity" if math.isinf(self.low) else f"{self.low:g}"
        high = "infinity" if math.isinf(self.high) else f"{self.high:g}"
        return f"{low} to {high}, {'higher' if self.higher_is_better else 'lower'} is better"


def _terms(contributions: Mapping[str, Sequence[Contribution]]) -> frozenset[tuple[str, tuple[Contribution, ...]]]:
    return frozenset((target, tuple(terms)) for target, terms in contributions.items())


@frozen(kw_only=True)
class TransportEvidence:
    """Evidence of a transport metric: the units of both reports, their alignment, the readout's terms by target."""

    reference_units: tuple[ClinicalUnit, ...]
    candidate_units: tuple[ClinicalUnit, ...]
    alignment: Alignment
    contributions: Mapping[str, Sequence[Contribution]] = field(factory=dict, eq=_terms)


@frozen
class EntityMatch:
    """One entity, the entity of the other report that it is compared with, and what that adds.

    Attributes:
        entity: index of the entity in its own report.
        match: index of its best match in the other report.
        similarity: of the two names or meanings, -1 to 1.
        weight: W of the two types, 0 or more.
        penalty: p where the types are at odds, else 1.
    """

    entity: int
    match: int
    similarity: float = field(eq=number)
    weight: float = field(eq=number)
    penalty: float = field(eq=number)


@frozen(kw_only=True)
class EntityEvidence:
    """Evidence of an entity metric: the entities of both reports, and the match of each in the other."""

    reference_entities: tuple[Entity, ...]
    candidate_entities: tuple[Entity, ...]
    reference_matches: tuple[EntityMatch, ...] = ()
    candidate_matches: tuple[EntityMatch, ...] = ()


@frozen(kw_only=True)
class CountEvidence:
    """Evidence of an error counter: the counts for a pair."""

    counts: ErrorCounts


@frozen(kw_only=True)
class AnswerEvidence:
    """Answers of language models about a pair.

    Attributes:
        answers: in the order asked, including requests for repair and second passes.
        explanation: what the answer says of the pair as a whole, in its own words.
        matched: the findings that it says both reports state, in its own words.
    """

    answers: tuple[Answer, ...]
    explanation: str = field(default="", repr=False)
    matched: tuple[str, ...] = field(default=(), repr=False)


Evidence = TransportEvidence | EntityEvidence | CountEvidence | AnswerEvidence
"""What a score rests on; which of them depends on the metric."""


@frozen(kw_only=True)
class Scored:
    """A score and what led to it.

    Two are equal that say the same of a pair: evidence is not compared, since what is kept of a result has none.

    Attributes:
        score: on the metric's scale; never rounded.
        subscores: named numbers beside the score.
        evidence: what the score rests on; it has an equality of its own.
        truncated: whether part of a report was not read.
        notes: remarks a reader must know, for example that a stand-in backend answered.
    """

    score: float = field(eq=number)
    subscores: Mapping[str, float] = field(factory=dict, eq=numbers)
    discrepancies: tuple[Discrepancy, ...] = field(default=(), converter=in_tuple)
    evidence: Evidence | None = field(default=None, repr=False, eq=False)
    truncated: bool = False
    notes: tuple[str, ...] = field(default=(), converter=in_tuple)


class Fault(StrEnum):
    """The text for whose sake there is no score: it would have none with any other beside it.

    ``REPORT`` is said by what reads one text and does not know whose it is.
    """

    REPORT = "report"
    REFERENCE = "reference"
    CANDIDATE = "candidate"


@frozen
class Unscored:
    """No score, and why. As with `Scored`, evidence is not compared.

    Attributes:
        reason: a short stable code.
        detail: a sentence without report text.
        evidence: what was seen before it failed, for example a model's answer that could not be read.
        fault: the text that cannot be scored for what it is; None where it is both together, or where what scores
            failed.
    """

    reason: str
    detail: str = ""
    evidence: AnswerEvidence | None = field(default=None, repr=False, eq=False)
    fault: Fault | None = None

    def of(self, side: Fault) -> Unscored:
        """The same of the report on that side of a pair."""
        return evolve(self, detail=f"{side.value}: {self.detail}", fault=self.fault and side)


EMPTY_PAIR: Final = Unscored("empty", "both reports are empty")

SAME_WORDS: Final = "both reports have the same words"
"""Note of a metric that has nothing to ask about such a pair."""
"""What there is to say of a pair of blank reports."""

Outcome = Scored | Unscored
"""What a metric returns for one pair."""


@frozen(kw_only=True)
class EvaluationResult:
    """One metric's outcome for one pair, with the scale and the signature it was made under."""

    pair_id: str
    metric: str
    scale: Scale
    signature: Signature
    outcome: Outcome

    @property
    def is_scored(self) -> bool:
        """True if there is a score."""
        return isinstance(self.outcome, Scored)

    @property
    def scored(self) -> Scored:
        """The scored outcome.

        Raises:
            UnscoredPairError: if the pair could not be scored.
        """
        if isinstance(self.outcome, Unscored):
            raise UnscoredPairError(self.pair_id, self.metric, self.outcome.reason)
        return self.outcome

    @property
    def score(self) -> float:
        """The score. Raises `UnscoredPairError` if the pair could not be scored."""
        return self.scored.score

    @property
    def subscores(self) -> Mapping[str, float]:
        """The named numbers beside the score. Raises `UnscoredPairError` if the pair could not be scored."""
        return self.scored.subscores

    @property
    def discrepancies(self) -> tuple[Discrepancy, ...]:
        """The discrepancies found. Raises `UnscoredPairError` if the pair could not be scored."""
        return self.scored.discrepancies

    def to_dict(self) -> dict[str, Any]:
        """The record of the result, as `overread.result_record` makes it: plain values without report text."""
        return result_record(self)

    def to_html(self) -> str:
        """The result as an HTML element without report text; `PairResults` shows it in the reports."""
        return result_html(self)

    def _repr_html_(self) -> str:
        """HTML that a notebook shows."""
        return self.to_html()

    def __repr__(self) -> str:
        return f"EvaluationResult({self.pair_id!r}: {result_words(self)})"
