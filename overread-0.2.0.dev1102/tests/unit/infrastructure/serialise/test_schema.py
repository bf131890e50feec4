"""The published schema of a result record, held against `jsonschema`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator

import overread
from overread.domain.results.result import EvaluationResult
from overread.infrastructure.files.parquet import RESULT_SCHEMA
from overread.infrastructure.serialise import SCHEMA_VERSION, explanation_record, result_record, result_schema

from .strategies import results

VALIDATOR: Final = Draft202012Validator(result_schema())


def told(record: Any) -> list[str]:
    """What the schema has against a record."""
    return [error.message for error in VALIDATOR.iter_errors(json.loads(json.dumps(record)))]


def test_the_schema_is_one() -> None:
    """Of draft 2020-12, by its own words, and reached from the package."""
    Draft202012Validator.check_schema(result_schema())
    assert result_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert overread.result_schema() == result_schema()
    assert result_schema()["properties"]["schema_version"] == {"const": SCHEMA_VERSION}


@settings(
    max_examples=150,
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(results())
def test_every_record_fits(result: EvaluationResult) -> None:
    """Of whatever result, with what it rests on and without."""
    assert told(result_record(result)) == []
    assert told(explanation_record(result)) == []


def test_the_schema_names_what_a_record_holds() -> None:
    """The same keys as the columns of Parquet, in the same order; what only an explanation has comes last."""
    schema = result_schema()
    assert schema["required"] == RESULT_SCHEMA.names
    assert list(schema["properties"]) == [*RESULT_SCHEMA.names, "evidence"]
    assert all(each.get("description") for name, each in schema["$defs"]["discrepancy"]["properties"].items() if name)


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    """One with a discrepancy, of the shipped reader."""
    scored = overread.score(reference="No pneumothorax.", candidate="Right pneumothorax, 2 cm.", metrics=["notation"])
    return result_record(scored["notation"])


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.pop("id"),
        lambda r: r.pop("digest"),
        lambda r: r.update(id=5),
        lambda r: r.update(status="maybe"),
        lambda r: r.update(score=None),
        lambda r: r.update(score="0.5"),
        lambda r: r.update(score=True),
        lambda r: r.update(reason="empty"),
        lambda r: r.update(range=[0.0]),
        lambda r: r.update(range=[0.0, "1"]),
        lambda r: r.update(higher_is_better=None),
        lambda r: r.update(subscores={"A": None}),
        lambda r: r.update(subscores=[1.0]),
        lambda r: r.update(notes="text"),
        lambda r: r.update(truncated=0),
        lambda r: r.update(answers=[{}]),
        lambda r: r.update(schema_version=2),
        lambda r: r.update(digest="zz"),
        lambda r: r.update(unknown=1),
        lambda r: r["discrepancies"][0].pop("probability"),
        lambda r: r["discrepancies"][0].update(probability=2.0),
        lambda r: r["discrepancies"][0].update(severity="odd"),
        lambda r: r["discrepancies"][0].update(category="Z"),
        lambda r: r["discrepancies"][0].update(reference_spans=[[1]]),
        lambda r: r["discrepancies"][0].update(candidate_spans=[[-1, 2]]),
    ],
)
def test_a_damaged_record_does_not_fit(record: Mapping[str, Any], change: Callable[[Any], object]) -> None:
    """Whatever is missing, of another type, or beyond its range."""
    damaged = json.loads(json.dumps(record))
    assert told(damaged) == []
    change(damaged)
    assert told(damaged) != []


def test_an_unscored_record_has_no_score(record: Mapping[str, Any]) -> None:
    """A reason stands in its place, and nothing else that a score would have."""
    unscored = {**record, "status": "unscored", "reason": "empty", "detail": ""}
    assert told(unscored) != []
    assert told({**unscored, "score": None, "subscores": {}, "discrepancies": []}) == []
