"""Plots as plotly.js draws them."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from overread.application.statistics import Estimate
from overread.application.studies.tabulation import Curve, Forest, ForestRow, HeatMap, Plot
from overread.infrastructure.views import web
from overread.infrastructure.views.web.plots import SERIES, draw
from overread.infrastructure.views.web.plots._parts import colour, symbol
from overread.infrastructure.views.web.plots._scatter import regression

from .studied import CURVES, FLOWS, FOREST, HEAT, HOSTILE, PLOTS, SCATTER


def coloured(value: Any, key: str = "") -> Any:
    """A figure with a colour for each name of one, as the page's script makes it."""
    if isinstance(value, dict):
        return {name: coloured(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [coloured(item, key) for item in value]
    return "#123456" if isinstance(value, str) and value.startswith("--") and "color" in key else value


def data(plot: Plot) -> list[dict[str, Any]]:
    traces: list[dict[str, Any]] = draw(plot).figure["data"]
    return traces


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: type(plot).__name__)
def test_plotly_knows_every_property(plot: Plot) -> None:
    """Plotly's own package refuses a property or a value that plotly.js would not understand."""
    graph_objects = pytest.importorskip("plotly.graph_objects")
    figure = coloured(json.loads(json.dumps(draw(plot).figure, allow_nan=False)))
    assert len(graph_objects.Figure(figure).data) == len(figure["data"])


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: type(plot).__name__)
def test_nothing_in_a_label_is_markup(plot: Plot) -> None:
    """Plotly.js reads some tags in labels; those there are come from us."""
    strings = re.findall(r'"([^"]*)"', json.dumps(draw(plot).figure))
    assert set(re.findall(r"<[^>]*>", " ".join(strings))) <= {"<b>", "</b>", "<br>", "<extra>", "</extra>"}
    assert not re.search(r"<b>s1|<i>", " ".join(strings))


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
    """A point that is no number is left out, here and in the line."""
    band, line, dots = data(SCATTER)
    assert (dots["x"], dots["y"]) == ([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 2.5, 4.5])
    assert dots["text"][0] == "&lt;/script&gt;&lt;b&gt;s1&lt;/b&gt;\ufffd[31m"
    # By hand: S = 5, sum of products 5.5, so that the slope is 1.1 and the line passes through (1.5, 2.5).
    assert (line["y"][0], line["y"][-1]) == pytest.approx((0.85, 4.15))
    assert band["y"][0] > line["y"][0] > band["y"][-1]
    assert "y = 0.85 + 1.1 x" in draw(SCATTER).words


def test_of_very_many_points_some_are_drawn_and_all_fitted() -> None:
    """A page stays quick to open, and its words tell how many points it leaves out."""
    rng = np.random.default_rng(0)
    points = tuple((float(x), float(2 * x + rng.normal()), HOSTILE) for x in range(20_000))
    drawing = draw(evolve(SCATTER, points=points))
    assert len(drawing.figure["data"][-1]["x"]) == 4_000
    assert "20,000 points, 4,000 of them drawn" in drawing.words


def test_a_forest_has_a_row_an_estimate_under_its_group() -> None:
    """Groups stand together in the order they are met; what cannot be told has its name and a dash."""
    figure = draw(FOREST).figure
    labels = figure["layout"]["yaxis"]["ticktext"]
    assert [label.split()[0] for label in labels] == [
        "<b>total</b>",
        "radot",
        "rouge",
        "constant",
        *labels[4:5],
        "bleu",
    ]
    assert "<br>" in labels[2]
    total, significant = figure["data"]
    assert total["x"] == [0.3, 0.25]
    assert total["error_x"]["arrayminus"] == pytest.approx([0.2, 0.0])
    assert total["error_x"]["array"] == pytest.approx([0.3, 0.0])
    assert significant["x"] == [-0.2]
    assert total["marker"]["symbol"] != significant["marker"]["symbol"]
    said = [note["text"] for note in figure["layout"]["annotations"]]
    assert said == ["0.300 [0.100, 0.600]", "0.250", "\u2212", "\u22120.200 [\u22120.500, 0.500]"]
    assert figure["layout"]["shapes"][0]["x0"] == 0.0


def test_rows_of_a_forest_do_not_overlap() -> None:
    """Forty rows with names of several lines keep their distance, and the plot grows with them."""
    rows = tuple(ForestRow("a name of several words " * (1 + i % 4), Estimate(0.1, 0.0, 0.2)) for i in range(40))
    axis = draw(evolve(FOREST, rows=rows)).figure["layout"]["yaxis"]
    lines = [text.count("<br>") + 1 for text in axis["ticktext"]]
    middles = axis["tickvals"]
    gaps = [b - a for a, b in pairwise(middles)]
    needed = [15 * (a + b) / 2 for a, b in pairwise(lines)]
    assert all(gap >= need for gap, need in zip(gaps, needed, strict=True))
    assert draw(evolve(FOREST, rows=rows)).height > axis["range"][0]


def test_a_heat_map_has_its_words_and_leaves_cells_empty() -> None:
    """A cell without a figure stays empty instead of taking the colour of zero."""
    (cells,) = data(HEAT)
    assert cells["z"] == [[None, 0.25], [-0.25, None]]
    assert cells["text"] == [["", "0.250<br>p 0.01"], ["-0.250<br>p 0.01", ""]]
    assert (cells["zmin"], cells["zmax"]) == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("low", "high", "stops"), [(-1.0, 3.0, [0.0, 0.25, 1.0]), (0.0, 1.0, [0.0, 1.0]), (-2.0, 0.0, [0.0, 1.0])]
)
def test_the_colour_of_a_heat_map_is_neutral_at_zero(low: float, high: float, stops: list[float]) -> None:
    """Zero has the colour of the page whether the scale lies on both sides of it or on one."""
    plot: HeatMap = evolve(HEAT, low=low, high=high)
    scale = data(plot)[0]["colorscale"]
    assert [stop for stop, _ in scale] == stops
    neutral = next(stop for stop, name in scale if name == "--heat-middle")
    assert low + neutral * (high - low) == pytest.approx(0.0)


def test_curves_mark_their_points_on_a_square_with_its_diagonal() -> None:
    """A marked point belongs to its curve's entry in the legend; without a square there is no diagonal."""
    radot, bleu, mark = data(CURVES)
    assert (radot["x"], radot["y"]) == ([0.0, 0.6, 1.0], [1.0, 0.7, 0.0])
    assert (mark["x"], mark["y"], mark["legendgroup"]) == ([0.6], [0.7], radot["legendgroup"])
    assert radot["line"]["dash"] != bleu["line"]["dash"]
    layout = draw(CURVES).figure["layout"]
    assert [layout["shapes"][0][key] for key in ("x0", "y0", "x1", "y1")] == [0, 0, 1, 1]
    assert layout["yaxis"]["scaleanchor"] == "x"
    assert draw(evolve(CURVES, square=False)).figure["layout"]["shapes"] == []


def test_legend_names_every_curve_once() -> None:
    """Also one that is nothing but its marked point; no line without points takes a place."""
    verdict = Curve(label="verdict", points=(), marked=(0.4, 0.9))
    plot = evolve(CURVES, curves=(*CURVES.curves, verdict))
    named = [trace["name"] for trace in data(plot) if trace.get("showlegend", True)]
    assert sorted(named) == sorted(curve.label for curve in plot.curves)
    assert all(trace["x"] for trace in data(plot))


def test_flows_keep_both_sides_apart() -> None:
    """What is on the left and what it became are two nodes, with one colour where they have one name."""
    (sankey,) = data(FLOWS)
    assert sankey["node"]["label"] == ["omission (49)", "location (2)", "omission (40)", "nothing (11)"]
    links = sankey["link"]
    assert (links["source"], links["target"], links["value"]) == ([0, 0, 1], [2, 3, 3], [40.0, 9.0, 2.0])
    assert sankey["node"]["color"][0] == sankey["node"]["color"][2]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: type(plot).__name__)
def test_every_plot_is_told_in_words_and_all_but_scatters_in_figures(plot: Plot) -> None:
    """Who cannot see a plot is told what it shows; the points of a scatter are too many for a table."""
    drawing = draw(plot)
    assert len(drawing.words) > 20
    assert (drawing.table is None) == (plot is SCATTER)


def test_empty_plots_are_drawn_empty() -> None:
    """A study with nothing to plot still has figures that are strict JSON."""
    empty = (
        evolve(SCATTER, points=()),
        Forest(name="f", title="f", x_title="x", rows=()),
        HeatMap(name="h", title="h", rows=(), columns=(), values=()),
        evolve(CURVES, curves=()),
        evolve(FLOWS, flows=()),
    )
    for plot in empty:
        json.dumps(draw(plot).figure, allow_nan=False)


def test_series_differ_in_more_than_colour() -> None:
    """Twelve series are told apart by colour and marker together."""
    assert len({(colour(index), symbol(index)) for index in range(2 * len(SERIES))}) == 2 * len(SERIES)


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_words_can_be_read_on_every_colour_of_a_heat_map() -> None:
    """4.5 to 1 is what WCAG 2.2 asks of text (criterion 1.4.3); they are written in the page's ink, light and dark."""
    (cells,) = data(HEAT)
    assert cells["textfont"]["color"] == "--ink"
    style = (files(web) / "templates/tabulation.html.j2").read_text(encoding="utf-8")
    inks = re.findall(r"--ink: (#\w{6})", style)
    assert len(inks) == 2
    for name in ("--heat-low", "--heat-middle", "--heat-high"):
        for ink, shade in zip(inks, re.findall(rf"{name}: (#\w{{6}})", style), strict=True):
            assert contrast(ink, shade) >= 4.5


def test_series_stand_out_on_light_and_dark_cards() -> None:
    """3 to 1 is what WCAG 2.2 asks of graphics (criterion 1.4.11)."""
    for light, dark in SERIES:
        assert contrast(light, "#ffffff") >= 3
        assert contrast(dark, "#1b212a") >= 3
