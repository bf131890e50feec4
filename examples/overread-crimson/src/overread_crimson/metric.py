"""The metric: which findings notation matched, which it missed and which are false, handed to the arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import field, frozen
from overread.application.ports import Metric
from overread.domain.findings.lesion import Lesion, lesions_of
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Outcome, Scored, TransportEvidence, Unscored
from overread.domain.vocabulary.severity import Importance
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory

from overread_crimson.arithmetic import ATTRIBUTE_WEIGHTS, FINDING_WEIGHTS, MatchedFinding, crimson_score

__all__ = ["CrimsonMetric"]

_WEIGHTS: Final[Mapping[Importance | None, float]] = {
    Importance.URGENT: FINDING_WEIGHTS["urgent"],
    Importance.ACTIONABLE: FINDING_WEIGHTS["actionable_not_urgent"],
    Importance.FOLLOW_UP: FINDING_WEIGHTS["not_actionable_not_urgent"],
    Importance.INCIDENTAL: FINDING_WEIGHTS["not_actionable_not_urgent"],
    Importance.EXPECTED: FINDING_WEIGHTS["benign_expected"],
    None: FINDING_WEIGHTS["unknown"],
}
"""CRIMSON's four steps of what a finding asks for, by overread's five."""


@frozen
class CrimsonMetric:
    """CRIMSON's score with overread in place of the language model that finds and grades the errors.

    A finding is a lesion as notation has it: what a report says of one finding at one place, however often. Above -1
    and up to 1, higher is better; two reports without a finding score 1, and two blank ones are unscored. What a second
    reader doubts counts as no error. Subscores are the weights of the reference's findings (``reference``), of those
    that are matched, less what is wrong about them (``correct``), of those missed (``missed``) and false (``false``).

    Attributes:
        notation: the metric whose discrepancies are weighed.
        lexicon: what findings ask for.
    """

    notation: Metric
    lexicon: Lexicon = field(repr=False)

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Those of notation: the weights are of this version."""
        return tuple(self.notation.signature_parts)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """CRIMSON's score of each pair; unscored where notation does not score it."""
        outcomes = self.notation.evaluate(pairs)
        return [
            outcome if isinstance(outcome, Unscored) else self._weigh(pair, outcome)
            for pair, outcome in zip(pairs, outcomes, strict=True)
        ]

    def _weigh(self, pair: ReportPair, read: Scored) -> Scored:
        lesions = self._lesions(pair, read.evidence)
        by_lesion: dict[int, list[Discrepancy]] = {number: [] for number in range(len(lesions))}
        false: list[float] = []
        for discrepancy in read.discrepancies:
            if discrepancy.is_doubtful:
                continue
            number = None if _is_false(discrepancy) else _lesion_of(discrepancy, lesions)
            if number is not None:
                by_lesion[number].append(discrepancy)
            elif discrepancy.category is ErrorCategory.FALSE_FINDING:
                false.append(_WEIGHTS[discrepancy.importance])
        matched, missed = [], []
        for number, lesion in enumerate(lesions):
            weight = _WEIGHTS[lesion.importance]
            if any(discrepancy.category is ErrorCategory.OMITTED_FINDING for discrepancy in by_lesion[number]):
                missed.append(weight)
            else:
                matched.append(MatchedFinding(weight, tuple(map(_attribute_weight, by_lesion[number]))))
        return Scored(
            score=crimson_score(matched, missed, false),
            subscores={
                "reference": float(sum(finding.weight for finding in matched) + sum(missed)),
                "correct": float(sum(finding.credit for finding in matched)),
                "missed": float(sum(missed)),
                "false": float(sum(false)),
            },
            discrepancies=read.discrepancies,
            evidence=read.evidence,
            truncated=read.truncated,
            notes=read.notes,
        )

    def _lesions(self, pair: ReportPair, evidence: object) -> list[Lesion]:
        if not isinstance(evidence, TransportEvidence):
            raise TypeError("notation gave no units with its score")
        units = evidence.reference_units
        beside = (unit.canonical_finding for unit in units if unit.asserts_finding)
        lexicon = self.lexicon.for_patient(pair.context, beside=beside)
        return lesions_of(units, evidence.candidate_units, lexicon)


def _is_false(discrepancy: Discrepancy) -> bool:
    """Return whether the reference denies what the candidate asserts, or the candidate says both."""
    return discrepancy.category is ErrorCategory.FALSE_FINDING and discrepancy.aspect in {
        ErrorAspect.NEGATION,
        ErrorAspect.CONTRADICTION,
    }


def _lesion_of(discrepancy: Discrepancy, lesions: Sequence[Lesion]) -> int | None:
    """Number of the reference's lesion that a discrepancy is about, by its place and then by its finding."""
    spans = set(discrepancy.reference_spans)
    here = [number for number, lesion in enumerate(lesions) if spans & {unit.span for unit in lesion.units}]
    named = [number for number in here if discrepancy.finding in lesions[number].names]
    return next(iter([*named, *here]), None)


def _attribute_weight(discrepancy: Discrepancy) -> float:
    return ATTRIBUTE_WEIGHTS["significant" if discrepancy.severity.counts_as_significant else "negligible"]
