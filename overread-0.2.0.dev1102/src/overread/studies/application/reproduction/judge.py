"""Beyond Scalar Scores: discrimination and robustness on ReEvalMed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from attrs import evolve

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Curves, HeatMap
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.aspects import aspects
from overread.studies.application.meta_evaluation.contrasts import contrasts
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Part
from overread.studies.application.reproduction.meta_evaluations import left_out, on_set, paper_rows
from overread.studies.application.reproduction.metric_paper import MetricPaper
from overread.studies.application.reproduction.published import PublishedPaper, beside
from overread.studies.application.reproduction.sections import Section

__all__ = ["JUDGE"]

_ROWS: Final = {
    **dict.fromkeys(("radgraph", "radgraphf1", "f1radgraph"), "RadGraph"),
    "chexbert": "CheXbert",
    "radbertscore": "RadBERTScore",
    "alignscore": "AlignScore",
    "radfact": "RadFact",
    "fineradscore": "FineRadScore",
    "crimson": "CRIMSON",
}
"""Rows that only this paper calls so."""

_FIGURES: Final = ("discrimination", "robustness", "average", "gap")
_PERCENT: Final = 100.0
_BOTH: Final = "ReEvalMed with pairs of both kinds"
_PAIRED: Final = "paired-average"
_VERDICT: Final = "verdict"
_JUDGES: Final = "ReEvalMed and a metric that names discrepancies, such as judge, green or notation"
_AVERAGE: Final = "The paper's interval of Avg is its figure plus and minus the half width it prints."
_LENIENT: Final = " (silence is insig.)"


@lru_cache(maxsize=2)
def _contrast_part(evaluation: MetaEvaluation, *, strict: bool = True) -> Part:
    return contrasts(evaluation, strict=strict)


def _figures_by_row(evaluation: MetaEvaluation, *, by_verdict: bool, strict: bool = True) -> dict[str, dict[str, Cell]]:
    """Figures in percent by row: of the metrics' own verdicts, or of numbers at the maximin threshold."""
    reproduced: dict[str, dict[str, Cell]] = {}
    for table in _contrast_part(evaluation, strict=strict).tables:
        if table.name == "discrimination":
            names = [column.name for column in table.columns]
            records = [dict(zip(names, row, strict=True)) for row in table.rows]
            reproduced |= {
                str(record["metric"]): _percent(record)
                for record in records
                if (record["by"] == _VERDICT) is by_verdict
            }
    return reproduced


def _percent(figures: Mapping[str, Cell]) -> dict[str, Cell]:
    return {name: _times(figures[name]) for name in _FIGURES}


def _times(cell: Cell) -> Cell:
    if not isinstance(cell, Estimate):
        return cell
    return Estimate(*(None if value is None else _PERCENT * value for value in (cell.value, cell.low, cell.high)))


def _thresholds(evaluation: MetaEvaluation, paper: PublishedPaper) -> Section:
    reproduced = _figures_by_row(evaluation, by_verdict=False)
    if not reproduced:
        return left_out("Table 2", _BOTH)
    note = (
        "A pair is called significant where its score is at the threshold or worse; the threshold is the one at which "
        "the lesser of D and R is greatest, chosen on this very set as the paper does. D: significant changes called "
        f"so, R: others that are not, in percent. {_AVERAGE}"
    )
    return Section(tables=(beside(paper.tables["2"], reproduced, name="table-2", note=note, digits=1),))


def _verdicts(evaluation: MetaEvaluation, paper: PublishedPaper, number: str) -> Section:
    lenient = _figures_by_row(evaluation, by_verdict=True, strict=False)
    if not lenient:
        return left_out(f"Table {number}", _JUDGES)
    reproduced: dict[str, dict[str, Cell]] = {}
    for row, figures in _figures_by_row(evaluation, by_verdict=True).items():
        reproduced |= {row: figures, row + _LENIENT: lenient[row]}
    note = (
        "A pair is called significant where a critical or significant discrepancy is named, and insignificant where "
        "only others are (equation 1): where nothing at all is named it is neither, so R counts it as wrong. In rows "
        f"with{_LENIENT} such a pair is called insignificant. In percent. {_AVERAGE}"
    )
    name = f"table-{number}"
    return Section(tables=(beside(paper.tables[number], reproduced, name=name, note=note, digits=1),))


def _by_aspect(evaluation: MetaEvaluation, _: PublishedPaper) -> Section:
    tables = tuple(table for table in _contrast_part(evaluation).tables if table.name.startswith("rightly-by-"))
    return Section(tables=tables) if tables else left_out("The table by aspect", "pairs with an aspect")


def _tests(evaluation: MetaEvaluation, _: PublishedPaper) -> Section:
    part = _contrast_part(evaluation)
    tables = tuple(table for table in part.tables if table.name == _PAIRED)
    plots = tuple(plot for plot in part.plots if isinstance(plot, HeatMap))
    return Section(tables=tables, plots=plots) if tables else left_out("Figure 4", f"{_BOTH}, and two metrics")


def _flows(evaluation: MetaEvaluation, _: PublishedPaper) -> Section:
    part = aspects(evaluation)
    return Section(tables=part.tables, plots=part.plots) if part.tables else left_out("Figure 5", _JUDGES)


def _curves(evaluation: MetaEvaluation, _: PublishedPaper) -> Section:
    plots = tuple(plot for plot in _contrast_part(evaluation).plots if isinstance(plot, Curves))
    return Section(tables=(), plots=plots) if plots else left_out("Figure 9", _BOTH)


def _rows(scores: Iterable[MetricScores]) -> tuple[MetricScores, ...]:
    """Scores under the paper's rows. It puts thresholds on scores, never on subscores, so there are none here."""
    return tuple(evolve(row, subscores={}) for row in paper_rows(scores, _ROWS, None))


JUDGE: Final = MetricPaper(
    key="judge",
    sets={"reevalmed": {}},
    makers={
        "2": on_set("reevalmed", "Table 2", _thresholds),
        "3": on_set("reevalmed", "Table 3", lambda evaluation, paper: _verdicts(evaluation, paper, "3")),
        "4": on_set("reevalmed", "Table 4", lambda evaluation, paper: _verdicts(evaluation, paper, "4")),
        "aspects": on_set("reevalmed", "The table by aspect", _by_aspect),
        "figure-4": on_set("reevalmed", "Figure 4", _tests),
        "figure-5": on_set("reevalmed", "Figure 5", _flows),
        "figure-9": on_set("reevalmed", "Figure 9", _curves),
    },
    rows=_rows,
)
"""Tables 2 to 4, figures 4, 5 and 9, and what is called rightly by aspect and type."""
