"""A parser's names in the lexicon's terms."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.unit_parser._answer import ParsedUnit
from overread.adapters.reader.unit_parser._naming import Naming
from overread.domain.findings.unit import Change, ClinicalUnit, Polarity
from overread.domain.reports.report import Span

LEXICON = load_knowledge().lexicon


@pytest.fixture(scope="module")
def naming() -> Naming:
    return Naming()


def named(naming: Naming, parsed: ParsedUnit) -> ClinicalUnit:
    text = parsed.span_text
    return naming.unit(parsed, text, Span(0, len(text)))


def parsed(label: str, polarity: Polarity = Polarity.PRESENT, words: str = "As seen.") -> ParsedUnit:
    return ParsedUnit(span_text=words, canonical_finding=label, polarity=polarity)


def test_what_the_lexicon_knows_keeps_its_id(naming: Naming) -> None:
    """By its id and by its name, as a finding asserted or a normal statement made."""
    for concept in (*LEXICON.findings, *LEXICON.normals):
        denies = frozenset(LEXICON.normals[concept].denies if concept in LEXICON.normals else ())
        for label in (concept, LEXICON.name(concept)):
            unit = named(naming, parsed(label))
            assert (unit.canonical_finding, unit.denies) == (concept, denies)


@pytest.mark.parametrize(
    ("label", "concept"),
    [
        ("pleural effusions", "pleural_effusion"),
        ("pulmonary oedema", "pulmonary_edema"),
        ("PTX", "pneumothorax"),
        ("airspace_disease", "airspace_opacity"),
        ("enlarged heart", "cardiomegaly"),
        ("normal cardiac silhouette", "heart_size_normal"),
        ("quux of the lung", "quux_of_the_lung"),
        ("effusion and pneumothorax", "effusion_and_pneumothorax"),
        ("Pleuraerguss", "pleuraerguss"),
    ],
)
def test_a_name_becomes_an_id_of_the_lexicon_or_stays_as_a_label(naming: Naming, label: str, concept: str) -> None:
    """A name of several findings is no name of one."""
    assert named(naming, parsed(label)).canonical_finding == concept


@pytest.mark.parametrize(
    ("label", "stated", "words", "polarity", "denies"),
    [
        ("pneumothorax", Polarity.ABSENT, "No pneumothorax.", Polarity.ABSENT, False),
        ("no pneumothorax", Polarity.PRESENT, "No pneumothorax.", Polarity.ABSENT, False),
        ("pneumothorax", Polarity.UNCERTAIN, "Pneumothorax?", Polarity.UNCERTAIN, False),
        ("clear lungs", Polarity.PRESENT, "Lungs are clear.", Polarity.ABSENT, True),
        ("clear lungs", Polarity.ABSENT, "Lungs are clear.", Polarity.ABSENT, True),
        ("clear lungs", Polarity.ABSENT, "Lungs are not clear.", Polarity.PRESENT, False),
        ("normal heart size", Polarity.ABSENT, "Heart size is not normal.", Polarity.PRESENT, False),
        ("no acute cardiopulmonary process", Polarity.ABSENT, "Not acute.", Polarity.ABSENT, True),
        ("acute cardiopulmonary process", Polarity.ABSENT, "Nothing acute.", Polarity.ABSENT, True),
    ],
)
def test_polarity_and_what_a_normal_statement_denies(
    naming: Naming, label: str, stated: Polarity, words: str, polarity: Polarity, *, denies: bool
) -> None:
    """Models state the polarity of the label or of the finding, and the words decide."""
    unit = named(naming, parsed(label, stated, words))
    assert (unit.polarity, bool(unit.denies)) == (polarity, denies)


def test_what_has_resolved_is_absent(naming: Naming) -> None:
    """A finding that has gone is no longer there."""
    unit = named(
        naming, ParsedUnit(span_text="x", canonical_finding="x", polarity=Polarity.PRESENT, comparison=Change.RESOLVED)
    )
    assert (unit.polarity, unit.change) == (Polarity.ABSENT, Change.RESOLVED)


def test_attributes_get_the_labels_of_the_lexicon(naming: Naming) -> None:
    """Places, degrees and appearances it does not know stay; the finding's own place is added, sizes are read."""
    unit = named(
        naming,
        ParsedUnit(
            span_text="A 12 mm thing",
            canonical_finding="pleural effusion",
            polarity=Polarity.PRESENT,
            severity="moderate-to-large",
            anatomy=frozenset({"left lower lobe", "bibasilar", "planum foo"}),
            modifiers=frozenset({"Loculated", "glowing"}),
        ),
    )
    assert unit.severity == "severe"
    assert unit.anatomy == {"left", "right", "lower_lobe", "base", "planum_foo", "pleura"}
    assert unit.modifiers == {"loculated", "glowing"}
    assert [size.millimetres for size in unit.measurements] == [12.0]
    assert (
        named(
            naming, ParsedUnit(span_text="x", canonical_finding="x", polarity=Polarity.PRESENT, severity="Odd")
        ).severity
        == "odd"
    )


def test_a_device_is_named_by_the_lexicon_with_its_state(naming: Naming) -> None:
    """The same tube has one name in both reports."""
    unit = named(
        naming,
        ParsedUnit(
            span_text="ETT too low",
            canonical_finding="wrong depth",
            polarity=Polarity.PRESENT,
            device="ET tube",
            modifiers=frozenset({"malpositioned"}),
        ),
    )
    assert (unit.canonical_finding, unit.device, unit.device_status) == (
        "endotracheal_tube",
        "endotracheal_tube",
        "malpositioned",
    )
