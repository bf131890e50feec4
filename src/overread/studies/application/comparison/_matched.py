"""Two systems' scores by the same metrics, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from attrs import field, frozen

from overread.application.statistics.tabulation import Cell, Column, Table
from overread.domain.results.scores import Floats, MetricScores
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison._aligned import PairFacts, Source, common_ids, sign

__all__ = [
    "EQUAL",
    "Matched",
    "SystemPair",
    "coverage_table",
    "match",
    "system_columns",
    "unscored_table",
    "where_both",
]

EQUAL: Final = 1e-9
"""Scores no further apart than this are the same."""


@frozen(kw_only=True)
class Matched:
    """One metric over the pairs of both systems.

    Attributes:
        metric: its name.
        sign: what a score is multiplied by so that more is better.
        a, b: what each file holds of it.
        first, second: scores of each system for the rows of the comparison, NaN unless both have one.
    """

    metric: str
    sign: float
    a: MetricScores
    b: MetricScores
    first: Floats = field(repr=False)
    second: Floats = field(repr=False)

    @property
    def difference(self) -> Floats:
        """The first's score less the second's."""
        return self.first - self.second

    @property
    def advantage(self) -> Floats:
        """Amount by which the first is better."""
        return self.sign * self.difference

    def both(self, of_a: Floats, of_b: Floats, ids: tuple[str, ...]) -> tuple[Floats, Floats]:
        """Other numbers of the two files for the rows of the comparison, NaN where either has none."""
        return where_both(self.a.on(of_a, ids), self.b.on(of_b, ids))


@frozen(kw_only=True)
class SystemPair:
    """Two systems and the pairs that they are compared over.

    Attributes:
        first, second: the files.
        ids: pairs that both files hold for any of the metrics; the rows of everything.
        studies: of each row.
        facts: of the pairs.
        metrics: that both files hold.
    """

    first: Source
    second: Source
    ids: tuple[str, ...] = field(repr=False)
    studies: Sequence[str] = field(repr=False)
    facts: PairFacts
    metrics: tuple[Matched, ...]


def match(first: Source, second: Source, facts: PairFacts, metrics: Sequence[str]) -> SystemPair:
    """Two systems over the pairs that both files hold. Raises `ConfigurationError` where no pair is scored in both."""
    held = [(first.metrics[name], second.metrics[name]) for name in metrics]
    shared = [common_ids(pair) for pair in held]
    ids = (
        shared[0]
        if all(metric_ids == shared[0] for metric_ids in shared)
        else tuple(dict.fromkeys(i for s in shared for i in s))
    )
    matched = []
    for a, b in held:
        one, other = where_both(a.on(a.scores, ids), b.on(b.scores, ids))
        matched.append(
            Matched(
                metric=a.metric,
                sign=sign(higher_is_better=a.higher_is_better),
                a=a,
                b=b,
                first=one,
                second=other,
            )
        )
    if all(np.isnan(item.first).all() for item in matched):
        raise ConfigurationError([f"no pair is scored in both {first.name} and {second.name}; are the ids the same?"])
    studies = facts.studies_of(ids)
    return SystemPair(first=first, second=second, ids=ids, studies=studies, facts=facts, metrics=tuple(matched))


def where_both(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The numbers of two columns, NaN in both where either has none."""
    absent = np.isnan(one) | np.isnan(other)
    return np.where(absent, np.nan, one), np.where(absent, np.nan, other)


def system_columns(systems: SystemPair) -> tuple[Column, Column]:
    """A column for each system."""
    return Column(name="first", title=systems.first.name), Column(name="second", title=systems.second.name)


def coverage_table(systems: SystemPair) -> Table:
    """Table of how many pairs each file holds, and how many of them are compared."""
    rows: list[tuple[Cell, ...]] = []
    for item in systems.metrics:
        both = len(common_ids((item.a, item.b)))
        rows.append(
            (
                item.metric,
                both,
                int(np.count_nonzero(~np.isnan(item.first))),
                len(item.a.ids) - both,
                len(item.b.ids) - both,
                len(item.a.reasons),
                len(item.b.reasons),
            )
        )
    return Table(
        name="pairs",
        title="Pairs",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="in_both", title="In both"),
            Column(name="compared", title="Scored in both"),
            Column(name="only_first", title=f"In {systems.first.name} only"),
            Column(name="only_second", title=f"In {systems.second.name} only"),
            Column(name="unscored_first", title=f"Unscored in {systems.first.name}"),
            Column(name="unscored_second", title=f"Unscored in {systems.second.name}"),
        ),
        rows=tuple(rows),
        note="What is not scored in both is left out of every comparison; nothing is put in its place.",
    )


def unscored_table(held: Sequence[tuple[str, MetricScores]]) -> Table | None:
    """Table of why pairs are unscored, by metric and the name given; None where all are scored."""
    rows = [(scores.metric, name, reason, count) for name, scores in held for reason, count in scores.unscored.items()]
    if not rows:
        return None
    return Table(
        name="unscored",
        title="Unscored pairs",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="file", title="File"),
            Column(name="reason", title="Reason"),
            Column(name="pairs", title="Pairs"),
        ),
        rows=tuple(rows),
    )
