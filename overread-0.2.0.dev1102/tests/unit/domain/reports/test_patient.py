"""What the patient and the question make of a finding."""

from __future__ import annotations

from typing import Any

import pytest

from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.patient import ImportanceRule, Indication, Setting, Weighed
from overread.domain.reports.report import ClinicalContext
from overread.domain.vocabulary.severity import Importance

from ..clinical import finding


def rule(step: int = 1, reason: str = "so it is", **conditions: Any) -> ImportanceRule:
    """A rule of a step, unless it leads to an importance."""
    return ImportanceRule(step=0 if "to" in conditions else step, reason=reason, **conditions)


def read(text: str) -> Indication:
    """Reads "q:" words as asked and others as told."""
    words = text.split()
    asked = frozenset(word.removeprefix("q:") for word in words if word.startswith("q:"))
    return Indication(asked=asked, told=frozenset(word.removeprefix("q:") for word in words))


@pytest.mark.parametrize(
    ("tried", "known", "fits"),
    [
        # age: from is inclusive, below exclusive, unknown meets neither
        (rule(age_from=60), Setting(age=82), True),
        (rule(age_from=60), Setting(age=60), True),
        (rule(age_from=60), Setting(age=59.9), False),
        (rule(age_from=60), Setting(), False),
        (rule(age_below=40), Setting(age=25), True),
        (rule(age_below=40), Setting(age=0), True),
        (rule(age_below=40), Setting(age=40), False),
        (rule(age_below=40), Setting(), False),
        (rule(age_from=18, age_below=40), Setting(age=30), True),
        (rule(age_from=18, age_below=40), Setting(age=12), False),
        (rule(sex="F"), Setting(sex="F"), True),
        (rule(sex="F"), Setting(sex="M"), False),
        (rule(sex="F"), Setting(), False),
        # one of those named
        (rule(indication=("trauma", "surgery")), Setting(told=frozenset({"surgery", "fever"})), True),
        (rule(indication=("trauma", "surgery")), Setting(told=frozenset({"fever"})), False),
        (rule(indication=("trauma",)), Setting(beside=frozenset({"trauma"})), False),
        (rule(beside=("drain",)), Setting(beside=frozenset({"drain"})), True),
        (rule(beside=("drain",)), Setting(told=frozenset({"drain"})), False),
        # all conditions
        (rule(age_from=60, sex="F"), Setting(age=70, sex="F"), True),
        (rule(age_from=60, sex="F"), Setting(age=70), False),
        (rule(age_from=60, indication=("trauma",)), Setting(age=50, told=frozenset({"trauma"})), False),
    ],
)
def test_a_rule_fits_a_patient_known_to_meet_every_condition(
    tried: ImportanceRule, known: Setting, *, fits: bool
) -> None:
    """What is not known of the patient meets no condition."""
    assert tried.fits(known) is fits


@pytest.mark.parametrize(
    ("sex", "expected"),
    [("F", "F"), (" female", "F"), ("M", "M"), ("Male.", "M"), ("O", ""), ("", ""), (None, ""), ("mixed", "")],
)
def test_sex_is_read_as_sources_record_it(sex: str | None, expected: str) -> None:
    """Anything else meets no condition."""
    known = Setting.of(ClinicalContext(sex=sex), Indication(), frozenset(), lambda named: named)
    assert known.sex == expected


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"step": 1}, "must have a condition"),
        ({"step": 2, "age_from": 3.0}, "a step of 1 or -1"),
        ({"step": 0, "age_from": 3.0}, "a step of 1 or -1"),
        ({"step": 1, "to": Importance.URGENT, "age_from": 3.0}, "a step of 1 or -1"),
        ({"to": Importance.EXPECTED, "age_from": 80.0}, "may lead only to urgent or actionable"),
        ({"step": 1, "age_from": 3.0, "reason": ""}, "must have a reason"),
    ],
)
def test_a_rule_that_says_nothing_or_too_much_is_refused(wrong: dict[str, Any], said: str) -> None:
    """No age makes a finding nothing: less grave a rule makes it by a step at most."""
    with pytest.raises(ValueError, match=said):
        ImportanceRule(**({"reason": "so it is"} | wrong))


SMALL = Lexicon.of(
    [
        finding(
            "gas",
            Importance.URGENT,
            when=(
                rule(-1, "usual after surgery", indication=("surgery",)),
                rule(-1, "a drain lets it in", beside=("drain",)),
            ),
        ),
        finding(
            "break",
            Importance.ACTIONABLE,
            when=(
                rule(to=Importance.URGENT, age_below=2, reason="it may be inflicted", kinds=True),
                rule(1, "it may come from the injury", indication=("trauma",), kinds=True, but_not=("old_break",)),
                rule(-1, "usual", age_from=80),
            ),
        ),
        finding("old_break", Importance.INCIDENTAL, "break"),
        finding("healed_break", Importance.INCIDENTAL, "old_break", when=(rule(-1, "usual", age_from=80),)),
        finding("effusion", Importance.ACTIONABLE, signs=("blunting",)),
        finding("blunting", Importance.FOLLOW_UP),
        finding("spur", Importance.INCIDENTAL, when=(rule(-1, "usual", age_from=60), rule(1, "rare", age_below=35))),
        finding("drain", Importance.EXPECTED, device=True),
        finding("pigtail", Importance.EXPECTED, "drain", device=True),
    ],
    [],
)
SMALL.indications = read


@pytest.mark.parametrize(
    ("concept", "patient", "expected"),
    [
        ("gas", ClinicalContext(), "urgent"),
        ("gas", ClinicalContext(indication="pain"), "urgent"),
        ("gas", ClinicalContext(indication="surgery"), "actionable; usual after surgery"),
        ("gas", ClinicalContext(indication="surgery q:gas"), "urgent"),
        ("gas", ClinicalContext(indication="q:gas"), "urgent"),
        ("break", ClinicalContext(indication="trauma"), "urgent; it may come from the injury"),
        ("break", ClinicalContext(indication="trauma q:break"), None),
        ("break", ClinicalContext(age=85), "follow-up; usual"),
        ("old_break", ClinicalContext(indication="trauma"), "incidental"),
        ("healed_break", ClinicalContext(indication="trauma"), "incidental"),
        ("old_break", ClinicalContext(age=85), "incidental"),
        ("healed_break", ClinicalContext(age=85), "expected; usual"),
        ("old_break", ClinicalContext(age=0.5), "urgent; it may be inflicted"),
        ("healed_break", ClinicalContext(age=0.5), "urgent; it may be inflicted"),
        ("spur", ClinicalContext(age=28), "follow-up; rare"),
        ("spur", ClinicalContext(age=75), "expected; usual"),
        ("spur", ClinicalContext(age=75, indication="q:spur"), "incidental"),
        ("spur", ClinicalContext(age=28, indication="q:spur"), "follow-up; the indication asks about it; rare"),
        ("effusion", ClinicalContext(indication="q:effusion"), "urgent; the indication asks about it"),
        ("effusion", ClinicalContext(indication="effusion"), "actionable"),
        ("blunting", ClinicalContext(indication="q:effusion"), "actionable; the indication asks about it"),
        ("old_break", ClinicalContext(indication="q:break"), "follow-up; the indication asks about it"),
        ("break", ClinicalContext(indication="q:old_break"), "urgent; the indication asks about it"),
        ("unheard_of", ClinicalContext(age=80, indication="q:unheard_of"), "actionable"),
    ],
)
def test_what_a_finding_asks_for_depends_on_the_patient(
    concept: str, patient: ClinicalContext, expected: str | None
) -> None:
    """A step at most, by the first rule that fits and by the question; both reasons are told where both count."""
    expected = expected or "urgent; the indication asks about it; it may come from the injury"
    weighed = SMALL.for_patient(patient).weighed(concept)
    assert weighed.words == expected
    assert SMALL.for_patient(patient).importance(concept) is weighed.importance


def test_a_rule_may_ask_for_what_stands_beside() -> None:
    """A kind of the device will do, and the lexicon of another pair is another."""
    beside = SMALL.for_patient(ClinicalContext(), beside=["pigtail"])
    assert beside.weighed("gas") == Weighed(Importance.ACTIONABLE, "a drain lets it in")
    assert beside.for_patient(ClinicalContext()).weighed("gas") == Weighed(Importance.URGENT)
    assert SMALL.weighed("gas").words == "urgent"


def test_a_rule_names_findings_of_the_lexicon() -> None:
    """What nobody can assert would never be met."""
    with pytest.raises(ValueError, match="rule of unknown 'drian'"):
        Lexicon.of([finding("gas", Importance.URGENT, when=(rule(beside=("drian",)),))], [])
