"""Judging metrics by what people said of the same pairs."""

from overread.studies.application.meta_evaluation.baselines import needs_shuffling, shuffled_pairs
from overread.studies.application.meta_evaluation.study import about, meta_evaluate

__all__ = ["about", "meta_evaluate", "needs_shuffling", "shuffled_pairs"]
