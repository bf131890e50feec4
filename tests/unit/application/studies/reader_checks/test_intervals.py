"""Shares with their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from overread.application.studies.reader_checks._intervals import figures
from overread.application.studies.reader_checks._tables import Draft, class_lines, tables


def test_a_share_lies_in_an_interval_of_the_binomial_width() -> None:
    """Of 400 rows 300 are right: the interval is that of a proportion, give or take resampling noise."""
    right = np.array([1.0] * 300 + [0.0] * 100)
    (figure,) = figures([(right, np.ones(400))], 400)
    half = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert figure.value == 0.75
    assert figure.low == pytest.approx(0.75 - half, abs=0.01)
    assert figure.high == pytest.approx(0.75 + half, abs=0.01)


def test_rows_are_drawn_whole() -> None:
    """Items of one report rise and fall together, so few large rows give a wider interval than many small ones."""
    many = figures([(np.tile([1.0, 0.0], 200), np.ones(400))], 400)[0]
    few = figures([(np.tile([100.0, 0.0], 2), np.full(4, 100.0))], 4)[0]
    assert many.value == few.value == 0.5
    assert many.low is not None
    assert few.low is not None
    assert few.low < many.low


def test_the_same_data_give_the_same_interval_and_another_seed_another() -> None:
    """Draws are seeded; blocks of draws are as one."""
    right = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    fraction = (right, np.ones(7))
    assert figures([fraction], 7) == figures([fraction], 7)
    assert figures([fraction, fraction], 7)[1] == figures([fraction], 7)[0]
    assert figures([fraction], 7, seed=1, resamples=50) != figures([fraction], 7, seed=2, resamples=50)


def test_nothing_to_count_has_no_value() -> None:
    """Neither an empty denominator nor an empty file is a zero."""
    nothing, empty = figures([(np.zeros(3), np.zeros(3))], 3)[0], figures([(np.zeros(0), np.zeros(0))], 0)[0]
    assert (nothing.value, nothing.low, nothing.high) == (None, None, None)
    assert empty.value is None


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
