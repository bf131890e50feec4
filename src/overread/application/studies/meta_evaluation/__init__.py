"""Judging metrics by what people said of the same pairs."""

from overread.application.studies.meta_evaluation.judging import judge_metrics
from overread.application.studies.meta_evaluation.scores import in_table_order

__all__ = ["in_table_order", "judge_metrics"]
