"""Support of means: how many pairs they rest on, how much of their text was read, and how diverse it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from overread.application.statistics.tabulation import Cell, Column, Table
from overread.domain.results.diversity import Diversity, Wording
from overread.domain.results.scores import MetricScores
from overread.studies.application.comparison._aligned import Source

__all__ = ["diversity_table", "support_table", "template_notes"]

_SIDES: Final = ("candidate", "reference")


def support_table(held: Sequence[tuple[str, MetricScores]]) -> Table:
    """Table of how many pairs a file scores of all it holds, and how much of their text its reader passed over.

    Args:
        held: scores of a metric with the name of their file.
    """
    return Table(
        name="support",
        title="What the means rest on",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="file", title="File"),
            Column(name="scored", title="Scored"),
            Column(name="of", title="Of"),
            Column(name="candidate_unread", title="Candidates unread", percent=True),
            Column(name="reference_unread", title="References unread", percent=True),
        ),
        rows=tuple(
            (
                scores.metric,
                name,
                int(np.count_nonzero(~np.isnan(scores.scores))),
                len(scores.ids),
                *(_unread(scores, side) for side in _SIDES),
            )
            for name, scores in held
        ),
        note="Unread: mean share of a report's content words that no unit accounts for, over the file's scored pairs; "
        "lower is better. Only metrics that read by units know it.",
    )


def _unread(scores: MetricScores, side: str) -> float | None:
    coverage = scores.subscores.get(f"{side}_coverage")
    if coverage is None:
        return None
    there = coverage[~np.isnan(coverage)]
    return 1.0 - float(there.mean(dtype=np.float64)) if len(there) else None


def diversity_table(sources: Sequence[Source]) -> Table | None:
    """Table of the diversity of each file's candidates and of the references; None where that is known of no file."""
    known = [(source.name, source.diversity) for source in sources if source.diversity is not None]
    if not known:
        return None
    return Table(
        name="diversity",
        title="Diversity of the wording",
        columns=(
            Column(name="texts", title="Texts"),
            Column(name="reports", title="Reports"),
            Column(name="of", title="Of"),
            Column(name="distinct", title="Distinct", percent=True),
            Column(name="distinct_2", title="Distinct-2"),
            Column(name="compression", title="Compression", digits=2),
        ),
        rows=tuple(_rows(known, single=len(sources) == 1)),
        note="Of a sample of pairs by their ids. Distinct: share of distinct reports; distinct-2: share of distinct "
        "pairs of adjacent words; compression: bytes over gzipped bytes, lower is more diverse. Read them beside the "
        "references; other corpora, and samples of another size, do not compare.",
    )


def _rows(known: Sequence[tuple[str, Diversity]], *, single: bool) -> Iterator[tuple[Cell, ...]]:
    for name, diversity in known:
        yield _row("candidates" if single else name, diversity, diversity.candidates)
    one_set = all(diversity.references == known[0][1].references for _, diversity in known)
    for name, diversity in known[:1] if one_set else known:
        yield _row("references" if one_set else f"references of {name}", diversity, diversity.references)


def _row(label: str, diversity: Diversity, wording: Wording) -> tuple[Cell, ...]:
    return (label, wording.texts, diversity.of, wording.distinct, wording.distinct_2, wording.compression)


def template_notes(sources: Sequence[Source]) -> Iterator[str]:
    """Yields a warning of each file whose candidates repeat one another far more than their references."""
    for source in sources:
        if source.diversity is not None and source.diversity.warning:
            yield f"{source.name}: {source.diversity.warning}"
