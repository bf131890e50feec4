"""Registers the aligners. Solvers are imported when an aligner is built."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from attrs import fields

from overread.adapters.transport.sinkhorn.options import BalancedOptions, PartialOptions, UnbalancedOptions
from overread.domain.cost import GROUND_CHANNELS, PRIORS, CostWeights
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.transport.sinkhorn._balanced import BalancedAligner
    from overread.adapters.transport.sinkhorn._relaxed import PartialAligner, UnbalancedAligner

__all__ = ["overread_aligners"]

_INSTALL: Final = "pip install POT"


@hookimpl
def overread_aligners() -> Iterable[ComponentSpec]:
    """The three aligners of RadOT-Eval."""
    return (
        ComponentSpec(
            name="balanced",
            version="1.0",
            summary="Entropic balanced transport, all pairs at once: RadOT-Eval's primary system.",
            factory=_balanced,
            options=BalancedOptions,
            requires=("ot",),
            install=_INSTALL,
        ),
        ComponentSpec(
            name="partial",
            version="1.0",
            summary="Entropic transport of a fraction of the mass (RadOT-Eval section IV-D).",
            factory=_partial,
            options=PartialOptions,
            requires=("ot",),
            install=_INSTALL,
        ),
        ComponentSpec(
            name="unbalanced",
            version="1.0",
            summary="Entropic transport with penalised marginals (RadOT-Eval section IV-D).",
            factory=_unbalanced,
            options=UnbalancedOptions,
            requires=("ot",),
            install=_INSTALL,
        ),
    )


def _balanced(options: BalancedOptions, _components: Components) -> BalancedAligner:
    _check("balanced", options)
    from overread.adapters.transport.sinkhorn._balanced import BalancedAligner

    return BalancedAligner(
        identity=_identity("balanced", options),
        weights=_weights(options),
        epsilon=options.epsilon,
        tolerance=options.tolerance,
        max_iterations=options.max_iterations,
    )


def _partial(options: PartialOptions, _components: Components) -> PartialAligner:
    _check("partial", options, () if 0 < options.mass <= 1 else ("mass must lie above 0 and not above 1",))
    from overread.adapters.transport.sinkhorn._relaxed import PartialAligner

    return PartialAligner(
        identity=_identity("partial", options, f"tau={options.mass:g}"),
        weights=_weights(options),
        epsilon=options.epsilon,
        tolerance=options.tolerance,
        max_iterations=options.max_iterations,
        mass=options.mass,
    )


def _unbalanced(options: UnbalancedOptions, _components: Components) -> UnbalancedAligner:
    _check("unbalanced", options, () if _positive(options.lambda_m) else ("lambda_m must be a positive number",))
    from overread.adapters.transport.sinkhorn._relaxed import UnbalancedAligner

    return UnbalancedAligner(
        identity=_identity("unbalanced", options, f"lambda={options.lambda_m:g}"),
        weights=_weights(options),
        epsilon=options.epsilon,
        tolerance=options.tolerance,
        max_iterations=options.max_iterations,
        lambda_m=options.lambda_m,
    )


def _check(name: str, options: BalancedOptions, more: Sequence[str] = ()) -> None:
    problems = [*_weight_problems(options), *more]
    if not _positive(options.epsilon):
        problems.append("epsilon must be a positive number")
    if not _positive(options.tolerance):
        problems.append("tolerance must be a positive number")
    if options.max_iterations < 1:
        problems.append("max_iterations must be at least 1")
    if problems:
        raise ConfigurationError([f"aligner {name}: {problem}" for problem in problems])


def _weight_problems(options: BalancedOptions) -> list[str]:
    if options.weights is None:
        known = ", ".join(sorted(PRIORS))
        return [] if options.prior in PRIORS else [f"no prior {options.prior!r}; known are {known}"]
    if len(options.weights) != len(GROUND_CHANNELS):
        return [f"weights must be four numbers, got {len(options.weights)}"]
    try:
        CostWeights(*options.weights)
    except ValueError as error:
        return [str(error)]
    return []


def _weights(options: BalancedOptions) -> CostWeights:
    return PRIORS[options.prior] if options.weights is None else CostWeights(*options.weights)


def _positive(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _identity(name: str, options: BalancedOptions, *extra: str) -> str:
    weights = "/".join(f"{weight:g}".removeprefix("0") or "0" for weight in _weights(options).as_tuple())
    prior = options.prior if options.weights is None else "custom"
    defaults = fields(type(options))
    parts = [name, f"prior={prior}", f"eps={options.epsilon:g}", f"w={weights}", *extra]
    if options.tolerance != defaults.tolerance.default:
        parts.append(f"tol={options.tolerance:g}")
    if options.max_iterations != defaults.max_iterations.default:
        parts.append(f"iterations={options.max_iterations}")
    return ",".join(parts)
