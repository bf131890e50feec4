"""Clinical units: what they assert, what they deny, where they stand."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.findings.unit import Certainty, ClinicalUnit, Experiencer, Polarity, Temporality, severity_ordinal
from overread.domain.reports.report import Span

from ..clinical import no, normal, sentence, unit, units


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # RadOT-Eval section V-A: none or normal 0, mild .33, moderate .66, severe or marked 1, unknown .5, missing 0.
        (None, 0.0),
        ("", 0.0),
        ("  ", 0.0),
        ("none", 0.0),
        ("normal", 0.0),
        ("mild", 0.33),
        (" Moderate ", 0.66),
        ("SEVERE", 1.0),
        ("marked", 1.0),
        ("whopping", 0.5),
    ],
)
def test_the_severity_ordinal_is_the_papers(word: str | None, expected: float) -> None:
    """Words lie on the paper's scale, in any case and with any white space about them."""
    assert severity_ordinal(word) == expected


HEDGED: dict[str, Any] = {"polarity": Polarity.UNCERTAIN, "certainty": Certainty.POSSIBLE}


@pytest.mark.parametrize(
    ("statement", "asserts", "denies"),
    [
        (unit("effusion"), True, False),
        (unit("effusion", **HEDGED), True, False),
        (no("effusion"), False, True),
        (normal("clear_lungs"), False, True),
        (sentence("The patient was seen."), False, False),
        (no(""), False, False),
        (unit("effusion", temporality=Temporality.HISTORICAL), False, False),
        (unit("effusion", temporality=Temporality.HYPOTHETICAL), False, False),
        (unit("effusion", experiencer=Experiencer.FAMILY), False, False),
        (no("effusion", temporality=Temporality.HISTORICAL), False, False),
        (no("effusion", temporality=Temporality.HYPOTHETICAL), False, False),
        (no("effusion", experiencer=Experiencer.FAMILY), False, False),
        (normal("clear_lungs", temporality=Temporality.HISTORICAL), False, False),
    ],
)
def test_what_a_unit_says_of_this_patient_now(statement: ClinicalUnit, *, asserts: bool, denies: bool) -> None:
    """The past, a mere question and the family neither assert nor deny; nor does a sentence without a finding."""
    assert (statement.asserts_finding, statement.denies_finding) == (asserts, denies)


@given(units())
def test_no_unit_both_asserts_and_denies(statement: ClinicalUnit) -> None:
    """A statement asserts, denies, or does neither."""
    assert not (statement.asserts_finding and statement.denies_finding)


@pytest.mark.parametrize(
    ("statement", "is_normal", "is_unread"),
    [
        (unit("effusion"), False, False),
        (no("effusion"), False, False),
        (normal("normal_pleura"), True, False),
        (sentence("Done."), False, True),
    ],
)
def test_normal_statements_and_unread_sentences_are_told_apart(
    statement: ClinicalUnit, *, is_normal: bool, is_unread: bool
) -> None:
    """What denies a group is a normal statement, what has no finding is an unread sentence."""
    assert (statement.is_normal_statement, statement.is_unread) == (is_normal, is_unread)


@given(units(), st.integers(0, 1000))
def test_moving_a_unit_changes_its_place_only(statement: ClinicalUnit, offset: int) -> None:
    """A moved unit covers as many characters and says the same."""
    moved = statement.moved(offset, section="impression", sentence_index=4)
    assert moved.span == Span(statement.start + offset, statement.end + offset)
    assert (moved.section, moved.sentence_index) == ("impression", 4)
    back = evolve(moved, start=statement.start, end=statement.end, section="", sentence_index=0)
    assert back == statement


def test_nothing_printed_shows_the_reports_words() -> None:
    """No repr of a unit holds the words it was read from."""
    assert "qzx" not in repr(unit("effusion", text="qzx effusion", surface_finding="qzx"))


def test_an_unstated_attribute_is_missing() -> None:
    """A unit of which only the place is known has no attribute filled in."""
    bare = ClinicalUnit(span_text="", start=0, end=0)
    assert (bare.certainty, bare.change, bare.severity, bare.device, bare.device_status) == (None,) * 5
    assert [*bare.anatomy, *bare.modifiers, *bare.measurements, *bare.denies] == []
