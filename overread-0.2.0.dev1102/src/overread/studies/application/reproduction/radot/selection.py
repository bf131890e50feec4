"""Table X: which system is selected on ReXVal, and all its figures on RadEvalX."""

from __future__ import annotations

from typing import Final

from overread.application.statistics.tabulation import Cell, Column, Table
from overread.application.training.fit_readout import SelectionRow
from overread.studies.application.reproduction.published import PublishedPaper, beside
from overread.studies.application.reproduction.radot.study import NO_EXTERNAL, TITLES, RadotStudy
from overread.studies.application.reproduction.sections import Section

__all__ = ["plan_name", "selection"]

_SHOWN: Final = 5
_MEASURES: Final = ("mae", "rmse", "pearson", "spearman", "kendall")

_NOTE: Final = (
    "Spearman's correlation with the raters' sums, held out in five folds by study; macro is the mean over the "
    "targets. Of the paper's settings only the weights of polarity-heavy are published; the others, and the grid of "
    "epsilons, are overread's own."
)
_MEASURES_NOTE: Final = (
    "Risk against the errors counted. The readout is fitted to the sums over ReXVal's raters, as the size of the "
    "paper's errors suggests, so that its risks lie above RadEvalX's counts; they rank pairs and are no estimate of a "
    "count."
)


def selection(study: RadotStudy, paper: PublishedPaper) -> Section:
    """The paper's five settings beside ours, our own five best, and the selected system's figures."""
    rows = study.main.selection.table
    reproduced = {plan_name(row.prior, row.epsilon): _figures(row) for row in rows}
    printed = {name: figures for name, figures in reproduced.items() if name in paper.tables["X"].rows}
    selected = study.main.plan
    note = f"{_NOTE} Selected here: {plan_name(selected.name, selected.epsilon)}."
    best = Table(
        name="table-x-best",
        title=f"The {_SHOWN} best settings on ReXVal here",
        columns=(
            Column(name="row", title="Ground cost, epsilon"),
            *(Column(name=name, title=title) for name, title in paper.tables["X"].columns.items()),
        ),
        rows=tuple((name, *figures.values()) for name, figures in list(reproduced.items())[:_SHOWN]),
        note=f"Of {len(rows)} settings. As in the table above.",
    )
    return Section(
        tables=(beside(paper.tables["X"], printed, name="table-x", note=note), best, _measures(study, paper))
    )


def plan_name(prior: str, epsilon: float) -> str:
    """A setting as rows name it."""
    return f"{prior}, {epsilon:.2f}"


def _figures(row: SelectionRow) -> dict[str, Cell]:
    return {"macro": row.macro, **row.scores}


def _measures(study: RadotStudy, paper: PublishedPaper) -> Table:
    published = paper.tables["X-radevalx"]
    data = study.external
    if data is None:
        return beside(published, {}, name="table-x-radevalx", note=NO_EXTERNAL)
    risks = study.risks(study.main, data)
    reproduced = {
        title: {name: study.measured(name, risks[target], data.labels(target)) for name in _MEASURES}
        for target, title in TITLES.items()
    }
    return beside(published, reproduced, name="table-x-radevalx", note=_MEASURES_NOTE)
