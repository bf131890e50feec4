"""One finding in the words of different readers: heart, vessels, nodes, bones, abdomen and devices."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.domain.findings.unit import ClinicalUnit, Polarity

Read = Callable[[str], tuple[ClinicalUnit, ...]]

LEXICON = load_knowledge().lexicon

PRESENT = [
    ("cardiomegaly", (), "The heart has enlarged."),
    ("cardiomegaly", (), "The heart occupies more than half of the thoracic width."),
    ("pericardial_effusion", (), "Fluid surrounds the heart."),
    ("left_atrial_enlargement", (), "The left atrium is big."),
    ("right_heart_strain", (), "The right ventricle is larger than the left."),
    ("coronary_calcification", (), "Calcium in the coronary tree."),
    ("aortic_valve_calcification", (), "The aortic valve leaflets are calcified."),
    ("aortic_ectasia", (), "The aorta is wide."),
    ("aortic_aneurysm", (), "Aneurysm of the thoracic aorta measuring 6 cm."),
    ("aortic_tortuosity", (), "The aorta is unfolded."),
    ("aortic_calcification", (), "Calcium is seen in the aortic wall."),
    ("aortic_dissection", (), "An intimal flap crosses the aortic arch."),
    ("type_a_dissection", (), "A dissection flap runs through the ascending aorta."),
    ("type_b_dissection", (), "An intimal flap begins beyond the left subclavian artery."),
    ("intramural_hematoma", (), "Crescentic high attenuation in the aortic wall."),
    ("traumatic_aortic_injury", (), "The aorta is torn at the isthmus."),
    ("pulmonary_embolism", (), "Clot in the right lower lobe artery."),
    ("pulmonary_embolism", (), "A filling defect is seen in the left lower lobe pulmonary artery."),
    ("saddle_pulmonary_embolism", (), "Thrombus straddles the pulmonary bifurcation."),
    ("pulmonary_artery_enlargement", (), "The main pulmonary artery measures 35 mm and is enlarged."),
    ("svc_obstruction", (), "The superior vena cava is occluded."),
    ("mediastinal_widening", (), "The mediastinum is broad."),
    ("mediastinal_shift", (), "The mediastinum is pushed to the left."),
    ("pneumomediastinum", (), "Air outlines the mediastinal structures."),
    ("mediastinal_mass", (), "A mass lies in the anterior mediastinum."),
    ("hilar_enlargement", (), "Both hila are bulky."),
    ("hilar_mass", (), "A mass sits at the left hilum."),
    ("hilar_lymphadenopathy", (), "Lymph nodes at both hila are enlarged."),
    ("mediastinal_lymphadenopathy", (), "Enlarged lymph nodes in the mediastinum."),
    ("subcarinal_lymphadenopathy", (), "A subcarinal node is enlarged to 18 mm."),
    ("lymphadenopathy", (), "Pathologically enlarged lymph nodes."),
    ("small_lymph_nodes", (), "Mediastinal lymph nodes measure up to 7 mm."),
    ("small_lymph_nodes", (), "Small mediastinal lymph nodes."),
    ("small_lymph_nodes", (), "A 6 mm right paratracheal lymph node."),
    ("aortic_measurement", (), "The thoracic aorta measures 3.2 cm in diameter."),
    ("aortic_measurement", (), "Ascending aorta 34 mm."),
    ("hiatal_hernia", (), "Part of the stomach lies above the diaphragm."),
    ("esophageal_dilatation", (), "The oesophagus is dilated and fluid-filled."),
    ("thyroid_enlargement", (), "The thyroid extends behind the sternum."),
    ("prominent_thymus", (), "The thymus is visible."),
    ("paratracheal_lymphadenopathy", (), "Enlarged paratracheal lymph node measuring 16 mm."),
    ("rib_fracture", ("rib",), "A fracture line runs through the seventh rib."),
    ("clavicle_fracture", ("clavicle", "left"), "The left clavicle is broken."),
    ("shoulder_fracture", ("right",), "Fracture of the right humeral neck."),
    ("scapular_fracture", ("left",), "A fracture line crosses the left scapula."),
    ("sternal_fracture", (), "The sternum is fractured."),
    ("vertebral_compression_fracture", ("spine",), "T12 has lost height."),
    ("degenerative_spine", ("spine",), "Wear and tear of the thoracic spine."),
    ("shoulder_arthropathy", ("shoulder", "right"), "Osteoarthritis of the right shoulder."),
    ("osteopenia", ("bone",), "The bones are demineralised."),
    ("scoliosis", ("spine",), "The spine curves to the right."),
    ("dislocation", ("shoulder", "left"), "The left humeral head lies in front of the glenoid."),
    ("lytic_bone_lesion", ("rib",), "A lytic lesion destroys the right fourth rib."),
    ("pectus_excavatum", (), "The sternum is sunken."),
    ("subcutaneous_emphysema", (), "Air in the soft tissues of the chest wall."),
    ("pneumoperitoneum", ("right",), "A crescent of air lies beneath the right hemidiaphragm."),
    ("gastric_distension", (), "The stomach is full of air."),
    ("ascites", (), "Free fluid in the abdomen."),
    ("sternotomy_wires", (), "Wires through the sternum."),
    ("croup", (), "Steeple sign."),
    ("bronchial_wall_thickening", (), "Peribronchial cuffing."),
    ("epiglottitis", (), "Thumb sign of the epiglottis."),
    ("endotracheal_tube", (), "ETT in good position."),
    ("low_endotracheal_tube", (), "The endotracheal tube tip lies below the carina."),
    ("low_endotracheal_tube", (), "ETT is too low."),
    ("right_mainstem_intubation", ("right",), "The tip of the endotracheal tube is in the right main bronchus."),
    ("right_mainstem_intubation", ("right",), "ETT in the right mainstem."),
    ("high_endotracheal_tube", (), "The ETT is too high."),
    ("malpositioned_enteric_tube", (), "The tube is in the oesophagus."),
    ("esophageal_intubation", (), "The endotracheal tube has been placed in the oesophagus."),
    ("enteric_tube", (), "NG tube tip in the stomach."),
    ("malpositioned_enteric_tube", (), "The NG tube is coiled in the oesophagus."),
    ("malpositioned_enteric_tube", (), "NG tube side port above the GE junction."),
    ("central_venous_catheter", (), "Right IJ line with tip in the SVC."),
    ("malpositioned_central_line", ("right",), "The right subclavian line turns up into the neck."),
    (
        "malpositioned_central_line",
        ("right",),
        "Right subclavian catheter ascends into the right internal jugular vein.",
    ),
    ("malpositioned_central_line", (), "The catheter tip is in the azygos vein."),
    ("chest_tube", ("right",), "Right chest drain in place."),
    ("chest_tube_malposition", (), "The side hole of the chest tube lies outside the pleural space."),
    ("pacemaker", ("left",), "Left-sided pacemaker with leads in the right atrium and ventricle."),
    ("device_malposition", (), "The atrial lead has dislodged."),
    ("malpositioned_balloon_pump", (), "The balloon pump is too low."),
    ("distal_pulmonary_artery_catheter", (), "The Swan-Ganz catheter is too peripheral."),
    ("malpositioned_umbilical_catheter", (), "The UVC lies in the left portal vein."),
    ("esophageal_probe", (), "A temperature probe lies in the oesophagus."),
    ("gastrostomy_tube", (), "Gastrostomy tube in the stomach."),
    ("necrotizing_pancreatitis", ("pancreas",), "Necrosis of the pancreatic body."),
    ("cerebral_atrophy", (), "Age-related atrophy and chronic small vessel ischemic changes."),
    ("degenerative_spine", (), "Degenerative disc disease at several levels, worst at C5-C6."),
    ("air_fluid_level", (), "Several air-fluid levels."),
    ("air_fluid_level", (), "Dilated small bowel loops with many levels."),
    ("bowel_obstruction", ("right",), "The transition point lies in the right lower quadrant."),
    ("bowel_obstruction", ("left",), "A transition point is seen in the left lower quadrant."),
]

DENIED = [
    ("cardiomegaly", "Heart not enlarged."),
    ("pericardial_effusion", "No fluid in the pericardium."),
    ("right_heart_strain", "No sign of right heart overload."),
    ("coronary_calcification", "No coronary calcium."),
    ("aortic_ectasia", "Aorta not dilated."),
    ("aortic_aneurysm", "No aortic aneurysm."),
    ("aortic_dissection", "No dissection."),
    ("traumatic_aortic_injury", "No injury to the aorta."),
    ("pulmonary_embolism", "No filling defect in the pulmonary arteries."),
    ("pulmonary_artery_enlargement", "Pulmonary trunk not dilated."),
    ("mediastinal_widening", "Mediastinum not widened."),
    ("mediastinal_widening", "The mediastinum is not broadened."),
    ("mediastinal_shift", "Mediastinum central."),
    ("pneumomediastinum", "No air in the mediastinum."),
    ("mediastinal_mass", "No mediastinal mass."),
    ("hilar_enlargement", "Hila not enlarged."),
    ("lymphadenopathy", "No enlarged lymph nodes."),
    ("lymphadenopathy", "No enlarged nodes."),
    ("hiatal_hernia", "No hiatus hernia."),
    ("rib_fracture", "No rib fracture."),
    ("fracture", "Bones intact."),
    ("fracture", "Skeleton without injury."),
    ("clavicle_fracture", "No clavicle fracture."),
    ("sternal_fracture", "Sternum intact."),
    ("vertebral_compression_fracture", "Vertebral heights maintained."),
    ("osteopenia", "Bone density is normal."),
    ("scoliosis", "No scoliosis."),
    ("dislocation", "No dislocation."),
    ("bone_lesion", "No focal bone lesion."),
    ("subcutaneous_emphysema", "No subcutaneous air."),
    ("soft_tissue_abnormality", "Soft tissues: unremarkable."),
    ("pneumoperitoneum", "No free air."),
    ("pneumoperitoneum", "No air under the diaphragm."),
    ("abdominal_abnormality", "Upper abdomen unremarkable."),
    ("croup", "No subglottic narrowing."),
    ("right_mainstem_intubation", "The tube is not in the right main bronchus."),
    ("malpositioned_enteric_tube", "The NG tube is not in the airway."),
    ("malpositioned_central_line", "The central line is not malpositioned."),
    ("device_malposition", "Lines and tubes are well placed."),
    ("device_malposition", "All lines in satisfactory position."),
    ("necrotizing_pancreatitis", "No pancreatic necrosis."),
    ("bowel_obstruction", "No transition point is seen in the pelvis."),
]

IN_PLACE = [
    "The ETT tip lies 4 cm above the carina.",
    "ETT tip in the mid thoracic trachea.",
    "The ETT tip is above the carina at the level of the clavicles.",
    "NG tube terminates in the left upper quadrant.",
    "NG tube tip in the stomach below the GE junction.",
    "The NG tube courses through the oesophagus into the stomach.",
    "The nasogastric tube is not in the airway.",
    "The left PICC passes through the left subclavian vein, tip in the SVC.",
    "The left subclavian line crosses the midline and ends in the SVC.",
    "Right internal jugular line ends in the right atrium.",
    "The pacemaker lead tip is in the right ventricle.",
    "Swan-Ganz catheter ends in the right pulmonary artery.",
    "Umbilical arterial catheter tip in the descending aorta.",
    "The balloon pump tip lies in the descending aorta.",
    "Right chest drain projects over the lung apex.",
    "A temperature probe lies in the oesophagus.",
    "Central line in good position, ready for use.",
]


@pytest.mark.parametrize(("finding", "places", "sentence"), PRESENT, ids=[row[-1] for row in PRESENT])
def test_wording_of_a_finding(read: Read, finding: str, places: tuple[str, ...], sentence: str) -> None:
    """The sentence says the finding, at its places, whatever else it says."""
    said = [unit for unit in read(sentence) if unit.canonical_finding == finding]
    assert any(unit.polarity is Polarity.PRESENT and unit.anatomy.issuperset(places) for unit in said)


@pytest.mark.parametrize(("finding", "sentence"), DENIED, ids=[row[-1] for row in DENIED])
def test_wording_of_a_denial(read: Read, finding: str, sentence: str) -> None:
    """The sentence denies the finding, by its name, a broader one or a statement of normality, and never says it."""
    units = read(sentence)
    denied = {unit.canonical_finding for unit in units if unit.polarity is Polarity.ABSENT and not unit.denies}
    assert LEXICON.denies(denied.union(*(unit.denies for unit in units)), finding)
    assert not any(unit.canonical_finding == finding and unit.polarity is Polarity.PRESENT for unit in units)


@pytest.mark.parametrize("sentence", IN_PLACE)
def test_a_device_in_place_is_not_malpositioned(read: Read, sentence: str) -> None:
    """No unit of the sentence is a device in a bad place."""
    units = read(sentence)
    bad = {unit.canonical_finding for unit in units if unit.polarity is Polarity.PRESENT}
    assert not any(LEXICON.denies(("device_malposition",), finding) for finding in bad)
    assert all(unit.device_status is None for unit in units)


@pytest.mark.parametrize(
    "sentence",
    [
        "Good opacification of the pulmonary arteries.",
        "Opacification is adequate.",
        "Suboptimal contrast opacification of the pulmonary arteries.",
    ],
)
def test_contrast_in_vessels_is_no_opacity_of_the_lung(read: Read, sentence: str) -> None:
    """How well an angiogram is opacified is said of its technique; neither lung nor clot is spoken of."""
    assert not any(
        unit.canonical_finding in {"lung_opacity", "pulmonary_embolism"} or unit.denies for unit in read(sentence)
    )
