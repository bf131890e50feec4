"""Contracts: every component is asked through here, and what it answers is held against what its port promises.

A plugin's type checker may never have run. What would be noticed nowhere else, as spans that hold other words or
embeddings of another length, would be a wrong score; here it is a `ComponentError`, which unscores the pair and names
the class. What is asked is handed out as a tuple: a component that sorts it cannot shift anybody's rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import Final, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from overread.application.ports import (
    Aligner,
    EntityRecognizer,
    ErrorCounter,
    Extraction,
    Judge,
    NameMatcher,
    Readout,
    ReportLabeller,
    SecondReader,
    TextEncoder,
    UnitExtractor,
)
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import PairCosts
from overread.domain.differences.second_reading import FirstReading, SecondReading
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.findings.chest_labels import LABELS, LabelReading
from overread.domain.findings.unit import ClinicalUnit, Measurement, Polarity
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.alignment import Alignment
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.judgement import Judgement
from overread.domain.results.ratescore import NameMatches
from overread.domain.results.readout import TARGETS, Risk
from overread.domain.results.result import Unscored
from overread.exceptions import ComponentError

__all__ = [
    "alignments_of",
    "counts_of",
    "discrepancy_problem",
    "entities_of",
    "is_number",
    "judgements_of",
    "labels_of",
    "matches_of",
    "risks_of",
    "second_readings_of",
    "units_of",
    "unscored_problem",
    "vectors_of",
]

Q = TypeVar("Q")
T = TypeVar("T")

_LENGTH_TOLERANCE: Final = 1e-3
"""By how much the length of an embedding may differ from 1: half precision leaves three digits."""


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number, including numpy's; a truth value isn't one."""
    if type(value) is not float and (isinstance(value, bool) or not isinstance(value, Real)):
        return False
    return math.isfinite(value)


def units_of(extractor: UnitExtractor, reports: Sequence[Report]) -> Sequence[Extraction]:
    """Each report's units: inside it, in reading order, each with the words that stand there.

    Raises:
        ComponentError: if they are not so.
    """
    return _check_answers("extractor", extractor, reports, extractor.extract(tuple(reports)), _units_problem)


def _units_problem(report: Report, units: object) -> str:
    text = report.text
    if not isinstance(units, tuple) or not all(isinstance(unit, ClinicalUnit) for unit in units):
        return "did not return a tuple of clinical units"
    if not all(isinstance(unit.canonical_finding, str) and isinstance(unit.polarity, Polarity) for unit in units):
        return "returned a unit whose finding is not text or whose polarity is not a Polarity"
    if not all(0 <= unit.start <= unit.end <= len(text) for unit in units):
        return "returned units that lie outside the report"
    if not all(0 <= unit.confidence <= 1 and all(map(_is_measured, unit.measurements)) for unit in units):
        return "returned a unit whose confidence or size is not a number"
    return _order_problem(text, units)


def _is_measured(size: Measurement) -> bool:
    return is_number(size.value) and is_number(size.millimetres)


def _order_problem(text: str, units: Sequence[ClinicalUnit]) -> str:
    if any(text[unit.start : unit.end] != unit.span_text for unit in units):
        return "returned a unit whose words are not where it points to"
    if any(later.start < unit.start for unit, later in pairwise(units)):
        return "returned units that are not in reading order"
    return ""


def alignments_of(aligner: Aligner, costs: Sequence[PairCosts]) -> Sequence[Alignment]:
    """One plan for each pair's costs: finite, nonnegative, of their shape, with mass unless it may stay alone.

    Neither the aligner can write into the costs, nor who reads the plans into them: metrics share both.

    Raises:
        ComponentError: if one is not so.
    """
    asked = tuple(cost.as_read_only() for cost in costs)
    alignments = _answers("aligner", aligner, aligner.align(asked), len(costs))
    for alignment, cost in zip(alignments, costs, strict=True):
        if not isinstance(alignment, Alignment):
            raise ComponentError("aligner", aligner, "did not return an alignment")
        if not _is_transport_plan(alignment, cost):
            raise ComponentError("aligner", aligner, "did not return a transport plan")
        if not _explains_plan(alignment):
            raise ComponentError("aligner", aligner, "returned costs or masses that are not finite numbers of the plan")
    return [alignment.as_read_only() for alignment in alignments]


def _is_transport_plan(alignment: Alignment, cost: PairCosts) -> bool:
    plan = alignment.plan
    return (
        np.shape(plan) == cost.ground["finding"].shape
        and bool(np.isfinite(plan).all() and (plan >= 0).all())
        and bool(plan.any() or alignment.row_null is not None)
    )


def _explains_plan(alignment: Alignment) -> bool:
    """Return whether costs and masses have the plan's shape: numpy would stretch others to it without a word."""
    rows, columns = shape = np.shape(alignment.plan)
    matrices = [alignment.ground, *alignment.channels.values(), *alignment.side.values()]
    vectors = (
        (alignment.row_mass, rows),
        (alignment.row_null, rows),
        (alignment.column_mass, columns),
        (alignment.column_null, columns),
    )
    return all(_are_finite(matrix, shape) for matrix in matrices) and all(
        vector is None or _are_finite(vector, (length,)) for vector, length in vectors
    )


def _are_finite(values: object, shape: tuple[int, ...]) -> bool:
    return isinstance(values, np.ndarray) and values.shape == shape and bool(np.isfinite(values).all())


def second_readings_of(reader: SecondReader, readings: Sequence[FirstReading]) -> list[SecondReading]:
    """One second reading a pair; nobody is asked about none.

    Raises:
        ComponentError: if one has not a probability on [0, 1] for each discrepancy, or finds what stands in no report.
    """
    if not readings:
        return []
    given = list(_answers("second reader", reader, reader.read_again(tuple(readings)), len(readings)))
    for first, second in zip(readings, given, strict=True):
        if not isinstance(second, SecondReading) or not all(isinstance(d, Discrepancy) for d in second.found):
            raise ComponentError("second reader", reader, "did not return a second reading")
        probabilities = [*second.probabilities, *(d.probability for d in second.found)]
        if len(second.probabilities) != len(first.discrepancies) or not all(
            is_number(probability) and 0.0 <= probability <= 1.0 for probability in probabilities
        ):
            raise ComponentError("second reader", reader, "did not return a probability for each discrepancy")
        if not all(_stands_in(d, first) for d in second.found):
            raise ComponentError(
                "second reader", reader, "found a discrepancy that is in neither report or has no weight"
            )
    return given


def _stands_in(found: Discrepancy, first: FirstReading) -> bool:
    ends = [(span, len(first.reference)) for span in found.reference_spans]
    ends += [(span, len(first.candidate)) for span in found.candidate_spans]
    return bool(ends) and found.weight is not None and all(0 <= s.start < s.end <= length for s, length in ends)


def risks_of(readout: Readout, pairs: Sequence[AlignedPair]) -> Sequence[Risk]:
    """The risk of each aligned pair, with a number for each target. Raises `ComponentError` for anything else."""
    risks = _answers("readout", readout, readout.read_out(tuple(pairs)), len(pairs))
    for risk in risks:
        if not isinstance(risk, Risk) or not all(is_number(risk.scores.get(target)) for target in TARGETS):
            raise ComponentError("readout", readout, f"did not return a risk with numbers for {', '.join(TARGETS)}")
        if risk.relative is not None and not is_number(risk.relative):
            raise ComponentError("readout", readout, "returned a relative risk that is not a number")
    return risks


def entities_of(
    recognizer: EntityRecognizer, reports: Sequence[Report], *, named: bool = True
) -> Sequence[tuple[Entity, ...] | Unscored]:
    """Each report's entities: named, typed, inside it, in reading order; nobody is asked about no report.

    Args:
        recognizer: who is asked.
        reports: about which.
        named: whether each entity must have a name; some releases decode a token to none.

    Raises:
        ComponentError: if they are not so.
    """
    if not reports:
        return ()
    problem = partial(_entities_problem, named=named)
    return _check_answers("recognizer", recognizer, reports, recognizer.recognize(tuple(reports)), problem)


def _entities_problem(report: Report, entities: object, *, named: bool = True) -> str:
    text = report.text
    if not isinstance(entities, tuple) or not all(isinstance(entity, Entity) for entity in entities):
        return "did not return a tuple of entities"
    if not all(
        isinstance(entity.text, str)
        and (entity.text.strip() or not named)
        and 0 <= entity.start <= entity.end <= len(text)
        for entity in entities
    ):
        return "returned entities without a name or outside their report"
    if not all(isinstance(entity.type, EntityType) for entity in entities):
        return "returned an entity whose type is not an EntityType"
    if any(later.start < entity.start for entity, later in pairwise(entities)):
        return "returned entities that are not in reading order"
    return ""


def labels_of(labeller: ReportLabeller, reports: Sequence[Report]) -> Sequence[LabelReading | Unscored]:
    """Reading of the observations in each report; without reports, the labeller is not called.

    Raises:
        ComponentError: if it names other observations, or a vector is not finite and of unit length.
    """
    return (
        _check_answers("labeller", labeller, reports, labeller.label(tuple(reports)), _labels_problem)
        if reports
        else ()
    )


def _labels_problem(_report: Report, reading: object) -> str:
    if not isinstance(reading, LabelReading):
        return "did not return a reading of labels"
    if not all(label in LABELS and isinstance(polarity, Polarity) for label, polarity in reading.mentions.items()):
        return "returned a label that is not one of CheXpert's, or whose polarity is not a Polarity"
    if reading.vector is not None and abs(float(np.linalg.norm(reading.vector)) - 1.0) > _LENGTH_TOLERANCE:
        return "returned a vector that is not of unit length"
    return ""


def vectors_of(encoder: TextEncoder, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """One finite row of unit length a text. Raises `ComponentError` for anything else."""
    returned = encoder.encode(tuple(texts))
    if not isinstance(returned, np.ndarray) or returned.ndim != 2 or len(returned) != len(texts):  # noqa: PLR2004
        shape = getattr(returned, "shape", type(returned).__name__)
        raise ComponentError("encoder", encoder, f"returned an array of shape {shape} for {len(texts)} texts")
    rows = np.asarray(returned, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise ComponentError("encoder", encoder, "returned an embedding that is not finite")
    if not np.allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=0.0, atol=_LENGTH_TOLERANCE):
        raise ComponentError("encoder", encoder, "returned an embedding that is not of unit length")
    return rows


def matches_of(matcher: NameMatcher, reference: Sequence[str], candidate: Sequence[str]) -> NameMatches:
    """Cosines and matches of both reports' names, of their shape and finite. Raises `ComponentError` otherwise."""
    answer = matcher.match_names(tuple(reference), tuple(candidate))
    if not isinstance(answer, NameMatches):
        raise ComponentError("encoder", matcher, "did not return matches of names")
    shape = (len(reference), len(candidate))
    sides = ((answer.similarities, answer.matches, shape), (answer.back, answer.back_matches, shape[::-1]))
    for similarities, matches, (rows, columns) in sides:
        if np.shape(similarities) != (rows, columns) or np.shape(matches) != (rows,):
            raise ComponentError("encoder", matcher, "returned matches whose shape is not that of the names")
        if not np.isfinite(similarities).all() or not all(0 <= match < columns for match in matches):
            raise ComponentError("encoder", matcher, "returned cosines that are not finite, or matches of no name")
    return answer


def counts_of(counter: ErrorCounter, pairs: Sequence[ReportPair]) -> Sequence[ErrorCounts | Unscored]:
    """The predicted errors of each pair, each 0 or more. Raises `ComponentError` for anything else."""
    return _check_answers("error counter", counter, pairs, counter.count(tuple(pairs)), _counts_problem)


def _counts_problem(_pair: ReportPair, counts: object) -> str:
    if not isinstance(counts, ErrorCounts) or not counts.counts:
        return "did not return error counts"
    if not all(is_number(count) and count >= 0 for count in counts.counts.values()):
        return "returned a count that is not a number of 0 or more"
    return ""


def judgements_of(judge: Judge, pairs: Sequence[ReportPair]) -> Sequence[Judgement | Unscored]:
    """The judgement of each pair, its discrepancies inside the reports; nobody is asked about no pair.

    Raises:
        ComponentError: if they are not so.
    """
    if not pairs:
        return ()
    return _check_answers("judge", judge, pairs, judge.judge(tuple(pairs)), _judgement_problem)


def _judgement_problem(pair: ReportPair, judgement: object) -> str:
    if not isinstance(judgement, Judgement):
        return "did not return a judgement"
    return discrepancy_problem(pair, judgement.discrepancies)


def discrepancy_problem(pair: ReportPair, discrepancies: object) -> str:
    """Problem with the discrepancies of a pair; "" if there is none."""
    if not isinstance(discrepancies, tuple) or not all(isinstance(d, Discrepancy) for d in discrepancies):
        return "did not return a tuple of discrepancies"
    longest = len(pair.reference.text), len(pair.candidate.text)
    for discrepancy in discrepancies:
        for spans, length in zip((discrepancy.reference_spans, discrepancy.candidate_spans), longest, strict=True):
            if not all(0 <= span.start <= span.end <= length for span in spans):
                return "returned a discrepancy that points outside its report"
        if not is_number(discrepancy.probability) or not is_number(discrepancy.extent or 0.0):
            return "returned a discrepancy whose extent or probability is not a number"
    return ""


def unscored_problem(answer: object) -> str:
    """Problem with a reason for no score; "" if there is none or the answer isn't an `Unscored`."""
    if not isinstance(answer, Unscored):
        return ""
    if not isinstance(answer.reason, str) or not answer.reason or not isinstance(answer.detail, str):
        return "returned Unscored without a reason in words"
    return ""


def _check_answers(
    kind: str,
    component: object,
    asked: Sequence[Q],
    answers: Sequence[T],
    problem_of: Callable[[Q, object], str],
) -> Sequence[T]:
    """The answers, each sound or a reason why there is none. Raises `ComponentError` for the first that is neither."""
    for item, answer in zip(asked, _answers(kind, component, answers, len(asked)), strict=True):
        problem = unscored_problem(answer) if isinstance(answer, Unscored) else problem_of(item, answer)
        if problem:
            raise ComponentError(kind, component, problem)
    return answers


def _answers(kind: str, component: object, answers: Sequence[T], expected: int) -> Sequence[T]:
    if not isinstance(answers, Sequence | np.ndarray):
        raise ComponentError(kind, component, f"returned {type(answers).__name__}, which is not a sequence")
    if len(answers) != expected:
        raise ComponentError(kind, component, f"returned {len(answers)} answers for {expected} questions")
    return answers
