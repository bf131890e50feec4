"""Agreement of raters with each other, which bounds what a metric can reach."""

from __future__ import annotations

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Column, HeatMap, Table
from overread.domain.results.annotation import Target
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Part

__all__ = ["raters"]

_MEASURE = "kendall"


def raters(meta: MetaEvaluation) -> Part:
    """Compares the raters of each target that several judged: every pair, and each against the mean of the others."""
    several = [target for target in meta.targets if len(meta.raters_of(target.name)) > 1]
    return Part(
        tables=tuple(_table(meta, target) for target in several),
        plots=tuple(_heat_map(meta, target) for target in several),
    )


def _title(target: Target) -> str:
    return f"Agreement between raters: {target.label or target.name}"


def _table(meta: MetaEvaluation, target: Target) -> Table:
    names = meta.raters_of(target.name)
    agreement = meta.raters(_MEASURE, target)
    rows: list[tuple[Cell, ...]] = [
        (name, *(estimate.value for estimate in row), others)
        for name, row, others in zip(names, agreement.pairs, agreement.against_others, strict=True)
    ]
    return Table(
        name=f"raters-{target.name}",
        title=_title(target),
        columns=(
            Column(name="rater", title="rater"),
            *(Column(name=f"rater-{name}", title=name) for name in names),
            Column(name="others", title="mean of others"),
        ),
        rows=tuple(rows),
        note=f"Kendall tau-b, -1 to 1. Mean over pairs of raters: {_words(agreement.mean_of_pairs)}; "
        f"of each against the mean of the others: {_words(agreement.mean_against_others)}.",
    )


def _words(estimate: Estimate) -> str:
    if estimate.value is None:
        return "not defined"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _heat_map(meta: MetaEvaluation, target: Target) -> HeatMap:
    names = meta.raters_of(target.name)
    agreement = meta.raters(_MEASURE, target)
    values = tuple(
        (*(estimate.value for estimate in row), others.value)
        for row, others in zip(agreement.pairs, agreement.against_others, strict=True)
    )
    return HeatMap(
        name=f"raters-{target.name}",
        title=_title(target),
        rows=names,
        columns=(*names, "mean of others"),
        values=values,
        words=tuple(tuple("" if value is None else f"{value:.2f}" for value in row) for row in values),
    )
