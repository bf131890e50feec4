"""Small benchmarks whose figures can be told by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from overread.application.studies.meta_evaluation.scores import TrialScores
from overread.application.studies.meta_evaluation.trial import Trial
from overread.application.studies.tabulation import Cell, Estimate, Table
from overread.domain.annotation import AnnotatedPair, HumanBenchmark, Preference, Target
from overread.domain.report import ReportPair

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


def scores(metric: str, *values: float | None, higher_is_better: bool = False, **others: Any) -> TrialScores:
    """Scores of p0, p1, ...; None is unscored for being too long."""
    return TrialScores(
        metric=metric,
        higher_is_better=higher_is_better,
        scores={f"p{number}": float(value) for number, value in enumerate(values) if value is not None},
        unscored={f"p{number}": "too long" for number, value in enumerate(values) if value is None},
        **others,
    )


def by_id(*values: float) -> dict[str, float]:
    """Numbers of p0, p1, ..."""
    return {f"p{number}": float(value) for number, value in enumerate(values)}


def trial(made: HumanBenchmark, *judged: TrialScores, draws: int = 200) -> Trial:
    """A trial with few draws."""
    return Trial(benchmark=made, scores=judged, draws=draws, seed=1)


def cells(table: Table, column: str) -> list[Cell]:
    """A column, the figures of estimates alone."""
    place = [each.name for each in table.columns].index(column)
    return [row[place].value if isinstance(row[place], Estimate) else row[place] for row in table.rows]  # type: ignore[union-attr]


def by_row(table: Table, column: str) -> dict[Cell, Cell]:
    """A column by the first cell of each row."""
    return dict(zip((row[0] for row in table.rows), cells(table, column), strict=True))
