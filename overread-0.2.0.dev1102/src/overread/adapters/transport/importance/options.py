"""Options of the importance aligner."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

__all__ = ["ImportanceOptions"]


@frozen(kw_only=True)
class ImportanceOptions:
    """Options of the importance aligner.

    Attributes:
        epsilon: entropy parameter; 0, the default, is the exact plan. Above 0 a plan is blurred, and identical reports
            have a risk above 0.
        weights: factors of the costs of finding, anatomy, polarity, text, comparison, uncertainty, device, modifier
            and severity, in this order.
        solver: "pot" solves exact and entropic plans with the POT library, "newton" entropic ones by Newton's method,
            all pairs at once; by default entropic plans are by Newton, exact ones by shortest paths, which needs no
            library.
        tolerance: largest marginal deviation of a converged entropic plan, as a share of the mass.
        max_iterations: of the entropic solver, for each pair.
    """

    epsilon: float = 0.0
    weights: tuple[float, ...] = (1.0,) * 9
    solver: Literal["pot", "newton"] | None = None
    tolerance: float = 1e-9
    max_iterations: int = 5000
