"""Properties by which pairs are told apart when they are counted or sampled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.requests import PairState, WorklistRow
from overread.hospital.domain.review import Radpeer

__all__ = ["Drawable", "Grouping", "Tally", "drawables_of", "tallies_of"]


class Grouping(StrEnum):
    """A property of a pair; "" where its source did not tell it."""

    SITE = "site"
    MODALITY = "modality"
    KIND = "kind"
    MODEL = "model"
    """Of the candidate; "" for a person's."""

    READER = "reader"
    """Of the candidate."""

    MONTH = "month"
    """In which the reference arrived, in UTC, for example "2026-03"."""

    def of(self, row: WorklistRow) -> str:
        """Return the property's value for a pair."""
        match self:
            case Grouping.SITE:
                return row.examination.site
            case Grouping.MODALITY:
                return row.examination.modality
            case Grouping.KIND:
                return row.kind.value
            case Grouping.MODEL:
                return row.model
            case Grouping.READER:
                return row.reader
            case Grouping.MONTH:
                return f"{row.arrived:%Y-%m}"


@frozen(kw_only=True)
class Tally:
    """Number of pairs that are alike in everything that rates count.

    Attributes:
        names: of the groups that they are in, in the order in which groupings were asked for.
        state: of the pairs.
        concordant: whether nothing significant was found in them; meaningful for scored pairs only.
        radpeer: score that a person confirmed, None where nobody did.
        weight: how many pairs each stands for.
        pairs: how many there are, 1 or more.
    """

    names: tuple[str, ...] = field(default=(), converter=in_tuple)
    state: PairState
    concordant: bool
    radpeer: Radpeer | None = None
    weight: float = 1.0
    pairs: int = 1


def tallies_of(rows: Iterable[WorklistRow], by: Sequence[Grouping] = ()) -> Iterator[Tally]:
    """Yield a tally for each row of a worklist."""
    for row in rows:
        yield Tally(
            names=[grouping.of(row) for grouping in by],
            state=row.state,
            concordant=row.significant == 0,
            radpeer=row.radpeer,
            weight=row.weight,
        )


@frozen(kw_only=True)
class Drawable:
    """A pair that may come into a sample.

    Attributes:
        pair: its number.
        group: its value of the grouping that was asked for.
        risk: radot's score, None where there is none.
        weight: how many pairs it stands for.
    """

    pair: int
    group: str = ""
    risk: float | None = None
    weight: float = 1.0


def drawables_of(rows: Iterable[WorklistRow], by: Grouping) -> Iterator[Drawable]:
    """Yield a drawable for each row of a worklist."""
    for row in rows:
        yield Drawable(pair=row.pair, group=by.of(row), risk=row.risk, weight=row.weight)
