"""What the task's YAML names with ``!function``."""

from overread.integrations.lm_eval import score_documents, total

__all__ = ["process_results", "total"]

process_results = score_documents(["notation", "radot"], reference="report")
