"""When a difference matters, in tables over actionability and the size of the change."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overread.domain.significance import (
    judge_age,
    judge_change,
    judge_degree,
    judge_presence,
    judge_side,
    judge_size,
    judge_uncertainty,
    judge_zone,
)
from overread.domain.unit import Change, Measurement

from .clinical import LEXICON, unit

URGENT, ACTIONABLE, IDLE, EXPECTED = "edema", "effusion", "scar", "sternal_wires"
S, I = "significant", "insignificant"  # noqa: E741


@pytest.mark.parametrize(
    ("concept", "modifier", "severity", "reason"),
    [
        (URGENT, "patchy", S, "edema needs action at once"),
        (ACTIONABLE, "patchy", S, "effusion can change what is done"),
        (IDLE, "patchy", I, "scar asks for nothing"),
        (EXPECTED, "patchy", I, "sternal wires is expected or incidental"),
        ("unheard_of", "patchy", S, "unheard of can change what is done"),
        ("fracture", "acute", S, "fracture can change what is done"),
        ("fracture", "old", I, "old fracture asks for nothing"),
        ("fracture", "healed", I, "old fracture asks for nothing"),
        (URGENT, "old", S, "edema needs action at once"),
    ],
)
def test_a_missing_finding_matters_as_far_as_it_asks_for_action(
    concept: str, modifier: str, severity: str, reason: str
) -> None:
    """Actionability decides, unless the finding is old, and the reason says so with the finding's name."""
    judgement = judge_presence(unit(concept, text="qzx", modifiers=frozenset({modifier})), LEXICON)
    assert (judgement.severity, judgement.reason) == (severity, reason)


@pytest.mark.parametrize(("concept", "severity"), [(URGENT, S), ("fracture", S), (IDLE, I)])
@pytest.mark.parametrize("modifier", ["acute", "old"])
def test_the_age_of_a_finding_matters_whichever_report_calls_it_old(concept: str, severity: str, modifier: str) -> None:
    """An old fracture that is called acute is as wrong as an acute one that is called old."""
    assert judge_age(unit(concept, modifiers=frozenset({modifier})), LEXICON).severity == severity


@pytest.mark.parametrize(
    ("concept", "contradicts", "omitted", "severity"),
    [
        (ACTIONABLE, True, True, S),
        (ACTIONABLE, True, False, S),
        (ACTIONABLE, False, True, S),
        (ACTIONABLE, False, False, I),
        (URGENT, False, False, I),
        (IDLE, True, True, I),
        (IDLE, False, True, I),
    ],
)
def test_a_side_matters_if_it_is_wrong_or_lost(
    concept: str, severity: str, *, contradicts: bool, omitted: bool
) -> None:
    """A side that is only made precise does not matter, nor does any side of what asks for nothing."""
    assert judge_side(unit(concept), LEXICON, contradicts=contradicts, omitted=omitted).severity == severity


@pytest.mark.parametrize(
    ("concept", "distance", "severity"), [(URGENT, 1, I), (ACTIONABLE, 1, I), (ACTIONABLE, 2, S), (IDLE, 2, I)]
)
def test_neighbouring_zones_hardly_differ(concept: str, distance: int, severity: str) -> None:
    """Only zones two levels apart matter, in a finding that asks for action."""
    assert judge_zone(unit(concept), LEXICON, distance).severity == severity


@pytest.mark.parametrize(
    ("concept", "reference", "candidate", "severity", "reason"),
    [
        (ACTIONABLE, "mild", "moderate", I, "the degree differs by one step"),
        (ACTIONABLE, "moderate", "severe", I, "the degree differs by one step"),
        (ACTIONABLE, "mild", "severe", S, "the degree differs by two steps"),
        (ACTIONABLE, "severe", "mild", S, "the degree differs by two steps"),
        (URGENT, "mild", "moderate", S, "the degree differs by one step in an urgent finding"),
        (URGENT, "severe", "mild", S, "the degree differs by two steps"),
        (IDLE, "mild", "severe", I, "the degree differs by two steps"),
        # .5 off the scale lies within a step of every degree
        (ACTIONABLE, "extensive", "severe", I, "the degree differs by one step"),
        (ACTIONABLE, "extensive", "mild", I, "the degree differs by one step"),
        # the same place on the paper's scale
        (URGENT, "severe", "marked", I, "the degree is worded differently"),
        (URGENT, "extensive", "massive", I, "the degree is worded differently"),
        # stated once
        (ACTIONABLE, "mild", None, I, "a degree is stated on one side only"),
        (ACTIONABLE, None, "moderate", I, "a degree is stated on one side only"),
        (ACTIONABLE, "severe", None, S, "a degree is stated on one side only, and it is severe"),
        (ACTIONABLE, None, "marked", S, "a degree is stated on one side only, and it is severe"),
        (IDLE, "severe", None, I, "a degree is stated on one side only"),
    ],
)
def test_degrees_matter_by_steps(
    concept: str, reference: str | None, candidate: str | None, severity: str, reason: str
) -> None:
    """Two steps matter, one does in an urgent finding, and so does a severe degree that just one report states."""
    judgement = judge_degree(unit(concept, severity=reference), unit(concept, severity=candidate), LEXICON)
    assert (judgement.severity, judgement.reason) == (severity, reason)


@pytest.mark.parametrize(
    ("reference", "candidate", "severity"),
    [
        (5.0, 5.0, None),
        (5.0, 7.0, I),  # below 6 mm: 2 mm
        (5.0, 7.1, S),
        (5.0, 3.0, I),
        (5.0, 2.9, S),
        (5.9, 7.95, S),
        (6.0, 10.0, I),  # from 6 mm: 4 mm
        (6.0, 10.1, S),
        (25.0, 29.0, I),
        (25.0, 20.9, S),
        (29.5, 30.0, I),  # about 30 mm: a millimetre
        (29.5, 30.5, I),
        (29.0, 30.1, S),
        (30.0, 28.9, S),
        (30.0, 36.0, I),  # from 30 mm: 20 %
        (30.0, 36.1, S),
        (50.0, 40.0, I),
        (50.0, 39.9, S),
        (50.0, 60.1, S),
    ],
)
def test_sizes_matter_beyond_the_spread_between_readers(
    reference: float, candidate: float, severity: str | None
) -> None:
    """2 mm below 6 mm, 4 mm below 30 mm, a fifth from there, and the border of 30 mm itself."""
    judgement = judge_size(Measurement(reference, "mm", reference), Measurement(candidate, "mm", candidate))
    assert (judgement and judgement.severity) == severity


@given(st.integers(1, 1200))
@example(57)  # .57 cm times 10 is 5.699999999999999
def test_a_size_in_centimetres_is_the_same_in_millimetres(tenths: int) -> None:
    """What binary fractions take off .57 cm is no difference, and moves no margin."""

    def sizes(tenths: int) -> tuple[Measurement, Measurement]:
        millimetres, centimetres = tenths / 10, tenths / 100
        return Measurement(millimetres, "mm", millimetres), Measurement(centimetres, "cm", centimetres * 10.0)

    small, large = sizes(tenths), sizes(tenths + 40)
    assert [judge_size(a, b) for a in small for b in small] == [None] * 4
    assert len({judge_size(a, b) for a in small for b in large}) == 1


@pytest.mark.parametrize(
    ("concept", "reference", "candidate", "severity"),
    [
        # lost
        (URGENT, Change.STABLE, None, S),
        (ACTIONABLE, Change.NEW, None, S),
        (ACTIONABLE, Change.WORSENED, None, S),
        (ACTIONABLE, Change.STABLE, None, I),
        (ACTIONABLE, Change.IMPROVED, None, I),
        (IDLE, Change.NEW, None, I),
        # added
        (ACTIONABLE, None, Change.NEW, S),
        (ACTIONABLE, None, Change.IMPROVED, S),
        (ACTIONABLE, None, Change.STABLE, I),
        (URGENT, None, Change.STABLE, I),
        (IDLE, None, Change.WORSENED, I),
        # opposed
        (ACTIONABLE, Change.IMPROVED, Change.WORSENED, S),
        (ACTIONABLE, Change.STABLE, Change.NEW, S),
        (IDLE, Change.IMPROVED, Change.WORSENED, I),
    ],
)
def test_comparisons_matter_by_what_they_say(
    concept: str, reference: Change | None, candidate: Change | None, severity: str
) -> None:
    """A lost worsening, an invented change and an opposed one matter in what asks for action."""
    assert judge_change(unit(concept), reference, candidate, LEXICON).severity == severity


@pytest.mark.parametrize(("concept", "severity"), [(URGENT, S), (ACTIONABLE, S), (IDLE, I), (EXPECTED, I)])
@pytest.mark.parametrize("open_side", ["reference", "candidate"])
def test_doubt_matters_in_what_asks_for_action(concept: str, severity: str, open_side: str) -> None:
    """The reason names the report that leaves the finding open."""
    judgement = judge_uncertainty(unit(concept), LEXICON, open_side=open_side)
    assert (judgement.severity, judgement.reason) == (severity, f"only the {open_side} leaves it open")
