"""Plots laid out: what stands where, and what is told of it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TypeVar

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Curve, Forest, ForestRow, HeatMap, Plot
from overread.infrastructure.views.web.palette import SERIES
from overread.infrastructure.views.web.plots import Drawing, draw
from overread.infrastructure.views.web.plots._curves import CurvesDrawing
from overread.infrastructure.views.web.plots._flows import FlowsDrawing
from overread.infrastructure.views.web.plots._forest import ForestDrawing
from overread.infrastructure.views.web.plots._matrix import MatrixDrawing
from overread.infrastructure.views.web.plots._parts import Axis, path, series, symbol
from overread.infrastructure.views.web.plots._scatter import ScatterDrawing, regression

from .studied import CURVES, FLOWS, FOREST, HEAT, HOSTILE, PLOTS, SCATTER

_Kind = TypeVar("_Kind", bound=Drawing)


def drawn(plot: Plot, kind: type[_Kind], scatters: int = 1) -> _Kind:
    drawing = draw(plot, scatters=scatters)
    assert isinstance(drawing, kind)
    return drawing


def test_the_regression_is_least_squares_with_its_confidence_band() -> None:
    """Slope, intercept and the band at the mean and the ends, against scipy's linregress and the t of a table."""
    stats = pytest.importorskip("scipy.stats")
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0], [2.1, 3.9, 6.2, 7.8, 10.1]
    fit, known = regression(x, y), stats.linregress(x, y)
    assert fit is not None
    assert (fit.slope, fit.intercept) == pytest.approx((known.slope, known.intercept))
    # The standard error of the intercept is that of the line at 0; Student's t of 3 degrees of freedom is 3.182.
    moved = regression([0.0, 1.0, 2.0, 3.0, 4.0], y)
    assert moved is not None
    at_zero = stats.linregress([0.0, 1.0, 2.0, 3.0, 4.0], y).intercept_stderr
    assert moved.high[0] - moved.y[0] == pytest.approx(3.182 * at_zero, rel=1e-3)
    assert moved.y[0] - moved.low[0] == pytest.approx(moved.high[0] - moved.y[0])


@pytest.mark.parametrize(("x", "y"), [([1.0, 2.0], [1.0, 2.0]), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]), ([], [])])
def test_too_few_or_equal_scores_have_no_line(x: list[float], y: list[float]) -> None:
    """Two points leave the band open, and equal scores the slope."""
    assert regression(x, y) is None


def test_a_scatter_has_its_points_line_and_band() -> None:
    """A point that is no number is left out, here and in the line; places are in percent from the top left."""
    drawing = drawn(SCATTER, ScatterDrawing)
    assert len(drawing.named) == 4
    assert [dot.x for dot in drawing.named] == sorted(dot.x for dot in drawing.named)
    assert [dot.y for dot in drawing.named] == sorted((dot.y for dot in drawing.named), reverse=True)
    assert drawing.named[0].title == "</script><b>s1</b>\ufffd[31m: 0.000, 1.000"
    # By hand: S = 5, sum of products 5.5, so that the slope is 1.1 and the line passes through (1.5, 2.5).
    assert "y = 0.85 + 1.1 x" in drawing.words
    assert drawing.line.count("L") == 1
    assert drawing.band.endswith("Z")
    first, last = (tuple(map(int, spot.split())) for spot in drawing.line[1:].split("L"))
    assert first[0] == round(10 * drawing.x.place(0.0))
    assert last[1] == pytest.approx(1000 - 10 * drawing.y.place(4.15), abs=1)


def test_of_very_many_points_some_are_drawn_and_all_fitted() -> None:
    """A page stays quick to open, and its words tell how many points it leaves out; plots of one page share them."""
    rng = np.random.default_rng(0)
    points = tuple((float(x), float(2 * x + rng.normal()), HOSTILE) for x in range(20_000))
    drawing = drawn(evolve(SCATTER, points=points), ScatterDrawing)
    assert drawing.named == ()
    assert 900 < drawing.dots.count("M") <= 12_000
    assert "20,000 points, 12,000 of them drawn" in drawing.words
    assert "20,000 points, 500 of them drawn" in draw(evolve(SCATTER, points=points), scatters=24).words


def test_points_of_one_place_are_one_dot() -> None:
    """A path draws them on one another, where they are seen as one."""
    points = tuple((float(i % 2), float(i % 3), str(i)) for i in range(2_000))
    assert drawn(evolve(SCATTER, points=points), ScatterDrawing).dots.count("M") == 6


def test_a_forest_of_shares_is_in_percent() -> None:
    """Estimates, intervals and ticks alike; places are those of the shares."""
    rows = (ForestRow("a", Estimate(0.806, 0.75, 0.85)), ForestRow("b", Estimate(0.6)))
    share = drawn(evolve(FOREST, rows=rows, reference=None), ForestDrawing)
    percent = drawn(evolve(FOREST, rows=rows, reference=None, percent=True), ForestDrawing)
    assert [line.words for group in percent.groups for line in group.lines] == ["81 % [75, 85]", "60 %"]
    assert [tick.place for tick in percent.x.ticks] == [tick.place for tick in share.x.ticks]
    assert [tick.label for tick in percent.x.ticks] == ["60 %", "65 %", "70 %", "75 %", "80 %", "85 %"]


def test_a_forest_has_a_row_an_estimate_under_its_group() -> None:
    """Groups stand together in the order they are met; what cannot be told has its name and a dash."""
    drawing = drawn(FOREST, ForestDrawing)
    assert [(group.name, [line.label.split()[0] for line in group.lines]) for group in drawing.groups] == [
        ("total", ["radot", "rouge", "constant"]),
        ("significant", ["bleu"]),
    ]
    total, significant = drawing.groups
    assert [line.words for line in total.lines] == ["0.300 [0.100, 0.600]", "0.250", "\u2212"]
    assert [line.words for line in significant.lines] == ["\u22120.200 [\u22120.500, 0.500]"]
    first, second, none = total.lines
    assert (first.low, first.value, first.high) == tuple(map(drawing.x.place, (0.1, 0.3, 0.6)))
    assert (second.low, second.value, second.high) == (None, drawing.x.place(0.25), None)
    assert (none.low, none.value, none.high) == (None, None, None)
    assert total.symbol != significant.symbol
    assert drawing.reference == drawing.x.place(0.0)


def test_the_line_that_estimates_are_held_against_is_on_the_axis() -> None:
    """Also where all estimates lie on one side of it."""
    plot = evolve(FOREST, rows=(ForestRow("radot", Estimate(0.8, 0.75, 0.85)),))
    drawing = drawn(plot, ForestDrawing)
    assert drawing.reference is not None
    assert 0 <= drawing.reference <= 100


def test_a_heat_map_has_its_words_and_leaves_cells_empty() -> None:
    """A cell without a figure stays empty instead of taking the colour of zero."""
    drawing = drawn(HEAT, MatrixDrawing)
    cells = [[(cell.words, cell.end, cell.share) for cell in row] for _, row in drawing.rows]
    assert cells == [
        [("", "", 0.0), ("0.250\np 0.01", "high", 25.0)],
        [("\u22120.250\np 0.01", "low", 25.0), ("", "", 0.0)],
    ]
    assert drawing.ends == ("\u22121", "1")


@pytest.mark.parametrize(
    ("low", "high", "value", "end", "share"),
    [
        (-1.0, 3.0, 1.5, "high", 50.0),
        (-1.0, 3.0, -0.5, "low", 50.0),
        (0.0, 1.0, 0.0, "high", 0.0),
        (-2.0, 0.0, -2.0, "low", 100.0),
        (-1.0, 1.0, 9.0, "high", 100.0),
    ],
)
def test_the_colour_of_a_heat_map_is_neutral_at_zero(
    low: float, high: float, value: float, end: str, share: float
) -> None:
    """Zero has the colour of the page whether the scale lies on both sides of it or on one."""
    plot: HeatMap = evolve(HEAT, rows=("a",), columns=("b",), values=((value,),), words=(), low=low, high=high)
    cell = drawn(plot, MatrixDrawing).rows[0][1][0]
    assert (cell.end, cell.share) == (end, share)


def test_curves_mark_their_points_on_a_square_with_its_diagonal() -> None:
    """Curves differ in dashes and markers, not in colour alone; without a square there is no diagonal."""
    drawing = drawn(CURVES, CurvesDrawing)
    radot, bleu = drawing.lines
    assert radot.marked is not None
    assert (radot.marked.x, radot.marked.y) == (drawing.x.place(0.6), round(100 - drawing.y.place(0.7), 2))
    assert bleu.marked is None
    assert radot.dash != bleu.dash
    assert radot.symbol != bleu.symbol
    assert [len(line.spots) for line in drawing.lines] == [3, 2]
    assert drawing.square
    assert (drawing.x.low, drawing.x.high) == (drawing.y.low, drawing.y.high)
    assert not drawn(evolve(CURVES, square=False), CurvesDrawing).square


def test_a_curve_of_many_points_is_a_line_without_markers() -> None:
    """A staircase of thousands of steps takes no more of a page than a screen can show."""
    many = Curve(label="many", points=tuple((i / 5000, 1 - i / 5000) for i in range(5001)))
    [line] = drawn(evolve(CURVES, curves=(many,)), CurvesDrawing).lines
    assert line.spots == ()
    assert len(line.path) < 10_000


def test_a_verdict_without_a_line_is_a_marked_point() -> None:
    """It has its place in the legend, as every curve has."""
    verdict = Curve(label="verdict", points=(), marked=(0.4, 0.9))
    drawing = drawn(evolve(CURVES, curves=(*CURVES.curves, verdict)), CurvesDrawing)
    assert [line.label for line in drawing.lines] == ["radot", "bleu", "verdict"]
    assert drawing.lines[2].path == ""
    assert drawing.lines[2].marked is not None


def test_flows_keep_both_sides_apart() -> None:
    """What is on the left and what it became are two nodes, with one colour where they have one name."""
    drawing = drawn(FLOWS, FlowsDrawing)
    assert [node.words for node in drawing.sources] == ["omission (49)", "location (2)"]
    assert [node.words for node in drawing.targets] == ["omission (40)", "nothing (11)"]
    assert drawing.sources[0].series == drawing.targets[0].series
    assert drawing.ribbons[0].title == "omission to omission: 40"
    heights = [node.height for node in drawing.sources]
    assert heights[0] / heights[1] == pytest.approx(49 / 2, rel=0.01)


def test_nodes_of_flows_keep_room_for_their_words() -> None:
    """However small a node is, its words do not lie on those of the next."""
    for nodes in (drawn(FLOWS, FlowsDrawing).sources, drawn(FLOWS, FlowsDrawing).targets):
        height = drawn(FLOWS, FlowsDrawing).height
        middles = [node.middle * height / 100 for node in nodes]
        assert all(b - a >= 34 for a, b in pairwise(middles))


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: type(plot).__name__)
def test_every_plot_is_told_in_words_and_its_figures_can_be_read(plot: Plot) -> None:
    """Who cannot see a plot is told what it shows; a forest and a heat map hold their figures, a scatter too many."""
    drawing = draw(plot)
    assert len(drawing.words) > 20
    assert (drawing.table is None) == (plot in (SCATTER, FOREST, HEAT))


def test_empty_plots_are_drawn_empty() -> None:
    """A study with nothing to plot has plots all the same."""
    empty = (
        evolve(SCATTER, points=()),
        Forest(name="f", title="f", x_title="x", rows=()),
        HeatMap(name="h", title="h", rows=(), columns=(), values=()),
        evolve(CURVES, curves=()),
        evolve(FLOWS, flows=()),
    )
    for plot in empty:
        assert draw(plot).words


def test_series_differ_in_more_than_colour() -> None:
    """Twelve series are told apart by colour and marker together."""
    assert len({(series(index), symbol(index)) for index in range(2 * len(SERIES))}) == 2 * len(SERIES)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_an_axis_holds_its_values_and_few_round_ticks(values: list[float]) -> None:
    """Between two and nine, none outside, in order."""
    axis = Axis.over("x", values)
    assert all(0 <= axis.place(value) <= 100 for value in values)
    places = [tick.place for tick in axis.ticks]
    assert places == sorted(places)
    assert all(0 <= place <= 100 for place in places)
    assert 2 <= len(places) <= 9
    assert len({tick.label for tick in axis.ticks}) == len(places)


def test_ticks_stand_at_round_numbers() -> None:
    """As a person would write them."""
    assert [tick.label for tick in Axis.over("x", [], bounds=(-0.02, 1.02)).ticks] == [
        "0.0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1.0",
    ]
    assert [tick.label for tick in Axis.over("x", [], bounds=(-5, 21)).ticks] == ["\u22125", "0", "5", "10", "15", "20"]


def test_a_path_is_written_with_as_few_points_as_it_needs() -> None:
    """Points on one straight line, or at one place, are left out; a turn back is kept."""
    x = y = Axis.over("x", [], bounds=(0.0, 1.0))
    assert path([(0, 0), (0.25, 0.25), (0.5, 0.5), (0.5, 0.5), (1, 0)], x, y) == "M0 1000L500 500L1000 1000"
    assert path([(0, 0), (1, 0), (0.5, 0)], x, y) == "M0 1000L1000 1000L500 1000"
    assert re.fullmatch(r"M[\d L]+Z", path([(0, 0), (1, 0), (1, 1)], x, y, closed=True))
