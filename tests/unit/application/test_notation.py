"""The notation metric over fakes: counts, score, evidence, and what cannot be scored."""

from __future__ import annotations

from typing import Any

import pytest

from overread.application.notation import NOTATION_SCALE, NotationMetric
from overread.application.radot import RadotMetric
from overread.domain.lexicon import Finding, Lexicon
from overread.domain.report import Span
from overread.domain.result import Outcome, Scored, Unscored
from overread.domain.severity import Actionability
from overread.testing import FakeReadout

from .fakes import CountingExtractor, pair, reader

LEXICON = Lexicon.of(
    [
        Finding(id="effusion", name="effusion", category="pleura", actionability=Actionability.ACTIONABLE),
        Finding(id="edema", name="edema", category="lung", actionability=Actionability.URGENT),
        Finding(id="scar", name="scar", category="lung", actionability=Actionability.NON_ACTIONABLE),
    ],
    [],
    version="v7",
)


def metric(**parts: Any) -> NotationMetric:
    return NotationMetric(reader(**parts), LEXICON)


def scored(outcome: Outcome) -> Scored:
    assert isinstance(outcome, Scored)
    return outcome


def note(reference: str, candidate: str) -> Scored:
    return scored(metric().evaluate([pair("a", reference, candidate)])[0])


COUNTS = dict.fromkeys("ABCDEFGH", 0.0) | {"critical": 0.0, "significant": 0.0, "insignificant": 0.0, "matched": 0.0}


@pytest.mark.parametrize(
    ("reference", "candidate", "score", "counts"),
    [
        # matched / (matched + significant), by hand
        ("Small effusion. No edema", "Small effusion. No edema", 1.0, {"matched": 2}),
        ("Small effusion. No edema", "No edema. Small effusion", 1.0, {"matched": 2}),
        ("Small effusion. No edema", "No edema", 0.5, {"B": 1, "significant": 1, "matched": 1}),
        ("No edema", "No edema. Small effusion", 0.5, {"A": 1, "significant": 1, "matched": 1}),
        ("Effusion. No edema", "No effusion. Edema", 0.0, {"A": 1, "B": 1, "significant": 2}),
        ("Effusion. Scar", "Effusion", 1.0, {"B": 1, "insignificant": 1, "matched": 1}),
        ("Effusion", "Effusion. Edema. No edema", 0.5, {"A": 1, "critical": 1, "significant": 1, "matched": 1}),
        ("Effusion. Edema. Scar", "", 0.0, {"B": 3, "significant": 2, "insignificant": 1}),
        ("", "Scar", 0.0, {"A": 1, "insignificant": 1}),
        ("No edema", "No effusion", 1.0, {}),
        ("No edema", "", 0.0, {}),
    ],
)
def test_counts_and_score(reference: str, candidate: str, score: float, counts: dict[str, float]) -> None:
    """Every category has a count; critical ones are significant too; the score is GREEN's formula."""
    outcome = note(reference, candidate)
    assert outcome.score == score
    assert dict(outcome.subscores) == COUNTS | counts
    assert len(outcome.discrepancies) == outcome.subscores["significant"] + outcome.subscores["insignificant"]


def test_an_empty_candidate_lists_each_omission_where_it_stands() -> None:
    """The spans point at the reference, and there is nothing to point at in the candidate."""
    reference = "Effusion. No scar. Edema"
    omissions = note(reference, "").discrepancies
    assert [(d.finding, d.reference_spans[0].of(reference), d.candidate_spans) for d in omissions] == [
        ("effusion", "Effusion", ()),
        ("edema", "Edema", ()),
    ]


def test_a_flipped_finding_is_marked_in_both_reports() -> None:
    """The denial is shown beside what it denies."""
    [flip] = note("No effusion", "  Effusion").discrepancies
    assert (flip.reference_spans, flip.candidate_spans) == ((Span(0, 11),), (Span(2, 10),))


def test_unreadable_pairs_are_unscored_in_their_place() -> None:
    """Two empty reports and a report that is too long do not shift the others."""
    pairs = [pair("a", "", ""), pair("b", "Edema", "Edema"), pair("c", "Scar. " * 5, "Scar"), pair("d", "Edema", "")]
    outcomes = metric(max_units=4).evaluate(pairs)
    assert outcomes[0] == Unscored("empty", "both reports are empty")
    assert isinstance(outcomes[2], Unscored)
    assert [scored(outcomes[1]).score, scored(outcomes[3]).score] == [1.0, 0.0]


def test_the_evidence_holds_the_units_compared() -> None:
    """Units and plan can be shown beside the discrepancies."""
    evidence = note("Effusion. No edema", "Effusion").evidence
    assert evidence is not None
    assert (len(evidence.reference_units), len(evidence.candidate_units)) == (2, 1)
    assert evidence.alignment.shape == (2, 1)


def test_two_metrics_over_one_reader_read_each_pair_once() -> None:
    """radot and notation on the same pairs cost one reading."""
    extractor = CountingExtractor()
    shared = reader(extractor=extractor)
    pairs = [pair("a", "Effusion", "No effusion"), pair("b", "Effusion", "Scar")]
    RadotMetric(shared, FakeReadout()).evaluate(pairs)
    NotationMetric(shared, LEXICON).evaluate(pairs)
    assert sorted(extractor.texts) == ["Effusion", "No effusion", "Scar"]


def test_the_signature_names_the_lexicon() -> None:
    """Another lexicon gives other discrepancies."""
    assert metric().signature_parts == (("extractor", "counting"), ("aligner", "counting"), ("lexicon", "v7"))
    assert NOTATION_SCALE.describe() == "0 to 1, higher is better"
