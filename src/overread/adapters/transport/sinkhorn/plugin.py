"""Registers the aligners. Solvers are imported when an aligner is built."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from attrs import fields

from overread.adapters.transport.sinkhorn.options import BalancedOptions, PartialOptions, UnbalancedOptions
from overread.domain.differences.cost import CostWeights, prior_weights
from overread.exceptions import ConfigurationError
from overread.extras import EXTRAS, install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.transport.sinkhorn._aligner import EntropicAligner, Solver

__all__ = ["overread_aligners"]

_REQUIRES: Final = EXTRAS["transport"]
_INSTALL: Final = install_command("transport")


@hookimpl
def overread_aligners() -> Iterable[ComponentSpec]:
    """The three aligners of RadOT-Eval."""
    return (
        ComponentSpec(
            name="balanced",
            version="1.0",
            summary="Entropic balanced transport, all pairs at once: RadOT-Eval's primary system.",
            factory=_balanced_aligner,
            options=BalancedOptions,
            requires=_REQUIRES,
            install=_INSTALL,
        ),
        ComponentSpec(
            name="partial",
            version="1.0",
            summary="Entropic transport of a fraction of the mass (RadOT-Eval section IV-D).",
            factory=_partial_aligner,
            options=PartialOptions,
            requires=_REQUIRES,
            install=_INSTALL,
        ),
        ComponentSpec(
            name="unbalanced",
            version="1.0",
            summary="Entropic transport with penalised marginals (RadOT-Eval section IV-D).",
            factory=_unbalanced_aligner,
            options=UnbalancedOptions,
            requires=_REQUIRES,
            install=_INSTALL,
        ),
    )


def _balanced_aligner(options: BalancedOptions, _: Components) -> EntropicAligner:
    weights = _checked_weights("balanced", options)
    from overread.adapters.transport.sinkhorn.balanced import BalancedSolver

    solver = BalancedSolver(options.epsilon, options.tolerance, options.max_iterations)
    return _aligner("balanced", options, weights, solver)


def _partial_aligner(options: PartialOptions, _: Components) -> EntropicAligner:
    mass_is_share = 0 < options.mass <= 1
    weights = _checked_weights("partial", options, "" if mass_is_share else "mass must lie above 0 and not above 1")
    from overread.adapters.transport.sinkhorn._relaxed import PartialSolver

    solver = PartialSolver(options.epsilon, options.tolerance, options.max_iterations, options.mass)
    return _aligner("partial", options, weights, solver, f",tau={options.mass:g}")


def _unbalanced_aligner(options: UnbalancedOptions, _: Components) -> EntropicAligner:
    penalty_holds = _positive(options.lambda_m)
    weights = _checked_weights("unbalanced", options, "" if penalty_holds else "lambda_m must be a positive number")
    from overread.adapters.transport.sinkhorn._relaxed import UnbalancedSolver

    solver = UnbalancedSolver(options.epsilon, options.tolerance, options.max_iterations, options.lambda_m)
    return _aligner("unbalanced", options, weights, solver, f",lambda={options.lambda_m:g}")


def _checked_weights(name: str, options: BalancedOptions, more: str = "") -> CostWeights:
    """The weights that the options name. Raises `ConfigurationError`, naming all that cannot be used."""
    weights, problems = CostWeights(), []
    try:
        weights = prior_weights(options.prior, options.weights)
    except ValueError as error:
        problems.append(str(error))
    if more:
        problems.append(more)
    if not _positive(options.epsilon):
        problems.append("epsilon must be a positive number")
    if not _positive(options.tolerance):
        problems.append("tolerance must be a positive number")
    if options.max_iterations < 1:
        problems.append("max_iterations must be at least 1")
    if problems:
        raise ConfigurationError([f"aligner {name}: {problem}" for problem in problems])
    return weights


def _positive(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _aligner(
    name: str, options: BalancedOptions, weights: CostWeights, solver: Solver, extra: str = ""
) -> EntropicAligner:
    from overread.adapters.transport.sinkhorn._aligner import EntropicAligner

    prior = options.prior if options.weights is None else "custom"
    plans = f"{name},prior={prior},eps={options.epsilon:g}"
    defaults = fields(type(options))
    tolerance = f",tol={options.tolerance:g}" if options.tolerance != defaults.tolerance.default else ""
    most = defaults.max_iterations.default
    iterations = f",iterations={options.max_iterations}" if options.max_iterations != most else ""
    identity = f"{plans},w={weights}{extra}{tolerance}{iterations}"
    return EntropicAligner(identity=identity, plans=plans, weights=weights, solver=solver)
