"""Configuration of the hospital service."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from string import Formatter
from typing import Final
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Importance
from overread.exceptions import ConfigurationError
from overread.hospital.application.charts import ChartPlan
from overread.hospital.application.grouping import GroupNames
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.learning import Author
from overread.structuring import conform

__all__ = ["HospitalConfiguration", "ScoreMode", "TextMode"]

_NONE: Final = timedelta(0)
_DURATIONS: Final = ("lease", "retry_after", "retry_at_most", "hold", "keep_texts", "keep_data")
_KEPT: Final = ("keep_texts", "keep_data")
_LEAST_KEPT: Final = timedelta(hours=1)
"""Less is a number of days without its unit; ours."""

_LEAST_AUTHORS: Final = 3
"""Readers of a group: the rate of fewer would be that of persons; ours."""

_RUN_LENGTHS: Final = (10.0, 1e7)

_COUNTS: Final = ("attempts", "longest_report", "largest_batch")


class TextMode(StrEnum):
    """Ways to keep report text and the free text of reviews."""

    PLAIN = "plain"
    SEALED = "sealed"
    """Encrypted, by the keys of ``key_file`` or of the environment."""

    NONE = "none"
    """Only as long as a comparison needs it; digests and offsets stay."""


class ScoreMode(StrEnum):
    """Scores that pages ask reviewers for."""

    OFF = "off"
    """None: peer learning asks what can be learnt."""

    RADPEER = "radpeer"


_OF_EXAMINATION: Final = ("accession", "site", "modality")
"""Placeholders of a link to a PACS."""


@frozen(kw_only=True)
class HospitalConfiguration:
    """Settings of the service. They can be pickled.

    Attributes:
        store: path of an SQLite file, or URL of a PostgreSQL database (``postgresql://...``); not printed, since it may
            hold a password.
        allow_plain: whether a database on another machine may be reached without TLS, where something else seals the
            connection.
        texts: how report text is kept.
        key_file: file of the keys that seal it; those of the environment where None.
        lease: how long a worker has a job; after that, a worker that died loses its jobs. It should be longer than a
            batch of pairs takes to be scored.
        attempts: how many workers may die with a job before its pair is left unscored ("gave up"), 1 or more.
        retry_after: wait before jobs are tried again after a fault of the model or the store; doubled with each fault
            in a row, up to ``retry_at_most``.
        hold: how long a text that is not kept is held for the pairs that may still need it.
        keep_texts: how long texts are kept after their arrival; None for as long as the data.
        keep_data: how long refusals are kept, and examinations after their last version; None for ever.
        longest_report: most characters of a report, 1 or more; a longer one is refused.
        largest_batch: most pairs, or versions of reports, that are taken at once, 1 or more.
        deliver_to: targets that are told of pairs of high importance.
        deliver_from: the least importance that they are told of.
        zone: time zone of the sites, by its name in the IANA database, in which months of examinations are counted.
        site_zones: time zone by site, of those that are elsewhere.
        author_groups: group by reader, three readers a group or more; rates are told by group, not by reader.
        reference_since, reference_until: period of examinations whose rates are those in control on charts; half-open.
        chart_odds: odds ratio of a rise that charts shall notice, above 1.
        chart_run_length: pairs between false alarms of a chart, on average, 10 to 10 million.
        scores: which scores the pages ask reviewers for; a program that gives a RADPEER score is taken at its word.
        pacs_link: address of an examination's images, shown on the page of a pair; "" for none. {accession}, {site} and
            {modality} are replaced.
        authors: names by which reports name people, by the names that these sign in with: their own reports open to
            them.

    Raises:
        ConfigurationError: naming every value that cannot be used.
    """

    store: str = field(default="hospital.db", repr=False)
    allow_plain: bool = False
    texts: TextMode = TextMode.SEALED
    key_file: Path | None = None
    lease: timedelta = timedelta(minutes=5)
    attempts: int = 3
    retry_after: timedelta = timedelta(seconds=5)
    retry_at_most: timedelta = timedelta(minutes=5)
    hold: timedelta = timedelta(days=30)
    keep_texts: timedelta | None = None
    keep_data: timedelta | None = None
    longest_report: int = 100_000
    largest_batch: int = 1_000
    deliver_to: tuple[str, ...] = field(default=(), converter=in_tuple)
    deliver_from: Importance = Importance.URGENT
    zone: str = "UTC"
    site_zones: Mapping[str, str] = field(factory=dict)
    author_groups: Mapping[str, str] = field(factory=dict, repr=False)
    reference_since: datetime | None = None
    reference_until: datetime | None = None
    chart_odds: float = 2.0
    chart_run_length: float = 10_000.0
    scores: ScoreMode = ScoreMode.OFF
    pacs_link: str = ""
    authors: Mapping[str, tuple[str, ...]] = field(factory=dict, hash=False)

    def __attrs_post_init__(self) -> None:
        conform(self)
        problems = list(self._problems())
        if problems:
            raise ConfigurationError(problems)

    @property
    def group_names(self) -> GroupNames:
        """Names of the groups that depend on these settings."""
        return GroupNames(zone=self.zone, site_zones=self.site_zones, author_groups=self.author_groups)

    @property
    def chart_plan(self) -> ChartPlan:
        """Plan of the charts that these settings ask for."""
        return ChartPlan(
            reference_since=self.reference_since,
            reference_until=self.reference_until,
            odds=self.chart_odds,
            run_length=self.chart_run_length,
        )

    @property
    def asks_radpeer(self) -> bool:
        """True if the pages ask reviewers for RADPEER scores."""
        return self.scores is ScoreMode.RADPEER

    def zone_of(self, site: str) -> ZoneInfo:
        """The time zone of a site."""
        return self.group_names.zone_of(site)

    def author(self, name: str) -> Author:
        """An author by the name that they sign in with; of nothing where the settings do not name them."""
        return Author(name=name, known_as=self.authors.get(name, ()))

    def pacs_address(self, examination: Examination) -> str:
        """The address of an examination's images; "" where there is no link, or the examination has no number."""
        if not self.pacs_link or not examination.accession:
            return ""
        values = {name: quote(getattr(examination, name), safe="") for name in _OF_EXAMINATION}
        return self.pacs_link.format(**values)

    def _problems(self) -> Iterator[str]:
        if not self.store.strip():
            yield "store must be a path or a URL"
        for name in _DURATIONS:
            value = getattr(self, name)
            if value is not None and value <= _NONE:
                yield f"{name} must be a duration above 0"
        yield from self._problems_of_retention()
        for name in _COUNTS:
            if getattr(self, name) < 1:
                yield f"{name} must be a whole number of 1 or more"
        if not all(self.deliver_to):
            yield "deliver_to must be a list of names that are not empty"
        if self.retry_after > self.retry_at_most:
            yield "retry_after must not be longer than retry_at_most"
        yield from self._problems_of_counting()
        yield from self._problems_of_learning()

    def _problems_of_learning(self) -> Iterator[str]:
        if self.pacs_link and not _is_link(self.pacs_link):
            yield "pacs_link must be a web address with {accession}, and no other braces than {site} and {modality}"
        for name, known_as in self.authors.items():
            if not known_as or not all(each.strip() for each in known_as):
                yield f"authors.{name} must be a list of names that are not empty"

    def _problems_of_retention(self) -> Iterator[str]:
        for name in _KEPT:
            value = getattr(self, name)
            if value is not None and _NONE < value < _LEAST_KEPT:
                duration = f"{value.total_seconds():g} seconds, after which all is deleted"
                yield f'{name} is {duration}; give its unit, as in "90 d"'
        if self.keep_texts is not None and self.keep_data is not None and self.keep_texts > self.keep_data:
            yield "keep_texts must not be longer than keep_data: a text is deleted with its examination"

    def _problems_of_counting(self) -> Iterator[str]:
        for name, zone in (("zone", self.zone), *((f"site_zones.{site}", of) for site, of in self.site_zones.items())):
            if not _is_zone(zone):
                yield f"{name} must be a time zone of the IANA database, such as Europe/Berlin"
        for group, readers in Counter(self.author_groups.values()).items():
            if not group:
                yield "author_groups must name a group for each reader"
            elif readers < _LEAST_AUTHORS:
                yield f"author_groups must have {_LEAST_AUTHORS} readers or more in each group: {group!r} has {readers}"
        since, until = self.reference_since, self.reference_until
        if since is not None and until is None:
            yield "reference_since needs reference_until: charts begin where the period of reference ends"
        if since is not None and until is not None and since >= until:
            yield "reference_since must be before reference_until"
        if not 1 < self.chart_odds < math.inf:
            yield "chart_odds must be above 1"
        least, most = _RUN_LENGTHS
        if not least <= self.chart_run_length <= most:
            yield f"chart_run_length must be {least:,.0f} to {most:,.0f} pairs"


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError, ValueError):
        return False
    return True


def _is_link(link: str) -> bool:
    try:
        parts = urlsplit(link)
        fields = [(name, spec, how) for _, name, spec, how in Formatter().parse(link) if name is not None]
    except ValueError:
        return False
    names = {name for name, spec, how in fields if not spec and not how}
    is_plain = len(fields) == sum(name in _OF_EXAMINATION and not spec and not how for name, spec, how in fields)
    is_web = parts.scheme in {"http", "https"} and bool(parts.hostname) and "{" not in parts.netloc
    return is_web and is_plain and "accession" in names and link.isascii() and link.isprintable() and " " not in link
