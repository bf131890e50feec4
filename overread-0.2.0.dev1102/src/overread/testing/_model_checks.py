"""Checks of what the learned metrics work with: recognizers, encoders, error counters and second readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from overread.application.contracts import is_number
from overread.domain.differences.second_reading import FirstReading, SecondReading
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.result import Unscored
from overread.plugins.specs import Components, ComponentSpec
from overread.testing._conduct import (
    Problems,
    built_twice,
    conclude,
    conduct,
    exits_told,
    identity_problems,
    near,
    noted_problems,
    reading_problems,
    unscored_problems,
)
from overread.testing._samples import SAMPLE_PAIRS, SAMPLE_READINGS, SAMPLE_REPORTS, SAMPLE_TEXTS

__all__ = ["check_encoder", "check_error_counter", "check_recognizer", "check_second_reader"]

_NETWORK_TOLERANCE: Final = 1e-4
"""A network's answers in another batch, with other padding, may differ by this much in single precision."""

_LENGTH_TOLERANCE: Final = 1e-4


@exits_told
def check_recognizer(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    reports: Sequence[Report] = SAMPLE_REPORTS,
) -> None:
    """Checks a recognizer: typed entities in reading order inside the report, none for a blank one, always the same."""
    recognizer, twin = built_twice(spec, ComponentSpec, options, components)
    conclude(spec, conduct(recognizer, twin, reports, lambda its, asked: its.recognize(asked), _entity_problems))


@exits_told
def check_encoder(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    texts: Sequence[str] = SAMPLE_TEXTS,
) -> None:
    """Checks an encoder: one finite row of unit length a text, whatever the batch, the same every time."""
    encoder, twin = built_twice(spec, ComponentSpec, options, components)
    if problem := _matrix_problem(encoder.encode(texts)):
        conclude(spec, [*noted_problems(encoder, twin), problem])
    problems = conduct(
        encoder,
        twin,
        texts,
        lambda its, asked: list(its.encode(asked)),
        _row_problems,
        same=_same_rows,
        tolerance=_NETWORK_TOLERANCE,
    )
    conclude(spec, problems)


@exits_told
def check_error_counter(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    pairs: Sequence[ReportPair] = SAMPLE_PAIRS,
) -> None:
    """Checks an error counter: the same heads for every pair, finite counts of 0 or more, whatever the batch."""
    counter, twin = built_twice(spec, ComponentSpec, options, components)
    problems = conduct(
        counter,
        twin,
        pairs,
        lambda its, asked: its.count(asked),
        _count_problems,
        same=_same_counts,
        tolerance=_NETWORK_TOLERANCE,
    )
    conclude(spec, [*problems, *_head_problems(counter.count(pairs))])


@exits_told
def check_second_reader(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    readings: Sequence[FirstReading] = SAMPLE_READINGS,
) -> None:
    """Checks a second reader: a probability for each discrepancy, whatever the batch, the same every time."""
    reader, twin = built_twice(spec, ComponentSpec, options, components)
    problems = conduct(
        reader,
        twin,
        readings,
        lambda its, asked: its.read_again(asked),
        _second_reading_problems,
        same=_same_second_readings,
        tolerance=_NETWORK_TOLERANCE,
        own=identity_problems,
    )
    conclude(spec, problems)


def _second_reading_problems(first: FirstReading, answer: object) -> Problems:
    if not isinstance(answer, SecondReading):
        yield "each pair must have a SecondReading"
        return
    probabilities = answer.probabilities
    if len(probabilities) != len(first.discrepancies) or not all(
        is_number(p) and 0.0 <= p <= 1.0 for p in probabilities
    ):
        yield "each discrepancy must have a probability from 0 to 1"
    if not all(isinstance(d, Discrepancy) and d.weight is not None for d in answer.found):
        yield "what is found must be discrepancies with importance and extent"


def _same_second_readings(one: SecondReading, other: SecondReading, tolerance: float) -> bool:
    numbers, others = (
        [*reading.probabilities, *(value for d in reading.found for value in (d.probability, d.weight or 0.0))]
        for reading in (one, other)
    )
    return len(numbers) == len(others) and all(
        abs(here - there) <= tolerance for here, there in zip(numbers, others, strict=True)
    )


def _head_problems(answers: Sequence[object]) -> Problems:
    if len({tuple(answer.counts) for answer in answers if isinstance(answer, ErrorCounts)}) > 1:
        yield "every pair must have the same heads in the same order"


def _entity_problems(report: Report, answer: object) -> Problems:
    yield from reading_problems(report, answer, Entity, "entities")
    if not isinstance(answer, tuple) or not all(isinstance(entity, Entity) for entity in answer):
        return
    if not all(0 <= entity.start < entity.end <= len(report.text) for entity in answer):
        yield "each entity must stand inside the report, from start to end"
    if not all(isinstance(entity.type, EntityType) for entity in answer):
        yield "the type of each entity must be an EntityType"
    if not all(isinstance(entity.text, str) and entity.text.strip() for entity in answer):
        yield "the text of each entity must not be empty"


def _matrix_problem(rows: object) -> str:
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.dtype != np.float32:  # noqa: PLR2004 - a matrix
        return "must return an array of float32 with one row a text"
    return ""


def _same_rows(one: npt.NDArray[np.float32], other: npt.NDArray[np.float32], tolerance: float) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=0.0, atol=tolerance, equal_nan=True)


def _row_problems(_: str, row: npt.NDArray[np.float32]) -> Problems:
    if not np.isfinite(row).all():
        yield "every number must be finite"
    elif not near(float(np.linalg.norm(row)), 1.0, _LENGTH_TOLERANCE):
        yield "the row must have length 1"


def _same_counts(one: Any, other: Any, tolerance: float) -> bool:
    if not isinstance(one, ErrorCounts) or not isinstance(other, ErrorCounts):
        return bool(one == other)
    return (one.tokens, one.unseen, one.windows) == (other.tokens, other.unseen, other.windows) and all(
        mine.keys() == counterpart.keys()
        and all(near(value, counterpart[head], tolerance) for head, value in mine.items())
        for mine, counterpart in ((one.counts, other.counts), (one.presence, other.presence))
    )


def _count_problems(pair: ReportPair, answer: object) -> Problems:
    if isinstance(answer, Unscored):
        yield from unscored_problems(answer, pair)
        return
    if not isinstance(answer, ErrorCounts):
        yield f"must be ErrorCounts or Unscored, not {type(answer).__name__}"
        return
    if not answer.counts:
        yield "there must be a count for one head or more"
    if not all(is_number(count) and count >= 0 for count in answer.counts.values()):
        yield "every count must be a finite number, 0 or more"
    if not answer.presence.keys() <= answer.counts.keys():
        yield "presence is given for a head without a count"
    if not all(is_number(chance) and 0 <= chance <= 1 for chance in answer.presence.values()):
        yield "every presence must lie on 0 to 1"
    if not 0 <= answer.unseen <= answer.tokens:
        yield "unseen must be 0 or more, and no more than tokens"
    if answer.windows < 1:
        yield "windows must be 1 or more"
