"""Fits: a component learned from labelled pairs, with the chosen components."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from overread.application.scoring.evaluate import Progress
from overread.application.training.fit_readout import FitReadout, FitReport, settings_of
from overread.bootstrap._services import assembly_of, catalogue_of
from overread.domain.annotation import AnnotatedPair
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

if TYPE_CHECKING:
    from overread.adapters.metrics.ratescore.learned import FittedTable

__all__ = ["ReadoutFit", "fit_ratescore", "fit_readout"]


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
        aligner_factory=partial(_balanced, catalogue),
        fitter=NnlsFitter(),
        cost=cost_model(cost, extractor),
    )
    report = fit(labelled, kind=kind, settings=settings_of(kind, search=grid), test=test, on_progress=on_progress)
    selected = report.selection.selected
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


def _balanced(catalogue: Catalogue, prior: str, epsilon: float) -> Any:
    table = {"aligner": {"prior": prior, "epsilon": epsilon}}
    return Assembly(catalogue, choices={"aligner": "balanced"}, options=table).get("aligner")


def fit_ratescore(
    settings: Settings,
    rated: Sequence[AnnotatedPair],
    *,
    name: str = "user",
    note: str = "",
    measure: str = "kendall",
    lower_is_better: bool = False,
    trials: int = 500,
    seed: int = 7,
    on_progress: Callable[[int, int], None] | None = None,
) -> FittedTable:
    """Learns RaTEScore's W and p from rated pairs, with the chosen recognizer and encoder.

    Args:
        settings: the recognizer, the encoder and their options.
        rated: pairs with people's ratings; a fifth of their studies is held out.
        name: of the table, part of its identity.
        note: how the ratings came about; kept with the table.
        measure: the correlation to maximise: "kendall", "pearson" or "spearman".
        lower_is_better: whether ratings count errors.
        trials: tables to try.
        seed: of the split and of the search.
        on_progress: called with trials done and trials in all.

    Raises:
        ConfigurationError: if the pairs do not suffice for a fit, or a component cannot be used.
        MissingDependencyError: if optuna, or what a component needs, is not installed.
    """
    from overread.adapters.metrics.ratescore.learned import learned_table
    from overread.adapters.metrics.ratescore.search import TpeSearch
    from overread.adapters.metrics.ratescore.tables import own_table
    from overread.application.metrics.entity_reader import EntityReader
    from overread.application.training.fit_ratescore import FitAffinity

    assembly = assembly_of(settings)
    recognizer, encoder = assembly.get("recognizer"), assembly.get("encoder")
    fit = FitAffinity(reader=EntityReader(recognizer, encoder), search=TpeSearch(), start=own_table(recognizer))
    report = fit(
        rated,
        name=name,
        correlation=measure,
        lower_is_better=lower_is_better,
        trials=trials,
        seed=seed,
        on_progress=on_progress,
    )
    return learned_table(report, recognizer, encoder, note=note, lower_is_better=lower_is_better)
