"""Plots of a study as plotly.js draws them: plain figures, without plotly's own package.

A colour is the name of a property in the page's style sheet, ``--series-1`` for example, so that a figure follows the
page from light to dark. Labels come from users' data: what plotly.js would read as markup is escaped.
"""

from __future__ import annotations

from overread.application.studies.tabulation import Curves, Flows, Forest, HeatMap, Plot, Scatter
from overread.infrastructure.views.web.plots._curves import draw_curves
from overread.infrastructure.views.web.plots._flows import draw_flows
from overread.infrastructure.views.web.plots._forest import draw_forest
from overread.infrastructure.views.web.plots._matrix import draw_matrix
from overread.infrastructure.views.web.plots._parts import SERIES, Drawing
from overread.infrastructure.views.web.plots._scatter import draw_scatter

__all__ = ["SERIES", "Drawing", "draw"]


def draw(plot: Plot) -> Drawing:
    """The figure of a plot, and what it shows in words and numbers."""
    match plot:
        case Scatter():
            return draw_scatter(plot)
        case Forest():
            return draw_forest(plot)
        case HeatMap():
            return draw_matrix(plot)
        case Curves():
            return draw_curves(plot)
        case Flows():
            return draw_flows(plot)
