"""Records of results: plain values without report text, as files hold them and JSON can write them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, Final, Protocol

from overread.domain.results.answer import Answer
from overread.domain.results.discrepancy import Discrepancy

__all__ = ["SCHEMA_VERSION", "answer_record", "encodable", "record_digest", "result_record"]

SCHEMA_VERSION: Final = 1
"""Version of the record of a result. It rises by one with every change; see `overread.result_schema`."""

_SAID: Final = (
    "metric",
    "status",
    "reason",
    "detail",
    "fault",
    "higher_is_better",
    "truncated",
    "notes",
    "signature",
    "schema_version",
)
_DISCREPANCY: Final = (
    "category",
    "category_label",
    "aspect",
    "type",
    "severity",
    "importance",
    "reason",
    "finding",
    "side",
    "reference_spans",
    "candidate_spans",
)
_WEIGHED: Final = ("extent", "weight", "probability")
_ANSWER: Final = (
    "key",
    "prompt",
    "model",
    "finish",
    "attempt",
    "outcome",
    "prompt_tokens",
    "completion_tokens",
)
_DIGITS: Final = 16


class _Result(Protocol):
    """An `EvaluationResult`."""

    @property
    def pair_id(self) -> str: ...

    @property
    def metric(self) -> str: ...

    @property
    def is_scored(self) -> bool: ...

    @property
    def scale(self) -> Any: ...

    @property
    def signature(self) -> object: ...

    @property
    def outcome(self) -> Any: ...


def result_record(result: _Result) -> dict[str, Any]:
    """One result as a record whose keys and types are the same for every result.

    ``score`` and ``reason`` are null where they do not apply, an open end of ``range`` is null, and ``subscores``
    and the lists are empty rather than missing. No report text is in it: spans are character offsets, and ``answers``
    tells which answers of language models the outcome rests on, without their words. JSON has no NaN and no infinity:
    a score that is not finite becomes an unscored record, a subscore that is not is left out with a note.

    ``schema_version`` is that of `result_schema`, ``digest`` that of all else: what was changed afterwards is not read
    as a result.
    """
    outcome = result.outcome
    record = {
        "id": result.pair_id,
        "metric": result.metric,
        "status": "unscored",
        "reason": None,
        "detail": None,
        "fault": None,
        "score": None,
        "higher_is_better": result.scale.higher_is_better,
        "range": [_number(result.scale.low), _number(result.scale.high)],
        "subscores": {},
        "discrepancies": [],
        "truncated": False,
        "notes": [],
        "answers": [answer_record(answer) for answer in getattr(outcome.evidence, "answers", ())],
        "signature": str(result.signature),
        "schema_version": SCHEMA_VERSION,
        **(_scored_fields(outcome) if result.is_scored else _unscored_fields(outcome)),
    }
    return {**record, "digest": record_digest(record)}


def answer_record(answer: Answer) -> dict[str, Any]:
    """Without whether it was asked for now or found kept, so that a resumed run writes what an undisturbed one does."""
    return {
        "key": answer.key,
        "prompt": answer.prompt,
        "model": encodable(answer.completion.model),
        "finish": answer.completion.finish.value,
        "attempt": answer.attempt,
        "outcome": answer.outcome,
        "prompt_tokens": answer.completion.prompt_tokens,
        "completion_tokens": answer.completion.completion_tokens,
    }


def record_digest(record: Mapping[str, Any]) -> str:
    """The first 16 digits of a SHA-256 over all that a result record says, in whatever order and form it is written.

    Numbers count by their value, and a character that no file can hold as the question mark that is written for it.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: if it is no record.
    """
    content = [
        str(record["id"]),
        [record[name] for name in _SAID],
        [_float(record["score"]), *map(_float, record["range"])],
        sorted((name, _float(value)) for name, value in record["subscores"].items()),
        [[[d[name] for name in _DISCREPANCY], [_float(d[name]) for name in _WEIGHED]] for d in record["discrepancies"]],
        [[a[name] for name in _ANSWER] for a in record["answers"]],
    ]
    data = json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def encodable(value: str) -> str:
    """A text without half characters, which no file can hold."""
    return value.encode("utf-8", "replace").decode("utf-8")


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _number_or_none(value: float | None) -> float | None:
    return None if value is None else _number(value)


def _unscored_fields(outcome: Any) -> dict[str, Any]:
    return {"reason": outcome.reason, "detail": outcome.detail, "fault": outcome.fault.value if outcome.fault else None}


def _scored_fields(outcome: Any) -> dict[str, Any]:
    if not math.isfinite(outcome.score):
        return {"reason": "not a number", "detail": f"the metric returned {float(outcome.score)}"}
    odd = [name for name, value in outcome.subscores.items() if not math.isfinite(value)]
    return {
        "status": "scored",
        "score": float(outcome.score),
        "subscores": {name: float(value) for name, value in outcome.subscores.items() if name not in odd},
        "discrepancies": [_discrepancy(discrepancy) for discrepancy in outcome.discrepancies],
        "truncated": bool(outcome.truncated),
        "notes": [*outcome.notes, *(f"{name} is not a finite number and is left out" for name in odd)],
    }


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


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
