"""How much of a report was read, and what differs in the rest."""

from __future__ import annotations

import pytest

from overread.domain.differences.unread import (
    LEAST_WORDS,
    Coverage,
    Detail,
    DetailKind,
    SentenceContent,
    UnreadDifference,
    little_read,
    unread_differences,
    unread_pair,
)
from overread.domain.reports.report import Span


def _sentence(*words: str, details: tuple[Detail, ...] = (), unread: int | None = None) -> SentenceContent:
    unread = len(words) if unread is None else unread
    return SentenceContent(100, words, len(words), unread, details, is_whole=bool(unread))


def _word(value: str, start: int = 0) -> Detail:
    return Detail(DetailKind.WORD, value, start, start + len(value))


def _number(number: float, unit: str = "mm", *, read: bool = False) -> Detail:
    return Detail(DetailKind.NUMBER, unit, 20, 26, read, number)


def _side(side: str, *, read: bool = False, at: int = 40) -> Detail:
    return Detail(DetailKind.SIDE, side, at, at + 4, read)


def _differences(reference: SentenceContent, candidate: SentenceContent) -> list[UnreadDifference]:
    return unread_differences(Coverage(((10, reference),)), Coverage(((30, candidate),)))


def test_the_share_that_was_read() -> None:
    """Words are counted over the whole report; a report without words holds nothing unread."""
    read = SentenceContent(10, ("heart", "large"), 2, 0)
    assert Coverage(((0, read), (11, _sentence("zorb", "flim")))).share == pytest.approx(0.5)
    assert Coverage().share == pytest.approx(1.0)


def test_a_report_that_was_not_read_leaves_its_pair_unscored() -> None:
    """Either report is named; a few words alone are no reason."""
    long = Coverage(((0, _sentence(*("zorb",) * LEAST_WORDS)),))
    short = Coverage(((0, _sentence(*("zorb",) * (LEAST_WORDS - 1))),))
    refused = unread_pair(short, long)
    assert refused is not None
    assert refused.reason == "unread"
    assert refused.detail.startswith("candidate: 0%")
    assert unread_pair(short, short) is None


@pytest.mark.parametrize(
    ("one", "other", "extent"),
    [
        (_number(130.0), _number(165.0), 35 / 165),
        (_number(8.0, "hu"), _number(32.0, "hu"), 24 / 32),
        (_number(-10.0, "hu"), _number(30.0, "hu"), 1.0),
        (_number(130.0), _number(131.0), None),
        (_number(8.0, "hu"), _number(12.0, "hu"), None),
        (_number(130.0, read=True), _number(165.0), 35 / 165),
        (_number(130.0, read=True), _number(165.0, read=True), None),
        (_number(13.0), _number(13.0, "%"), 0.5),
    ],
)
def test_numbers(one: Detail, other: Detail, extent: float | None) -> None:
    """Numbers beyond the spread of measurements differ, unless both were read and so belong to units."""
    sentences = [_sentence("spleen", "measure", details=(detail,)) for detail in (one, other)]
    found = _differences(*sentences)
    assert [d.extent for d in found] == ([] if extent is None else [pytest.approx(extent)])


def test_a_number_in_one_report_only() -> None:
    """A number that is left out, or was not there, is told with where it stands."""
    with_number, without = _sentence("spleen", details=(_number(130.0),)), _sentence("spleen", details=(_word("x"),))
    lost = next(d for d in _differences(with_number, without) if d.kind is DetailKind.NUMBER)
    assert (lost.reference_spans, lost.candidate_spans) == ((Span(30, 36),), ())
    assert lost.reason.endswith("is lost")
    added = next(d for d in _differences(without, with_number) if d.kind is DetailKind.NUMBER)
    assert (added.reference_spans, added.candidate_spans) == ((), (Span(50, 56),))
    assert added.reason.endswith("is added")


@pytest.mark.parametrize(
    ("one", "other", "extent"),
    [
        ((_side("left"),), (_side("right"),), 1.0),
        ((_side("left"),), (_side("both"),), 0.5),
        ((_side("left"),), (), 0.5),
        ((_side("left", read=True),), (_side("both", read=True),), None),
        ((_side("left"), _side("right", at=60)), (_side("right"), _side("left", at=60)), 1.0),
        ((_side("left"), _side("right", at=60)), (_side("both"),), None),
        ((_side("left"),), (_side("left"),), None),
    ],
)
def test_sides(one: tuple[Detail, ...], other: tuple[Detail, ...], extent: float | None) -> None:
    """Other sides, and two sides that change places, differ."""
    found = _differences(_sentence("zorb", details=one), _sentence("zorb", details=other))
    assert [(d.kind, d.extent) for d in found] == ([] if extent is None else [(DetailKind.SIDE, extent)])


def test_words() -> None:
    """Sentences that share half of their words tell which they do not share; two that share less are no pair."""
    one = _sentence("zorb", "flim", "red", details=(_word("zorb"), _word("flim", 5), _word("red", 10)))
    other = _sentence("zorb", "flim", "blue", details=(_word("zorb"), _word("flim", 5), _word("blue", 10)))
    (difference,) = _differences(one, other)
    assert difference.kind is DetailKind.WORD
    assert (difference.reference_spans, difference.candidate_spans) == ((Span(20, 23),), (Span(40, 44),))
    assert difference.extent == pytest.approx(2 / 4)
    assert _differences(one, _sentence("kran", details=(_word("kran"),))) == []


def test_each_sentence_is_held_against_its_likest_once() -> None:
    """A sentence takes the partner that shares most words, wherever it stands."""
    first = _sentence("spleen", "long", "axis", details=(_number(130.0),))
    second = _sentence("kidney", "long", "axis", details=(_number(100.0),))
    reference = Coverage(((0, first), (101, second)))
    turned = Coverage(((0, second), (101, first)))
    assert unread_differences(reference, turned) == []
    assert unread_differences(reference, reference) == []


def test_nothing_is_told_of_what_was_read() -> None:
    """Sentences whose every word was read are the units' business."""
    read = SentenceContent(50, ("effusion", "small"), 2, 0, (_number(10.0, read=True), _side("left", read=True)))
    other = SentenceContent(50, ("effusion", "small"), 2, 0, (_number(90.0, read=True), _side("left", read=True)))
    assert _differences(read, other) == []


def test_a_verdict_says_how_much_was_read_where_that_is_little() -> None:
    """From seven tenths of both reports on nothing needs to be said, nor where the extractor does not know."""
    assert little_read({}) == ""
    assert little_read({"reference_coverage": 0.7, "candidate_coverage": 1.0}) == ""
    assert little_read({"reference_coverage": 1.0, "candidate_coverage": 0.5}).endswith("50% of the candidate's words")


def test_sides_that_were_read_and_changed_places() -> None:
    """They are told as read, so that findings may carry them; not where the sentence has its like on either side."""
    words = ("kidney", "normal")
    left, right = (SentenceContent(50, words, 2, 0, (_side(side, read=True),)) for side in ("left", "right"))
    (found,) = _differences(left, right)
    assert (found.kind, found.is_read, found.extent) == (DetailKind.SIDE, True, 1.0)
    assert (found.reference_spans, found.candidate_spans) == ((Span(50, 54),), (Span(70, 74),))
    both, turned = (Coverage(((0, one), (60, two))) for one, two in ((left, right), (right, left)))
    assert unread_differences(both, turned) == []


def _count(number: float, counted: str = "nodule") -> Detail:
    return Detail(DetailKind.COUNT, counted, 0, 12, number=number)


@pytest.mark.parametrize(
    ("one", "other", "extent"),
    [
        ((_count(3.0),), (_count(7.0),), 4 / 7),
        ((_count(3.0),), (_count(3.0),), None),
        ((_count(3.0),), (), None),
        ((_count(3.0),), (_count(7.0, "rib"),), None),
        ((_count(2.0), _count(1.0)), (_count(3.0),), None),
        ((_count(2.0), _count(4.0, "rib")), (_count(1.0), _count(4.0, "rib")), 0.5),
    ],
)
def test_numbers_of_things(one: tuple[Detail, ...], other: tuple[Detail, ...], extent: float | None) -> None:
    """All of one kind are added up, and held against those of the other sentence if it gives any."""
    found = _differences(_sentence("lung", details=one), _sentence("lung", details=other))
    assert {difference.kind for difference in found} <= {DetailKind.COUNT}
    assert [difference.extent for difference in found] == ([] if extent is None else [pytest.approx(extent)])
