"""Registers the importance aligner and the readout that sums its plan."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from attrs import fields

from overread.adapters.transport.importance.options import ImportanceOptions
from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, NoOptions

if TYPE_CHECKING:
    from overread.adapters.transport.importance._aligner import ImportanceAligner, Solver
    from overread.adapters.transport.importance._readout import PlanReadout

__all__ = ["overread_aligners", "overread_readouts"]

_CHANNELS: Final = (*GROUND_CHANNELS, *SIDE_CHANNELS)


@hookimpl
def overread_aligners() -> Iterable[ComponentSpec]:
    """The importance aligner."""
    return (
        ComponentSpec(
            name="importance",
            version="1.0",
            summary="Partial transport of clinical importance, with a null unit for what has no partner.",
            factory=_importance,
            options=ImportanceOptions,
        ),
    )


@hookimpl
def overread_readouts() -> Iterable[ComponentSpec]:
    """The readout of the plan."""
    return (
        ComponentSpec(
            name="plan",
            version="1.0",
            summary="Risk is the plan's own: mass times cost, summed over its edges. Nothing is fitted.",
            factory=_plan,
            options=NoOptions,
        ),
    )


def _plan(_options: NoOptions, _components: Components) -> PlanReadout:
    from overread.adapters.transport.importance._readout import PlanReadout

    return PlanReadout()


def _importance(options: ImportanceOptions, _: Components) -> ImportanceAligner:
    if problems := [f"aligner importance: {problem}" for problem in _problems(options)]:
        raise ConfigurationError(problems)
    from overread.adapters.transport.importance._aligner import ImportanceAligner
    from overread.adapters.transport.importance._solvers import EntropicSolver, ExactSolver

    solver: Solver = ExactSolver(pot=options.solver == "pot")
    if options.epsilon:
        solver = EntropicSolver(
            options.epsilon, options.tolerance, options.max_iterations, newton=options.solver != "pot"
        )
    plans = f"importance,eps={options.epsilon:g}"
    weights = "" if set(options.weights) == {1.0} else ",w=" + "/".join(f"{weight:g}" for weight in options.weights)
    return ImportanceAligner(
        identity=plans + weights + _entropic_part(options),
        plans=plans,
        factors=dict(zip(_CHANNELS, options.weights, strict=True)),
        solver=solver,
    )


def _entropic_part(options: ImportanceOptions) -> str:
    """Settings of an entropic solver that are not at their defaults; an exact plan depends on none of them."""
    if not options.epsilon:
        return ""
    defaults = fields(ImportanceOptions)
    tolerance = f",tol={options.tolerance:g}" if options.tolerance != defaults.tolerance.default else ""
    most = defaults.max_iterations.default
    return tolerance + (f",iterations={options.max_iterations}" if options.max_iterations != most else "")


def _problems(options: ImportanceOptions) -> Iterable[str]:
    defaults = fields(ImportanceOptions)
    if not math.isfinite(options.epsilon) or options.epsilon < 0:
        yield "epsilon must be 0, for the exact plan, or a positive number"
    if len(options.weights) != len(_CHANNELS) or not all(math.isfinite(w) and w >= 0 for w in options.weights):
        yield f"weights must be {len(_CHANNELS)} numbers of 0 or more: {', '.join(_CHANNELS)}"
    if not (math.isfinite(options.tolerance) and options.tolerance > 0):
        yield "tolerance must be a positive number"
    if options.max_iterations < 1:
        yield "max_iterations must be at least 1"
    if options.epsilon == 0:
        if options.solver == "newton":
            yield "solver=newton solves entropic plans: give aligner.epsilon above 0, or leave the solver out"
        changed = [
            name
            for name in ("tolerance", "max_iterations")
            if getattr(options, name) != getattr(defaults, name).default
        ]
        if changed:
            yield f"{' and '.join(changed)}: give aligner.epsilon above 0, or leave them out; exact plans need neither"
