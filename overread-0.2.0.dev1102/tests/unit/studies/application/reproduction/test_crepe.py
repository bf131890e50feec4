"""CREPE made again."""

from __future__ import annotations

import numpy as np

from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Target
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.evaluation import MetaEvaluation
from overread.studies.application.reproduction.crepe import CREPE
from overread.studies.application.reproduction.meta_evaluations import MetaEvaluationStudy
from overread.studies.infrastructure.datasets.published import read_published


def counting(metric: str, *, score: float) -> MetricScores:
    """A metric that counts two errors in the one pair."""
    counts = {"significant": 2.0, "insignificant": 0.0, "A": 2.0}
    return MetricScores(
        metric=metric,
        higher_is_better=False,
        ids=("p",),
        scores=np.array([score]),
        subscores={name: np.array([count]) for name, count in counts.items()},
    )


def test_section_4_6_names_rows_as_the_tables_do() -> None:
    """An error count has the row that it has in Tables 1, 2 and 5; a score that is one has the metric's own."""
    pair = AnnotatedPair(
        pair=ReportPair(id="p", reference="Clear.", candidate="A mass."), study="s", ratings={"total": (3.0,)}
    )
    benchmark = HumanBenchmark(
        name="rexval", targets=(Target("total", higher_is_better=False),), raters=("one",), pairs=(pair,)
    )
    metrics = [counting("notation", score=0.4), counting("crepe", score=2), counting("green", score=0.4)]
    evaluation = MetaEvaluation(benchmark=benchmark, scores=CREPE.rows(metrics), draws=10)
    study = MetaEvaluationStudy(evaluations={"rexval": evaluation})
    first, section = (
        {row[0]: row for row in part.tables[0].rows}
        for part in CREPE.reproduction(read_published("crepe")).sections(study, ["1", "4.6"])
    )
    ours = {name for name, row in section.items() if row[1] is not None}
    assert ours == {"notation error count", "CREPE", "GREEN EC"}
    assert ours <= first.keys()
