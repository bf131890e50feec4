"""Marked pairs as they are read first: what second readers learn from."""

from __future__ import annotations

from overread.application.metrics.pair_reader import PairReader
from overread.application.training.marked_readings import read_marked
from overread.domain.reports.report import Span
from overread.domain.results.annotation import MarkedError, MarkedPair
from overread.testing import FakeSecondReader

from ..fakes import pair
from ..metrics.test_notation import weighed


def marked(reference: str, candidate: str, *errors: MarkedError) -> MarkedPair:
    return MarkedPair(pair=pair("a", reference, candidate), study="s", errors=errors, source="try")


def judged(*pairs: MarkedPair, reader: PairReader | None = None) -> list[tuple[str, bool]]:
    return [
        (d.finding, holds)
        for each in read_marked(reader or weighed(), pairs)
        for d, holds in zip(each.first.discrepancies, each.holds, strict=True)
    ]


def test_a_discrepancy_holds_where_it_points_at_a_marked_error() -> None:
    """Two findings are left out and one of them is marked: the other is what somebody else did not call an error."""
    error = MarkedError((Span(0, 9),), ())
    assert judged(marked("Effusion. Edema.", "Scar.", error)) == [
        ("edema", False),
        ("effusion", True),
        ("scar", False),
    ]


def test_an_error_of_the_candidate_is_found_by_its_words() -> None:
    """What the reference is silent about is marked in the candidate alone."""
    error = MarkedError((), (Span(10, 16),))
    assert judged(marked("Effusion.", "Effusion. Edema.", error)) == [("edema", True)]


def test_the_discrepancies_are_the_first_readers() -> None:
    """A second reader learns from what the first one finds, whatever another second reader would say to it."""
    doubting = weighed(second_reader=FakeSecondReader(doubted={"edema": 0.0}))
    [each] = read_marked(doubting, [marked("Edema.", "Scar. Edema is gone.")])
    assert {d.probability for d in each.first.discrepancies} == {1.0}
    assert (each.study, each.source) == ("s", "try")


def test_what_cannot_be_read_is_left_out() -> None:
    """Two blank reports teach nothing."""
    assert judged(marked("", ""), marked("Edema.", "Edema.")) == []
