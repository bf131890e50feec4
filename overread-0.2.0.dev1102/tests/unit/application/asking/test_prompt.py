"""Prompts: places are filled once, and whatever changes the wording changes the identity."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.application.asking.control_tokens import inert
from overread.application.asking.prompt import Prompt
from overread.application.ports import Message

PROMPT = Prompt("compare", "1", user='{reference} against {candidate}: {"score": 1}', system="You read {reference}.")


def test_both_turns_are_filled() -> None:
    """Braces that are no place stand for themselves, so that a prompt may show JSON."""
    assert PROMPT.filled({"reference": "R", "candidate": "C"}) == (
        Message("system", "You read R."),
        Message("user", 'R against C: {"score": 1}'),
    )


def test_there_is_no_system_turn_without_words() -> None:
    """Some templates refuse an empty one."""
    assert [turn.role for turn in evolve(PROMPT, system="").filled({})] == ["user"]


def test_a_place_without_a_value_stays() -> None:
    """Braces that are no place belong to the wording."""
    assert PROMPT.filled({"reference": "R"})[1].text == 'R against {candidate}: {"score": 1}'


@given(st.text(), st.text())
def test_reports_are_never_searched_for_places(reference: str, candidate: str) -> None:
    """A report that holds a place, or a backslash, arrives as it is, but for control tokens."""
    filled = Prompt("p", "1", "<{reference}|{candidate}>").filled({"reference": reference, "candidate": candidate})
    assert filled[0].text == f"<{inert(reference)}|{inert(candidate)}>"


def test_places_of_both_turns_are_known() -> None:
    """A vocabulary may stand in the system turn."""
    assert evolve(PROMPT, system="{vocabulary} {Not_one} {2}").places == {"vocabulary", "reference", "candidate"}


@pytest.mark.parametrize("change", [{"name": "other"}, {"version": "2"}, {"user": "x"}, {"system": "x"}])
def test_every_change_changes_the_identity(change: dict[str, str]) -> None:
    """Answers to two wordings are never mixed up."""
    assert evolve(PROMPT, **change).identity != PROMPT.identity


def test_a_word_that_moves_between_turns_changes_the_identity() -> None:
    """The digest knows where one turn ends."""
    assert Prompt("p", "1", user="ab", system="c").identity != Prompt("p", "1", user="b", system="ca").identity


def test_the_identity_is_short_and_holds_no_wording() -> None:
    """It stands in every signature."""
    name, _, digest = PROMPT.identity.partition(":")
    assert name == "compare@1"
    assert len(digest) == 12
    assert set(digest) <= set("0123456789abcdef")
    assert "against" not in repr(PROMPT)
