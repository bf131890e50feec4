"""Records of results, and the way back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.record import SCHEMA_VERSION, encodable, result_record
from overread.domain.results.result import (
    AnswerEvidence,
    EvaluationResult,
    Evidence,
    Fault,
    Outcome,
    Scale,
    Scored,
    Unscored,
)
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.infrastructure.serialise._evidence import (
    answer_from,
    evidence_from_record,
    evidence_record,
)
from overread.infrastructure.serialise._fields import (
    ROUNDING,
    flag,
    is_intact,
    items,
    member,
    number,
    number_or_none,
    table,
    text,
    whole,
)

__all__ = ["explanation_record", "result_from_record"]


def explanation_record(result: EvaluationResult) -> dict[str, Any]:
    """`result_record` with what the outcome rests on under ``evidence``, if anything: this may hold report text.

    A judge's explanation of a discrepancy stands with it, under ``explanation``. The digest is of the result alone.
    """
    record = result_record(result)
    evidence = result.outcome.evidence
    is_explained = isinstance(result.outcome, Scored) and any(d.explanation for d in result.outcome.discrepancies)
    if isinstance(result.outcome, Scored) and (is_explained or isinstance(evidence, AnswerEvidence)):
        for listed, discrepancy in zip(record["discrepancies"], result.outcome.discrepancies, strict=False):
            listed["explanation"] = encodable(discrepancy.explanation)
    if evidence is not None:
        record["evidence"] = evidence_record(evidence)
    return record


def result_from_record(record: Mapping[str, Any]) -> EvaluationResult:
    """The result that a record was made of, equal to it; a record before or after JSON is read alike.

    Of what a score rests on, a `result_record` tells only which answers it rests on, and those without their words;
    of an `explanation_record` it all comes back.

    Raises:
        ValueError: if it is no such record, was changed since it was made, has a score outside of its own range, or is
            of a newer version. The message says what is wrong and quotes nothing.
    """
    given = table(record, "a record")
    version = given.get("schema_version")  # none in a record of before there was a schema
    if version is not None and whole(version, "schema_version", 1) > SCHEMA_VERSION:
        problem = f"was written by a newer overread (schema {version}, this one knows {SCHEMA_VERSION})"
        raise ValueError(f"the record {problem}")
    if given.get("status") not in ("scored", "unscored"):
        raise ValueError("status is neither scored nor unscored")
    if not is_intact(given):
        raise ValueError("the record was changed after it was written: its digest does not match")
    scale = _scale(given)
    return EvaluationResult(
        pair_id=text(given, "id"),
        metric=text(given, "metric"),
        scale=scale,
        signature=_signature(text(given, "signature")),
        outcome=_outcome(given, scale),
    )


def _discrepancy_from(record: object) -> Discrepancy:
    given = table(record, "a discrepancy")
    importance, probability = given.get("importance"), given.get("probability", 1.0)  # none before there were any
    return Discrepancy(
        category=member(ErrorCategory, given["category"], "category") if given.get("category") else None,
        aspect=member(ErrorAspect, given.get("aspect"), "aspect"),
        type=member(ErrorType, given["type"], "type") if given.get("type") else None,
        severity=member(Severity, given.get("severity"), "severity"),
        reason=text(given, "reason"),
        finding=text(given, "finding"),
        side=text(given, "side"),
        reference_spans=tuple(map(_span, items(given, "reference_spans"))),
        candidate_spans=tuple(map(_span, items(given, "candidate_spans"))),
        explanation=text(given, "explanation") if "explanation" in given else "",
        importance=member(Importance, importance, "importance") if importance else None,
        extent=number_or_none(given.get("extent"), "extent"),
        probability=1.0 if probability is None else number(probability, "probability"),
    )


def _span(value: object) -> Span:
    if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004 - start and end
        raise ValueError("a span is not a pair of numbers")
    return Span(*(whole(place, "a span") for place in value))


def _outcome(record: Mapping[str, Any], scale: Scale) -> Outcome:
    evidence = _evidence(record)
    if record["status"] == "unscored":
        fault, detail = record.get("fault"), record.get("detail")  # no fault in a record of before there were any
        if not isinstance(evidence, AnswerEvidence):
            evidence = None
        return Unscored(
            text(record, "reason"),
            "" if detail is None else text(record, "detail"),
            evidence,
            None if fault is None else member(Fault, fault, "fault"),
        )
    score = number(record.get("score"), "score")
    if not scale.low - ROUNDING <= score <= scale.high + ROUNDING:
        raise ValueError("score lies outside its range")
    return Scored(
        score=score,
        subscores={name: number(value, "a subscore") for name, value in _subscores(record).items()},
        discrepancies=tuple(map(_discrepancy_from, items(record, "discrepancies"))),
        evidence=evidence,
        truncated=flag(record, "truncated"),
        notes=tuple(map(_note, items(record, "notes"))),
    )


def _evidence(record: Mapping[str, Any]) -> Evidence | None:
    if "evidence" in record:
        return evidence_from_record(record["evidence"])
    answers = tuple(map(answer_from, items({"answers": (), **record}, "answers")))  # none before there were any
    return AnswerEvidence(answers=answers) if answers else None


def _subscores(record: Mapping[str, Any]) -> Mapping[str, Any]:
    subscores = table(record.get("subscores"), "subscores")
    if not all(isinstance(name, str) for name in subscores):
        raise ValueError("a subscore has no name")
    return subscores


def _note(value: object) -> str:
    return text({"a note": value}, "a note")


def _scale(record: Mapping[str, Any]) -> Scale:
    ends = items(record, "range")
    if len(ends) != 2:  # noqa: PLR2004 - low and high
        raise ValueError("range must have two ends")
    low, high = (number_or_none(end, "range") for end in ends)
    return Scale(
        -math.inf if low is None else low,
        math.inf if high is None else high,
        higher_is_better=flag(record, "higher_is_better"),
    )


def _signature(printed: str) -> Signature:
    """The signature that is printed so; a piece without a colon belongs to the value before it."""
    metric, *pieces = printed.split("|")
    parts: list[tuple[str, str]] = []
    for piece in pieces:
        name, colon, value = piece.partition(":")
        if colon:
            parts.append((name, value))
        elif parts:
            parts[-1] = (parts[-1][0], f"{parts[-1][1]}|{piece}")
        else:
            metric = f"{metric}|{piece}"
    return Signature(metric, tuple(parts))
