"""Statistics of scores against what people said: intervals, paired tests, and what benchmarks ask beside correlation.

What is measured is a `Measure`: those of `measures.MEASURES`, or any other. Whatever is drawn is drawn by study.
"""

from __future__ import annotations

from overread.application.statistics.calibration import RiskBin, calibration
from overread.application.statistics.comparing import (
    PairedDifference,
    Standard,
    compare_means,
    compare_measures,
    midranks,
    paired_difference,
)
from overread.application.statistics.confounding import GroupedEstimate, estimate_by_group, partial_correlation
from overread.application.statistics.discrimination import (
    Discrimination,
    TradeOff,
    compare_discrimination,
    discriminate,
    discriminate_verdicts,
    trade_off,
)
from overread.application.statistics.estimating import (
    Estimate,
    Measure,
    as_estimate,
    estimate,
    estimate_mean,
    estimate_ratios,
    resample_measure,
    resampled_mean,
    resampled_ratios,
)
from overread.application.statistics.p_values import bootstrap_p, holm, randomisation_p, wilcoxon
from overread.application.statistics.preferences import (
    ConfidenceLevel,
    PreferenceAccuracy,
    find_preferred,
    preference_accuracy,
    preference_credit,
    preference_wins,
)
from overread.application.statistics.raters import RaterAgreement, mean_rating, rater_agreement
from overread.application.statistics.resampling import DRAWS, Resampling, interval

__all__ = [
    "DRAWS",
    "ConfidenceLevel",
    "Discrimination",
    "Estimate",
    "GroupedEstimate",
    "Measure",
    "PairedDifference",
    "PreferenceAccuracy",
    "RaterAgreement",
    "Resampling",
    "RiskBin",
    "Standard",
    "TradeOff",
    "as_estimate",
    "bootstrap_p",
    "calibration",
    "compare_discrimination",
    "compare_means",
    "compare_measures",
    "discriminate",
    "discriminate_verdicts",
    "estimate",
    "estimate_by_group",
    "estimate_mean",
    "estimate_ratios",
    "find_preferred",
    "holm",
    "interval",
    "mean_rating",
    "midranks",
    "paired_difference",
    "partial_correlation",
    "preference_accuracy",
    "preference_credit",
    "preference_wins",
    "randomisation_p",
    "rater_agreement",
    "resample_measure",
    "resampled_mean",
    "resampled_ratios",
    "trade_off",
    "wilcoxon",
]
