"""Results as data frames: a row for each pair and metric, numbers as numbers, and nothing of a report."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Outcome, Scale, Scored, Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory
from overread.exceptions import InputError
from overread.infrastructure.frames.writing import discrepancy_frame, frame

RISK = Scale(0.0, math.inf, higher_is_better=False)
SHARE = Scale(0.0, 1.0, higher_is_better=True)
FOUND = Discrepancy(
    category=ErrorCategory.FALSE_FINDING,
    aspect=next(iter(ErrorAspect)),
    type=None,
    severity=Severity.SIGNIFICANT,
    reason="actionable",
    finding="pleural_effusion",
    candidate_spans=(Span(3, 9), Span(12, 14)),
    explanation="quotes a report",
    importance=Importance.ACTIONABLE,
    extent=0.5,
)


def result(pair: str, metric: str, outcome: Outcome) -> EvaluationResult:
    scale = RISK if metric == "risk" else SHARE
    return EvaluationResult(
        pair_id=pair, metric=metric, scale=scale, signature=Signature(metric, (("version", "1"),)), outcome=outcome
    )


def of(pair: str, **outcomes: Outcome) -> Mapping[str, EvaluationResult]:
    return {metric: result(pair, metric, outcome) for metric, outcome in outcomes.items()}


RESULTS = [
    of("a", risk=Scored(score=1.5, subscores={"total": 2.0}, discrepancies=(FOUND,)), share=Scored(score=0.25)),
    of("b", risk=Unscored("empty", "both reports are empty"), share=Scored(score=1.0, subscores={"A": 0.0})),
]


def test_tidy_has_a_row_for_each_pair_and_metric() -> None:
    """Numbers are floats, NaN where there are none, reasons text, and the direction stands in each row."""
    made = frame(RESULTS)
    nan = math.nan
    expected = pd.DataFrame(
        {
            "id": ["a", "a", "b", "b"],
            "metric": pd.Series(["risk", "share", "risk", "share"], dtype="string"),
            "score": [1.5, 0.25, nan, 1.0],
            "reason": pd.Series([None, None, "empty", None], dtype="string"),
            "higher_is_better": [False, True, False, True],
            "subscore_total": [2.0, nan, nan, nan],
            "subscore_A": [nan, nan, nan, 0.0],
        }
    )
    pd.testing.assert_frame_equal(made, expected)
    assert made["score"].dtype == np.float64
    assert made.groupby("metric")["score"].mean().to_dict() == {"risk": 1.5, "share": 0.625}


def test_wide_has_a_row_for_each_pair() -> None:
    """Its index is the ids; two pairs of one id stay two."""
    made = frame([*RESULTS, of("a", share=Unscored("bad input"))], wide=True)
    assert made.index.tolist() == ["a", "b", "a"]
    assert made.index.name == "id"
    np.testing.assert_array_equal(made["risk"], [1.5, math.nan, math.nan])
    np.testing.assert_array_equal(made["share"], [0.25, 1.0, math.nan])


@pytest.mark.parametrize("wide", [False, True])
def test_what_the_numbers_mean_goes_with_them(wide: bool) -> None:  # noqa: FBT001 - pytest gives it by name
    """Scale, direction and signature of each metric, as values that a Parquet file can keep."""
    told = frame(RESULTS, wide=wide).attrs
    assert told == {
        "scales": {"risk": "0 to infinity, lower is better", "share": "0 to 1, higher is better"},
        "higher_is_better": {"risk": False, "share": True},
        "signatures": {"risk": "risk|version:1", "share": "share|version:1"},
    }


def test_every_form_of_results_makes_one_frame() -> None:
    """By pair, by id, one by one; of one pair and of one metric."""
    alone = [each for pair in RESULTS for each in pair.values()]
    for form in (iter(RESULTS), {"a": RESULTS[0], "b": RESULTS[1]}, alone, (each for each in alone)):
        pd.testing.assert_frame_equal(frame(form), frame(RESULTS))
    assert frame(RESULTS[0])["metric"].tolist() == ["risk", "share"]
    assert frame(alone[0])["score"].tolist() == [1.5]


def test_no_results_make_an_empty_frame_of_the_same_columns() -> None:
    """What is done with it needs no special case."""
    made = frame([])
    assert made.columns.tolist() == ["id", "metric", "score", "reason", "higher_is_better"]
    assert (len(made), made["score"].dtype, made["higher_is_better"].dtype) == (0, np.float64, np.bool_)
    assert frame([], wide=True).shape == (0, 0)
    assert len(discrepancy_frame([])) == 0


def test_what_is_no_result_is_told() -> None:
    """And not made a row of."""
    with pytest.raises(InputError, match="holds int, not results"):
        frame([5])
    with pytest.raises(InputError, match="holds dict, not results"):
        frame([{"score": 1}])


def test_discrepancies_make_a_frame_of_their_own() -> None:
    """A row for each, with offsets in place of words: what a judge says in its own is left out."""
    made = discrepancy_frame(RESULTS)
    [row] = made.to_dict("records")
    assert row == {
        "id": "a",
        "metric": "risk",
        "category": "A",
        "severity": "significant",
        "importance": "actionable",
        "weight": FOUND.weight,
        "probability": 1.0,
        "finding": "pleural_effusion",
        "side": "",
        "reason": "actionable",
        "reference_spans": [],
        "candidate_spans": [(3, 9), (12, 14)],
    }
