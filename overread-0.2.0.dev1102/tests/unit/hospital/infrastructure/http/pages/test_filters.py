"""Addresses and searches: what a reader asks for, and how it is told again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

import pytest
from attrs import fields_dict
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.requests import Order, PairState, Search
from overread.hospital.domain.review import Radpeer, ReviewState
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.http.pages.filters import FILTERS, chips, query_of, read_search

from .rows import VOCABULARY

_WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)
_DAYS = st.datetimes(datetime(2020, 1, 2), datetime(2030, 1, 1)).map(  # noqa: DTZ001 - the time zone comes below
    lambda at: at.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC)
)


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


@st.composite
def _searches(draw: st.DrawFn) -> Search:
    since = draw(_maybe(_DAYS))
    until = draw(_maybe(_DAYS))
    if since is not None and until is not None and until <= since:
        until = since + timedelta(days=1)
    low, high = sorted(draw(st.tuples(*[st.integers(0, 100).map(lambda n: n / 100)] * 2)))
    return Search(
        kind=draw(_maybe(st.sampled_from(PairKind))),
        site=draw(_maybe(_WORDS)),
        modality=draw(_maybe(_WORDS)),
        reader=draw(_maybe(_WORDS)),
        model=draw(_maybe(_WORDS)),
        device=draw(_maybe(_WORDS)),
        accession=draw(_maybe(_WORDS)),
        since=since,
        until=until,
        importance=draw(_maybe(st.sampled_from(Importance))),
        severity=draw(_maybe(st.sampled_from(Severity))),
        category=draw(_maybe(st.sampled_from(ErrorCategory))),
        finding=draw(_maybe(st.sampled_from(list(VOCABULARY.names)))),
        min_risk=draw(st.sampled_from([None, low])),
        max_risk=draw(st.sampled_from([None, high])),
        state=draw(_maybe(st.sampled_from(PairState))),
        review=draw(_maybe(st.sampled_from(ReviewState))),
        radpeer=draw(_maybe(st.sampled_from(Radpeer))),
        sample=draw(_maybe(st.integers(1, 9999))),
        batch=draw(_maybe(st.integers(1, 9999))),
        order=draw(st.sampled_from(Order)),
        after=draw(_maybe(_WORDS)),
    )


@given(_searches())
def test_an_address_asks_for_the_search_that_it_was_made_of(search: Search) -> None:
    """Nothing that pages can ask for is lost or changed on its way through an address."""
    read = read_search(dict(parse_qsl(query_of(search, VOCABULARY))), VOCABULARY)
    assert read.search == search
    assert read.problems == ()


def test_every_filter_asks_for_something() -> None:
    """A filter's name is that of what it sets; none sets the signature, or how much of the list is shown."""
    names = [each.name for each in FILTERS]
    assert len(set(names)) == len(names)
    assert set(fields_dict(Search)) - set(names) == {"signature", "after", "limit"}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"importance": "grave"}, "“Importance” is not one of the choices; it is ignored."),
        ({"since": "yesterday"}, "“From” is not a date such as 2026-03-31; it is ignored."),
        ({"until": "9999-12-31"}, "“To” is not a date such as 2026-03-31; it is ignored."),
        ({"min_risk": "2"}, "“Risk at least” is not a number from 0 to 1; it is ignored."),
        ({"max_risk": "nan"}, "“Risk at most” is not a number from 0 to 1; it is ignored."),
        ({"sample": "9" * 30}, "“Sample” is not a number; it is ignored."),
        (
            {"finding": "fracture"},
            "“Finding” is not in the lexicon (did you mean rib fracture, spinal fracture?); it is ignored.",
        ),
        (
            {"min_risk": "0.8", "max_risk": "0.2"},
            "No risk is both 0.8 or more and 0.2 or less; the upper limit is ignored.",
        ),
        (
            {"since": "2026-03-02", "until": "2026-03-01"},
            "The first day is after the last one, which is ignored.",
        ),
    ],
)
def test_what_cannot_be_understood_is_told_and_left_out(parameters: dict[str, str], words: str) -> None:
    """A mistyped filter is no error page: the list is shown without it, and says so."""
    read = read_search(parameters, VOCABULARY)
    assert read.problems == (words,)


def test_a_day_is_asked_for_as_people_mean_it() -> None:
    """From the first to the last day, both of them whole."""
    search = read_search({"since": "2026-03-01", "until": "2026-03-01"}, VOCABULARY).search
    assert search.since == datetime(2026, 3, 1, tzinfo=UTC)
    assert search.until == datetime(2026, 3, 2, tzinfo=UTC)


def test_a_finding_is_asked_for_by_name() -> None:
    """Whoever types a name need not know the lexicon's id; capitals do not matter."""
    assert read_search({"finding": "Spinal fracture"}, VOCABULARY).search.finding == "spine_fracture"


def test_each_filter_that_is_set_can_be_taken_off_by_itself() -> None:
    """Its chip leads to the same list without it, from the beginning; the order is no filter and stays."""
    search = Search(site="north", importance=Importance.URGENT, order=Order.RISK, after="cursor")
    found = {chip.label: chip.address for chip in chips(search, VOCABULARY, "/worklist")}
    assert found == {
        "Importance": "/worklist?order=risk&site=north",
        "Site": "/worklist?importance=urgent&order=risk",
    }
