"""The study of a benchmark: what is asked is decided by what the set holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Final

from attrs import evolve

from overread.application.statistics import DRAWS
from overread.application.statistics.tabulation import Cell, Column, Fact, Table, Tabulation
from overread.domain.results.annotation import HumanBenchmark
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError, InputError
from overread.studies.application.meta_evaluation.agreement import agreement
from overread.studies.application.meta_evaluation.aspects import aspects
from overread.studies.application.meta_evaluation.baselines import baselines
from overread.studies.application.meta_evaluation.categories import categories
from overread.studies.application.meta_evaluation.contrasts import contrasts
from overread.studies.application.meta_evaluation.counted_errors import in_table_order, with_error_counts
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Part, is_of_category, raters_heard
from overread.studies.application.meta_evaluation.preference import preferences
from overread.studies.application.meta_evaluation.primary import paired_primary
from overread.studies.application.meta_evaluation.raters import raters
from overread.studies.application.meta_evaluation.screening import screening
from overread.studies.application.meta_evaluation.strata import strata

__all__ = ["about", "meta_evaluate"]

_QUESTIONS: Final[tuple[Callable[[MetaEvaluation], Part], ...]] = (
    agreement,
    contrasts,
    preferences,
    screening,
    baselines,
    paired_primary,
    categories,
    strata,
    aspects,
    raters,
)

_INTERVALS = "Figures in brackets are 95 % intervals of a bootstrap over studies."


def meta_evaluate(
    benchmark: HumanBenchmark,
    scores: Sequence[MetricScores],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    correlation: str = "spearman",
    shuffled: Sequence[MetricScores] = (),
) -> Tabulation:
    """Tells how far metrics agree with people, by every measure that the set allows.

    Intervals are 95 % percentile intervals of a bootstrap over studies. Pairs without a score are counted in the table
    "unscored" and left out of the figures, never imputed; a comparison of two metrics uses the pairs that both scored.

    Args:
        benchmark: the pairs and what people said.
        scores: of each metric, made now or kept; those that come with the benchmark are judged, too.
        draws: of the bootstrap and of the randomisation tests.
        seed: of the draws.
        correlation: what is compared, controlled for size and drawn, where people say more than yes or no: kendall,
            spearman or pearson.
        shuffled: of the same metrics, each candidate beside another study's reference (`shuffled_pairs`).

    Raises:
        ConfigurationError: if there are no scores at all.
    """
    scores = in_table_order([scores, benchmark.provided])
    if not scores:
        raise ConfigurationError(["no metric to judge: name one with `metric`, or give scores with `results`"])
    rows = in_table_order([tuple(with_error_counts(scores, "{} errors".format))])
    meta = MetaEvaluation(
        benchmark=benchmark, scores=rows, draws=draws, seed=seed, correlation=correlation, shuffled=shuffled
    )
    parts = [question(meta) for question in _QUESTIONS]
    return Tabulation(
        name=benchmark.name,
        title=f"Metrics judged on {benchmark.name}",
        tables=(*(table for part in parts for table in part.tables), *_unscored_tables(meta)),
        plots=tuple(plot for part in parts for plot in part.plots),
        facts=_facts(meta),
        notes=(*(note for part in parts for note in part.notes), _INTERVALS, *benchmark.notes),
        understood=benchmark.account,
    )


def about(benchmark: HumanBenchmark, target: str) -> HumanBenchmark:
    """The benchmark with the target first that comparisons and strata are about. Raises `InputError` if it has none."""
    known = [entry.name for entry in benchmark.targets if not is_of_category(entry.name)]
    if target not in known:
        remedy = f"its targets: {', '.join(known) or 'none'}"
        raise InputError(benchmark.name, f"has no target {target!r}", remedy=remedy)
    chosen = [entry for entry in benchmark.targets if entry.name == target]
    others = [entry for entry in benchmark.targets if entry.name != target]
    return evolve(benchmark, targets=(*chosen, *others))


def _unscored_tables(meta: MetaEvaluation) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = [
        (scores.metric, reason, count)
        for scores in meta.scores
        if not scores.counts_of
        for reason, count in scores.unscored.items()
    ]
    if rows:
        yield Table(
            name="unscored",
            title="Pairs without a score",
            columns=(
                Column(name="metric", title="metric"),
                Column(name="reason", title="reason"),
                Column(name="pairs", title="pairs"),
            ),
            rows=tuple(rows),
            note=f"Of {len(meta.ids)} pairs. They are left out of the metric's figures.",
        )


def _facts(meta: MetaEvaluation) -> dict[str, Fact]:
    benchmark = meta.benchmark
    generators = {annotated.generator for annotated in benchmark.pairs if annotated.generator}
    facts: dict[str, Fact] = {
        "benchmark": benchmark.name,
        "pairs": len(benchmark.pairs),
        "studies": len(set(meta.studies)),
        "raters": raters_heard(benchmark),
    }
    if generators:
        facts["generators"] = len(generators)
    if benchmark.preferences:
        voters = {place for item in benchmark.preferences for place, vote in enumerate(item.votes) if isfinite(vote)}
        facts |= {"preferences": len(benchmark.preferences), "voters": len(voters)}
    facts |= {"draws": meta.draws, "seed": meta.seed}
    for scores in meta.scores:
        counted = f"all errors that {scores.counts_of} counts" if scores.counts_of else ""
        parts = (counted, scores.signature, scores.source)
        facts[scores.metric] = ", ".join(item for item in parts if item)
    return facts
