"""The shipped rules: what age, sex, indication and what stands beside make of a finding."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.domain.reports.patient import Weighed
from overread.domain.reports.report import ClinicalContext
from overread.domain.vocabulary.severity import Importance

LEXICON = load_knowledge().lexicon


def weighed(finding: str, context: ClinicalContext, *beside: str) -> Weighed:
    return LEXICON.for_patient(context, beside=beside).weighed(finding)


def of(age: float | str | None = None, indication: str | None = None, sex: str | None = None) -> ClinicalContext:
    return ClinicalContext(age=age, sex=sex, indication=indication)


@pytest.mark.parametrize(
    ("finding", "more", "less"),
    [
        ("pneumoperitoneum", of(60, "Sudden abdominal pain."), of(60, "First day after laparotomy.")),
        ("pleural_effusion", of(15, "Fever, new effusion?"), of(67, "Day 4 after bypass surgery.")),
        ("pleural_effusion", of(15, "Fever."), of(67, "s/p CABG")),
        ("degenerative_spine", of(28), of(75)),
        ("limb_osteoarthritis", of(28), of(75)),
        ("osteopenia", of(35), of(78)),
        ("old_rib_fracture", of("004M"), of(50)),
        ("multiple_rib_fractures", of("004M"), of(50)),
        ("healed_fracture", of("004M"), of(50)),
        ("cardiomegaly", of("006M"), of(80, "Known heart failure.")),
        ("enteric_tube", of(70, "NG tube position"), of(70, "cough")),
        ("fracture", of(30, "rule out fracture"), of(30, "cough")),
        ("wrist_fracture", of(30, "rule out fracture"), of(30, "cough")),
        ("consolidation", of(30, "? pneumonia"), of(30, "screening")),
        ("lung_nodule", of(66, "history of breast cancer"), of(66, "cough")),
        ("atelectasis", of(50, "cough"), of(50, "POD 2")),
    ],
)
def test_a_finding_asks_for_more_in_one_patient_than_in_another(
    finding: str, more: ClinicalContext, less: ClinicalContext
) -> None:
    """By a step each way at most, and whoever is moved is told why."""
    graver, milder = weighed(finding, more), weighed(finding, less)
    own = LEXICON.importance(finding)
    assert graver.importance.weight > milder.importance.weight
    for moved in (graver, milder):
        assert bool(moved.reason) is (moved.importance is not own)
        if "infant" not in moved.reason:
            assert moved.importance in {own, own.moved(1), own.moved(-1)}


def test_subcutaneous_emphysema_with_a_drain_asks_for_less() -> None:
    """Whether the indication names the drain or the reference does; a denied drain explains nothing."""
    alone = weighed("subcutaneous_emphysema", of(40, "cough"))
    told = weighed("subcutaneous_emphysema", of(40, "chest tube in place"))
    seen = weighed("subcutaneous_emphysema", of(40), "chest_tube")
    assert alone.importance is Importance.ACTIONABLE
    assert told == seen == Weighed(Importance.FOLLOW_UP, "air tracks along a chest drain")
    assert weighed("subcutaneous_emphysema", of(40, "no chest tube")) == alone


@pytest.mark.parametrize("finding", ["rib_fracture", "multiple_rib_fractures", "old_rib_fracture", "healed_fracture"])
@pytest.mark.parametrize("age", ["001D", "003W", "015M"])
def test_fractures_of_infants_are_urgent(finding: str, age: str) -> None:
    """Fresh or healed: fractures of different ages may be inflicted. This goes beyond a step, and says so."""
    assert weighed(finding, of(age)) in {
        Weighed(Importance.URGENT, "a fracture in an infant may be inflicted"),
        Weighed(Importance.URGENT),
    }


def test_an_old_rib_fracture_asks_for_nothing_in_any_adult() -> None:
    """Healed ribs are incidental."""
    assert {weighed("old_rib_fracture", of(age)).importance for age in (20, 50, 90)} == {Importance.INCIDENTAL}


@pytest.mark.parametrize("indication", ["Known heart failure.", "CHF", "Cough.", None])
def test_a_large_heart_in_the_old_can_change_care(indication: str | None) -> None:
    """Age and history do not make it nothing."""
    assert weighed("cardiomegaly", of(80, indication)).importance.is_actionable


@pytest.mark.parametrize("age", [0.1, 1, 5, 10, 17, 30, 44, 55, 70, 79, 90, 120])
@pytest.mark.parametrize("sex", ["F", "M"])
def test_no_age_turns_what_can_change_care_into_nothing(age: float, sex: str) -> None:
    """Of every finding: urgent and actionable ones are to be followed at least."""
    own = LEXICON.for_patient(of(age, sex=sex))
    assert not [
        finding
        for finding in LEXICON.findings
        if LEXICON.importance(finding).is_actionable and own.importance(finding).weight < Importance.FOLLOW_UP.weight
    ]


def test_every_rule_says_why_and_where_that_is_written() -> None:
    """And leads beyond a step for infants only."""
    rules = [rule for finding in LEXICON.findings.values() for rule in finding.when]
    assert len(rules) > 100
    assert all(rule.reason and rule.source for rule in rules)
    assert [rule.age_below for rule in rules if rule.to is not None] == [2]


@pytest.mark.parametrize(
    ("indication", "asked", "told"),
    [
        ("? pneumothorax after biopsy", {"pneumothorax"}, set()),
        ("Pneumonia?", {"pneumonia"}, set()),
        ("r/o fx", {"fracture"}, set()),
        ("Cough, fever. History of breast cancer.", set(), {"malignancy"}),
        ("78F with COPD, now cough, ?pneumonia", {"pneumonia"}, {"copd", "airway_disease"}),
        ("COPD ? pneumonia", {"pneumonia"}, {"airway_disease", "copd"}),
        ("Evaluate for COPD", {"copd"}, {"airway_disease"}),
        ("COPD?", {"copd"}, {"airway_disease"}),
        ("Cough and chest congestion.", set(), set()),
        ("Preop bypass surgery.", set(), set()),
        ("Scheduled for CABG; pneumonia?", {"pneumonia"}, set()),
        ("s/p CABG, evaluate effusion", {"pleural_effusion"}, {"cabg", "cardiac_surgery"}),
        ("History of CABG 10 years ago. Cough.", set(), set()),
        ("CABG 10 years ago, cough", set(), set()),
        ("Man with pneumothorax // interval change", {"pneumothorax"}, set()),
        ("Man with pneumothorax", set(), {"pneumothorax"}),
        ("no trauma, pneumothorax", {"pneumothorax"}, set()),
        ("No history of trauma.", set(), set()),
        ("Remote trauma.", set(), set()),
        ("History of fall yesterday.", set(), {"trauma"}),
        ("acute process", set(), set()),
        ("", set(), set()),
    ],
)
def test_what_an_indication_asks_about_and_names(indication: str, asked: set[str], told: set[str]) -> None:
    """What is named is asked about, unless it is known, past or denied; surgery of long ago explains nothing."""
    read = LEXICON.indications(indication)
    assert asked <= read.asked
    assert told | asked <= read.told
    known = {"pneumothorax", "pneumonia", "fracture", "copd", "pleural_effusion", "cabg", "cardiac_surgery"}
    known |= {"malignancy", "trauma", "airway_disease"}
    assert not (known - asked) & read.asked
    assert not (known - asked - told) & read.told


def test_a_very_long_indication_is_read_in_part() -> None:
    """Somebody's whole chart in the column costs no more than a page."""
    assert "fracture" in LEXICON.indications("fracture. " + "word " * 100_000 + "pneumothorax").asked
    assert "pneumothorax" not in LEXICON.indications("word " * 100_000 + "pneumothorax").asked


def test_an_indication_is_not_shown() -> None:
    """No repr of the lexicon of a patient holds it."""
    assert "qzx" not in repr(LEXICON.for_patient(of(40, "qzx cough")))
