"""Metrics in tasks of EleutherAI's lm-evaluation-harness (extra ``lm-eval``).

A task names functions of a Python file beside its YAML with ``!function``; there this module gives what scores a
document, and what adds up. It imports nothing of the harness.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from overread.bootstrap.interface import SettingsLike
from overread.exceptions import InputError
from overread.integrations.computing import Scorer

__all__ = ["score_documents", "total"]

ResultsProcessor = Callable[[Mapping[str, Any], Sequence[str]], dict[str, float]]


def score_documents(
    metric: str | Sequence[str] = "notation", *, reference: str = "report", settings: SettingsLike | None = None
) -> ResultsProcessor:
    """A task's ``process_results``: scores what a model wrote against the document's own report.

    It gives NAME, the score of each metric, and NAME_unscored, 0 or 1. A document without a score has no NAME, so that
    the harness's ``mean`` and its standard error cover the scored ones.

    >>> process_results = score_documents("rouge")
    >>> process_results({"report": "No mass."}, ["No mass."]), process_results({"report": ""}, [""])
    ({'rouge': 1.0, 'rouge_unscored': 0.0}, {'rouge_unscored': 1.0})

    Args:
        metric: its name, or several names.
        reference: field of the document that holds the radiologist's report.
        settings: which components and options to use; the defaults where omitted.

    Raises:
        ConfigurationError: if there is no such metric.
    """
    scorer = Scorer.of(metric, "fail", settings)

    def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
        if reference not in doc:
            raise InputError("document", f"has no field {reference!r}", remedy="name that of the radiologist's report")
        [by_metric] = scorer.results([doc[reference]], [results[0]])
        scores = {name: result.score for name, result in by_metric.items() if result.is_scored}
        return scores | {f"{name}_unscored": float(not result.is_scored) for name, result in by_metric.items()}

    return process_results


def total(values: Iterable[float]) -> float:
    """The sum over documents; a task's ``aggregation`` of NAME_unscored.

    >>> total([0.0, 1.0, 1.0])
    2.0
    """
    return math.fsum(values)
