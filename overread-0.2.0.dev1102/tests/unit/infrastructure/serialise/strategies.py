"""Every kind of result and of evidence, at random."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from overread.domain.entities.entity import Entity, EntityType
from overread.domain.findings.unit import (
    Certainty,
    Change,
    ClinicalUnit,
    Experiencer,
    Measurement,
    Polarity,
    Temporality,
)
from overread.domain.reports.report import Span
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
    Fault,
    Scale,
    Scored,
    TransportEvidence,
    Unscored,
)
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType

__all__ = ["answer_evidence", "evidences", "results", "text", "words"]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
words = st.text(st.sampled_from("abcz019.,=- é"), min_size=1, max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)
any_numbers = st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf, -math.inf, -0.0])
any_counts = st.floats(0.0, 1e6) | st.sampled_from([math.nan, math.inf, -0.0])
"""Counts as a broken counter gives them; below 0 there is none, and infinities of both signs have no sum."""
shares = st.floats(0.0, 1.0)
counts = st.integers(0, 10**6)
spans = st.builds(Span, counts, counts)
labels = st.frozensets(words, max_size=2)


def several(each: st.SearchStrategy[Any], most: int = 2, least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    """A tuple of some."""
    return st.lists(each, min_size=least, max_size=most).map(tuple)


def named(each: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some by name; a name may hold the signs that paths are written with."""
    return st.dictionaries(text | st.sampled_from(["a/b", "~", "0", ""]), each, max_size=3)


discrepancies = st.builds(
    Discrepancy,
    category=st.none() | st.sampled_from(ErrorCategory),
    aspect=st.sampled_from(ErrorAspect),
    type=st.none() | st.sampled_from(ErrorType),
    severity=st.sampled_from(Severity),
    reason=text,
    finding=text,
    side=st.sampled_from(["", "left", "right", "both"]),
    reference_spans=several(spans) | st.lists(spans, max_size=2),
    candidate_spans=several(spans),
    explanation=text,
    importance=st.none() | st.sampled_from(Importance),
    extent=st.none() | shares,
    probability=shares,
)
answers = st.builds(
    Answer,
    key=words,
    prompt=text,
    completion=st.builds(
        Completion,
        text=text,
        finish=st.sampled_from(Finish),
        model=text,
        prompt_tokens=st.none() | counts,
        completion_tokens=st.none() | counts,
    ),
    attempt=st.integers(1, 9),
    outcome=text,
    asked=st.booleans(),
)
units = st.builds(
    ClinicalUnit,
    span_text=text,
    start=counts,
    end=counts,
    section=text,
    sentence_index=counts,
    canonical_finding=words,
    surface_finding=text,
    polarity=st.sampled_from(Polarity),
    certainty=st.none() | st.sampled_from(Certainty),
    change=st.none() | st.sampled_from(Change),
    device=st.none() | words,
    device_status=st.none() | words,
    severity=st.none() | words,
    anatomy=labels,
    modifiers=labels,
    measurements=several(st.builds(Measurement, numbers, words, numbers)),
    denies=labels,
    administrative=words,
    modalities=labels,
    actions=labels,
    interval_days=st.none() | st.tuples(numbers, numbers),
    about=labels,
    temporality=st.sampled_from(Temporality),
    experiencer=st.sampled_from(Experiencer),
    confidence=shares,
)


@st.composite
def alignments(draw: st.DrawFn, rows: int, columns: int) -> Alignment:
    """A plan between some units, with numbers of any kind."""

    def array(*shape: int) -> npt.NDArray[np.float64]:
        return draw(arrays.arrays(np.float64, shape, elements=any_numbers))

    def matrices() -> dict[str, npt.NDArray[np.float64]]:
        return {name: array(rows, columns) for name in draw(named(st.none()))}

    has_null = draw(st.booleans())
    return Alignment(
        plan=array(rows, columns),
        ground=array(rows, columns),
        channels=matrices(),
        side=matrices(),
        row_mass=array(rows),
        column_mass=array(columns),
        row_null=array(rows) if has_null else None,
        column_null=array(columns) if has_null else None,
        factors=draw(named(any_numbers)),
        converged=draw(st.booleans()),
        marginal_error=draw(any_numbers),
        iterations=draw(counts),
    )


@st.composite
def transports(draw: st.DrawFn) -> TransportEvidence:
    """What a transport metric saw, also where a report has no unit."""
    reference, candidate = draw(several(units)), draw(several(units))
    terms = st.builds(Contribution, words, any_numbers, any_numbers, any_numbers)
    return TransportEvidence(
        reference_units=reference,
        candidate_units=candidate,
        alignment=draw(alignments(len(reference), len(candidate))),
        contributions=draw(named(several(terms) | st.lists(terms, max_size=2))),
    )


entities = st.builds(Entity, text, counts, counts, st.sampled_from(EntityType))
matches = st.builds(EntityMatch, counts, counts, any_numbers, any_numbers, any_numbers)
answer_evidence = st.builds(AnswerEvidence, answers=several(answers, least=1), explanation=text, matched=several(text))
evidences = (
    transports()
    | st.builds(
        EntityEvidence,
        reference_entities=several(entities),
        candidate_entities=several(entities),
        reference_matches=several(matches),
        candidate_matches=several(matches),
    )
    | st.builds(
        CountEvidence,
        counts=st.builds(
            ErrorCounts,
            counts=named(any_counts),
            presence=named(any_numbers),
            tokens=counts,
            unseen=counts,
            windows=counts,
        ),
    )
    | answer_evidence
)


@st.composite
def outcomes(draw: st.DrawFn, scale: Scale) -> Scored | Unscored:
    """A score within a scale, or none."""
    if draw(st.booleans()):
        evidence = draw(st.none() | answer_evidence)
        return Unscored(draw(text), draw(text), evidence, draw(st.none() | st.sampled_from(Fault)))
    low, high = max(scale.low, -1e300), min(scale.high, 1e300)
    return Scored(
        score=draw(st.sampled_from([low, high]) | st.floats(low, high)),
        subscores=draw(named(numbers | st.sampled_from([-0.0, 0.0, 5e-324]))),
        discrepancies=draw(several(discrepancies) | st.lists(discrepancies, max_size=2)),
        evidence=draw(st.none() | evidences),
        truncated=draw(st.booleans()),
        notes=draw(several(text) | st.lists(text, max_size=2)),
    )


@st.composite
def results(draw: st.DrawFn) -> EvaluationResult:
    """A result of any kind."""
    low, high = sorted(
        [draw(st.just(-math.inf) | st.floats(-1e6, 1e6)), draw(st.just(math.inf) | st.floats(-1e6, 1e6))]
    )
    scale = Scale(low, high, higher_is_better=draw(st.booleans()))
    # A value may hold the signs that a signature is printed with.
    parts = st.lists(st.tuples(words, words | st.sampled_from(["a|b", "1:2", "a|b:c"])), max_size=3)
    return EvaluationResult(
        pair_id=draw(text),
        metric=draw(words),
        scale=scale,
        signature=Signature(draw(words), draw(parts)),
        outcome=draw(outcomes(scale)),
    )
