"""Synthetic pairs: invented reports and candidates whose errors are known, for fitting readouts."""

from overread.adapters.synthetic._generator import Origin, SyntheticPair, SyntheticPairs

__all__ = ["Origin", "SyntheticPair", "SyntheticPairs"]
