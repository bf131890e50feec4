"""Wording that goes with every score that leaves the house."""

from __future__ import annotations

from typing import Final

__all__ = ["SIGNAL"]

SIGNAL: Final = "rank-oriented audit signal, not an autonomous clinical decision tool"
