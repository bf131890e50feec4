"""Comparing kept results: two systems, several metrics, or a leaderboard of many systems."""

from overread.application.studies.comparison._aligned import PairFacts, Source
from overread.application.studies.comparison._letters import significance_letters
from overread.application.studies.comparison.leaderboard import rank_systems
from overread.application.studies.comparison.metrics import compare_metrics
from overread.application.studies.comparison.study import are_systems
from overread.application.studies.comparison.systems import compare_systems

__all__ = [
    "PairFacts",
    "Source",
    "are_systems",
    "compare_metrics",
    "compare_systems",
    "rank_systems",
    "significance_letters",
]
