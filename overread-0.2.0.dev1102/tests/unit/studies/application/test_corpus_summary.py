"""The figures of a corpus with their intervals, over counts that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Table, Tabulation
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison import PairFacts, Source
from overread.studies.application.corpus_summary import summarise_results

_NONE = {"A": 0.0, "significant": 0.0, "actionable": 0.0}
_FULL = {"reference_actionable": 2.0, "reference_stated": 2.0, "candidate_actionable": 2.0, "candidate_borne_out": 2.0}


def held(metric: str, rows: list[dict[str, float] | None]) -> MetricScores:
    """Scores of pairs p0, p1 ...; None is unscored."""
    names = dict.fromkeys(name for row in rows if row for name in row)
    nan = float("nan")
    return MetricScores(
        metric=metric,
        higher_is_better=True,
        ids=tuple(f"p{n}" for n in range(len(rows))),
        scores=np.array([nan if row is None else 0.5 for row in rows]),
        signature=f"{metric}|version:1",
        subscores={name: np.array([nan if row is None else row.get(name, nan) for row in rows]) for name in names},
        reasons={f"p{n}": "empty" for n, row in enumerate(rows) if row is None},
    )


def notation(*rows: tuple[int, int, int, int, int, int] | None) -> MetricScores:
    """By pair: significant errors, actionable ones, and the four counts of findings."""
    names = ("significant", "actionable", *_FULL)
    return held("notation", [row and {"A": 0.0, **dict(zip(names, map(float, row), strict=True))} for row in rows])


def summarised(*metrics: MetricScores, studies: dict[str, str] | None = None, **options: Any) -> Tabulation:
    source = Source(name="mine", metrics={each.metric: each for each in metrics})
    return summarise_results(source, PairFacts(studies=studies or {}), **{"draws": 500, **options})


def figures(table: Table) -> dict[object, tuple[object, ...]]:
    return {row[1]: (row[2].value if isinstance(row[2], Estimate) else None, *row[3:5]) for row in table.rows}


def test_each_figure_says_of_how_many() -> None:
    """Two reports and one without a score: sums over the two, and the third in the table of the unscored."""
    found = summarised(notation((1, 1, 3, 2, 2, 1), None, (0, 0, 1, 1, 2, 2)))
    assert figures(found.table("figures")) == {
        "actionable errors a report": (0.5, 1, 2),
        "actionable findings stated": (0.75, 3, 4),
        "actionable findings borne out": (0.75, 3, 4),
        "reports without a significant error": (0.5, 1, 2),
    }
    assert found.table("means").rows[0][:3] == ("notation", 2, 1)
    assert found.table("unscored").rows == (("notation", "empty", 1),)


def test_intervals_go_by_study_where_studies_are_known() -> None:
    """Four pairs of one study leave nothing to draw, and have no interval; as pairs of their own they have one."""
    rows = [(1, 1, 1, 0, 1, 0), (0, 0, 1, 1, 1, 1)] * 2
    by_pair = summarised(notation(*rows))
    one = summarised(notation(*rows), studies=dict.fromkeys(("p0", "p1", "p2", "p3"), "s"))
    [pairs, study] = (found.table("figures").rows[0][2] for found in (by_pair, one))
    assert isinstance(pairs, Estimate)
    assert isinstance(study, Estimate)
    assert (study.low, study.value, study.high) == (None, 0.5, None)
    assert pairs.low is not None
    assert pairs.high is not None
    assert pairs.low < 0.5 < pairs.high
    assert by_pair.facts["intervals"] == "95 %, by pair"
    assert any("column study" in note for note in by_pair.notes)
    assert (one.facts["intervals"], one.facts["studies"], one.notes) == ("95 %, by study", 1, ())


def test_a_quotient_of_nothing_is_a_dash() -> None:
    """No finding asks for action: the figure has no value, and its row stays."""
    found = summarised(notation((0, 0, 0, 0, 0, 0)))
    assert figures(found.table("figures"))["actionable findings stated"] == (None, 0, 0)


def test_metrics_that_only_count_errors_tell_the_share_without_one() -> None:
    """GREEN and judges know what is significant, and not what asks for action."""
    found = summarised(held("green", [{"A": 1.0, "significant": 1.0}, {"A": 0.0, "significant": 0.0}]))
    assert figures(found.table("figures")) == {"reports without a significant error": (0.5, 1, 2)}


def test_corpus_bleu_stands_beside_the_mean() -> None:
    """From the summed counts: precision 9/10 of 1-grams, no penalty."""
    rows = [
        {"matches_1": 8.0, "ngrams_1": 8.0, "candidate_words": 8.0, "reference_words": 8.0},
        {"matches_1": 1.0, "ngrams_1": 2.0, "candidate_words": 2.0, "reference_words": 2.0},
    ]
    table = summarised(held("bleu", [*rows, None])).table("figures")
    assert figures(table)["corpus-level BLEU"] == (pytest.approx(0.9), None, None)
    estimate = table.rows[0][2]
    assert isinstance(estimate, Estimate)
    assert [estimate.low, estimate.high] == pytest.approx([0.5, 1.0])


def test_a_metric_without_figures_has_its_mean_alone() -> None:
    """No table of figures is shown for it, and no word of studies is lost."""
    found = summarised(held("rouge", [{"precision": 0.5}, {"precision": 0.7}]))
    assert [table.name for table in found.tables] == ["means"]


def test_results_of_before_say_what_they_lack() -> None:
    """They have no count of what asks for action; the other figure is there."""
    found = summarised(held("notation", [{"A": 0.0, "significant": 0.0}]))
    assert list(figures(found.table("figures"))) == ["reports without a significant error"]
    assert any("score the pairs again" in note for note in found.notes)


def test_a_metric_that_is_not_there_is_named() -> None:
    """With those that are."""
    with pytest.raises(ConfigurationError, match="crepe: not in mine, which holds notation"):
        summarised(notation((0, 0, 0, 0, 0, 0)), metrics=["crepe"])
