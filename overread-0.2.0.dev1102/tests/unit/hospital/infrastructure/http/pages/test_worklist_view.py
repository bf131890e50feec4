"""The worklist in words, and the way from one pair to the next."""

from __future__ import annotations

import pytest

from overread.domain.vocabulary.severity import Importance
from overread.hospital.application.requests import PairState, Search, WorklistPage, WorklistRow
from overread.hospital.domain.review import Radpeer, ReviewState
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.filters import Asked
from overread.hospital.infrastructure.http.pages.worklist import Neighbours, neighbours, row_views, worklist_view

from .rows import VOCABULARY, listed, row

_ALL = Asked(search=Search())


@pytest.mark.parametrize(
    ("told", "badge", "differs"),
    [
        (
            row(1, importance=Importance.URGENT, significant=2, insignificant=1),
            "urgent",
            "2 significant, 1 insignificant",
        ),
        (row(1, importance=Importance.FOLLOW_UP, significant=1), "follow-up", "1 significant"),
        (row(1, insignificant=3), "none significant", "3 insignificant"),
        (row(1), "none significant", "no discrepancy found"),
        (row(1, read=0.7), "none significant", "no discrepancy found"),
        (row(1, read=0.55), "none significant", "no discrepancy found in what was read (55% of a report)"),
        (row(1, insignificant=1, read=0.0), "none significant", "1 insignificant in what was read (0% of a report)"),
        (row(1, state=PairState.WAITING, risk=None), "waiting", "to be scored"),
        (row(1, state=PairState.UNSCORED, reason="text_not_kept", risk=None), "not scored", "text not kept"),
    ],
)
def test_a_row_says_what_differs_in_words(told: WorklistRow, badge: str, differs: str) -> None:
    """The badge is a word, whatever its colour; a pair without a score says why, one that was little read how much."""
    [view] = row_views([told], Search(), VOCABULARY)
    assert (view.badge.words, view.differs) == (badge, differs)
    assert view.risk == ("0.25" if told.risk is not None else "")


def test_a_row_names_the_first_findings_and_counts_the_rest() -> None:
    """Three names fit; of more it is said how many."""
    told = row(1, findings=("pneumothorax", "rib_fracture", "effusion", "nodule", "mass"), significant=5)
    [view] = row_views([told], Search(), VOCABULARY)
    assert view.findings == "pneumothorax, rib fracture, effusion and 2 more"


def test_what_was_confirmed_stands_beside_the_state() -> None:
    """A review shows its RADPEER score; a weight is shown in a sample alone."""
    told = row(1, review=ReviewState.REVIEWED, radpeer=Radpeer.EXPECTED_SIGNIFICANT, weight=12.5)
    [view] = row_views([told], Search(sample=3), VOCABULARY)
    assert (view.review, view.radpeer, view.weight) == ("reviewed", "RADPEER 3b", "12.5")
    assert row_views([told], Search(), VOCABULARY)[0].weight == ""


@pytest.mark.parametrize(
    ("page", "after", "told"),
    [
        (listed(), None, "No pairs."),
        (listed(1), None, "1 pair."),
        (listed(1, 2, total=64, next="c"), None, "64 pairs, the first 2 of them here."),
        (listed(1, 2, total=64), "c", "64 pairs, the next 2 of them here."),
        (listed(1, total=10_000, next="c"), None, "10,000 pairs or more, the first 1 of them here."),
    ],
)
def test_it_is_told_how_much_of_the_list_is_shown(page: WorklistPage, after: str | None, told: str) -> None:
    """In words, and never more than was counted."""
    asked = Asked(search=Search(after=after))
    assert worklist_view(page, asked, VOCABULARY).told == told


def test_pages_of_the_list_lead_on_and_back() -> None:
    """On by where the page ends, back to the beginning, and neither where there is nothing."""
    first = worklist_view(listed(1, 2, total=9, next="2|x"), Asked(search=Search(site="north")), VOCABULARY)
    assert (first.following, first.first) == ("/worklist?site=north&after=2%7Cx", "")
    last = worklist_view(listed(9, total=9), Asked(search=Search(site="north", after="8")), VOCABULARY)
    assert (last.following, last.first) == ("", "/worklist?site=north")


def test_values_that_occur_are_suggested() -> None:
    """Whoever types a site is offered those of the rows shown."""
    assert worklist_view(listed(1, 2), _ALL, VOCABULARY).suggestions["site"] == ["north"]


def _beside(page: WorklistPage, number: int, at: int) -> Neighbours:
    return neighbours(page, Search(), number, at, VOCABULARY)


def test_a_pair_has_neighbours_in_its_list() -> None:
    """Before it, after it, and at the end of a page the list's next page."""
    assert _beside(listed(4, 5, 6), 5, 1) == Neighbours("/pairs/4?at=0", "/pairs/6?at=2")
    assert _beside(listed(4, 5, 6), 4, 0).before == ""
    assert _beside(listed(4, 5, 6), 6, 2).following == ""
    assert _beside(listed(4, 5, 6, next="x"), 6, 2).following == "/worklist?after=x"


def test_a_pair_that_left_its_list_is_followed_by_what_followed_it() -> None:
    """A list of what is not reviewed loses a pair by its review; the next one has moved into its place."""
    assert _beside(listed(4, 6), 5, 1) == Neighbours("/pairs/4?at=0", "/pairs/6?at=1")
    assert _beside(listed(4), 5, 1) == Neighbours("/pairs/4?at=0", "")
    assert _beside(listed(), 5, 7) == Neighbours("", "")


def test_every_kind_and_state_has_words() -> None:
    """A new one cannot be forgotten."""
    for names in (
        words.DOUBTS,
        words.IMPORTANCES,
        words.KINDS,
        words.STATUSES,
        words.STATES,
        words.REVIEWS,
        words.ORDERS,
        words.RADPEER,
        words.VERDICTS,
    ):
        assert set(names) == set(type(next(iter(names))))
