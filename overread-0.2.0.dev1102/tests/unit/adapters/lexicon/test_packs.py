"""The packs beyond the chest: invented sentences of CT, MRI, ultrasound, radiography and mammography reports."""

from __future__ import annotations

from itertools import chain

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import ClinicalContext, Report
from overread.domain.vocabulary.severity import Importance

PACKS = ("abdomen", "head_neck", "spine", "musculoskeletal", "breast")
CHEST = {"lung", "pleura", "heart", "mediastinum", "airway", "diaphragm"}

ABDOMEN = [
    ("The liver shows diffuse fatty infiltration.", {"hepatic_steatosis": "present"}),
    ("Shrunken liver with a nodular surface, in keeping with cirrhosis; large gastric varices.",
     {"cirrhosis": "present", "portal_hypertension": "present"}),
    ("Segment 7 holds no suspicious hepatic lesion.", {"liver_lesion": "absent"}),
    ("Gallbladder wall is markedly thickened with pericholecystic fluid.", {"cholecystitis": "present"}),
    ("Common bile duct measures 11 mm and is dilated down to the papilla.", {"biliary_dilatation": "present"}),
    ("Mild left hydronephrosis caused by a 4 mm obstructing stone at the UVJ.",
     {"hydronephrosis": "present", "ureteral_calculus": "present"}),
    ("Both kidneys enhance symmetrically.", {"kidneys_normal": "absent"}),
    ("The liver, spleen, pancreas, and adrenal glands are unremarkable.", {"solid_organs_normal": "absent"}),
    ("The appendix is dilated to 12 mm with periappendiceal stranding.", {"appendicitis": "present"}),
    ("Normal retrocecal appendix.", {"appendix_normal": "absent"}),
    ("Grade III splenic laceration with a small perisplenic hematoma.", {"splenic_laceration": "present"}),
    ("Extensive sigmoid diverticulosis but no diverticulitis.",
     {"diverticulosis": "present", "diverticulitis": "absent"}),
    ("Infrarenal abdominal aortic aneurysm of 5.2 cm.", {"abdominal_aortic_aneurysm": "present"}),
    ("A 3 cm simple cyst arises from the right ovary.", {"ovarian_cyst": "present"}),
    ("Possible early bowel ischaemia of a distal jejunal loop.", {"bowel_ischemia": "uncertain"}),
]  # fmt: skip

HEAD_NECK = [
    ("Acute right subdural haematoma with 8 mm of leftward midline shift.",
     {"subdural_hematoma": "present", "midline_shift": "present"}),
    ("There is no acute intracranial hemorrhage.", {"intracranial_hemorrhage": "absent"}),
    ("No mass effect or midline shift.", {"brain_mass_effect": "absent"}),
    ("Restricted diffusion throughout the left MCA territory.", {"cerebral_infarct": "present"}),
    ("Old lacunar infarct of the right thalamus.", {"lacunar_infarct": "present"}),
    ("Ventricles and sulci are normal in size and configuration.", {"ventricles_normal": "absent"}),
    ("Gray-white matter differentiation is well preserved.", {"gray_white_preserved": "absent"}),
    ("Confluent periventricular white matter hypodensities, likely small vessel ischemic disease.",
     {"white_matter_disease": "present"}),
    ("Obstructive hydrocephalus, not seen before.", {"hydrocephalus": "present"}),
    ("Saccular 4 mm aneurysm of the left MCA bifurcation.", {"cerebral_aneurysm": "present"}),
    ("Mucosal thickening of the maxillary sinuses; the mastoid air cells are clear.",
     {"sinus_disease": "present", "mastoids_clear": "absent"}),
    ("Nondisplaced fracture of the left orbital floor.", {"facial_fracture": "present"}),
    ("The calvarium is intact.", {"skull_intact": "absent"}),
    ("Hypodense 12 mm nodule in the right lobe of the thyroid.", {"thyroid_nodule": "present"}),
    ("Peritonsillar abscess cannot be excluded.", {"neck_abscess": "uncertain"}),
]  # fmt: skip

SPINE = [
    ("At L4-5, a broad-based disc protrusion contacts the traversing L5 nerve root.",
     {"disc_herniation": "present", "nerve_root_compression": "present"}),
    ("Mild diffuse disc bulge at L3-4 without herniation of the disc.",
     {"disc_bulge": "present", "disc_herniation": "absent"}),
    ("Severe canal stenosis at C5-6 with flattening of the cord.",
     {"spinal_stenosis": "present", "cord_compression": "present"}),
    ("Moderate bilateral neural foraminal narrowing at L5-S1.", {"foraminal_narrowing": "present"}),
    ("Bilateral facet hypertrophy and thickening of the ligamentum flavum.", {"facet_arthropathy": "present"}),
    ("Burst fracture of L1 with 5 mm of retropulsion.", {"burst_fracture": "present"}),
    ("Vertebral body heights are maintained.", {"vertebral_height_normal": "absent"}),
    ("Disc heights are preserved at every level.", {"discs_normal": "absent"}),
    ("Increased T2 signal within the cord behind C4.", {"cord_signal_abnormality": "present"}),
    ("Findings of discitis with endplate destruction at T9-10.", {"spinal_infection": "present"}),
    ("Grade 1 anterolisthesis of L4 on L5.", {"spondylolisthesis": "present"}),
    ("The conus medullaris terminates normally at L1.", {"cord_normal": "absent"}),
    ("No epidural abscess.", {"spinal_epidural_abscess": "absent"}),
    ("Bilateral pars defects at L5.", {"spondylolysis": "present"}),
    ("Sclerosis and erosion of both sacroiliac joints, suggestive of sacroiliitis.", {"sacroiliitis": "present"}),
]  # fmt: skip

MUSCULOSKELETAL = [
    ("Displaced left femoral neck fracture.", {"hip_fracture": "present"}),
    ("Nondisplaced fracture of the distal radius.", {"wrist_fracture": "present"}),
    ("Weber B fracture of the lateral malleolus.", {"ankle_fracture": "present"}),
    ("No fracture of the scaphoid.", {"wrist_fracture": "absent"}),
    ("Complex tear of the posterior horn of the medial meniscus.", {"meniscal_tear": "present"}),
    ("The ACL is completely torn.", {"acl_tear": "present"}),
    ("Full-thickness tear of the supraspinatus tendon with 2 cm of retraction.", {"rotator_cuff_tear": "present"}),
    ("Moderate knee joint effusion.", {"joint_effusion": "present"}),
    ("Severe tricompartmental osteoarthritis of the right knee.", {"limb_osteoarthritis": "present"}),
    ("Joint spaces are preserved.", {"joints_normal": "absent"}),
    ("Bone marrow oedema in the lateral tibial plateau.", {"bone_marrow_edema": "present"}),
    ("Cortical destruction, concerning for osteomyelitis of the great toe.", {"limb_osteomyelitis": "present"}),
    ("Thickened Achilles tendon with a partial tear of the Achilles tendon.", {"achilles_tear": "present"}),
    ("No dislocation of the hip.", {"hip_dislocation": "absent"}),
    ("Small amount of fluid in the subacromial bursa.", {"subacromial_bursitis": "present"}),
]  # fmt: skip

BREAST = [
    ("Irregular spiculated mass at 2 o'clock in the left breast.", {"spiculated_breast_mass": "present"}),
    ("Fine pleomorphic calcifications extend to the nipple.", {"fine_pleomorphic_breast_calcification": "present"}),
    ("Scattered popcorn calcifications in both breasts.", {"popcorn_breast_calcification": "present"}),
    ("BI-RADS 4: suspicious abnormality.", {"birads_suspicious": "present"}),
    ("ACR BI-RADS category 2.", {"birads_benign": "present"}),
    ("The breasts are heterogeneously dense.", {"breast_density_heterogeneous": "present"}),
    ("There are scattered areas of fibroglandular density.", {"breast_density_scattered": "present"}),
    ("Architectural distortion in the upper outer quadrant of the right breast.", {"breast_distortion": "present"}),
    ("Appearances are those of a degenerating fibroadenoma.", {"fibroadenoma": "present"}),
    ("No mammographic evidence of malignancy.", {"breast_normal": "absent"}),
    ("Anechoic simple breast cyst of 8 mm.", {"breast_cyst": "present"}),
    ("Developing asymmetry in the left breast.", {"developing_breast_asymmetry": "present"}),
    ("Both silicone implants are intact.", {"implants_intact": "absent"}),
    ("Benign intramammary lymph node.", {"intramammary_node": "present"}),
    ("Linguine sign, diagnostic of intracapsular implant rupture.", {"intracapsular_implant_rupture": "present"}),
]  # fmt: skip

OBSTETRIC = [
    ("The abdominal circumference has dropped across two centiles since 28 weeks.",
     {"fetal_growth_restriction": "present"}),
    ("Growth following the 45th centile.", {"fetal_growth_normal": "absent"}),
    ("The amniotic fluid is reduced.", {"oligohydramnios": "present"}),
    ("Liquor volume is normal.", {"liquor_normal": "absent"}),
    ("The placenta covers the internal os.", {"placenta_previa": "present"}),
    ("The placenta is fundal and well away from the cervix.", {"placenta_clear": "absent"}),
    ("Reversed end-diastolic flow in the umbilical artery.", {"absent_end_diastolic_flow": "present"}),
    ("Embryo of 9 mm with no heartbeat.", {"absent_fetal_heartbeat": "present"}),
    ("Single live fetus in breech presentation.", {"fetus_alive": "absent", "fetal_malpresentation": "present"}),
    ("Incomplete miscarriage.", {"miscarriage": "present"}),
    ("Retroplacental clot of 4 cm.", {"placental_abruption": "present"}),
    ("The cervix is short at 18 mm.", {"short_cervix": "present"}),
]  # fmt: skip

VASCULAR = [
    ("Right ICA stenosis of 75%.", {"severe_carotid_stenosis": "present"}),
    ("Left ICA: 50-69% stenosis.", {"moderate_carotid_stenosis": "present"}),
    ("Narrowing of less than 50 per cent in the right carotid bulb.", {"minor_carotid_stenosis": "present"}),
    ("No haemodynamically significant carotid stenosis.", {"significant_carotid_stenosis": "absent"}),
    ("Thrombus in the great saphenous vein.", {"superficial_vein_thrombosis": "present"}),
    ("Unmatched segmental perfusion defects.", {"mismatched_perfusion_defect": "present"}),
    ("Tracer is evenly distributed; perfusion is homogeneous.", {"lung_perfusion_normal": "absent"}),
    ("MAA accumulation in the brain from a right-to-left shunt.", {"right_to_left_shunt": "present"}),
]  # fmt: skip

SCROTAL = [
    ("Left testis is avascular with a twisted cord.", {"testicular_torsion": "present"}),
    ("The left epididymis is swollen and hyperaemic.", {"epididymo_orchitis": "present"}),
    ("A trace of fluid around the right testis.", {"hydrocele": "present"}),
    ("Hypoechoic lesion in the upper pole of the left testis, likely a seminoma.", {"testicular_mass": "present"}),
    ("Flow is symmetrical in both testes.", {"testicular_flow_normal": "absent"}),
]  # fmt: skip


@pytest.fixture(scope="module")
def reader(shipped_reader: MedspacyUnitExtractor) -> MedspacyUnitExtractor:
    return shipped_reader


def _units(reader: MedspacyUnitExtractor, text: str) -> tuple[ClinicalUnit, ...]:
    extraction = reader.extract([Report(text)])[0]
    assert isinstance(extraction, tuple)
    return extraction


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [*chain(ABDOMEN, HEAD_NECK, SPINE, MUSCULOSKELETAL, BREAST, OBSTETRIC, VASCULAR, SCROTAL)],
    ids=str,
)
def test_sentences_of_other_body_parts_are_read(
    reader: MedspacyUnitExtractor, sentence: str, expected: dict[str, str]
) -> None:
    """Every expected concept with its polarity, and nothing of the chest."""
    units = _units(reader, sentence)
    read = {(unit.canonical_finding, unit.polarity.value) for unit in units}
    assert set(expected.items()) <= read
    findings = load_knowledge().lexicon.findings
    assert not {u.canonical_finding for u in units if u.canonical_finding in findings} & {
        name for name, finding in findings.items() if finding.category in CHEST
    }


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Mass in the right lower lobe.", "lung_mass"),
        ("Abscess in the left lower lobe.", "lung_abscess"),
        ("Volume loss of the left lower lobe.", "atelectasis"),
        ("Mild interstitial edema.", "pulmonary_edema"),
        ("Bilateral effusions.", "pleural_effusion"),
        ("Opacification of the right middle lobe.", "lung_opacity"),
    ],
)
def test_the_packs_take_no_words_from_the_chest(reader: MedspacyUnitExtractor, text: str, concept: str) -> None:
    """A word that other organs share keeps its meaning in a chest report."""
    assert concept in {unit.canonical_finding for unit in _units(reader, text)}


@pytest.mark.parametrize("category", PACKS)
def test_each_pack_has_findings_that_ask_for_something_and_rules_by_patient(category: str) -> None:
    """A pack is more than a list of names."""
    findings = [f for f in load_knowledge().lexicon.findings.values() if f.category == category]
    assert len(findings) >= 30
    assert any(finding.importance.is_actionable for finding in findings)
    assert any(finding.when for finding in findings)
    assert any(finding.confused_with for finding in findings)


@pytest.mark.parametrize(
    ("finding", "age", "sex", "expected"),
    [
        ("diverticulosis", 75, "M", Importance.EXPECTED),
        ("diverticulosis", 25, "M", Importance.FOLLOW_UP),
        ("cerebral_atrophy", 80, "F", Importance.EXPECTED),
        ("cerebral_atrophy", 30, "F", Importance.FOLLOW_UP),
        ("ovarian_cyst", 30, "F", Importance.INCIDENTAL),
        ("ovarian_cyst", 68, "F", Importance.ACTIONABLE),
        ("disc_degeneration", 70, "M", Importance.EXPECTED),
        ("limb_osteoarthritis", 72, "F", Importance.EXPECTED),
        ("fibroadenoma", 25, "F", Importance.INCIDENTAL),
        ("fibroadenoma", 60, "F", Importance.FOLLOW_UP),
        ("pelvic_free_fluid", 25, "F", Importance.INCIDENTAL),
    ],
)
def test_what_a_finding_asks_for_depends_on_the_patient(finding: str, age: int, sex: str, expected: Importance) -> None:
    """What is expected at 75 asks for something at 25."""
    patient = ClinicalContext(age=age, sex=sex)
    assert load_knowledge().lexicon.for_patient(patient).importance(finding) is expected
