"""Records: strict JSON, the same keys and types every time, and the way back."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given

from overread.domain.entities.entity import Entity, EntityType
from overread.domain.findings.meaning import Meaning
from overread.domain.findings.unit import NULL_UNIT, Change, ClinicalUnit, Measurement
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
from overread.infrastructure.serialise import (
    evidence_record,
    explanation_record,
    is_intact,
    record_digest,
    result_from_record,
    result_record,
)

from .strategies import results

KEYS = {
    "id": str,
    "metric": str,
    "status": str,
    "reason": str | None,
    "detail": str | None,
    "fault": str | None,
    "score": float | None,
    "higher_is_better": bool,
    "range": list,
    "subscores": dict,
    "discrepancies": list,
    "truncated": bool,
    "notes": list,
    "answers": list,
    "signature": str,
    "schema_version": int,
    "digest": str,
}


def strict_json(record: Any) -> Any:
    """The record as another program would read it."""
    return json.loads(json.dumps(record, allow_nan=False))


@given(results())
def test_every_record_has_the_same_keys_and_types(result: EvaluationResult) -> None:
    """A scored and an unscored record differ in values only."""
    record = result_record(result)
    assert list(record) == list(KEYS)
    assert all(isinstance(record[name], kind) for name, kind in KEYS.items())
    assert (record["score"] is None) == (record["status"] == "unscored") == (record["reason"] is not None)
    assert all(type(value) is float for value in record["subscores"].values())
    assert record["digest"] == record_digest(record)


def test_a_record_by_hand() -> None:
    """What a line of a result file looks like, also where a metric works in numpy's own numbers."""
    float32: Any = np.float32(0.5)
    int64: Any = np.int64(2)
    result = EvaluationResult(
        pair_id="p1",
        metric="notation",
        scale=Scale(0, math.inf, higher_is_better=False),
        signature=Signature("notation", (("version", "1"),)),
        outcome=Scored(
            score=float32,
            subscores={"A": 1, "matched": int64},
            discrepancies=(
                Discrepancy(
                    category=ErrorCategory.LOCATION,
                    aspect=ErrorAspect.LOCATION,
                    type=ErrorType.INACCURACY,
                    severity=Severity.SIGNIFICANT,
                    reason="the other side",
                    finding="pleural_effusion",
                    side="left",
                    reference_spans=(Span(0, 8),),
                    importance=Importance.FOLLOW_UP,
                    extent=0.5,
                ),
            ),
        ),
    )
    assert strict_json(result_record(result)) == {
        "id": "p1",
        "metric": "notation",
        "status": "scored",
        "reason": None,
        "detail": None,
        "fault": None,
        "score": 0.5,
        "higher_is_better": False,
        "range": [0.0, None],
        "subscores": {"A": 1.0, "matched": 2.0},
        "discrepancies": [
            {
                "category": "C",
                "category_label": "wrong location",
                "aspect": "Location",
                "type": "inaccuracy",
                "severity": "significant",
                "importance": "follow_up",
                "extent": 0.5,
                "weight": 0.1,
                "probability": 1.0,
                "reason": "the other side",
                "finding": "pleural_effusion",
                "side": "left",
                "reference_spans": [[0, 8]],
                "candidate_spans": [],
            }
        ],
        "truncated": False,
        "notes": [],
        "answers": [],
        "signature": "notation|version:1",
        "schema_version": 1,
        "digest": record_digest(result_record(result)),
    }


UNSCORED = EvaluationResult(
    pair_id="p2",
    metric="m",
    scale=Scale(0.0, 1.0, higher_is_better=True),
    signature=Signature("m"),
    outcome=Unscored("too long", "more than 300 units"),
)


def test_an_unscored_record() -> None:
    """Every key is there also where there is no score."""
    record = result_record(UNSCORED)
    assert (record["status"], record["reason"], record["detail"]) == ("unscored", "too long", "more than 300 units")
    assert (record["score"], record["subscores"], record["discrepancies"], record["notes"]) == (None, {}, [], [])


def test_whose_fault_it_is_is_kept_and_may_be_missing() -> None:
    """A record of before it was told is read as one of nobody's fault."""
    record = result_record(evolve(UNSCORED, outcome=Unscored("language", "?", fault=Fault.CANDIDATE)))
    assert record["fault"] == "candidate"
    assert result_from_record(record).outcome == Unscored("language", "?", fault=Fault.CANDIDATE)
    del record["fault"], record["digest"], record["schema_version"]
    assert result_from_record(record).outcome == Unscored("language", "?")


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_finite_is_unscored(score: float) -> None:
    """JSON has no such number, and a made-up one would be a wrong score."""
    record = strict_json(result_record(evolve(UNSCORED, outcome=Scored(score=score, subscores={"x": score}))))
    assert (record["status"], record["reason"], record["score"]) == ("unscored", "not a number", None)


def test_a_subscore_that_is_not_finite_is_left_out_with_a_note() -> None:
    """NaN is not JSON, and a subscore that vanished silently would be taken for none."""
    outcome = Scored(score=1.0, subscores={"good": 1.0, "bad": math.nan}, notes=("first",))
    record = strict_json(result_record(evolve(UNSCORED, outcome=outcome)))
    assert record["subscores"] == {"good": 1.0}
    assert record["notes"] == ["first", "bad is not a finite number and is left out"]


@pytest.mark.parametrize("change", [{"status": "maybe"}, {"range": None}, {"status": "scored", "score": None}])
def test_a_record_that_is_none_is_refused(change: dict[str, object]) -> None:
    """A record that lacks what a result needs raises instead of making one up."""
    with pytest.raises((KeyError, TypeError, ValueError)):
        result_from_record(result_record(UNSCORED) | change)


def evidence() -> TransportEvidence:
    unit = ClinicalUnit(
        span_text="Small left effusion, 2 cm",
        start=10,
        end=35,
        canonical_finding="pleural_effusion",
        change=Change.NEW,
        anatomy=frozenset({"pleura", "left"}),
        measurements=(Measurement(2.0, "cm", 20.0),),
    )
    plan = np.full((1, 30), 1 / 30)
    cost = np.linspace(0.0, 1.0, 30).reshape(1, 30)
    return TransportEvidence(
        reference_units=(unit,),
        candidate_units=(unit,) * 30,
        alignment=Alignment(
            plan=plan,
            ground=cost,
            channels={"finding": cost},
            side={"severity": cost, "device": 0 * cost},
            row_mass=plan.sum(axis=1),
            column_mass=plan.sum(axis=0),
            converged=False,
            marginal_error=math.inf,
        ),
        contributions={"total": (Contribution("severity_maximum", 1.0, 2.0, 2.0),)},
    )


def test_evidence_is_strict_json() -> None:
    """Units with offsets, words and attributes, the plan, its costs, and the terms of each target."""
    record = strict_json(evidence_record(evidence()))
    [unit] = record["reference_units"]
    assert (unit["start"], unit["end"], unit["span_text"]) == (10, 35, "Small left effusion, 2 cm")
    assert (unit["change"], unit["certainty"], unit["anatomy"]) == ("new", None, ["left", "pleura"])
    assert unit["measurements"] == [{"value": 2.0, "unit": "cm", "millimetres": 20.0}]
    assert len(record["candidate_units"]) == 30
    assert record["plan"] == [[1 / 30] * 30]
    assert record["converged"] is False
    assert record["marginal_error"] is None
    [term] = record["contributions"]["total"]
    assert term == {"feature": "severity_maximum", "value": 1.0, "coefficient": 2.0, "contribution": 2.0}


def test_evidence_says_its_kind_and_transport_keeps_its_keys() -> None:
    """Readers of the JSON rely on these names."""
    record = strict_json(evidence_record(evidence()))
    assert record["kind"] == "transport"
    assert sorted(record.keys() - {"kind"}) == [
        "candidate_units",
        "column_mass",
        "column_null",
        "contributions",
        "converged",
        "edges",
        "factors",
        "ground_cost",
        "ground_costs",
        "iterations",
        "marginal_error",
        "not_finite",
        "plan",
        "reference_units",
        "row_mass",
        "row_null",
        "side_cost",
        "side_costs",
        "total_risk",
    ]


def test_an_edge_without_a_partner_has_a_null_end() -> None:
    """By hand: 0.75 of a mass of 1 is carried at cost 0.2, and the rest has no partner, which costs 0.6 of it."""
    matched = evidence()
    plan, cost = np.array([[0.75]]), np.array([[0.2]])
    lone = evolve(
        matched,
        candidate_units=matched.candidate_units[:1],
        alignment=Alignment(
            plan=plan,
            ground=cost,
            channels={"finding": cost},
            side={"severity": np.zeros_like(cost)},
            row_mass=np.array([1.0]),
            column_mass=np.array([0.75]),
            row_null=np.array([0.6]),
            column_null=np.array([0.8]),
            factors={"finding": 0.5},
        ),
    )
    record = strict_json(evidence_record(lone))
    assert (record["row_null"], record["column_null"], record["factors"]) == ([0.6], [0.8], {"finding": 0.5})
    ends = [(edge["row"], edge["column"]) for edge in record["edges"]]
    assert sorted(ends, key=str) == [(0, 0), (0, None)]
    assert sum(edge["risk"] for edge in record["edges"]) == pytest.approx(0.75 * 0.2 + 0.25 * 0.6, abs=1e-12)
    assert record["total_risk"] == pytest.approx(0.3, abs=1e-12)


def test_an_alignment_whose_mass_must_all_be_carried_has_no_null_costs() -> None:
    """Null is not 0: it says that nothing may stay without a partner."""
    record = strict_json(evidence_record(evidence()))
    assert (record["row_null"], record["column_null"], record["factors"]) == (None, None, {})


def test_a_record_without_weights_is_read() -> None:
    """Records written before discrepancies were weighed hold no importance, extent or weight."""
    found = Discrepancy(
        category=None, aspect=ErrorAspect.STYLE, type=None, severity=Severity.INSIGNIFICANT, reason="", finding=""
    )
    record = result_record(evolve(UNSCORED, outcome=Scored(score=1.0, discrepancies=(found,))))
    for name in ("importance", "extent", "weight"):
        assert record["discrepancies"][0].pop(name) is None
    del record["digest"], record["schema_version"]
    assert result_from_record(record).discrepancies == (found,)


def test_entity_evidence_is_strict_json() -> None:
    """Entities with offsets and types but not what they mean; matches as indices, also with numpy's own numbers."""
    half: Any = np.float32(0.5)
    found = EntityEvidence(
        reference_entities=(Entity("effusion", 3, 11, EntityType.NON_DISEASE, Meaning.of(NULL_UNIT, "effusion")),),
        candidate_entities=(Entity("small effusion", 0, 14, EntityType.DISEASE),),
        candidate_matches=(EntityMatch(entity=0, match=0, similarity=half, weight=math.nan, penalty=1.0),),
    )
    assert strict_json(evidence_record(found)) == {
        "kind": "entities",
        "reference_entities": [{"text": "effusion", "start": 3, "end": 11, "type": "NON-DISEASE"}],
        "candidate_entities": [{"text": "small effusion", "start": 0, "end": 14, "type": "DISEASE"}],
        "reference_matches": [],
        "candidate_matches": [{"entity": 0, "match": 0, "similarity": 0.5, "weight": None, "penalty": 1.0}],
        "not_finite": {"/candidate_matches/0/weight": "nan"},
    }


def test_count_evidence_is_strict_json() -> None:
    """Counts, probabilities and what the model saw are all there."""
    counts = ErrorCounts(counts={"A": 1.5, "B": 0.25}, presence={"A": 0.75}, tokens=600, unseen=88)
    assert strict_json(evidence_record(CountEvidence(counts=counts))) == {
        "kind": "counts",
        "counts": {"A": 1.5, "B": 0.25},
        "presence": {"A": 0.75},
        "tokens": 600,
        "unseen": 88,
        "windows": 1,
        "total": 1.75,
        "not_finite": {},
    }


PHRASE = "Cavitating lesion of Mr Sample"
ANSWERED = AnswerEvidence(
    answers=(
        Answer("k1", "green@1:0", Completion(f"{PHRASE} \ud800", Finish.LENGTH, "served", 10), 1, "cut off"),
        Answer("k2", "green@1:0", Completion(PHRASE, model="served"), 2, asked=False),
    ),
    explanation=PHRASE,
    matched=(PHRASE, "effusion"),
)
JUDGED = Discrepancy(
    category=None,
    aspect=ErrorAspect.NOISE,
    type=None,
    severity=Severity.INSIGNIFICANT,
    reason="judged insignificant",
    finding="",
    explanation=PHRASE,
)
_RECORDED = [
    {"key": "k1", "prompt": "green@1:0", "model": "served", "finish": "length", "attempt": 1, "outcome": "cut off"}
    | {"prompt_tokens": 10, "completion_tokens": None},
    {"key": "k2", "prompt": "green@1:0", "model": "served", "finish": "stop", "attempt": 2, "outcome": "read"}
    | {"prompt_tokens": None, "completion_tokens": None},
]


@pytest.mark.parametrize(
    "outcome",
    [Scored(score=1.0, discrepancies=(JUDGED,), evidence=ANSWERED), Unscored("cut off", "too long", ANSWERED)],
)
def test_answers_are_recorded_without_their_words(outcome: Scored | Unscored) -> None:
    """Nor is there a judge's explanation; whether an answer was asked for now makes no difference."""
    record = strict_json(result_record(evolve(UNSCORED, outcome=outcome)))
    assert record["answers"] == _RECORDED
    assert PHRASE not in json.dumps(record)
    kept = evolve(ANSWERED, answers=tuple(evolve(answer, asked=False) for answer in ANSWERED.answers))
    assert strict_json(result_record(evolve(UNSCORED, outcome=evolve(outcome, evidence=kept)))) == record


def test_answer_evidence_holds_the_raw_answers() -> None:
    """What a file cannot hold is replaced."""
    assert json.dumps(evidence_record(ANSWERED), ensure_ascii=False).encode()
    assert strict_json(evidence_record(ANSWERED)) == {
        "kind": "answers",
        "answers": [
            _RECORDED[0] | {"asked": True, "text": f"{PHRASE} ?"},
            _RECORDED[1] | {"asked": False, "text": PHRASE},
        ],
        "explanation": PHRASE,
        "matched": [PHRASE, "effusion"],
        "not_finite": {},
    }


def test_an_explanation_has_the_record_the_evidence_and_the_judges_words() -> None:
    """An explanation adds to the record and changes nothing in it."""
    result = evolve(UNSCORED, outcome=Scored(score=1.0, discrepancies=(JUDGED,), evidence=ANSWERED))
    explained, record = explanation_record(result), result_record(result)
    assert explained.pop("evidence") == evidence_record(ANSWERED)
    assert [d.pop("explanation") for d in explained["discrepancies"]] == [PHRASE]
    assert explained == record


def test_an_unscored_pair_is_explained_by_what_was_answered() -> None:
    """The answer that could not be read is the evidence; without one there is none."""
    result = evolve(UNSCORED, outcome=Unscored("cut off", "", ANSWERED))
    assert explanation_record(result)["evidence"] == evidence_record(ANSWERED)
    assert "evidence" not in explanation_record(UNSCORED)


def test_a_score_that_is_not_finite_keeps_its_answers() -> None:
    """What was paid for is not lost with a score that cannot be told."""
    record = result_record(evolve(UNSCORED, outcome=Scored(score=math.nan, evidence=ANSWERED)))
    assert (record["reason"], record["answers"]) == ("not a number", _RECORDED)


def test_a_record_of_before_there_were_answers_is_read() -> None:
    """Files of earlier versions stay readable."""
    record = result_record(UNSCORED)
    del record["answers"], record["digest"], record["schema_version"]
    assert result_from_record(record) == UNSCORED


def test_evidence_lists_the_twenty_riskiest_edges() -> None:
    """T (D + side): with equal masses, those of the highest costs, highest first."""
    edges = strict_json(evidence_record(evidence()))["edges"]
    assert [edge["column"] for edge in edges] == list(range(29, 9, -1))
    assert edges[0]["risk"] == pytest.approx(2.0 / 30)


@pytest.fixture
def whole() -> dict[str, Any]:
    """The record of a scored result with all that a record can hold."""
    outcome = Scored(score=0.5, subscores={"x": 1.0}, discrepancies=(JUDGED,), evidence=ANSWERED, notes=("a note",))
    return dict(strict_json(result_record(evolve(UNSCORED, outcome=outcome))))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value in a record."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        yield from places(part, (*path, name))


def changed(record: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value at a place."""
    copied = strict_json(record)
    part = copied
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return copied


ODD: tuple[Any, ...] = (
    None,
    True,
    7,
    -1,
    42.0,
    10**400,
    "PRIVATE",
    "",
    [],
    ["PRIVATE"],
    [None],
    {},
    {"PRIVATE": "PRIVATE"},
    [[1, 2, 3]],
)


def test_no_change_passes_for_a_result(whole: dict[str, Any]) -> None:
    """Any value at any place: either it says the same, or it is refused, in words that quote nothing."""
    for path in places(whole):
        for value in ODD:
            damaged = changed(whole, path, value)
            if path == ("digest",) and value is None:
                continue  # a record of before there were digests
            if strict_json(damaged) == whole:
                continue
            with pytest.raises(ValueError, match=r".") as caught:
                result_from_record(damaged)
            assert "PRIVATE" not in str(caught.value)


def test_a_damaged_record_without_a_digest_raises_nothing_else(whole: dict[str, Any]) -> None:
    """As one of before there were digests: it is a result of the right kinds of values, or a `ValueError`."""
    del whole["digest"]
    refused = 0
    for path in places(whole):
        for value in ODD:
            damaged = changed(whole, path, value)
            try:
                restored = result_from_record(damaged)
            except ValueError:
                refused += 1
            else:
                assert isinstance(restored.pair_id, str)
                assert result_from_record(strict_json(result_record(restored))) == restored
        missing = changed(whole, path, None)
        part = missing
        for name in path[:-1]:
            part = part[name]
        del part[path[-1]]
        with suppress(ValueError):
            result_from_record(missing)
    assert refused > 300


@pytest.mark.parametrize("odd", [None, 5, "text", [], [1], True])
def test_what_is_no_record_at_all_is_refused(odd: Any) -> None:
    """Whatever stands in its place."""
    with pytest.raises(ValueError, match="is not an object"):
        result_from_record(odd)


def test_a_score_beyond_its_range_is_no_result(whole: dict[str, Any]) -> None:
    """Rounding may carry it a little beyond, as it may a metric."""
    del whole["digest"]
    for score in (42.0, -0.01, 1.01):
        with pytest.raises(ValueError, match="outside its range"):
            result_from_record(whole | {"score": score})
    assert result_from_record(whole | {"score": 1.0 + 1e-12}).is_scored


def test_a_record_of_a_newer_version_is_named(whole: dict[str, Any]) -> None:
    """Both versions are told, before anything in it is looked at."""
    with pytest.raises(ValueError, match=r"newer overread \(schema 2, this one knows 1\)"):
        result_from_record(whole | {"schema_version": 2})


def test_a_digest_is_of_what_is_said_and_not_of_how(whole: dict[str, Any]) -> None:
    """Keys in another order, whole numbers without a point and keys of somebody else's change nothing."""
    turned = dict(reversed(whole.items())) | {"score": 1, "mine": "x", "range": [0, 1]}
    assert record_digest(turned) == record_digest(whole | {"score": 1.0})
    assert is_intact(whole)
    assert not is_intact(whole | {"score": 0.6})
    assert not is_intact(whole | {"metric": "other"})
    assert is_intact({name: value for name, value in whole.items() if name != "digest"})


def test_a_digest_stays_the_same_across_versions() -> None:
    """Result files are checked by it. By hand: ``printf`` of the JSON of what is said, through ``sha256sum``."""
    said = (
        '["p2", ["m", "unscored", "too long", "more than 300 units", null, true, false, [], "m", 1], '
        "[null, 0.0, 1.0], [], [], []]"
    )
    assert result_record(UNSCORED)["digest"] == hashlib.sha256(said.encode()).hexdigest()[:16]


@pytest.mark.parametrize("damage", [{"kind": "odd"}, {"kind": "transport"}, {"kind": "counts", "counts": 5}, 5, []])
def test_damaged_evidence_is_refused(whole: dict[str, Any], damage: Any) -> None:
    """As a record is."""
    with pytest.raises(ValueError, match=r"evidence is (not|incomplete)"):
        result_from_record(whole | {"evidence": damage})
