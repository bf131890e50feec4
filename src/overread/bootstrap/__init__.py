"""Joins the layers: settings, plugins, metrics and stores become services, fits and checks."""

from overread.bootstrap._checks import (
    check_entailment,
    check_findings,
    check_names,
    check_polarity,
    check_significance,
)
from overread.bootstrap._corpus import InProcessEngine, open_workers
from overread.bootstrap._fits import FittedReadout, fit_ratescore, fit_readout
from overread.bootstrap._protocols import reproduce_radot
from overread.bootstrap._reward import Reward, reward
from overread.bootstrap._scoring import open_service, score, score_many
from overread.bootstrap._services import (
    DEFAULT_METRICS,
    Run,
    build_service,
    open_component,
    open_run,
    open_store,
)

__all__ = [
    "DEFAULT_METRICS",
    "FittedReadout",
    "InProcessEngine",
    "Reward",
    "Run",
    "build_service",
    "check_entailment",
    "check_findings",
    "check_names",
    "check_polarity",
    "check_significance",
    "fit_ratescore",
    "fit_readout",
    "open_component",
    "open_run",
    "open_service",
    "open_store",
    "open_workers",
    "reproduce_radot",
    "reward",
    "score",
    "score_many",
]
