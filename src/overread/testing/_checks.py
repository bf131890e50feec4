"""Checks of metrics, extractors and aligners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from overread.application.ports import Extraction, Metric
from overread.domain.alignment import Alignment
from overread.domain.cost import PairCosts
from overread.domain.report import Report, ReportPair
from overread.domain.result import Outcome, Scale, Scored, Unscored
from overread.domain.unit import ClinicalUnit
from overread.plugins.specs import Components, ComponentSpec, MetricSpec
from overread.testing._conduct import (
    BATCH_TOLERANCE,
    Problems,
    behaviour,
    built_twice,
    conclude,
    identity_problems,
    is_number,
    matched,
    near,
    quotes,
    unprintable,
)
from overread.testing._samples import SAMPLE_COSTS, SAMPLE_PAIRS, SAMPLE_REPORTS

__all__ = ["check_aligner", "check_extractor", "check_metric"]

Array = npt.NDArray[np.float64]

_MASS_TOLERANCE: Final = 1e-6
_RANGE_TOLERANCE: Final = 1e-9


def check_metric(
    spec: MetricSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    pairs: Sequence[ReportPair] = SAMPLE_PAIRS,
    tolerance: float = BATCH_TOLERANCE,
) -> None:
    """Checks a metric: one outcome a pair whatever the batch, on its scale, the same every time.

    Args:
        spec: as the plugin lists it.
        options: of the spec's options class; its defaults where omitted.
        components: what the factory draws components from; fakes where omitted.
        pairs: what to try it on.
        tolerance: by how much a score may differ in another batch; 1e-4 suits a network.

    Raises:
        AssertionError: naming every problem found.
    """
    metric, twin = built_twice(spec, MetricSpec, options, components)
    problems = [
        *_signature_problems(metric, twin),
        *behaviour(pairs, metric.evaluate, twin.evaluate, _same_outcomes, tolerance),
    ]
    for pair, outcome in matched(pairs, metric.evaluate(pairs)):
        problems += [f"pair {pair.id}: {problem}" for problem in _outcome_problems(spec.scale, pair, outcome)]
    conclude(spec, problems)


def check_extractor(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    reports: Sequence[Report] = SAMPLE_REPORTS,
) -> None:
    """Checks an extractor: units in reading order that quote the report, none for a blank one, the same every time.

    Args:
        spec: as the plugin lists it.
        options: of the spec's options class; its defaults where omitted.
        components: what the factory draws components from; fakes where omitted.
        reports: what to try it on.

    Raises:
        AssertionError: naming every problem found.
    """
    extractor, twin = built_twice(spec, ComponentSpec, options, components)
    problems = [*identity_problems(extractor, twin)]
    problems += behaviour(reports, extractor.extract, twin.extract, _same_units)
    for number, (report, extraction) in enumerate(matched(reports, extractor.extract(reports)), start=1):
        problems += [f"report {number}: {problem}" for problem in _extraction_problems(report, extraction)]
    conclude(spec, problems)


def check_aligner(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    costs: Sequence[PairCosts] = SAMPLE_COSTS,
) -> None:
    """Checks an aligner: a nonnegative plan of the costs' shape with the costs that explain it, the same every time.

    Args:
        spec: as the plugin lists it.
        options: of the spec's options class; its defaults where omitted.
        components: what the factory draws components from; fakes where omitted.
        costs: what to try it on.

    Raises:
        AssertionError: naming every problem found.
    """
    aligner, twin = built_twice(spec, ComponentSpec, options, components)
    problems = [*identity_problems(aligner, twin), *behaviour(costs, aligner.align, twin.align, _same_alignments)]
    for number, (pair, alignment) in enumerate(matched(costs, aligner.align(costs)), start=1):
        problems += [f"costs {number}: {problem}" for problem in _alignment_problems(pair, alignment)]
    conclude(spec, problems)


def _signature_problems(metric: Metric, twin: Metric) -> Problems:
    parts = list(metric.signature_parts)
    for name, identity in parts:
        if problem := unprintable(name) or unprintable(identity):
            yield f"signature part {name!r} {problem}"
    if len({name for name, _ in parts}) < len(parts):
        yield "two signature parts have the same name"
    if parts != list(twin.signature_parts):
        yield "signature_parts differ between two that are built alike"


def _same_units(one: Extraction, other: Extraction, _: float) -> bool:
    return one == other


def _same_outcomes(one: Outcome, other: Outcome, tolerance: float) -> bool:
    if not isinstance(one, Scored) or not isinstance(other, Scored):
        return one == other
    return (
        one.subscores.keys() == other.subscores.keys()
        and (one.discrepancies, one.truncated) == (other.discrepancies, other.truncated)
        and near(one.score, other.score, tolerance)
        and all(near(value, other.subscores[name], tolerance) for name, value in one.subscores.items())
    )


def _same_alignments(one: Alignment, other: Alignment, tolerance: float) -> bool:
    if not isinstance(one, Alignment) or not isinstance(other, Alignment):
        return type(one) is type(other)  # what is no alignment is told on its own
    return all(
        a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
        for a, b in [(one.plan, other.plan), (one.ground, other.ground)]
    )


def _outcome_problems(scale: Scale, pair: ReportPair, outcome: object) -> Problems:
    if isinstance(outcome, Unscored):
        if not isinstance(outcome.reason, str) or not outcome.reason:
            yield "Unscored must give a reason"
        if quotes(pair, f"{outcome.reason} {outcome.detail}"):
            yield "the reason quotes a report"
    elif isinstance(outcome, Scored):
        yield from _score_problems(scale, outcome)
        if any(quotes(pair, note) for note in outcome.notes):
            yield "a note quotes a report"
        spans = [(span, pair.reference.text) for d in outcome.discrepancies for span in d.reference_spans]
        spans += [(span, pair.candidate.text) for d in outcome.discrepancies for span in d.candidate_spans]
        if not all(0 <= span.start <= span.end <= len(text) for span, text in spans):
            yield "a discrepancy points outside its report"
    else:
        yield f"must be Scored or Unscored, not {type(outcome).__name__}"


def _score_problems(scale: Scale, outcome: Scored) -> Problems:
    if not is_number(outcome.score):
        yield "the score must be a finite number"
    elif not scale.low - _RANGE_TOLERANCE <= outcome.score <= scale.high + _RANGE_TOLERANCE:
        yield f"score {outcome.score:g} lies outside its scale, {scale.describe()}"
    for name, value in outcome.subscores.items():
        if not is_number(value):
            yield f"subscore {name!r} must be a finite number"


def _extraction_problems(report: Report, extraction: object) -> Problems:
    if isinstance(extraction, Unscored):
        if report.is_blank:
            yield "a blank report must be read, into no units"
        if not extraction.reason:
            yield "Unscored must give a reason"
        return
    if not isinstance(extraction, tuple) or not all(isinstance(unit, ClinicalUnit) for unit in extraction):
        yield "must be a tuple of ClinicalUnit, or Unscored"
        return
    if report.is_blank and extraction:
        yield "a blank report must be read into no units"
    if any(unit.span_text != unit.span.of(report.text) or not 0 <= unit.start < unit.end for unit in extraction):
        yield "span_text of each unit must be what stands in the report from start to end"
    if any(later.start < unit.start for unit, later in pairwise(extraction)):
        yield "units must stand in reading order"
    if not all(0 <= unit.confidence <= 1 for unit in extraction):
        yield "confidence must lie on 0 to 1"


def _alignment_problems(costs: PairCosts, alignment: object) -> Problems:
    if not isinstance(alignment, Alignment):
        yield f"must be Alignment, not {type(alignment).__name__}"
        return
    shape = next(iter(costs.ground.values())).shape
    if alignment.plan.shape != shape or alignment.ground.shape != shape:
        yield f"plan and ground must have the shape of the costs, {shape[0]} x {shape[1]}"
        return
    if not np.isfinite(alignment.plan).all() or (alignment.plan < 0).any() or alignment.plan.sum() <= 0:
        yield "the plan must be finite, nonnegative and not all zero"
    if not ((alignment.ground >= 0) & (alignment.ground <= 1)).all():
        yield "ground must lie on 0 to 1"
    for name, mass, length in zip(("row", "column"), (alignment.row_mass, alignment.column_mass), shape, strict=True):
        if mass.shape != (length,) or not (mass > 0).all() or not near(mass.sum(), 1.0, _MASS_TOLERANCE):
            yield f"{name}_mass must be {length} positive numbers that sum to 1"
    if not _same_costs(alignment.channels, costs.ground) or not _same_costs(alignment.side, costs.side):
        yield "channels and side must be the costs that were given"
    if not alignment.marginal_error >= 0:
        yield "marginal_error must be 0 or more"


def _same_costs(one: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(matrix, other[name]) for name, matrix in one.items())
