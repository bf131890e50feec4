"""Wording that goes with every score that a hospital shows, sends or prints."""

from __future__ import annotations

from typing import Final

__all__ = ["SIGNAL"]

SIGNAL: Final = "rank-oriented audit signal, not an autonomous clinical decision tool"
"""Stands wherever a score does (RadOT-Eval, section VII, says what an audit must not claim)."""
