"""Rows of papers from the scores of metrics."""

from __future__ import annotations

import numpy as np
import pytest

from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference
from overread.domain.results.scores import DISTRIBUTED, MetricScores
from overread.studies.application.reproduction.meta_evaluations import of_level, paper_rows


def plain(metric: str, score: float = 1.0, source: str = "", **subscores: float) -> MetricScores:
    """Scores of one pair."""
    return MetricScores(
        metric=metric,
        higher_is_better=True,
        ids=("p",),
        scores=np.array([score]),
        source=source,
        subscores={name: np.array([value]) for name, value in subscores.items()},
    )


def test_a_row_of_error_counts_stands_beside_a_score_that_is_none() -> None:
    """Lower is better in it, whatever the score's direction."""
    green = plain("green", 0.4, significant=2.0, insignificant=1.0, A=3.0)
    score, count = paper_rows([green], {}, {"GREEN": "GREEN EC"})
    assert (score.metric, score.higher_is_better) == ("GREEN", True)
    assert (count.metric, count.higher_is_better, count.scores.tolist()) == ("GREEN EC", False, [3.0])
    assert [row.metric for row in paper_rows([green], {}, None)] == ["GREEN"]


@pytest.mark.parametrize(
    ("metric", "row"),
    [("rouge", "ROUGE-L"), ("F1-RadGraph", "F1 RadGraph"), ("radgraph_f1", "F1 RadGraph"), ("mine", "mine")],
)
def test_metrics_stand_in_the_papers_rows(metric: str, row: str) -> None:
    """Others keep their name."""
    assert [each.metric for each in paper_rows([plain(metric)], {}, {})] == [row]


def test_a_row_of_scores_that_come_with_the_set_says_so() -> None:
    """Whether or not the metric is scored too."""
    given = [plain(metric, source=DISTRIBUTED) for metric in ("bleu4", "x")]
    rows = [each.metric for each in paper_rows([plain("bleu"), *given], {"bleu4": "BLEU"}, {})]
    assert rows == ["BLEU", "BLEU (distributed with the set)", "x (distributed with the set)"]


def test_a_papers_own_names_come_first() -> None:
    """Two results of one metric are told apart by their file."""
    both = [plain("rouge", source=name) for name in ("a", "b")]
    assert [each.metric for each in paper_rows(both, {"rouge": "ROUGE_L"}, None)] == ["ROUGE_L", "ROUGE_L (b)"]


def test_a_task_is_taken_out_with_its_preferences() -> None:
    """None where there is no pair of it."""
    pairs = tuple(
        AnnotatedPair(
            pair=ReportPair(id=key, reference=Report("a"), candidate=Report("b")),
            study=key,
            ratings={},
            strata={"level": level},
        )
        for key, level in (("s", "sentence"), ("x", "synthetic"), ("y", "synthetic"))
    )
    preference = Preference(id="t", study="x", first="x", second="y", votes=(1.0,))
    benchmark = HumanBenchmark(name="rate-eval", targets=(), raters=("one",), pairs=pairs, preferences=(preference,))
    triads, sentences = of_level(benchmark, "synthetic"), of_level(benchmark, "sentence")
    assert triads is not None
    assert sentences is not None
    assert [pair.pair.id for pair in triads.pairs] == ["x", "y"]
    assert triads.preferences == (preference,)
    assert sentences.preferences == ()
    assert of_level(benchmark, "paragraph") is None
