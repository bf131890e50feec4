"""The readout's features: what a plan says about risk, as named numbers (RadOT-Eval section IV-C).

The paper gives the families and the total of 66 but no list. This decomposition is overread's: it adds up to 66,
to 61 without the severity channel and to 49 without the diffuse and concentration family (Table VI).

Relaxed features look past the plan. A plan must place all mass, so a harmless addition takes its share away from the
matches beside it; relaxed transport, which drops one marginal in each direction (Kusner et al. 2015, section 4), lets
each unit go wholly to its best match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.results.alignment import Alignment, diffuse_mass

__all__ = [
    "DIFFUSE_FEATURES",
    "DIFFUSE_THRESHOLD",
    "EXCESS_TOLERANCE",
    "FEATURE_NAMES",
    "FEATURE_SETS",
    "RELAXED_FEATURE_NAMES",
    "TOP_K",
    "FeatureSet",
    "debiased_features",
    "describe_feature",
    "features",
    "relaxed_features",
]

Vector = npt.NDArray[np.float64]

DIFFUSE_THRESHOLD: Final = 0.55
"""tau_diff of section IV-C."""

TOP_K: Final = 3
"""k of the top-k summaries; Tables VIII and XIII name only top-3."""

EXCESS_TOLERANCE: Final = 1e-6
"""Debiased features below this are zero: it is the tolerance to which plans are solved. overread's choice."""

_SIDE_SUMMARIES: Final = ("expected", "maximum", "top3_mean", "top3_mass_weighted", "top1_mass_weighted")
_ALIGNMENT_SUMMARIES: Final = ("expected", "maximum", "top3_mean", "top3_mass_weighted")
_ALIGNMENT_CHANNELS: Final = (*GROUND_CHANNELS, "ground")

DIFFUSE_FEATURES: Final = (
    "diffuse_reference",
    "diffuse_candidate",
    "diffuse_sum",
    "diffuse_reference_excess",
    "diffuse_candidate_excess",
    "low_confidence_reference",
    "low_confidence_candidate",
    "low_confidence_sum",
    "low_confidence_difference",
    "max_diffuse_reference",
    "max_diffuse_candidate",
    "effective_edges",
    "effective_edges_relative",
    "plan_entropy",
    "plan_entropy_relative",
    "beyond_top1_mass",
    "beyond_top3_mass",
)
"""The 17 diffuse-match and concentration features."""

FEATURE_NAMES: Final = (
    *(f"{channel}_{summary}" for channel in SIDE_CHANNELS for summary in _SIDE_SUMMARIES),
    *(f"{channel}_{summary}" for channel in _ALIGNMENT_CHANNELS for summary in _ALIGNMENT_SUMMARIES),
    "reference_unit_count",
    "candidate_unit_count",
    "side_maximum_sum",
    "top_risk_sum",
    *DIFFUSE_FEATURES,
)
"""All 66 features, in the order of the vectors returned here."""

_RELAXED_CHANNELS: Final = (*(name for name in GROUND_CHANNELS if name != "text"), *SIDE_CHANNELS)

RELAXED_FEATURE_NAMES: Final = tuple(
    f"relaxed_{channel}_{side}_{weight}"
    for channel in _RELAXED_CHANNELS
    for weight in ("major", "minor")
    for side in ("reference", "candidate")
)
"""The features of a relaxed readout: by channel, by what the findings ask for (major is action), by report."""

_UNMATCHED: Final = np.array([name in ("finding", "polarity") for name in _RELAXED_CHANNELS], dtype=np.float64)
"""Costs of a finding that the other report has no match for: those of an unrelated unit."""

_TIES: Final = np.arange(1.0, len(_RELAXED_CHANNELS) + 1.0) * 1e-9
"""Of equally good matches the same one is taken whatever their order: these weights tell their costs apart."""

_COUNT_COLUMNS: Final = (FEATURE_NAMES.index("reference_unit_count"), FEATURE_NAMES.index("candidate_unit_count"))

_DESCRIPTIONS: Final = {
    "expected": "sum of T_ij c_ij",
    "maximum": "largest c_ij",
    "top3_mean": "mean of the three largest c_ij",
    "top3_mass_weighted": "sum of the three largest T_ij c_ij",
    "top1_mass_weighted": "largest T_ij c_ij",
    "reference_unit_count": "n, the number of reference units",
    "candidate_unit_count": "m, the number of candidate units",
    "side_maximum_sum": "sum over the side channels of their maximum",
    "top_risk_sum": "sum of the three largest mass-weighted risks T_ij (D_ij + side costs)",
    "diffuse_reference": "M_R = sum a_i (1 - rho_i)",
    "diffuse_candidate": "M_C = sum b_j (1 - gamma_j)",
    "diffuse_sum": "M_R + M_C",
    "diffuse_reference_excess": "max(0, M_R - M_C)",
    "diffuse_candidate_excess": "max(0, M_C - M_R)",
    "low_confidence_reference": "share of reference units with rho_i below 0.55",
    "low_confidence_candidate": "share of candidate units with gamma_j below 0.55",
    "low_confidence_sum": "sum of the two low-confidence shares",
    "low_confidence_difference": "absolute difference of the two low-confidence shares",
    "max_diffuse_reference": "largest 1 - rho_i",
    "max_diffuse_candidate": "largest 1 - gamma_j",
    "effective_edges": "exp(entropy of T)",
    "effective_edges_relative": "effective edges over max(n, m)",
    "plan_entropy": "entropy of T in nats",
    "plan_entropy_relative": "entropy of T over log(nm), 0 for a single edge",
    "beyond_top1_mass": "1 - largest T_ij, not below 0",
    "beyond_top3_mass": "1 - sum of the three largest T_ij, not below 0",
}


def describe_feature(name: str) -> str:
    """Describe what a feature measures, in one line.

    >>> describe_feature("severity_top3_mean")
    'severity cost: mean of the three largest c_ij'
    """
    if name in _DESCRIPTIONS:
        return _DESCRIPTIONS[name]
    if name in RELAXED_FEATURE_NAMES:
        _, channel, side, weight = name.split("_")
        asking = "findings that ask for action" if weight == "major" else "other findings"
        return f"{channel} cost at the best match, summed over the {side}'s {asking}"
    channel, summary = name.split("_", 1)
    return f"{channel} cost: {_DESCRIPTIONS[summary]}"


def features(alignment: Alignment) -> Vector:
    """The 66 features of one alignment as published, in the order of `FEATURE_NAMES`."""
    n, m = alignment.shape
    side = [_summaries(alignment.plan, alignment.side[name]) for name in SIDE_CHANNELS]
    ground = [_summaries(alignment.plan, alignment.channels[name])[:4] for name in GROUND_CHANNELS]
    ground.append(_summaries(alignment.plan, alignment.ground)[:4])
    side_maximum = sum(summary[1] for summary in side)
    top_risk = _largest(alignment.risk, TOP_K).sum()
    return np.concatenate(
        [*side, *ground, [n, m, side_maximum, top_risk], _diffuse(alignment)],
        dtype=np.float64,
    )


def debiased_features(pair: AlignedPair) -> Vector:
    """Each feature's excess over the mean of the two self-alignments, clipped at zero.

    The bias of an entropic plan is removed as a Sinkhorn divergence does it, so a report against itself has only
    zeros. The unit counts become what each side has more than the other, max(0, n - m) and max(0, m - n).

    Raises:
        ValueError: if the pair lacks its self-alignments.
    """
    if pair.reference_self is None or pair.candidate_self is None:
        msg = "debiased features need the alignment of each report with itself"
        raise ValueError(msg)
    baseline = (features(pair.reference_self) + features(pair.candidate_self)) / 2.0
    excess = features(pair.cross) - baseline
    n, m = pair.cross.shape
    excess[list(_COUNT_COLUMNS)] = (n - m, m - n)
    return np.where(excess > EXCESS_TOLERANCE, excess, 0.0)


def relaxed_features(pair: AlignedPair) -> Vector:
    """Costs of asserted findings at their best match in the other report, in the order of `RELAXED_FEATURE_NAMES`.

    The best match minimises the largest ground cost (except text) plus half the largest side cost. It never costs more
    than no match at all, which costs as much as an unrelated unit. A report against itself has only zeros, and so
    has one against the same report with further denials.

    Raises:
        ValueError: if the pair lacks the burdens of its units.
    """
    if pair.reference_burden is None or pair.candidate_burden is None:
        raise ValueError("relaxed features need the burden of each unit")
    cross = pair.cross
    ground = np.stack([cross.channels[name] for name in GROUND_CHANNELS if name != "text"])
    side = np.stack([cross.side[name] for name in SIDE_CHANNELS])
    costs = np.concatenate([ground, side])
    n, m = cross.shape
    nothing = _UNMATCHED[:, None, None]
    costs = np.concatenate([costs, np.broadcast_to(nothing, (len(nothing), n, 1))], axis=2)
    costs = np.concatenate([costs, np.broadcast_to(nothing, (len(nothing), 1, m + 1))], axis=1)
    ground, side = costs[: len(ground)], costs[len(ground) :]
    distance = ground.max(axis=0) + side.max(axis=0) / 2.0 + np.tensordot(_TIES, costs, axes=1)
    rows = np.take_along_axis(costs[:, :n], distance[:n].argmin(axis=1)[None, :, None], axis=2)[:, :, 0]
    columns = np.take_along_axis(costs[:, :, :m], distance[:, :m].argmin(axis=0)[None, None, :], axis=1)[:, 0, :]
    both = np.stack([rows @ pair.reference_burden, columns @ pair.candidate_burden], axis=2)
    return np.asarray(both.reshape(-1), dtype=np.float64)


@frozen
class FeatureSet:
    """The features of a kind of readout.

    Attributes:
        names: in the order of the vectors.
        vector: features of an aligned pair.
        uses_self_alignments: whether the pair must hold each report's alignment with itself.
        uses_plan: whether the features depend on the plan, and so on the aligner's prior and epsilon.
    """

    names: tuple[str, ...]
    vector: Callable[[AlignedPair], Vector]
    uses_self_alignments: bool = False
    uses_plan: bool = True


def _summaries(plan: Vector, cost: Vector) -> list[float]:
    weighted = _largest(plan * cost, TOP_K)
    highest = _largest(cost, TOP_K)
    return [
        float((plan * cost).sum()),
        float(highest[0]),
        float(highest.mean()),
        float(weighted.sum()),
        float(weighted[0]),
    ]


def _largest(values: Vector, k: int) -> Vector:
    """The k largest values in falling order; fewer where there are fewer."""
    flat = values.ravel()
    if flat.size > k:
        flat = np.partition(flat, flat.size - k)[-k:]
    return np.sort(flat)[::-1]


def _diffuse(alignment: Alignment) -> list[float]:
    plan = alignment.plan
    n, m = alignment.shape
    mass_r, rho = diffuse_mass(plan, alignment.row_mass)
    mass_c, gamma = diffuse_mass(plan.T, alignment.column_mass)
    low_r, low_c = float((rho < DIFFUSE_THRESHOLD).mean()), float((gamma < DIFFUSE_THRESHOLD).mean())
    positive = plan[plan > 0]
    entropy = float(-(positive * np.log(positive)).sum())
    effective = float(np.exp(entropy))
    top = _largest(plan, TOP_K)
    return [
        mass_r,
        mass_c,
        mass_r + mass_c,
        max(0.0, mass_r - mass_c),
        max(0.0, mass_c - mass_r),
        low_r,
        low_c,
        low_r + low_c,
        abs(low_r - low_c),
        float((1.0 - rho).max()),
        float((1.0 - gamma).max()),
        effective,
        effective / max(n, m),
        entropy,
        entropy / float(np.log(n * m)) if n * m > 1 else 0.0,
        max(0.0, 1.0 - float(top[0])),
        max(0.0, 1.0 - float(top.sum())),
    ]


FEATURE_SETS: Final[Mapping[str, FeatureSet]] = {
    "relaxed": FeatureSet(RELAXED_FEATURE_NAMES, relaxed_features, uses_plan=False),
    "debiased": FeatureSet(FEATURE_NAMES, debiased_features, uses_self_alignments=True),
    "paper": FeatureSet(FEATURE_NAMES, lambda pair: features(pair.cross)),
}
"""Features by kind of readout."""
