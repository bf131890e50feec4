"""The extractor: offsets, sections, refusals, and independence of order and cache."""

from __future__ import annotations

import random
from collections import Counter, OrderedDict
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import VERSION, MedspacyOptions
from overread.adapters.reader.medspacy.plugin import overread_extractors
from overread.adapters.reader.medspacy.sizes import measurements
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.infrastructure.samples import sample_pairs

from .....credible_texts import credible_statements

Read = Callable[[str], tuple[ClinicalUnit, ...]]

SENTENCES = [
    "The heart is mildly enlarged.",
    "No pneumothorax, effusion, or consolidation.",
    "A 12 mm nodule is seen in the right upper lobe.",
    "Left pleural effusion has increased since the prior study.",
    "Right PICC tip in the superior vena cava.",
    "There may be pneumonia at the left base.",
    "Effusion in the right base and left pneumothorax.",
    "Lungs are clear without XXXX opacity.",
    "Old healed rib fractures on the left.",
    "Please correlate with the clinical picture.",
]
TEXTS = st.lists(
    st.sampled_from(
        [*SENTENCES, "FINDINGS:", "INDICATION: cough.", "\n", "\n\n", "- ", "no", "small left", "1. ", "Ménière"]
    ),
    max_size=12,
).flatmap(lambda parts: st.sampled_from([" ".join(parts), "\n".join(parts)]))


def _within(text: str, units: tuple[ClinicalUnit, ...]) -> None:
    last = 0
    for unit in units:
        assert last <= unit.start
        last = unit.end
        assert 0 <= unit.start < unit.end <= len(text)
        assert unit.span_text == text[unit.start : unit.end]
        assert not unit.canonical_finding or unit.surface_finding in unit.span_text


@settings(deadline=None)
@given(TEXTS)
def test_units_point_into_the_report(read: Read, text: str) -> None:
    """A unit's words are the report's own at its offsets, with its finding among them; no two units share a word."""
    _within(text, read(text))


def test_units_of_the_samples_point_into_the_report(read: Read) -> None:
    """The same over whole sample reports."""
    for sample in sample_pairs():
        for report in (sample.pair.reference, sample.pair.candidate):
            units = read(report.text)
            _within(report.text, units)
            assert bool(units) is not report.is_blank


@settings(deadline=None)
@given(credible_statements(), st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(read: Read, sentences: list[str], order: random.Random) -> None:
    """Sentences shuffled, one a line, hold the same units but for where they stand."""
    shuffled = list(sentences)
    order.shuffle(shuffled)

    def units(lines: list[str]) -> Counter[ClinicalUnit]:
        found = read("\n".join(lines))
        return Counter(evolve(u, start=0, end=0, sentence_index=0) for u in found)

    assert units(shuffled) == units(sentences)


def test_sentences_are_numbered_and_sections_named(read: Read) -> None:
    """Sections that are not compared count for nothing."""
    units = read("HISTORY: cough. FINDINGS: Left effusion. No pneumothorax. IMPRESSION: Left effusion.")
    assert [(u.canonical_finding, u.section, u.sentence_index) for u in units] == [
        ("pleural_effusion", "findings", 0),
        ("pneumothorax", "findings", 1),
        ("pleural_effusion", "impression", 2),
    ]


@pytest.mark.parametrize("text", ["", " \n\t", "...", "12.", "- \n- "])
def test_a_report_without_words_has_no_units(read: Read, text: str) -> None:
    """Nothing is read into nothing."""
    assert read(text) == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("No\x00effusion.", "control characters"),
        ("no effusion. " * 10_000, "too long"),
        ("Das Herz ist nicht vergrößert und es gibt keine Ergüsse, der Befund ist normal.", "language"),
    ],
)
def test_refusals(extractor: MedspacyUnitExtractor, text: str, reason: str) -> None:
    """What cannot be read is told with its reason, without the text, and does not stop the others."""
    refused, units = extractor.extract([Report(text), Report("Left effusion.")])
    assert isinstance(refused, Unscored)
    assert refused.reason == reason
    assert "Herz" not in refused.detail
    assert isinstance(units, tuple)
    assert len(units) == 1


def test_a_small_cache_changes_nothing(extractor: MedspacyUnitExtractor) -> None:
    """A sentence or a report read again, remembered or forgotten, gives the same units."""
    options = MedspacyOptions(sentence_cache=1, report_cache=1)
    forgetful = evolve(extractor, options=options, sentences=OrderedDict(), reports=OrderedDict())
    reports = [Report(sentence) for sentence in (*SENTENCES, *SENTENCES)]
    assert forgetful.extract(reports) == extractor.extract(reports)
    assert len(forgetful._sentences) == len(forgetful._reports) == 1


def test_identity_names_version_and_lexicon(extractor: MedspacyUnitExtractor) -> None:
    """Results tell which reader and lexicon they came from."""
    assert extractor.identity == f"medspacy@{VERSION},lexicon={load_knowledge().digest}"


def test_a_lexicon_of_ones_own(extractor: MedspacyUnitExtractor, tmp_path: Path) -> None:
    """The options name a folder, and its findings are read."""
    with as_file(files("overread.adapters.lexicon") / "data") as data:
        folder = tmp_path / "lexicon"
        for source in data.rglob("*.toml"):
            target = folder / source.relative_to(data)
            target.parent.mkdir(parents=True, exist_ok=True)
            is_finding = source.parent.name == "findings"
            target.write_text("" if is_finding else source.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "findings/lung.toml").write_text(
        '[[finding]]\nid = "zebra"\nname = "zebra"\ncategory = "lung"\nimportance = "urgent"\nterms = ["zebra"]\n',
        encoding="utf-8",
    )
    (spec,) = overread_extractors()
    own = MedspacyUnitExtractor.create(spec.options(lexicon=str(folder)))
    units = own.extract([Report("No left zebras and no effusion.")])[0]
    assert isinstance(units, tuple)
    assert [(u.canonical_finding, u.polarity) for u in units] == [("zebra", "absent")]
    assert own.identity != extractor.identity


@pytest.mark.parametrize(
    ("text", "millimetres"),
    [
        ("a 2.5 x 1 cm mass", [25.0, 10.0]),
        ("3 by 4 by 5 mm", [3.0, 4.0, 5.0]),
        ("1,5 cm", [15.0]),
        ("12-mm", [12.0]),
        ("2 × 3 cm", [20.0, 30.0]),
        ("5 to 7 mm", [5.0, 7.0]),
        ("2 centimetres and 4 millimeters", [20.0, 4.0]),
        ("2 CM", [20.0]),
        ("5 mmol, 3 cmH2O, 6th rib, T8, 4 days", []),
    ],
)
def test_measurements(text: str, millimetres: list[float]) -> None:
    """Sizes in centimetres and millimetres, each value of a product on its own; other numbers are no sizes."""
    assert [size.millimetres for size, _ in measurements(text)] == millimetres


@given(st.lists(st.integers(1, 990), min_size=1, max_size=3), st.sampled_from(["mm", "cm"]))
def test_measurements_keep_value_and_place(tenths: list[int], unit: str) -> None:
    """The value is as written, the length in millimetres, the offset that of the first value."""
    lead, values = "nodule of ", [tenth / 10 for tenth in tenths]
    found = measurements(lead + " x ".join(map(str, values)) + f" {unit}.")
    scale = 10.0 if unit == "cm" else 1.0
    assert [(size.value, size.unit, at) for size, at in found] == [(value, unit, len(lead)) for value in values]
    assert [size.millimetres for size, _ in found] == pytest.approx([value * scale for value in values])


@pytest.mark.parametrize(
    "text",
    [
        "CHEST RADIOGRAPH. COMPARISON: None. There is a large right pneumothorax.",
        "CHEST. INDICATION: Cough. COMPARISON: None. Large right pneumothorax.",
        "Chest x-ray.\nINDICATION: Cough.\nThere is a large right pneumothorax.",
        "RECOMMENDATION: Thoracentesis. Large right pneumothorax.",
    ],
)
def test_without_a_heading_of_findings_context_is_one_sentence_long(read: Read, text: str) -> None:
    """What follows a heading of context is not swallowed where no heading says that findings begin."""
    assert [u.canonical_finding for u in read(text) if not u.administrative] == ["pneumothorax"]


def test_a_comma_parts_thousands_or_decimals() -> None:
    """Three digits behind it make thousands, fewer a fraction."""
    assert [m.millimetres for m, _ in measurements("1,200 mm and 1,2 cm")] == [1200.0, 12.0]
