"""Evidence of a score as a record and back. It may hold report text, and so is not part of a result's record."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.strategies import configure_union_passthrough

from overread.domain.entities.entity import Entity
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Span
from overread.domain.results.alignment import Alignment
from overread.domain.results.answer import Answer, Completion, Finish
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.readout import Contribution
from overread.domain.results.record import answer_record, encodable
from overread.domain.results.result import (
    AnswerEvidence,
    CountEvidence,
    EntityEvidence,
    Evidence,
    TransportEvidence,
)
from overread.infrastructure.serialise._fields import items, member, table, text, whole

__all__ = ["answer_from", "evidence_from_record", "evidence_record"]

_EDGES_SHOWN: Final = 20
_ODD: Final = "not_finite"


def evidence_record(evidence: Evidence) -> dict[str, Any]:
    """The evidence of a score as a record; ``kind`` says which of the four it is.

    ``transport`` has units, plan, costs, the edges of highest risk and contributions of one pair; ``row_null`` and
    ``column_null``, the cost of a unit of mass without a partner, are null where all must have one, and so is the
    missing end of such an edge; ``total_risk`` is the sum over all edges. ``entities`` has the entities of both reports
    and the match of each, ``counts`` the predicted errors, ``answers`` what language models answered. All except the
    counts hold words of the reports.

    JSON has no NaN and no infinity: such a number is null, and ``not_finite`` says by its path which one it was.
    """
    with np.errstate(all="ignore"):  # what follows from numbers that are none is none, and that is told
        record = _record(evidence)
    odd: dict[str, str] = {}
    strict: dict[str, Any] = _strict(record, "", odd)
    return {**strict, _ODD: odd}


def evidence_from_record(record: object) -> Evidence:
    """The evidence that a record was made of, as far as texts can be written.

    Raises:
        ValueError: if the record is not one of `evidence_record`.
    """
    given = table(record, "evidence")
    try:
        return _evidence(_restore_numbers(given, table(given.get(_ODD, {}), _ODD)))
    except Exception:  # noqa: BLE001 - cattrs and numpy raise what they like, which may quote the record
        raise ValueError("evidence is incomplete") from None


def answer_from(record: object) -> Answer:
    """The answer of a record, without its words unless they are there.

    Raises:
        ValueError: if it is none.
    """
    given = table(record, "an answer")
    tokens = [given.get(name) for name in ("prompt_tokens", "completion_tokens")]
    completion = Completion(
        given.get("text", ""),
        member(Finish, given.get("finish"), "finish"),
        text(given, "model"),
        *(None if count is None else whole(count, "tokens") for count in tokens),
    )
    attempt, asked = whole(given.get("attempt"), "attempt"), given.get("asked", False)
    return Answer(text(given, "key"), text(given, "prompt"), completion, attempt, text(given, "outcome"), asked=asked)


def _record(evidence: Evidence) -> dict[str, Any]:
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
                "answers": [
                    {**answer_record(a), "asked": a.asked, "text": encodable(a.completion.text)}
                    for a in evidence.answers
                ],
                "explanation": encodable(evidence.explanation),
                "matched": [encodable(finding) for finding in evidence.matched],
            }


def _evidence(record: Mapping[str, Any]) -> Evidence:
    match record["kind"]:
        case "transport":
            return _transport_from(record)
        case "entities":
            return _CONVERTER.structure({k: v for k, v in record.items() if k != "kind"}, EntityEvidence)
        case "counts":
            return CountEvidence(counts=_CONVERTER.structure(record, ErrorCounts))
        case "answers":
            return AnswerEvidence(
                answers=tuple(map(answer_from, items(record, "answers"))),
                explanation=text(record, "explanation"),
                matched=tuple(items(record, "matched")),
            )
        case _:
            raise ValueError("kind is unknown")


def _transport(evidence: TransportEvidence) -> dict[str, Any]:
    alignment = evidence.alignment
    return {
        "reference_units": [_CONVERTER.unstructure(unit) for unit in evidence.reference_units],
        "candidate_units": [_CONVERTER.unstructure(unit) for unit in evidence.candidate_units],
        "plan": alignment.plan.tolist(),
        "row_mass": alignment.row_mass.tolist(),
        "column_mass": alignment.column_mass.tolist(),
        "row_null": _list(alignment.row_null),
        "column_null": _list(alignment.column_null),
        "ground_cost": alignment.ground.tolist(),
        "ground_costs": {name: matrix.tolist() for name, matrix in alignment.channels.items()},
        "side_cost": alignment.side_total.tolist(),
        "side_costs": {name: matrix.tolist() for name, matrix in alignment.side.items()},
        "factors": {name: float(factor) for name, factor in alignment.factors.items()},
        "converged": bool(alignment.converged),
        "marginal_error": float(alignment.marginal_error),
        "iterations": int(alignment.iterations),
        "total_risk": alignment.total_risk(),
        "edges": _CONVERTER.unstructure(alignment.edges(_EDGES_SHOWN)),
        "contributions": _CONVERTER.unstructure({k: list(v) for k, v in evidence.contributions.items()}),
    }


def _transport_from(record: Mapping[str, Any]) -> TransportEvidence:
    rows, columns = len(record["row_mass"]), len(record["column_mass"])

    def matrix(values: Any) -> npt.NDArray[np.float64]:
        return np.asarray(values, dtype=np.float64).reshape(rows, columns)

    def matrices(named: Mapping[str, Any]) -> dict[str, npt.NDArray[np.float64]]:
        return {name: matrix(values) for name, values in named.items()}

    return TransportEvidence(
        reference_units=_CONVERTER.structure(record["reference_units"], tuple[ClinicalUnit, ...]),
        candidate_units=_CONVERTER.structure(record["candidate_units"], tuple[ClinicalUnit, ...]),
        alignment=Alignment(
            plan=matrix(record["plan"]),
            ground=matrix(record["ground_cost"]),
            channels=matrices(record["ground_costs"]),
            side=matrices(record["side_costs"]),
            row_mass=np.asarray(record["row_mass"], dtype=np.float64),
            column_mass=np.asarray(record["column_mass"], dtype=np.float64),
            row_null=_array(record["row_null"]),
            column_null=_array(record["column_null"]),
            factors=dict(record["factors"]),
            converged=record["converged"],
            marginal_error=record["marginal_error"],
            iterations=record["iterations"],
        ),
        contributions=_CONVERTER.structure(record["contributions"], dict[str, tuple[Contribution, ...]]),
    )


def _list(vector: npt.NDArray[np.float64] | None) -> list[float] | None:
    return None if vector is None else list(vector.tolist())


def _array(values: list[float] | None) -> npt.NDArray[np.float64] | None:
    return None if values is None else np.asarray(values, dtype=np.float64)


def _strict(value: Any, path: str, odd: dict[str, str]) -> Any:
    """The same in what JSON can hold; path and name of each number that it cannot hold go to ``odd``."""
    if isinstance(value, dict):
        return {name: _strict(part, f"{path}/{_escape_pointer(name)}", odd) for name, part in value.items()}
    if isinstance(value, list):
        return [_strict(part, f"{path}/{index}", odd) for index, part in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        odd[path] = str(value)
        return None
    return value


def _restore_numbers(record: Mapping[str, Any], odd: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with the numbers that JSON could not hold back in their places."""
    copied: dict[str, Any] = _copy_nested({name: value for name, value in record.items() if name != _ODD})
    for path, word in odd.items():
        *places, last = _places(path)
        part: Any = copied
        for place in places:
            part = part[int(place) if isinstance(part, list) else place]
        part[int(last) if isinstance(part, list) else last] = float(word)
    return copied


def _copy_nested(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _copy_nested(part) for name, part in value.items()}
    return [_copy_nested(part) for part in value] if isinstance(value, list | tuple) else value


def _escape_pointer(name: str) -> str:
    """A part of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def _places(path: str) -> Iterator[str]:
    return (part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:])


def _converter() -> Converter:
    converter = Converter(unstruct_collection_overrides={AbstractSet: sorted, tuple: list})
    configure_union_passthrough(str | float | int | bool | None, converter)
    converter.register_unstructure_hook(float, float)  # also numpy's own
    # What a recognizer made of an entity is no part of what is kept.
    without = override(omit=True)
    converter.register_unstructure_hook(Entity, make_dict_unstructure_fn(Entity, converter, meaning=without))
    converter.register_structure_hook(Entity, make_dict_structure_fn(Entity, converter, meaning=without))
    # Numbers of a pair's examinations mean nothing beside another pair.
    converter.register_unstructure_hook(
        ClinicalUnit, make_dict_unstructure_fn(ClinicalUnit, converter, examinations=without)
    )
    converter.register_unstructure_hook(Span, lambda span: [span.start, span.end])
    return converter


_CONVERTER: Final = _converter()
