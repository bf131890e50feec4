"""Tables III and XI: how well each system ranks RadEvalX's pairs, and how sure the differences are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from overread.application.statistics import Estimate, compare_measures, estimate
from overread.application.statistics.correlations import Spearman
from overread.application.statistics.tabulation import Cell, Forest, ForestRow
from overread.domain.results.readout import TARGETS
from overread.studies.application.reproduction.published import RECONSTRUCTED, PublishedPaper, beside
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.study import GREEN_ROWS, NO_EXTERNAL, OUR_NAME, TITLES, RadotStudy
from overread.studies.application.reproduction.sections import Section

__all__ = ["correlations", "differences"]

Vector = npt.NDArray[np.float64]

_COUNT: Final = "Reference count only"
_WITHOUT: Final = "RadOT-Eval w/o ref count"

_NOTE: Final = (
    "Of risk and errors counted: 1 is perfect agreement, and scores of which higher is better are turned round. The "
    "readout is selected and fitted on ReXVal alone."
)
_REBUILT_NOTE: Final = (
    "Rows marked ({mark}) are systems of which the paper gives the name alone: what they are here is overread's own, "
    "and their figures are not expected to be the paper's. They are selected as the system itself, on ReXVal alone."
)
_DIFFERENCES_NOTE: Final = (
    "Spearman's correlation of RadOT-Eval less the metric's, over the pairs that both scored; 95 % intervals of the "
    "paired bootstrap by study. Above 0 RadOT-Eval agrees better. Rows without a figure of the paper are not printed "
    "there."
)


def correlations(study: RadotStudy, paper: PublishedPaper) -> Section:
    """Table III, and section VI-A's intervals."""
    data = study.external
    third, intervals = paper.tables["III"], paper.tables["section-VI-A"]
    if data is None:
        tables = [beside(t, {}, name=n, note=NO_EXTERNAL) for n, t in (("table-iii", third), ("intervals", intervals))]
        return Section(tables=tuple(tables))
    risks = study.risks(study.main, data)
    reproduced: dict[str, dict[str, Cell]] = {row: _of_one(study, study.other(row, data), data) for row in study.others}
    rebuilt = {row: study.rival(row).fitted.risks(data) for row in study.rivals}
    reproduced |= {_mark_row(row): dict(study.ranks(of_target, data)) for row, of_target in rebuilt.items()}
    reproduced[_COUNT] = _of_one(study, data.reference_counts, data)
    reproduced[_WITHOUT] = dict(study.transfer(study.without_reference_count, data))
    reproduced[OUR_NAME] = dict(study.ranks(risks, data))
    certain: dict[str, Mapping[str, Cell]] = {
        TITLES[target]: {"spearman": _estimate(study, risks[target], data, target)} for target in TARGETS
    }
    return Section(
        tables=(
            beside(third, reproduced, name="table-iii", note=_note(study), missing=_missing(study)),
            beside(
                intervals,
                certain,
                name="intervals",
                note="Bootstrap by study; ours a little wider than percentiles 2.5 and 97.5.",
            ),
        ),
        plots=(_forest(study, data, risks, rebuilt),),
        notes=(*_unscored_notes(study, data), *_rebuilt_notes(study)),
    )


def differences(study: RadotStudy, paper: PublishedPaper) -> Section:
    """Table XI."""
    data, published = study.external, paper.tables["XI"]
    if data is None:
        return Section(tables=(beside(published, {}, name="table-xi", note=NO_EXTERNAL),))
    risks = study.risks(study.main, data)
    reproduced: dict[str, dict[str, Cell]] = {}
    for target, title in TITLES.items():
        for row in sorted(study.provided):
            scores, people = study.other(row, data), data.labels(target)
            compared = compare_measures(Spearman(), risks[target], scores, people, study.resampling(data))
            reproduced[f"{title}: {row}"] = {
                "comparator": study.measured("spearman", scores, people),
                "difference": compared.difference,
            }
    missing = {} if study.provided else {"the metrics": "the set has no table of provided scores"}
    table = beside(published, reproduced, name="table-xi", note=_DIFFERENCES_NOTE, missing=missing)
    rows = tuple(
        ForestRow(label=row.partition(": ")[2], estimate=cells["difference"], group=row.partition(": ")[0])
        for row, cells in reproduced.items()
        if isinstance(cells["difference"], Estimate)
    )
    forest = Forest(
        name="table-xi",
        title="RadOT-Eval's correlation less the metric's",
        x_title="Difference of Spearman's correlation",
        rows=rows,
        reference=0.0,
    )
    return Section(tables=(table,), plots=(forest,) if rows else ())


def _of_one(study: RadotStudy, scores: Vector, data: ReadSet) -> dict[str, Cell]:
    """Correlations of a system that has one score for all targets."""
    return {target: study.measured("spearman", scores, data.labels(target)) for target in TARGETS}


def _estimate(study: RadotStudy, scores: Vector, data: ReadSet, target: str) -> Estimate:
    return estimate(Spearman(), scores, data.labels(target), study.resampling(data))


def _mark_row(row: str) -> str:
    return f"{row} ({RECONSTRUCTED})"


def _note(study: RadotStudy) -> str:
    return f"{_NOTE} {_REBUILT_NOTE.format(mark=RECONSTRUCTED)}" if study.rivals else _NOTE


def _rebuilt_notes(study: RadotStudy) -> tuple[str, ...]:
    """Notes on what each rival is, and what was selected."""
    fits = {row: study.rival(row) for row in study.rivals}
    return tuple(
        f"{_mark_row(row)}: {study.rivals[row].idea}; selected on ReXVal: {fit.setting}, macro {fit.macro:.3f} held out"
        for row, fit in fits.items()
    )


def _missing(study: RadotStudy) -> dict[str, str]:
    green = [row for row in GREEN_ROWS if row not in study.others]
    return dict.fromkeys(green, "no results of green were given")


def _unscored_notes(study: RadotStudy, data: ReadSet) -> tuple[str, ...]:
    without = {row: int(np.isnan(study.other(row, data)).sum()) for row in study.others}
    return tuple(
        f"{row}: {count} of RadEvalX's {len(data)} pairs have no score; its figures are over the others"
        for row, count in without.items()
        if count
    )


def _forest(
    study: RadotStudy, data: ReadSet, risks: Mapping[str, Vector], rebuilt: Mapping[str, Mapping[str, Vector]]
) -> Forest:
    scores = {row: dict.fromkeys(TARGETS, study.other(row, data)) for row in study.others}
    scores |= {_mark_row(row): dict(of_target) for row, of_target in rebuilt.items()}
    scores[_COUNT] = dict.fromkeys(TARGETS, data.reference_counts)
    scores[OUR_NAME] = dict(risks)
    return Forest(
        name="table-iii",
        title="Spearman's correlation on RadEvalX",
        x_title="Spearman's correlation",
        rows=tuple(
            ForestRow(label=row, estimate=_estimate(study, of_target[target], data, target), group=title)
            for target, title in TITLES.items()
            for row, of_target in scores.items()
        ),
        reference=0.0,
    )
