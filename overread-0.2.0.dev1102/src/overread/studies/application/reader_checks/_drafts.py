"""Tables from counts by row: precision, recall and F1 of classes, and plain shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.statistics import Resampling, estimate_ratios
from overread.application.statistics.tabulation import Column, Table, Tabulation
from overread.studies.application.reader_checks.check import READER, Mistake, ReaderCheck

__all__ = ["Draft", "DraftLine", "class_lines", "counts", "finish_check", "tables"]

Counts = npt.NDArray[np.float64]

Fraction = tuple[Counts, Counts]
"""Numerator and denominator, row by row; the figure is the sum of one over the sum of the other."""

_DRAWS: Final = 1000
_SEED: Final = 20200217


@frozen
class DraftLine:
    """A line whose figures are still fractions by row."""

    name: str
    count: int
    fractions: Mapping[str, Fraction]


@frozen
class Draft:
    """A table whose figures are still fractions by row."""

    title: str
    counted: str
    lines: tuple[DraftLine, ...]

    @property
    def figures(self) -> tuple[Column, ...]:
        """Columns of the figures, which all lines have."""
        names = self.lines[0].fractions if self.lines else ()
        return tuple(Column(name=name, title=name, percent=True) for name in names)


def finish_check(
    check: str,
    reader: str,
    drafts: Sequence[Draft],
    rows: int,
    *,
    confusion: Table | None = None,
    mistakes: Iterable[Mistake] = (),
    notes: Iterable[str] = (),
) -> ReaderCheck:
    """The check with the figures of its tables.

    Args:
        check: its name.
        reader: identity of what read the data.
        drafts: its tables, in the order in which they matter.
        rows: of the data.
        confusion: labels against readings, where the check has exclusive classes.
        mistakes: in the order of the data.
        notes: remarks on what was left out, without text from the data.
    """
    tabulation = Tabulation(
        name=check,
        title=f"Check: {check}",
        tables=(*tables(drafts, rows), *([] if confusion is None else [confusion])),
        facts={READER: reader, "intervals": f"95 %, of a bootstrap of {_DRAWS:,} draws of rows"},
        notes=tuple(notes),
    )
    return ReaderCheck(tabulation=tabulation, mistakes=tuple(mistakes))


def counts(values: Sequence[float] | Sequence[bool]) -> Counts:
    """One number a row."""
    return np.asarray(values, dtype=np.float64)


def class_lines(
    labels: Sequence[str], readings: Sequence[str | None], classes: Sequence[str], kept: Sequence[bool] | None = None
) -> tuple[DraftLine, ...]:
    """Precision, recall and F1 of each class.

    Args:
        labels: the class of each row.
        readings: the class read; None counts as none of them.
        classes: those to show.
        kept: rows that count, all where omitted.
    """
    keep = counts([True] * len(labels) if kept is None else list(kept))
    lines = []
    for name in classes:
        labelled = counts([label == name for label in labels]) * keep
        read = counts([reading == name for reading in readings]) * keep
        hits = labelled * read
        fractions = {
            "precision": (hits, read),
            "recall": (hits, labelled),
            "F1": (2 * hits, labelled + read),
        }
        lines.append(DraftLine(name, int(labelled.sum()), fractions))
    return tuple(lines)


def tables(drafts: Sequence[Draft], rows: int) -> tuple[Table, ...]:
    """The tables with their figures, all over the same draws of rows."""
    places = [(line, name) for draft in drafts for line in draft.lines for name in line.fractions]
    above, below = ([line.fractions[name][part] for line, name in places] for part in (0, 1))
    estimates = iter(estimate_ratios(above, below, Resampling.by_row(rows, draws=_DRAWS, seed=_SEED)))
    return tuple(
        Table(
            name=draft.title.lower().replace(",", "").replace(" ", "-"),
            title=draft.title,
            columns=(Column(name="name", title=""), Column(name="count", title=draft.counted), *draft.figures),
            rows=tuple((line.name, line.count, *(next(estimates) for _ in line.fractions)) for line in draft.lines),
        )
        for draft in drafts
    )
