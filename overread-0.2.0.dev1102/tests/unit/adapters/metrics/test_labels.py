"""The shipped table of labels over the shipped lexicon, and tables of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.metrics.labels.tables import load_labels
from overread.domain.findings.chest_labels import LABELS
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit
from overread.exceptions import ConfigurationError

LABEL_OF = {
    "lung_nodule": ["lung_lesion"],
    "lobar_collapse": ["atelectasis"],
    "aspiration": ["pneumonia"],
    "airspace_opacity": ["lung_opacity"],
    "picc": ["no_finding", "support_devices"],
    "right_mainstem_intubation": ["support_devices"],
    "empyema": ["pleural_effusion"],
    "hydropneumothorax": ["pleural_effusion", "pneumothorax"],
    "pleural_plaque": ["pleural_other"],
    "rib_fracture": ["fracture"],
    "heart_failure": ["edema"],
    "left_atrial_enlargement": ["cardiomegaly"],
    "mediastinal_widening": ["enlarged_cardiomediastinum"],
    "hiatal_hernia": ["no_finding"],
    "pulmonary_embolism": [],
}


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_knowledge(None).lexicon


@pytest.mark.parametrize("finding", LABEL_OF)
def test_the_label_of_a_finding(lexicon: Lexicon, finding: str) -> None:
    """As a radiologist files it; what is none of CheXpert's leaves no finding, unless it asks for action."""
    table, _ = load_labels(None, lexicon)
    found = table.read([ClinicalUnit(span_text="x", start=0, end=1, canonical_finding=finding)], lexicon)
    assert sorted(found) == LABEL_OF[finding]


def test_every_label_has_findings(lexicon: Lexicon) -> None:
    """Thirteen of them; the last follows from the others."""
    table, identity = load_labels(None, lexicon)
    assert tuple(table.findings) == LABELS[:-1]
    assert identity.startswith("chexpert#")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[findings", "cannot be read"),
        ("labels = 3", r"must have \[findings\]"),
        ('[findings]\ngoitre = ["edema"]', "'goitre' is not a label"),
        ('[findings]\nno_finding = ["edema"]', "'no_finding' is not a label"),
        ('[findings]\nedema = ["oedema_of_the_moon"]', "no finding 'oedema_of_the_moon'"),
    ],
)
def test_a_table_that_is_none(lexicon: Lexicon, tmp_path: Path, text: str, message: str) -> None:
    """The error says what is wrong with it."""
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        load_labels(path, lexicon)
