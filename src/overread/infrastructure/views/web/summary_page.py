"""GREEN's summary of a corpus as a self-contained HTML page with a plot of its explanations."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, dist, pi, sin, sqrt
from typing import Final

from attrs import field, frozen

from overread.application.scoring.green_summary import CategorySummary, GreenSummary
from overread.infrastructure.views import summaries, wording
from overread.infrastructure.views.web.templating import template

__all__ = ["summary_page"]

_WIDTH: Final = 320.0
_HEIGHT: Final = 240.0
_MARGIN: Final = 16.0
_LEAST_RADIUS: Final = 4.0
_WIDEST_RADIUS: Final = 13.0
_NUMBER: Final = 17.0
"""Numbers that are nearer to one another cannot be told apart."""
_ASIDE: Final = 2 * _NUMBER
_COLOURS: Final = 10
_LISTED: Final = 100
"""Sentences listed under a plot; the plot has all of them."""


@frozen(kw_only=True)
class _Dot:
    """A sentence as drawn; ``rank`` is 1 to 3 for those that stand for the category, else 0."""

    x: float
    y: float
    radius: float
    cluster: int
    rank: int
    title: str = field(repr=False)


@frozen(kw_only=True)
class _Panel:
    """A category with its plot."""

    summary: CategorySummary
    share: str
    dots: Sequence[_Dot]
    sizes: Sequence[int]


def summary_page(summary: GreenSummary) -> str:
    """The page of a summary; it holds the explanations, which quote reports. It loads nothing and runs no script."""
    return template("summary.html.j2").render(
        summary=summary,
        mean=summaries.mean_words(summary),
        coverage=summaries.coverage_words(summary),
        diversity=summaries.diversity_words(summary.diversity) if summary.diversity is not None else "",
        panels=[_panel(category) for category in summary.categories],
        width=_WIDTH,
        height=_HEIGHT,
        colours=_COLOURS,
        listed=_LISTED,
    )


def _panel(category: CategorySummary) -> _Panel:
    sizes = [0] * category.clusters
    for sentence in category.sentences:
        sizes[sentence.cluster] += sentence.times
    return _Panel(summary=category, share=summaries.share_words(category.free), dots=_dots(category), sizes=sizes)


def _dots(category: CategorySummary) -> list[_Dot]:
    """Dots whose area goes by how often a sentence occurs, those that stand for the category on top."""
    ranks = {sentence: rank for rank, sentence in enumerate(category.representatives, start=1)}
    numbered = _apart([_point(sentence.place) for sentence in ranks if sentence.place is not None])
    points = dict(zip(ranks, numbered, strict=False))
    most = max((sentence.times for sentence in category.sentences), default=1)
    dots = [
        _Dot(
            x=points.get(sentence, _point(sentence.place))[0],
            y=points.get(sentence, _point(sentence.place))[1],
            radius=max(_LEAST_RADIUS, min(_WIDEST_RADIUS, _WIDEST_RADIUS * sqrt(sentence.times / max(most, 10)))),
            cluster=sentence.cluster,
            rank=ranks.get(sentence, 0),
            title=f"{wording.make_printable(sentence.text)} ({wording.format_count(sentence.times, 'error')})",
        )
        for sentence in category.sentences
        if sentence.place is not None
    ]
    return sorted(dots, key=lambda dot: (dot.rank > 0, -dot.rank, -dot.radius))


def _point(place: tuple[float, float]) -> tuple[float, float]:
    """Point at which a place is drawn."""
    return _MARGIN + (_WIDTH - 2 * _MARGIN) * place[0], _MARGIN + (_HEIGHT - 2 * _MARGIN) * (1.0 - place[1])


def _apart(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points, each moved aside if its number would lie on that of one before it."""
    placed: list[tuple[float, float]] = []
    for x, y in points:
        around = [(x + _ASIDE * cos(turn * pi / 4), y + _ASIDE * sin(turn * pi / 4)) for turn in range(8)]
        within = [(a, b) for a, b in around if _MARGIN <= a <= _WIDTH - _MARGIN and _MARGIN <= b <= _HEIGHT - _MARGIN]
        clear = (point for point in [(x, y), *within] if all(dist(point, other) >= _NUMBER for other in placed))
        placed.append(next(clear, (x, y)))
    return placed
