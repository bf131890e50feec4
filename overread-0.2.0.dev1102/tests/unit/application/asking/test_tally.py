"""Tallies of answers: what passes is counted and passed on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, field

from overread.application.asking.tally import AnswerTally
from overread.domain.results.answer import Completion


@define
class Kept:
    only_kept: bool = True
    added: list[tuple[str, Completion, str, str]] = field(factory=list)
    closed: bool = False

    def find(self, keys: Sequence[str]) -> Mapping[str, Completion]:
        return {key: Completion("kept") for key in keys if key.startswith("k")}

    def add(self, key: str, completion: Completion, *, prompt: str, model: str) -> None:
        self.added.append((key, completion, prompt, model))

    def close(self) -> None:
        self.closed = True


def test_what_comes_now_is_counted_with_its_tokens_and_passed_on() -> None:
    """A server that tells no tokens is counted as such."""
    kept = Kept()
    tally, told, untold = AnswerTally(kept), Completion("a", prompt_tokens=10, completion_tokens=2), Completion("b")
    tally.add("1", told, prompt="p", model="m")
    tally.add("2", untold, prompt="p", model="m")
    assert (tally.asked, tally.prompt_tokens, tally.completion_tokens, tally.untold) == (2, 10, 2, 1)
    assert kept.added == [("1", told, "p", "m"), ("2", untold, "p", "m")]


def test_what_is_found_is_counted() -> None:
    """A run tells how many answers it did not pay for."""
    tally = AnswerTally(Kept())
    assert set(tally.find(["k1", "x", "k2"])) == {"k1", "k2"}
    assert (tally.kept, tally.asked, tally.only_kept) == (2, 0, True)


def test_what_came_now_is_not_found_kept() -> None:
    """It is looked for again, as another process may have been first to keep an answer."""
    tally = AnswerTally(Kept())
    tally.add("k1", Completion("a"), prompt="p", model="m")
    assert set(tally.find(["k1", "k2"])) == {"k1", "k2"}
    assert (tally.asked, tally.kept) == (1, 1)


def test_without_a_store_nothing_is_kept_but_all_is_counted() -> None:
    """The count does not depend on keeping."""
    tally = AnswerTally()
    tally.add("k1", Completion("a"), prompt="p", model="m")
    assert tally.find(["k1"]) == {}
    assert (tally.asked, tally.kept, tally.only_kept) == (1, 0, False)


def test_closing_closes_the_store_where_there_is_one() -> None:
    """Without one there is nothing to close."""
    kept = Kept()
    AnswerTally(kept).close()
    AnswerTally().close()
    assert kept.closed
