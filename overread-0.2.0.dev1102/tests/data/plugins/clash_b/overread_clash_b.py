"""A plugin whose metric has the name of clash_a's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scale, Scored
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec, NoOptions


@frozen
class ConstantMetric:
    """Scores every pair alike."""

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        return ()

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [Scored(score=0.5) for _ in pairs]


def _constant(_options: NoOptions, _components: Components) -> ConstantMetric:
    return ConstantMetric()


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """contested."""
    return [
        MetricSpec(
            name="contested",
            version="1.0",
            summary="the same score for every pair",
            scale=Scale(0.0, 1.0, higher_is_better=True),
            factory=_constant,
        )
    ]
