"""Table VIII: which single feature goes best with each kind of error."""

from __future__ import annotations

from typing import Final

import numpy as np

from overread.application.statistics.tabulation import Cell, Column, Table
from overread.domain.differences.features import FEATURE_NAMES
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.studies.application.reproduction.published import PublishedPaper, PublishedTable
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.study import NO_EXTERNAL, RadotStudy
from overread.studies.application.reproduction.sections import Section

__all__ = ["categories"]

_SEVERITIES: Final = {"significant": "Sig.", "insignificant": "Insig."}

_NOTE: Final = (
    "Spearman's correlation of one feature with the errors counted of a kind. Nonzero: pairs with such an error. Kinds "
    "that no pair has are left out. The best of {features} features is found on the same pairs, so that its "
    "correlation is flattered; few pairs tell little."
)
_COLUMNS: Final = (
    Column(name="kind", title="Kind of error"),
    Column(name="paper_feature", title="Paper's feature"),
    Column(name="nonzero", title="Non-zero"),
    Column(name="nonzero_paper", title="paper"),
    Column(name="spearman", title="Spearman"),
    Column(name="spearman_paper", title="paper"),
    Column(name="best_feature", title="Best feature here"),
    Column(name="best_spearman", title="Spearman"),
)


def categories(study: RadotStudy, paper: PublishedPaper) -> Section:
    """The paper's features beside the best here, for every kind of error that RadEvalX has."""
    published, data = paper.tables["VIII"], study.external
    rows: list[tuple[Cell, ...]] = []
    for severity in _SEVERITIES:
        for category in ErrorCategory:
            target = f"{severity}.{category.value}"
            printed = [row for row in published.rows if row.split()[0] == target]
            rows += _rows(study, data, published, target, printed)
    note = NO_EXTERNAL if data is None else _NOTE.format(features=len(FEATURE_NAMES))
    return Section(
        tables=(Table(name="table-viii", title=published.title, columns=_COLUMNS, rows=tuple(rows), note=note),)
    )


def _rows(
    study: RadotStudy, data: ReadSet | None, published: PublishedTable, target: str, printed: list[str]
) -> list[tuple[Cell, ...]]:
    severity, letter = target.split(".")
    kind = f"{_SEVERITIES[severity]} {ErrorCategory(letter).label}"
    correlations = {} if data is None else _correlations(study, data, target)
    nonzero = None if data is None else _nonzero(data, target)
    if not nonzero and not printed:
        return []
    best = max(correlations, key=correlations.__getitem__, default=None)
    best_cells: tuple[Cell, ...] = (best, None if best is None else correlations[best])
    rows: list[tuple[Cell, ...]] = []
    for row in printed:
        feature = str(published.figure(row, "feature"))
        figures = (nonzero, published.figure(row, "nonzero"))
        ranks = (correlations.get(feature), published.figure(row, "spearman"))
        rows.append((kind, feature, *figures, *ranks, *best_cells))
    return rows or [(kind, None, nonzero, None, None, None, *best_cells)]


def _correlations(study: RadotStudy, data: ReadSet, target: str) -> dict[str, float]:
    """Spearman correlation of each feature that varies, under the selected plan."""
    if not _has(data, target):
        return {}
    people = data.labels(target)
    features = study.features(data, study.main.plan)
    correlations = {
        name: study.measured("spearman", features[:, column], people) for column, name in enumerate(FEATURE_NAMES)
    }
    return {name: value for name, value in correlations.items() if value is not None}


def _nonzero(data: ReadSet, target: str) -> int:
    return int(np.count_nonzero(np.nan_to_num(data.labels(target)))) if _has(data, target) else 0


def _has(data: ReadSet, target: str) -> bool:
    return any(known.name == target for known in data.benchmark.targets)
