"""What the reader makes of recommendations, of what cannot be assessed, and of the examination as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.domain.findings.unit import UNCHANGED, Change, ClinicalUnit, Temporality

Read = Callable[[str], tuple[ClinicalUnit, ...]]


def _advice(read: Read, text: str) -> ClinicalUnit:
    (unit,) = [unit for unit in read(text) if unit.administrative == "recommendation"]
    return unit


@pytest.mark.parametrize(
    ("text", "modalities", "actions"),
    [
        ("Recommend follow-up CT in 3 months.", {"ct"}, {"follow_up", "imaging"}),
        ("Clinical correlation is recommended.", set(), {"correlation"}),
        ("Recommend biopsy of the left upper lobe mass.", set(), {"biopsy"}),
        ("Consider PET-CT or tissue sampling for the spiculated mass.", {"pet", "ct"}, {"imaging", "biopsy"}),
        ("No further follow-up is needed.", set(), {"none"}),
        ("The 5 mm nodule needs no follow-up.", set(), {"none"}),
        ("Ultrasound before drainage of the effusion.", {"ultrasound"}, {"imaging", "drainage"}),
        ("Surgical referral is advised.", set(), {"referral"}),
    ],
)
def test_what_is_asked_for(read: Read, text: str, modalities: set[str], actions: set[str]) -> None:
    """Modalities and actions of a recommendation, one of which may be to do nothing."""
    unit = _advice(read, text)
    assert unit.modalities == frozenset(modalities)
    assert unit.actions == frozenset(actions)


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("Follow-up CT in 6 to 12 months is recommended.", (182.4, 364.8)),
        ("Follow-up CT in 6-12 months is recommended.", (182.4, 364.8)),
        ("Recommend CT in three months.", (91.2, 91.2)),
        ("Recommend repeat radiograph within 24 hours.", (0.0, 1.0)),
        ("3-month follow-up CT is recommended.", (91.2, 91.2)),
        ("Repeat radiograph tomorrow.", (1.0, 1.0)),
        ("Urgent CT is advised.", (0.0, 1.0)),
        ("Short-term follow-up radiograph is recommended.", (1.0, 184.0)),
        ("Annual low-dose CT screening is advised.", (365.0, 365.0)),
        ("CT is recommended, as the last was 3 months ago.", None),
        ("CT is recommended.", None),
    ],
)
def test_when(read: Read, text: str, interval: tuple[float, float] | None) -> None:
    """Intervals in days from now; a time that is past is none."""
    assert _advice(read, text).interval_days == (interval and pytest.approx(interval))


@pytest.mark.parametrize(
    ("text", "finding", "is_asserted"),
    [
        ("CT is recommended to evaluate the right hilar mass.", "hilar_mass", True),
        ("Follow-up CT of the 8 mm nodule in 6 months.", "lung_nodule", True),
        ("Recommend biopsy of left lung mass.", "lung_mass", True),
        ("Follow-up radiograph is advised to document resolution of the pneumonia.", "pneumonia", True),
        ("No follow-up required for the nodule.", "lung_nodule", True),
        ("CT is recommended to exclude fracture.", "fracture", False),
        ("CT is recommended to exclude the possibility of a fracture.", "fracture", False),
        ("Recommend CT to evaluate for pulmonary embolism.", "pulmonary_embolism", False),
        ("Correlate clinically for pneumonia.", "pneumonia", False),
    ],
)
def test_findings_of_a_recommendation(read: Read, text: str, finding: str, *, is_asserted: bool) -> None:
    """A finding that the advice takes as known is there; one that it looks for is open. Either way it is about it."""
    (unit,) = [unit for unit in read(text) if unit.canonical_finding == finding]
    assert unit.asserts_finding is is_asserted
    assert not unit.denies_finding
    assert finding in _advice(read, text).about


@pytest.mark.parametrize(
    "text",
    [
        "The left base cannot be assessed for effusion.",
        "Pneumothorax cannot be assessed.",
        "Pleural effusion is not assessable.",
        "Not evaluated: pneumothorax, effusion.",
        "Unable to assess for pneumothorax or effusion.",
        "The apices are not included on the image, so pneumothorax cannot be assessed.",
        "Nondiagnostic for pulmonary embolism.",
        "The heart size cannot be evaluated.",
        "Heart size is difficult to assess.",
        "The retrocardiac region is obscured by the heart.",
        "The lung bases are excluded from the field of view.",
        "Assessment of the mediastinum is not possible.",
        "This is not a chest radiograph.",
        "I cannot interpret this image.",
        "Is the heart normal?",
        "Is there a pneumothorax?",
        "History of effusion, nodule and cardiomegaly.",
    ],
)
def test_nothing_is_asserted_and_nothing_denied(read: Read, text: str) -> None:
    """What cannot be assessed, is asked or is past says nothing of the patient now, and yet it is read."""
    units = read(text)
    assert units
    assert not any(unit.is_unread for unit in units)
    clinical = [unit for unit in units if not unit.administrative]
    assert not any(unit.asserts_finding or unit.denies_finding for unit in clinical)


@pytest.mark.parametrize(
    "text",
    [
        "No interval change.",
        "No significant interval change.",
        "Unchanged.",
        "Stable examination.",
        "No change from prior exam.",
        "Findings are unchanged since the previous study.",
        "No new findings.",
    ],
)
def test_the_examination_as_a_whole(read: Read, text: str) -> None:
    """A sentence of change alone says that all is as it was; it is read, and denies nothing."""
    (unit,) = read(text)
    assert (unit.canonical_finding, unit.change) == (UNCHANGED, Change.STABLE)
    assert not unit.denies_finding


@pytest.mark.parametrize("text", ["Zorbly kran is unchanged.", "No new zorb.", "It is unchanged."])
def test_change_of_something_unknown_is_unread(read: Read, text: str) -> None:
    """Only words of change and of the examination make it one about the whole."""
    (unit,) = read(text)
    assert unit.is_unread


def test_a_change_is_still_carried_to_the_finding_before(read: Read) -> None:
    """Right behind a finding a bare "unchanged" is the finding's."""
    (unit,) = read("Left pleural effusion. Unchanged.")
    assert (unit.canonical_finding, unit.change) == ("pleural_effusion", Change.STABLE)
    assert unit.temporality is Temporality.CURRENT


def test_headings_of_advice_and_messages(read: Read) -> None:
    """What stands under them is advice or a message, whatever its words; its findings are not the report's."""
    text = "FINDINGS: No effusion.\nRECOMMENDATION: CT of the mass in 3 months.\nCOMMUNICATION: Dr. Jones, 4 pm, mass."
    normal, advice, message = read(text)
    assert normal.canonical_finding == "pleural_effusion"
    assert (advice.administrative, advice.interval_days) == ("recommendation", (91.2, 91.2))
    assert (message.administrative, message.canonical_finding) == ("communication", "")
    assert text[advice.start : advice.end] == advice.span_text == "CT of the mass in 3 months."
