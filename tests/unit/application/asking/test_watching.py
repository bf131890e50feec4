"""Watched models: who watches is told before the first request and after each answer; the model stays what it is."""

from __future__ import annotations

import copy
from typing import Any

from attrs import frozen

from overread.application.asking.watching import ModelWatch, WatchedModel
from overread.application.ports import LanguageModel, Message, Request
from overread.domain.result import Unscored
from overread.testing import FakeLanguageModel


def request(text: str) -> Request:
    return Request((Message("user", text),))


@frozen(eq=False)
class Priced(FakeLanguageModel):
    price_in: float = 2.0


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
    counts: list[int] = []
    model = FakeLanguageModel(lambda asked: Unscored("no answer") if asked.messages[0].text == "?" else "a")
    watched = WatchedModel(model, ModelWatch(on_answer=counts.append))
    coming = watched.complete([request("x"), request("?"), request("y")])
    next(coming)
    assert counts == [1]
    assert len(list(coming)) == 2
    assert counts == [1, 2]


def test_a_watched_model_is_otherwise_the_model() -> None:
    """Also in what the port does not name, and when it is copied."""
    model = Priced(identity="m")
    watched: LanguageModel = WatchedModel(model, ModelWatch())
    assert (watched.identity, watched.note) == ("m", model.note)
    assert getattr(copy.copy(watched), "price_in", None) == 2.0
    assert getattr(watched, "price_out", None) is None
