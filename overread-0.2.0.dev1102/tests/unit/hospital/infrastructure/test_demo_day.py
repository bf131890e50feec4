"""The invented hospital's day."""

from __future__ import annotations

from collections import Counter

import pytest

from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.demo_day import Channel, Sending, hospital_day
from overread.hospital.infrastructure.demo_day.cases import Case, Truth, Wording, cases
from overread.hospital.infrastructure.demo_day.tables import rows

from ....hospital_day_expectations import ExpectedPair, expected_pairs, expected_refusals

_VARIANTS = (0, 1)


@pytest.fixture(scope="module")
def named() -> dict[str, Sending]:
    """Messages by name; one that was sent again counts once."""
    return {each.name: each for each in hospital_day()}


def test_three_hundred_examinations_come_by_three_ways() -> None:
    """180 by HL7, 80 by FHIR and 40 by the folder."""
    found = {(each.channel, key) for each in hospital_day() for key in each.version.keys}

    assert Counter(channel for channel, _ in found) == {Channel.HL7: 180, Channel.FHIR: 80, Channel.FOLDER: 40}


@pytest.mark.parametrize("case", cases().values(), ids=lambda case: case.name)
def test_each_case_can_be_written_in_every_wording_and_variant(case: Case) -> None:
    """What an earlier report says instead stands once in the final one; where it matters there is a note."""
    for wording in (Wording.DRAFT, Wording.PRELIMINARY):
        truth = case.truths[wording]
        for variant in _VARIANTS:
            final, earlier = case.said(Wording.FINAL, variant), case.said(wording, variant)
            assert (earlier == final) == (truth is Truth.SAME)
            assert not set("{|}") & set(final.findings + final.impression + earlier.findings + earlier.impression)
        assert bool(case.notes[wording]) == (truth is Truth.DISCORDANT)


def test_every_case_is_seen_that_day() -> None:
    """No report was written in vain."""
    used = {row["case"] for row in rows("studies.csv")}
    used |= {name for row in rows("messages.csv") for name in row["cases"].split("+")}

    assert used == set(cases())


def test_reports_differ() -> None:
    """Findings are written out more than 120 times, not filled into a few templates."""
    assert len({case.findings for case in cases().values()}) > 120


def test_a_version_is_known_by_accessions_status_filler_author_and_time(named: dict[str, Sending]) -> None:
    """So that what a store kept can be traced back to the message that brought it."""
    taken = [each.version for each in named.values() if not each.fault and not each.file]
    known = {(each.keys, each.status, each.filler, each.model, each.issued) for each in taken}

    assert len(known) == len(taken)


@pytest.mark.parametrize(
    "story",
    [
        "late-preliminary",
        "resent-same-message",
        "resent-new-message",
        "corrected",
        "correction-of-correction",
        "corrected-after-a-year",
        "addendum",
        "several-accessions",
        "split-final",
        "split-preliminary",
        "two-reports",
        "final-only",
        "preliminary-only",
        "cancelled",
        "draft-preliminary-final",
        "two-models",
        "correction-before-final",
        "partial",
        "dictated-again",
        "broken",
    ],
)
def test_what_is_unusual_happens_more_than_once(story: str) -> None:
    """At least two examinations go each of the ways that are hard to get right."""
    assert len({each.version.keys for each in hospital_day() if each.story == story}) >= 2


def test_expectations_name_messages_of_the_day(named: dict[str, Sending]) -> None:
    """Each pair has messages of its examinations, and each refused message has a fault or stands in a file with one."""
    for pair in expected_pairs():
        sides = [named[name] for name in pair.candidate + pair.reference]
        assert {key.accession for each in sides for key in each.version.keys} == set(pair.accessions)
        assert not any(each.fault for each in sides)
    faulty = {each.file or each.name for each in named.values() if each.fault and each.fault != "cut"}
    assert {each.message for each in expected_refusals()} == faulty


@pytest.mark.parametrize("pair", expected_pairs(), ids=lambda pair: f"{pair.kind}:{pair.reference[0]}")
def test_what_differs_is_what_the_cases_say(pair: ExpectedPair, named: dict[str, Sending]) -> None:
    """The list by hand and the errors written into the reports agree; equal texts differ in nothing."""
    candidate, reference = ([named[name] for name in side] for side in (pair.candidate, pair.reference))
    if any(each.truth is not Truth.SAME for each in reference):
        assert pair.differs is Truth.SAME  # the error stands in the final report too, until it is corrected
    elif not any(each.version.status is ReportStatus.CORRECTED for each in candidate):
        found = {each.truth for each in candidate}
        assert pair.differs is next(truth for truth in Truth if truth in found)


def test_a_realistic_share_of_preliminary_reports_is_discordant() -> None:
    """Between an eighth and a fifth; a quarter or more is only worded differently."""
    told = [each for each in expected_pairs() if each.kind == "preliminary-final"]
    shares = {truth: sum(each.differs is truth for each in told) / len(told) for truth in Truth}

    assert 0.12 < shares[Truth.DISCORDANT] < 0.2
    assert shares[Truth.STYLE] > 0.25
