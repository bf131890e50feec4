"""The defaults remember sentences, reports, relations, costs and plans; none of it may change a result."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.adapters.checkpoints.memory import Memory
from overread.application.metrics.pair_reader import PairReader
from overread.application.scoring.evaluate import EvaluationService
from overread.bootstrap.interface import open_service
from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.recent import Recent
from overread.infrastructure.serialise import result_record
from overread.infrastructure.settings import Settings
from overread.studies.bootstrap.synthesis import synthetic_pairs

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


Container = dict[Any, Any] | list[Any] | set[Any]

_SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_SMALL = {"sentence_cache": 8, "report_cache": 8}


@pytest.mark.parametrize(
    "asked",
    [
        Settings(options={"extractor": _SMALL, "second_reader": {"cache": 8}}),
        pytest.param(
            Settings(metrics=("radot",), choices={"readout": "debiased"}, options={"extractor": _SMALL}),
            marks=pytest.mark.slow,
        ),
        Settings(
            metrics=("ratescore", "notation"),
            choices={"second_reader": "comparing"},
            options={"extractor": _SMALL, "encoder": {"cache": 8}, "second_reader": {"cache": 8}},
        ),
    ],
    ids=["defaults", "relation", "learned"],
)
def test_what_is_remembered_is_bounded(pairs: list[ReportPair], asked: Settings) -> None:
    """Once every memory is full, nothing that outlives a pair grows, though no sentence ever comes again."""
    service = open_service(asked)
    for found in reached(service):
        if isinstance(found, Recent):
            found.limit = 8
        elif isinstance(found, PairReader):
            found.remembered = 8
    few = pairs[::6]
    evaluate_anew(service, few, times=2)
    before = {id(found): (found, len(found)) for found in containers(service)}
    evaluate_anew(service, few, times=1, first=2)
    assert [
        found
        for found in containers(service)
        if len(found) > before.get(id(found), (found, len(found)))[1] and not fits(found)
    ] == []
    for found in reached(service):
        assert not isinstance(found, Memory) or len(found._known) <= found.size
        assert not isinstance(found, _lru_cache_wrapper) or found.cache_info().maxsize is not None


def fits(found: Container) -> bool:
    """Whether it is a memory that has a limit and holds no more."""
    return isinstance(found, Recent) and len(found) <= found.limit


def evaluate_anew(service: EvaluationService, pairs: list[ReportPair], times: int, first: int = 0) -> None:
    """The pairs, each of whose sentences tells of a picture that no other tells of."""
    number = 0

    def anew(text: str, time: int) -> str:
        nonlocal number
        said = []
        for sentence in text.split("."):
            number += 1
            said.append(f"{sentence} (image {time * 1_000_000 + number})" if sentence.strip() else sentence)
        return ".".join(said)

    for time in range(first, first + times):
        service.evaluate(
            ReportPair(
                id=f"{pair.id}-{time}",
                reference=anew(pair.reference.text, time),
                candidate=anew(pair.candidate.text, time),
            )
            for pair in pairs
        )


def containers(root: object) -> list[Container]:
    """Dicts, lists and sets that can be reached from an object, but for those inside functions' caches."""
    return [found for found in reached(root) if isinstance(found, dict | list | set)]


def reached(root: object) -> Iterator[object]:
    """An object and all that it leads to; not what classes, modules and functions share with the whole process."""
    seen: set[int] = set()
    left = [root]
    while left:
        found = left.pop()
        if id(found) in seen or isinstance(found, _SHARED):
            continue
        seen.add(id(found))
        yield found
        if not isinstance(found, _lru_cache_wrapper):
            left += gc.get_referents(found)
