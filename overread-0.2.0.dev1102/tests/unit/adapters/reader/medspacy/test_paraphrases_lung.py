"""The lungs, airways, pleura and diaphragm in the words of very different radiologists."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit, Polarity

Read = Callable[[str], tuple[ClinicalUnit, ...]]


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_knowledge(None).lexicon


@pytest.mark.parametrize(
    ("sentence", "finding", "anatomy"),
    [
        ("There is fluid in both pleural spaces.", "pleural_effusion", {"left", "right", "pleura"}),
        ("Some fluid has collected at the right base.", "pleural_effusion", {"right", "base"}),
        ("Fluid is present around the right lung.", "pleural_effusion", {"right"}),
        ("The left costophrenic sulcus is filled in.", "pleural_effusion", {"left", "costophrenic_angle"}),
        ("The right CP angle is not sharp.", "pleural_effusion", {"right", "costophrenic_angle"}),
        ("Fluid tracks into the right minor fissure.", "pleural_effusion", {"right"}),
        ("The right hemithorax contains a large amount of fluid.", "pleural_effusion", {"right"}),
        ("Air between the right lung and the chest wall.", "pneumothorax", {"right"}),
        ("The left lung edge is separated from the chest wall.", "pneumothorax", {"left"}),
        ("Lung markings do not extend to the left chest wall.", "pneumothorax", {"left"}),
        ("Left apical pleural separation of 2 cm.", "pneumothorax", {"left", "apex"}),
        ("Air and fluid in the left pleural space.", "hydropneumothorax", {"left"}),
        ("Pus in the right pleural space.", "empyema", {"right"}),
        ("The right effusion is walled off.", "loculated_effusion", {"right"}),
        ("Blood has filled the right pleural space.", "hemothorax", {"right"}),
        ("The pleura is thick at both apices.", "pleural_thickening", {"left", "right", "apex"}),
        ("Plaques on both pleural surfaces.", "pleural_plaque", {"left", "right"}),
        ("The right pleura is calcified.", "pleural_calcification", {"right"}),
        ("The right lower zone is hazy.", "lung_opacity", {"right", "lower_zone"}),
        ("The left base is whiter than before.", "lung_opacity", {"left", "base"}),
        ("There is patchiness in the left lower lobe.", "lung_opacity", {"left", "lower_lobe"}),
        ("Right upper lobe shadowing.", "lung_opacity", {"right", "upper_lobe"}),
        ("The left base is infiltrated.", "airspace_opacity", {"left", "base"}),
        ("Left lung hepatization.", "consolidation", {"left"}),
        ("Dense airspace disease fills the right lower lobe.", "consolidation", {"right", "lower_lobe"}),
        ("Right middle lobe has consolidated.", "consolidation", {"right", "middle_lobe"}),
        ("The left lower lobe is infected.", "pneumonia", {"left", "lower_lobe"}),
        ("Pneumonic shadowing in the right lower lobe.", "pneumonia", {"right", "lower_lobe"}),
        ("The bases are under-aerated.", "atelectasis", {"base"}),
        ("Plate-like collapse at the right base.", "atelectasis", {"right", "base"}),
        ("The right lower lobe has lost volume.", "atelectasis", {"right", "lower_lobe"}),
        ("Reduced aeration of the left base.", "atelectasis", {"left", "base"}),
        ("The left lower lobe has collapsed.", "lobar_collapse", {"left", "lower_lobe"}),
        ("The left lower lobe is airless.", "lobar_collapse", {"left", "lower_lobe"}),
        ("Right middle lobe syndrome.", "lobar_collapse", {"right", "middle_lobe"}),
        ("The lungs are wet.", "pulmonary_edema", {"lung"}),
        ("There is fluid in the lungs.", "pulmonary_edema", {"lung"}),
        ("The heart is failing.", "heart_failure", {"heart"}),
        ("The vessels are engorged.", "vascular_congestion", {"vessel"}),
        ("Blood flow is redistributed to the upper lobes.", "vascular_congestion", {"upper_lobe"}),
        ("Coin lesion in the right upper lobe.", "lung_nodule", {"right", "upper_lobe"}),
        ("Both lungs are studded with nodules.", "multiple_nodules", {"left", "right"}),
        ("Space-occupying lesion at the right apex.", "lung_mass", {"right", "apex"}),
        ("There is a mass lesion in the right lung.", "lung_mass", {"right"}),
        ("Secondaries in both lungs.", "pulmonary_metastases", {"left", "right"}),
        ("A thick-walled hole in the left upper lobe.", "cavitary_lesion", {"left", "upper_lobe"}),
        ("Net-like opacities in the lungs.", "interstitial_abnormality", {"lung"}),
        ("The lungs are too big.", "hyperinflation", {"lung"}),
        ("Lung volumes have dropped.", "low_lung_volumes", {"lung"}),
        ("The patient did not take a deep breath.", "low_lung_volumes", {"lung"}),
        ("The study was taken in expiration.", "low_lung_volumes", {"lung"}),
        ("Widened airways at the bases.", "bronchiectasis", {"base"}),
        ("Thick-walled bronchi.", "bronchial_wall_thickening", {"airway"}),
        ("The trachea has moved to the left.", "tracheal_deviation", {"left"}),
        ("The left lower lobe bronchus is filled with mucus.", "mucus_plugging", {"left", "lower_lobe"}),
        ("The left main bronchus is blocked.", "endobronchial_lesion", {"left"}),
        ("The left hemidiaphragm has risen.", "elevated_hemidiaphragm", {"left", "diaphragm"}),
        ("Both hemidiaphragms are flattened.", "flattened_diaphragm", {"left", "right"}),
        ("The left hemidiaphragm does not move.", "diaphragmatic_paralysis", {"left"}),
        ("Bowel has herniated into the left hemithorax.", "diaphragmatic_hernia", {"left"}),
        ("The left hemidiaphragm is not seen.", "silhouette_sign", {"left"}),
        ("The left lung is bruised.", "pulmonary_contusion", {"left"}),
    ],
)
def test_present(read: Read, sentence: str, finding: str, anatomy: set[str]) -> None:
    """Plain prose, signs and verbs are read as the finding, at its place."""
    (unit,) = read(sentence)
    assert (unit.canonical_finding, unit.polarity) == (finding, Polarity.PRESENT)
    assert anatomy <= unit.anatomy


@pytest.mark.parametrize(
    ("sentence", "finding"),
    [
        ("The pleural spaces are dry.", "pleural_effusion"),
        ("Pleura: nil.", "pleural_effusion"),
        ("Sulci sharp.", "pleural_effusion"),
        ("Both CP angles are well seen.", "pleural_effusion"),
        ("The lateral sulci are sharply defined.", "pleural_effusion"),
        ("No fluid or air in the pleural spaces.", "pleural_effusion"),
        ("No fluid or air in the pleural spaces.", "pneumothorax"),
        ("No air between lung and chest wall.", "pneumothorax"),
        ("Lung markings extend to the chest wall on both sides.", "pneumothorax"),
        ("The pleura is not thickened.", "pleural_thickening"),
        ("Airspaces clear.", "consolidation"),
        ("The lungs are free of disease.", "lung_opacity"),
        ("Nothing focal in the lungs.", "lung_opacity"),
        ("Both lungs look good.", "lung_opacity"),
        ("The lungs and pleura are clear.", "lung_opacity"),
        ("The lungs and pleura are clear.", "pneumothorax"),
        ("No infective focus.", "pneumonia"),
        ("The lungs are not edematous.", "pulmonary_edema"),
        ("No fluid in the lungs.", "pulmonary_edema"),
        ("Not in failure.", "heart_failure"),
        ("Vessels not engorged.", "vascular_congestion"),
        ("The pulmonary vessels are crisp.", "vascular_congestion"),
        ("The interstitial markings are not increased.", "interstitial_abnormality"),
        ("The patient took a good breath.", "low_lung_volumes"),
        ("The bronchi are not dilated.", "bronchiectasis"),
        ("Bronchial walls are thin.", "bronchial_wall_thickening"),
        ("The trachea is not narrowed.", "tracheal_narrowing"),
        ("The airway is midline and patent.", "tracheal_deviation"),
        ("Both hemidiaphragms are in normal position.", "elevated_hemidiaphragm"),
    ],
)
def test_denied(lexicon: Lexicon, read: Read, sentence: str, finding: str) -> None:
    """A denial and a normal statement rule the finding out, by itself or with a broader one."""
    (unit,) = read(sentence)
    assert unit.polarity is Polarity.ABSENT
    assert lexicon.denies({unit.canonical_finding, *unit.denies}, finding)


@pytest.mark.parametrize(
    ("sentence", "findings"),
    [
        ("Pleura: no effusion, no pneumothorax.", ["pleural_effusion", "pneumothorax"]),
        ("No failure or pneumonia.", ["pneumonia"]),
        ("No cephalization or edema.", ["vascular_congestion", "pulmonary_edema"]),
    ],
)
def test_lists_stay_denied(read: Read, sentence: str, findings: list[str]) -> None:
    """No normal statement takes the "no" of a list away."""
    units = read(sentence)
    assert [unit.canonical_finding for unit in units] == findings
    assert {unit.polarity for unit in units} == {Polarity.ABSENT}


def test_an_airspace_opacity_that_fades_is_one_finding(read: Read) -> None:
    """What is said of the density of an opacity is not a second opacity."""
    (unit,) = read("The airspace disease at the right base is less dense than before.")
    assert unit.canonical_finding == "airspace_opacity"
    assert {"right", "base"} <= unit.anatomy


@pytest.mark.parametrize(
    ("sentence", "finding", "polarity"),
    [
        ("The left pleural cavity now holds some liquid.", "pleural_effusion", Polarity.PRESENT),
        ("Neither pleural cavity holds any liquid.", "pleural_effusion", Polarity.ABSENT),
        ("No gas is seen in the mediastinum.", "pneumomediastinum", Polarity.ABSENT),
        ("There is no liquid within the pericardial sac.", "pericardial_effusion", Polarity.ABSENT),
        ("A hairline crack crosses the right sixth rib.", "rib_fracture", Polarity.PRESENT),
        ("The left hilum is bulkier than its fellow.", "hilar_enlargement", Polarity.PRESENT),
        ("The mass pushes the mediastinum to the right.", "mediastinal_shift", Polarity.PRESENT),
        ("The pacing lead shows a fracture.", "lead_fracture", Polarity.PRESENT),
        ("A calculus of 9 mm lies in the gallbladder neck.", "gallstones", Polarity.PRESENT),
        ("Infection is likely but malignancy has to be excluded.", "lung_cancer", Polarity.UNCERTAIN),
        ("The right lung has fallen away from the chest wall.", "pneumothorax", Polarity.PRESENT),
        ("The left lower lobe has turned solid.", "consolidation", Polarity.PRESENT),
    ],
)
def test_a_substance_or_state_and_its_place_make_a_finding(
    read: Read, sentence: str, finding: str, polarity: Polarity
) -> None:
    """They do so wherever they stand in the sentence, and cues bear on the finding they make."""
    assert (finding, polarity) in [(unit.canonical_finding, unit.polarity) for unit in read(sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Enlarged right hilar nodes.",
        "Gas in the stomach, mediastinum normal.",
        "The suture behind the scapula has snapped.",
    ],
)
def test_what_belongs_to_another_place_composes_nothing(read: Read, sentence: str) -> None:
    """An adjective of place, a mark or a preposition parts a state from a place that is not its own."""
    composed = {"hilar_enlargement", "pneumomediastinum", "scapular_fracture"}
    assert composed.isdisjoint(unit.canonical_finding for unit in read(sentence))
