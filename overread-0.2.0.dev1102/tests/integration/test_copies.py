"""A candidate in the reference's own words has no discrepancy and the best score of every metric."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import overread
from overread.domain.results.result import Scored
from overread.tables.cells import is_missing

_BEST: Final = {"notation": 1.0, "radot": 0.0, "rouge": 1.0, "bleu": 1.0, "ratescore": 1.0, "labels": 1.0, "graph": 1.0}
"""Score of a copy under the metrics that need nothing but what overread carries."""

_PIECES: Final = (
    "Early dialysis advised.",
    "No pneumothorax.",
    "small LEFT effusion",
    "COMPARISON: 8/27/2023",
    "FINDINGS:",
    "1. Stable 4 mm nodule.",
    "Wants repeat in two weeks",
    "Zorblax of the quux",
    "IMPRESSION:",
    "Preliminary report by Dr Moreau.",
    "- tip of the line 2 cm above the carina",
    "Right elbow and forearm.",
    "Left ankle.",
    "\n\n",
    "?",
    "...",
)


def _copies(text: str, candidate: str) -> None:
    results = overread.score(reference=text, candidate=candidate, metrics=list(_BEST))
    for metric, best in _BEST.items():
        result = results[metric]
        if isinstance(result.outcome, Scored):
            assert result.outcome.score == pytest.approx(best, abs=1e-9), metric
            assert not result.discrepancies


@settings(max_examples=60)
@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=8).map("\n".join))
def test_a_copy_is_perfect(text: str) -> None:
    """Whatever it says, and whether or not overread can read it."""
    _copies(text, text)


@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=80))
def test_a_copy_of_any_text_is_perfect(text: str) -> None:
    """Letters of any script; what no metric can take is unscored by it, and a word for a missing report is refused."""
    assume(not is_missing(text))
    _copies(text, text)


def test_letter_case_and_line_breaks_make_no_difference() -> None:
    """The same words laid out otherwise are a copy."""
    _copies("Early dialysis advised. No effusion.", "EARLY DIALYSIS ADVISED.\nNO EFFUSION.")


def test_advice_against_itself() -> None:
    """Advice that is about nothing named is found in its copy."""
    _copies("Early dialysis advised.", "Early dialysis advised.")
