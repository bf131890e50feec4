"""From two lists of units to the discrepancies between them."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.differences.notation import Notation, green_score
from overread.domain.findings.lesion import lesions_of
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Experiencer, Polarity, Temporality
from overread.domain.reports.report import ClinicalContext, Span
from overread.domain.results.discrepancy import Discrepancy, count_by_category
from overread.domain.vocabulary.anatomy import Place
from overread.domain.vocabulary.taxonomy import ErrorCategory

from ..clinical import LEXICON, mm, no, normal, read, sentence, unit, units

Units = list[ClinicalUnit]

POSSIBLE: dict[str, Any] = {"polarity": Polarity.UNCERTAIN, "certainty": Certainty.POSSIBLE}
PROBABLE: dict[str, Any] = {"certainty": Certainty.PROBABLE}
S, I, C = "significant", "insignificant", "critical"  # noqa: E741


def short(discrepancy: Discrepancy) -> tuple[str | None, str, str | None, str]:
    """Category, aspect, type and severity."""
    category = discrepancy.category.value if discrepancy.category else None
    kind = discrepancy.type.value if discrepancy.type else None
    return category, discrepancy.aspect.value, kind, discrepancy.severity.value


def told(notation: Notation) -> list[tuple[str | None, str, str | None, str]]:
    return [short(discrepancy) for discrepancy in notation.discrepancies]


# --- the same reports ---


@given(st.lists(units(), max_size=8), st.randoms(use_true_random=False))
def test_a_report_agrees_with_itself_in_any_order(statements: Units, chance: random.Random) -> None:
    """Whatever units a report holds, contradictions too, in whatever order: no discrepancy, score 1."""
    shuffled = chance.sample(statements, len(statements))
    notation = read(statements, shuffled)
    assert notation.discrepancies == ()
    assert notation.score == 1.0
    said = [*lesions_of(statements, shuffled, LEXICON), *(s for s in statements if s.is_unread and s.span_text)]
    denied = {(s.canonical_finding, s.denies, s.place.side) for s in statements if s.denies_finding}
    assert notation.matched == len(said) + len(denied)


# --- one difference at a time ---


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # presence
        ([unit("effusion")], [], [("B", "Description", "omission", S)]),
        ([], [unit("effusion")], [("A", "Description", "fabrication", S)]),
        ([unit("scar")], [], [("B", "Description", "omission", I)]),
        ([], [unit("sternal_wires")], [("A", "Description", "fabrication", I)]),
        # negation
        ([unit("effusion")], [no("effusion")], [("B", "Negation", None, S)]),
        ([no("effusion")], [unit("effusion")], [("A", "Negation", None, S)]),
        ([unit("nodule")], [normal("clear_lungs")], [("B", "Negation", None, S)]),
        ([normal("normal_pleura")], [unit("pneumothorax")], [("A", "Negation", None, S)]),
        ([no("effusion", "left")], [unit("effusion", "right")], [("A", "Description", "fabrication", S)]),
        # sides
        ([unit("effusion", "left")], [unit("effusion", "right")], [("C", "Location", "inaccuracy", S)]),
        ([unit("edema", "left")], [unit("edema")], [("C", "Location", "omission", S)]),
        ([unit("effusion", "left")], [unit("effusion")], [("C", "Location", "omission", I)]),
        ([unit("scar", "left")], [unit("scar")], []),
        ([unit("effusion")], [unit("effusion", "left")], []),
        ([unit("effusion", "left", "right")], [unit("effusion", "left")], [("C", "Location", "inaccuracy", S)]),
        ([unit("effusion", "left")], [unit("effusion", "left", "right")], [("C", "Location", "inaccuracy", S)]),
        ([unit("scar", "left")], [unit("scar", "right")], [("C", "Location", "inaccuracy", I)]),
        # zones
        ([unit("nodule", "apex")], [unit("nodule", "base")], [("C", "Location", "inaccuracy", S)]),
        ([unit("nodule", "apex")], [unit("nodule", "mid_zone")], []),
        ([unit("nodule", "apex")], [unit("nodule", "upper_lobe")], []),
        ([unit("nodule", "apex")], [unit("nodule")], []),
        ([unit("nodule", "anterior")], [unit("nodule", "posterior")], [("C", "Location", "inaccuracy", S)]),
        ([unit("nodule", "anterior")], [unit("nodule", "anterior", "posterior")], []),
        ([unit("scar", "anterior")], [unit("scar", "posterior")], [("C", "Location", "inaccuracy", I)]),
        # devices
        (
            [unit("feeding_tube", "stomach", device="feeding_tube")],
            [unit("feeding_tube", "bronchus", device="feeding_tube")],
            [("C", "Location", "inaccuracy", S)],
        ),
        (
            [unit("feeding_tube", "stomach", device="feeding_tube")],
            [unit("feeding_tube", "esophagus", device="feeding_tube")],
            [],
        ),
        (
            [unit("feeding_tube", device="feeding_tube", device_status="malpositioned")],
            [unit("feeding_tube", device="feeding_tube", device_status="in_place")],
            [("C", "Location", "inaccuracy", S)],
        ),
        (
            [unit("feeding_tube", device="feeding_tube")],
            [unit("feeding_tube", device="feeding_tube", device_status="kinked")],
            [("C", "Location", "fabrication", S)],
        ),
        (
            [unit("feeding_tube", device="feeding_tube", device_status="in_place")],
            [unit("feeding_tube", device="feeding_tube")],
            [],
        ),
        # degrees
        (
            [unit("effusion", severity="mild")],
            [unit("effusion", severity="moderate")],
            [("D", "Severity", "inaccuracy", I)],
        ),
        (
            [unit("effusion", severity="mild")],
            [unit("effusion", severity="severe")],
            [("D", "Severity", "inaccuracy", S)],
        ),
        ([unit("effusion", severity="mild")], [unit("effusion")], []),
        ([unit("effusion")], [unit("effusion", severity="moderate")], []),
        ([unit("effusion")], [unit("effusion", severity="severe")], [("D", "Severity", "fabrication", S)]),
        # sizes
        ([unit("nodule", measurements=mm(8))], [unit("nodule", measurements=mm(9))], []),
        (
            [unit("nodule", measurements=mm(8))],
            [unit("nodule", measurements=mm(18))],
            [("D", "Size/Distance", None, S)],
        ),
        ([unit("nodule", measurements=mm(8))], [unit("nodule")], []),
        ([unit("nodule")], [unit("nodule", measurements=mm(8))], []),
        ([unit("nodule", measurements=mm(8, 5))], [unit("nodule", measurements=mm(4, 8))], []),
        # comparisons
        ([unit("effusion", change=Change.NEW)], [unit("effusion")], [("F", "Comparison/Progression", "omission", S)]),
        (
            [unit("effusion")],
            [unit("effusion", change=Change.NEW)],
            [("E", "Comparison/Progression", "fabrication", S)],
        ),
        (
            [unit("effusion", change=Change.IMPROVED)],
            [unit("effusion", change=Change.WORSENED)],
            [("E", "Comparison/Progression", "inaccuracy", S)],
        ),
        # hedges
        ([unit("edema")], [unit("edema", **POSSIBLE)], [("G", "Uncertainty", None, S)]),
        ([unit("edema", **POSSIBLE)], [unit("edema")], [("H", "Uncertainty", None, S)]),
        # a shade of certainty is none
        ([unit("edema", **PROBABLE)], [unit("edema")], []),
        ([unit("edema", **PROBABLE)], [unit("edema", **POSSIBLE)], []),
        ([unit("edema", certainty=Certainty.DEFINITE)], [unit("edema")], []),
        ([unit("scar")], [unit("scar", **POSSIBLE)], [("G", "Uncertainty", None, I)]),
        # words the eight categories do not count
        (
            [unit("fracture", modifiers=frozenset({"acute"}))],
            [unit("fracture", modifiers=frozenset({"old"}))],
            [(None, "Description", "inaccuracy", S)],
        ),
        (
            [unit("fracture", modifiers=frozenset({"old"}))],
            [unit("fracture", modifiers=frozenset({"acute"}))],
            [(None, "Description", "inaccuracy", S)],
        ),
        (
            [unit("fracture", modifiers=frozenset({"acute"}))],
            [unit("fracture", modifiers=frozenset({"acute", "old"}))],
            [],
        ),
        (
            [unit("nodule", modifiers=frozenset({"spiculated"}))],
            [unit("nodule", modifiers=frozenset({"smooth"}))],
            [(None, "Description", "inaccuracy", S)],
        ),
        (
            [unit("nodule", modifiers=frozenset({"cavitary"}))],
            [unit("nodule")],
            [(None, "Description", "omission", S)],
        ),
        (
            [unit("scar")],
            [unit("scar", modifiers=frozenset({"displaced"}))],
            [(None, "Description", "fabrication", I)],
        ),
        ([unit("nodule", modifiers=frozenset({"patchy"}))], [unit("nodule")], []),
        ([unit("hydropneumothorax")], [unit("effusion")], [(None, "Terminology", None, S)]),
        ([unit("consolidation")], [unit("opacity")], [(None, "Terminology", None, I)]),
        ([unit("opacity")], [unit("consolidation")], [(None, "Terminology", None, I)]),
        # unread sentences
        ([sentence("Seen in the hall")], [], [(None, "Description", "omission", I)]),
        ([], [sentence("Seen in the hall")], [(None, "Description", "fabrication", I)]),
    ],
)
def test_each_difference_has_its_category_aspect_type_and_severity(
    reference: Units, candidate: Units, expected: list[tuple[str | None, str, str | None, str]]
) -> None:
    """One difference is told as one discrepancy, and as nothing else."""
    assert told(read(reference, candidate)) == expected


def test_several_differences_in_one_finding_are_told_apart() -> None:
    """Side, degree, comparison and doubt of one finding make four discrepancies."""
    reference = [unit("effusion", "left", severity="mild", change=Change.NEW)]
    candidate = [unit("effusion", "right", severity="severe", **POSSIBLE)]
    assert [d.category for d in read(reference, candidate).discrepancies] == ["C", "D", "F", "G"]


# --- one finding for another ---


@pytest.mark.parametrize(
    ("reference", "candidate", "reason"),
    [
        ("consolidation", "atelectasis", "actionable; consolidation is called atelectasis"),
        ("atelectasis", "consolidation", "actionable; atelectasis is called consolidation"),
    ],
)
def test_a_finding_taken_for_another_is_one_mistake(reference: str, candidate: str, reason: str) -> None:
    """It shows in both reports, under the candidate's name, and weighs as the graver of the two."""
    [replaced] = read([unit(reference, "left", at=3)], [unit(candidate, "left", at=9)]).discrepancies
    assert short(replaced) == ("A", "Description", "inaccuracy", S)
    assert (replaced.finding, replaced.side, replaced.reason) == (candidate, "left", reason)
    assert (replaced.reference_spans, replaced.candidate_spans) == ((Span(3, 8),), (Span(9, 14),))


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # not confusable
        ([unit("nodule")], [unit("effusion")], ["A", "B"]),
        # on another side
        ([unit("consolidation", "left")], [unit("atelectasis", "right")], ["A", "B"]),
        # one stands for one
        ([unit("consolidation", "left"), unit("consolidation", "right")], [unit("atelectasis")], ["A", "B"]),
        # a finding that has its counterpart is not replaced
        ([unit("consolidation")], [unit("consolidation"), unit("atelectasis", at=9)], ["A"]),
    ],
)
def test_what_is_no_replacement_stays_two_mistakes(reference: Units, candidate: Units, expected: list[str]) -> None:
    """Only two findings without a counterpart, of which readers take one for the other, at one place."""
    assert sorted(str(d.category) for d in read(reference, candidate).discrepancies) == expected


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # a sign of what the other report asserts matters to nobody, on either side
        ([unit("heart_failure")], [unit("heart_failure"), unit("congestion")], [(None, I)]),
        ([unit("heart_failure"), unit("congestion")], [unit("heart_failure")], [(None, I)]),
        # named in its place it is one error, of a quarter of what the diagnosis asks for
        ([unit("heart_failure")], [unit("congestion")], [(None, I)]),
        ([unit("congestion")], [unit("heart_failure")], [(None, I)]),
        # a cause that is open, on another side or not asserted accounts for nothing, nor does it for what is denied
        ([unit("heart_failure", **POSSIBLE)], [unit("heart_failure", **POSSIBLE), unit("congestion")], [("A", S)]),
        (
            [unit("heart_failure", "left")],
            [unit("heart_failure", "left"), unit("congestion", "right")],
            [("A", S)],
        ),
        ([no("heart_failure")], [no("heart_failure"), unit("congestion")], [("A", S)]),
        (
            [unit("heart_failure"), no("congestion")],
            [unit("heart_failure"), unit("congestion")],
            [("A", S)],
        ),
    ],
)
def test_a_sign_of_what_both_imply_does_not_matter(
    reference: Units, candidate: Units, expected: list[tuple[str, str]]
) -> None:
    """A report that names a finding may leave its signs unsaid; one that names the sign has half said it."""
    assert [(d.category, d.severity) for d in read(reference, candidate).discrepancies] == expected


# --- the patient ---


@pytest.mark.parametrize(
    ("patient", "severity", "score"),
    [
        # w is a tenth of .5 + .5 and .5, or a tenth of .5 + .05 and .5; the risk is .5 x .6, or .05 x .6
        (ClinicalContext(age=25), S, 0.6 / 0.9),
        (ClinicalContext(age=82), I, 0.555 / 0.585),
        (ClinicalContext(), I, 0.555 / 0.585),
    ],
)
def test_the_patient_decides_whether_a_finding_matters(patient: ClinicalContext, severity: str, score: float) -> None:
    """Calcification of the aorta is expected, but not in the young."""
    reference = [unit("aortic_calcification"), unit("effusion")]
    notation = read(reference, [unit("effusion")], LEXICON.for_patient(patient))
    assert told(notation) == [("B", "Description", "omission", severity)]
    assert notation.score == pytest.approx(score)


# --- silence ---


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ([no("effusion")], []),
        ([], [no("effusion")]),
        ([normal("clear_lungs")], [normal("normal_pleura")]),
        ([normal("clear_lungs"), no("pneumothorax")], []),
        ([unit("effusion", temporality=Temporality.HISTORICAL)], []),
        ([], [unit("nodule", experiencer=Experiencer.FAMILY)]),
    ],
)
def test_a_silent_normal_is_no_omission(reference: Units, candidate: Units) -> None:
    """What is denied in one report and not named in the other is no discrepancy; nor is the past or the family.

    A candidate that says nothing whatever has the worst score all the same, and matches nothing.
    """
    notation = read(reference, candidate)
    assert notation.silent == (not candidate)
    assert notation.discrepancies == ()
    assert notation.risk == 0.0
    assert notation.score == (1.0 if candidate else 0.0)
    assert green_score(notation) == (1.0 if reference and candidate else 0.0)


def test_an_empty_candidate_omits_every_finding() -> None:
    """Each asserted finding is listed, the gravest first; normals and denials are not."""
    reference = [unit("effusion", at=0), normal("clear_lungs", at=10), unit("scar", at=20), unit("pneumothorax", at=30)]
    notation = read(reference, [])
    assert [(d.finding, d.category) for d in notation.discrepancies] == [
        ("pneumothorax", ErrorCategory.OMITTED_FINDING),
        ("effusion", ErrorCategory.OMITTED_FINDING),
        ("scar", ErrorCategory.OMITTED_FINDING),
    ]
    assert [d.weight for d in notation.discrepancies] == pytest.approx([0.6, 0.3, 0.06])
    assert all(d.candidate_spans == () for d in notation.discrepancies)
    assert (notation.matched, notation.significant, green_score(notation)) == (0, 2, 0.0)
    # Six tenths of 1 + .5 + .1 are missed; and a candidate that says nothing is no report.
    assert notation.risk == pytest.approx(0.96)
    assert notation.score == 0.0


# --- repetition ---


def test_a_finding_repeated_in_the_impression_is_wrong_once() -> None:
    """An omission, an invention and a wrong side told twice each count once, with both places."""
    twice = [unit("effusion", "left", at=0), unit("effusion", "left", at=100)]
    [omitted] = read(twice, []).discrepancies
    assert omitted.reference_spans == (Span(0, 5), Span(100, 105))
    assert omitted.weight == pytest.approx(0.3)
    [invented] = read([], twice).discrepancies
    assert invented.category is ErrorCategory.FALSE_FINDING
    [swapped] = read(twice, [evolve(u, anatomy=frozenset({"right"})) for u in twice]).discrepancies
    assert swapped.category is ErrorCategory.LOCATION
    assert swapped.reference_spans == swapped.candidate_spans == (Span(0, 5), Span(100, 105))


def test_a_finding_repeated_by_one_report_only_is_no_difference() -> None:
    """A report may sum up what it found; the other need not."""
    once, twice = [unit("effusion", "left")], [unit("effusion", "left"), unit("effusion", at=50)]
    assert read(once, twice).discrepancies == ()
    assert read(twice, once).discrepancies == ()


PARTS: list[dict[str, Any]] = [{"severity": "severe"}, {"change": Change.NEW}, {"measurements": mm(8)}]


@pytest.mark.parametrize(("first", "second"), list(permutations(PARTS, 2)))
def test_what_one_mention_says_the_report_says(first: dict[str, Any], second: dict[str, Any]) -> None:
    """A report may describe a finding once and name it twice; another side's description does not count."""
    whole = unit("nodule", "left", **first, **second)
    parts = [unit("nodule", "left", **first), unit("nodule", "left", at=50, **second)]
    assert read([whole], parts).discrepancies == read(parts, [whole]).discrepancies == ()
    elsewhere = [parts[0], evolve(parts[1], anatomy=frozenset({"right"}))]
    # A size that only one report states is no difference.
    lines = 1 if "measurements" in second else 2
    assert len(read([whole], elsewhere).discrepancies) == len(read(elsewhere, [whole]).discrepancies) == lines


def test_two_sides_are_two_findings() -> None:
    """An effusion on either side is not covered by one on the other."""
    both = [unit("effusion", "left", at=0), unit("effusion", "right", at=10)]
    [omitted] = read(both, [unit("effusion", "left")]).discrepancies
    assert (omitted.category, omitted.side, omitted.reference_spans) == ("B", "right", (Span(10, 15),))
    [invented] = read([unit("effusion", "left")], both).discrepancies
    assert (invented.category, invented.side, invented.candidate_spans) == ("A", "right", (Span(10, 15),))
    omissions = read(both, []).discrepancies
    assert [d.side for d in omissions] == ["left", "right"]


def test_bilateral_is_left_and_right() -> None:
    """One statement of both sides agrees with one for each."""
    both = [unit("effusion", "left", at=0), unit("effusion", "right", at=10)]
    assert read(both, [unit("effusion", "left", "right")]).discrepancies == ()
    assert read([unit("effusion", "left", "right")], both).discrepancies == ()


# --- counterparts ---


def test_the_same_finding_is_preferred_to_a_kind_of_it_and_a_place_that_agrees_to_another() -> None:
    """Counterparts are the closest, whatever the order of the report."""
    reference = [unit("opacity", "left"), unit("consolidation", "right", at=10)]
    candidate = [unit("consolidation", "right", at=10), unit("opacity", "left")]
    notation = read(reference, candidate)
    assert (notation.discrepancies, notation.matched) == ((), 2)
    reference = [unit("nodule", "left", severity="mild"), unit("nodule", "right", severity="severe")]
    candidate = [unit("nodule", "right", severity="severe"), unit("nodule", "left", severity="mild")]
    assert read(reference, candidate).discrepancies == ()


def test_at_equal_cost_the_counterpart_that_differs_least_is_taken() -> None:
    """The ground cost does not see degrees, and degrees are not confused for it."""
    mild, severe = (unit("nodule", text="nodule", severity=degree) for degree in ("mild", "severe"))
    assert read([mild, severe], [severe, mild]).discrepancies == ()


# --- contradictions ---


@pytest.mark.parametrize(
    "candidate",
    [
        [unit("pneumothorax", at=0), no("pneumothorax", at=10)],
        [no("pneumothorax", at=10), unit("pneumothorax", at=0)],
        [unit("pneumothorax", at=0), normal("normal_pleura", at=10)],
        [unit("tension_pneumothorax", at=0), no("pneumothorax", at=10)],
    ],
)
@pytest.mark.parametrize("reference", [[], [unit("pneumothorax")], [no("pneumothorax")]])
def test_a_candidate_that_contradicts_itself_is_critically_wrong(reference: Units, candidate: Units) -> None:
    """Asserting and denying a finding is critical, and weighs half of it beyond the finding's being there or not."""
    notation = read(reference, candidate)
    first, *others = notation.discrepancies
    assert short(first) == ("A", "Contradiction", None, C)
    assert first.candidate_spans == (Span(10, 15), Span(0, 5))
    assert first.weight == pytest.approx(0.5)
    extent = 0.0 if reference == [unit("pneumothorax")] else 1.0 if reference else 0.6
    assert [d.weight for d in others if d.category is not None] == ([pytest.approx(extent)] if extent else [])


@pytest.mark.parametrize(
    "candidate",
    [
        [unit("pneumothorax", **POSSIBLE), no("pneumothorax")],
        [unit("effusion", "right"), no("effusion", "left")],
        [unit("opacity"), no("consolidation")],
        [unit("consolidation", "upper_lobe"), no("consolidation", "lower_lobe")],
        [unit("effusion", severity="mild"), no("effusion", severity="severe")],
        [unit("fracture", modifiers=frozenset({"old"})), no("fracture", modifiers=frozenset({"acute"}))],
        [unit("pneumothorax"), no("pneumothorax", change=Change.RESOLVED)],
        [unit("effusion"), no("effusion", temporality=Temporality.HISTORICAL)],
        [unit("nodule"), no("nodule", experiencer=Experiencer.FAMILY)],
        [unit("lobar_consolidation"), no("opacity")],
        [unit("atelectasis"), normal("clear_lungs")],
        [unit("consolidation"), normal("clear_lungs", modifiers=frozenset({"otherwise"}))],
        [unit("effusion"), no("effusion", modifiers=frozenset({"otherwise"}))],
    ],
)
def test_what_only_looks_like_a_contradiction_is_none(candidate: Units) -> None:
    """Neither doubt, another place, a narrowed denial, the past, a remote kind, the rest, nor what asks for nothing."""
    assert all(d.aspect != "Contradiction" for d in read([], candidate).discrepancies)


def test_of_several_denials_the_narrowest_is_quoted() -> None:
    """A denial of the finding itself is quoted, not a statement of normality before it that denies other things too."""
    broad, named = normal("clear_lungs"), no("consolidation", at=20)
    assert LEXICON.denies(broad.denies, "consolidation")
    for candidate in ([broad, named], [named, broad]):
        (omitted,) = read([unit("consolidation")], candidate).discrepancies
        assert omitted.candidate_spans == (named.span,)


def test_a_contradiction_of_the_references_own_is_not_held_against_the_candidate() -> None:
    """Only what the reference does not do itself counts; a second contradiction still does."""
    own = [unit("pneumothorax"), no("pneumothorax", at=10)]
    assert read(own, own).discrepancies == ()
    candidate = [*own, unit("effusion", at=20), no("effusion", at=30)]
    other, added = read(own, candidate).discrepancies
    assert (other.finding, other.severity) == ("effusion", C)
    assert (added.finding, added.category) == ("effusion", "A")
    assert read(own, [unit("pneumothorax")]).discrepancies == ()


def test_a_contradiction_told_twice_counts_once() -> None:
    """Repeating both halves in the impression makes one critical discrepancy, and one false finding."""
    half = [unit("pneumothorax"), no("pneumothorax", at=10)]
    again = [*half, *(u.moved(100, section="impression", sentence_index=3) for u in half)]
    assert [d.aspect for d in read([], again).discrepancies] == ["Contradiction", "Description"]
    assert read([], again).risk == pytest.approx(read([], half).risk)


# --- unread sentences ---


@pytest.mark.parametrize(
    ("reference", "candidate", "same"),
    [
        ("Seen by the team", "seen by THE team.", True),
        ("one two", "one two three", True),  # 2 of 3 tokens
        ("one two", "one two three four", True),  # 2 of 4, the border
        ("one two", "one three four five", False),
        ("one", "two", False),
    ],
)
def test_unread_sentences_agree_if_half_their_words_do(reference: str, candidate: str, *, same: bool) -> None:
    """A match counts as one; a stray sentence on either side is one insignificant note without a category."""
    notation = read([sentence(reference)], [sentence(candidate)])
    assert notation.matched == same
    assert told(notation) == (
        [] if same else [(None, "Description", "omission", I), (None, "Description", "fabrication", I)]
    )


# --- score and order ---


@pytest.mark.parametrize(
    ("matched", "significant", "insignificant", "score"),
    [
        # GREEN's equation 1: matched / (matched + significant)
        (3, 1, 0, 0.75),
        (3, 1, 9, 0.75),
        (1, 3, 0, 0.25),
        (4, 0, 0, 1.0),
        (4, 0, 5, 1.0),
        (0, 2, 0, 0.0),
        (0, 0, 2, 0.0),
        (0, 0, 0, 1.0),
    ],
)
def test_greens_formula_counts_and_the_score_weighs(
    matched: int, significant: int, insignificant: int, score: float
) -> None:
    """Insignificant ones do not lower GREEN's, but where nothing matches; each lowers the score by its weight.

    Of a reference of mass 2, a tenth and .5 is 0.7.
    """
    [grave] = read([unit("effusion")], []).discrepancies
    [slight] = read([unit("scar")], []).discrepancies
    lines = (grave,) * significant + (slight,) * insignificant
    notation = Notation(discrepancies=lines, agreed=1.0, said=2.0, matched=matched)
    assert green_score(notation) == score
    risk = 0.3 * significant + 0.06 * insignificant
    assert notation.score == pytest.approx(0.7 / (0.7 + risk))


@pytest.mark.parametrize(
    ("reference", "candidate", "matched"),
    [
        ([unit("effusion")], [unit("effusion")], 1),
        ([unit("effusion", severity="mild")], [unit("effusion", severity="moderate")], 1),
        ([unit("effusion", "left")], [unit("effusion", "right")], 0),
        ([no("effusion")], [no("effusion")], 1),
        ([normal("normal_pleura")], [no("effusion")], 1),
        ([no("effusion", "left")], [no("effusion", "right")], 0),
        ([no("effusion", temporality=Temporality.HISTORICAL)], [no("effusion")], 0),
        ([no("effusion")], [unit("effusion")], 0),
        ([unit("effusion"), no("pneumothorax"), sentence("Well")], [normal("normal_pleura"), sentence("Well")], 2),
    ],
)
def test_what_counts_as_matched(reference: Units, candidate: Units, matched: int) -> None:
    """Findings without a significant difference, denials that agree and sentences alike, each counted once."""
    assert read(reference, candidate).matched == matched


def test_the_gravest_discrepancies_come_first_and_then_those_in_reading_order() -> None:
    """Critical, significant, insignificant, each by weight; among equals the reference's, from its start."""
    reference = [unit("scar", at=5), unit("nodule", at=40), unit("fracture", at=20)]
    candidate = [unit("effusion", at=0), unit("pneumothorax", at=10), no("pneumothorax", at=60)]
    order = [d.finding for d in read(reference, candidate).discrepancies]
    assert order == ["pneumothorax", "pneumothorax", "fracture", "nodule", "effusion", "scar"]


@given(st.lists(units(), max_size=6), st.lists(units(), max_size=6))
def test_any_two_reports_have_a_notation_that_points_into_them(reference: Units, candidate: Units) -> None:
    """Spans are those of units; the score lies on 0 to 1; matches never outnumber the reference's statements."""
    notation = read(reference, candidate)
    assert 0.0 <= notation.score <= 1.0
    assert 0 <= notation.matched <= len(reference)
    for discrepancy in notation.discrepancies:
        assert discrepancy.reference_spans or discrepancy.candidate_spans
        assert set(discrepancy.reference_spans) <= {u.span for u in reference}
        assert set(discrepancy.candidate_spans) <= {u.span for u in candidate}
        assert discrepancy.reason


FEW = units("effusion", "nodule", "fracture", "scar", "clear_lungs")


@given(st.lists(FEW, max_size=5), st.lists(FEW, min_size=1, max_size=5), st.booleans())
def test_one_more_significant_discrepancy_lowers_the_score(reference: Units, candidate: Units, omitted: bool) -> None:  # noqa: FBT001
    """An urgent finding that just one report has is one more, and scores less than the same reference without it."""
    more = [unit("edema", at=90)]
    before = read(reference, candidate)
    after = read([*reference, *more], candidate) if omitted else read(reference, [*candidate, *more])
    # The score is relative to the reference: what is omitted is held against a candidate that tells it.
    without = read([*reference, *more], [*candidate, *more]) if omitted else before
    assert after.significant == before.significant + 1
    assert after.matched == before.matched
    assert after.score < without.score
    # Of a part of the body that nobody looked at before, .03 may go.
    assert after.risk >= before.risk + 0.57 - 1e-9


@given(st.lists(units(), max_size=6))
def test_an_empty_candidate_is_never_said_to_invent(reference: Units) -> None:
    """Against nothing, there are omissions only; the other way round, no omission."""
    assert {short(d)[0] for d in read(reference, []).discrepancies} <= {"B", None}
    assert {short(d)[0] for d in read([], reference).discrepancies} <= {"A", None}


# --- the other way round ---

SWAPPED = {"A": "B", "B": "A", "C": "C", "D": "D", "E": "F", "F": "E", "G": "H", "H": "G"}


@st.composite
def comparable(draw: st.DrawFn) -> tuple[Units, Units]:
    """Two reports of unrelated findings, each named once, whose comparisons do not oppose each other.

    A category has a mirror image only there: a report that names a finding twice is wrong once about it, a broader
    term can stand for two findings, opposed comparisons are category E from either end, a contradiction is held
    against candidates only, and so is a side that is lost. Of several things that differ the gravest may be all that
    counts, and a course put in is graver than one left out: where that differs nothing else does.
    """
    concepts = ["pneumothorax", "edema", "effusion", "nodule", "fracture", "scar"]
    chosen = [[draw(units(c)) for c in concepts if draw(st.booleans())] for _ in range(2)]
    changes = {u.canonical_finding: u.change for u in chosen[0]}
    places = {u.canonical_finding: u.anatomy for u in chosen[0]}
    second = [
        evolve(u, change=changes[u.canonical_finding]) if u.change and changes.get(u.canonical_finding) else u
        for u in chosen[1]
    ]
    second = [
        evolve(u, anatomy=places.get(u.canonical_finding, u.anatomy))
        if bool(u.place.sides) != bool(Place.of(places.get(u.canonical_finding, u.anatomy)).sides)
        else u
        for u in second
    ]
    first = {u.canonical_finding: u for u in chosen[0]}
    second = [
        evolve(one, change=u.change)
        if (one := first.get(u.canonical_finding)) is not None and bool(one.change) != bool(u.change)
        else u
        for u in second
    ]
    return chosen[0], second


@given(comparable())
def test_swapping_the_reports_mirrors_every_category(pair: tuple[Units, Units]) -> None:
    """Read the other way round, false findings are omissions, E is F and G is H; C and D stay."""
    forth, back = (count_by_category(read(*reports).discrepancies) for reports in (pair, pair[::-1]))
    assert {SWAPPED[category]: count for category, count in forth.items()} == back
