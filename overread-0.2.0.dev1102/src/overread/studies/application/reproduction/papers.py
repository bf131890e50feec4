"""The papers that judge metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from overread.studies.application.reproduction.crepe import CREPE
from overread.studies.application.reproduction.green import GREEN
from overread.studies.application.reproduction.judge import JUDGE
from overread.studies.application.reproduction.metric_paper import MetricPaper
from overread.studies.application.reproduction.ratescore import RATESCORE

__all__ = ["METRIC_PAPERS"]

METRIC_PAPERS: Final[Mapping[str, MetricPaper]] = {each.key: each for each in (CREPE, GREEN, RATESCORE, JUDGE)}
"""By name on the command line."""
