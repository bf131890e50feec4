"""Precision, recall and F1 by row."""

from __future__ import annotations

import pytest

from overread.studies.application.reader_checks._drafts import Draft, class_lines, finish_check

from .labelled import lines


def test_precision_recall_and_f1_of_a_class() -> None:
    """Three labelled, two read, one of them right; what could not be read is in no class."""
    labels = ["a", "a", "a", "b", "b"]
    readings = ["a", "b", None, "a", "b"]
    classes = class_lines(labels, readings, ("a", "b"))
    assert lines(finish_check("check", "told", [Draft("classes", "rows", classes)], 5), "classes")["a"] == {
        "name": "a",
        "count": 3,
        "precision": 1 / 2,
        "recall": pytest.approx(1 / 3),
        "F1": pytest.approx(2 / 5),
    }


def test_rows_left_out_count_nowhere() -> None:
    """A mask takes rows out of labels and readings alike."""
    classes = class_lines(["a", "a", "b"], ["a", "b", "a"], ("a",), [True, False, False])
    found = lines(finish_check("check", "told", [Draft("classes", "rows", classes)], 3), "classes")["a"]
    assert (found["count"], found["precision"], found["recall"]) == (1, 1.0, 1.0)
