"""Whatever a result goes through comes back equal: a copy, a pickle, a record, JSON and Parquet."""

from __future__ import annotations

import copy
import io
import json
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import evolve
from hypothesis import HealthCheck, Phase, given, settings

from overread.domain.results.result import AnswerEvidence, EvaluationResult, Evidence, Scale, Scored, Unscored
from overread.domain.results.signature import Signature
from overread.infrastructure.files.parquet import RESULT_SCHEMA
from overread.infrastructure.serialise import explanation_record, result_from_record, result_record

from .strategies import evidences, results

lasting = settings(
    max_examples=150,
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def through_json(record: Any) -> Any:
    """The record as another program would read it."""
    return json.loads(json.dumps(record, allow_nan=False))


def through_parquet(record: dict[str, Any]) -> dict[str, Any]:
    """The record as a Parquet file holds it."""
    place = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([record], schema=RESULT_SCHEMA), place)
    [row] = pq.read_table(place).to_pylist(maps_as_pydicts="strict")
    return dict(row)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301 - our own bytes
@lasting
@given(result=results(), evidence=evidences)
def test_a_copy_is_equal(again: Callable[[Any], Any], result: EvaluationResult, evidence: Evidence) -> None:
    """With its evidence, arrays and numbers that are none among it, and with the same hash."""
    assert again(result) == result
    assert hash(again(result)) == hash(result)
    assert again(result).outcome.evidence == result.outcome.evidence
    assert again(evidence) == evidence
    assert hash(again(evidence)) == hash(evidence)


@lasting
@given(results())
def test_a_result_survives_its_record(result: EvaluationResult) -> None:
    """At once, through the text of JSON and through Parquet; the sign of a zero too."""
    for record in (result_record(result), through_json(result_record(result)), through_parquet(result_record(result))):
        restored = result_from_record(record)
        assert restored == result
        assert hash(restored) == hash(result)
        assert result_record(restored) == result_record(result)
        if isinstance(result.outcome, Scored):
            assert math.copysign(1, restored.score) == math.copysign(1, result.score)


@lasting
@given(results())
def test_a_result_survives_its_explanation_with_all_it_rests_on(result: EvaluationResult) -> None:
    """Units, plans, entities, counts and answers come back, and a judge's words with them."""
    for record in (explanation_record(result), through_json(explanation_record(result))):
        restored = result_from_record(record)
        assert restored == result
        assert restored.outcome.evidence == result.outcome.evidence
        if isinstance(result.outcome, Scored):
            said = [each.explanation for each in result.discrepancies]
            assert [each.explanation for each in restored.discrepancies] == said
        assert explanation_record(restored) == explanation_record(result)


@lasting
@given(results(), results())
def test_equal_results_have_equal_hashes(one: EvaluationResult, other: EvaluationResult) -> None:
    """So that results can be members of a set."""
    assert (one == other) <= (hash(one) == hash(other))
    assert len({one, other, copy.deepcopy(one)}) == (1 if one == other else 2)


RESULT = EvaluationResult(
    pair_id="p",
    metric="m",
    scale=Scale(0.0, math.inf, higher_is_better=False),
    signature=Signature("m", (("reader", "a|b:c"), ("version", "1"))),
    outcome=Scored(score=0.5, subscores={"x": math.nan, "y": 1.0}),
)


def test_what_is_no_number_equals_itself() -> None:
    """NaN equals nothing, not even itself: a result that holds one still equals its copy, and no other."""
    assert pickle.loads(pickle.dumps(RESULT)) == RESULT  # noqa: S301 - our own bytes
    assert evolve(RESULT, outcome=Scored(score=0.5, subscores={"x": 0.0, "y": 1.0})) != RESULT


def test_the_order_of_subscores_tells_nothing_and_their_names_do() -> None:
    """They are told apart by name."""
    turned = evolve(RESULT, outcome=Scored(score=0.5, subscores={"y": 1.0, "x": math.nan}))
    assert turned == RESULT
    assert hash(turned) == hash(RESULT)
    assert evolve(RESULT, outcome=Scored(score=0.5, subscores={"x": math.nan, "z": 1.0})) != RESULT


def test_numbers_of_numpy_are_numbers() -> None:
    """A metric may return numpy's own."""
    half: Any = np.float32(0.5)
    result = evolve(RESULT, outcome=Scored(score=half, subscores={"x": half}))
    assert result_from_record(through_json(result_record(result))) == result


def test_signatures_that_print_alike_are_the_same() -> None:
    """The line is all that a file keeps of one."""
    one, other = Signature("m", (("a", "b|c:d"),)), Signature("m", (("a", "b"), ("c", "d")))
    assert one == other
    assert hash(one) == hash(other)
    assert one != Signature("m", (("a", "b"),))
    assert one != "m|a:b|c:d"


def test_what_a_result_rests_on_is_compared_by_itself() -> None:
    """A result that was kept has no evidence, and says the same."""
    bare = Unscored("cut off", "too long")
    evidence = result_from_record(_ANSWERED).outcome.evidence
    assert isinstance(evidence, AnswerEvidence)
    from_model = evolve(bare, evidence=evidence)
    assert from_model == bare
    assert from_model.evidence != bare.evidence


_ANSWERED = {
    **{name: value for name, value in result_record(RESULT).items() if name != "digest"},
    "answers": [
        {"key": "k", "prompt": "p", "model": "m", "finish": "stop", "attempt": 1, "outcome": "read"}
        | {"prompt_tokens": None, "completion_tokens": 3}
    ],
}
