"""Results as plain records that JSON and Parquet can hold, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from attrs import evolve
from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.strategies import configure_union_passthrough

from overread.domain.answer import Answer, Completion, Finish
from overread.domain.discrepancy import Discrepancy
from overread.domain.entity import Entity
from overread.domain.report import Span
from overread.domain.result import (
    AnswerEvidence,
    CountEvidence,
    EntityEvidence,
    EvaluationResult,
    Evidence,
    Fault,
    Outcome,
    Scale,
    Scored,
    TransportEvidence,
    Unscored,
)
from overread.domain.severity import Importance, Severity
from overread.domain.signature import Signature
from overread.domain.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.domain.unit import ClinicalUnit

__all__ = ["evidence_record", "explanation_record", "result_from_record", "result_record"]

_EDGES_SHOWN: Final = 20


def result_record(result: EvaluationResult) -> dict[str, Any]:
    """One result as a record whose keys and types are the same for every result.

    ``score`` and ``reason`` are null where they do not apply, an open end of ``range`` is null, and ``subscores``
    and the lists are empty rather than missing. No report text is in it: spans are character offsets, and ``answers``
    tells which answers of language models the outcome rests on, without their words. JSON has no NaN and no infinity:
    a score that is not finite becomes an unscored record, a subscore that is not is left out with a note.
    """
    outcome = _finite(result.outcome)
    scored = outcome if isinstance(outcome, Scored) else None
    unscored = outcome if isinstance(outcome, Unscored) else None
    return {
        "id": result.pair_id,
        "metric": result.metric,
        "status": "scored" if scored else "unscored",
        "reason": unscored.reason if unscored else None,
        "detail": unscored.detail if unscored else None,
        "fault": unscored.fault.value if unscored and unscored.fault else None,
        "score": float(scored.score) if scored else None,
        "higher_is_better": result.scale.higher_is_better,
        "range": [_number(result.scale.low), _number(result.scale.high)],
        "subscores": {name: float(value) for name, value in scored.subscores.items()} if scored else {},
        "discrepancies": [_discrepancy(d) for d in scored.discrepancies] if scored else [],
        "truncated": bool(scored.truncated) if scored else False,
        "notes": list(scored.notes) if scored else [],
        "answers": [_answer(answer) for answer in _answers(outcome)],
        "signature": str(result.signature),
    }


def explanation_record(result: EvaluationResult) -> dict[str, Any]:
    """`result_record` with what the outcome rests on under ``evidence``, if anything: this may hold report text.

    A judge's explanation of a discrepancy stands with it, under ``explanation``.
    """
    record = result_record(result)
    evidence = result.outcome.evidence
    if isinstance(result.outcome, Scored) and isinstance(evidence, AnswerEvidence):
        for listed, discrepancy in zip(record["discrepancies"], result.outcome.discrepancies, strict=False):
            listed["explanation"] = _encodable(discrepancy.explanation)
    if evidence is not None:
        record["evidence"] = evidence_record(evidence)
    return record


def result_from_record(record: Mapping[str, Any]) -> EvaluationResult:
    """The result a record was made of: of its evidence only which answers it rests on, and those without their words.

    Raises:
        KeyError, TypeError, ValueError: if the record is not one of `result_record`.
    """
    if record["status"] not in ("scored", "unscored"):
        raise ValueError("status must be scored or unscored")
    low, high = record["range"]
    scale = Scale(
        -math.inf if low is None else float(low),
        math.inf if high is None else float(high),
        higher_is_better=record["higher_is_better"],
    )
    return EvaluationResult(
        pair_id=record["id"],
        metric=record["metric"],
        scale=scale,
        signature=_signature(record["signature"]),
        outcome=_outcome(record),
    )


def evidence_record(evidence: Evidence) -> dict[str, Any]:
    """What a score rests on, as a record; ``kind`` tells which of the four it is.

    ``transport`` has units, plan, costs, the edges of highest risk and contributions of one pair; ``row_null`` and
    ``column_null``, the cost of a unit of mass without a partner, are null where all must have one, and so is the
    missing end of such an edge; ``total_risk`` is the sum over all edges. ``entities`` has the entities of both reports
    and the match of each, ``counts`` the predicted errors, ``answers`` what language models answered. All but the
    counts hold words of the reports.
    """
    match evidence:
        case TransportEvidence():
            return {"kind": "transport", **_transport(evidence)}
        case EntityEvidence():
            return {"kind": "entities", **_CONVERTER.unstructure(evidence)}
        case CountEvidence():
            return {"kind": "counts", **_CONVERTER.unstructure(evidence.counts), "total": evidence.counts.total}
        case AnswerEvidence():
            return {
                "kind": "answers",
                "answers": [{**_answer(a), "text": _encodable(a.completion.text)} for a in evidence.answers],
                "explanation": _encodable(evidence.explanation),
                "matched": [_encodable(finding) for finding in evidence.matched],
            }


def _transport(evidence: TransportEvidence) -> dict[str, Any]:
    alignment = evidence.alignment
    return {
        "reference_units": [_unit(unit) for unit in evidence.reference_units],
        "candidate_units": [_unit(unit) for unit in evidence.candidate_units],
        "plan": _rows(alignment.plan),
        "row_mass": _numbers(alignment.row_mass),
        "column_mass": _numbers(alignment.column_mass),
        "row_null": _numbers(alignment.row_null),
        "column_null": _numbers(alignment.column_null),
        "ground_cost": _rows(alignment.ground),
        "side_cost": _rows(alignment.side_total),
        "side_costs": {name: _rows(matrix) for name, matrix in alignment.side.items()},
        "factors": {name: _number(factor) for name, factor in alignment.factors.items()},
        "converged": bool(alignment.converged),
        "marginal_error": _number(alignment.marginal_error),
        "total_risk": _number(alignment.total_risk()),
        "edges": _CONVERTER.unstructure(alignment.edges(_EDGES_SHOWN)),
        "contributions": _CONVERTER.unstructure({k: list(v) for k, v in evidence.contributions.items()}),
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _number_or_none(value: float | None) -> float | None:
    return None if value is None else _number(value)


def _converter() -> Converter:
    converter = Converter(unstruct_collection_overrides={AbstractSet: sorted, tuple: list})
    configure_union_passthrough(str | float | int | bool | None, converter)
    converter.register_unstructure_hook(float, _number)  # strict JSON, also of numpy's numbers
    # What a recognizer made of an entity is no part of what is kept.
    converter.register_unstructure_hook(
        Entity, make_dict_unstructure_fn(Entity, converter, meaning=override(omit=True))
    )
    converter.register_unstructure_hook(Span, lambda span: [span.start, span.end])
    return converter


_CONVERTER: Final = _converter()


def _numbers(vector: npt.NDArray[np.float64] | None) -> list[float | None] | None:
    return None if vector is None else [_number(value) for value in vector.tolist()]


def _rows(matrix: npt.NDArray[np.float64]) -> list[list[float | None]]:
    return [[_number(value) for value in row] for row in matrix.tolist()]


def _finite(outcome: Outcome) -> Outcome:
    if isinstance(outcome, Unscored):
        return outcome
    if not math.isfinite(outcome.score):
        evidence = outcome.evidence if isinstance(outcome.evidence, AnswerEvidence) else None
        return Unscored("not a number", f"the metric returned {float(outcome.score)}", evidence)
    odd = [name for name, value in outcome.subscores.items() if not math.isfinite(value)]
    if not odd:
        return outcome
    kept = {name: value for name, value in outcome.subscores.items() if name not in odd}
    notes = (f"{name} is not a finite number and is left out" for name in odd)
    return evolve(outcome, subscores=kept, notes=(*outcome.notes, *notes))


def _answers(outcome: Outcome) -> tuple[Answer, ...]:
    return outcome.evidence.answers if isinstance(outcome.evidence, AnswerEvidence) else ()


def _encodable(text: str) -> str:
    """A model's words without half characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _answer(answer: Answer) -> dict[str, Any]:
    """Without whether it was asked for now or found kept, so that a resumed run writes what an undisturbed one does."""
    return {
        "key": answer.key,
        "prompt": answer.prompt,
        "model": _encodable(answer.completion.model),
        "finish": answer.completion.finish.value,
        "attempt": answer.attempt,
        "outcome": answer.outcome,
        "prompt_tokens": answer.completion.prompt_tokens,
        "completion_tokens": answer.completion.completion_tokens,
    }


def _answer_from(record: Mapping[str, Any]) -> Answer:
    completion = Completion(
        text="",
        finish=Finish(record["finish"]),
        model=record["model"],
        prompt_tokens=record["prompt_tokens"],
        completion_tokens=record["completion_tokens"],
    )
    return Answer(record["key"], record["prompt"], completion, record["attempt"], record["outcome"], asked=False)


def _discrepancy(discrepancy: Discrepancy) -> dict[str, Any]:
    return {
        "category": discrepancy.category.value if discrepancy.category else None,
        "category_label": discrepancy.category.label if discrepancy.category else None,
        "aspect": discrepancy.aspect.value,
        "type": discrepancy.type.value if discrepancy.type else None,
        "severity": discrepancy.severity.value,
        "importance": discrepancy.importance.value if discrepancy.importance else None,
        "extent": _number_or_none(discrepancy.extent),
        "weight": _number_or_none(discrepancy.weight),
        "probability": _number_or_none(discrepancy.probability),
        "reason": discrepancy.reason,
        "finding": discrepancy.finding,
        "side": discrepancy.side,
        "reference_spans": [[int(span.start), int(span.end)] for span in discrepancy.reference_spans],
        "candidate_spans": [[int(span.start), int(span.end)] for span in discrepancy.candidate_spans],
    }


def _discrepancy_from(record: Mapping[str, Any]) -> Discrepancy:
    importance, extent = record.get("importance"), record.get("extent")  # none in a record of before there were any
    return Discrepancy(
        category=ErrorCategory(record["category"]) if record["category"] else None,
        aspect=ErrorAspect(record["aspect"]),
        type=ErrorType(record["type"]) if record["type"] else None,
        severity=Severity(record["severity"]),
        reason=record["reason"],
        finding=record["finding"],
        side=record["side"],
        reference_spans=tuple(Span(*span) for span in record["reference_spans"]),
        candidate_spans=tuple(Span(*span) for span in record["candidate_spans"]),
        importance=Importance(importance) if importance else None,
        extent=None if extent is None else float(extent),
        probability=float(record.get("probability", 1.0)),
    )


def _outcome(record: Mapping[str, Any]) -> Outcome:
    answers = tuple(map(_answer_from, record.get("answers", ())))  # none in a record of before there were any
    evidence = AnswerEvidence(answers=answers) if answers else None
    if record["status"] == "unscored":
        fault = record.get("fault")  # none in a record of before there were any
        return Unscored(record["reason"], record["detail"] or "", evidence, Fault(fault) if fault else None)
    return Scored(
        score=float(record["score"]),
        subscores=dict(record["subscores"]),
        discrepancies=tuple(map(_discrepancy_from, record["discrepancies"])),
        evidence=evidence,
        truncated=record["truncated"],
        notes=tuple(record["notes"]),
    )


def _signature(text: str) -> Signature:
    """The signature that prints as ``text``; a piece without a colon belongs to the value before it."""
    metric, *pieces = text.split("|")
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


def _unit(unit: ClinicalUnit) -> dict[str, Any]:
    record: dict[str, Any] = _CONVERTER.unstructure(unit)
    return record
