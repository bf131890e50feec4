"""One convention for units, whoever reads: answers in the manner of Table IX give the units that the rules give."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from attrs import evolve

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.unit_parser._extractor import LlmUnitExtractor
from overread.application.asking.inquiry import Inquiry
from overread.application.metrics.notation import NotationMetric
from overread.application.ports import Request, UnitExtractor
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import Scored
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.testing import FakeLanguageModel

COMPARED = ("canonical_finding", "polarity", "denies", "certainty", "change", "device", "device_status", "severity")
SETS = ("anatomy", "modifiers", "measurements", "administrative", "temporality")


def told(span: str, finding: str, polarity: str = "present", **others: Any) -> Mapping[str, Any]:
    """An entry as a model of the paper's kind writes it: all fields, "definite" unless it hedges, null for none."""
    severity = others.pop("severity", None)
    return {
        "span_text": span,
        "canonical_finding": finding,
        "surface_finding": span.lower(),
        "polarity": polarity,
        "uncertainty": "definite",
        "comparison": None,
        "device": None,
        "attributes": {"severity": severity},
        "anatomy": [],
        "modifiers": [],
        "confidence": 0.95,
        **others,
    }


def place(canonical: str, surface: str) -> Mapping[str, str]:
    """A canonical label with its surface phrase."""
    return {"canonical": canonical, "surface": surface}


# Normal statements present (of what is normal) or absent (of what is not), by whatever name; degrees in free text; a
# device by name with its state among the modifiers; sides in one word.
SENTENCES: Mapping[str, list[Mapping[str, Any]]] = {
    "The lungs are clear.": [told("The lungs are clear", "clear lungs", anatomy=[place("lung", "lungs")])],
    "Heart size is normal.": [told("Heart size is normal", "heart size", severity="normal", anatomy=["heart"])],
    "Cardiac silhouette is not enlarged.": [told("Cardiac silhouette is not enlarged", "cardiomegaly", "absent")],
    "Mediastinal contours are unremarkable.": [
        told("Mediastinal contours are unremarkable", "mediastinal contour abnormality", "absent")
    ],
    "No acute osseous abnormality.": [
        told("No acute osseous abnormality", "acute osseous abnormality", "absent", modifiers=["acute"])
    ],
    "No pleural effusion or pneumothorax.": [
        told("No pleural effusion", "pleural effusion", "negative"),
        told("pneumothorax", "pneumothorax", "absent"),
    ],
    "Tiny bilateral pleural effusions, slightly larger.": [
        told(
            "Tiny bilateral pleural effusions, slightly larger",
            "pleural_effusion",
            comparison="increased",
            severity="tiny",
            anatomy=["bilateral"],
        )
    ],
    "Possible right basilar pneumonia.": [
        told("Possible right basilar pneumonia", "pneumonia", uncertainty="possible", anatomy=["right", "lung base"])
    ],
    "Mild to moderate left lower lobe atelectasis, unchanged.": [
        told(
            "Mild to moderate left lower lobe atelectasis, unchanged",
            "atelectasis",
            comparison="unchanged",
            severity="Mild-to-moderate",
            anatomy="left lower lobe",
        )
    ],
    "Borderline cardiomegaly.": [told("Borderline cardiomegaly", "enlarged heart", severity="borderline")],
    "Endotracheal tube is malpositioned.": [
        told("Endotracheal tube is malpositioned", "ETT", device="endotracheal tube", modifiers=["malpositioned"])
    ],
    "Right PICC in satisfactory position.": [
        told(
            "Right PICC in satisfactory position",
            "PICC",
            device="peripherally inserted central catheter",
            anatomy=["right"],
            modifiers=["satisfactory position"],
        )
    ],
    "Displaced right chest tube.": [
        told(
            "Displaced right chest tube", "chest tube", device="chest tube", anatomy=["right"], modifiers=["displaced"]
        )
    ],
    "The nasogastric tube has been removed.": [
        told(
            "nasogastric tube has been removed",
            "nasogastric tube",
            "absent",
            device="enteric tube",
            comparison="removed",
        )
    ],
}


@pytest.fixture(scope="module")
def rules(shipped_reader: MedspacyUnitExtractor) -> MedspacyUnitExtractor:
    return shipped_reader


@pytest.fixture(scope="module")
def model(shipped: LlmUnitExtractor) -> LlmUnitExtractor:
    """The shipped parser over a model that answers as Table IX has it."""

    def answer(request: Request) -> str:
        report = request.messages[-1].text.rpartition("<report>")[2]
        return json.dumps({"units": [unit for text, units in SENTENCES.items() if text in report for unit in units]})

    return evolve(shipped, inquiry=Inquiry(FakeLanguageModel(answer)))


def stated(extractor: UnitExtractor, text: str) -> list[dict[str, object]]:
    """What each unit states, wherever in the sentence its words begin."""
    (units,) = extractor.extract([Report(text)])
    assert isinstance(units, tuple)
    told = [{name: getattr(unit, name) for name in (*COMPARED, *SETS)} for unit in units]
    return sorted(told, key=lambda unit: str(unit["canonical_finding"]))


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_gives_the_same_units_by_rules_and_by_a_model(
    rules: MedspacyUnitExtractor, model: LlmUnitExtractor, text: str
) -> None:
    """In every attribute; only where a unit's words begin and end is left to the reader."""
    assert stated(model, text) == stated(rules, text)


def test_both_give_one_notation(rules: MedspacyUnitExtractor, model: LlmUnitExtractor) -> None:
    """Scores, discrepancies and what they weigh, with each sentence lost from, added to and told against the others."""
    texts = list(SENTENCES)
    whole = " ".join(texts)
    pairs = [
        ReportPair(id=f"{kind}{number}", reference=Report(reference), candidate=Report(candidate))
        for number, text in enumerate(texts)
        for kind, reference, candidate in (("lost", whole, whole.replace(text, "")), ("added", texts[0], text))
    ]

    def notation(extractor: UnitExtractor) -> list[tuple[float, list[tuple[object, ...]]]]:
        metric = Assembly(Catalogue.discover(), provided={"extractor": extractor, "second_reader": None}).metric(
            "notation"
        )
        assert isinstance(metric, NotationMetric)
        outcomes = [outcome for outcome in metric.evaluate(pairs) if isinstance(outcome, Scored)]
        assert len(outcomes) == len(pairs)
        return [
            (one.score, sorted((d.category, d.severity, d.weight or 0.0) for d in one.discrepancies))
            for one in outcomes
        ]

    assert notation(model) == notation(rules)


def test_findings_that_share_the_words_of_one_normal_statement_are_that_statement(
    shipped: LlmUnitExtractor, rules: MedspacyUnitExtractor
) -> None:
    """A model that lists what clear lungs deny, finding by finding, makes no more of it than the rules."""
    text = "The lungs are clear."
    units = [told("The lungs are clear", name, "absent") for name in ("consolidation", "atelectasis", "lung opacity")]
    listing = evolve(shipped, inquiry=Inquiry(FakeLanguageModel(lambda _: json.dumps({"units": units}))))
    assert stated(listing, text) == stated(rules, text)


def test_words_that_assert_are_no_normal_statement(shipped: LlmUnitExtractor) -> None:
    """A finding that a parser calls present stays one, whatever else its words deny."""
    text = "The lungs are clear."
    answer = json.dumps({"units": [told("The lungs are clear", "pneumonia")]})
    (units,) = evolve(shipped, inquiry=Inquiry(FakeLanguageModel(lambda _: answer))).extract([Report(text)])
    assert isinstance(units, tuple)
    (unit,) = units
    assert isinstance(unit, ClinicalUnit)
    assert (unit.canonical_finding, unit.denies_finding) == ("pneumonia", False)
