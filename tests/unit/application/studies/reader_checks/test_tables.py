"""Precision, recall and F1 by row."""

from __future__ import annotations

import pytest

from overread.application.studies.reader_checks._tables import Draft, class_lines, tables


def test_precision_recall_and_f1_of_a_class() -> None:
    """Three labelled, two read, one of them right; what could not be read is in no class."""
    labels = ["a", "a", "a", "b", "b"]
    readings = ["a", "b", None, "a", "b"]
    (table,) = tables([Draft("classes", "rows", class_lines(labels, readings, ("a", "b")))], 5)
    a = table.line("a")
    assert a.count == 3
    assert a.figures["precision"].value == 1 / 2
    assert a.figures["recall"].value == pytest.approx(1 / 3)
    assert a.figures["F1"].value == pytest.approx(2 / 5)
    with pytest.raises(KeyError):
        table.line("c")


def test_rows_left_out_count_nowhere() -> None:
    """A mask takes rows out of labels and readings alike."""
    lines = class_lines(["a", "a", "b"], ["a", "b", "a"], ("a",), [True, False, False])
    (table,) = tables([Draft("classes", "rows", lines)], 3)
    assert table.line("a").count == 1
    assert table.line("a").figures["precision"].value == 1.0
    assert table.line("a").figures["recall"].value == 1.0
