"""Changes, dates of sizes, angles, spoken marks, titles and states told in other words: what is read of them."""

from __future__ import annotations

import pytest

from overread.adapters.reader.medspacy.sizes import quantities
from overread.domain.findings.unit import Change, Polarity

from .conftest import Read

WORSE, BETTER, SAME, GONE, NEW = Change.WORSENED, Change.IMPROVED, Change.STABLE, Change.RESOLVED, Change.NEW


@pytest.mark.parametrize(
    ("text", "finding", "change"),
    [
        ("Right pleural effusion, moderate, increased.", "pleural_effusion", WORSE),
        ("Left pneumothorax, small, slightly enlarged compared with this morning.", "pneumothorax", WORSE),
        ("Pulmonary oedema, receding.", "pulmonary_edema", BETTER),
        ("Ascites, large, clearly reduced since the tap.", "ascites", BETTER),
        ("Nodal disease in the mediastinum is in retreat.", "mediastinal_lymphadenopathy", BETTER),
        ("Left effusion, same size as in May.", "pleural_effusion", SAME),
        ("Right hilar mass, distinctly bigger than in March.", "hilar_mass", WORSE),
        ("The aneurysm is just as wide as it was twelve months ago.", "aortic_aneurysm", SAME),
        ("The lateral ventricles are clearly bigger than in May.", "hydrocephalus", WORSE),
        ("The midline, central before, is displaced by 5 mm.", "midline_shift", NEW),
        ("The renal collecting system, dilated last time, is back to normal calibre.", "hydronephrosis", GONE),
    ],
)
def test_a_change_is_read_wherever_its_word_stands(read: Read, text: str, finding: str, change: Change) -> None:
    """Behind a degree, behind a comma, in a comparison with a date."""
    (unit,) = (unit for unit in read(text) if unit.canonical_finding == finding)
    assert unit.change is change


@pytest.mark.parametrize(
    ("text", "now", "change"),
    [
        ("Nodule, right upper lobe: 8 mm in March, 13 mm today.", 13, WORSE),
        ("Nodule: 13 mm today, 8 mm in March.", 13, WORSE),
        ("The subcarinal node had a short axis of 19 mm and has one of 11 mm now.", 11, BETTER),
        ("Liver metastasis in segment 6: 34 mm (previous CT 21 mm).", 34, WORSE),
        ("Liver metastasis in segment 6: 21 mm (previous CT 34 mm).", 21, BETTER),
        ("Liver lesion 2.1 cm, in May 2023 3.4 cm.", 21, BETTER),
        ("Pulmonary nodule of 9 mm against 14 mm on the earlier scan.", 9, BETTER),
        ("Nodule now 14 mm, 7 mm previously.", 14, WORSE),
        ("Nodule 14 mm (7 mm two years ago).", 14, WORSE),
        ("Subdural hematoma has grown from 6 mm to 13 mm, with a new 5 mm midline shift.", 13, WORSE),
        ("Lung nodule of 6 mm, in 2021 also 6 mm.", 6, SAME),
        ("Nodule 9 mm versus 20 mm in June.", 9, BETTER),
    ],
)
def test_a_dated_size_is_that_of_its_date(read: Read, text: str, now: float, change: Change) -> None:
    """Whichever of the two comes first, the one of this examination counts, and the other tells the change."""
    unit = read(text)[0]
    assert [size.millimetres for size in unit.measurements] == [now]
    assert (unit.change, unit.asserts_finding) == (change, True)


def test_the_month_of_may_casts_no_doubt(read: Read) -> None:
    """A date is no verb, though its month is spelt like one."""
    for text in ("Nodule, unchanged since May.", "Effusion seen on 3 May 2024.", "Mass as in May."):
        assert read(text)[0].certainty is None
    assert read("This may be an effusion.")[0].polarity is Polarity.UNCERTAIN


@pytest.mark.parametrize(
    ("text", "finding", "values"),
    [
        ("Right thoracic scoliosis, Cobb angle 32 degrees.", "scoliosis", [(32, "degree")]),
        ("Scoliosis of 41° between T5 and L1.", "scoliosis", [(41, "degree")]),
        ("Left adrenal nodule of 4 HU.", "adrenal_mass", [(4, "hu")]),
        ("Left adrenal nodule of 25 HU, previously 12 HU.", "adrenal_mass", [(25, "hu")]),
        ("Right adrenal, 2.4 cm, 35 HU without contrast.", "adrenal_mass", [(2.4, "cm"), (35, "hu")]),
        ("Fracture with 25 degrees of angulation.", "fracture", []),
    ],
)
def test_angles_and_attenuations_belong_to_what_is_measured_in_them(
    read: Read, text: str, finding: str, values: list[tuple[float, str]]
) -> None:
    """Scoliosis has degrees, an adrenal lesion Hounsfield units; an earlier value is none of today's."""
    (unit,) = (unit for unit in read(text) if unit.canonical_finding == finding)
    assert [(value.value, value.unit) for value in unit.measurements] == values


def test_quantities_keep_their_sign() -> None:
    """Fat is below zero."""
    assert [value.value for value, _, _ in quantities("-20 HU or 12 HU")] == [-20, 12]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("There is a crack through the middle third of the left clavicle.", "clavicle_fracture"),
        ("A break in the lower third of the right tibia.", "tibia_fibula_fracture"),
        ("Thickened wall of the gallbladder.", "cholecystitis"),
        ("The third ventricle, slit-like in spring, is dilated.", "hydrocephalus"),
        ("Lateral ventricles, bigger than in May.", "hydrocephalus"),
        ("The abdominal aorta below the renal arteries is aneurysmal.", "abdominal_aortic_aneurysm"),
        ("A lens of blood lies in the extradural space.", "epidural_hematoma"),
        ("Right lower lobe: solid, 0.8 cm.", "solid_nodule"),
        ("Fluid on the left.", "pleural_effusion"),
    ],
)
def test_a_state_and_its_place_are_a_finding(read: Read, text: str, finding: str) -> None:
    """Whatever tells the place more closely, or is told in passing, stands between."""
    assert finding in {unit.canonical_finding for unit in read(text) if unit.asserts_finding}


@pytest.mark.parametrize(
    "text",
    ["The ventricles are no bigger than in May.", "Lateral ventricles not larger.", "Heart, large effusion."],
)
def test_a_comparison_denied_is_no_state(read: Read, text: str) -> None:
    """What is no bigger need not be big, and what a noun follows describes the noun."""
    assert not {"hydrocephalus", "cardiomegaly"} & {unit.canonical_finding for unit in read(text)}


@pytest.mark.parametrize("text", ["Large cardiac shadow.", "The heart shadow is big.", "Big heart."])
def test_a_size_word_that_makes_the_finding_is_no_degree(read: Read, text: str) -> None:
    """Cardiomegaly told as a large heart is not severe for it."""
    (unit,) = read(text)
    assert (unit.canonical_finding, unit.severity) == ("cardiomegaly", None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The mass abuts and encases the aorta.", {"abutting", "encasing"}),
        ("The mass abuts the aorta without encasing it.", {"abutting"}),
        ("The lung mass engulfs the right pulmonary artery.", {"encasing"}),
        ("The fracture through the distal radius has slipped.", {"displaced"}),
        ("The fracture through the distal radius has healed in anatomical position.", {"healed", "nondisplaced"}),
        ("The fracture of the tibia has not slipped.", {"nondisplaced"}),
    ],
)
def test_verbs_of_appearance_are_read(read: Read, text: str, words: set[str]) -> None:
    """What a mass does to a vessel, and what became of a fracture."""
    assert frozenset().union(*(unit.modifiers for unit in read(text))) >= words
    assert ("encasing" in words) == any("encasing" in unit.modifiers for unit in read(text))


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        (
            "small subdural haematoma comma right convexity period new line no pneumothorax period",
            [("subdural_hematoma", "present"), ("pneumothorax", "absent")],
        ),
        ("no effusion full stop small hiatal hernia", [("pleural_effusion", "absent"), ("hiatal_hernia", "present")]),
        (
            "no edema new paragraph left effusion period",
            [("pulmonary_edema", "absent"), ("pleural_effusion", "present")],
        ),
        (
            "No pneumothorax new line there is an effusion",
            [("pneumothorax", "absent"), ("pleural_effusion", "present")],
        ),
        ("no pneumothorax PERIOD effusion PERIOD", [("pneumothorax", "absent"), ("pleural_effusion", "present")]),
    ],
)
def test_spoken_marks_part_sentences(read: Read, text: str, findings: list[tuple[str, str]]) -> None:
    """A denial ends with them, and units keep the report's own words."""
    units = read(text)
    assert [(unit.canonical_finding, unit.polarity.value) for unit in units] == findings
    assert all(text[unit.start : unit.end] == unit.span_text for unit in units)


@pytest.mark.parametrize(
    "text",
    [
        "Over this period of time the effusion grew.",
        "Effusion in the postoperative period.",
        "The comma sign of the effusion.",
        "Effusion with a new line in the vein.",
        "Effusion after a six month period of rest.",
    ],
)
def test_a_period_may_be_one_of_time(read: Read, text: str) -> None:
    """Words that are spelt as marks are said of the patient, too."""
    assert len({unit.sentence_index for unit in read(text)}) == 1


@pytest.mark.parametrize(
    ("text", "finding", "polarity"),
    [
        ("# left clavicle", "clavicle_fracture", "present"),
        ("Undisplaced # of the distal radius.", "wrist_fracture", "present"),
        ("No # of the ribs.", "rib_fracture", "absent"),
        ("#NOF right", "hip_fracture", "present"),
        ("Acute # 5th metatarsal", "foot_fracture", "present"),
    ],
)
def test_a_hash_before_a_bone_is_a_fracture(read: Read, text: str, finding: str, polarity: str) -> None:
    """As British radiologists write it."""
    units = read(text)
    assert (finding, polarity) in {(unit.canonical_finding, unit.polarity.value) for unit in units}


@pytest.mark.parametrize("text", ["# Lungs: clear", "# Clavicle: intact", "#1 nodule in the lung", "# Findings"])
def test_a_hash_elsewhere_is_a_mark(read: Read, text: str) -> None:
    """Headings and numbers are no fractures."""
    assert not any("fracture" in unit.canonical_finding for unit in read(text))


@pytest.mark.parametrize(("text", "level"), [("D9 wedge fracture.", "t9"), ("Burst fracture of D12.", "t12")])
def test_dorsal_vertebrae_are_thoracic(read: Read, text: str, level: str) -> None:
    """D stands for T."""
    assert level in read(text)[0].anatomy


@pytest.mark.parametrize(
    "text",
    [
        "LUNG CANCER SCREENING CT",
        "CT for lung cancer screening.",
        "Breast cancer screening mammogram",
        "Low-dose CT chest lung cancer screening.",
        "Prostate cancer staging MRI",
    ],
)
def test_the_disease_an_examination_is_named_for_is_not_found(read: Read, text: str) -> None:
    """A title asserts nothing."""
    assert not any(unit.asserts_finding for unit in read(text))
    assert any(unit.asserts_finding for unit in read("Lung cancer of the right upper lobe."))


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Lung-RADS 1.", "lungrads_negative"),
        ("Lung-RADS category 2", "lungrads_benign"),
        ("LUNG-RADS: 3", "lungrads_probably_benign"),
        ("Lung-RADS 4A", "lungrads_suspicious"),
        ("Lung-RADS v2022 category 4B", "lungrads_very_suspicious"),
        ("Lung RADS 4X.", "lungrads_very_suspicious"),
        ("Lung-RADS 0.", "lungrads_incomplete"),
    ],
)
def test_categories_of_screening_are_read(read: Read, text: str, finding: str) -> None:
    """Each category by itself, and no disease of the airways."""
    assert [unit.canonical_finding for unit in read(text)] == [finding]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("No ongoing bleeding.", "gastrointestinal_bleeding"),
        ("No residual tumor.", "lung_cancer"),
        ("No residual or recurrent tumor.", "lung_cancer"),
        ("No residual pneumothorax.", "pneumothorax"),
        ("There is no ongoing hemorrhage.", "gastrointestinal_bleeding"),
    ],
)
def test_a_denial_may_share_words_with_the_finding(read: Read, text: str, finding: str) -> None:
    """The cue is "no ongoing", the finding "ongoing bleeding"."""
    assert [(unit.canonical_finding, unit.polarity) for unit in read(text)] == [(finding, Polarity.ABSENT)]
