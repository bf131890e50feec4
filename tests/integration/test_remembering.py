"""The defaults remember sentences, reports, relations, costs and plans; none of it may change a result."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.application.scoring.evaluate import EvaluationService
from overread.bootstrap.interface import open_service
from overread.bootstrap.synthesis import synthetic_pairs
from overread.domain.report import ReportPair
from overread.infrastructure.serialise import result_record
from overread.infrastructure.settings import Settings

Records = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def pairs() -> list[ReportPair]:
    """Generated pairs, and each reference against another report."""
    rows: list[dict[str, Any]] = [pair.as_row() for pair in synthetic_pairs(seed=11, studies=8)]
    made = [ReportPair(id=row["id"], reference=row["reference"], candidate=row["candidate"]) for row in rows]
    crossed = [
        ReportPair(id=f"{one.id}-{other.id}", reference=one.reference, candidate=other.candidate)
        for one, other in zip(made, made[7:], strict=False)
    ]
    return made + crossed


def records(service: EvaluationService, pairs: list[ReportPair]) -> Records:
    """Result records by pair and metric."""
    return {
        f"{result.pair_id} {name}": result_record(result)
        for results in service.evaluate(pairs)
        for name, result in results.items()
    }


@pytest.fixture(scope="module")
def slow(pairs: list[ReportPair]) -> Records:
    """Each pair alone, by a reader that has forgotten everything but the last sentence."""
    options = {"extractor": {"sentence_cache": 1, "report_cache": 1}}
    service = open_service(Settings(options=options))
    found: Records = {}
    for pair in pairs:
        for named in service.metrics:
            metric: Any = named.metric
            metric.reader._pairs.clear()
            metric.reader._selves.clear()
            metric.reader.cost.lexicon.memory.clear()
        found |= records(service, [pair])
    return found


@pytest.fixture(scope="module")
def fast() -> EvaluationService:
    """The defaults, with whatever they have come to remember."""
    return open_service()


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), batch=st.integers(1, 64))
def test_the_fast_path_equals_the_slow_one(
    pairs: list[ReportPair], slow: Records, fast: EvaluationService, seed: int, batch: int
) -> None:
    """In any order, in batches of any size, cold or warm: the same records to the last bit."""
    order = random.Random(seed).sample(pairs, len(pairs))  # noqa: S311 - an order, not a secret
    fast.batch_size = batch
    assert records(fast, order) == slow
