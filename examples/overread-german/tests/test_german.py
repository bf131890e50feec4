"""The German extractor: it conforms, and reads the sentences that it was written with and others."""

import json
from collections import Counter
from pathlib import Path

import pytest
from overread.domain.findings.unit import Change, ClinicalUnit, Temporality
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.testing import check_extractor

from overread_german._reader import GermanExtractor
from overread_german._words import load_words
from overread_german.plugin import GERMAN

Reading = tuple[str, str, tuple[str, ...]]
"""Finding, what is said of it, and its sides."""


@pytest.fixture(scope="module")
def german() -> GermanExtractor:
    return GermanExtractor(load_words())


def _read(german: GermanExtractor, text: str) -> tuple[ClinicalUnit, ...]:
    (units,) = german.extract([Report(text)])
    assert not isinstance(units, Unscored)
    return units


def _reading(unit: ClinicalUnit) -> Reading:
    said = unit.polarity.value
    if unit.denies:
        said = "normal"
    elif unit.temporality is Temporality.HISTORICAL:
        said = "historical"
    return unit.canonical_finding, said, tuple(sorted(unit.anatomy & {"left", "right"}))


def _counts(german: GermanExtractor, file: str) -> tuple[int, int, int]:
    """Readings that are right, wrong, and missed, over the sentences of a file."""
    right = wrong = missed = 0
    for line in (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        read = Counter(_reading(unit) for unit in _read(german, row["text"]) if unit.canonical_finding)
        labelled = Counter((finding, said, tuple(sides)) for finding, said, sides in row["read"])
        right += (read & labelled).total()
        wrong += (read - labelled).total()
        missed += (labelled - read).total()
    return right, wrong, missed


def test_it_conforms() -> None:
    """Units in reading order that quote the report, none for a blank one, the same every time."""
    check_extractor(GERMAN)


def test_it_reads_the_sentences_that_its_words_were_written_with(german: GermanExtractor) -> None:
    """Finding, polarity and sides of all 57 statements in fifty sentences: precision and recall 1."""
    assert _counts(german, "sentences.jsonl") == (57, 0, 0)


def test_of_sentences_that_it_does_not_know_it_reads_two_thirds(german: GermanExtractor) -> None:
    """Written and labelled once the words stood, and read once: precision 23/25, recall 23/35. It is left at that."""
    assert _counts(german, "held_out.jsonl") == (23, 2, 12)


def test_it_reads_degree_change_size_and_place(german: GermanExtractor) -> None:
    """Each from the clause that names the finding."""
    effusion, nodule = _read(german, "Zunehmender, mäßiger Pleuraerguss links basal. Rundherd rechts, 1,2 cm.")
    assert (effusion.severity, effusion.anatomy) == ("moderate", {"left", "base"})
    assert [size.millimetres for size in nodule.measurements] == [12.0]
    (stable,) = _read(german, "Unveraenderte Verschattung.")
    assert stable.change is Change.STABLE


def test_headings_name_sections_and_the_indication_is_not_read(german: GermanExtractor) -> None:
    """What is asked for is no finding."""
    units = _read(
        german, "Klinische Angaben: Pneumothorax?\nBefund: Kein Erguss. Aufnahme im Liegen.\nBeurteilung: Pneu."
    )
    assert [(unit.section, unit.canonical_finding, unit.administrative) for unit in units] == [
        ("Befund", "pleural_effusion", ""),
        ("Befund", "", "technique"),
        ("Beurteilung", "pneumothorax", ""),
    ]


@pytest.mark.parametrize("text", ["Ein Satz ohne Befund.", "Z. n. bds. Drainage re. vor ca. 2 Tagen."])
def test_every_unit_quotes_the_report(german: GermanExtractor, text: str) -> None:
    """Offsets are into the report as it was given."""
    assert all(text[unit.start : unit.end] == unit.span_text for unit in _read(german, text))
