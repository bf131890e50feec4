"""Plots of a study as HTML with SVG inside: drawn here, so that a page needs no script and stays small.

Places are shares of a plot's width and height, in percent, and words are text of the page: a plot fits any width, its
words keep their size, and colours follow the page from light to dark.
"""

from __future__ import annotations

from overread.application.statistics.tabulation import Curves, Flows, Forest, HeatMap, Plot, Scatter
from overread.infrastructure.views.web.plots._curves import draw_curves
from overread.infrastructure.views.web.plots._flows import draw_flows
from overread.infrastructure.views.web.plots._forest import draw_forest
from overread.infrastructure.views.web.plots._matrix import draw_matrix
from overread.infrastructure.views.web.plots._parts import Drawing
from overread.infrastructure.views.web.plots._scatter import draw_scatter

__all__ = ["Drawing", "draw"]


def draw(plot: Plot, *, scatters: int = 1) -> Drawing:
    """A plot laid out, with what it shows in words and, where they are few, in figures.

    Args:
        plot: what is to be drawn.
        scatters: scatter plots on the same page, which share the points that a page can hold.
    """
    match plot:
        case Scatter():
            return draw_scatter(plot, scatters)
        case Forest():
            return draw_forest(plot)
        case HeatMap():
            return draw_matrix(plot)
        case Curves():
            return draw_curves(plot)
        case Flows():
            return draw_flows(plot)
