"""The invented day through the real doors: HL7 over TCP, FHIR over HTTP, files in a folder, SQLite and PostgreSQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from attrs import field, frozen

from overread.application.statistics.screening import AreaUnderRoc, SensitivityAtSpecificity
from overread.hospital.application.requests import Refusal, Search, Withdrawn
from overread.hospital.application.service import HospitalService
from overread.hospital.bootstrap.demo import outcome_of_day, send_day, wait_until_scored
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.demo_day import Sending, hospital_day
from overread.hospital.infrastructure.demo_day.cases import Truth

from ..hospital_day_expectations import (
    ExpectedPair,
    ExpectedRefusal,
    expected_pairs,
    expected_refusals,
    found_pairs,
    trace,
)
from ..hospital_standing import standing_hospital

_LEAD: Final = Actor(name="lead", roles=frozenset({Role.ADMIN}))
_CODES: Final = {
    "unknown status": "unknown-status",
    "no accession number": "no-accession",
    "not an ORU^R01": "not-oru-r01",
    "escape sequence that cannot be read": "bad-escape",
    "unknown character set": "unknown-charset",
    "no text": "no-text",
    "too large": "too-large",
    "a PDF that is none": "bad-pdf",
    "base64 that cannot be decoded": "not-fhir",
}
"""The reasons of the list by hand as the codes that the doors give."""

_FILE_CODES: Final = {
    "a row with an unknown status": "bad-rows",
    "no Parquet": "unreadable-file",
    "a line that is no JSON": "bad-rows",
    "a row without text": "bad-rows",
}

_WITHDRAWN: Final = 1
"""Pairs of the day whose final report is cancelled after they were made."""

_EVERYDAY: Final = frozenset({"usual", "final-only", "preliminary-only", "draft-final", "draft-preliminary-final"})
_EVERY: Final = 6


@frozen(kw_only=True)
class _Day:
    """A service that has had the day, or an excerpt of it.

    Attributes:
        service: that had it.
        sendings: what it was sent.
        pairs: what it made of that, by number.
    """

    service: HospitalService = field(repr=False)
    sendings: tuple[Sending, ...] = field(repr=False)
    pairs: dict[int, ExpectedPair] = field(repr=False)

    @property
    def wanted(self) -> list[ExpectedPair]:
        """The pairs of the list by hand whose messages were sent."""
        names = {each.name for each in self.sendings}
        return sorted(pair for pair in expected_pairs() if names.issuperset(pair.candidate + pair.reference))

    @property
    def wanted_refusals(self) -> list[tuple[str, str, str]]:
        """Those of the list by hand."""
        names = {each.name for each in self.sendings} | {each.file for each in self.sendings}
        return sorted(_wanted(each) for each in expected_refusals() if each.message in names)

    @property
    def refusals(self) -> list[tuple[str, str, str]]:
        """Way, message and reason of all that was refused."""
        return sorted(_told(each) for each in self.service.refusals(by=_LEAD, limit=1000))


@contextmanager
def _had(place: Path | str, folder: Path, sendings: tuple[Sending, ...]) -> Iterator[_Day]:
    with standing_hospital(place, folder) as (service, doors):
        send_day(doors, day=sendings)
        wait_until_scored(service, by=_LEAD)
        yield _Day(service=service, sendings=sendings, pairs=found_pairs(service, _LEAD))


def _excerpt() -> tuple[Sending, ...]:
    """All that is unusual, and every sixth examination that is not."""
    return tuple(
        each
        for each in hospital_day()
        if each.story not in _EVERYDAY or int(each.version.examinations[0].accession[1:]) % _EVERY == 0
    )


@pytest.fixture(scope="module", params=["excerpt", pytest.param("whole", marks=pytest.mark.slow)])
def day(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Day]:
    """On SQLite."""
    place, folder = tmp_path_factory.mktemp("store") / "hospital.db", tmp_path_factory.mktemp("inbox")
    with _had(place, folder, hospital_day() if request.param == "whole" else _excerpt()) as had:
        yield had


def test_the_pairs_are_those_of_the_list_by_hand(day: _Day) -> None:
    """Every pair that a radiologist expects, no other and none twice, late, resent, split and corrected as they are."""
    assert sorted(day.pairs.values()) == day.wanted


def test_the_refusals_are_those_of_the_list_by_hand(day: _Day) -> None:
    """Each message that cannot be taken is refused once, by its number and with its reason."""
    assert day.refusals == day.wanted_refusals


def test_what_is_accepted_is_there_and_nothing_is_there_twice(day: _Day) -> None:
    """Each message without a fault is one version of its examinations, however often it was sent."""
    accepted = {each.name: each.version for each in day.sendings if not each.fault and not each.file}
    keys = {key for version in accepted.values() for key in version.keys}
    records = [day.service.examination(key, by=_LEAD) for key in keys]
    kept = {kept.number: kept.version for record in records for kept in record.versions}

    assert Counter(map(trace, kept.values())) == Counter(map(trace, accepted.values()))


def test_every_pair_is_scored(day: _Day) -> None:
    """Nothing waits, and no pair of the day is one that cannot be scored."""
    outcome = outcome_of_day(day.service, by=_LEAD)

    assert sum(outcome.pairs.values()) == len(day.wanted) - _WITHDRAWN
    assert outcome.unscored == 0


def test_a_report_that_is_withdrawn_takes_its_pair_along(day: _Day) -> None:
    """It is on nobody's list, and there when it is asked for."""
    rows = day.service.search(Search(withdrawn=Withdrawn.ONLY), by=_LEAD).rows
    assert [day.pairs[row.pair].candidate for row in rows] == [("N1151-P1",)]
    assert len(rows) == _WITHDRAWN


def test_discordant_reports_rank_above_concordant_ones(day: _Day) -> None:
    """By risk, as docs/hospital.md tells with its figures; the bounds leave room for a reader that changes."""
    rows = list(day.service.export(Search(), by=_LEAD))
    differs = np.array([_truth(day, row.pair) is Truth.DISCORDANT for row in rows], dtype=float)
    risks = np.array([row.risk for row in rows], dtype=float)

    assert AreaUnderRoc().value(risks, differs) > 0.95
    assert SensitivityAtSpecificity(0.95).value(risks, differs) > 0.8


def test_the_worklist_begins_with_what_matters(day: _Day) -> None:
    """All pairs at its head differ clinically: as many as a quarter of those that do, 20 on the whole day."""
    head = sum(pair.differs is Truth.DISCORDANT for pair in day.wanted) // 4
    first = day.service.search(Search(limit=head), by=_LEAD).rows

    assert [_truth(day, row.pair) for row in first] == [Truth.DISCORDANT] * head


@pytest.mark.slow
def test_the_same_comes_of_it_in_postgresql(postgres_url: str, tmp_path: Path) -> None:
    """The pairs and refusals of the list by hand, all scored."""
    with _had(postgres_url, tmp_path, hospital_day()) as had:
        assert sorted(had.pairs.values()) == sorted(expected_pairs())
        assert had.refusals == had.wanted_refusals
        assert outcome_of_day(had.service, by=_LEAD).unscored == 0


def _truth(day: _Day, number: int) -> Truth:
    """What the list by hand says of a pair."""
    return next(pair.differs for pair in expected_pairs() if pair == day.pairs[number])


def _told(refusal: Refusal) -> tuple[str, str, str]:
    """Way, message and reason; FHIR names a message SITE/REPORT/VERSION, a folder by its file."""
    name = refusal.message
    if refusal.source == "fhir":
        _, report, version = name.split("/")
        name = f"{report[:-1]}-{version}"
    return refusal.source, name.partition(".")[0], refusal.reason


def _wanted(refusal: ExpectedRefusal) -> tuple[str, str, str]:
    reason = (_FILE_CODES if refusal.channel == "folder" else _CODES)[refusal.why]
    return refusal.channel, refusal.message, reason
