"""Comparing kept results: two systems, several metrics, or a leaderboard of many systems."""

from overread.studies.application.comparison._aligned import PairFacts, Source
from overread.studies.application.comparison._letters import significance_letters
from overread.studies.application.comparison._support import diversity_table, template_notes
from overread.studies.application.comparison.leaderboard import rank_systems
from overread.studies.application.comparison.metrics import compare_metrics
from overread.studies.application.comparison.regression import Limits, MetricChange, Regression, check_regression
from overread.studies.application.comparison.study import are_systems
from overread.studies.application.comparison.systems import compare_systems

__all__ = [
    "Limits",
    "MetricChange",
    "PairFacts",
    "Regression",
    "Source",
    "are_systems",
    "check_regression",
    "compare_metrics",
    "compare_systems",
    "diversity_table",
    "rank_systems",
    "significance_letters",
    "template_notes",
]
