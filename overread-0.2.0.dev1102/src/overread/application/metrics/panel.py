"""The panel metric: several metrics' scores joined into one, with how far they are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import field, frozen

from overread.application.ports import Metric
from overread.domain.reports.report import ReportPair
from overread.domain.results.panel import PanelTable
from overread.domain.results.result import Outcome, Scale, Scored, Unscored

__all__ = ["PANEL_SCALE", "PanelMetric"]

PANEL_SCALE: Final = Scale(1.0, 5.0, higher_is_better=True)
"""A rating as people give it: 1 is dangerous, 5 is as good as the reference."""

_SPLIT: Final = "the panel is not of one mind (spread {:.2f} of a rating): a person should look"


@frozen(eq=False)
class PanelMetric:
    """Readers that err differently agree with people better together.

    Each member's score is told as the rating that pairs with such a score have had; the panel's is their weighted mean,
    1 to 5, higher is better. Subscores: each member's rating under its name, and ``spread``, their weighted standard
    deviation. A member that cannot score a pair is left out there, and a note says so; where none can, the pair is
    unscored for the first one's reason. A candidate in the same words as the reference has 5. A note flags a pair that
    the members see too differently.

    Attributes:
        members: by name, in the order in which they are asked.
        table: what the members' scores mean and weigh.
    """

    members: Mapping[str, Metric] = field(repr=False)
    table: PanelTable

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """The table, and every part of every member."""
        parts = [(f"{name}.{part}", value) for name, m in self.members.items() for part, value in m.signature_parts]
        return (("panel", self.table.name), *parts)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """The panel's rating of each pair."""
        columns = {name: member.evaluate(pairs) for name, member in self.members.items()}
        return [
            self._join_outcomes({name: column[i] for name, column in columns.items()}, is_copy=pair.is_copy)
            for i, pair in enumerate(pairs)
        ]

    def _join_outcomes(self, outcomes: Mapping[str, Outcome], *, is_copy: bool) -> Outcome:
        scores = {name: outcome.score for name, outcome in outcomes.items() if isinstance(outcome, Scored)}
        missing = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Unscored)}
        if not scores:
            return next(iter(missing.values()))
        verdict, opinions = self.table.of_copy(scores) if is_copy else self.table.verdict(scores)
        notes = [f"without {name}: {outcome.reason}" for name, outcome in missing.items()]
        notes += [
            f"{name}: {note}"
            for name, outcome in outcomes.items()
            if isinstance(outcome, Scored)
            for note in outcome.notes
        ]
        if verdict.is_split:
            notes.append(_SPLIT.format(verdict.spread))
        return Scored(
            score=verdict.rating,
            subscores={**{name: opinion.rating for name, opinion in opinions.items()}, "spread": verdict.spread},
            truncated=any(isinstance(outcome, Scored) and outcome.truncated for outcome in outcomes.values()),
            notes=tuple(notes),
        )
