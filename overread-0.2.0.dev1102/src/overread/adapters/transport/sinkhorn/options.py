"""Options of the aligners."""

from __future__ import annotations

from attrs import field, frozen

__all__ = ["BalancedOptions", "PartialOptions", "UnbalancedOptions"]


@frozen(kw_only=True)
class BalancedOptions:
    """Options of every aligner.

    Attributes:
        prior: named weights of the ground cost, one of `overread.domain.differences.cost.PRIORS`.
        epsilon: entropy parameter of RadOT-Eval equation 2; the paper selects 0.20.
        weights: finding, anatomy, polarity and text weight, in place of ``prior``.
        tolerance: largest marginal deviation of a converged plan; for an unbalanced plan, whose marginals deviate on
            purpose, the largest change in the solver's last step. 1e-9 is overread's own.
        max_iterations: of the solver, for each pair. Also overread's own.
    """

    prior: str = field(default="polarity-heavy", metadata={"argument": True})
    epsilon: float = 0.20
    weights: tuple[float, ...] | None = None
    tolerance: float = 1e-9
    max_iterations: int = 500


@frozen(kw_only=True)
class PartialOptions(BalancedOptions):
    """Options of partial transport.

    Attributes:
        mass: transported mass tau of RadOT-Eval section IV-D. The paper publishes no value: 0.90 is overread's own.
    """

    mass: float = 0.90
    max_iterations: int = 5000


@frozen(kw_only=True)
class UnbalancedOptions(BalancedOptions):
    """Options of unbalanced transport.

    Attributes:
        lambda_m: mass penalty of RadOT-Eval section IV-D. The paper publishes no value: 1.0 is overread's own.
    """

    lambda_m: float = 1.0
    max_iterations: int = 5000
