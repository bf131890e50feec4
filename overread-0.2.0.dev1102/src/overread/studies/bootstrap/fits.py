"""Fits: a component learned from labelled pairs, with the chosen components."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from overread.application.scoring.evaluate import Progress
from overread.application.training.fit_readout import FitReadout, FitReport, settings_of
from overread.bootstrap.services import assembly_of, build_service, catalogue_of
from overread.domain.results.annotation import AnnotatedPair, MarkedPair
from overread.exceptions import ConfigurationError
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

if TYPE_CHECKING:
    from overread.application.training.fit_ratescore import FitAffinity
    from overread.application.training.marked_readings import MarkedReading
    from overread.domain.results.panel import PanelTable

__all__ = ["ReadoutFit", "fit_panel", "fit_readout", "open_ratescore_fit", "read_marked_pairs"]


@frozen(kw_only=True)
class ReadoutFit:
    """A fitted readout as the record its file holds, and what is known of the fit."""

    record: dict[str, Any] = field(repr=False)
    report: FitReport


def fit_readout(
    settings: Settings,
    labelled: Sequence[AnnotatedPair],
    *,
    kind: str = "relaxed",
    grid: bool = True,
    name: str = "user",
    note: str = "",
    cost: str | None = None,
    test: Sequence[AnnotatedPair] = (),
    on_progress: Progress | None = None,
) -> ReadoutFit:
    """Fits a readout to labelled pairs with the chosen extractor and balanced plans.

    Args:
        settings: the extractor and its options.
        labelled: pairs with total, significant and insignificant counts.
        kind: "relaxed", "debiased" or "paper".
        grid: whether all priors and epsilons compete; else only polarity-heavy at 0.20. They make no difference to the
            relaxed readout, which does not look at plans.
        name: of the fit, part of the readout's identity.
        note: how the pairs came about; kept with the coefficients.
        cost: "relation" or "table-ii"; by default the second for the paper's readout, else the first.
        test: pairs of other studies to try the readout on.
        on_progress: called with the number of settings done.
    """
    from overread.adapters.metrics.transport.costs import cost_model
    from overread.adapters.transport.nnls.fitter import NnlsFitter
    from overread.adapters.transport.nnls.readout import readout_record

    catalogue = catalogue_of(settings)
    extractor = assembly_of(settings, catalogue).get("extractor")
    cost = cost or ("table-ii" if kind == "paper" else "relation")
    fit = FitReadout(
        extractor=extractor,
        aligner_factory=partial(_balanced_aligner, catalogue),
        fitter=NnlsFitter(),
        cost=cost_model(cost, extractor),
    )
    report = fit(labelled, kind=kind, settings=settings_of(kind, search=grid), test=test, on_progress=on_progress)
    selected = report.selection.selected_row
    provenance = {
        "name": name,
        "note": note,
        "pairs": report.pairs,
        "studies": report.studies,
        "extractor": extractor.identity,
        "held_out_spearman": {"macro": selected.macro, **selected.scores},
    }
    aligner = {"prior": selected.prior, "epsilon": selected.epsilon, "cost": cost}
    record = readout_record(report.selection.readout, kind=kind, aligner=aligner, provenance=provenance)
    return ReadoutFit(record=record, report=report)


def _balanced_aligner(catalogue: Catalogue, prior: str, epsilon: float) -> Any:
    table = {"aligner": {"prior": prior, "epsilon": epsilon}}
    return Assembly(catalogue, choices={"aligner": "balanced"}, options=table).get("aligner")


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


def read_marked_pairs(settings: Settings, marked: Sequence[MarkedPair]) -> list[MarkedReading]:
    """Marked pairs as the chosen extractor and aligner read them, with what holds of it.

    Raises:
        ConfigurationError: if a component cannot be used.
        MissingDependencyError: if what a component needs is not installed.
    """
    from overread.adapters.metrics.transport.costs import IMPORTANCE, cost_model
    from overread.application.metrics.pair_reader import PairReader
    from overread.application.training.marked_readings import read_marked

    assembly = assembly_of(settings)
    extractor = assembly.get("extractor")
    return read_marked(PairReader(extractor, assembly.get("aligner"), cost_model(IMPORTANCE, extractor)), marked)


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
