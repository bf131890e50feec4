"""Joins the layers: settings, plugins, metrics and stores become services, fits and checks."""

from overread.bootstrap._benchmarks import meta_evaluate_benchmark, read_benchmark, write_pairs
from overread.bootstrap._checks import (
    check_entailment,
    check_findings,
    check_names,
    check_polarity,
    check_significance,
)
from overread.bootstrap._comparisons import Compared, compare_results, rank_results, write_pair_pages
from overread.bootstrap._corpus import open_corpus, open_unit_reading, plan_corpus
from overread.bootstrap._fits import ReadoutFit, fit_ratescore, fit_readout
from overread.bootstrap._interface import (
    list_plugins,
    open_service,
    render_page,
    reward,
    score,
    score_corpus,
    score_many,
    write_page,
    write_units,
)
from overread.bootstrap._reproductions import MetricPaperRun, reproduce_metric_paper, reproduce_radot
from overread.bootstrap._services import (
    DEFAULT_METRICS,
    build_service,
    open_component,
    open_run,
)
from overread.bootstrap._summaries import summarise_corpus
from overread.bootstrap._synthesis import heuristics_beside, inject, synthetic_pairs

__all__ = [
    "DEFAULT_METRICS",
    "Compared",
    "MetricPaperRun",
    "ReadoutFit",
    "build_service",
    "check_entailment",
    "check_findings",
    "check_names",
    "check_polarity",
    "check_significance",
    "compare_results",
    "fit_ratescore",
    "fit_readout",
    "heuristics_beside",
    "inject",
    "list_plugins",
    "meta_evaluate_benchmark",
    "open_component",
    "open_corpus",
    "open_run",
    "open_service",
    "open_unit_reading",
    "plan_corpus",
    "rank_results",
    "read_benchmark",
    "render_page",
    "reproduce_metric_paper",
    "reproduce_radot",
    "reward",
    "score",
    "score_corpus",
    "score_many",
    "summarise_corpus",
    "synthetic_pairs",
    "write_page",
    "write_pair_pages",
    "write_pairs",
    "write_units",
]
