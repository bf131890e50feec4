"""What the reader says it has read."""

from __future__ import annotations

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.application.ports import CoverageReader
from overread.domain.differences.unread import Coverage, DetailKind, unread_differences
from overread.domain.reports.report import Report, Span


def _coverage(extractor: MedspacyUnitExtractor, text: str) -> Coverage:
    return extractor.coverage([Report(text)])[0]


def test_the_extractor_tells_its_coverage(extractor: MedspacyUnitExtractor) -> None:
    """The port is met."""
    assert isinstance(extractor, CoverageReader)


@pytest.mark.parametrize(
    "text",
    [
        "There is a small left pleural effusion, unchanged.",
        "FINDINGS: The heart is slightly larger than before. No pneumothorax.",
        "Frontal and lateral views of the chest.",
        "Small right pleural effusion. This is unchanged.",
        "TECHNIQUE:\nZorbly flimwidget kran.\n\nFINDINGS:\nNo effusion.",
        "XXXX XXXX. No effusion.",
        "",
        "1. 2.",
    ],
)
def test_what_units_account_for_is_read(extractor: MedspacyUnitExtractor, text: str) -> None:
    """Terms, attributes, cues, sentences about the report and what is carried to a finding; gaps are no words."""
    coverage = _coverage(extractor, text)
    assert [d.value for s in coverage.sentences for d in s.content.unread] == []
    assert coverage.share == pytest.approx(1.0)


def test_a_sentence_no_rule_covers_is_unread(extractor: MedspacyUnitExtractor) -> None:
    """All its content words are, its sides too, and nothing else is."""
    coverage = _coverage(extractor, "No effusion. The left zorb is a flimwidget of the kran.")
    assert coverage.unread_words == 4
    assert [(d.kind, d.value) for d in coverage.sentences[1].content.unread] == [
        (DetailKind.SIDE, "left"),
        (DetailKind.WORD, "zorb"),
        (DetailKind.WORD, "flimwidget"),
        (DetailKind.WORD, "kran"),
    ]


def test_the_rest_of_a_read_sentence_is_unread(extractor: MedspacyUnitExtractor) -> None:
    """Words that no match touched, and a number that belongs to no unit; places point into the report."""
    text = "Heart normal. Left pleural effusion with a zorb of 32 HU."
    sentence = _coverage(extractor, text).sentences[1]
    unread = sentence.content.unread
    assert [(d.kind, d.value) for d in unread] == [(DetailKind.WORD, "zorb"), (DetailKind.NUMBER, "hu")]
    assert [span.of(text) for span in sentence.spans(unread)] == ["zorb", "32 HU"]
    assert sentence.span == Span(14, len(text))


@pytest.mark.parametrize(
    ("written", "number", "unit"),
    [
        ("13.0 cm", 130.0, "mm"),
        ("13cm", 130.0, "mm"),
        ("-10 HU", -10.0, "hu"),
        ("45 degrees", 45.0, "degree"),
        ("45°", 45.0, "degree"),
        ("70 %", 70.0, "%"),
        ("2 L", 2000.0, "ml"),
        ("SUVmax 5.2", 5.2, "suv"),
        ("T-score of -2.6", -2.6, "tscore"),
        ("BI-RADS 4", 4.0, "birads"),
    ],
)
def test_numbers_with_units(extractor: MedspacyUnitExtractor, written: str, number: float, unit: str) -> None:
    """A number is counted in one unit however it is written; scales name themselves before it."""
    details = _coverage(extractor, f"The zorb has {written} of flimwidget.").sentences[0].content.details
    (detail,) = [d for d in details if d.kind is DetailKind.NUMBER]
    assert detail.value == unit
    assert detail.number == pytest.approx(number)


@pytest.mark.parametrize(
    ("reference", "candidate", "kinds"),
    [
        ("The zorb measures 13.0 cm.", "The zorb now measures 16.5 cm.", ["number"]),
        ("Thymic mass of 8 HU.", "Thymic mass of 32 HU.", ["number"]),
        ("The left zorb is a flimwidget.", "The right zorb is a flimwidget.", ["side"]),
        ("The left zorb flims the right kran.", "The right zorb flims the left kran.", ["side"]),
        ("The zorb is red.", "The zorb is blue.", ["word"]),
        ("Small left effusion, 12 mm.", "Small right effusion, 40 mm.", []),
    ],
)
def test_differences_of_two_reports(
    extractor: MedspacyUnitExtractor, reference: str, candidate: str, kinds: list[str]
) -> None:
    """What nobody could read is told as it differs; what was read is left to the units."""
    found = unread_differences(_coverage(extractor, reference), _coverage(extractor, candidate))
    assert [d.kind for d in found if not d.is_read] == kinds


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("Three acute left rib fractures.", (3.0, "fracture")),
        ("Fracture of 2 ribs.", (2.0, "rib")),
        ("A solitary pulmonary nodule.", (1.0, "nodule")),
        ("Fractures of ribs 5 and 6.", None),
        ("Two to three pulmonary nodules.", None),
        ("L3-4 disc bulges.", None),
        ("A nodule of 5 mm.", None),
        ("10² nodules.", None),
    ],
)
def test_numbers_of_things(extractor: MedspacyUnitExtractor, sentence: str, count: tuple[float, str] | None) -> None:
    """Read in words and digits; a name of a rib, a level, a range and a measurement count nothing."""
    details = [d for _, content in _coverage(extractor, sentence).placed for d in content.details]
    found = [(d.number, d.value) for d in details if d.kind is DetailKind.COUNT]
    assert found == ([] if count is None else [count])


def test_a_report_that_is_refused_has_no_coverage(extractor: MedspacyUnitExtractor) -> None:
    """Its reason is told by the extraction."""
    assert _coverage(extractor, "Kein Erguss, keine Infiltrate.") == Coverage()
