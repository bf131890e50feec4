"""Pairs as charts and figures of flags take them: what was found, what was confirmed, where and when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from attrs import frozen

from overread.domain.vocabulary.severity import Importance
from overread.hospital.application.requests import PairState, WorklistRow
from overread.hospital.domain.review import Radpeer

__all__ = ["Observation", "is_major", "observations_of"]


def is_major(importance: Importance | None) -> bool:
    """Return whether a pair is a major discordance as read: its gravest significant discrepancy requires action now."""
    return importance is not None and importance.is_actionable


@frozen(kw_only=True)
class Observation:
    """A pair without text, as it is counted over time.

    Attributes:
        pair: its number.
        site, modality, reader, model: as in `WorklistRow`.
        performed: when the examination was, None where the source did not tell.
        arrived: when the reference did, in UTC.
        state: of the pair; what is found is meaningful for scored ones only.
        concordant: whether nothing significant was found.
        importance: of the gravest significant discrepancy; None where none is.
        risk: radot's score; None without one.
        radpeer: score that a person confirmed, None where nobody did.
        weight: how many pairs it stands for.
    """

    pair: int
    site: str
    modality: str
    reader: str
    model: str
    performed: datetime | None
    arrived: datetime
    state: PairState
    concordant: bool
    importance: Importance | None = None
    risk: float | None = None
    radpeer: Radpeer | None = None
    weight: float = 1.0

    @property
    def at(self) -> datetime:
        """Time at which the examination was performed, or the reference arrived where that is not known."""
        return self.performed or self.arrived

    @property
    def is_scored(self) -> bool:
        """True if it has a score."""
        return self.state is PairState.SCORED


def observations_of(rows: Iterable[WorklistRow]) -> Iterator[Observation]:
    """Yield an observation for each row of a worklist."""
    for row in rows:
        yield Observation(
            pair=row.pair,
            site=row.examination.site,
            modality=row.examination.modality,
            reader=row.reader,
            model=row.model,
            performed=row.examination.performed,
            arrived=row.arrived,
            state=row.state,
            concordant=row.significant == 0,
            importance=row.importance,
            risk=row.risk,
            radpeer=row.radpeer,
            weight=row.weight,
        )
