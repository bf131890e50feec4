"""Figures of papers, as they are kept."""

from __future__ import annotations

import pytest

from overread.application.statistics import Estimate
from overread.exceptions import ConfigurationError
from overread.studies.infrastructure.datasets.published import PAPERS, read_published


@pytest.mark.parametrize(
    ("table", "row", "column", "printed"),
    [
        ("I", "ReXVal and RadEvalX", "units", 1960),
        ("III", "RadOT-Eval", "total", 0.715),
        ("III", "CheXbert", "significant", 0.413),
        ("III", "GREEN native count", "insignificant", None),
        ("section-VI-A", "Total", "spearman", Estimate(0.715, 0.594, 0.803)),
        ("IV", "RadOT-Eval", "enrichment", 1.452),
        ("IV-rexerr", "RadOT-Eval", "win_rate", 0.990),
        ("V", "Partial OT variant", "insignificant", 0.453),
        ("VI", "No diffuse features", "features", 49),
        ("VII", "25% unit dropout", "insignificant", 0.264),
        ("VIII", "insignificant.F", "feature", "comparison_top3_mean"),
        ("X", "polarity-heavy, 0.20", "macro", 0.846),
        ("X-radevalx", "Insignificant", "rmse", 5.274),
        ("XI", "Significant: CheXbert", "difference", Estimate(0.135, -0.064, 0.326)),
    ],
)
def test_figures_of_radot_eval_are_those_printed(table: str, row: str, column: str, printed: object) -> None:
    """One or two of each table, compared with the paper by eye."""
    assert read_published("radot").tables[table].figure(row, column) == printed


def test_differences_printed_are_those_of_the_correlations_printed() -> None:
    """Table XI's differences are Table III's RadOT-Eval less the metric, up to the rounding of both."""
    paper = read_published("radot")
    third, eleventh = paper.tables["III"], paper.tables["XI"]
    for row in eleventh.rows:
        target, metric = row.split(": ")
        column = {"Total": "total", "Significant": "significant", "Insignificant": "insignificant"}[target]
        ours, theirs = third.figure("RadOT-Eval", column), third.figure(metric, column)
        difference = eleventh.figure(row, "difference")
        assert isinstance(ours, float)
        assert isinstance(theirs, float)
        assert isinstance(difference, Estimate)
        assert difference.value == pytest.approx(ours - theirs, abs=0.0016)
        assert eleventh.figure(row, "comparator") == theirs


def test_macros_printed_are_means_over_the_targets() -> None:
    """Of Tables V and VI, up to rounding: a figure in the wrong column would show."""
    paper = read_published("radot")
    for number in ("V", "VI"):
        table = paper.tables[number]
        for row in table.rows:
            figures = [table.figure(row, column) for column in ("total", "significant", "insignificant")]
            assert sum(figures) / 3 == pytest.approx(table.figure(row, "macro"), abs=0.0011)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", PAPERS)
def test_every_paper_says_what_it_is(key: str) -> None:
    """Its name and source, and a title of each table."""
    paper = read_published(key)
    assert paper.name
    assert paper.source
    assert all(table.title and table.rows for table in paper.tables.values())


def test_an_unknown_paper_is_refused() -> None:
    """With those that there are."""
    with pytest.raises(ConfigurationError, match=r"unknown paper 'bleu'; choose from .*radot"):
        read_published("bleu")
