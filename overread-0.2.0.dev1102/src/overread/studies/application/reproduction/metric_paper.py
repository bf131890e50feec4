"""Papers that judge metrics, made again: metrics are scored on the paper's sets, and its tables made of the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from attrs import evolve, field, frozen

from overread.application.statistics.tabulation import Fact, Tabulation
from overread.application.telling import run_draws
from overread.domain.results.annotation import HumanBenchmark
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, raters_heard
from overread.studies.application.reproduction.meta_evaluations import STAR, MetaEvaluationStudy, unscored_notes
from overread.studies.application.reproduction.published import PublishedPaper
from overread.studies.application.reproduction.sections import Maker, Reproduction, Section
from overread.studies.application.reproduction.set_scoring import SetScoring

__all__ = ["TIMED", "MetricPaper", "Views"]

TIMED: Final = "rexval"
"""Set on which metrics are timed."""

Views = Mapping[str, tuple[str, HumanBenchmark]]
"""What tables are made of: by name, the set whose scores are taken, and the pairs."""


def _as_given(sets: Mapping[str, HumanBenchmark]) -> Views:
    return {name: (name, benchmark) for name, benchmark in sets.items()}


@frozen(kw_only=True)
class MetricPaper:
    """A paper that judges metrics.

    Attributes:
        key: as on the command line.
        sets: that can be given, with the options that each is read with.
        makers: of its tables, by number.
        rows: puts scores under the names of the paper's rows.
        views: makes of the sets what tables are made of.
        timing_table: number of the table that needs times; "" for none.
    """

    key: str
    sets: Mapping[str, Mapping[str, object]]
    makers: Mapping[str, Maker[MetaEvaluationStudy]]
    rows: Callable[[Iterable[MetricScores]], tuple[MetricScores, ...]]
    views: Callable[[Mapping[str, HumanBenchmark]], Views] = field(default=_as_given)
    timing_table: str = ""

    def reproduction(self, published: PublishedPaper) -> Reproduction[MetaEvaluationStudy]:
        """Its tables beside what it prints."""
        return Reproduction(paper=published, makers=self.makers)

    def reproduce(
        self, published: PublishedPaper, scoring: SetScoring, tables: Sequence[str], *, draws: int, seed: int
    ) -> Tabulation:
        """Score the sets and make the tables.

        Args:
            published: what the paper prints.
            scoring: of the sets that are given.
            tables: numbers of the tables wanted, all where empty.
            draws: of the bootstrap and of the randomisation tests.
            seed: of the draws.

        Raises:
            ConfigurationError: if a table is unknown; and as the metrics do.
        """
        reproduction = self.reproduction(published)
        timed = self.timing_table in reproduction.choose_tables(tables)
        scored = {name: self.rows(scoring.scores(name, timed=timed and name == TIMED)) for name in scoring.sets}
        evaluations = {
            view: MetaEvaluation(benchmark=benchmark, scores=scored[name], draws=draws, seed=seed)
            for view, (name, benchmark) in self.views(scoring.sets).items()
            if scored[name]
        }
        milliseconds = {self._row(metric): time for metric, time in scoring.milliseconds.items()}

        def sections(draws: int) -> tuple[Section, ...]:
            drawing = {view: evolve(evaluation, draws=draws) for view, evaluation in evaluations.items()}
            untimed = scoring.untimed if timed else ""
            study = MetaEvaluationStudy(evaluations=drawing, milliseconds=milliseconds, untimed=untimed)
            return reproduction.sections(study, tables)

        facts: dict[str, Fact] = {"paper": published.source, **_sizes(scoring.sets), "draws": draws, "seed": seed}
        return reproduction.tabulation(
            run_draws(sections, draws),
            facts=_with_metrics(facts, scored),
            after=_notes(scoring.sets, evaluations, scored),
        )

    def _row(self, metric: str) -> str:
        """The paper's row of a metric."""
        [named, *_] = self.rows([MetricScores(metric=metric, higher_is_better=True, ids=(), scores=np.empty(0))])
        return named.metric


def _sizes(sets: Mapping[str, HumanBenchmark]) -> dict[str, str]:
    sizes = {}
    for name, benchmark in sets.items():
        studies = {annotated.study for annotated in benchmark.pairs}
        raters = raters_heard(benchmark)
        heard = f"{raters} rater{'' if raters == 1 else 's'}"
        sizes[name] = f"{len(benchmark.pairs)} pairs of {len(studies)} studies, {heard}"
    return sizes


def _with_metrics(facts: Mapping[str, Fact], scored: Mapping[str, Sequence[MetricScores]]) -> dict[str, Fact]:
    """The facts and where each metric's scores come from; with the set, if they come from elsewhere in another."""
    merged = dict(facts)
    for name, rows in scored.items():
        for scores in rows:
            origin = ", ".join(filter(None, (scores.signature, scores.source)))
            if origin and merged.get(scores.metric, origin) != origin:
                merged[f"{scores.metric} ({name})"] = origin
            elif origin:
                merged[scores.metric] = origin
    return merged


def _notes(
    sets: Mapping[str, HumanBenchmark],
    evaluations: Mapping[str, MetaEvaluation],
    scored: Mapping[str, Sequence[MetricScores]],
) -> Iterator[str]:
    yield from (
        f"{name}: no metric has scores of it, so that its tables are left out" for name in sets if not scored[name]
    )
    for view, evaluation in evaluations.items():
        if view != STAR:
            yield from unscored_notes(view, evaluation)
    for name, benchmark in sets.items():
        yield from (f"{name}: {note}" for note in benchmark.notes)
