"""Properties by which pairs are told apart when they are counted or sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.observations import is_major
from overread.hospital.application.requests import PairState, WorklistRow
from overread.hospital.domain.review import Radpeer

__all__ = ["Drawable", "GroupNames", "Grouping", "Tally", "drawables_of", "tallies_of"]

_MONTH: Final = len("2026-03")
_SAFE_DAYS: Final = (3, 26)
"""Days that no time zone moves into another month: two zones are at most 26 hours apart."""


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

    EXAMINATION_MONTH = "examination-month"
    """In which the examination was performed, in its site's time zone; "" where that is not known."""

    AUTHOR_GROUP = "author-group"
    """Group that the settings put the candidate's reader in; "" for a reader in none."""

    @property
    def words(self) -> str:
        """The property as people say it."""
        return self.value.replace("-", " ")

    def of(self, row: WorklistRow) -> str:
        """Return the property's key for a pair, which `GroupNames` turn into the name of its group."""
        return _KEYS[self](row)


def _month_key(performed: datetime | None, site: str) -> str:
    """The month, if no time zone moves it; else the whole moment and the site, whose zone does. As stores have it."""
    if performed is None:
        return ""
    told = performed.isoformat()
    return told[:_MONTH] if _SAFE_DAYS[0] <= performed.day <= _SAFE_DAYS[1] else f"{told} {site}"


_KEYS: Final[Mapping[Grouping, Callable[[WorklistRow], str]]] = {
    Grouping.SITE: lambda row: row.examination.site,
    Grouping.MODALITY: lambda row: row.examination.modality,
    Grouping.KIND: lambda row: row.kind.value,
    Grouping.MODEL: lambda row: row.model,
    Grouping.READER: lambda row: row.reader,
    Grouping.MONTH: lambda row: f"{row.arrived:%Y-%m}",
    Grouping.EXAMINATION_MONTH: lambda row: _month_key(row.examination.performed, row.examination.site),
    Grouping.AUTHOR_GROUP: lambda row: row.reader,
}


@frozen(kw_only=True)
class GroupNames:
    """Names of groups that depend on how a hospital is set up.

    Attributes:
        zone: time zone of sites that have none of their own.
        site_zones: time zone by site.
        author_groups: group by reader.
    """

    zone: str = "UTC"
    site_zones: Mapping[str, str] = field(factory=dict)
    author_groups: Mapping[str, str] = field(factory=dict)

    def name(self, grouping: Grouping, key: str) -> str:
        """Return the name of the group that a key of `Grouping.of` belongs to.

        >>> names = GroupNames(site_zones={"north": "Europe/Berlin"})
        >>> names.name(Grouping.EXAMINATION_MONTH, "2026-03-31T23:30:00+00:00 north")
        '2026-04'
        """
        match grouping:
            case Grouping.EXAMINATION_MONTH:
                moment, _, site = key.partition(" ")
                return moment if len(moment) <= _MONTH else self.month(datetime.fromisoformat(moment), site)
            case Grouping.AUTHOR_GROUP:
                return self.author_groups.get(key, "")
            case _:
                return key

    def month(self, moment: datetime, site: str) -> str:
        """Return the month of a moment at a site, for example "2026-03"."""
        return f"{moment.astimezone(self.zone_of(site)):%Y-%m}"

    def zone_of(self, site: str) -> ZoneInfo:
        """Return the time zone of a site."""
        return ZoneInfo(self.site_zones.get(site, self.zone))


@frozen(kw_only=True)
class Tally:
    """Number of pairs that are alike in everything that rates count.

    Attributes:
        names: keys of the groups that they are in, in the order in which groupings were asked for.
        state: of the pairs.
        concordant: whether nothing significant was found in them; meaningful for scored pairs only.
        major: whether the gravest of it requires action now; as ``concordant``.
        radpeer: score that a person confirmed, None where nobody did.
        weight: how many pairs each stands for.
        pairs: how many there are, 1 or more.
    """

    names: tuple[str, ...] = field(default=(), converter=in_tuple)
    state: PairState
    concordant: bool
    major: bool = False
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
            major=is_major(row.importance),
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
