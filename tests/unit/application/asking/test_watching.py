"""Watched models: who watches is told before the first request and after each answer; the model stays what it is."""

from __future__ import annotations

import copy
from typing import Any

from attrs import frozen

from overread.application.asking.watching import ModelWatch, WatchedModel
from overread.application.ports import Message, Request
from overread.domain.results.result import Unscored
from overread.testing import FakeLanguageModel


def request(text: str) -> Request:
    return Request((Message("user", text),))


@frozen(eq=False)
class Served(FakeLanguageModel):
    destination: str = "there:80"
    price_in: float | None = 2.0
    price_out: float | None = None


def test_the_watch_is_told_once_before_anything_is_asked() -> None:
    """Not when the model is made or counts, but before the first request reaches it."""
    seen: list[Any] = []
    model = FakeLanguageModel(lambda _: "a")
    watched = WatchedModel(model, ModelWatch(on_start=lambda asked: seen.append((asked, len(model.asked)))))
    watched.count_tokens(request("x"))
    assert list(watched.complete([])) == []
    assert seen == []
    list(watched.complete([request("x")]))
    list(watched.complete([request("y")]))
    assert seen == [(model, 0)]


def test_answers_are_counted_as_they_come_and_failures_are_not() -> None:
    """Progress shows what there is to show for the time."""
    counts: list[int] = []
    model = FakeLanguageModel(lambda asked: Unscored("no answer") if asked.messages[0].text == "?" else "a")
    watched = WatchedModel(model, ModelWatch(on_answer=counts.append))
    coming = watched.complete([request("x"), request("?"), request("y")])
    next(coming)
    assert counts == [1]
    assert len(list(coming)) == 2
    assert counts == [1, 2]


def test_a_watched_model_is_otherwise_the_model() -> None:
    """Also in where it sends requests and what that costs, and when it is copied."""
    model = Served(identity="m")
    watched = WatchedModel(model, ModelWatch())
    assert (watched.identity, watched.note) == ("m", model.note)
    again = copy.copy(watched)
    assert (again.destination, again.price_in, again.price_out) == ("there:80", 2.0, None)


def test_a_watched_model_on_this_machine_sends_nothing_and_costs_nothing() -> None:
    """Who watches is told what the model itself tells."""
    watched = WatchedModel(FakeLanguageModel(), ModelWatch())
    assert (watched.destination, watched.price_in, watched.price_out) == ("", None, None)
