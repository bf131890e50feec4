"""Tables in which our figures stand beside a paper's."""

from __future__ import annotations

import pytest

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell
from overread.studies.application.reproduction.published import PublishedTable, beside

PRINTED = PublishedTable(
    number="III",
    title="Table III: correlations",
    head="System",
    columns={"total": "Total", "significant": "Sig."},
    rows={"BLEU": (0.1, 0.2), "GREEN": (0.3, None)},
)


def test_each_figure_has_ours_and_the_papers_column() -> None:
    """Rows keep the paper's order; what we do not have is a dash, and rows that only we have come last."""
    ours: dict[str, dict[str, Cell]] = {"more": {"total": 0.9}, "BLEU": {"total": Estimate(0.15, 0.1, 0.2)}}
    table = beside(PRINTED, ours, name="table-iii")
    assert [column.name for column in table.columns] == [
        "row",
        "total",
        "total_paper",
        "significant",
        "significant_paper",
    ]
    assert [column.title for column in table.columns] == ["System", "Total", "paper", "Sig.", "paper"]
    assert table.rows == (
        ("BLEU", Estimate(0.15, 0.1, 0.2), 0.1, None, 0.2),
        ("GREEN", None, 0.3, None, None),
        ("more", 0.9, None, None, None),
    )


def test_scores_that_come_with_a_set_stand_beside_the_papers_row() -> None:
    """After ours, or in its place."""
    ours: dict[str, dict[str, Cell]] = {
        "GREEN (distributed with the set)": {"total": 0.5},
        "BLEU (distributed with the set)": {"total": 0.2},
        "BLEU": {"total": 0.15},
        "x (distributed with the set)": {"total": 0.9},
    }
    assert beside(PRINTED, ours, name="t", only=["total"]).rows == (
        ("BLEU", 0.15, 0.1),
        ("BLEU (distributed with the set)", 0.2, 0.1),
        ("GREEN (distributed with the set)", 0.5, 0.3),
        ("x (distributed with the set)", 0.9, None),
    )


def test_the_note_says_why_figures_of_ours_are_missing() -> None:
    """Rows with one reason are named together, after what the figures are."""
    missing = {"BLEU": "no scores were given", "GREEN": "no scores were given"}
    table = beside(PRINTED, {}, name="table-iii", note="Of ranks.", missing=missing)
    assert table.note == "Of ranks. No figure of ours for BLEU, GREEN: no scores were given."


def test_some_columns_can_be_shown_with_digits_of_their_own() -> None:
    """A column that is left out is left out on both sides."""
    table = beside(PRINTED, {}, name="t", only=["significant"], digits={"significant": 1})
    assert [(column.name, column.digits) for column in table.columns[1:]] == [
        ("significant", 1),
        ("significant_paper", 1),
    ]


def test_an_unknown_column_is_a_mistake_and_an_unknown_row_is_not() -> None:
    """A row that the paper does not have has no figure."""
    assert PRINTED.figure("ours alone", "total") is None
    with pytest.raises(KeyError):
        PRINTED.figure("BLEU", "kendall")
