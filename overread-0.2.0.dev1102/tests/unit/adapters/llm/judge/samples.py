"""A pair of reports that differ in side, presence, certainty and degree."""

from __future__ import annotations

from overread.domain.reports.report import ReportPair

__all__ = ["PAIR"]

PAIR = ReportPair(
    id="p",
    reference="Small left pleural effusion. No pneumothorax. Possible pneumonia. The heart is mildly enlarged.",
    candidate="Small right pleural effusion. There is a pneumothorax. Pneumonia. The heart is enlarged.",
)
