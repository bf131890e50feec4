"""Which differences a second reader may not argue away, of units and sentences written down by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve

from overread.domain.differences.hard_fact import (
    LEAST_OF_A_FACT,
    LEAST_OF_AN_ASSERTION,
    SURE_OF_A_MISREADING,
    HardFact,
    bound_probability,
    hard_facts,
)
from overread.domain.differences.unread import Coverage, Detail, DetailKind, SentenceContent
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Experiencer, Temporality
from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory

from ..clinical import LEXICON, mm, no, normal, unit

HERE = (Span(0, 5),)
NOWHERE: tuple[Span, ...] = ()
LEFT, RIGHT, BOTH = ("left",), ("right",), ("left", "right")


def differing(
    aspect: ErrorAspect,
    finding: str = "nodule",
    reference_spans: tuple[Span, ...] = HERE,
    candidate_spans: tuple[Span, ...] = HERE,
) -> Discrepancy:
    """A discrepancy that points at the first five characters of both reports, or elsewhere."""
    return Discrepancy(
        category=None,
        aspect=aspect,
        type=None,
        severity=Severity.SIGNIFICANT,
        reason="",
        finding=finding,
        reference_spans=reference_spans,
        candidate_spans=candidate_spans,
    )


def said(*words: str, details: tuple[Detail, ...] = ()) -> Coverage:
    """A report of one sentence of five characters."""
    return Coverage(((0, SentenceContent(5, words, len(words), 0, details)),))


ALIKE = (said("nodule", "lung", "apex"), said("nodule", "lung", "base"))
OTHER_WORDS = (said("nodule", "lung", "apex"), said("nodule", "upper", "zone"))


def fact(
    discrepancy: Discrepancy,
    reference: ClinicalUnit | Sequence[ClinicalUnit],
    candidate: ClinicalUnit | Sequence[ClinicalUnit],
    coverage: tuple[Coverage, Coverage] | None = ALIKE,
) -> HardFact | None:
    ours, theirs = ([each] if isinstance(each, ClinicalUnit) else each for each in (reference, candidate))
    [found] = hard_facts([discrepancy], ours, theirs, coverage, LEXICON)
    return found


@pytest.mark.parametrize(
    ("finding", "denial"),
    [
        (unit("nodule"), no("nodule")),
        (unit("small_nodule", text="small nodules"), no("nodule", surface_finding="nodule")),
        (unit("fracture"), normal("intact_bones")),
    ],
)
def test_what_is_denied_by_name_is_a_fact(finding: ClinicalUnit, denial: ClinicalUnit) -> None:
    """By its own name, by a name that is part of it, or by a normal statement that means nothing else."""
    claim = differing(ErrorAspect.NEGATION, finding.canonical_finding)
    assert fact(claim, finding, denial, None) is HardFact.DENIED
    assert fact(claim, denial, finding, None) is HardFact.DENIED


@pytest.mark.parametrize(
    ("finding", "denial"),
    [
        (unit("consolidation"), normal("clear_lungs")),
        (unit("cyst"), no("lesion", surface_finding="lesion")),
        (unit("nodule", certainty=Certainty.POSSIBLE), no("nodule")),
        (unit("nodule", *LEFT), no("nodule", *RIGHT)),
    ],
)
def test_what_is_denied_in_other_words_may_be_doubted(finding: ClinicalUnit, denial: ClinicalUnit) -> None:
    """Clear lungs name no consolidation, no lesion names no cyst; what is only possible, or elsewhere, stays open."""
    assert fact(differing(ErrorAspect.NEGATION, finding.canonical_finding), finding, denial, None) is None


def test_a_contradiction_by_name_is_a_fact() -> None:
    """Asserted and denied by the candidate, be it in the findings and the impression; the reference has no part."""
    claim = differing(ErrorAspect.CONTRADICTION, reference_spans=NOWHERE, candidate_spans=(Span(0, 5), Span(90, 95)))
    assert fact(claim, [], [unit("nodule"), no("nodule", at=90)], None) is HardFact.CONTRADICTION
    assert fact(claim, [], [unit("nodule"), normal("clear_lungs", at=90)], None) is None
    assert fact(claim, no("nodule"), unit("nodule"), None) is None


def test_better_and_worse_is_a_fact() -> None:
    """A course that contradicts itself needs no name."""
    assert fact(differing(ErrorAspect.CONTRADICTION), unit("nodule"), unit("nodule"), None) is HardFact.CONTRADICTION


DETAILS: list[tuple[ErrorAspect, HardFact, dict[str, Any], dict[str, Any]]] = [
    (ErrorAspect.LOCATION, HardFact.SIDE, {"anatomy": LEFT}, {"anatomy": RIGHT}),
    (ErrorAspect.LOCATION, HardFact.LEVEL, {"anatomy": ("t12",)}, {"anatomy": ("l1",)}),
    (ErrorAspect.SIZE, HardFact.SIZE, {"measurements": mm(4)}, {"measurements": mm(40)}),
    (ErrorAspect.COMPARISON, HardFact.CHANGE, {"change": Change.IMPROVED}, {"change": Change.WORSENED}),
]


def nodule(*, anatomy: Sequence[str] = (), **more: Any) -> ClinicalUnit:
    return unit("nodule", *anatomy, **more)


@pytest.mark.parametrize(("aspect", "expected", "here", "there"), DETAILS)
def test_what_differs_between_sentences_otherwise_alike_is_a_fact(
    aspect: ErrorAspect, expected: HardFact, here: dict[str, Any], there: dict[str, Any]
) -> None:
    """Side, level, size and course, where most words are the same and both sentences tell."""
    claim = differing(aspect)
    assert fact(claim, nodule(**here), nodule(**there)) is expected
    assert fact(claim, nodule(**here), nodule(**there), OTHER_WORDS) is None
    assert fact(claim, nodule(**here), nodule(**there), None) is None
    assert fact(claim, nodule(**here), nodule()) is None
    assert fact(claim, nodule(**here), nodule(**here)) is None
    assert fact(differing(ErrorAspect.SEVERITY), nodule(**here), nodule(**there)) is None


def test_sides_that_overlap_may_be_doubted() -> None:
    """Of a finding on both sides one is told: that may be a matter of wording."""
    assert fact(differing(ErrorAspect.LOCATION), nodule(anatomy=BOTH), nodule(anatomy=LEFT)) is None


@pytest.mark.parametrize("aspect", [ErrorAspect.DESCRIPTION, ErrorAspect.NEGATION])
def test_a_side_wrong_in_one_sentence_is_a_fact_though_the_finding_counts_as_made_up(aspect: ErrorAspect) -> None:
    """Findings and impression are two sentences: the candidate's second names the other side, a finding by itself.

    Where the reference calls that side normal, the finding counts as denied there.
    """
    content = [SentenceContent(5, ("nodule", section), 2, 0) for section in ("seen", "impression")]
    reports = Coverage(tuple(zip((0, 20), content, strict=True)))
    reference = [nodule(anatomy=LEFT), nodule(anatomy=LEFT, at=20), normal("clear_lungs", at=50)]
    candidate = [nodule(anatomy=LEFT), nodule(anatomy=RIGHT, at=20)]
    denial = (Span(50, 55),) if aspect is ErrorAspect.NEGATION else NOWHERE
    made_up = differing(aspect, reference_spans=denial, candidate_spans=(Span(20, 25),))
    assert fact(made_up, reference, candidate, (reports, reports)) is HardFact.SIDE
    right = [*reference[:1], nodule(anatomy=RIGHT, at=20)]
    assert fact(made_up, right, candidate, (reports, reports)) is None


def test_another_finding_of_a_sentence_alike_is_none() -> None:
    """A scar on the right does not make a nodule on the left a matter of sides."""
    made_up = differing(ErrorAspect.DESCRIPTION, reference_spans=NOWHERE)
    assert fact(made_up, unit("scar", *RIGHT), nodule(anatomy=LEFT)) is None


def test_the_sentence_with_the_same_side_is_the_one_compared() -> None:
    """Of two sentences with as many words in common the one that names the same side is the counterpart."""

    def report(*sides: str) -> Coverage:
        contents = [
            SentenceContent(5, ("nodule", "lung"), 3, 0, (Detail(DetailKind.SIDE, side, 0, number, is_read=True),))
            for number, side in enumerate(sides, 1)
        ]
        return Coverage(tuple(zip((0, 20), contents, strict=False)))

    claim = differing(ErrorAspect.LOCATION, candidate_spans=(Span(0, 5),), reference_spans=(Span(0, 5), Span(20, 25)))
    reference = [nodule(anatomy=RIGHT), nodule(anatomy=LEFT, at=20)]
    assert fact(claim, reference, nodule(anatomy=LEFT), (report("right", "left"), report("left"))) is None


def test_numbers_that_no_rule_reads_are_facts_too() -> None:
    """They belong to no finding: what stands in both sentences is compared."""

    def measured(number: float) -> Coverage:
        return said("loss", "of", "height", details=(Detail(DetailKind.NUMBER, "%", 0, 4, number=number),))

    claim = differing(ErrorAspect.SIZE, finding="")
    assert fact(claim, [], [], (measured(30), measured(60))) is HardFact.SIZE
    assert fact(claim, [], [], (measured(30), said("loss", "of", "height"))) is None


@pytest.mark.parametrize(
    ("told", "is_fact"),
    [
        (unit("nodule", experiencer=Experiencer.FAMILY), True),
        (unit("nodule", temporality=Temporality.HYPOTHETICAL), True),
        (unit("nodule", temporality=Temporality.HISTORICAL), True),
        (unit("fracture", experiencer=Experiencer.FAMILY), False),
        (unit("nodule"), False),
    ],
)
def test_a_finding_of_somebody_else_makes_up_for_no_omission(told: ClinicalUnit, *, is_fact: bool) -> None:
    """Nor does one of former times, or one to be ruled out; another finding says nothing of it."""
    omitted = evolve(
        differing(ErrorAspect.DESCRIPTION, candidate_spans=NOWHERE), category=ErrorCategory.OMITTED_FINDING
    )
    assert (fact(omitted, unit("nodule"), told, None) is HardFact.ASIDE) == is_fact
    both = fact(omitted, unit("nodule"), [told, unit("nodule")], None)
    assert both is None


def test_a_fact_keeps_most_of_its_weight() -> None:
    """Doubt may take a tenth of it; what is likelier than that, and what is no fact, stays as it is."""
    assert bound_probability(0.0, HardFact.SIZE) == LEAST_OF_A_FACT == 0.9
    assert bound_probability(0.95, HardFact.SIZE) == 0.95
    assert bound_probability(0.04, None) == 0.04


@pytest.mark.parametrize("fact", [HardFact.DENIED, HardFact.CONTRADICTION, HardFact.ASIDE])
def test_an_assertion_may_have_been_misread(fact: HardFact) -> None:
    """Whoever is sure of that is believed; whoever is in doubt may take three tenths."""
    assert bound_probability(SURE_OF_A_MISREADING, fact) == LEAST_OF_AN_ASSERTION == 0.7
    assert bound_probability(0.8, fact) == 0.8
    assert bound_probability(SURE_OF_A_MISREADING - 0.01, fact) == SURE_OF_A_MISREADING - 0.01
