"""Watched models: who watches is told before the first request and after each answer; the model stays what it is."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

from attrs import frozen

from overread.application.asking.watching import ModelWatch, WatchedModel
from overread.application.ports import Message, Request
from overread.application.traits import ModelTraits
from overread.domain.results.result import Unscored
from overread.testing import FakeLanguageModel


def request(text: str) -> Request:
    return Request((Message("user", text),))


@frozen(eq=False)
class Served(FakeLanguageModel):
    traits: ClassVar[ModelTraits] = ModelTraits(destination="there:80", price_in=2.0)


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
    assert again.traits == ModelTraits(destination="there:80", price_in=2.0)


def test_a_watched_model_on_this_machine_sends_nothing_and_costs_nothing() -> None:
    """Who watches is told what the model itself tells."""
    watched = WatchedModel(FakeLanguageModel(), ModelWatch())
    assert watched.traits == ModelTraits(destination="", price_in=None, price_out=None)
