"""The files of the gold corpus: one for each part in each setting."""

from __future__ import annotations

from typing import Final

__all__ = ["PARTS", "SETTINGS", "gold_file"]

PARTS: Final = ("open", "select", "sealed")
"""To learn from, to choose by, and to look at once."""

SETTINGS: Final = ("reports", "generators", "drafts")
"""Candidates told anew or with errors put in, those in the manner of report generators, and drafts beside finals."""


def gold_file(setting: str, part: str) -> str:
    """Name of the file of one part in one setting."""
    return f"{part}.jsonl" if setting == SETTINGS[0] else f"{setting}-{part}.jsonl"
