"""Summaries of what a language model said of a corpus."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from overread.application.scoring.corpus import Row
from overread.application.scoring.evaluate import Progress
from overread.application.scoring.run import Run
from overread.application.studies import green_summary
from overread.bootstrap._services import open_component
from overread.infrastructure.settings import Settings

__all__ = ["summarise_corpus"]


def summarise_corpus(
    settings: Settings, run: Run, rows: Iterable[Row], *, plot: bool = True, on_progress: Progress | None = None
) -> green_summary.GreenSummary:
    """GREEN's summary of a corpus with the chosen encoder, as `overread.application.studies.green_summary`.

    Args:
        settings: the encoder and its options.
        run: whose one metric is green.
        rows: of the corpus.
        plot: whether sentences are given places.
        on_progress: called with the number of rows done.
    """
    from overread.adapters.llm.green.clusters import KMeansGrouper

    encoder = open_component(evolve(settings, answers=None), "encoder")
    return green_summary.summarise_corpus(
        run.service, rows, encoder, KMeansGrouper(), plot=plot, on_progress=on_progress
    )
