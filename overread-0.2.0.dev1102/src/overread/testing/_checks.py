"""Checks of metrics, extractors and aligners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from overread.application.contracts import is_number
from overread.application.ports import Metric
from overread.domain.differences.cost import PairCosts
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.alignment import Alignment
from overread.domain.results.result import Outcome, Scale, Scored, Unscored
from overread.plugins.specs import Components, ComponentSpec, MetricSpec
from overread.testing._conduct import (
    BATCH_TOLERANCE,
    Problems,
    built_twice,
    conclude,
    conduct,
    exits_told,
    identity_problems,
    near,
    quotes,
    reading_problems,
    unprintable,
    unscored_problems,
)
from overread.testing._samples import SAMPLE_COSTS, SAMPLE_PAIRS, SAMPLE_REPORTS

__all__ = ["check_aligner", "check_extractor", "check_metric"]

Array = npt.NDArray[np.float64]

_MASS_TOLERANCE: Final = 1e-6
_RANGE_TOLERANCE: Final = 1e-9


@exits_told
def check_metric(
    spec: MetricSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    pairs: Sequence[ReportPair] = SAMPLE_PAIRS,
    tolerance: float = BATCH_TOLERANCE,
) -> None:
    """Checks a metric: one outcome a pair whatever the batch, on its scale, the same every time.

    ``tolerance`` is by how much a score may differ in another batch; 1e-4 suits a network.
    """
    metric, twin = built_twice(spec, MetricSpec, options, components)
    problems = conduct(
        metric,
        twin,
        pairs,
        lambda its, asked: its.evaluate(asked),
        partial(_outcome_problems, spec.scale),
        same=_same_outcomes,
        own=_signature_problems,
        tolerance=tolerance,
    )
    conclude(spec, problems)


@exits_told
def check_extractor(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    reports: Sequence[Report] = SAMPLE_REPORTS,
) -> None:
    """Checks an extractor: units in reading order that quote the report, none for a blank one, the same every time."""
    extractor, twin = built_twice(spec, ComponentSpec, options, components)
    conclude(
        spec,
        conduct(
            extractor, twin, reports, lambda its, asked: its.extract(asked), _extraction_problems, own=identity_problems
        ),
    )


@exits_told
def check_aligner(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    costs: Sequence[PairCosts] = SAMPLE_COSTS,
) -> None:
    """Checks an aligner: a nonnegative plan of the costs' shape with the costs that explain it, the same every time."""
    aligner, twin = built_twice(spec, ComponentSpec, options, components)
    problems = conduct(
        aligner,
        twin,
        costs,
        lambda its, asked: its.align(asked),
        _alignment_problems,
        same=_same_alignments,
        own=identity_problems,
    )
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
        yield from unscored_problems(outcome, pair)
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
    yield from reading_problems(report, extraction, ClinicalUnit, "units")
    if not isinstance(extraction, tuple) or not all(isinstance(unit, ClinicalUnit) for unit in extraction):
        return
    if any(unit.span_text != unit.span.of(report.text) or not 0 <= unit.start < unit.end for unit in extraction):
        yield "span_text of each unit must be what stands in the report from start to end"
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
    if not np.isfinite(alignment.plan).all() or (alignment.plan < 0).any():
        yield "the plan must be finite and nonnegative"
    elif alignment.row_null is None or alignment.column_null is None:
        yield from _whole_plan_problems(alignment)
    else:
        yield from _partial_plan_problems(costs, alignment, alignment.row_null, alignment.column_null)
    if not _same_costs(alignment.channels, costs.ground) or not _same_costs(alignment.side, costs.side):
        yield "channels and side must be the costs that were given"
    if not alignment.marginal_error >= 0:
        yield "marginal_error must be 0 or more"


def _whole_plan_problems(alignment: Alignment) -> Problems:
    """Problems of a plan in which every unit has a partner."""
    if alignment.plan.sum() <= 0:
        yield "the plan must not be all zero, unless row_null and column_null say what it costs to have no partner"
    if not ((alignment.ground >= 0) & (alignment.ground <= 1)).all():
        yield "ground must lie on 0 to 1"
    masses = (alignment.row_mass, alignment.column_mass)
    for name, mass, length in zip(("row", "column"), masses, alignment.shape, strict=True):
        if mass.shape != (length,) or not (mass > 0).all() or not near(mass.sum(), 1.0, _MASS_TOLERANCE):
            yield f"{name}_mass must be {length} positive numbers that sum to 1"


def _partial_plan_problems(costs: PairCosts, alignment: Alignment, row_null: Array, column_null: Array) -> Problems:
    """Problems of a plan that may leave units without a partner."""
    if not (np.isfinite(alignment.ground) & (alignment.ground >= 0)).all():
        yield "ground must be finite and nonnegative"
    for name, mass, null, asked, axis in (
        ("row", alignment.row_mass, row_null, costs.row_mass, 1),
        ("column", alignment.column_mass, column_null, costs.column_mass, 0),
    ):
        length = alignment.shape[1 - axis]
        for what, values in (("mass", mass), ("null", null)):
            if values.shape != (length,) or not (np.isfinite(values) & (values >= 0)).all():
                yield f"{name}_{what} must be {length} finite numbers of 0 or more"
                return
        if (alignment.plan.sum(axis=axis) > mass + _MASS_TOLERANCE).any():
            yield f"the plan must carry no more than {name}_mass"
        if asked is not None and not np.array_equal(mass, asked):
            yield f"{name}_mass must be that of the costs"


def _same_costs(one: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(matrix, other[name]) for name, matrix in one.items())
