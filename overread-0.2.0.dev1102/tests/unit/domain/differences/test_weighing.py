"""What units of two reports weigh, what it costs to match them or leave them alone, and that the risks add up."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from overread.adapters.transport.importance._readout import PlanReadout
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.findings.contradiction import Contradiction, contradictions
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Experiencer, Temporality
from overread.domain.vocabulary.taxonomy import ErrorAspect

from ..clinical import LEXICON, aligned, mm, no, normal, read, sentence, unit, units

Units = list[ClinicalUnit]

POSSIBLE: dict[str, Any] = {"certainty": Certainty.POSSIBLE}


# --- masses ---


def test_a_unit_weighs_what_its_finding_asks_for() -> None:
    """From 1 for what is urgent to a twentieth; a denial nothing, a sentence no rule covers next to nothing."""
    reference = [
        unit("pneumothorax"),
        unit("effusion"),
        unit("small_nodule"),
        unit("scar"),
        unit("sternal_wires"),
        no("fracture"),
        sentence("one two"),
        unit("edema", temporality=Temporality.HISTORICAL),
        unit("edema", experiencer=Experiencer.FAMILY),
    ]
    weighing, _ = aligned(reference, reference)
    rows, columns = weighing.masses()
    assert rows.tolist() == columns.tolist() == [1.0, 0.5, 0.2, 0.1, 0.05, 0.0, 0.04, 0.0, 0.0]


def test_the_mentions_of_a_lesion_share_its_mass() -> None:
    """What is told three times weighs no more than what is told once."""
    thrice = [unit("effusion", at=at, sentence_index=at) for at in (0, 10, 20)]
    rows, columns = aligned(thrice, thrice[:1])[0].masses()
    assert rows.tolist() == pytest.approx([0.5 / 3] * 3)
    assert columns.tolist() == [0.5]


# --- without a partner ---


@pytest.mark.parametrize(
    ("alone", "other", "extent"),
    [
        (unit("effusion"), [unit("fracture")], 0.6),
        (unit("effusion"), [no("effusion")], 1.0),
        (unit("effusion"), [normal("normal_pleura")], 1.0),
        (unit("effusion", "left"), [no("effusion", "right")], 0.6),
        (unit("effusion", severity="mild"), [], 0.51),
        (unit("effusion", **POSSIBLE), [], 0.42),
        (unit("effusion", **POSSIBLE), [no("effusion")], 0.7),
        (unit("fracture", modifiers=frozenset({"old"})), [], 0.18),
        # a sign of what the other report asserts for certain at that place, and does not deny
        (unit("congestion"), [unit("heart_failure")], 0.1),
        (unit("congestion"), [unit("heart_failure", **POSSIBLE)], 0.6),
        (unit("congestion", "left"), [unit("heart_failure", "right")], 0.6),
        (unit("congestion"), [unit("heart_failure"), no("congestion")], 1.0),
    ],
)
def test_what_it_costs_to_have_no_partner(alone: ClinicalUnit, other: Units, extent: float) -> None:
    """Denied is worse than left out, and what is hardly there or half said is less; from either end."""
    weighing, _ = aligned([alone], other)
    assert weighing.null_costs()[0][0] == pytest.approx(extent)
    weighing, _ = aligned(other, [alone])
    assert weighing.null_costs()[1][0] == pytest.approx(extent)


def test_a_second_lesion_that_the_other_reports_words_fit_is_named() -> None:
    """Two nodules for one: the second costs what its size differs by; one at another place is missing."""
    near = [unit("nodule", measurements=mm(8)), unit("nodule", at=9, sentence_index=3, measurements=mm(14))]
    notation = read(near, [unit("nodule", measurements=mm(8))])
    assert [d.extent for d in notation.discrepancies] == [pytest.approx(0.3)]
    apart = [unit("nodule", "left"), unit("nodule", "right", at=9)]
    assert [d.extent for d in read(apart, [unit("nodule", "left")]).discrepancies] == [pytest.approx(0.6)]


def test_words_that_stand_for_one_finding_cannot_be_taken_for_another() -> None:
    """A missing opacity is missing, though the report names another finding that readers take for it."""
    reference = [unit("consolidation", "left"), unit("atelectasis", "right", at=9)]
    candidate = [unit("atelectasis", "right")]
    assert [(d.category, d.finding) for d in read(reference, candidate).discrepancies] == [("B", "consolidation")]
    assert [(d.category, d.finding) for d in read(candidate, reference).discrepancies] == [("A", "consolidation")]


# --- parts of the body ---


@pytest.mark.parametrize(
    ("reference", "candidate", "masses"),
    [
        ([normal("clear_lungs"), no("effusion")], [unit("sternal_wires")], [0.0, 0.0]),
        ([normal("clear_lungs"), unit("effusion")], [unit("scar")], [0.0, 0.5]),
        ([normal("clear_lungs"), no("effusion")], [], [0.0, 0.0]),
        ([unit("edema", temporality=Temporality.HISTORICAL)], [], [0.0]),
        ([unit("effusion")], [], [0.5]),
    ],
)
def test_what_is_no_finding_has_no_mass(reference: Units, candidate: Units, masses: list[float]) -> None:
    """Whether the candidate speaks of that part of the body or not: `completeness` tells it."""
    assert aligned(reference, candidate)[0].masses()[0].tolist() == pytest.approx(masses)


# --- contradictions ---


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ([], [unit("effusion"), no("effusion")], [Contradiction(0, 1)]),
        ([], [no("effusion"), unit("effusion")], [Contradiction(1, 0)]),
        ([], [unit("effusion"), no("effusion"), unit("effusion", at=9)], [Contradiction(0, 1)]),
        (
            [],
            [unit("effusion"), no("effusion"), unit("nodule"), no("nodule")],
            [Contradiction(0, 1), Contradiction(2, 3)],
        ),
        ([], [unit("scar"), no("scar")], [Contradiction(0, 1)]),
        ([], [unit("scar"), no("scar", "left")], []),
        ([], [unit("small_nodule"), no("nodule")], []),
        ([], [unit("effusion", **POSSIBLE), no("effusion")], []),
        ([], [unit("effusion", "left"), no("effusion", "right")], []),
        ([], [unit("effusion"), no("effusion", change=Change.NEW)], []),
        ([unit("effusion"), no("effusion")], [unit("effusion"), no("effusion")], []),
        ([unit("effusion"), no("effusion")], [unit("nodule"), no("nodule")], [Contradiction(0, 1)]),
    ],
)
def test_contradictions_are_told_once_for_each_finding(
    reference: Units, candidate: Units, expected: list[Contradiction]
) -> None:
    """Only what is asserted for certain and is denied at that place, unless the reference does so.

    A denial by a broader name contradicts only what asks for action.
    """
    assert contradictions(reference, candidate, LEXICON) == expected


def test_a_contradiction_weighs_half_of_what_its_finding_asks_for() -> None:
    """Two findings denied in one breath share the edge of the denial by what they ask for."""
    candidate = [unit("effusion"), unit("pneumothorax", at=9), normal("normal_pleura", at=18)]
    weighing, alignment = aligned(candidate[:2], candidate)
    assert weighing.masses()[1].tolist() == [0.5, 1.0, 1.5]
    found = read(candidate[:2], candidate).discrepancies
    assert {d.finding: d.weight for d in found} == {
        "effusion": pytest.approx(0.25),
        "pneumothorax": pytest.approx(0.5),
    }
    assert alignment.total_risk() == pytest.approx(0.75)


# --- weights by hand: importance times extent ---


def said(*words: str, concept: str = "nodule", **attributes: Any) -> Units:
    return [unit(concept, *words, **attributes)]


@pytest.mark.parametrize(
    ("reference", "candidate", "weight"),
    [
        # another diagnosis, a sign, a broader and a narrower term
        (said(concept="consolidation"), said(concept="lesion"), 0.5 * 0.6 * 2),
        (said(concept="congestion"), said(concept="heart_failure"), 0.5 * 0.25),
        (said(concept="consolidation"), said(concept="opacity"), 0.5 * 0.1),
        (said(concept="opacity"), said(concept="consolidation"), 0.5 * 0.1),
        # of an urgent kind .5 is matched, and .5 is missing or made up
        (said(concept="hydropneumothorax"), said(concept="effusion"), 0.5 * 0.4 + 0.5 * 0.6),
        (said(concept="effusion"), said(concept="hydropneumothorax"), 0.5 * 0.4 + 0.5 * 0.3),
        # atelectasis asks for .1: .4 of the consolidation is missing, and it makes up for none of the rest
        (said(concept="consolidation"), said(concept="atelectasis"), 0.1 * 0.6 + 0.4 * 0.6),
        # place
        (said("left"), said("right"), 0.5 * 0.45),
        (said("left", "right"), said("left"), 0.5 * 0.3),
        (said("left"), said("left", "right"), 0.5 * 0.3),
        (said("left"), said(), 0.5 * 0.15),
        (said("apex"), said("base"), 0.5 * 0.3),
        (said("anterior"), said("posterior"), 0.5 * 0.45),
        (said("t4", concept="fracture"), said("t5", concept="fracture"), 0.5 * 0.1),
        (said("t4", concept="fracture"), said("t9", concept="fracture"), 0.5 * 0.4),
        (said("t4", concept="fracture"), said(concept="fracture"), 0.5 * 0.3),
        (said("rib_4", concept="fracture"), said(concept="fracture"), 0.0),
        # degree, size, course
        (said(severity="mild"), said(severity="moderate"), 0.5 * 0.15),
        (said(severity="mild"), said(severity="severe"), 0.5 * 0.4),
        (said(severity="severe"), said(), 0.5 * 0.3),
        (said(measurements=mm(29)), said(measurements=mm(31)), 0.0),
        (said(measurements=mm(8)), said(measurements=mm(14)), 0.5 * 0.3),
        (said(measurements=mm(12)), said(measurements=mm(42)), 0.5 * 0.55),
        (said(change=Change.IMPROVED), said(change=Change.WORSENED), 0.5 * 0.45),
        (said(change=Change.IMPROVED), said(change=Change.STABLE), 0.5 * 0.3),
        (said(change=Change.STABLE), said(), 0.5 * 0.1),
        (said(change=Change.NEW), said(), 0.5 * 0.3),
        # doubt, age, appearance
        (said(**POSSIBLE), said(), 0.5 * 0.3),
        (said(modifiers=frozenset({"acute"})), said(modifiers=frozenset({"old"})), 0.5 * 0.4),
        (said(modifiers=frozenset({"smooth"})), said(modifiers=frozenset({"spiculated"})), 0.5 * 0.4),
        # more than one: together at most .55, and .385 of what both call possible, .165 of what both call old
        (said("left", severity="mild"), said("right", severity="moderate"), 0.5 * 0.55),
        (said("left", severity="mild"), said("left", severity="moderate", change=Change.NEW), 0.5 * 0.45),
        (said("left", **POSSIBLE), said("right", **POSSIBLE), 0.5 * 0.385),
        (said("left", modifiers=frozenset({"old"})), said("right", modifiers=frozenset({"old"})), 0.5 * 0.165),
        # presence
        (said(), [], 0.5 * 0.6),
        (said(), [no("nodule")], 0.5),
    ],
)
def test_weights_by_hand(reference: Units, candidate: Units, weight: float) -> None:
    """Each kind of difference in a finding that can change care, which is .5."""
    notation = read(reference, candidate)
    assert notation.risk == pytest.approx(weight)
    assert aligned(reference, candidate)[1].total_risk() == pytest.approx(weight)


@pytest.mark.parametrize("attributes", [{}, POSSIBLE, {"severity": "mild"}, {"severity": "mild", **POSSIBLE}])
@pytest.mark.parametrize("concept", ["pneumothorax", "effusion", "small_nodule", "scar"])
def test_partial_credit_is_real(concept: str, attributes: dict[str, Any]) -> None:
    """Perfect, a wrong degree, a wrong side, silence, the opposite: however much it asks for, however sure it is."""
    finding = unit(concept, "left", **attributes)
    worse: dict[str, Any] = {"severity": "moderate"} if attributes.get("severity") else {}
    candidates = [
        [finding],
        *([[evolve(finding, **worse)]] if worse else []),
        [evolve(finding, anatomy=frozenset({"right"}))],
        [no("fracture")],
        [no(concept)],
    ]
    notations = [read([finding], candidate) for candidate in candidates]
    assert notations[0].risk == 0
    for better, poorer in pairwise(notations):
        assert better.risk < poorer.risk
        assert better.score > poorer.score


# --- properties ---

MANY = st.lists(units(), max_size=6)
MATTERING = units("effusion", "nodule", "fracture", "scar", "opacity", "consolidation", "clear_lungs", "")


@given(MANY, st.randoms(use_true_random=False))
def test_a_report_has_no_risk_against_itself(statements: Units, chance: random.Random) -> None:
    """In whatever order it is told."""
    shuffled = chance.sample(statements, len(statements))
    notation = read(statements, shuffled)
    assert aligned(statements, shuffled)[1].total_risk() == pytest.approx(0.0, abs=1e-9)
    assert (notation.risk, notation.score) == (0.0, 1.0)


@given(MANY, MANY)
def test_weights_edges_and_risk_add_up(reference: Units, candidate: Units) -> None:
    """What is told of a pair is all of its risk, each weight and extent on 0 to 1."""
    weighing, alignment = aligned(reference, candidate)
    notation = read(reference, candidate)
    total = alignment.total_risk()
    told = sum(d.weight for d in notation.discrepancies if d.weight is not None)
    assert told == notation.risk == pytest.approx(total, abs=1e-9)
    assert sum(edge.risk for edge in alignment.edges()) == pytest.approx(total, abs=1e-9)
    for discrepancy in notation.discrepancies:
        assert discrepancy.weight is not None
        assert discrepancy.extent is not None
        assert 0.0 < discrepancy.weight <= 1.0 + 1e-9
        assert 0.0 < discrepancy.extent <= 1.0 + 1e-9
    (risk,) = PlanReadout().read_out([AlignedPair(cross=alignment, weighing=weighing)])
    assert risk.scores["total"] == pytest.approx(total, abs=1e-9)
    assert risk.scores["significant"] + risk.scores["insignificant"] == pytest.approx(total, abs=1e-9)
    assert risk.relative == pytest.approx(1.0 - notation.score)


def _placed(statements: Units, offset: int) -> Units:
    """The same statements, each at a place of its own."""
    return [evolve(said, start=offset + 10 * n, end=offset + 10 * n + 5) for n, said in enumerate(statements)]


@given(MANY, MANY)
def test_the_plan_and_the_notation_agree_on_what_is_wrong(reference: Units, candidate: Units) -> None:
    """A lesion with an edge at risk is in a discrepancy, and every discrepancy has a unit whose edge is at risk."""
    reference, candidate = _placed(reference, 0), _placed(candidate, 1000)
    weighing, alignment = aligned(reference, candidate)
    at_risk = [edge for edge in alignment.edges() if edge.risk > 1e-9]
    wrong = {weighing.rows[e.row].start for e in at_risk if e.row is not None}
    wrong |= {weighing.columns[e.column].start for e in at_risk if e.column is not None}
    lesions = {n: {unit.start for unit in lesion.units} for side in weighing.lesions for n, lesion in enumerate(side)}
    told = [
        {span.start for span in (*d.reference_spans, *d.candidate_spans)}
        for d in read(reference, candidate).discrepancies
    ]
    assert all(spans & wrong for spans in told)
    asserted = {start for starts in lesions.values() for start in starts}
    assert wrong & asserted <= set().union(*told)


HARMLESS = ["effusion", "nodule", "fracture", "pneumothorax", "opacity"]


@given(st.lists(units("edema", "scar", "heart_failure"), max_size=5), MANY, st.sampled_from(HARMLESS))
def test_a_harmless_denial_more_changes_nothing(candidate: Units, reference: Units, denied: str) -> None:
    """Of what neither report asserts."""
    assume(not any(LEXICON.denies([denied], said.canonical_finding) for said in [*reference, *candidate]))
    before, after = read(reference, candidate), read(reference, [*candidate, no(denied, at=90)])
    assert after.discrepancies == before.discrepancies
    assert after.agreed == pytest.approx(before.agreed)


@given(st.lists(MATTERING, max_size=5), st.lists(MATTERING, min_size=1, max_size=5), units("edema"))
def test_a_finding_more_that_nothing_covers_never_helps(reference: Units, candidate: Units, more: ClinicalUnit) -> None:
    """It lowers no risk and raises no score, however slight or old it is said to be."""
    assume(more.asserts_finding)
    # A word of appearance anywhere in a report is said.
    more = evolve(more, modifiers=more.modifiers & {"old"})
    before, after = read(reference, candidate), read(reference, [*candidate, more])
    assume(not before.silent)
    assert after.risk >= before.risk - 1e-9
    assert after.score <= before.score + 1e-9


@given(st.lists(MATTERING, max_size=5), st.lists(MATTERING, max_size=5), units("edema"))
def test_a_matched_finding_less_never_helps(reference: Units, candidate: Units, shared: ClinicalUnit) -> None:
    """To leave out what both reports tell lowers no risk and raises no score."""
    assume(shared.asserts_finding)
    shared = evolve(shared, modifiers=shared.modifiers & {"old"})
    reference = [*reference, shared]
    before, after = read(reference, [*candidate, shared]), read(reference, candidate)
    assert after.risk >= before.risk - 1e-9
    assert after.score <= before.score + 1e-9


@given(MANY)
def test_silence_is_never_the_best_answer(reference: Units) -> None:
    """Wherever the reference says anything, a candidate that says nothing scores less than one that says it."""
    said = [s for s in reference if s.canonical_finding or s.span_text]
    notation = read(reference, [])
    assert notation.score == (0.0 if said else 1.0)


CONCEPTS = ("pneumothorax", "edema", "effusion", "nodule", "fracture", "scar")


@st.composite
def mirrored(draw: st.DrawFn) -> tuple[Units, Units]:
    """Two reports of unrelated findings that both name sides, or neither, and comparisons, or neither.

    A side, a level or a comparison that is lost is worse than one added; these are kept out.
    """
    reports: tuple[Units, Units] = ([], [])
    for concept in CONCEPTS:
        attributes: dict[str, Any] = {}
        sides, courses = draw(st.booleans()), draw(st.booleans())
        for report in reports:
            if draw(st.booleans()):
                anatomy = draw(st.sampled_from([("left",), ("right",), ("left", "right")])) if sides else ()
                attributes = {
                    "severity": draw(st.sampled_from([None, "mild", "moderate", "severe"])),
                    "certainty": draw(st.none() | st.sampled_from(Certainty)),
                    "change": draw(st.sampled_from(Change)) if courses else None,
                    "measurements": mm(*draw(st.lists(st.sampled_from([3.0, 8.0, 29.0, 31.0, 60.0]), max_size=1))),
                }
                report.append(unit(concept, *anatomy, **attributes))
    return reports


@given(mirrored())
def test_the_total_is_the_same_from_either_end(pair: tuple[Units, Units]) -> None:
    """Left out or made up, wrong one way or the other: it is as far from one report to the other as back."""
    reference, candidate = pair
    forth, back = read(reference, candidate), read(candidate, reference)
    assert forth.risk == pytest.approx(back.risk, abs=1e-9)
    assert forth.agreed == pytest.approx(back.agreed)


@pytest.mark.parametrize("swap", [False, True])
def test_a_name_tells_what_a_word_describes(*, swap: bool) -> None:
    """A pneumothorax "under tension" is no more than a tension pneumothorax, whichever report says which."""
    pair = [unit("tension_pneumothorax")], [unit("pneumothorax", modifiers=frozenset({"tension"}))]
    notation = read(*(pair[::-1] if swap else pair))
    assert not any("tension is" in discrepancy.reason for discrepancy in notation.discrepancies)


def test_a_sign_does_not_stand_for_what_its_report_denies() -> None:
    """Congestion without failure, against failure: the failure is denied, not named by its sign."""
    stood_for = read([unit("heart_failure")], [unit("congestion")])
    denied = read([unit("heart_failure")], [unit("congestion"), no("heart_failure")])
    assert [d.aspect for d in stood_for.discrepancies] == [ErrorAspect.TERMINOLOGY]
    assert ErrorAspect.NEGATION in {d.aspect for d in denied.discrepancies}
    assert denied.risk > stood_for.risk
