"""Synthetic pairs: invented reports and candidates whose errors are known, for fitting readouts."""

from overread.studies.application.synthesis.invented.generator import (
    Origin,
    Purpose,
    Style,
    SyntheticPair,
    SyntheticPairs,
)

__all__ = ["Origin", "Purpose", "Style", "SyntheticPair", "SyntheticPairs"]
