"""Protocols of papers, run on the sets that users bring."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from overread.application.ports import Aligner
from overread.application.studies.reproduction.radot import radot_protocol
from overread.application.studies.reproduction.radot.reading import ReadSet, read_set
from overread.application.studies.reproduction.radot.selection import plan_name
from overread.application.studies.reproduction.radot.study import (
    GREEN_ROWS,
    MASS_PENALTY,
    PARTIAL_MASS,
    Plan,
    RadotStudy,
)
from overread.application.studies.tabulation import Tabulation
from overread.bootstrap._services import assembly_of, catalogue_of
from overread.domain.annotation import HumanBenchmark
from overread.domain.cost import TableTwoCost
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

if TYPE_CHECKING:
    from overread.domain.scores import MetricScores

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
    settings: Settings,
    *,
    rexval: Path,
    radevalx: Path | None = None,
    rexerr: Path | None = None,
    rexerr_split: str = "all",
    results: Sequence[Path] = (),
    tables: Sequence[str] = (),
    draws: int = 10_000,
    seed: int = 7,
    on_progress: Callable[[int], None] | None = None,
) -> Tabulation:
    """RadOT-Eval's protocol on the user's sets, each table with the paper's figures beside ours.

    Args:
        settings: the extractor and its options; costs, plans and readout are the paper's.
        rexval: ReXVal, on which everything is selected and fitted.
        radevalx: RadEvalX, on which nothing is.
        rexerr: ReXErr-v1, likewise.
        rexerr_split: "train", "val" or "test" to read the files of that split alone.
        results: result files of other metrics over RadEvalX's pairs.
        tables: numbers of the tables wanted, all where empty.
        draws: of the bootstrap.
        seed: of everything left to chance.
        on_progress: called with the number of sets read and tables made.

    Raises:
        InputError: if a set or a result file cannot be read.
        ConfigurationError: if a component cannot be used, a table is unknown, or no pair of a set can be read.
    """
    from overread.adapters.transport.nnls.fitter import NnlsFitter
    from overread.infrastructure.datasets.annotated_sets.radevalx import read_radevalx
    from overread.infrastructure.datasets.annotated_sets.rexerr import read_rexerr
    from overread.infrastructure.datasets.annotated_sets.rexval import read_rexval
    from overread.infrastructure.datasets.published import read_published

    protocol = radot_protocol(read_published("radot"))
    protocol.chosen(tables)
    if results and radevalx is None:
        raise ConfigurationError(["--results holds scores of RadEvalX's pairs and needs --radevalx"])
    advance = on_progress or _ignore
    rated = {"rexval": read_rexval(rexval)}
    if radevalx is not None:
        rated["radevalx"] = read_radevalx(radevalx)
    if rexerr is not None:
        rated["rexerr"] = read_rexerr(rexerr, split=rexerr_split)
    catalogue = catalogue_of(settings)
    extractor, cost = assembly_of(settings, catalogue).get("extractor"), TableTwoCost()
    sets: dict[str, ReadSet] = {}
    for name, benchmark in rated.items():
        sets[name] = read_set(benchmark, extractor, cost)
        advance(len(sets))
    distributed = _provided(rated["radevalx"].provided) if "radevalx" in rated else {}
    study = RadotStudy(
        source=sets["rexval"],
        external=sets.get("radevalx"),
        stress=sets.get("rexerr"),
        aligner=_aligners(catalogue),
        cost=cost,
        fitter=NnlsFitter(),
        others={**distributed, **_stored(results, sets.get("radevalx"), taken=distributed)},
        provided=tuple(distributed),
        draws=draws,
        seed=seed,
    )
    sections = protocol.sections(study, tables, lambda made: advance(len(sets) + made))
    return Tabulation(
        name="radot",
        title=f"{protocol.paper.name}: our figures beside the paper's",
        tables=tuple(table for section in sections for table in section.tables),
        plots=tuple(plot for section in sections for plot in section.plots),
        facts=_facts(study, extractor.identity, protocol.paper.source),
        notes=(*_unused(settings), *_notes(rated.values()), *(note for section in sections for note in section.notes)),
    )


def _ignore(_: int) -> None:
    """Progress that nobody asked for."""


def _aligners(catalogue: Catalogue) -> Callable[[Plan], Aligner]:
    def aligner(plan: Plan) -> Aligner:
        table: dict[str, object] = {"epsilon": plan.epsilon, "weights": plan.cost_weights.as_tuple()}
        table |= {"partial": {"mass": PARTIAL_MASS}, "unbalanced": {"lambda_m": MASS_PENALTY}}.get(plan.aligner, {})
        return Assembly(catalogue, choices={"aligner": plan.aligner}, options={"aligner": table}).get("aligner")  # type: ignore[no-any-return]

    return aligner


def _provided(provided: Iterable[MetricScores]) -> dict[str, Mapping[str, float]]:
    """Badness by row of Table III and pair id."""
    return {
        _PROVIDED.get(re.sub(r"[\W_]", "", scores.metric).lower(), scores.metric): _badness(
            scores.score_by_id(), higher_is_better=scores.higher_is_better
        )
        for scores in provided
    }


def _stored(
    results: Sequence[Path], data: ReadSet | None, taken: Mapping[str, object]
) -> dict[str, Mapping[str, float]]:
    """Badness by row and pair id of what result files hold; green gives the paper's two rows."""
    from overread.infrastructure.files.scored import read_scores

    known = set() if data is None else set(data.ids)
    rows: dict[str, Mapping[str, float]] = {}
    for path in results:
        for metric, scores in read_scores(path).items():
            if known.isdisjoint(scores.ids):
                raise InputError(str(path), "holds none of RadEvalX's pairs", remedy="ids are those of its report_id")
            for row, values in _rows(metric, scores).items():
                if row in rows or row in taken:
                    raise InputError(str(path), f"has scores of {row}, which are there already")
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


def _facts(study: RadotStudy, extractor: str, source: str) -> dict[str, str]:
    sets = {"ReXVal": study.source, "RadEvalX": study.external, "ReXErr-v1": study.stress}
    facts = {
        "paper": source,
        "extractor": extractor,
        "cost": study.cost.identity,
        **{name: f"{len(data)} pairs of {len(set(data.studies))} studies" for name, data in sets.items() if data},
        "selected": plan_name(study.main.plan.name, study.main.plan.epsilon),
        "draws": f"{study.draws:,}",
        "seed": str(study.seed),
    }
    if study.external is not None:
        facts["refit"] = f"risks of a readout fitted once more differ by {study.refit_difference(study.external):.1g}"
    return facts


def _unused(settings: Settings) -> Iterable[str]:
    unused = sorted({"aligner", "readout", "radot"} & {*settings.choices, *settings.options})
    if unused:
        yield f"settings of {', '.join(unused)} are not used: costs, plans and readout are the paper's"


def _notes(benchmarks: Iterable[HumanBenchmark]) -> Iterable[str]:
    for benchmark in benchmarks:
        yield from (f"{benchmark.name}: {note}" for note in benchmark.notes)
