"""Words that mean another finding in another region of the body, and diagnoses that must not be read as one another."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from overread.adapters import lexicon as package
from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy._regions import Regions
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import MedspacyOptions
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report

Read = Callable[[str], tuple[ClinicalUnit, ...]]


def _findings(units: tuple[ClinicalUnit, ...]) -> dict[str, str]:
    return {unit.canonical_finding: unit.polarity.value for unit in units if unit.canonical_finding}


SWAPPED = [
    (
        "An abscess has formed within the liver.",
        "liver_abscess",
        "A subphrenic abscess has formed.",
        "subphrenic_collection",
    ),
    (
        "Appearances suggest a cholangiocarcinoma.",
        "gallbladder_mass",
        "Appearances suggest an HCC.",
        "hepatocellular_carcinoma",
    ),
    ("There is intestinal ischaemia.", "bowel_ischemia", "There is intestinal obstruction.", "bowel_obstruction"),
    ("Left perinephric haematoma.", "renal_laceration", "Left perinephric abscess.", "renal_abscess"),
    ("Moderate haemoperitoneum.", "hemoperitoneum", "Subdiaphragmatic fluid.", "subphrenic_collection"),
    (
        "Large retropharyngeal abscess.",
        "neck_abscess",
        "Retropharyngeal soft tissue swelling.",
        "retropharyngeal_swelling",
    ),
    ("Emphysematous cholecystitis.", "cholecystitis", "Gas in the wall of the bowel.", "intestinal_pneumatosis"),
    ("The left tubo-ovarian abscess persists.", "hydrosalpinx", "A pericolic abscess persists.", "abdominal_abscess"),
    ("Old burr holes.", "cranial_surgery", "Lytic skull lesion.", "skull_lesion"),
    (
        "The patella is bipartite: a bipartite patella.",
        "accessory_ossicle",
        "Fracture of the patella.",
        "knee_fracture",
    ),
    ("Pseudoaneurysm: right carotid pseudoaneurysm.", "carotid_dissection", "Right MCA aneurysm.", "cerebral_aneurysm"),
    (
        "Effacement of the costophrenic sulcus.",
        "pleural_effusion",
        "Effacement of the cortical sulci.",
        "cerebral_edema",
    ),
    ("Cortical atrophy of both hemispheres.", "cerebral_atrophy", "Cortical atrophy of both kidneys.", "renal_atrophy"),
    ("Reflux of contrast into the IVC.", "right_heart_strain", "Thrombosed hepatic veins.", "budd_chiari"),
    ("Known rheumatoid arthritis of the wrists.", "rheumatoid_arthritis", "Omarthrosis.", "shoulder_arthropathy"),
    (
        "The axillary nodes are normal: normal axillary node.",
        "axilla_normal",
        "Intramammary node.",
        "intramammary_node",
    ),
]


@pytest.mark.parametrize(("one", "finding", "other", "swapped"), SWAPPED, ids=[case[1] for case in SWAPPED])
def test_a_diagnosis_is_not_read_as_the_one_it_was_swapped_for(
    read: Read, one: str, finding: str, other: str, swapped: str
) -> None:
    """Each of the two is read as itself: reports that differ in them must not be found alike."""
    assert finding in _findings(read(one))
    assert swapped not in _findings(read(one))
    assert finding not in _findings(read(other))


PLACED = [
    ("A small effusion is present in the hip.", {"joint_effusion": "present"}),
    ("The pericardium contains a small effusion.", {"pericardial_effusion": "present"}),
    ("There is a small effusion at the left base.", {"pleural_effusion": "present"}),
    ("A mass of 3 cm lies in the head of the pancreas.", {"pancreatic_mass": "present"}),
    ("The right kidney shows several calcifications.", {"renal_calculi": "present"}),
    ("Along the aortic arch there is some calcification.", {"aortic_calcification": "present"}),
    ("The left breast holds a coarse calcification.", {"breast_calcification": "present"}),
    ("The right adrenal holds haemorrhage.", {"adrenal_hemorrhage": "present"}),
    ("Haemorrhage is seen in the left thalamus.", {"intraparenchymal_hemorrhage": "present"}),
    ("Haemorrhage is seen in the right lower lobe.", {"pulmonary_hemorrhage": "present"}),
    ("Metastases are present in the right femur.", {"bone_metastases": "present"}),
    ("An abscess is seen in the left temporal lobe.", {"brain_abscess": "present"}),
    ("There is a hernia in the right groin.", {"abdominal_hernia": "present"}),
    ("The fracture is consolidating.", {"fracture_healing": "present"}),
    ("The lingula is consolidating: consolidation in the lingula.", {"consolidation": "present"}),
    ("Oedema surrounds the pancreas.", {"pancreatitis": "present"}),
    ("A filling defect sits in the distal common bile duct.", {"choledocholithiasis": "present"}),
    ("The IVC contains a filling defect.", {"abdominal_venous_thrombosis": "present"}),
    ("A filling defect is seen in the right lower lobe artery.", {"pulmonary_embolism": "present"}),
    ("The bladder contains a filling defect.", {"bladder_mass": "present"}),
    ("The coeliac axis branches are well opacified.", {"vessel_contrast": "present"}),
    ("The renal veins are normally opacified.", {"vessel_contrast": "present"}),
    ("The left lower lobe is opacified.", {"lung_opacity": "present"}),
    ("Bulky osteophytes are seen at the left hip.", {"limb_osteoarthritis": "present"}),
    ("Anterior osteophytes are seen at L3 and L4.", {"degenerative_spine": "present"}),
    ("The lateral meniscus is macerated.", {"meniscal_maceration": "present"}),
    ("An impaction defect is seen in the humeral head.", {"shoulder_fracture": "present"}),
    ("The pancreatic duct is of normal calibre.", {"pancreas_normal": "absent"}),
    ("The frontal horns are compressed.", {"brain_mass_effect": "present"}),
    ("There is a small infarct in the right lower lobe.", {"pulmonary_infarct": "present"}),
    ("There is bilateral perihilar airspace shadowing.", {"perihilar_airspace_opacity": "present"}),
]


@pytest.mark.parametrize(("text", "expected"), PLACED)
def test_the_place_in_the_sentence_decides(read: Read, text: str, expected: dict[str, str]) -> None:
    """One word names another finding in each organ."""
    assert expected.items() <= _findings(read(text)).items()
    assert len(_findings(read(text))) == 1


EXAMINED = [
    ("MRI OF THE LEFT KNEE.", "No effusion.", "joint_effusion"),
    ("CHEST RADIOGRAPH.", "No effusion.", "pleural_effusion"),
    ("CT HEAD WITHOUT CONTRAST.", "No haemorrhage.", "intracranial_hemorrhage"),
    ("CT CHEST WITH CONTRAST.", "No haemorrhage.", "pulmonary_hemorrhage"),
    ("CT HEAD WITHOUT CONTRAST.", "No shift of the midline structures.", "midline_shift"),
    ("CHEST RADIOGRAPH.", "No shift of the midline structures.", "mediastinal_shift"),
    ("CT HEAD WITHOUT CONTRAST.", "No midline shift.", "midline_shift"),
    ("CHEST RADIOGRAPH.", "No midline shift.", "mediastinal_shift"),
    ("CT HEAD WITHOUT CONTRAST.", "No bleed.", "intracranial_hemorrhage"),
    ("MRI BRAIN.", "No mass.", "brain_mass"),
    ("CT ABDOMEN AND PELVIS.", "No hernia.", "abdominal_hernia"),
    ("CT ABDOMEN AND PELVIS.", "No hiatal hernia.", "hiatal_hernia"),
    ("CT ABDOMEN AND PELVIS.", "No adenopathy.", "abdominal_lymphadenopathy"),
    ("RADIOGRAPH OF THE LEFT TIBIA.", "No consolidation.", "fracture_healing"),
    ("RADIOGRAPH OF THE ELBOW.", "No sail sign.", "joint_effusion"),
    ("MRI OF THE LUMBAR SPINE.", "No edema.", "bone_marrow_edema_spine"),
    ("MRI OF THE RIGHT THIGH.", "No abscess.", "soft_tissue_abscess"),
    ("CT ABDOMEN AND PELVIS.", "No free fluid.", "ascites"),
    ("CHEST RADIOGRAPH.", "No free fluid.", "pleural_effusion"),
    ("RADIOGRAPH OF THE LEFT KNEE.", "No osteophytes.", "limb_osteoarthritis"),
    ("RADIOGRAPH OF THE LUMBAR SPINE.", "No osteophytes.", "degenerative_spine"),
    ("CT HEAD WITHOUT CONTRAST.", "No hyperdensity.", "brain_abnormality"),
    ("CT ABDOMEN AND PELVIS.", "No abnormal density.", "abdominal_abnormality"),
    ("MRI BRAIN.", "No restricted diffusion.", "cerebral_infarct"),
    ("MRI OF THE LUMBAR SPINE.", "No restricted diffusion.", "diffusion_restriction"),
    ("MRCP.", "No diffusion restriction.", "diffusion_restriction"),
    ("CT CHEST WITH CONTRAST.", "No spiculated solid nodule.", "lung_nodule"),
    ("MAMMOGRAPHY.", "No spiculated solid nodule.", "mammographic_mass"),
]


@pytest.mark.parametrize(("title", "text", "finding"), EXAMINED)
def test_the_examination_decides_where_the_sentence_does_not(read: Read, title: str, text: str, finding: str) -> None:
    """In the first line, under a heading of its own, or as the technique."""
    for report in (
        f"{title}\n{text}",
        f"EXAMINATION: {title}\nFINDINGS: {text}",
        f"FINDINGS: {text}\nTECHNIQUE: {title}",
    ):
        assert _findings(read(report)) == {finding: "absent"}, report


def test_the_rest_of_the_report_decides_where_nothing_names_the_examination(read: Read) -> None:
    """More than half of the sentences that name a region must name the same."""
    text = "The medial meniscus is torn. The anterior cruciate ligament is intact. Moderate effusion."
    assert "joint_effusion" in _findings(read(text))
    assert "pleural_effusion" in _findings(read("Moderate effusion. The lungs are clear. The heart is enlarged."))
    assert "pleural_effusion" in _findings(read("Moderate effusion."))


def test_a_general_word_where_nothing_tells_the_region_means_every_kind(read: Read) -> None:
    """A denied haemorrhage denies that of every organ, and the midline that shifts is the brain's."""
    lexicon = load_knowledge().lexicon
    (denied,) = _findings(read("No acute haemorrhage."))
    for kind in ("intraparenchymal_hemorrhage", "subdural_hematoma", "pulmonary_hemorrhage", "hemoperitoneum"):
        assert lexicon.denies({denied}, kind)
    assert "midline_shift" in _findings(read("Large right subdural haematoma with midline shift."))
    assert "mediastinal_shift" in _findings(read("Large left pneumothorax with midline shift."))


def test_with_several_regions_examined_the_last_one_named_decides(read: Read) -> None:
    """A report on chest and abdomen goes from one to the other."""
    title = "CT CHEST, ABDOMEN AND PELVIS."
    chest = _findings(read(f"{title}\nThe lungs are clear. No adenopathy. The liver is normal."))
    belly = _findings(read(f"{title}\nThe lungs are clear. The liver is normal. No adenopathy."))
    assert "lymphadenopathy" in chest
    assert "abdominal_lymphadenopathy" in belly


def test_a_sentence_that_names_its_place_is_read_alike_in_every_report(read: Read) -> None:
    """The examination of a knee makes no joint effusion of a pleural one."""
    assert _findings(read("MRI OF THE KNEE.\nSmall left pleural effusion.")) == {"pleural_effusion": "present"}
    assert _findings(read("CT HEAD.\nKnown mass in the liver.")) == {"liver_lesion": "present"}


def test_regions_are_those_of_the_files(tmp_path: Path) -> None:
    """A lexicon that tells no regions apart reads every report without them."""
    folder = _copied(tmp_path)
    anatomy = folder / "reading" / "anatomy.toml"
    text = anatomy.read_text(encoding="utf-8")
    anatomy.write_text(text[: text.index("[[region]]")], encoding="utf-8")
    plain = MedspacyUnitExtractor.create(MedspacyOptions(lexicon=str(folder)))
    (units,) = plain.extract([Report("MRI OF THE LEFT KNEE.\nNo effusion.")])
    assert isinstance(units, tuple)
    assert _findings(units) == {"pleural_effusion": "absent"}


def _copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(Path(package.__file__).parent / "data", tmp_path / "lexicon"))


@pytest.mark.parametrize(
    ("titles", "named", "expected"),
    [
        (["MRI knee"], [{"chest"}, set()], ["limb", "limb"]),
        (
            ["chest and abdomen"],
            [{"chest"}, set(), {"abdomen"}, set(), {"limb"}],
            ["chest", "chest", "abdomen", "abdomen", ""],
        ),
        ([], [{"chest"}, {"chest"}, {"spine"}, set()], ["chest"] * 4),
        ([], [{"chest"}, {"spine"}], ["", ""]),
        ([], [set(), set()], ["", ""]),
        (["Comparison made"], [{"brain"}], ["brain"]),
    ],
)
def test_the_region_around_each_sentence(titles: list[str], named: list[set[str]], expected: list[str]) -> None:
    """The title tells it, or the last of several that it names, or else most sentences; a draw tells nothing."""
    regions = Regions.of(load_knowledge())
    assert list(regions.around(titles, [frozenset(one) for one in named])) == expected


def test_every_region_says_what_its_words_mean_there() -> None:
    """A region that decides nothing, or a list of homonyms without a region, would be idle."""
    knowledge = load_knowledge()
    labels = {region.label for region in knowledge.regions}
    findings = knowledge.lexicon.findings.values()
    assert labels == {label for finding in findings for label in finding.sited if label in labels}
    assert [finding.id for finding in findings if finding.homonyms and not finding.sited] == []
