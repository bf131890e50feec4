"""RadEval's metrics that need no download, called as its README does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

from attrs import frozen

from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EMPTY_PAIR, Outcome, Scale, Scored
from overread.plugins import hookimpl
from overread.plugins.specs import MetricSpec

__all__ = ["RadEvalMetric", "overread_metrics"]


@frozen(eq=False)
class RadEvalMetric:
    """One number of RadEval for each pair; two blank reports are unscored, and where RadEval fails, overread says so.

    Attributes:
        key: of the number in RadEval's answer.
        evaluator: RadEval with the metric.
    """

    key: str
    evaluator: Any

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """The number, and RadEval's version."""
        return (("key", self.key), ("radeval", version("radeval")))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """RadEval's number of each pair."""
        references = [pair.reference.text for pair in pairs]
        candidates = [pair.candidate.text for pair in pairs]
        numbers = self.evaluator(refs=references, hyps=candidates)[self.key]
        return [
            EMPTY_PAIR if pair.is_blank else Scored(score=float(number))
            for pair, number in zip(pairs, numbers, strict=True)
        ]


def _build(name: str, key: str, *_: object) -> RadEvalMetric:
    from radeval import RadEval

    return RadEvalMetric(key, RadEval(metrics=[name], per_sample=True, show_progress=False))


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """BLEU and ROUGE-L of RadEval."""
    for name, key, words in (("bleu", "bleu", "BLEU-4"), ("rouge", "rougeL", "ROUGE-L")):
        yield MetricSpec(
            name=f"radeval-{name}",
            version="2.2.1",
            summary=f"{words} as RadEval computes it for a pair",
            scale=Scale(0.0, 1.0, higher_is_better=True),
            factory=partial(_build, name, key),
            backend="radeval",
            requires=("radeval",),
        )
