"""The fit of an affinity table by TPE, with the record that its file holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import asdict, field, frozen

from overread.adapters.metrics.ratescore._tables import own_table, table_record
from overread.adapters.metrics.tpe import TpeSearch
from overread.application.metrics.entity_reader import EntityReader
from overread.application.ports import EntityRecognizer, TextEncoder
from overread.application.training.fit_ratescore import FitAffinity, FittedAffinity
from overread.domain.affinity import Orientation, PenaltyRule
from overread.domain.annotation import AnnotatedPair

__all__ = ["FittedTable", "fit_ratescore"]


@frozen(kw_only=True)
class FittedTable:
    """A learned table as the record its JSON file holds, and what is known of the fit."""

    record: dict[str, Any] = field(repr=False)
    report: FittedAffinity


def fit_ratescore(
    recognizer: EntityRecognizer,
    encoder: TextEncoder,
    pairs: Sequence[AnnotatedPair],
    *,
    name: str = "user",
    note: str = "",
    correlation: str = "kendall",
    lower_is_better: bool = False,
    orientation: Orientation = Orientation.RELEASE,
    penalty: PenaltyRule = PenaltyRule.POLARITY,
    trials: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> FittedTable:
    """Learn W and p from rated pairs; ``--set ratescore.table=FILE`` then scores with the record, kept as JSON.

    Args:
        recognizer: finds the entities; the table is for its answers.
        encoder: embeds their names.
        pairs: rated pairs.
        name: of the table, part of its identity.
        note: how the ratings came about; kept with the table.
        correlation: "kendall", "pearson" or "spearman".
        lower_is_better: whether ratings count errors.
        orientation: how W is written down.
        penalty: which types p applies to.
        trials: tables to try.
        seed: of the split and of the search.
        on_progress: called with trials done and trials in all.

    Raises:
        ConfigurationError: as `overread.application.training.fit_ratescore.FitAffinity`.
        MissingDependencyError: if optuna is not installed.
    """
    fit = FitAffinity(
        reader=EntityReader(recognizer, encoder),
        search=TpeSearch(),
        start=own_table(recognizer),
    )
    report = fit(
        pairs,
        name=name,
        correlation=correlation,
        lower_is_better=lower_is_better,
        orientation=orientation,
        penalty=penalty,
        trials=trials,
        seed=seed,
        on_progress=on_progress,
    )
    provenance = {
        "note": note,
        "recognizer": recognizer.identity,
        "encoder": encoder.identity,
        "ratings": "lower is better" if lower_is_better else "higher is better",
        "correlation": report.correlation,
        "fitted": asdict(report.fitted),
        "start": asdict(report.start),
        "train_pairs": report.train_pairs,
        "held_out_pairs": report.held_out_pairs,
        "skipped": len(report.skipped),
        "search": report.search,
        "trials": report.trials,
        "seed": report.seed,
    }
    return FittedTable(record=table_record(report.table, provenance), report=report)
