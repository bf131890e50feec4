"""A learned affinity table with the record that its file holds."""

from __future__ import annotations

from typing import Any

from attrs import asdict, field, frozen

from overread.adapters.metrics.ratescore.tables import table_record
from overread.application.ports import EntityRecognizer, TextEncoder
from overread.application.training.fit_ratescore import FittedAffinity

__all__ = ["FittedTable", "learned_table"]


@frozen(kw_only=True)
class FittedTable:
    """A learned table as the record its JSON file holds, and what is known of the fit."""

    record: dict[str, Any] = field(repr=False)
    report: FittedAffinity


def learned_table(
    report: FittedAffinity, recognizer: EntityRecognizer, encoder: TextEncoder, *, note: str, lower_is_better: bool
) -> FittedTable:
    """The table that a fit came to; ``--set ratescore.table=FILE`` scores with its record, kept as JSON.

    Args:
        report: of the fit.
        recognizer: that the table was learned with.
        encoder: the same.
        note: how the ratings came about.
        lower_is_better: whether ratings count errors.
    """
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
