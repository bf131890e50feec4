"""What the shipped reader makes of single sentences and short reports, all invented.

An expected unit is written as its finding followed by what is stated of it, in any order: polarity (present unless
said), certainty, change, severity, temporality, ``family``, sides and zones, and sizes such as ``12mm``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest
from attrs import field, frozen

from overread.adapters.lexicon import load_knowledge
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Experiencer, Polarity, Temporality

PLACES = frozenset(
    label for rule in load_knowledge().attributes if rule.kind in {"side", "zone"} for label in rule.labels
) - {"lung", "pleura", "heart", "hilum", "mediastinum"}
DEGREES = ("mild", "moderate", "severe")


@frozen
class Stated:
    """What a unit states, without its place in the text."""

    finding: str
    polarity: str = "present"
    certainty: str | None = None
    change: str | None = None
    severity: str | None = None
    temporality: str = "current"
    experiencer: str = "patient"
    places: frozenset[str] = field(factory=frozenset)
    sizes: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Stated:
        """Reads the notation of the tables."""
        finding, *words = text.split()
        scales: Mapping[str, Sequence[str]] = {
            "polarity": tuple(Polarity),
            "certainty": tuple(Certainty),
            "change": tuple(Change),
            "severity": DEGREES,
            "temporality": tuple(Temporality),
            "experiencer": tuple(Experiencer),
        }
        values = {name: word for word in words for name, scale in scales.items() if word in scale}
        sizes = tuple(word for word in words if word.endswith("mm") and word[0].isdigit())
        places = frozenset(words) - set(values.values()) - set(sizes)
        assert places <= PLACES, f"no such place: {sorted(places - PLACES)}"
        return cls(finding, **values, places=places, sizes=sizes)

    @classmethod
    def by(cls, unit: ClinicalUnit) -> Stated:
        """What a unit states."""
        return cls(
            unit.canonical_finding or f"({unit.administrative or 'unread'})",
            unit.polarity,
            unit.certainty,
            unit.change,
            unit.severity,
            unit.temporality,
            unit.experiencer,
            unit.anatomy & PLACES,
            tuple(f"{size.millimetres:g}mm" for size in unit.measurements),
        )


def _check(read: Callable[[str], tuple[ClinicalUnit, ...]], text: str, expected: Sequence[str]) -> None:
    assert Counter(map(Stated.by, read(text))) == Counter(map(Stated.of, expected))


Rows = list[tuple[str, list[str]]]

DENIALS: Rows = [
    (
        "No pneumothorax, pleural effusion, or focal consolidation.",
        ["pneumothorax absent", "pleural_effusion absent", "consolidation absent"],
    ),
    (
        "There is no evidence of pneumothorax or pleural effusion.",
        ["pneumothorax absent", "pleural_effusion absent"],
    ),
    (
        "No focal airspace consolidation, effusion, or pneumothorax is seen.",
        ["consolidation absent", "pleural_effusion absent", "pneumothorax absent"],
    ),
    ("Lungs are free of consolidation and nodules.", ["consolidation absent", "lung_nodule absent"]),
    (
        "Neither effusion nor pneumothorax is identified.",
        ["pleural_effusion absent", "pneumothorax absent"],
    ),
    ("Without pleural effusion or pneumothorax.", ["pleural_effusion absent", "pneumothorax absent"]),
    ("Negative for pneumothorax.", ["pneumothorax absent"]),
    ("No effusions; no pneumothorax.", ["pleural_effusion absent", "pneumothorax absent"]),
    ("No definite pneumothorax.", ["pneumothorax absent"]),
    ("No right pleural effusion.", ["pleural_effusion absent right"]),
    ("No focal consolidation in the right lung.", ["consolidation absent right"]),
    (
        "No pulmonary nodules or masses in either lung.",
        ["lung_nodule absent left right", "lung_mass absent left right"],
    ),
    ("No large effusion or pneumothorax.", ["pleural_effusion absent severe", "pneumothorax absent"]),
    (
        "No consolidation, large pleural effusion or pneumothorax.",
        ["consolidation absent", "pleural_effusion absent severe", "pneumothorax absent"],
    ),
    ("No free air under the diaphragm.", ["pneumoperitoneum absent subdiaphragmatic"]),
    ("No evidence of active tuberculosis.", ["tuberculosis absent"]),
    ("Small left effusion without pneumothorax.", ["pleural_effusion mild left", "pneumothorax absent"]),
    ("Left lower lobe atelectasis, no effusion.", ["atelectasis left lower_lobe", "pleural_effusion absent"]),
    ("Cardiomegaly without pulmonary edema.", ["cardiomegaly", "pulmonary_edema absent"]),
]

DENIALS_BEHIND: Rows = [
    ("Pneumothorax is not seen.", ["pneumothorax absent"]),
    ("A pleural effusion is not identified.", ["pleural_effusion absent"]),
    ("Consolidation is absent.", ["consolidation absent"]),
    ("Pneumothorax: none.", ["pneumothorax absent"]),
    ("Pneumonia is unlikely.", ["pneumonia absent"]),
    ("Effusion has been ruled out.", ["pleural_effusion absent"]),
    ("Consolidation and pneumothorax are not seen.", ["consolidation absent", "pneumothorax absent"]),
    ("The heart is enlarged and a pneumothorax is not seen.", ["cardiomegaly", "pneumothorax absent"]),
    (
        "A small left effusion is present and pneumothorax is not seen.",
        ["pleural_effusion mild left", "pneumothorax absent"],
    ),
]

FALSE_DENIALS: Rows = [
    ("No change in the right pleural effusion.", ["pleural_effusion stable right"]),
    ("No significant interval change in cardiomegaly.", ["cardiomegaly stable"]),
    ("No increase in the left effusion.", ["pleural_effusion stable left"]),
    ("Not only consolidation but also an effusion is present.", ["consolidation", "pleural_effusion"]),
    ("Left basilar atelectasis has not changed.", ["atelectasis stable left base"]),
    ("The left pleural effusion has not increased.", ["pleural_effusion stable left"]),
]

EXCEPTIONS: Rows = [
    (
        "There is no consolidation except for linear atelectasis at the left base.",
        ["consolidation absent", "atelectasis left base"],
    ),
    (
        "No focal opacity other than right basilar atelectasis.",
        ["lung_opacity absent", "atelectasis right base"],
    ),
    (
        "No acute abnormality apart from a small right effusion.",
        ["no_acute_process absent", "pleural_effusion mild right"],
    ),
    (
        "No effusion, although there is atelectasis at the right base.",
        ["pleural_effusion absent", "atelectasis right base"],
    ),
    ("No pneumothorax but there is a small left effusion.", ["pneumothorax absent", "pleural_effusion mild left"]),
    (
        "No pneumothorax is seen, however, a small left effusion persists.",
        ["pneumothorax absent", "pleural_effusion stable mild left"],
    ),
    (
        "No effusion in the right base but left pneumothorax.",
        ["pleural_effusion absent right base", "pneumothorax left"],
    ),
]

NEW_CLAUSES: Rows = [
    ("No pneumothorax, heart is enlarged.", ["pneumothorax absent", "cardiomegaly"]),
    ("No effusion, lungs clear.", ["pleural_effusion absent", "lungs_clear absent"]),
    ("No pneumothorax, small right effusion.", ["pneumothorax absent", "pleural_effusion mild right"]),
    ("No pneumothorax, large left effusion.", ["pneumothorax absent", "pleural_effusion severe left"]),
    ("No pneumothorax with small right effusion.", ["pneumothorax absent", "pleural_effusion mild right"]),
    (
        "There is no pneumothorax, and a small left effusion is seen.",
        ["pneumothorax absent", "pleural_effusion mild left"],
    ),
    (
        "No pneumothorax, mild left effusion and right atelectasis.",
        ["pneumothorax absent", "pleural_effusion mild left", "atelectasis right"],
    ),
    ("No pneumothorax and there is a right effusion.", ["pneumothorax absent", "pleural_effusion right"]),
    (
        "No pleural effusion. Small right apical pneumothorax.",
        ["pleural_effusion absent", "pneumothorax mild right apex"],
    ),
    ("No pneumothorax, left effusion is unchanged.", ["pneumothorax absent", "pleural_effusion stable left"]),
    (
        "No effusion on the right, small effusion on the left.",
        ["pleural_effusion absent right", "pleural_effusion mild left"],
    ),
    ("Right lung is clear, left lung shows consolidation.", ["lungs_clear absent right", "consolidation left"]),
    ("The heart is mildly enlarged, and the lungs are clear.", ["cardiomegaly mild", "lungs_clear absent"]),
]

HEDGES: Rows = [
    (
        "Possible pneumonia in the right lower lobe.",
        ["pneumonia uncertain possible right lower_lobe"],
    ),
    ("Findings may represent pneumonia.", ["pneumonia uncertain possible"]),
    ("Right basilar opacity, likely atelectasis.", ["lung_opacity right base", "atelectasis probable right base"]),
    ("Probable left lower lobe pneumonia.", ["pneumonia probable left lower_lobe"]),
    ("Cannot exclude a small pneumothorax.", ["pneumothorax uncertain possible mild"]),
    ("A small pneumothorax cannot be excluded.", ["pneumothorax uncertain possible mild"]),
    ("Questionable nodule in the left upper lobe.", ["lung_nodule uncertain possible left upper_lobe"]),
    ("Opacity suspicious for malignancy.", ["lung_opacity", "lung_cancer probable"]),
    (
        "Left basilar opacity could represent atelectasis or pneumonia.",
        [
            "lung_opacity left base",
            "atelectasis uncertain possible left base",
            "pneumonia uncertain possible left base",
        ],
    ),
    ("Opacity compatible with pneumonia.", ["lung_opacity", "pneumonia probable"]),
    (
        "Atelectasis versus pneumonia at the left base.",
        ["atelectasis uncertain possible", "pneumonia uncertain possible left base"],
    ),
    ("Suspected pulmonary edema.", ["pulmonary_edema probable"]),
    ("?pneumonia at the left base", ["pneumonia uncertain possible left base"]),
    (
        "Right lower lobe opacity concerning for pneumonia.",
        ["lung_opacity right lower_lobe", "pneumonia probable right lower_lobe"],
    ),
    (
        "Bibasilar atelectasis, although infection cannot be excluded.",
        ["atelectasis left right base", "pneumonia uncertain possible"],
    ),
    (
        "Bibasilar opacities, pneumonia cannot be excluded.",
        ["lung_opacity left right base", "pneumonia uncertain possible"],
    ),
    (
        "Cardiomegaly with left basilar infiltrate versus atelectasis.",
        ["cardiomegaly", "airspace_opacity uncertain possible left base", "atelectasis uncertain possible left base"],
    ),
    (
        "Bibasilar opacities may reflect atelectasis, aspiration or pneumonia.",
        [
            "lung_opacity left right base",
            "atelectasis uncertain possible",
            "aspiration uncertain possible",
            "pneumonia uncertain possible",
        ],
    ),
    ("Maybe due to pulmonary fibrosis.", ["pulmonary_fibrosis uncertain possible"]),
]

CHANGES: Rows = [
    ("New small right pleural effusion.", ["pleural_effusion new mild right"]),
    ("Interval development of a left pneumothorax.", ["pneumothorax new left"]),
    ("Right pleural effusion has increased.", ["pleural_effusion worsened right"]),
    ("Left pleural effusion has decreased.", ["pleural_effusion improved left"]),
    ("Interval improvement in pulmonary edema.", ["pulmonary_edema improved"]),
    ("Worsening pulmonary edema.", ["pulmonary_edema worsened"]),
    ("Interval resolution of the right pneumothorax.", ["pneumothorax absent resolved right"]),
    ("The pneumothorax has resolved.", ["pneumothorax absent resolved"]),
    ("Stable cardiomegaly.", ["cardiomegaly stable"]),
    ("Unchanged cardiomegaly with new right effusion.", ["cardiomegaly stable", "pleural_effusion new right"]),
    (
        "Improving left lower lobe consolidation and worsening right effusion.",
        ["consolidation improved left lower_lobe", "pleural_effusion worsened right"],
    ),
    ("Previously seen left pneumothorax is no longer visualized.", ["pneumothorax absent resolved left"]),
    ("Previously noted right effusion is unchanged.", ["pleural_effusion stable right"]),
    ("Previously seen left pneumothorax has increased.", ["pneumothorax worsened left"]),
    ("Right pleural effusion is slightly larger.", ["pleural_effusion worsened right"]),
    ("Right pleural effusion is markedly improved.", ["pleural_effusion improved right"]),
    ("Slight interval increase in the small right effusion.", ["pleural_effusion worsened mild right"]),
    ("Persistent small left apical pneumothorax.", ["pneumothorax stable mild left apex"]),
    ("The heart is enlarged and the left effusion is unchanged.", ["cardiomegaly", "pleural_effusion stable left"]),
    ("Stable cardiomegaly without pulmonary edema.", ["cardiomegaly stable", "pulmonary_edema absent"]),
    ("Stable cardiomegaly with clear lungs.", ["cardiomegaly stable", "lungs_clear absent"]),
    (
        "Small bilateral effusions with adjacent atelectasis, unchanged.",
        ["pleural_effusion stable mild left right", "atelectasis stable"],
    ),
]

DEGREES_AND_PLACES: Rows = [
    ("Small bilateral pleural effusions, right greater than left.", ["pleural_effusion mild left right"]),
    ("Large right pleural effusion.", ["pleural_effusion severe right"]),
    ("Mild to moderate cardiomegaly.", ["cardiomegaly moderate"]),
    ("Tiny left apical pneumothorax.", ["pneumothorax mild left apex"]),
    ("Severe emphysema.", ["emphysema severe"]),
    ("Moderate-to-large left pleural effusion.", ["pleural_effusion severe left"]),
    ("Heart size is mildly enlarged.", ["cardiomegaly mild"]),
    ("Effusion in the right base and left pneumothorax.", ["pleural_effusion right base", "pneumothorax left"]),
    ("Atelectasis at the left base and mild cardiomegaly.", ["atelectasis left base", "cardiomegaly mild"]),
    (
        "Right upper lobe consolidation and left lower lobe atelectasis.",
        ["consolidation right upper_lobe", "atelectasis left lower_lobe"],
    ),
    (
        "Consolidation in the right upper lobe and in the left lower lobe.",
        ["consolidation right upper_lobe left lower_lobe"],
    ),
    (
        "Atelectasis or consolidation at the left base.",
        [
            "atelectasis uncertain possible left base",
            "consolidation uncertain possible left base",
        ],
    ),
    ("Atelectasis and consolidation at the left base.", ["atelectasis left base", "consolidation left base"]),
    ("Atelectasis at both lung bases.", ["atelectasis left right base"]),
    ("Right apical scarring with left basal atelectasis.", ["scarring right apex", "atelectasis left base"]),
    ("Left-sided pleural effusion and right-sided pneumothorax.", ["pleural_effusion left", "pneumothorax right"]),
    ("Bilateral perihilar opacities.", ["lung_opacity left right perihilar"]),
    ("Dense left retrocardiac consolidation.", ["consolidation left retrocardiac"]),
    ("Postoperative changes of right mastectomy.", ["postoperative_change", "mastectomy right"]),
    ("Lungs are clear bilaterally.", ["lungs_clear absent left right"]),
]

DEVICES: Rows = [
    ("Endotracheal tube tip is 4 cm above the carina.", ["endotracheal_tube 40mm"]),
    ("ET tube terminates 2.5 cm above the carina.", ["endotracheal_tube 25mm"]),
    ("ETT 3 cm above carina.", ["endotracheal_tube 30mm"]),
    ("Right PICC tip in the superior vena cava.", ["picc right"]),
    ("Left subclavian central venous catheter terminates in the mid SVC.", ["central_venous_catheter left"]),
    ("The tip of the left PICC is in the SVC.", ["picc left"]),
    ("Enteric tube courses below the diaphragm.", ["enteric_tube subdiaphragmatic"]),
    ("Nasogastric tube is coiled in the oesophagus.", ["enteric_tube", "malpositioned_enteric_tube"]),
    ("Interval removal of the left chest tube.", ["chest_tube absent resolved left"]),
    (
        "No pneumothorax following removal of the right chest tube.",
        ["pneumothorax absent", "chest_tube absent resolved right"],
    ),
    ("Endotracheal tube has been removed.", ["endotracheal_tube absent resolved"]),
    ("There has been interval placement of a right chest tube.", ["chest_tube new right"]),
    (
        "New right internal jugular catheter without pneumothorax.",
        ["central_venous_catheter new right", "pneumothorax absent"],
    ),
    ("Right-sided Port-A-Cath is unchanged in position.", ["port_catheter stable right"]),
    ("No central line is present.", ["central_venous_catheter absent"]),
]

NORMAL_STATEMENTS: Rows = [
    ("The lungs are clear.", ["lungs_clear absent"]),
    (
        "The lungs are clear without consolidation, effusion or pneumothorax.",
        ["lungs_clear absent", "consolidation absent", "pleural_effusion absent", "pneumothorax absent"],
    ),
    ("The heart size is normal.", ["heart_size_normal absent"]),
    ("Heart size is within normal limits.", ["heart_size_normal absent"]),
    ("The cardiomediastinal silhouette is unremarkable.", ["cardiomediastinal_silhouette_normal absent"]),
    ("Heart size and mediastinal contours are normal.", ["cardiomediastinal_silhouette_normal absent"]),
    ("The heart is not enlarged.", ["heart_not_enlarged absent"]),
    ("No acute cardiopulmonary process.", ["no_acute_process absent"]),
    ("Normal chest radiograph.", ["chest_normal absent"]),
    ("Costophrenic angles are sharp.", ["costophrenic_angles_clear absent costophrenic_angle"]),
    ("No cardiomegaly.", ["cardiomegaly absent"]),
    ("Osseous structures are intact.", ["bones_intact absent"]),
]

CONTEXTS: Rows = [
    ("History of pneumonia.", ["pneumonia historical"]),
    ("History of lung cancer with new left effusion.", ["lung_cancer historical", "pleural_effusion new left"]),
    ("Family history of tuberculosis.", ["tuberculosis family"]),
    ("Mother had lung cancer.", ["lung_cancer family"]),
    ("Evaluate for pneumonia.", ["pneumonia hypothetical"]),
    ("Rule out pneumonia.", ["pneumonia hypothetical"]),
    (
        "If there is concern for pneumothorax, obtain a lateral view.",
        ["(recommendation)", "pneumothorax hypothetical"],
    ),
    ("Follow-up CT is recommended to exclude a nodule.", ["(recommendation)", "lung_nodule hypothetical"]),
    ("Status post right upper lobectomy.", ["lobectomy right"]),
]

SIZES: Rows = [
    ("2.3 x 1.8 cm nodule in the right upper lobe.", ["lung_nodule right upper_lobe 23mm 18mm"]),
    ("5 mm nodule in the left upper lobe.", ["lung_nodule left upper_lobe 5mm"]),
    ("A 5mm nodule in the left upper lobe.", ["lung_nodule left upper_lobe 5mm"]),
    ("A 12-mm right lower lobe nodule.", ["lung_nodule right lower_lobe 12mm"]),
    ("Nodule measuring 1.2 x 0.8 cm in the right middle lobe.", ["lung_nodule right middle_lobe 12mm 8mm"]),
    ("Mass measures 4.5 by 3.2 by 2 cm.", ["lung_mass 45mm 32mm 20mm"]),
    ("Left pneumothorax measuring 2 cm at the apex.", ["pneumothorax left apex 20mm"]),
    (
        "3 mm nodule at the left apex and a 2 cm mass at the right base.",
        [
            "lung_nodule left apex 3mm",
            "lung_mass right base 20mm",
        ],
    ),
]

SPELLINGS: Rows = [
    ("RUL nodule and LLL consolidation.", ["lung_nodule right upper_lobe", "consolidation left lower_lobe"]),
    ("PNA in the RLL.", ["pneumonia right lower_lobe"]),
    ("PTX on the left.", ["pneumothorax left"]),
    ("Small R pleural effusion.", ["pleural_effusion mild right"]),
    ("Small bilat. pleural effusions.", ["pleural_effusion mild left right"]),
    ("COPD with hyperinflation.", ["copd", "hyperinflation"]),
    ("r/o effusion", ["pleural_effusion hypothetical"]),
    ("Interstitial oedema.", ["pulmonary_edema"]),
    ("Pulmonary oedema and haemothorax.", ["pulmonary_edema", "hemothorax"]),
    ("Right hilar tumour.", ["hilar_mass right"]),
    ("Oesophageal dilatation.", ["esophageal_dilatation"]),
    ("Effusions and opacities at both bases.", ["pleural_effusion left right base", "lung_opacity left right base"]),
    ("Pneumothoraces are not seen.", ["pneumothorax absent"]),
    ("Pulmonary metastases in both lungs.", ["pulmonary_metastases left right"]),
    ("Cardiomegally with small plural effusion.", ["cardiomegaly", "pleural_effusion mild"]),
    ("Left pnuemothorax.", ["pneumothorax left"]),
    ("No pnuemonia or efusion.", ["pneumonia absent", "pleural_effusion absent"]),
    ("Bilateral infiltates.", ["airspace_opacity left right"]),
    ("No XXXX effusion in the ___ lung.", ["pleural_effusion absent"]),
    ("Comparison to [**2010-1-1**], the left effusion is new.", ["pleural_effusion new left"]),
    ("NO PNEUMOTHORAX OR EFFUSION.", ["pneumothorax absent", "pleural_effusion absent"]),
    ("right pleural effusion is unchanged from prior study", ["pleural_effusion stable right"]),
]

WRAPPED = """\
The cardiac silhouette is enlarged and there is a moderate right sided
pleural effusion which is unchanged from the previous examination, and
the left lung is clear without focal consolidation or pneumothorax. No
fracture is seen."""

LAYOUTS: Rows = [
    (
        "no acute cardiopulmonary abnormality. heart size normal. lungs clear.",
        ["no_acute_process absent", "heart_size_normal absent", "lungs_clear absent"],
    ),
    ("the heart is enlarged. there is a small left effusion.", ["cardiomegaly", "pleural_effusion mild left"]),
    ("- No effusion\n- Left pneumothorax", ["pleural_effusion absent", "pneumothorax left"]),
    ("1. Right effusion.\n2. No pneumothorax.", ["pleural_effusion right", "pneumothorax absent"]),
    ("• Stable cardiomegaly\n• No effusion", ["cardiomegaly stable", "pleural_effusion absent"]),
    ("FINDINGS: No effusion. IMPRESSION: No acute disease.", ["pleural_effusion absent", "no_acute_process absent"]),
    ("INDICATION: pneumonia. FINDINGS: Lungs are clear.", ["lungs_clear absent"]),
    ("Indication: rule out pneumothorax\nFindings: Small left effusion.", ["pleural_effusion mild left"]),
    ("HISTORY: heart failure\n\nThe heart is enlarged.", ["cardiomegaly"]),
    (
        "TECHNIQUE: PA and lateral. COMPARISON: none. FINDINGS: Left effusion.",
        ["pleural_effusion left"],
    ),
    ("FINDINGS: Left effusion. RECOMMENDATION: CT to exclude a mass.", ["pleural_effusion left", "(recommendation)"]),
    ("Small left\npleural effusion.", ["pleural_effusion mild left"]),
    (
        WRAPPED,
        [
            "cardiomegaly",
            "pleural_effusion moderate stable right",
            "lungs_clear absent left",
            "consolidation absent",
            "pneumothorax absent",
            "fracture absent",
        ],
    ),
]

SHARED_NAMES: Rows = [
    ("No further pneumothorax.", ["pneumothorax absent"]),
    (
        "Moderate right and small left pleural effusions.",
        ["pleural_effusion moderate right", "pleural_effusion mild left"],
    ),
    ("Small right and no left effusion.", ["pleural_effusion mild right", "pleural_effusion absent left"]),
    ("No right but small left effusion.", ["pleural_effusion absent right", "pleural_effusion mild left"]),
    ("Small effusion on the right, none on the left.", ["pleural_effusion mild right", "pleural_effusion absent left"]),
    (
        "Bilateral pleural effusions, large on the left and trace on the right.",
        ["pleural_effusion severe left", "pleural_effusion mild right"],
    ),
    (
        "New moderate right and stable small left effusions.",
        ["pleural_effusion new moderate right", "pleural_effusion stable mild left"],
    ),
    (
        "No change in moderate right and small left effusions.",
        ["pleural_effusion stable moderate right", "pleural_effusion stable mild left"],
    ),
    (
        "Right effusion is larger while the left is unchanged.",
        ["pleural_effusion worsened right", "pleural_effusion stable left"],
    ),
    (
        "Pneumothorax is not seen on the left but is present on the right.",
        ["pneumothorax absent left", "pneumothorax right"],
    ),
    (
        "No effusion other than a trace on the left.",
        ["pleural_effusion absent", "pleural_effusion mild left"],
    ),
    (
        "No pneumothorax aside from a tiny right apical component.",
        ["pneumothorax absent", "pneumothorax mild right apex"],
    ),
    ("Large right and left effusions.", ["pleural_effusion severe left right"]),
    ("Opacities in the left upper and right lower lobes.", ["lung_opacity left right upper_lobe lower_lobe"]),
]

RUN_ONS: Rows = [
    (
        "heart size is normal lungs are clear no effusion small left nodule",
        ["heart_size_normal absent", "lungs_clear absent", "pleural_effusion absent", "lung_nodule mild left"],
    ),
    (
        "no pneumothorax small left pleural effusion heart is enlarged",
        ["pneumothorax absent", "pleural_effusion mild left", "cardiomegaly"],
    ),
    (
        "no consolidation heart size is enlarged no effusion",
        ["consolidation absent", "cardiomegaly", "pleural_effusion absent"],
    ),
    (
        "No focal infiltrate effusion or pneumothorax",
        ["airspace_opacity absent", "pleural_effusion absent", "pneumothorax absent"],
    ),
    ("There is no effusion and the heart is enlarged.", ["pleural_effusion absent", "cardiomegaly"]),
    (
        "No consolidation or effusion and heart size is normal.",
        ["consolidation absent", "pleural_effusion absent", "heart_size_normal absent"],
    ),
    (
        "No effusion, left lower lobe consolidation is seen.",
        ["pleural_effusion absent", "consolidation left lower_lobe"],
    ),
]

ROUND_ABOUT: Rows = [
    ("Not without effusion.", ["pleural_effusion"]),
    ("A pneumothorax is not excluded.", ["pneumothorax uncertain possible"]),
    ("The lungs are not clear.", ["lung_opacity"]),
    ("Pneumonia is felt to be unlikely.", ["pneumonia absent"]),
    ("No history of tuberculosis.", ["tuberculosis absent historical"]),
    ("Findings favor atelectasis rather than consolidation.", ["atelectasis probable", "consolidation absent"]),
    (
        "There is no change in the small left effusion or atelectasis.",
        ["pleural_effusion stable mild left", "atelectasis stable left"],
    ),
    (
        "Interval resolution of edema and decrease in effusion.",
        ["pulmonary_edema absent resolved", "pleural_effusion improved"],
    ),
    ("Resolved right pneumothorax.", ["pneumothorax absent resolved right"]),
    ("Cardiomegaly, unchanged, with new small effusion.", ["cardiomegaly stable", "pleural_effusion new mild"]),
    ("Stable cardiomegaly with a small right effusion.", ["cardiomegaly stable", "pleural_effusion mild right"]),
]

GRADES: Rows = [
    ("There is definite consolidation.", ["consolidation definite"]),
    ("Findings are diagnostic of pneumonia.", ["pneumonia definite"]),
    ("Consolidation is clearly seen at the left base.", ["consolidation definite left base"]),
    ("Findings in keeping with heart failure.", ["heart_failure probable"]),
    ("Findings worrisome for lung cancer.", ["lung_cancer probable"]),
    ("Low suspicion for pneumonia.", ["pneumonia uncertain possible"]),
    ("It is unclear whether there is a pneumothorax.", ["pneumothorax uncertain possible"]),
    ("No definite pneumothorax or frank edema.", ["pneumothorax absent", "pulmonary_edema absent"]),
]

PASTS: Rows = [
    ("Pneumonia in 2019.", ["pneumonia historical"]),
    ("Status post pneumonia.", ["pneumonia historical"]),
    ("Status post left lobectomy with small effusion.", ["lobectomy left", "pleural_effusion mild"]),
    ("Two-week history of pneumonia.", ["pneumonia"]),
    (
        "History of emphysema, status post lobectomy, with tuberculosis.",
        ["emphysema historical", "lobectomy historical", "tuberculosis historical"],
    ),
]

EARLIER_SIZES: Rows = [
    ("The 4 mm nodule now measures 7 mm.", ["lung_nodule worsened 7mm"]),
    ("Mass has grown from 2 to 4 cm.", ["lung_mass worsened 40mm"]),
    ("Nodule has decreased from 12 mm to 7 mm.", ["lung_nodule improved 7mm"]),
    ("6 mm nodule (previously 6 mm).", ["lung_nodule stable 6mm"]),
    ("Nodule measures 2.0 x 1.5 cm, previously 1.5 x 1.0 cm.", ["lung_nodule worsened 20mm 15mm"]),
    ("Nodules ranging from 2 to 4 mm.", ["lung_nodule 2mm 4mm"]),
    (
        "Endotracheal tube in standard position, 5 cm from the carina.",
        ["endotracheal_tube 50mm", "devices_satisfactory absent"],
    ),
]

CARRIED: Rows = [
    (
        "Effusion, atelectasis, consolidation. All are unchanged.",
        ["pleural_effusion stable", "atelectasis stable", "consolidation stable"],
    ),
    ("There is a nodule. This is unchanged. It measures 5 mm.", ["lung_nodule stable 5mm"]),
    ("Cardiomegaly and left effusion. It has increased.", ["cardiomegaly", "pleural_effusion worsened left"]),
    ("Moderate left effusion. Unchanged.", ["pleural_effusion stable moderate left"]),
    ("Left effusion. However, it has decreased.", ["pleural_effusion improved left"]),
    ("Small pneumothorax. It has resolved.", ["pneumothorax absent resolved mild"]),
    ("No effusion. This is unchanged.", ["pleural_effusion absent", "(unread) stable"]),
    ("FINDINGS: Left effusion. IMPRESSION: This is unchanged.", ["pleural_effusion left", "(unread) stable"]),
    (
        "Left effusion. Heart normal. It is unchanged.",
        ["pleural_effusion left", "heart_size_normal absent", "(unread) stable"],
    ),
]

ADMINISTRATIVE: Rows = [
    ("Recommend follow-up CT in 3 months.", ["(recommendation)"]),
    ("Clinical correlation is advised.", ["(recommendation)"]),
    ("No further evaluation is needed.", ["(recommendation)"]),
    ("Repeat radiograph in 6 weeks to ensure resolution.", ["(recommendation)"]),
    ("There is a nodule; recommend CT.", ["lung_nodule", "(recommendation)"]),
    ("Small effusion, follow-up recommended.", ["pleural_effusion mild", "(recommendation)"]),
    ("CT is recommended to exclude malignancy.", ["(recommendation)", "lung_cancer hypothetical"]),
    ("Findings were discussed with Dr. Jones at 4 pm.", ["(communication)"]),
    ("Left pneumothorax was discussed with Dr. Jones.", ["pneumothorax left", "(communication)"]),
    ("The surgical team was informed of the free air.", ["(communication)", "pneumoperitoneum"]),
    ("PA and lateral views of the chest.", ["(technique)"]),
    ("Frontal and lateral views demonstrate clear lungs.", ["lungs_clear absent"]),
    ("Chest, two views.", ["(technique)"]),
    ("Left knee.", ["(technique) left"]),
    ("Consider a fluoroscopic evaluation.", ["(recommendation)"]),
    ("Thoracic vertebra compared to the prior radiograph.", ["(unread) spine thoracic_spine"]),
    ("Compared to 3/4/2020.", ["(comparison)"]),
    ("No prior studies are available for comparison.", ["(comparison)"]),
    ("COMPARISON: none.", ["(comparison)"]),
    ("Overall unchanged compared to the prior study.", ["appearance_unchanged stable"]),
    ("Allowing for differences in positioning.", ["(limitation)"]),
]

ORGAN_HEADINGS: Rows = [
    ("Lungs: Clear.\nHeart: Enlarged.", ["lungs_clear absent", "cardiomegaly"]),
    ("Heart size: normal", ["heart_size_normal absent"]),
    (
        "LUNGS: Mild bibasilar atelectasis.\nPLEURA: No effusion.",
        ["atelectasis mild left right base", "pleural_effusion absent"],
    ),
    (
        "FINDINGS: Lungs: clear Heart: enlarged Pleura: no effusion",
        ["lungs_clear absent", "cardiomegaly", "pleural_effusion absent"],
    ),
    (
        "Pneumothorax: None\nEffusion: Small left\nConsolidation: No",
        ["pneumothorax absent", "pleural_effusion mild left", "consolidation absent"],
    ),
    ("Lines and tubes: Endotracheal tube 3 cm above the carina.", ["endotracheal_tube 30mm"]),
    (
        "NO EVIDENCE OF PNEUMOTHORAX, PLEURAL\nEFFUSION, OR CONSOLIDATION.",
        ["pneumothorax absent", "pleural_effusion absent", "consolidation absent"],
    ),
    (
        "THE LUNGS ARE CLEAR WITHOUT A\nCONSOLIDATION OR EFFUSION. THE HEART IS\nENLARGED.",
        ["lungs_clear absent", "consolidation absent", "pleural_effusion absent", "cardiomegaly"],
    ),
    ("NO EFFUSION\nSMALL LEFT PNEUMOTHORAX", ["pleural_effusion absent", "pneumothorax mild left"]),
]

TABLES = {
    "a denial reaches every item of its list": DENIALS,
    "a denial may stand behind its findings": DENIALS_BEHIND,
    "a word of denial may deny no finding": FALSE_DENIALS,
    "an exception ends a denial": EXCEPTIONS,
    "a new clause ends a denial": NEW_CLAUSES,
    "hedges make a finding possible or probable": HEDGES,
    "comparison words give the change of the finding they belong to": CHANGES,
    "degrees and places go to the finding they belong to": DEGREES_AND_PLACES,
    "devices are read with side and tip distance": DEVICES,
    "normal statements deny": NORMAL_STATEMENTS,
    "the past, relatives and what is only asked are told apart": CONTEXTS,
    "a name shared by two statements gives two units": SHARED_NAMES,
    "clauses that run on are told apart": RUN_ONS,
    "what is said in a roundabout way is read for what it says": ROUND_ABOUT,
    "certainty has grades": GRADES,
    "an event in the past is historical, its mark is not": PASTS,
    "of an earlier and a present size the present one counts": EARLIER_SIZES,
    "a pronoun carries a change to the sentence before": CARRIED,
    "statements about the report are administrative": ADMINISTRATIVE,
    "organ headings are subjects": ORGAN_HEADINGS,
    "sizes go to the nearest finding, in millimetres": SIZES,
    "spelling, case, abbreviations and marks do not matter": SPELLINGS,
    "layout does not matter and context sections are not read": LAYOUTS,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(text, expected, id=f"{behaviour}: {text.splitlines()[0]}")
        for behaviour, rows in TABLES.items()
        for text, expected in rows
    ],
)
def test_reads(read: Callable[[str], tuple[ClinicalUnit, ...]], text: str, expected: list[str]) -> None:
    """The table's name, in front of each sentence, is the behaviour."""
    _check(read, text, expected)


def test_a_denied_normal_statement_denies_nothing(read: Callable[[str], tuple[ClinicalUnit, ...]]) -> None:
    """Lungs that "are not clear" must not be read as the absence of what clear lungs exclude."""
    assert not any(unit.denies for unit in read("The lungs are not clear."))


def test_a_normal_statement_denies_what_the_lexicon_says(
    read: Callable[[str], tuple[ClinicalUnit, ...]],
) -> None:
    """A normal statement brings the findings it denies, so that it can be weighed against a finding."""
    (unit,) = read("The lungs are clear.")
    assert unit.is_normal_statement
    assert unit.denies == frozenset(load_knowledge().lexicon.normals["lungs_clear"].denies)
    assert "lung_opacity" in unit.denies


def test_a_sentence_no_rule_covers_is_one_unit(read: Callable[[str], tuple[ClinicalUnit, ...]]) -> None:
    """It holds the whole sentence, with half the confidence."""
    text = "Please see the separate note."
    (unit,) = read(text)
    assert unit.is_unread
    assert (unit.span_text, unit.start, unit.end, unit.confidence) == (text, 0, len(text), 0.5)


@pytest.mark.parametrize(
    ("text", "modalities"),
    [
        ("Nodule better seen on prior CT.", {"ct"}),
        ("Recommend MRI or ultrasound.", {"mri", "ultrasound"}),
        ("FDG-avid nodule on PET/CT.", {"pet", "ct"}),
        ("CTA shows an embolus.", {"ct", "angiography"}),
        ("Chest x-ray is normal.", {"radiograph"}),
        ("Echocardiogram is recommended.", {"echocardiography"}),
        ("Bone scan may be helpful.", {"nuclear"}),
        ("Barium swallow shows a stricture.", {"fluoroscopy"}),
        ("Calcification seen on mammogram.", {"mammography"}),
        ("Small left effusion.", set()),
    ],
)
def test_modalities(read: Callable[[str], tuple[ClinicalUnit, ...]], text: str, modalities: set[str]) -> None:
    """Every unit of a sentence carries the modalities the sentence names."""
    units = read(text)
    assert units
    assert all(unit.modalities == modalities for unit in units)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Evaluation is limited by patient rotation.", "limitation"),
        ("Portable technique.", "limitation"),
    ],
)
def test_findings_about_the_examination(read: Callable[[str], tuple[ClinicalUnit, ...]], text: str, kind: str) -> None:
    """A finding about the picture keeps its name and is administrative."""
    units = read(text)
    assert units
    assert all(unit.canonical_finding and unit.administrative == kind for unit in units)


def test_an_administrative_clause_is_told_by_its_words(read: Callable[[str], tuple[ClinicalUnit, ...]]) -> None:
    """The clause without what joins it to the finding, and the finding without the clause."""
    finding, advice = read("There is a nodule, and a follow-up CT is recommended.")
    assert (finding.span_text, finding.administrative) == ("nodule", "")
    assert (advice.span_text, advice.administrative) == ("a follow-up CT is recommended.", "recommendation")
    assert not advice.is_unread
    assert not advice.asserts_finding


@pytest.mark.parametrize(
    ("text", "finding", "modifiers"),
    [
        ("Two nodules in the left lung.", "lung_nodule", {"two"}),
        ("A few subcentimeter nodules.", "lung_nodule", {"few", "subcentimeter"}),
        ("Several calcified granulomas.", "granuloma", {"several"}),
        ("Single view. Left nodule.", "lung_nodule", set()),
        ("Patchy opacity in the left lung base.", "lung_opacity", {"patchy"}),
        ("Displaced right clavicle fracture.", "clavicle_fracture", {"displaced"}),
        ("Small chronic right effusion.", "pleural_effusion", {"chronic"}),
        ("Multiple calcified granulomas.", "granuloma", {"multiple"}),
        ("Dual lead pacemaker.", "pacemaker", set()),
    ],
)
def test_modifiers(
    read: Callable[[str], tuple[ClinicalUnit, ...]], text: str, finding: str, modifiers: set[str]
) -> None:
    """Words that describe a finding are its modifiers, unless they are part of its name."""
    (unit,) = [u for u in read(text) if u.canonical_finding == finding]
    assert unit.modifiers == modifiers


def test_a_device_has_a_state(read: Callable[[str], tuple[ClinicalUnit, ...]]) -> None:
    """A state a modifier tells of a device is its status; findings have none."""
    (tube,) = read("The feeding tube is kinked.")
    assert (tube.device, tube.device_status) == ("enteric_tube", "kinked")
    (effusion,) = read("Left effusion.")
    assert (effusion.device, effusion.device_status) == (None, None)
