"""Judging metrics by what people said of the same pairs."""

from overread.application.studies.meta_evaluation.scores import in_table_order
from overread.application.studies.meta_evaluation.study import meta_evaluate

__all__ = ["in_table_order", "meta_evaluate"]
