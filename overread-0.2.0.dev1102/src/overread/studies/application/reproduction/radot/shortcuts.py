"""Table VII, and the fifths of section VI-D: is it the discrepancies, or only how much there is to say?"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from overread.application.statistics import calibration, partial_correlation
from overread.application.statistics.correlations import Spearman
from overread.application.statistics.tabulation import Cell
from overread.domain.results.readout import TARGETS
from overread.studies.application.reproduction.published import PublishedPaper, beside
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.study import NO_EXTERNAL, TITLES, RadotStudy
from overread.studies.application.reproduction.sections import Section

__all__ = ["DROPOUT_DRAWS", "fifths", "shortcuts"]

Vector = npt.NDArray[np.float64]

DROPOUT_DRAWS: Final = 20
"""How often units are left out at random; the figures are means."""

_NOTE: Final = (
    "Spearman's correlation of risk and errors counted. The count is the reference's units. The partial correlation is "
    "that of the ranks' residuals after a straight line on the count's ranks. Without fallback pairs: without the "
    "{fallbacks} pairs of which a report was read as whole sentences alone. Dropout: each unit of either report is "
    "left out with that probability, the readout frozen; mean of {draws} draws, seed {seed}."
)
_FIFTHS_NOTE: Final = (
    "Mean of the errors counted in the pairs of each fifth, by risk for the target. Pairs of equal risk stay together, "
    "so that fifths may differ in size; one that holds none is a dash."
)


def shortcuts(study: RadotStudy, paper: PublishedPaper) -> Section:
    """Table VII."""
    data, published = study.external, paper.tables["VII"]
    if data is None:
        return Section(tables=(beside(published, {}, name="table-vii", note=NO_EXTERNAL),))
    risks = study.risks(study.main, data)
    counts = data.reference_counts
    affected = data.fallbacks.any(axis=1)
    reproduced: dict[str, dict[str, Cell]] = {
        "Full RadOT-Eval": dict(study.ranks(risks, data)),
        "RadOT-Eval without ref count": dict(study.transfer(study.without_reference_count, data)),
        "Reference count only": dict(study.ranks(dict.fromkeys(TARGETS, counts), data)),
        "Partial corr. controlling ref count": {
            target: _partial(study, data, risks[target], data.labels(target)) for target in TARGETS
        },
        "Without fallback pairs": {
            target: study.measured("spearman", np.where(affected, np.nan, risks[target]), data.labels(target))
            for target in TARGETS
        },
        "10% unit dropout": dict(_dropout(study, data, 0.10)),
        "25% unit dropout": dict(_dropout(study, data, 0.25)),
    }
    note = _NOTE.format(fallbacks=int(affected.sum()), draws=DROPOUT_DRAWS, seed=study.seed)
    return Section(tables=(beside(published, reproduced, name="table-vii", note=note),))


def fifths(study: RadotStudy, paper: PublishedPaper) -> Section:
    """Mean errors counted by fifth of predicted risk."""
    data, published = study.external, paper.tables["section-VI-D"]
    if data is None:
        return Section(tables=(beside(published, {}, name="fifths", note=NO_EXTERNAL),))
    risks = study.risks(study.main, data)
    names = tuple(published.columns)
    reproduced: dict[str, dict[str, Cell]] = {}
    for target, title in TITLES.items():
        bins = calibration(risks[target], data.labels(target), study.resampling(data), bins=len(names))
        reproduced[title] = {
            **dict.fromkeys(names),
            **{names[fifth.place]: fifth.people.value for fifth in bins},
        }
    return Section(tables=(beside(published, reproduced, name="fifths", note=_FIFTHS_NOTE, digits=2),))


def _partial(study: RadotStudy, data: ReadSet, risk: Vector, people: Vector) -> float | None:
    measure, counts = Spearman(), data.reference_counts
    return partial_correlation(measure, risk, people, counts, study.resampling(data)).value


def _dropout(study: RadotStudy, data: ReadSet, share: float) -> dict[str, float | None]:
    """Mean correlations over draws in which units are left out; None where no draw has one."""
    fit = study.main
    aligner = study.aligner(fit.plan)
    drawn: dict[str, list[float]] = {target: [] for target in TARGETS}
    for draw in range(DROPOUT_DRAWS):
        rng = np.random.default_rng((study.seed, round(share * 100), draw))
        thinned = data.thin(share, study.cost, rng)
        ranks = study.ranks(study.read(fit, thinned.features(aligner)), data)
        for target, values in drawn.items():
            value = ranks[target]
            if value is not None:
                values.append(value)
    return {target: float(np.mean(values)) if values else None for target, values in drawn.items()}
