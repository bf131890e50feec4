"""Scores by pair: what is kept of results, of files and of a set's own scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from attrs import frozen

from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.application.scoring.score_collection import score_pairs
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import Outcome, Scale, Scored, Unscored
from overread.domain.results.scores import DISTRIBUTED, MetricScores
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory
from overread.studies.application.meta_evaluation.counted_errors import in_table_order, predicted_counts

from .invented import column, scores

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


def scored(*outcomes: Outcome) -> MetricScores:
    [found] = score_pairs(service(*outcomes), pairs(len(outcomes)))
    return found


def pairs(count: int) -> list[ReportPair]:
    return [ReportPair(id=f"p{number}", reference="Clear lungs.", candidate="Clear.") for number in range(count)]


def test_scores_subscores_and_reasons_are_kept_by_pair() -> None:
    """With direction and signature; progress counts pairs."""
    outcomes = (Scored(score=0.5, subscores={"recall": 0.25}), Unscored("too long"), Scored(score=1.0))
    done: list[int] = []
    [found] = score_pairs(service(*outcomes), pairs(3), on_progress=done.append)
    assert found.score_by_id() == {"p0": 0.5, "p2": 1.0}
    assert found.subscore_by_id("recall") == {"p0": 0.25}
    assert found.reasons == {"p1": "too long"}
    assert found.higher_is_better
    assert found.signature == "told|part:1|version:1"
    assert done == [1, 2, 3]


def test_named_discrepancies_are_counted_by_grade_and_give_a_verdict() -> None:
    """One of each grade in the first pair, an insignificant one in the second, none in the third."""
    grave, slight = discrepancy(Severity.CRITICAL), discrepancy(Severity.INSIGNIFICANT)
    found = scored(*(Scored(score=0.5, discrepancies=named) for named in ((grave, slight), (slight,), ())))
    counts = {name: values.tolist() for name, values in predicted_counts(found).items()}
    assert counts["total.C"] == [2, 1, 0]
    assert counts["significant.C"] == [1, 0, 0]
    assert counts["insignificant.C"] == [1, 1, 0]
    assert counts["total.A"] == [0, 0, 0]
    assert verdicts(found) == [1, 0, 0]
    assert {name: noted.tolist() for name, noted in found.counts["aspect"].items()} == {"Location": [2, 1, 0]}


def verdicts(scores: MetricScores) -> list[float] | None:
    return None if scores.verdicts is None else scores.verdicts.tolist()


def test_a_metric_that_names_no_discrepancy_gives_no_verdict() -> None:
    """A risk called significant is no verdict."""
    found = scored(*[Scored(score=0.5, subscores={"significant": 1.5})] * 2)
    assert verdicts(found) is None
    assert found.counts["aspect"] == {}


def test_a_metric_s_own_count_decides_over_what_it_can_point_at() -> None:
    """It counts a significant error that it has no place for."""
    found = scored(
        Scored(score=0.5, subscores={"significant": 1}, discrepancies=(discrepancy(Severity.INSIGNIFICANT),)),
        Scored(score=0.5, subscores={"significant": 0}),
    )
    assert verdicts(found) == [1, 0]


def test_counts_of_heads_are_totals() -> None:
    """Unless insignificant ones stand beside them."""

    def counts(**subscores: object) -> dict[str, list[float]]:
        found = predicted_counts(scores("heads", 0, 0, subscores=subscores))
        return {name: values.tolist() for name, values in found.items()}

    assert counts(A=column(1, 2), matched=column(3, 3)) == {"total.A": [1, 2]}
    assert counts(A=column(1, 2), insignificant_A=column(0, 5)) == {
        "significant.A": [1, 2],
        "insignificant.A": [0, 5],
        "total.A": [1, 7],
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
        counts={"aspect": {"Size/Distance": np.array([1, np.nan, 0], np.float32)}},
        verdicts=np.array([1, np.nan, 0.0]),
        reasons={"p1": "too long"},
    )
    found = stored.over(("p0", "p1", "p2"), absent="not in the file")
    assert found.score_by_id() == {"p0": 2.0}
    assert found.unscored == {"too long": 1, "not in the file": 1}
    assert predicted_counts(found)["total.A"][0] == 1.0
    np.testing.assert_array_equal(found.verdicts, [1, np.nan, np.nan])  # type: ignore[arg-type]
    np.testing.assert_array_equal(found.counts["aspect"]["Size/Distance"], [1, np.nan, np.nan])
    assert found.signature == "notes|1"


def test_scores_of_one_name_are_told_apart_by_where_they_come_from() -> None:
    """The first keeps the name."""
    given = MetricScores.distributed("bleu", {"p0": 1.0}, higher_is_better=True)
    assert given.source == DISTRIBUTED
    names = [each.metric for each in in_table_order([[scores("bleu", 1)], [given, given]])]
    assert names[:2] == ["bleu", "bleu (distributed with the set)"]
    assert len(set(names)) == 3


def test_scores_are_equal_by_what_they_hold() -> None:
    """NaN equals NaN; another number, name or kind of count does not."""
    one = scores("a", 1, None, subscores={"A": column(1, None)}, verdicts={"p0": True})
    assert one == scores("a", 1, None, subscores={"A": column(1, None)}, verdicts={"p0": True})
    assert one != scores("a", 1, None, subscores={"A": column(2, None)}, verdicts={"p0": True})
    assert one != scores("a", 1, None, subscores={"B": column(1, None)}, verdicts={"p0": True})
    assert one != scores("a", 1, None, subscores={"A": column(1, None)})


@pytest.mark.parametrize("severity", list(Severity))
def test_critical_and_significant_are_one_class(severity: Severity) -> None:
    """As in the rule of discrimination and robustness."""
    found = scored(Scored(score=0.5, discrepancies=(discrepancy(severity),)))
    assert verdicts(found) == [severity is not Severity.INSIGNIFICANT]
