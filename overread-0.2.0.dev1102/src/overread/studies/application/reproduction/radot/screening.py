"""Table IV: finding pairs with a significant error in RadEvalX, and corrupted reports in ReXErr-v1."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from overread.application.statistics import find_preferred, preference_wins
from overread.application.statistics.tabulation import Cell, Table
from overread.studies.application.reproduction.published import PublishedPaper, beside
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.study import (
    GREEN_ROWS,
    NO_EXTERNAL,
    NO_STRESS,
    OUR_NAME,
    RadotStudy,
)
from overread.studies.application.reproduction.sections import Section

__all__ = ["screening"]

Vector = npt.NDArray[np.float64]

_SCREENS: Final = {
    "auroc": "auroc",
    "auprc": "auprc",
    "sens80": "sensitivity_at_80",
    "sens90": "sensitivity_at_90",
    "enrichment": "enrichment_20",
}
"""Columns of the upper part and the measures in them."""

_CORRUPTION: Final = ("auroc", "auprc")

_NOTE: Final = (
    "A pair is to be found if at least one significant error was counted in it: {positive} of {pairs}. RadOT-Eval's "
    "score is its significant risk. Sens.: sensitivity at 80 and 90 % specificity. Enrichment: share of such pairs "
    "among the fifth with the highest scores over their share in all."
)
_STRESS_NOTE: Final = (
    "RadOT-Eval's score is its total risk, frozen as on RadEvalX. Win rate: share of corrupted reports with a higher "
    "risk than the same report uncorrupted; equal risks are no win, and there are {ties} of {pairs}."
)


def screening(study: RadotStudy, paper: PublishedPaper) -> Section:
    """Both parts of Table IV."""
    return Section(tables=(_significant(study, paper), _corruption_table(study, paper)))


def _significant(study: RadotStudy, paper: PublishedPaper) -> Table:
    data, published = study.external, paper.tables["IV"]
    if data is None:
        return beside(published, {}, name="table-iv", note=NO_EXTERNAL)
    truth = _positive(data.labels("significant"))
    scores = {row: study.other(row, data) for row in study.others}
    scores[OUR_NAME] = study.risks(study.main, data)["significant"]
    reproduced: dict[str, dict[str, Cell]] = {
        row: {column: study.measured(measure, values, truth) for column, measure in _SCREENS.items()}
        for row, values in scores.items()
    }
    note = _NOTE.format(positive=int(np.nansum(truth)), pairs=int(np.isfinite(truth).sum()))
    missing = {row: "no results of green were given" for row in GREEN_ROWS if row not in scores}
    return beside(published, reproduced, name="table-iv", note=note, missing=missing)


def _corruption_table(study: RadotStudy, paper: PublishedPaper) -> Table:
    data, published = study.stress, paper.tables["IV-rexerr"]
    if data is None:
        return beside(published, {}, name="table-iv-rexerr", note=NO_STRESS)
    truth = _positive(data.labels("corrupted"))
    risk = study.risks(study.main, data)["total"]
    reproduced: dict[str, dict[str, Cell]] = {
        row: {name: study.measured(name, values, truth) for name in _CORRUPTION}
        for row, values in (("Reference count only", data.reference_counts), (OUR_NAME, risk))
    }
    margins, sides = _margins(data, risk)
    won = preference_wins(margins, sides)
    compared = np.isfinite(won)
    reproduced[OUR_NAME]["win_rate"] = float(won[compared].mean()) if compared.any() else None
    note = _STRESS_NOTE.format(ties=int((margins[compared] == 0).sum()), pairs=int(compared.sum()))
    return beside(published, reproduced, name="table-iv-rexerr", note=note)


def _positive(labels: Vector) -> Vector:
    """1 for any, 0 for none, NaN where nobody said."""
    return np.where(np.isfinite(labels), (labels > 0).astype(np.float64), np.nan)


def _margins(data: ReadSet, risk: Vector) -> tuple[Vector, Vector]:
    """Excess risk of the second report over the first, and which of them people prefer, by preference."""
    of_pair = dict(zip(data.ids, risk.tolist(), strict=True))
    asked = data.benchmark.preferences
    margins = [of_pair.get(preference.second, np.nan) - of_pair.get(preference.first, np.nan) for preference in asked]
    sides = [find_preferred(np.asarray([preference.votes], dtype=np.float64))[0] for preference in asked]
    return np.asarray(margins, dtype=np.float64), np.asarray(sides, dtype=np.float64)
