"""The composite metric: other metrics' numbers joined by a user's coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from overread.application.ports import Metric
from overread.application.traits import MetricTraits
from overread.domain.reports.report import ReportPair
from overread.domain.results.composite import CompositeTable
from overread.domain.results.result import Outcome, Scored, Unscored

__all__ = ["CompositeMetric"]


@frozen(eq=False)
class CompositeMetric:
    """A linear function of other metrics' scores and subscores, as RadCliQ is one.

    Subscores: the numbers that enter, as their metrics gave them. A pair that one of the metrics cannot score, or for
    which it has not the number, is unscored: a sum without a term is another scale.

    Attributes:
        metrics: by choice, all that the table's terms name.
        table: coefficients.
        identity: of the table, for signatures.
    """

    metrics: Mapping[str, Metric] = field(repr=False)
    table: CompositeTable
    identity: str

    @property
    def traits(self) -> MetricTraits:
        """The table's scale."""
        return MetricTraits(scale=self.table.scale)

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """The table, and every part of every metric in it."""
        parts = [
            (f"{choice.partition(':')[0]}.{part}", value)
            for choice, metric in self.metrics.items()
            for part, value in metric.signature_parts
        ]
        return (("table", self.identity), *parts)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """The composite of each pair."""
        columns = {choice: metric.evaluate(pairs) for choice, metric in self.metrics.items()}
        return [
            self._join_outcomes({choice: column[i] for choice, column in columns.items()}) for i in range(len(pairs))
        ]

    def _join_outcomes(self, outcomes: Mapping[str, Outcome]) -> Outcome:
        scored: dict[str, Scored] = {}
        for choice, outcome in outcomes.items():
            if isinstance(outcome, Unscored):
                return outcome
            scored[choice] = outcome
        numbers: dict[str, float] = {}
        for term in self.table.terms:
            outcome = scored[term.metric]
            there = {"score": outcome.score, **outcome.subscores}
            if term.number not in there:
                known = ", ".join(there)
                return Unscored("undefined", f"{term.metric} has no {term.number} for this pair (it has {known})")
            numbers[term.title] = there[term.number]
        return Scored(
            score=self.table.score(numbers),
            subscores=numbers,
            truncated=any(outcome.truncated for outcome in scored.values()),
            notes=tuple(f"{choice}: {note}" for choice, outcome in scored.items() for note in outcome.notes),
        )
