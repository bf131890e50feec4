"""Use case: RadOT-Eval's study made again on its sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from overread.application.ports import Aligner, UnitExtractor
from overread.application.scoring.evaluate import Progress
from overread.application.statistics.tabulation import Fact, Tabulation
from overread.application.training.fit_readout import ReadoutFitter
from overread.domain.differences.cost import TableTwoCost
from overread.domain.results.annotation import HumanBenchmark
from overread.domain.results.scores import MetricScores
from overread.exceptions import InputError
from overread.studies.application.reproduction.radot.reading import ReadSet, read_set
from overread.studies.application.reproduction.radot.rivals.rival import Rival
from overread.studies.application.reproduction.radot.selection import plan_name
from overread.studies.application.reproduction.radot.study import GREEN_ROWS, Plan, RadotStudy
from overread.studies.application.reproduction.sections import Reproduction

__all__ = ["reproduce_radot"]

_PROVIDED: Final = {
    "bleu4": "BLEU-4",
    "bleu2": "BLEU-2",
    "bertscore": "BERTScore",
    "chexbert": "CheXbert",
    "radgraphf1": "RadGraph-F1",
    "radcliq": "RadCliQ",
}
"""Rows of Table III by the names of RadEvalX's metric table."""


def reproduce_radot(
    tables: Reproduction[RadotStudy],
    rated: Mapping[str, HumanBenchmark],
    *,
    extractor: UnitExtractor,
    aligner: Callable[[Plan], Aligner],
    fitter: ReadoutFitter,
    rivals: Mapping[str, Rival],
    results: Mapping[str, Mapping[str, MetricScores]],
    numbers: Sequence[str] = (),
    draws: int = 10_000,
    seed: int = 7,
    notes: Iterable[str] = (),
    on_progress: Progress | None = None,
) -> Tabulation:
    """Each table with the paper's figures beside ours.

    Args:
        tables: that can be made.
        rated: the sets: rexval, and radevalx and rexerr where they are at hand.
        extractor: reads the reports into units.
        aligner: builds the aligner of a plan.
        fitter: selects plans and fits readouts.
        rivals: the paper's discrepancy baselines as they are rebuilt here, by row of Table III.
        results: scores of other metrics over RadEvalX's pairs, by file and metric.
        numbers: of the tables wanted, all where empty.
        draws: of the bootstrap.
        seed: of everything left to chance.
        notes: that head the study's.
        on_progress: called with the number of sets read and tables made.

    Raises:
        InputError: if a file's scores are not of RadEvalX's pairs, or of a metric that is there already.
        ConfigurationError: if no pair of a set can be read.
    """
    cost, sets = TableTwoCost(), dict[str, ReadSet]()
    for name, benchmark in rated.items():
        sets[name] = read_set(benchmark, extractor, cost)
        if on_progress is not None:
            on_progress(len(sets))
    distributed = _provided_badness(rated["radevalx"].provided) if "radevalx" in rated else {}
    study = RadotStudy(
        source=sets["rexval"],
        external=sets.get("radevalx"),
        stress=sets.get("rexerr"),
        aligner=aligner,
        cost=cost,
        fitter=fitter,
        others={**distributed, **_others(results, sets.get("radevalx"), taken=distributed)},
        provided=tuple(distributed),
        rivals=rivals,
        draws=draws,
        seed=seed,
    )
    advance = None if on_progress is None else lambda made: on_progress(len(sets) + made)
    sections = tables.sections(study, numbers, advance)
    facts = _facts(study, extractor.identity, tables.paper.source)
    return tables.tabulation(sections, facts=facts, before=(*notes, *_notes(rated.values())))


def _provided_badness(provided: Iterable[MetricScores]) -> dict[str, Mapping[str, float]]:
    """Badness by row of Table III and pair id."""
    return {
        _PROVIDED.get(re.sub(r"[\W_]", "", scores.metric).lower(), scores.metric): _badness(
            scores.score_by_id(), higher_is_better=scores.higher_is_better
        )
        for scores in provided
    }


def _others(
    results: Mapping[str, Mapping[str, MetricScores]], data: ReadSet | None, taken: Mapping[str, object]
) -> dict[str, Mapping[str, float]]:
    """Badness by row and pair id of what result files hold; green gives the paper's two rows."""
    known = set() if data is None else set(data.ids)
    rows: dict[str, Mapping[str, float]] = {}
    for file, scores_by_metric in results.items():
        for metric, scores in scores_by_metric.items():
            if known.isdisjoint(scores.ids):
                raise InputError(file, "holds none of RadEvalX's pairs", remedy="ids are those of its report_id")
            for row, values in _rows(metric, scores).items():
                if row in rows or row in taken:
                    raise InputError(file, f"has scores of {row}, which were given already")
                rows[row] = values
    return rows


def _rows(metric: str, scores: MetricScores) -> dict[str, Mapping[str, float]]:
    badness = _badness(scores.score_by_id(), higher_is_better=scores.higher_is_better)
    if metric != "green":
        return {metric: badness}
    count, risk = GREEN_ROWS
    return {count: scores.subscore_by_id("significant"), risk: badness}


def _badness(scores: Mapping[str, float], *, higher_is_better: bool) -> dict[str, float]:
    return {pair: -score if higher_is_better else score for pair, score in scores.items()}


def _facts(study: RadotStudy, extractor: str, source: str) -> dict[str, Fact]:
    sets = {"ReXVal": study.source, "RadEvalX": study.external, "ReXErr-v1": study.stress}
    facts: dict[str, Fact] = {
        "paper": source,
        "extractor": extractor,
        "cost": study.cost.identity,
        **{name: f"{len(data)} pairs of {len(set(data.studies))} studies" for name, data in sets.items() if data},
        "selected": plan_name(study.main.plan.name, study.main.plan.epsilon),
        "draws": study.draws,
        "seed": study.seed,
    }
    if study.external is not None:
        facts["refit"] = f"risks of a readout fitted once more differ by {study.refit_difference(study.external):.1g}"
    return facts


def _notes(benchmarks: Iterable[HumanBenchmark]) -> Iterable[str]:
    for benchmark in benchmarks:
        yield from (f"{benchmark.name}: {note}" for note in benchmark.notes)
