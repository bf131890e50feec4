"""Pairs whose verdict stands, as what is learned from, and their split in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, tzinfo
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import ConfigurationError
from overread.hospital.domain.judgement import NamedDiscrepancy
from overread.hospital.domain.standing_verdicts import Ground

__all__ = [
    "Least",
    "LeftOut",
    "StandingPair",
    "StandingPairs",
    "TemporalSplit",
    "TrainingPurpose",
    "check_enough",
    "split_by_day",
]

_PARTS: Final = 3
"""One of so many parts of the pairs, or less, is later than the day that is chosen where none is given; ours."""


@frozen(kw_only=True)
class Least:
    """Least numbers of pairs, so that something can be learned and judged; ours.

    Attributes:
        earlier, later: pairs of either part.
        of_a_kind: of these, with a discrepancy and without; and discrepancies that are confirmed and refuted.
        sites: sites that a model is judged by.
        of_a_site: later pairs of each of these; of a site with fewer there are no figures.
    """

    earlier: int = 40
    later: int = 20
    of_a_kind: int = 5
    sites: int = 2
    of_a_site: int = 5


class TrainingPurpose(StrEnum):
    """Model that pairs are read for, as the audit trail names it."""

    SECOND_READER = "second reader"
    READOUT = "readout"


class LeftOut(StrEnum):
    """Reasons why a reviewed pair is not learned from."""

    UNSETTLED = "no verdict stands"
    BLINDED = "you read it blinded"
    NO_TEXT = "text no longer kept"
    NO_SITE = "of no site: two texts, not versions of reports"
    NO_TIME = "time of examination not known"
    NO_PATIENT = "patient not known"
    CROSSING = "patient also examined later"


@frozen(kw_only=True)
class StandingPair:
    """A pair with the verdict that stands.

    Attributes:
        number: of the pair.
        report_pair: both texts.
        site: of the first examination.
        performed: when that was, with its time zone.
        patient: name that pairs of one patient share, at whatever site; made for this reading, and no identifier.
        ground: why the verdict stands.
        protocol: number of the reading protocol that it was given in; None for none.
        named: the discrepancies that it names.
        unjudged: number of the program's discrepancies of which it says nothing.
    """

    number: int
    report_pair: ReportPair = field(repr=False)
    site: str
    performed: datetime
    patient: str
    ground: Ground
    protocol: int | None = None
    named: tuple[NamedDiscrepancy, ...] = field(default=(), converter=in_tuple)
    unjudged: int = 0

    @property
    def significant(self) -> int:
        """Number of named discrepancies that are significant, critical ones included."""
        return sum(each.severity.counts_as_significant for each in self.named)

    def day(self, zone_of: Callable[[str], tzinfo]) -> date:
        """Day of the examination at its site.

        Args:
            zone_of: time zone of a site.
        """
        return self.performed.astimezone(zone_of(self.site)).date()


@frozen(kw_only=True)
class StandingPairs:
    """Reviewed pairs whose verdict stands, in order of their numbers.

    Attributes:
        pairs: with their texts.
        left_out: numbers of the other reviewed pairs, by reason.
        digest: SHA-256 over the numbers of the pairs, by which a model's card and the audit trail are known to tell of
            the same.
    """

    pairs: tuple[StandingPair, ...] = field(converter=in_tuple, repr=False)
    left_out: Mapping[LeftOut, int] = field(factory=dict)
    digest: str = ""


@frozen(kw_only=True)
class TemporalSplit:
    """Pairs to learn from, and later ones to judge what was learned by; no patient has pairs in both.

    Attributes:
        day: the later ones are of examinations from this day on, in the time zone of their sites.
        earlier, later: the pairs.
        crossing: number of earlier pairs that are left out, since their patients have later ones too.
    """

    day: date
    earlier: tuple[StandingPair, ...] = field(converter=in_tuple, repr=False)
    later: tuple[StandingPair, ...] = field(converter=in_tuple, repr=False)
    crossing: int = 0

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites by name."""
        return tuple(sorted({pair.site for pair in (*self.earlier, *self.later)}))


def split_by_day(
    pairs: Sequence[StandingPair], zone_of: Callable[[str], tzinfo], day: date | None = None
) -> TemporalSplit:
    """Split pairs by the day of their examination at their site.

    The day is the same for all sites, so that nothing is learned at one of a time that another is judged by.

    Args:
        pairs: in any order.
        zone_of: time zone of a site.
        day: first one of the later part; the first after which a third of the pairs is left, or less, where omitted.

    Raises:
        ConfigurationError: if there is no pair.
    """
    if not pairs:
        raise ConfigurationError(["no pair has a verdict that stands, with its texts, patient and time of examination"])
    days = {pair.number: pair.day(zone_of) for pair in pairs}
    day = day or _day_of_last_part(sorted(days.values()))
    later = [pair for pair in pairs if days[pair.number] >= day]
    seen = {pair.patient for pair in later}
    before = [pair for pair in pairs if days[pair.number] < day]
    earlier = [pair for pair in before if pair.patient not in seen]
    return TemporalSplit(day=day, earlier=earlier, later=later, crossing=len(before) - len(earlier))


def _day_of_last_part(days: Sequence[date]) -> date:
    """The first day of the last part, which has no more than its share of the pairs; a day is not divided."""
    start = min(len(days) - len(days) // _PARTS, len(days) - 1)
    if start and days[start - 1] == days[start]:
        return min((day for day in days if day > days[start]), default=days[start])
    return days[start]


def check_enough(split: TemporalSplit, least: Least) -> None:
    """Checks that there is enough to learn from, and to judge by.

    Raises:
        ConfigurationError: naming each number that is too low, with what is needed.
    """
    problems = list(_lacking(split, least))
    if problems:
        day = split.day.isoformat()
        raise ConfigurationError(
            [f"too little to learn from in the pairs whose verdict stands, split at {day}", *problems]
        )


def _lacking(split: TemporalSplit, least: Least) -> Iterator[str]:
    parts = (
        ("before that day", split.earlier, least.earlier),
        ("from that day on", split.later, least.later),
    )
    for words, pairs, fewest in parts:
        wrong = sum(bool(pair.named) for pair in pairs)
        for what, count, needed in (
            ("pairs", len(pairs), fewest),
            ("pairs with a discrepancy", wrong, least.of_a_kind),
            ("pairs without one", len(pairs) - wrong, least.of_a_kind),
        ):
            if count < needed:
                yield f"{what} {words}: {count}; at least {needed} are needed"
    counts = Counter(pair.site for pair in split.later)
    sites = sum(count >= least.of_a_site for count in counts.values())
    if sites < least.sites:
        yield f"sites with {least.of_a_site} pairs or more from that day on: {sites}; at least {least.sites} are needed"
