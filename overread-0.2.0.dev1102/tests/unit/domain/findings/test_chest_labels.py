"""Observations of units by a small table, worked out by hand."""

from __future__ import annotations

import pytest

from overread.domain.findings.chest_labels import LabelTable, f1, with_no_finding
from overread.domain.findings.unit import Certainty, ClinicalUnit, Polarity, Temporality

from ..clinical import LEXICON

TABLE = LabelTable(
    {
        "lung_opacity": ["opacity"],
        "consolidation": ["consolidation"],
        "pneumothorax": ["pneumothorax"],
        "pleural_effusion": ["effusion"],
        "edema": ["edema", "congestion"],
    }
)


def unit(finding: str = "", **more: object) -> ClinicalUnit:
    return ClinicalUnit(span_text="x", start=0, end=1, canonical_finding=finding, **more)  # type: ignore[arg-type]


def read(*units: ClinicalUnit) -> dict[str, str]:
    return {label: polarity.value for label, polarity in TABLE.read(units, LEXICON).items()}


def test_a_finding_has_the_nearest_label() -> None:
    """A lobar consolidation is an opacity, too, but its label is consolidation; an atelectasis has the broader one."""
    assert read(unit("lobar_consolidation")) == {"consolidation": "present"}
    assert read(unit("atelectasis")) == {"lung_opacity": "present"}


def test_a_finding_of_two_kinds_has_both_labels() -> None:
    """A hydropneumothorax is a pneumothorax and an effusion."""
    assert read(unit("hydropneumothorax")) == {"pneumothorax": "present", "pleural_effusion": "present"}


def test_doubt_and_denial() -> None:
    """Doubt in any form makes a label uncertain; a denial makes absent what it denies, and there is no finding."""
    for doubt in ({"polarity": Polarity.UNCERTAIN}, {"certainty": Certainty.POSSIBLE}):
        assert read(unit("edema", **doubt)) == {"edema": "uncertain"}
    assert read(unit("opacity", polarity=Polarity.ABSENT)) == {
        "lung_opacity": "absent",
        "consolidation": "absent",
        "no_finding": "present",
    }


def test_the_strongest_statement_counts() -> None:
    """Present before uncertain before absent, in whatever order a report says them."""
    said = [unit("edema", polarity=Polarity.ABSENT), unit("congestion"), unit("edema", polarity=Polarity.UNCERTAIN)]
    assert read(*said) == read(*reversed(said)) == {"edema": "present"}


def test_the_past_makes_nothing() -> None:
    """What was once there is no label now; the report has a statement, and no finding."""
    assert read(unit("edema", temporality=Temporality.HISTORICAL)) == {"no_finding": "present"}


def test_a_report_without_a_statement_names_nothing() -> None:
    """Silence does not say that there is no finding."""
    assert read() == {}
    assert read(unit(administrative="technique")) == {}
    assert read(unit("")) == {}, "a sentence that no rule covers"


def test_what_asks_for_action_is_a_finding() -> None:
    """Also where CheXpert has no label for it; what does not ask for any leaves no finding."""
    assert read(unit("nodule")) == {}
    assert read(unit("small_nodule")) == {"no_finding": "present"}


def test_devices_are_no_finding() -> None:
    """A tube alone leaves the examination without a finding."""
    assert with_no_finding({"support_devices": Polarity.PRESENT}) == {
        "support_devices": Polarity.PRESENT,
        "no_finding": Polarity.PRESENT,
    }
    assert "no_finding" not in with_no_finding({"edema": Polarity.UNCERTAIN})


def test_f1_of_counts() -> None:
    """Two hits, one false and one missed: 4 of 6."""
    assert f1(2, 1, 1) == pytest.approx(2 / 3)
    assert f1(0, 1, 0) == 0.0
