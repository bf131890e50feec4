"""By what pairs are told apart where they are counted or sampled."""

from __future__ import annotations

from enum import StrEnum

from overread.application.hospital.requests import WorklistRow

__all__ = ["Grouping"]


class Grouping(StrEnum):
    """A property of a pair; "" where its source did not tell it."""

    SITE = "site"
    MODALITY = "modality"
    KIND = "kind"
    MODEL = "model"
    """Of the candidate; "" for a person's."""

    READER = "reader"
    """Of the candidate."""

    MONTH = "month"
    """In which the reference arrived, in UTC, for example "2026-03"."""

    def of(self, row: WorklistRow) -> str:
        """What it is of a pair."""
        match self:
            case Grouping.SITE:
                return row.examination.site
            case Grouping.MODALITY:
                return row.examination.modality
            case Grouping.KIND:
                return row.kind.value
            case Grouping.MODEL:
                return row.model
            case Grouping.READER:
                return row.reader
            case Grouping.MONTH:
                return f"{row.arrived:%Y-%m}"
