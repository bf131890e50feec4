"""Which versions are read against each other, rule by rule."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from overread.hospital.domain.examination import Examination
from overread.hospital.domain.pairing_rules import doubts_of, pairs_of
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.version_pairs import DoubtReason, PairKind

_DAY = datetime(2026, 3, 1, 8, tzinfo=UTC)

DRAFT, P, R, F, C = (
    ReportStatus.DRAFT,
    ReportStatus.PRELIMINARY,
    ReportStatus.PARTIAL,
    ReportStatus.FINAL,
    ReportStatus.CORRECTED,
)

Said = tuple[ReportStatus, float]
"""Status and the hour at which it was issued."""


def _version(
    status: ReportStatus,
    issued: float | None,
    *,
    of: str = "A",
    text: str = "",
    filler: str = "",
    model: str = "",
) -> ReportVersion:
    return ReportVersion(
        examinations=tuple(Examination(site="north", accession=accession) for accession in of),
        status=status,
        text=text or f"{status} at {issued} of {filler} {model}",
        filler=filler,
        model=model,
        issued=None if issued is None else _DAY + timedelta(hours=issued),
        source="hl7",
    )


def _kept(versions: Sequence[ReportVersion]) -> list[KeptVersion]:
    """Versions as they arrived, one a minute, a day later: numbered from 1."""
    return [
        KeptVersion(number=number, arrived=_DAY + timedelta(days=1, minutes=number), version=version)
        for number, version in enumerate(versions, start=1)
    ]


def _pairs(*versions: ReportVersion) -> list[str]:
    """The pairs as "kind candidate>reference", versions counted in the order of arrival from 1."""
    return _told_short(_kept(versions))


def _told_short(kept: Sequence[KeptVersion]) -> list[str]:
    short = {
        PairKind.PRELIMINARY_FINAL: "PF",
        PairKind.FINAL_CORRECTED: "FC",
        PairKind.DRAFT_FINAL: "DF",
    }
    return [
        f"{short[pair.kind]} {'+'.join(map(str, pair.candidate))}>{'+'.join(map(str, pair.reference))}"
        for pair in pairs_of(kept)
    ]


@pytest.mark.parametrize(
    ("story", "versions", "expected"),
    [
        ("nothing", [], []),
        ("a preliminary report alone waits", [_version(P, 1)], []),
        ("a final alone was first said by nobody else", [_version(F, 2)], []),
        ("preliminary against final", [_version(P, 1), _version(F, 2)], ["PF 1>2"]),
        (
            "equal texts are compared: rates count them",
            [_version(P, 1, text="x"), _version(F, 2, text="x")],
            ["PF 1>2"],
        ),
        ("a resident dictates again", [_version(P, 1), _version(P, 1.5), _version(F, 2)], ["PF 2>3"]),
        ("a late preliminary is still what was said first", [_version(F, 2), _version(P, 1)], ["PF 2>1"]),
        ("one written after the final may know it", [_version(F, 2), _version(P, 3)], []),
        (
            "nor is it joined to the earlier one for a later final on its examination",
            [_version(P, 0, of="AB"), _version(P, 1, of="B"), _version(F, 0, of="AB"), _version(F, 1, of="B")],
            ["PF 1>3+4"],
        ),
        (
            "nor is it where its report has an earlier version, on another examination",
            [
                _version(P, 0, of="B", filler="1"),
                _version(P, 0, of="AB"),
                _version(P, 1, of="A", filler="1"),
                _version(F, 0, of="A"),
                _version(F, 1, of="AB"),
            ],
            ["PF 2>4+5"],
        ),
        ("nor does it displace the earlier one", [_version(P, 1), _version(F, 2), _version(P, 3)], ["PF 1>2"]),
        ("without a time of issue, one that arrives late counts", [_version(F, 2), _version(P, None)], ["PF 2>1"]),
        ("but one that tells its time is preferred", [_version(P, 1), _version(F, 2), _version(P, None)], ["PF 1>2"]),
        ("minutes are coarse: equal times", [_version(F, 2), _version(P, 2), _version(C, 2)], ["PF 2>1", "FC 1>3"]),
        ("corrected", [_version(P, 1), _version(F, 2), _version(C, 3)], ["PF 1>2", "FC 2>3"]),
        ("corrected twice", [_version(F, 2), _version(C, 3), _version(C, 4)], ["FC 1>2", "FC 2>3"]),
        ("corrected after a year", [_version(P, 1), _version(F, 2), _version(C, 9000)], ["PF 1>2", "FC 2>3"]),
        ("a correction that comes before its final waits", [_version(P, 1), _version(C, 3)], []),
        ("and is found when it is there", [_version(P, 1), _version(C, 3), _version(F, 2)], ["PF 1>3", "FC 3>2"]),
        ("also when no time is told", [_version(C, None), _version(F, None)], ["FC 2>1"]),
        ("two corrections without their final", [_version(C, 3), _version(C, 4)], ["FC 1>2"]),
        ("a signed report that changes is corrected", [_version(F, 2), _version(F, 3)], ["FC 1>2"]),
        (
            "the preliminary belongs to the first of them",
            [_version(P, 1), _version(F, 2), _version(F, 3)],
            ["PF 1>2", "FC 2>3"],
        ),
        (
            "a preliminary sent again",
            [_version(P, 1, text="x"), _version(P, 1.2, text="x"), _version(F, 2)],
            ["PF 1>3"],
        ),
        ("a final sent again", [_version(P, 1), _version(F, 2, text="x"), _version(F, 3, text="x")], ["PF 1>2"]),
        (
            "a correction sent again",
            [_version(F, 2), _version(C, 3, text="x"), _version(C, 4, text="x")],
            ["FC 1>2"],
        ),
        (
            "a final sent again after its correction",
            [_version(F, 2, text="x"), _version(C, 3), _version(F, 4, text="x")],
            ["FC 1>2"],
        ),
        (
            "a correction of the header alone is compared",
            [_version(F, 2, text="x"), _version(C, 3, text="x")],
            ["FC 1>2"],
        ),
    ],
)
def test_one_report_of_one_examination(story: str, versions: list[ReportVersion], expected: list[str]) -> None:
    """The versions of one report are compared as the rule says."""
    assert _pairs(*versions) == expected, story


@pytest.mark.parametrize(
    ("story", "versions", "expected"),
    [
        ("draft against final", [_version(DRAFT, 1), _version(F, 2)], ["DF 1>2"]),
        ("a draft is nobody's preliminary report", [_version(DRAFT, 1), _version(P, 1.5)], []),
        ("beside the resident's", [_version(DRAFT, 1), _version(P, 1.5), _version(F, 2)], ["PF 2>3", "DF 1>3"]),
        ("as it stood when it was signed", [_version(DRAFT, 1), _version(DRAFT, 1.5), _version(F, 2)], ["DF 2>3"]),
        (
            "a new number each run makes no further report",
            [_version(DRAFT, 1, filler="r1"), _version(DRAFT, 1.5, filler="r2"), _version(F, 2, filler="1")],
            ["DF 2>3"],
        ),
        ("a model that ran later had not read it either", [_version(F, 2), _version(DRAFT, 3)], ["DF 2>1"]),
        (
            "and answers once",
            [_version(F, 2), _version(DRAFT, 3), _version(DRAFT, 4)],
            ["DF 2>1"],
        ),
        (
            "each model on its own",
            [_version(DRAFT, 1, model="one 1.0"), _version(DRAFT, 1, model="two 2.1"), _version(F, 2)],
            ["DF 1>3", "DF 2>3"],
        ),
        ("never with a correction", [_version(DRAFT, 1), _version(F, 2), _version(C, 3)], ["DF 1>2", "FC 2>3"]),
    ],
)
def test_drafts(story: str, versions: list[ReportVersion], expected: list[str]) -> None:
    """What a model drafted is compared with the first final, each model's once."""
    assert _pairs(*versions) == expected, story


@pytest.mark.parametrize(
    ("story", "versions", "expected"),
    [
        ("two examinations in one report: one pair", [_version(P, 1, of="AB"), _version(F, 2, of="BA")], ["PF 1>2"]),
        ("the first part alone waits", [_version(P, 1, of="AB"), _version(F, 2, of="B")], []),
        (
            "split on signing, joined by accession number",
            [_version(P, 1, of="AB"), _version(F, 2, of="B"), _version(F, 3, of="A")],
            ["PF 1>3+2"],
        ),
        (
            "the first part keeps the number",
            [
                _version(P, 1, of="AB", filler="1"),
                _version(F, 2, of="A", filler="1"),
                _version(F, 3, of="B", filler="2"),
            ],
            ["PF 1>2+3"],
        ),
        ("put together on signing: one is not there", [_version(P, 1, of="B"), _version(F, 2, of="AB")], []),
        (
            "put together on signing",
            [_version(P, 1, of="B"), _version(P, 1.2, of="A"), _version(F, 2, of="AB")],
            ["PF 2+1>3"],
        ),
        (
            "each part as it last stood",
            [_version(P, 1, of="A"), _version(P, 1.1, of="B"), _version(P, 1.2, of="A"), _version(F, 2, of="AB")],
            ["PF 3+2>4"],
        ),
        (
            "two reports of one examination, told apart by number",
            [
                _version(P, 1, filler="1"),
                _version(P, 1, filler="2"),
                _version(F, 3, filler="2"),
                _version(F, 2, filler="1"),
            ],
            ["PF 1>4", "PF 2>3"],
        ),
        (
            "one that was read at night, signed in two reports",
            [_version(P, 1, filler="9"), _version(F, 3, filler="2"), _version(F, 2, filler="1")],
            ["PF 1>3+2"],
        ),
        (
            "a wet read under its own number makes way for the resident's report",
            [_version(P, 1, filler="w"), _version(P, 1.5, filler="1"), _version(F, 2, filler="1")],
            ["PF 2>3"],
        ),
        (
            "and is compared where there is no other",
            [_version(P, 1, filler="w"), _version(F, 2, filler="1"), _version(P, 3, filler="1")],
            ["PF 1>2"],
        ),
        (
            "a draft on both, signed apart",
            [_version(DRAFT, 1, of="AB"), _version(F, 2, of="A"), _version(F, 2, of="B")],
            ["DF 1>2+3"],
        ),
        (
            "a final by another way, without the number, is the same report",
            [_version(P, 1, filler="1"), _version(F, 2, filler="1", text="x"), _version(F, 2, text="x")],
            ["PF 1>2"],
        ),
        (
            "corrected under a new number",
            [_version(F, 2, filler="1"), _version(C, 3, filler="2"), _version(C, 4, filler="3")],
            ["FC 1>2", "FC 2>3"],
        ),
        (
            "two finals corrected together",
            [_version(F, 2, of="A"), _version(F, 2, of="B"), _version(C, 3, of="AB")],
            ["FC 1+2>3"],
        ),
        (
            "which of two reports a correction means must be told",
            [_version(F, 2, filler="1"), _version(F, 2, filler="2"), _version(C, 3, filler="3")],
            [],
        ),
        (
            "the split is corrected in one part",
            [_version(P, 1, of="AB"), _version(F, 2, of="A"), _version(F, 2, of="B"), _version(C, 3, of="B")],
            ["PF 1>2+3", "FC 3>4"],
        ),
        (
            "a chain of shared reports is not one examination",
            [_version(P, 1, of="A"), _version(F, 2, of="A"), _version(P, 1, of="B"), _version(F, 2, of="B")],
            ["PF 1>2", "PF 3>4"],
        ),
    ],
)
def test_several_examinations_and_reports(story: str, versions: list[ReportVersion], expected: list[str]) -> None:
    """What is reported together on one side and apart on the other is joined, and compared once."""
    assert _pairs(*versions) == expected, story


@pytest.mark.parametrize(
    ("story", "versions", "expected"),
    [
        (
            "an addendum stands beside the final",
            [_version(P, 1), _version(F, 2), _version(ReportStatus.ADDENDUM, 3)],
            ["PF 1>2"],
        ),
        ("and is none itself", [_version(P, 1), _version(ReportStatus.ADDENDUM, 3)], []),
        ("a partial report where there is no other", [_version(R, 1), _version(F, 2)], ["PF 1>2"]),
        ("a partial report makes way", [_version(R, 1.5), _version(P, 1), _version(F, 2)], ["PF 2>3"]),
        ("withdrawn before the final", [_version(P, 1), _version(ReportStatus.CANCELLED, 1.5), _version(F, 2)], []),
        ("withdrawn with its final", [_version(P, 1), _version(F, 2), _version(ReportStatus.CANCELLED, 3)], []),
        (
            "reported anew after it was withdrawn",
            [_version(F, 1), _version(ReportStatus.CANCELLED, 2), _version(P, 3), _version(F, 4)],
            ["PF 3>4"],
        ),
        (
            "only the report that is named is withdrawn",
            [
                _version(P, 1, filler="1"),
                _version(F, 2, filler="1"),
                _version(ReportStatus.CANCELLED, 3, filler="2"),
            ],
            ["PF 1>2"],
        ),
    ],
)
def test_what_is_not_compared(story: str, versions: list[ReportVersion], expected: list[str]) -> None:
    """Addenda and cancelled reports make no pairs, partial ones only in want of a preliminary one."""
    assert _pairs(*versions) == expected, story


def test_texts_that_are_no_longer_kept_make_their_pairs() -> None:
    """Whether blank texts are equal is not known: a final that changed is not taken for one sent again."""
    versions = [_version(P, 1, text=" "), _version(F, 2, text=" "), _version(F, 3, text=" ")]
    blank = [
        KeptVersion(number=kept.number, arrived=kept.arrived, version=kept.version, has_text=False)
        for kept in _kept(versions)
    ]
    assert [pair.candidate + pair.reference for pair in pairs_of(blank)] == [(1, 2), (2, 3)]


def test_pairs_stay_when_texts_are_dropped() -> None:
    """By their digests equal texts are known: a preliminary report is not compared twice, nor a final with itself."""
    versions = [
        _version(P, 1, text="x", filler="1"),
        _version(P, 2, text="x"),
        _version(F, 3, text="y"),
        _version(F, 4, text="y", filler="1"),
        _version(C, 5, text="z", filler="1"),
    ]
    kept = [
        KeptVersion(number=each.number, arrived=each.arrived, version=each.version, digest=each.version.text.text)
        for each in _kept(versions)
    ]
    dropped = [evolve(each, version=evolve(each.version, text=""), has_text=False) for each in kept]
    assert pairs_of(dropped) == pairs_of(kept) == pairs_of(_kept(versions))


def test_an_accession_number_that_is_used_again_is_another_examination() -> None:
    """A year later nothing is compared with the former one's report, but its own late correction is."""

    def told(status: ReportStatus, day: int, performed: int | None) -> ReportVersion:
        at = None if performed is None else _DAY + timedelta(days=performed)
        return evolve(
            _version(status, 24.0 * day), examinations=(Examination(site="north", accession="A", performed=at),)
        )

    versions = [told(P, 1, 0), told(F, 2, 0), told(P, 400, 400), told(F, 401, None), told(C, 402, 0), told(C, 403, 400)]
    assert sorted(_pairs(*versions)) == ["FC 2>5", "FC 4>6", "PF 1>2", "PF 3>4"]
    assert sorted(_pairs(*versions[::-1])) == ["FC 3>1", "FC 5>2", "PF 4>3", "PF 6>5"]


def _at(status: ReportStatus, issued: int, arrived: int) -> tuple[int, ReportVersion]:
    """A version with the minutes at which it says it was issued and at which it arrived."""
    return arrived, _version(status, issued / 60)


@pytest.mark.parametrize(
    ("story", "arrivals", "expected"),
    [
        ("the sender's clock is minutes ahead", [_at(P, 10, 3), _at(F, 5, 6)], ["PF 1>2"]),
        ("or the final's is behind", [_at(P, 3, 3), _at(F, -10, 6)], ["PF 1>2"]),
        ("it is the last that counts", [_at(P, 0, 1), _at(P, 10, 3), _at(F, 5, 6)], ["PF 2>3"]),
        ("hours ahead, which its own arrival shows", [_at(P, 70, 3), _at(F, 5, 6)], ["PF 1>2"]),
        ("both ahead, and one overtakes the other", [_at(F, 65, 5), _at(P, 60, 6)], ["PF 2>1"]),
        ("a final that was held up was written first", [_at(P, 60, 61), _at(F, 0, 120)], []),
        ("what is sent after the final may know it", [_at(F, 5, 6), _at(P, 6, 7)], []),
        ("and never displaces what was first", [_at(P, 1, 1), _at(F, 5, 6), _at(P, 6, 7)], ["PF 1>2"]),
        ("the order within one message says nothing", [_at(P, 10, 20), _at(F, 5, 20)], []),
        ("a correction's clock is behind", [_at(F, 10, 3), _at(C, 5, 6)], ["FC 1>2"]),
    ],
)
def test_clocks_differ(story: str, arrivals: list[tuple[int, ReportVersion]], expected: list[str]) -> None:
    """What arrived before a final was there before it, where its time is no more than a clock's fault."""
    kept = [
        KeptVersion(number=number, arrived=_DAY + timedelta(minutes=arrived), version=version)
        for number, (arrived, version) in enumerate(arrivals, start=1)
    ]
    assert _told_short(kept) == expected, story


def _doubts(kept: Sequence[KeptVersion]) -> list[tuple[int, DoubtReason]]:
    return [(doubt.version, doubt.reason) for doubt in doubts_of(kept)]


_AGAIN = DoubtReason.NUMBER_USED_AGAIN


@pytest.mark.parametrize(
    ("story", "versions", "expected", "doubtful"),
    [
        (
            "used again, or read again: what was said a year later is compared with what was signed then",
            [_version(P, 1), _version(F, 2), _version(P, 9000), _version(F, 9001)],
            ["PF 1>2", "PF 3>4"],
            [(3, _AGAIN), (4, _AGAIN)],
        ),
        ("a final a year later is of nobody knows what", [_version(F, 2), _version(F, 9000)], [], [(2, _AGAIN)]),
        ("a correction says what it is of", [_version(F, 2), _version(C, 9000)], ["FC 1>2"], []),
        (
            "and so does one of the second",
            [_version(F, 2), _version(F, 9000), _version(C, 9001)],
            ["FC 2>3"],
            [(2, _AGAIN), (3, _AGAIN)],
        ),
        ("within half a year it is one", [_version(P, 1), _version(F, 4000)], ["PF 1>2"], []),
    ],
)
def test_a_number_used_again_without_a_date(
    story: str, versions: list[ReportVersion], expected: list[str], doubtful: list[tuple[int, DoubtReason]]
) -> None:
    """What comes half a year after all others is not compared with them unless it corrects them, and that is told."""
    kept = [evolve(each, arrived=_DAY + timedelta(days=1000, minutes=each.number)) for each in _kept(versions)]
    assert (_told_short(kept), _doubts(kept)) == (expected, doubtful), story


def test_an_old_examination_that_is_reported_now_is_one() -> None:
    """A report without a date is of the examination whose report was made beside it, however long ago that was."""
    old = Examination(site="north", accession="A", performed=_DAY - timedelta(days=800))
    kept = _kept([_version(P, 1), evolve(_version(F, 2), examinations=(old,))])
    assert (_told_short(kept), _doubts(kept)) == (["PF 1>2"], [])


_OPENS = DoubtReason.OPENS_AS_ADDENDUM


@pytest.mark.parametrize(
    ("story", "versions", "expected", "doubtful"),
    [
        (
            "it comes first under a number of its own",
            [_version(P, 1, filler="9"), _version(F, 3, filler="2", text="*** ADDENDUM ***\nSmall effusion.")],
            [],
            [(2, _OPENS)],
        ),
        (
            "and is not joined to the final",
            [
                _version(P, 1, filler="9"),
                _version(F, 3, filler="2", text="Addendum #1: small effusion."),
                _version(F, 2, filler="1"),
            ],
            ["PF 1>3"],
            [(2, _OPENS)],
        ),
        (
            "without times, too",
            [_version(P, None), _version(F, None, text="ADDENDA\n1. Nodule."), _version(F, None, text="x")],
            ["PF 1>3"],
            [(2, _OPENS)],
        ),
        (
            "a final that opens so later on is a correction",
            [_version(F, 2, filler="1"), _version(F, 3, filler="1", text="Addendum: nodule.\nOriginal report: clear.")],
            ["FC 1>2"],
            [],
        ),
    ],
)
def test_a_final_that_opens_as_an_addendum(
    story: str, versions: list[ReportVersion], expected: list[str], doubtful: list[tuple[int, DoubtReason]]
) -> None:
    """An addendum that is called final, and comes before what it adds to, is not taken for the final."""
    assert (_pairs(*versions), _doubts(_kept(versions))) == (expected, doubtful), story


_ALONE = DoubtReason.HOLDS_ADDITION_ALONE
_REPORT = (
    "FINDINGS: The heart is normal in size. Patchy opacity in the right lower lobe. No effusion or pneumothorax. The "
    "bones are intact. IMPRESSION: Right lower lobe pneumonia."
)
_CORRECTED = _REPORT.replace("No effusion or pneumothorax.", "Small left pneumothorax.")
_CALL = "Discussed with Dr. Roe by telephone at 08:50."


@pytest.mark.parametrize(
    ("story", "versions", "expected", "doubtful"),
    [
        ("as a correction", [_version(F, 2, text=_REPORT), _version(C, 3, text=_CALL)], [], [(2, _ALONE)]),
        ("as a final", [_version(F, 2, text=_REPORT), _version(F, 3, text=_CALL)], [], [(2, _ALONE)]),
        (
            "under a number of its own",
            [_version(F, 2, text=_REPORT, filler="1"), _version(C, 3, text=_CALL, filler="2")],
            [],
            [(2, _ALONE)],
        ),
        (
            "what was said first is compared with the report",
            [_version(P, 1), _version(F, 2, text=_REPORT), _version(C, 3, text=_CALL)],
            ["PF 1>2"],
            [(3, _ALONE)],
        ),
        (
            "a correction after it corrects the report",
            [_version(F, 2, text=_REPORT), _version(C, 3, text=_CALL), _version(C, 4, text=_CORRECTED)],
            ["FC 1>3"],
            [(2, _ALONE)],
        ),
        (
            "the report again after it is nothing new",
            [_version(F, 2, text=_REPORT), _version(F, 3, text=_CALL), _version(F, 4, text=_REPORT)],
            [],
            [(2, _ALONE)],
        ),
        (
            "two of them",
            [_version(F, 2, text=_REPORT), _version(C, 3, text=_CALL), _version(C, 4, text="Read back by Dr. Roe.")],
            [],
            [(2, _ALONE), (3, _ALONE)],
        ),
        ("a correction is none", [_version(F, 2, text=_REPORT), _version(C, 3, text=_CORRECTED)], ["FC 1>2"], []),
        (
            "nor is a shorter report",
            [_version(F, 2, text=_REPORT), _version(C, 3, text="Right lower lobe pneumonia.")],
            ["FC 1>2"],
            [],
        ),
        ("nor the first final", [_version(P, 1, text=_REPORT), _version(F, 2, text=_CALL)], ["PF 1>2"], []),
    ],
)
def test_an_addition_that_is_sent_alone(
    story: str, versions: list[ReportVersion], expected: list[str], doubtful: list[tuple[int, DoubtReason]]
) -> None:
    """It is compared with nothing, that is told, and it stands between no others; in whatever order they arrive."""
    kept = _kept(versions)
    assert (_told_short(kept), _doubts(kept)) == (expected, doubtful), story
    backwards = [evolve(each, arrived=_DAY + timedelta(days=2, minutes=-each.number)) for each in reversed(kept)]
    assert _told_short(backwards) == expected, story


def test_times_that_contradict_arrival_are_told() -> None:
    """A preliminary report that arrived first and says that it was made an hour after the final is in doubt."""
    first, second = _kept([_version(P, 3), _version(F, 2)])
    assert _doubts([first, second]) == [(1, DoubtReason.TIMES_CONTRADICT)]
    late = evolve(first, arrived=second.arrived + timedelta(minutes=1))
    assert _doubts([late, second]) == []


def test_backslashes_that_hl7_left_are_told() -> None:
    """What came over HL7 with a backslash is compared and in doubt; what came in another way is not."""
    first, second = _kept([_version(P, 1), _version(F, 2)])
    escaped = evolve(first.version, text="5\\mm nodule.", source="hl7")
    kept = [evolve(first, version=escaped), second]
    assert _doubts(kept) == [(1, DoubtReason.HOLDS_ESCAPES)]
    assert _told_short(kept) == _told_short([first, second])
    assert _doubts([evolve(first, version=evolve(escaped, source="folder")), second]) == []


def test_what_was_corrected_twice_at_one_time_keeps_its_pairs() -> None:
    """Message numbers need not grow: of one time and status, what came first was first, and no pair comes between."""
    corrections = [
        ReportVersion(
            examinations=(Examination(site="north", accession="A"),),
            status=C,
            text=message,
            issued=_DAY + timedelta(hours=3),
            message=message,
        )
        for message in ("9", "10", "B")
    ]
    assert _pairs(_version(F, 2), *corrections) == ["FC 1>2", "FC 2>3", "FC 3>4"]


def test_a_time_without_a_zone_is_none() -> None:
    """It may be hours off: arrival counts instead, and nothing fails."""
    local = ReportVersion(
        examinations=(Examination(site="north", accession="A"),),
        status=P,
        text="x",
        issued=datetime(2027, 1, 1),  # noqa: DTZ001 - what is tested
        source="folder",
    )
    assert _pairs(local, _version(F, None)) == ["PF 1>2"]


def _stories(*fillers: str) -> st.SearchStrategy[list[ReportVersion]]:
    one = st.builds(
        _version,
        st.sampled_from(ReportStatus),
        st.integers(0, 6).map(float),
        of=st.sampled_from(["A", "B", "AB", "C", "BC"]),
        filler=st.sampled_from(fillers),
        model=st.sampled_from(["", "m"]),
        text=st.sampled_from(["", "x"]),
    )
    return st.lists(one, max_size=8, unique=True)


def _told(kept: Sequence[KeptVersion]) -> set[tuple[object, ...]]:
    """The pairs by what is compared, not by number."""
    by_number = {version.number: version.version for version in kept}
    return {
        (pair.kind, tuple(map(by_number.get, pair.candidate)), tuple(map(by_number.get, pair.reference)))
        for pair in pairs_of(kept)
    }


@given(_stories("", "1", "2"), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(stories: list[ReportVersion], chance: random.Random) -> None:
    """The same versions make the same pairs, however they come, where no two of one status tell the same time."""
    versions = list({(version.status, version.issued): version for version in stories}.values())
    shuffled = versions[:]
    chance.shuffle(shuffled)
    assert _told(_kept(shuffled)) == _told(_kept(versions))


@given(_stories("", "1", "2"))
@example([_version(P, 0, of="AB"), _version(P, 1, of="B"), _version(F, 0, of="AB"), _version(F, 1, of="B")])
def test_what_is_paired_may_be_paired(versions: list[ReportVersion]) -> None:
    """No pair comes twice; each has both sides, of the right kinds, on the same examinations, in time's order."""
    kept = {version.number: version.version for version in _kept(versions)}
    pairs = pairs_of(_kept(versions))
    assert len(set(pairs)) == len(pairs)
    allowed = {
        PairKind.DRAFT_FINAL: ({DRAFT}, {F}),
        PairKind.PRELIMINARY_FINAL: ({P, R}, {F}),
        PairKind.FINAL_CORRECTED: ({F, C}, {F, C}),
    }
    for pair in pairs:
        before, after = ([kept[number] for number in side] for side in (pair.candidate, pair.reference))
        assert before
        assert after
        assert not set(pair.candidate) & set(pair.reference)
        assert {version.status for version in before} <= allowed[pair.kind][0]
        assert {version.status for version in after} <= allowed[pair.kind][1]
        if pair.kind is not PairKind.FINAL_CORRECTED:
            assert {key for version in before for key in version.keys} == {
                key for version in after for key in version.keys
            }
        if pair.kind is PairKind.PRELIMINARY_FINAL:
            assert all(
                one.issued <= other.issued
                for one in before
                for other in after
                if one.issued and other.issued and set(one.keys) & set(other.keys)
            )


@given(_stories("1", "2"), st.sampled_from([DRAFT, P, R, C, ReportStatus.ADDENDUM]), st.sampled_from(["A", "B", "AB"]))
def test_what_is_made_later_leaves_the_pairs(versions: list[ReportVersion], status: ReportStatus, of: str) -> None:
    """A version issued last, unless it is a final or a cancellation, takes no pair of numbered reports away.

    Drafts that were made after their final are left out: what else the model drafts then may belong to them.
    """
    kept = _kept([*versions, _version(status, 9, of=of, filler="1", model="m")])
    issued = {version.number: version.version.issued or _DAY for version in kept}
    before = {
        pair
        for pair in pairs_of(kept[:-1])
        if pair.kind is not PairKind.DRAFT_FINAL
        or max(issued[number] for number in pair.candidate) <= min(issued[number] for number in pair.reference)
    }
    assert before <= set(pairs_of(kept))
