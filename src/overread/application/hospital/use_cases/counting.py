"""What a quality lead counts: samples to be reviewed, and rates of concordance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from overread.application.batching import batches
from overread.application.hospital.grouping import Grouping
from overread.application.hospital.ports import UnitOfWork
from overread.application.hospital.rates import Rates, rates_of_tallies
from overread.application.hospital.requests import Search, WorklistRow
from overread.application.hospital.sampling import DrawnSample, SamplePlan, draw
from overread.application.hospital.use_cases.means import Means
from overread.application.hospital.use_cases.searching import told
from overread.domain.hospital.audit_trail import Actor
from overread.exceptions import NotFoundError

__all__ = ["Counting"]

_AT_ONCE: Final = 1000


@frozen(eq=False)
class Counting:
    """Draws samples and counts what is found; all rows that count are of one moment."""

    means: Means

    def draw_sample(self, search: Search, plan: SamplePlan, by: Actor) -> DrawnSample:
        """Draw a sample of the pairs that a search finds, and keep it."""
        with self.means.store.reading() as unit:
            rows = list(self._rows(unit, search, _weights(unit, search)))
        if not rows:
            raise NotFoundError("no pair is found that a sample could be drawn from")
        drawn = draw(rows, plan)
        description = f"{len(drawn)} of {len(rows)} pairs, {plan.words}, seed {plan.seed}"
        with self.means.store.transaction() as unit:
            number = unit.samples.add(drawn, description=description, by=by.name, made=self.means.now())
            self.means.note(unit, by, "sample", f"sample:{number}", {"drawn": description, **told(search)})
        return DrawnSample(number=number, pairs=drawn, drawn_from=len(rows), description=description)

    def rates(self, search: Search, groupings: Sequence[Grouping], by: Actor) -> Rates:
        """Rates of concordance of the pairs that a search finds."""
        with self.means.store.reading() as unit:
            tallies = unit.pairs.tallies(search, list(self.means.signatures.values()), groupings)
            rates = rates_of_tallies(tallies, by=groupings, sample=search.sample)
        self.means.tell(by, "rates", details={"pairs": rates.overall.pairs, **told(search)})
        return rates

    def _rows(self, unit: UnitOfWork, search: Search, weights: Mapping[int, float]) -> Iterator[WorklistRow]:
        """Rows of all pairs that a search finds, in order of their numbers."""
        signatures = list(self.means.signatures.values())
        for numbers in batches(unit.pairs.numbers(search, signatures), _AT_ONCE):
            for row in unit.pairs.rows(numbers, signatures):
                yield evolve(row, weight=weights[row.pair]) if weights else row


def _weights(unit: UnitOfWork, search: Search) -> dict[int, float]:
    """How many pairs each of the sample that a search names stands for; nothing where it names none."""
    return {} if search.sample is None else {each.pair: each.weight for each in unit.samples.get(search.sample)}
