"""Fits: a component learned from labelled pairs, with the chosen components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from overread.application.scoring.evaluate import Progress
from overread.bootstrap.services import assembly_of, build_service
from overread.domain.results.annotation import AnnotatedPair
from overread.exceptions import ConfigurationError
from overread.infrastructure.settings import Settings

if TYPE_CHECKING:
    from overread.application.training.fit_ratescore import FitAffinity
    from overread.domain.results.panel import PanelTable

__all__ = ["fit_panel", "open_ratescore_fit"]


def open_ratescore_fit(settings: Settings) -> FitAffinity:
    """The fit of RaTEScore's W and p, with the chosen recognizer and encoder.

    Raises:
        ConfigurationError: if a component cannot be used.
        MissingDependencyError: if optuna, or what a component needs, is not installed.
    """
    from overread.adapters.metrics.ratescore.search import TpeSearch
    from overread.adapters.metrics.ratescore.tables import own_table
    from overread.application.metrics.entity_reader import EntityReader
    from overread.application.training.fit_ratescore import FitAffinity

    assembly = assembly_of(settings)
    recognizer, encoder = assembly.get("recognizer"), assembly.get("encoder")
    return FitAffinity(reader=EntityReader(recognizer, encoder), search=TpeSearch(), start=own_table(recognizer))


def fit_panel(
    settings: Settings,
    rated: Sequence[AnnotatedPair],
    *,
    name: str,
    note: str = "",
    on_progress: Progress | None = None,
) -> PanelTable:
    """A panel of the metrics that the settings name, fitted to ratings from 1 to 5.

    Args:
        settings: whose metrics are its members.
        rated: pairs with a target "rating"; one that a metric cannot score tells nothing of the weights.
        name: of the table.
        note: how the ratings came about.
        on_progress: called with the number of pairs scored.

    Raises:
        ConfigurationError: if a metric cannot be used, or fewer than two pairs are rated apart.
    """
    import numpy as np

    from overread.adapters.metrics.panel.fitter import fit_panel as fit
    from overread.application.scoring.score_collection import score_pairs

    ratings = np.array([pair.mean("rating") for pair in rated])
    if off := [pair.pair.id for pair, rating in zip(rated, ratings, strict=True) if not 1 <= rating <= 5]:  # noqa: PLR2004
        raise ConfigurationError([f"a panel needs ratings from 1 to 5; that of {off[0]} is not one"])
    if len(set(ratings.tolist())) < 2:  # noqa: PLR2004
        raise ConfigurationError(["a panel needs pairs with at least two different ratings"])
    columns = score_pairs(build_service(settings), [pair.pair for pair in rated], on_progress=on_progress)
    return fit(
        {column.metric: np.asarray(column.scores) for column in columns},
        ratings,
        higher_is_better={column.metric: column.higher_is_better for column in columns},
        name=name,
        note=note,
    )
