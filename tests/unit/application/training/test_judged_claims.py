"""Which discrepancies of marked pairs hold: the labels that second readers learn from."""

from __future__ import annotations

from overread.application.metrics.pair_reader import PairReader
from overread.application.training.judged_claims import judge_claims
from overread.domain.annotation import MarkedError, MarkedPair
from overread.domain.report import Span
from overread.testing import FakeSecondReader

from ..fakes import pair
from ..metrics.test_notation import weighed


def marked(reference: str, candidate: str, *errors: MarkedError, before: str | None = None) -> MarkedPair:
    unaltered = None if before is None else pair("before", reference, before)
    return MarkedPair(pair=pair("a", reference, candidate), study="s", errors=errors, source="try", unaltered=unaltered)


def judged(*pairs: MarkedPair, reader: PairReader | None = None) -> list[tuple[str, bool]]:
    return [(each.claim.discrepancy.finding, each.holds) for each in judge_claims(reader or weighed(), pairs)]


def test_a_claim_holds_where_it_points_at_a_marked_error() -> None:
    """Two findings are left out and one of them is marked: the other is what somebody else did not call an error."""
    error = MarkedError((Span(0, 9),), ())
    assert judged(marked("Effusion. Edema.", "Scar.", error)) == [
        ("edema", False),
        ("effusion", True),
        ("scar", False),
    ]


def test_what_differed_before_the_error_was_put_in_is_left_out() -> None:
    """An error adds one claim; what the reader wrongly finds in the wording alone tells nothing of errors."""
    error = MarkedError((Span(10, 16),), ())
    before = "Edema."  # the effusion was lost in wording
    assert judged(marked("Effusion. Edema.", "Scar.", error, before=before)) == [("edema", True)]


def test_an_error_of_the_candidate_is_found_by_its_words() -> None:
    """What the reference is silent about is marked in the candidate alone."""
    error = MarkedError((), (Span(10, 16),))
    assert judged(marked("Effusion.", "Effusion. Edema.", error, before="Effusion.")) == [("edema", True)]


def test_the_claims_are_the_first_readers() -> None:
    """A second reader learns from what the first one finds, whatever another second reader would say to it."""
    doubting = weighed(second_reader=FakeSecondReader(doubted={"edema": 0.0}))
    [claim] = judge_claims(doubting, [marked("Edema.", "Scar. Edema is gone.")])[:1]
    assert claim.claim.discrepancy.probability == 1.0
    assert (claim.study, claim.source) == ("s", "try")
