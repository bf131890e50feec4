"""A small pair with hand-built results, for tests of what people see."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np
from attrs import evolve
from numpy.typing import ArrayLike

from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Measurement, Polarity
from overread.domain.reports.report import ClinicalContext, ReportPair, Span
from overread.domain.results.alignment import Alignment
from overread.domain.results.answer import Answer, Completion, Finish
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.readout import Contribution
from overread.domain.results.result import (
    AnswerEvidence,
    CountEvidence,
    EntityEvidence,
    EntityMatch,
    EvaluationResult,
    Outcome,
    Scale,
    Scored,
    TransportEvidence,
    Unscored,
)
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType

RISK: Final = Scale(0.0, math.inf, higher_is_better=False)
RELATIVE_RISK: Final = Scale(0.0, 1.0, higher_is_better=False)
SHARE: Final = Scale(0.0, 1.0, higher_is_better=True)

REFERENCE: Final = (
    "FINDINGS: No pneumothorax. A large right pleural effusion is unchanged. A 12 mm nodule lies in the left upper "
    "lobe, possibly new. <script>alert('x')</script> Qwxyz & co."
)
CANDIDATE: Final = "FINDINGS: There is a pneumothorax. A small right pleural effusion. The heart is normal."


def finding_name(finding: str) -> str:
    """Display names as a lexicon would give them."""
    return finding.replace("_", " ")


def span(text: str, words: str) -> Span:
    """Where words stand in a text."""
    start = text.index(words)
    return Span(start, start + len(words))


def unit(text: str, words: str, finding: str, **attributes: object) -> ClinicalUnit:
    """A unit that covers words of a text."""
    where = span(text, words)
    return ClinicalUnit(
        span_text=words,
        start=where.start,
        end=where.end,
        canonical_finding=finding,
        **attributes,  # type: ignore[arg-type]
    )


def reference_units() -> tuple[ClinicalUnit, ...]:
    """Four units: a denial, an assertion, an uncertain measured nodule, and a sentence no rule covers."""
    return (
        unit(REFERENCE, "No pneumothorax", "pneumothorax", polarity=Polarity.ABSENT, section="FINDINGS"),
        unit(
            REFERENCE,
            "A large right pleural effusion is unchanged",
            "pleural_effusion",
            severity="large",
            anatomy=frozenset({"right"}),
            change=Change.STABLE,
            section="FINDINGS",
        ),
        unit(
            REFERENCE,
            "A 12 mm nodule lies in the left upper lobe, possibly new",
            "nodule",
            certainty=Certainty.POSSIBLE,
            anatomy=frozenset({"left", "upper_lobe"}),
            measurements=(Measurement(12.0, "mm", 12.0),),
            section="FINDINGS",
        ),
        unit(REFERENCE, "<script>alert('x')</script> Qwxyz & co.", "", confidence=0.5, section="FINDINGS"),
    )


def candidate_units() -> tuple[ClinicalUnit, ...]:
    """Three units: an assertion, a smaller effusion, and a normal statement."""
    return (
        unit(CANDIDATE, "There is a pneumothorax", "pneumothorax"),
        unit(
            CANDIDATE,
            "A small right pleural effusion",
            "pleural_effusion",
            severity="small",
            anatomy=frozenset({"right"}),
        ),
        unit(
            CANDIDATE,
            "The heart is normal",
            "normal_heart",
            polarity=Polarity.ABSENT,
            denies=frozenset({"cardiomegaly"}),
        ),
    )


def alignment(
    plan: ArrayLike,
    ground: ArrayLike,
    side: ArrayLike,
    *,
    converged: bool = True,
) -> Alignment:
    """An alignment whose whole side cost stands in the modifier channel."""
    mass, cost = np.array(plan, dtype=np.float64), np.array(ground, dtype=np.float64)
    nothing = np.zeros_like(mass)
    return Alignment(
        plan=mass,
        ground=cost,
        channels=dict.fromkeys(GROUND_CHANNELS, cost),
        side={name: np.array(side, dtype=np.float64) if name == "modifier" else nothing for name in SIDE_CHANNELS},
        row_mass=mass.sum(axis=1),
        column_mass=mass.sum(axis=0),
        converged=converged,
        marginal_error=2e-10 if converged else 3e-2,
        iterations=7,
    )


def evidence(*, converged: bool = True) -> TransportEvidence:
    """A 4 x 3 plan. By hand the highest risk is R3 to C3: 0.20 (0.50 + 1.00) = 0.300."""
    return TransportEvidence(
        reference_units=reference_units(),
        candidate_units=candidate_units(),
        alignment=alignment(
            [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.05, 0.2], [0.05, 0.05, 0.15]],
            [[0.4, 0.7, 0.8], [0.6, 0.1, 0.7], [0.7, 0.6, 0.5], [0.8, 0.8, 0.75]],
            [[0.5, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]],
            converged=converged,
        ),
        contributions={
            "total": (
                Contribution("modifier_expected", 0.7, 7.224, 1.5),
                Contribution("comparison_top3_mass_weighted", 0.2, 3.534, 0.75),
                Contribution("somebody_elses_feature", 0.2, 1.0, 0.25),
            ),
            "significant": (Contribution("modifier_expected", 0.7, 6.824, 1.25),),
            "insignificant": (),
        },
    )


def discrepancies() -> tuple[Discrepancy, ...]:
    """One of each severity, in the metric's order; the first two overlap in the reference."""
    effusion = span(REFERENCE, "A large right pleural effusion is unchanged")
    return (
        Discrepancy(
            category=ErrorCategory.OMITTED_COMPARISON,
            aspect=ErrorAspect.COMPARISON,
            type=ErrorType.OMISSION,
            severity=Severity.INSIGNIFICANT,
            reason="a comparison (stable) is lost",
            finding="pleural_effusion",
            reference_spans=(effusion,),
            candidate_spans=(span(CANDIDATE, "A small right pleural effusion"),),
        ),
        Discrepancy(
            category=ErrorCategory.SEVERITY,
            aspect=ErrorAspect.SEVERITY,
            type=ErrorType.INACCURACY,
            severity=Severity.SIGNIFICANT,
            reason="the degree differs by two steps",
            finding="pleural_effusion",
            reference_spans=(span(REFERENCE, "large right pleural effusion"),),
            candidate_spans=(span(CANDIDATE, "small right pleural effusion"),),
        ),
        Discrepancy(
            category=ErrorCategory.OMITTED_FINDING,
            aspect=ErrorAspect.DESCRIPTION,
            type=ErrorType.OMISSION,
            severity=Severity.SIGNIFICANT,
            reason="nodule can change what is done",
            finding="nodule",
            reference_spans=(span(REFERENCE, "A 12 mm nodule lies in the left upper lobe, possibly new"),),
        ),
        Discrepancy(
            category=ErrorCategory.FALSE_FINDING,
            aspect=ErrorAspect.CONTRADICTION,
            type=None,
            severity=Severity.CRITICAL,
            reason="the candidate contradicts itself",
            finding="pneumothorax",
            reference_spans=(span(REFERENCE, "No pneumothorax"),),
            candidate_spans=(span(CANDIDATE, "There is a pneumothorax"),),
        ),
        Discrepancy(
            category=None,
            aspect=ErrorAspect.NOISE,
            type=None,
            severity=Severity.INSIGNIFICANT,
            reason="words that no rule covers",
            finding="",
            reference_spans=(span(REFERENCE, "<script>alert('x')</script> Qwxyz & co."),),
        ),
    )


def result(metric: str, scale: Scale, outcome: Outcome) -> EvaluationResult:
    """A result under an invented signature."""
    signature = Signature(metric, [("aligner", "balanced,eps=0.2,w=.25/.2/.4/.15"), ("version", "0.1.0")])
    return EvaluationResult(pair_id="s<1>", metric=metric, scale=scale, signature=signature, outcome=outcome)


def radot(*, converged: bool = True) -> EvaluationResult:
    """A radot result whose terms add up to its risks, insignificant by a constant."""
    return result(
        "radot",
        RISK,
        Scored(
            score=2.5,
            subscores={"total": 2.5, "significant": 1.25, "insignificant": 0.125},
            evidence=evidence(converged=converged),
            notes=("a stand-in backend answered",),
        ),
    )


def notation(found: tuple[Discrepancy, ...] | None = None) -> EvaluationResult:
    """A notation result with its counts."""
    found = discrepancies() if found is None else found
    counts = {category.value: float(sum(d.category is category for d in found)) for category in ErrorCategory}
    return result("notation", SHARE, Scored(score=0.25, subscores={**counts, "matched": 1.0}, discrepancies=found))


def unscored() -> EvaluationResult:
    """A metric that could not score the pair."""
    return result("rouge", SHARE, Unscored("language", "candidate: not a language the reader knows"))


def pair(reference: str = REFERENCE, candidate: str = CANDIDATE) -> ReportPair:
    """The pair that the hand-built results are about."""
    context = ClinicalContext(age=67, sex="F", indication="cough [bold] & fever")
    return ReportPair(id="s<1>", reference=reference, candidate=candidate, context=context)


def results() -> Mapping[str, EvaluationResult]:
    """Scored with evidence, scored with discrepancies, and unscored."""
    return {item.metric: item for item in (radot(), notation(), unscored())}


def against_nothing() -> tuple[ReportPair, Mapping[str, EvaluationResult]]:
    """An empty candidate: every unit is transported to one null unit."""
    units = reference_units()
    omitted = tuple(d for d in discrepancies() if not d.candidate_spans)
    column = [[0.25]] * 4
    plan = TransportEvidence(
        reference_units=units,
        candidate_units=(),
        alignment=alignment(column, [[0.75]] * 4, [[0.0], [1.0], [0.5], [0.0]]),
    )
    scored = Scored(score=0.0, discrepancies=omitted, evidence=plan)
    return pair(candidate=""), {"notation": result("notation", SHARE, scored)}


def weighed() -> tuple[EvaluationResult, EvaluationResult]:
    """A radot and a notation result over one plan with edges without a partner.

    By hand: pneumothorax denied and asserted is alone on both sides, 0.5 x 1 for the candidate's; of the effusion's
    0.5 all is carried at 0.3, the nodule's 0.2 and the sentence's 0.03 are alone at 0.6 and 1: in all
    0.5 + 0.15 + 0.12 + 0.03 = 0.8. The reference's mass is 0.73, so that the score is 0.865 / (0.865 + 0.8).
    """
    found = (
        evolve(discrepancies()[1], category=ErrorCategory.FALSE_FINDING, importance=Importance.ACTIONABLE, extent=1.0),
        evolve(discrepancies()[0], importance=Importance.ACTIONABLE, extent=0.3, severity=Severity.SIGNIFICANT),
        evolve(discrepancies()[2], importance=Importance.FOLLOW_UP, extent=0.6, severity=Severity.INSIGNIFICANT),
    )
    nothing = np.zeros((4, 3))
    plan, cost = nothing.copy(), np.full((4, 3), 2.0)
    plan[1, 1], cost[1, 1] = 0.5, 0.3
    partial = evolve(
        alignment(plan, cost, nothing),
        row_mass=np.array([0.0, 0.5, 0.2, 0.03]),
        column_mass=np.array([0.5, 0.5, 0.0]),
        row_null=np.array([1.0, 1.0, 0.6, 1.0]),
        column_null=np.ones(3),
        iterations=0,
    )
    plan_evidence = evolve(evidence(), alignment=partial, contributions={})
    terms = (
        Contribution("false_finding_actionable", 0.5, 1.0, 0.5),
        Contribution("omitted_comparison_actionable", 0.15, 1.0, 0.15),
        Contribution("terminology_follow_up", 0.12, 1.0, 0.12),
        Contribution("false_comparison_expected", 0.03, 1.0, 0.03),
    )
    explained = evolve(plan_evidence, contributions={"total": terms})
    subscores = {"total": 0.8, "significant": 0.65, "insignificant": 0.15}
    score = 0.865 / 1.665
    noted = Scored(score=score, subscores={"risk": 0.8}, discrepancies=found, evidence=plan_evidence)
    return (
        result("radot", RELATIVE_RISK, Scored(score=1 - score, subscores=subscores, evidence=explained)),
        result("notation", SHARE, noted),
    )


def entity(text: str, words: str, kind: EntityType) -> Entity:
    """An entity that covers words of a text."""
    where = span(text, words)
    return Entity(text=words, start=where.start, end=where.end, type=kind)


def entities() -> EntityEvidence:
    """Two entities against two. By hand the candidate's add (0.9 x 0.36 x 1 + 0.6 x 1 x 0.5) / 1.5 = 0.416."""
    return EntityEvidence(
        reference_entities=(
            entity(REFERENCE, "pneumothorax", EntityType.NON_DISEASE),
            entity(REFERENCE, "<script>alert('x')</script>", EntityType.ABNORMALITY),
        ),
        candidate_entities=(
            entity(CANDIDATE, "pneumothorax", EntityType.DISEASE),
            entity(CANDIDATE, "heart", EntityType.ANATOMY),
        ),
        reference_matches=(
            EntityMatch(entity=0, match=0, similarity=1.0, weight=0.5, penalty=0.36),
            EntityMatch(entity=1, match=1, similarity=-0.25, weight=0.0, penalty=1.0),
        ),
        candidate_matches=(
            EntityMatch(entity=0, match=0, similarity=1.0, weight=0.9, penalty=0.36),
            EntityMatch(entity=1, match=1, similarity=0.5, weight=0.6, penalty=1.0),
        ),
    )


def ratescore(found: EntityEvidence | None = None) -> EvaluationResult:
    """A ratescore result of a stand-in recognizer; without matches the directions are 0."""
    found = entities() if found is None else found
    precision, recall = (0.416, 0.36) if found.candidate_matches else (0.0, 0.0)
    scored = Scored(
        score=0.386,
        subscores={"precision": precision, "recall": recall},
        evidence=found,
        notes=("another reader stands in",),
    )
    return result("ratescore", SHARE, scored)


def crepe(*, unseen: int = 0, presence: Mapping[str, float] | None = None) -> EvaluationResult:
    """A crepe result that predicts 2.5 errors and lists none."""
    heads = {"A": 2.0, "B": 0.5, "C": 0.0, "D": 0.0, "E": 0.0, "F": 0.0}
    chances = {head: min(1.0, count) for head, count in heads.items()} if presence is None else presence
    counts = ErrorCounts(counts=heads, presence=chances, tokens=600, unseen=unseen, windows=2)
    scored = Scored(
        score=2.5,
        subscores=heads,
        evidence=CountEvidence(counts=counts),
        truncated=unseen > 0,
        notes=("a small model stands in",),
    )
    return result("crepe", RISK, scored)


def answer(text: str, attempt: int = 1, outcome: str = "read", **told: object) -> Answer:
    """An answer to an invented prompt."""
    return Answer("0" * 64, "green@1:0123456789ab", Completion(text, **told), attempt, outcome)  # type: ignore[arg-type]


def green() -> EvaluationResult:
    """A judged pair: one error with an explanation that quotes the report, after a repair."""
    answers = (
        answer("I think [bold]two\x1b[31m errors", outcome="unreadable answer", finish=Finish.LENGTH),
        answer(
            "[Explanation]: ...\r\n(a) False finding: 1.", 2, prompt_tokens=1234, completion_tokens=56, model="m-7b"
        ),
    )
    found = Discrepancy(
        category=ErrorCategory.FALSE_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.FABRICATION,
        severity=Severity.SIGNIFICANT,
        reason="judged significant",
        finding="",
        candidate_spans=(span(CANDIDATE, "There is a pneumothorax"),),
        explanation="The candidate <b>reports</b> a pneumothorax, which the reference denies.",
    )
    evidence = AnswerEvidence(
        answers=answers,
        explanation="One finding is [bold]invented[/bold].",
        matched=("A right pleural\neffusion", "Heart size"),
    )
    counts = {"A": 1.0, **dict.fromkeys("BCDEF", 0.0), "matched": 2.0}
    return result("green", SHARE, Scored(score=2 / 3, subscores=counts, discrepancies=(found,), evidence=evidence))


def refused() -> EvaluationResult:
    """A pair that is unscored because its answer could not be read."""
    evidence = AnswerEvidence(answers=(answer("I'm sorry, but I cannot help.", outcome="refusal"),))
    return result("green", SHARE, Unscored("refusal", "the model declined", evidence))
