"""The material of a quick card, drawn once."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import numpy as np

from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Scale
from overread.domain.results.scores import MetricScores
from overread.infrastructure.settings import Settings
from overread.studies.application.cards.figures import CardFigures
from overread.studies.application.cards.material import CardMaterial, SizeName
from overread.studies.bootstrap.cards import draw_material

__all__ = ["figures_of", "quick_material"]


@functools.cache
def quick_material() -> CardMaterial:
    """Material of the size quick."""
    return draw_material(Settings(), SizeName.QUICK)


def figures_of(score: Callable[[ReportPair], float], *, higher_is_better: bool = True) -> CardFigures:
    """Figures of a metric that is a plain function; NaN is unscored."""
    pairs = quick_material().pairs()
    values = np.array([score(pair) for pair in pairs], dtype=np.float64)
    reasons: Mapping[str, str] = {p.id: "none" for p, v in zip(pairs, values, strict=True) if math.isnan(v)}
    scores = MetricScores(
        metric="fake",
        higher_is_better=higher_is_better,
        ids=tuple(pair.id for pair in pairs),
        scores=values,
        reasons=reasons,
    )
    return CardFigures(quick_material(), scores, Scale(0.0, 1.0, higher_is_better=higher_is_better), draws=20)
