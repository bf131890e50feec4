"""Small benchmarks whose figures can be told by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Table
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation, Values

TOTAL = Target("total", higher_is_better=False, label="all errors")


def annotated(
    number: int,
    ratings: Mapping[str, Sequence[float]],
    *,
    study: str | None = None,
    generator: str = "",
    strata: Mapping[str, str] | None = None,
) -> AnnotatedPair:
    """The pair pN with what each rater said."""
    words = "Clear lungs." + " No effusion." * number
    return AnnotatedPair(
        pair=ReportPair(id=f"p{number}", reference=words, candidate="Clear lungs."),
        study=study or f"s{number}",
        ratings={name: tuple(map(float, said)) for name, said in ratings.items()},
        generator=generator,
        strata=dict(strata or {}),
    )


def benchmark(
    pairs: Sequence[AnnotatedPair],
    *targets: Target,
    raters: Sequence[str] = ("one",),
    preferences: Sequence[Preference] = (),
) -> HumanBenchmark:
    """A set of pairs."""
    return HumanBenchmark(
        name="made", targets=targets, raters=tuple(raters), pairs=tuple(pairs), preferences=tuple(preferences)
    )


def counted(*totals: float) -> HumanBenchmark:
    """A set with one rater's total of errors for each pair."""
    return benchmark([annotated(number, {"total": (total,)}) for number, total in enumerate(totals)], TOTAL)


def scores(
    metric: str,
    *values: float | None,
    higher_is_better: bool = False,
    verdicts: Mapping[str, bool] | None = None,
    aspects: Mapping[str, Mapping[str, int]] | None = None,
    **others: Any,
) -> MetricScores:
    """Scores of p0, p1, ...; None is unscored for being too long. Verdicts and noted aspects are by id."""
    ids = tuple(f"p{number}" for number in range(len(values)))
    named = {name for noted in (aspects or {}).values() for name in noted}
    noted = {name: column(*(float((aspects or {}).get(key, {}).get(name, 0)) for key in ids)) for name in sorted(named)}
    return MetricScores(
        metric=metric,
        higher_is_better=higher_is_better,
        ids=ids,
        scores=column(*values),
        reasons={key: "too long" for key, value in zip(ids, values, strict=True) if value is None},
        verdicts=None if verdicts is None else column(*(verdicts.get(key) for key in ids)),
        counts={"aspect": noted},
        **others,
    )


def column(*values: float | None) -> Values:
    """Numbers of p0, p1, ..."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def meta(made: HumanBenchmark, *judged: MetricScores, draws: int = 200) -> MetaEvaluation:
    """A meta-evaluation with few draws."""
    return MetaEvaluation(benchmark=made, scores=judged, draws=draws, seed=1)


def cells(table: Table, column: str) -> list[Cell]:
    """A column, the figures of estimates alone."""
    place = [each.name for each in table.columns].index(column)
    return [row[place].value if isinstance(row[place], Estimate) else row[place] for row in table.rows]  # type: ignore[union-attr]


def by_row(table: Table, column: str) -> dict[Cell, Cell]:
    """A column by the first cell of each row."""
    return dict(zip((row[0] for row in table.rows), cells(table, column), strict=True))
