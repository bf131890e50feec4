"""The embedded recognizer: what a report's units name, typed as RaTEScore types them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.units._phrases import Phrasing
from overread.adapters.reader.units._recognizer import UnitEntityRecognizer
from overread.adapters.reader.units._scheme import load_scheme
from overread.adapters.reader.units.plugin import overread_recognizers
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.findings.meaning import Likeness
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.plugins.specs import NoOptions
from overread.studies.application.synthesis.invented import Style
from overread.studies.bootstrap.synthesis import synthetic_pairs
from overread.testing import FakeComponents, FakeExtractor

from ....credible_texts import credible_texts

AB, AN, DI = EntityType.ABNORMALITY, EntityType.ANATOMY, EntityType.DISEASE
NA, ND = EntityType.NON_ABNORMALITY, EntityType.NON_DISEASE


@pytest.fixture(scope="module")
def recognizer(shipped_reader: MedspacyUnitExtractor) -> UnitEntityRecognizer:
    return UnitEntityRecognizer(shipped_reader, load_knowledge())


def entities(recognizer: UnitEntityRecognizer, text: str) -> tuple[Entity, ...]:
    (found,) = recognizer.recognize([Report(text)])
    assert not isinstance(found, Unscored)
    return found


def pairs(recognizer: UnitEntityRecognizer, text: str) -> list[tuple[str, EntityType]]:
    """The report's own words of each entity, and its type."""
    return [(" ".join(text[e.start : e.end].split()), e.type) for e in entities(recognizer, text)]


FINDINGS = [
    ("A small right pleural effusion is seen.", [("small right pleural effusion", AB)]),
    ("No effusion or pneumothorax.", [("effusion", NA), ("pneumothorax", NA)]),
    ("Atelectasis at the left base.", [("Atelectasis", AB), ("left base", AN)]),
    ("Hazy opacity in the right upper lobe, possible pneumonia.", [
        ("Hazy opacity", AB), ("right upper lobe", AN), ("pneumonia", DI),
    ]),
    ("There is no evidence of pneumonia.", [("pneumonia", ND)]),
    ("Left apical pneumothorax.", [("Left apical", AN), ("pneumothorax", AB)]),
    ("Effusion is seen on the left.", [("Effusion", AB)]),
    ("The effusion is moderate.", [("effusion", AB)]),
    ("Pneumonia is stable in the left lower lobe.", [("Pneumonia", DI), ("left lower lobe", AN)]),
    ("New consolidation in the lingula.", [("New consolidation", AB), ("lingula", AN)]),
    ("Right basal atelectasis has resolved.", [("Right basal", AN), ("atelectasis", NA)]),
    ("Effusions, moderate right and small left.", [
        ("Effusions", AB), ("small left", AB),
    ]),
    ("Mediastinal lymphadenopathy.", [("Mediastinal lymphadenopathy", DI)]),
    ("Emphysema with a large bulla in the left upper lobe.", [
        ("Emphysema", DI), ("large bulla", AB), ("left upper lobe", AN),
    ]),
]  # fmt: skip
STATEMENTS = [
    ("The lungs are clear.", [("lungs", AN), ("clear", NA)]),
    ("Clear lungs.", [("Clear", NA), ("lungs", AN)]),
    ("Lungs: Clear.", [("Lungs", AN), ("Clear", NA)]),
    ("Heart is normal in size.", [("Heart", AN), ("normal in size", NA)]),
    ("Cardiac silhouette within normal limits.", [("Cardiac silhouette", AN), ("within normal limits", NA)]),
    ("Heart, mediastinum and hila are normal.", [
        ("Heart", AN), ("mediastinum", AN), ("hila", AN), ("normal", NA),
    ]),
    ("The heart is moderately enlarged.", [("heart", AN), ("moderately enlarged", AB)]),
    ("The heart is not enlarged.", [("heart", AN), ("enlarged", NA)]),
    ("The lungs are not clear.", [("lungs", AN), ("not clear", AB)]),
    ("No acute cardiopulmonary process.", [("acute cardiopulmonary process", NA)]),
    ("Stable cardiomediastinal silhouette.", [("Stable cardiomediastinal silhouette", NA)]),
]  # fmt: skip
DEVICES = [
    ("A Foley catheter is in situ.", [("Foley catheter", AN), ("in situ", NA)]),
    ("A Foley catheter is not in place.", [("Foley catheter", AN), ("not in place", AB)]),
    ("The right chest tube is kinked.", [("right chest tube", AN), ("kinked", AB)]),
    ("Sternotomy wires are intact.", [("Sternotomy wires", AN), ("intact", NA)]),
    ("The endotracheal tube ends above the carina.", [("endotracheal tube", AN), ("carina", AN)]),
    ("The chest tube has been removed.", [("chest tube", NA)]),
    ("No pacemaker.", [("pacemaker", NA)]),
]
SILENT = [
    "History of tuberculosis.",
    "CT of the chest is recommended.",
    "Mother has lung cancer.",
    "The examination was compared with films of last year.",
    "",
    "   \n",
]


@pytest.mark.parametrize(("text", "expected"), [*FINDINGS, *STATEMENTS, *DEVICES])
def test_names_and_types_of_sentences(
    recognizer: UnitEntityRecognizer, text: str, expected: list[tuple[str, EntityType]]
) -> None:
    """Findings keep their describing words, statements part into anatomy and what is said of it."""
    assert pairs(recognizer, text) == expected


@pytest.mark.parametrize("text", SILENT)
def test_the_past_other_people_and_administration_have_no_entity(recognizer: UnitEntityRecognizer, text: str) -> None:
    """What is not about the patient now is not compared."""
    assert pairs(recognizer, text) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Small left effusion.", "There is a left pleural effusion, which is small."),
        ("Unchanged small left effusion.", "Small left pleural effusion, unchanged."),
        ("Clear lungs.", "The lungs are clear."),
        ("Heart is normal in size.", "Normal heart size."),
        ("Pneumonia in the right lower lobe.", "Right lower lobe pneumonia."),
        ("The ETT is 4 cm above the carina.", "Endotracheal tube 4 cm above the carina."),
    ],
)
def test_the_same_said_otherwise_has_the_same_names(recognizer: UnitEntityRecognizer, one: str, other: str) -> None:
    """Names are built from units, so that wording falls away."""
    names = [sorted((e.text, e.type) for e in entities(recognizer, text)) for text in (one, other)]
    assert names[0] == names[1] != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Small left effusion.", "Small right effusion."),
        ("Small left effusion.", "Large left effusion."),
        ("Small left effusion.", "New small left effusion."),
        ("Right lower lobe pneumonia.", "Right upper lobe pneumonia."),
        ("Right lower lobe pneumonia.", "Left lower lobe pneumonia."),
    ],
)
def test_another_side_degree_change_or_place_has_another_name(
    recognizer: UnitEntityRecognizer, one: str, other: str
) -> None:
    """An encoder sees no difference that a name does not hold."""
    names = [sorted(e.text for e in entities(recognizer, text)) for text in (one, other)]
    assert names[0] != names[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The heart is enlarged.", "Cardiomegaly."),
        ("The bones are intact.", "No acute osseous abnormality."),
        ("The ETT is in place.", "The endotracheal tube is in situ."),
        ("The spleen is mildly enlarged.", "Mild splenomegaly."),
    ],
)
def test_what_is_cut_otherwise_is_borne_out_all_the_same(
    recognizer: UnitEntityRecognizer, one: str, other: str
) -> None:
    """Each entity of either sentence has one in the other that means it, or nearly."""
    lexicon = recognizer.traits.meaning_lexicon
    assert lexicon is not None
    likeness = Likeness(lexicon)
    first, second = ([e.meaning for e in entities(recognizer, text)] for text in (one, other))
    unalike = np.zeros((len(first), len(second)))
    assert likeness.between(first, second, unalike).max(axis=1).min() > 0.95
    assert likeness.between(second, first, unalike.T).max(axis=1).min() > 0.95


def test_every_entity_of_generated_reports_has_a_meaning(recognizer: UnitEntityRecognizer) -> None:
    """Names that are embedded hold no side: meanings tell it."""
    for text in credible_texts(120, seed=11):
        for entity in entities(recognizer, text):
            assert entity.meaning is not None
            assert not {"left", "right"} & set(entity.embedded.split()) or entity.meaning.labels is not None


def test_entities_point_into_the_report_as_given(recognizer: UnitEntityRecognizer) -> None:
    """Offsets hold the report's words, names are the lexicon's."""
    text = "FINDINGS:\n  There is a small  left\npleural effusion. Lungs clear."
    assert [(text[e.start : e.end], e.text) for e in entities(recognizer, text)] == [
        ("small  left\npleural effusion", "mild left pleural effusion"),
        ("Lungs", "lung"),
        ("clear", "normal"),
    ]


def test_line_ends_of_other_systems_change_no_entity(recognizer: UnitEntityRecognizer) -> None:
    """A name broken over two lines is found at its place whatever ends the line."""
    text = "There is a small pleural\r\neffusion. No pneumo-\r\nthorax."
    found = entities(recognizer, text)
    assert [(" ".join(text[e.start : e.end].split()), e.type) for e in found] == pairs(
        recognizer, text.replace("\r\n", "\n")
    )
    assert text[found[0].start : found[0].end] == "small pleural\r\neffusion"


def test_repeated_findings_are_repeated_entities_in_reading_order(recognizer: UnitEntityRecognizer) -> None:
    """The score counts each mention."""
    found = pairs(recognizer, "Cardiomegaly. No effusion. Cardiomegaly.")
    assert found == [("Cardiomegaly", AB), ("effusion", NA), ("Cardiomegaly", AB)]


def test_entities_of_generated_reports_lie_in_order_inside_the_report(recognizer: UnitEntityRecognizer) -> None:
    """Spans are in order, never overlap, and hold the words of the entity."""
    count = 0
    for text in credible_texts(120, seed=11):
        end = 0
        for entity in entities(recognizer, text):
            words = " ".join(text[entity.start : entity.end].split())
            assert end <= entity.start < entity.end <= len(text)
            assert words
            assert entity.text.strip()
            end, count = entity.end, count + 1
    assert count > 500


def test_white_space_changes_no_entity(recognizer: UnitEntityRecognizer) -> None:
    """Blank lines around a report tell nothing, nor do spaces within one of its lines, where breaks part sentences."""
    for text in credible_texts(120, seed=11):
        assert pairs(recognizer, f"\n\n  {text} \n\n") == pairs(recognizer, text)
        line = max(text.split("\n"), key=len)
        assert pairs(recognizer, line)
        assert pairs(recognizer, re.sub(r"(?<=\w) (?=\w)", " \t ", line)) == pairs(recognizer, line)


_HEDGES = re.compile(r"\b(?:possible|probable|questionable|likely|suspected)\s+", re.IGNORECASE)
_ASSERTED = (
    re.compile(r"^There (?:is|are) (?:an? )?(?!no\b)(.+)\.$"),
    re.compile(r"^(?:An? )?(?!No\b)(.+?) (?:is|are) (?:seen|present|noted)\.$"),
)


def negated() -> Iterator[tuple[str, str]]:
    """Generated reports with one sentence that asserts a finding or device, and with its denial in its place."""
    for pair in synthetic_pairs(seed=23, studies=150, candidates_per_study=1, style=Style.PROSE):
        sentences = re.split(r"(?<=\.) ", pair.reference)
        for at, sentence in enumerate(sentences):
            found = next(filter(None, (pattern.match(sentence) for pattern in _ASSERTED)), None)
            if found:
                named = _HEDGES.sub("", found[1])
                named = named[0].lower() + named[1:]
                before, after = sentences[:at], sentences[at + 1 :]
                yield (
                    " ".join([*before, f"There is {named}.", *after]),
                    " ".join([*before, f"There is no {named}.", *after]),
                )


def test_denying_a_finding_turns_its_type(recognizer: UnitEntityRecognizer) -> None:
    """In 97 % of the reports or more every entity keeps its name, and what the sentence asserted is now denied."""
    reports = list(negated())
    turned = 0
    for asserting, denying in reports:
        before, after = pairs(recognizer, asserting), pairs(recognizer, denying)
        changed = [(a, b) for (_, a), (_, b) in zip(before, after, strict=False) if a is not b]
        kept = [name.lower() for name, _ in before] == [name.lower() for name, _ in after]
        turned += kept and bool(changed) and all(a.polarity >= 0 > b.polarity for a, b in changed)
    assert len(reports) > 200
    assert turned >= 0.97 * len(reports)


def test_what_cannot_be_read_is_passed_on(recognizer: UnitEntityRecognizer) -> None:
    """Each report has its own outcome in its own place."""
    found = recognizer.recognize([Report("No effusion."), Report("Cardiomegaly\x00"), Report("")])
    assert isinstance(found[1], Unscored)
    assert found[2] == ()
    assert not isinstance(found[0], Unscored)
    assert [entity.text for entity in found[0]] == ["pleural effusion"]


def test_every_listed_finding_is_in_the_lexicon() -> None:
    """A mistyped id would leave a disease an abnormality."""
    assert list(load_scheme().unknown(load_knowledge().lexicon)) == []


@pytest.mark.parametrize(
    ("concept", "expected"),
    [
        ("pneumonia", DI),
        ("necrotizing_pneumonia", DI),
        ("asthma", DI),
        ("bulla", AB),
        ("pleural_effusion", AB),
        ("empyema", DI),
        ("fracture", AB),
        ("cardiac_silhouette_unchanged", NA),
    ],
)
def test_a_kind_of_a_disease_is_one_unless_listed_otherwise(concept: str, expected: EntityType) -> None:
    """The lexicon's parents spare a list of every disease."""
    assert load_scheme().type_of(concept, load_knowledge().lexicon, denied=False) is expected


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("no radiographic evidence of active disease", "active disease"),
        ("negative for fracture", "fracture"),
        ("not enlarged", "enlarged"),
        ("normal in size", "normal in size"),
    ],
)
def test_what_a_denial_denies(text: str, rest: str) -> None:
    """The name of a denied finding is the finding."""
    words = text.split()
    start, end = Phrasing(load_knowledge().grammar.naming).strip_denial(words, (0, len(words)))
    assert " ".join(words[start:end]) == rest


def test_identity_names_the_extractor_and_the_scheme(
    recognizer: UnitEntityRecognizer, shipped_reader: MedspacyUnitExtractor
) -> None:
    """Both change entities; the note says what they stand in for."""
    assert recognizer.identity == f"units@1.0,{shipped_reader.identity},diseases={load_scheme().digest}"
    assert "RaTE-NER-DeBERTa" in recognizer.note


def test_the_lexicon_is_named_where_the_extractor_does_not(recognizer: UnitEntityRecognizer) -> None:
    """Another extractor's units are still marked with the lexicon's terms."""
    knowledge = load_knowledge()
    other = UnitEntityRecognizer(FakeExtractor(), knowledge)
    assert f"lexicon={knowledge.digest}" in other.identity
    assert recognizer.identity.count("lexicon=") == 1


def test_the_plugin_builds_it_over_the_chosen_extractor(
    recognizer: UnitEntityRecognizer, shipped_reader: MedspacyUnitExtractor
) -> None:
    """Another extractor makes another recognizer."""
    (spec,) = overread_recognizers()
    built = spec.factory(NoOptions(), FakeComponents({"extractor": shipped_reader}))
    assert spec.name == "units"
    assert built.identity == recognizer.identity
