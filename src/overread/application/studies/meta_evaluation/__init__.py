"""Judging metrics by what people said of the same pairs."""

from overread.application.studies.meta_evaluation.judging import judge_metrics
from overread.application.studies.meta_evaluation.scores import (
    TrialScores,
    distributed_scores,
    in_table_order,
    score_pairs,
    stored_scores,
)

__all__ = ["TrialScores", "distributed_scores", "in_table_order", "judge_metrics", "score_pairs", "stored_scores"]
