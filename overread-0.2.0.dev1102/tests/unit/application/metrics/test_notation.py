"""The notation metric over fakes: counts, score, evidence, and what cannot be scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import define, evolve

from overread.adapters.transport.importance.options import ImportanceOptions
from overread.adapters.transport.importance.plugin import overread_aligners
from overread.application.metrics.notation import NOTATION_SCALE, NotationMetric
from overread.application.metrics.pair_reader import PairReader
from overread.application.metrics.radot import RadotMetric
from overread.application.ports import Extraction
from overread.domain.differences.weighing import ImportanceCost
from overread.domain.findings.lexicon import Finding, Lexicon
from overread.domain.reports.patient import ImportanceRule
from overread.domain.reports.report import ClinicalContext, Report, Span
from overread.domain.results.result import Outcome, Scored, TransportEvidence, Unscored
from overread.domain.vocabulary.severity import Importance
from overread.testing import FakeComponents, FakeExtractor, FakeReadout

from ..fakes import CountingExtractor, pair, reader

LEXICON = Lexicon.of(
    [
        Finding(id="effusion", name="effusion", category="pleura", importance=Importance.ACTIONABLE),
        Finding(id="edema", name="edema", category="lung", importance=Importance.URGENT),
        Finding(id="scar", name="scar", category="lung", importance=Importance.INCIDENTAL),
    ],
    [],
    version="v7",
)


def weighed(lexicon: Lexicon = LEXICON, **parts: Any) -> PairReader:
    """A reader whose cost weighs by a lexicon, and whose aligner is the one that takes what it weighs."""
    [aligner] = (spec.factory(ImportanceOptions(), FakeComponents()) for spec in overread_aligners())
    return reader(**{"aligner": aligner, "cost": ImportanceCost(lexicon), **parts})


def metric(**parts: Any) -> NotationMetric:
    return NotationMetric(weighed(**parts), LEXICON)


def scored(outcome: Outcome) -> Scored:
    assert isinstance(outcome, Scored)
    return outcome


def note(reference: str, candidate: str) -> Scored:
    return scored(metric().evaluate([pair("a", reference, candidate)])[0])


ACTION = ("actionable", "reference_actionable", "reference_stated", "candidate_actionable", "candidate_borne_out")
NONE = dict.fromkeys([*"ABCDEFGH", "critical", "significant", "insignificant", "matched"], 0.0)


@pytest.mark.parametrize(
    ("reference", "candidate", "risk", "said", "green", "counts"),
    [
        # Weights by hand: importance (effusion .5, edema 1, scar .1) times extent (omitted .6, denied 1, both ways
        # .5). What the reference says is the importance of its findings. The last number but one is matched /
        # (matched + significant).
        ("Small effusion. No edema", "Small effusion. No edema", 0.0, 0.5, 1.0, {"matched": 2}),
        ("Small effusion. No edema", "No edema. Small effusion", 0.0, 0.5, 1.0, {"matched": 2}),
        ("Small effusion. No edema", "No edema", 0.3, 0.5, 0.5, {"B": 1, "significant": 1, "matched": 1}),
        ("No edema", "No edema. Small effusion", 0.3, 0.0, 0.5, {"A": 1, "significant": 1, "matched": 1}),
        ("Effusion. No edema", "No effusion. Edema", 1.5, 0.5, 0.0, {"A": 1, "B": 1, "significant": 2}),
        ("Effusion. Scar", "Effusion", 0.06, 0.6, 1.0, {"B": 1, "insignificant": 1, "matched": 1}),
        (
            "Effusion",
            "Effusion. Edema. No edema",
            1.1,
            0.5,
            1 / 3,
            {"A": 2, "critical": 1, "significant": 2, "matched": 1},
        ),
        ("Effusion. Edema. Scar", "", 0.96, 1.6, 0.0, {"B": 3, "significant": 2, "insignificant": 1}),
        ("", "Scar", 0.06, 0.0, 0.0, {"A": 1, "insignificant": 1}),
        ("No edema", "No effusion", 0.0, 0.0, 1.0, {}),
        ("No edema", "", 0.0, 0.0, 0.0, {}),
    ],
)
def test_counts_and_scores(
    reference: str, candidate: str, risk: float, said: float, green: float, counts: dict[str, float]
) -> None:
    """Each category has a count, critical ones are significant too; the score sets risk against what is said.

    A candidate that says nothing has the worst score, and it is said why.
    """
    outcome = note(reference, candidate)
    assert outcome.score == (pytest.approx((said / 10 + 0.5) / (said / 10 + 0.5 + risk)) if candidate else 0.0)
    assert ("the candidate holds no statement, and so it has the worst score there is" in outcome.notes) == (
        not candidate
    )
    errors = float(sum(counts.get(letter, 0) for letter in "ABCDEFGH"))
    expected = NONE | counts | {"errors": errors, "risk": risk, "green": green}
    assert {name: outcome.subscores[name] for name in expected} == pytest.approx(expected)
    assert outcome.subscores.keys() - expected.keys() == {"completeness", "reward", *ACTION}
    assert len(outcome.discrepancies) == outcome.subscores["significant"] + outcome.subscores["insignificant"]


@pytest.mark.parametrize(
    ("reference", "candidate", "counts"),
    [
        # effusion is actionable, edema urgent, a scar neither
        ("Effusion. No edema", "Effusion. No edema", (0, 1, 1, 1, 1)),
        ("Effusion. No edema", "No effusion. Edema", (2, 1, 0, 1, 0)),
        ("Effusion. Scar", "Effusion", (0, 1, 1, 1, 1)),
        ("Effusion", "Effusion. Edema. No edema", (2, 1, 1, 2, 1)),
        ("Effusion. Edema. Scar", "", (2, 2, 0, 0, 0)),
        ("No edema", "", (0, 0, 0, 0, 0)),
    ],
)
def test_what_asks_for_action_is_counted(reference: str, candidate: str, counts: tuple[int, ...]) -> None:
    """Errors, then of each report the findings that ask for action and those of them that the other has, too."""
    subscores = note(reference, candidate).subscores
    assert tuple(int(subscores[name]) for name in ACTION) == counts


@pytest.mark.parametrize(
    ("reference", "candidate", "share"),
    [
        ("Effusion. No edema", "No effusion. Edema", 1.0),
        ("Effusion. No edema", "Effusion", 0.5),
        ("Effusion. No edema", "", 0.0),
        ("Effusion", "Effusion. Edema", 1.0),
        ("", "Edema", 1.0),
    ],
)
def test_completeness_is_the_share_of_the_body_spoken_of(reference: str, candidate: str, share: float) -> None:
    """Of pleura and lung as far as the reference speaks of them; whether it is right is another matter."""
    assert note(reference, candidate).subscores["completeness"] == share


def test_an_empty_candidate_lists_each_omission_where_it_stands() -> None:
    """The spans point at the reference, the gravest first; there is nothing to point at in the candidate."""
    reference = "Effusion. No scar. Edema"
    omissions = note(reference, "").discrepancies
    assert [(d.finding, d.reference_spans[0].of(reference), d.candidate_spans) for d in omissions] == [
        ("edema", "Edema", ()),
        ("effusion", "Effusion", ()),
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
    assert isinstance(evidence, TransportEvidence)
    assert (len(evidence.reference_units), len(evidence.candidate_units)) == (2, 1)
    assert evidence.alignment.shape == (2, 1)


@define
class AsideExtractor:
    """The fake extractor; advice names a modality, its last word, and is administrative."""

    identity: str = "asides"

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        return [
            tuple(
                evolve(
                    u,
                    canonical_finding="",
                    administrative="recommendation",
                    modalities=frozenset({u.canonical_finding}),
                )
                if "Advise" in u.span_text
                else u
                for u in units
            )
            for units in FakeExtractor().extract(reports)
            if not isinstance(units, Unscored)
        ]


@pytest.mark.parametrize(
    ("advice", "other", "risk", "told"),
    [
        # what is looked at again, left out or made up, of unnamed advice
        ("Advise CT", "Advise CT", 0.0, []),
        (
            "Advise CT",
            "Advise MRI",
            2 * 0.2 * 0.6 * 0.3,
            ["follow-up; advice is left out: CT", "follow-up; advice is added: MRI"],
        ),
        ("Advise CT", "", 0.2 * 0.6 * 0.3, ["follow-up; advice is left out: CT"]),
    ],
)
def test_advice_is_compared_beside_the_findings(advice: str, other: str, risk: float, told: list[str]) -> None:
    """It matches no statement, and weighs little where neither an action nor what it is about is named."""
    pairs = [pair("a", f"Effusion. {advice}", f"Effusion. {other}")]
    outcome = scored(metric(extractor=AsideExtractor()).evaluate(pairs)[0])
    assert outcome.subscores["risk"] == pytest.approx(risk)
    assert outcome.subscores["matched"] == 1.0
    assert [d.reason for d in outcome.discrepancies] == told


def test_each_pair_is_judged_for_its_own_patient() -> None:
    """The same reports, read once: an omitted scar matters in the young only, whoever came before."""
    rule = ImportanceRule(to=Importance.ACTIONABLE, reason="unusual", age_below=40)
    scar = evolve(LEXICON.findings["scar"], when=(rule,))
    lexicon = Lexicon.of([*(f for f in LEXICON.findings.values() if f.id != "scar"), scar], [])
    extractor = CountingExtractor()
    judged = NotationMetric(weighed(lexicon, extractor=extractor), lexicon)
    pairs = [
        evolve(pair("a", "Edema. Scar", "Edema"), context=ClinicalContext(age=age)) for age in (25, 82, None, 25, 40)
    ]
    risks = [scored(outcome).subscores["risk"] for outcome in judged.evaluate(pairs)]
    assert risks == pytest.approx([0.3, 0.06, 0.06, 0.3, 0.06])
    assert extractor.texts == ["Edema. Scar", "Edema"]


def test_two_metrics_over_one_reader_read_each_pair_once() -> None:
    """radot and notation on the same pairs cost one reading."""
    extractor = CountingExtractor()
    shared = weighed(extractor=extractor)
    pairs = [pair("a", "Effusion", "No effusion"), pair("b", "Effusion", "Scar")]
    RadotMetric(shared, FakeReadout()).evaluate(pairs)
    NotationMetric(shared, LEXICON).evaluate(pairs)
    assert sorted(extractor.texts) == ["Effusion", "No effusion", "Scar"]


def test_the_signature_names_the_lexicon() -> None:
    """Another lexicon gives other discrepancies."""
    assert metric().signature_parts == (
        ("extractor", "counting"),
        ("cost", "importance,lexicon=v7"),
        ("aligner", "importance,eps=0"),
        ("lexicon", "v7"),
    )
    assert NOTATION_SCALE.describe() == "0 to 1, higher is better"
