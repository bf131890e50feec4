"""Scores by pair: what is kept of results, of files and of a set's own scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from attrs import frozen

from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.application.scoring.scores import MetricScores
from overread.application.studies.meta_evaluation.scores import (
    DISTRIBUTED,
    distributed_scores,
    in_table_order,
    score_pairs,
    stored_scores,
    total_counts,
)
from overread.domain.annotation import ProvidedScores
from overread.domain.discrepancy import Discrepancy
from overread.domain.report import ReportPair
from overread.domain.result import Outcome, Scale, Scored, Unscored
from overread.domain.severity import Severity
from overread.domain.taxonomy import ErrorAspect, ErrorCategory

from .trials import by_id, counted, scores

QUALITY = Scale(0.0, 1.0, higher_is_better=True)


@frozen
class Told:
    """A metric that answers p0, p1, ... with what it is told."""

    outcomes: Sequence[Outcome]
    signature_parts: Sequence[tuple[str, str]] = (("part", "1"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [self.outcomes[int(pair.id[1:])] for pair in pairs]


def discrepancy(severity: Severity, category: ErrorCategory | None = ErrorCategory.LOCATION) -> Discrepancy:
    return Discrepancy(
        category=category, aspect=ErrorAspect.LOCATION, type=None, severity=severity, reason="", finding="effusion"
    )


def service(*outcomes: Outcome, name: str = "told") -> EvaluationService:
    return EvaluationService([NamedMetric(name, "1", QUALITY, Told(outcomes))])


def test_scores_subscores_and_reasons_are_kept_by_pair() -> None:
    """With direction and signature; progress counts pairs."""
    outcomes = (Scored(score=0.5, subscores={"recall": 0.25}), Unscored("too long"), Scored(score=1.0))
    done: list[int] = []
    [found] = score_pairs(service(*outcomes), counted(0, 1, 2), on_progress=done.append)
    assert found.scores == {"p0": 0.5, "p2": 1.0}
    assert found.subscores == {"recall": {"p0": 0.25}}
    assert found.unscored == {"p1": "too long"}
    assert found.higher_is_better
    assert found.signature == "told|part:1|version:1"
    assert done == [1, 2, 3]


def test_named_discrepancies_are_counted_by_grade_and_give_a_verdict() -> None:
    """One of each grade in the first pair, an insignificant one in the second, none in the third."""
    grave, slight = discrepancy(Severity.CRITICAL), discrepancy(Severity.INSIGNIFICANT)
    outcomes = [Scored(score=0.5, discrepancies=found) for found in ((grave, slight), (slight,), ())]
    [found] = score_pairs(service(*outcomes), counted(0, 1, 2))
    assert found.counts["total.C"] == by_id(2, 1, 0)
    assert found.counts["significant.C"] == by_id(1, 0, 0)
    assert found.counts["insignificant.C"] == by_id(1, 1, 0)
    assert found.counts["total.A"] == by_id(0, 0, 0)
    assert found.verdicts == {"p0": True, "p1": False, "p2": False}
    assert found.aspects == {"p0": {"Location": 2}, "p1": {"Location": 1}, "p2": {}}


def test_a_metric_that_names_no_discrepancy_gives_no_verdict() -> None:
    """A risk called significant is no verdict."""
    outcomes = [Scored(score=0.5, subscores={"significant": 1.5})] * 2
    [found] = score_pairs(service(*outcomes), counted(0, 1))
    assert found.verdicts == {}
    assert found.aspects == {}


def test_a_metric_s_own_count_decides_over_what_it_can_point_at() -> None:
    """It counts a significant error that it has no place for."""
    outcomes = [
        Scored(score=0.5, subscores={"significant": 1}, discrepancies=(discrepancy(Severity.INSIGNIFICANT),)),
        Scored(score=0.5, subscores={"significant": 0}),
    ]
    [found] = score_pairs(service(*outcomes), counted(0, 1))
    assert found.verdicts == {"p0": True, "p1": False}


def test_counts_of_heads_are_totals() -> None:
    """Unless insignificant ones stand beside them."""
    assert total_counts({"A": by_id(1, 2), "matched": by_id(3, 3)}) == {"total.A": by_id(1, 2)}
    assert total_counts({"A": by_id(1, 2), "insignificant_A": by_id(0, 5)}) == {
        "significant.A": by_id(1, 2),
        "insignificant.A": by_id(0, 5),
        "total.A": by_id(1, 7),
    }


def test_a_file_may_lack_pairs_and_hold_others() -> None:
    """What it lacks is unscored and said so; what the set does not hold is left out."""
    stored = MetricScores(
        metric="notes",
        signature="notes|1",
        higher_is_better=False,
        ids=("p0", "p1", "other"),
        scores=np.array([2.0, np.nan, 3.0]),
        subscores={"A": np.array([1.0, np.nan, 1.0])},
        counts={
            "severity": {"critical": np.array([1, np.nan, 0], np.float32)},
            "aspect": {"Size/Distance": np.array([1, np.nan, 0], np.float32)},
        },
        reasons={"p1": "too long"},
    )
    found = stored_scores(stored, counted(0, 1, 2), source="file")
    assert found.scores == {"p0": 2.0}
    assert found.unscored == {"p1": "too long", "p2": "not in the file"}
    assert found.counts["total.A"]["p0"] == 1.0
    assert found.verdicts["p0"] is True
    assert found.aspects["p0"] == {"Size/Distance": 1}
    assert (found.signature, found.source) == ("notes|1", "file")


def test_scores_of_one_name_are_told_apart_by_where_they_come_from() -> None:
    """The first keeps the name."""
    given = distributed_scores(ProvidedScores(metric="bleu", higher_is_better=True, scores=by_id(1)))
    assert given.source == DISTRIBUTED
    names = [each.metric for each in in_table_order([[scores("bleu", 1)], [given, given]])]
    assert names[:2] == ["bleu", "bleu (distributed with the set)"]
    assert len(set(names)) == 3


@pytest.mark.parametrize("severity", list(Severity))
def test_critical_and_significant_are_one_class(severity: Severity) -> None:
    """As in the rule of discrimination and robustness."""
    outcomes = [Scored(score=0.5, discrepancies=(discrepancy(severity),))]
    [found] = score_pairs(service(*outcomes), counted(0))
    assert found.verdicts["p0"] is (severity is not Severity.INSIGNIFICANT)
