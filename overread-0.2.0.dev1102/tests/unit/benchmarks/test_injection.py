"""The benchmark that injects errors of known number into reports; its scripts are no package."""

import importlib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.reports.report import Report
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.result import Unscored
from overread.studies.application.synthesis.edits.rules import RuleInjector
from overread.studies.application.synthesis.injected.material import Material

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"

REPORT = (
    "FINDINGS: There is a {size} {side} pleural effusion. The lungs show no other change. Mild scoliosis is unchanged. "
    "A 5 mm nodule projects over the right upper lobe. No pneumothorax or pulmonary edema.\n\n"
    "IMPRESSION: 1. Stable cardiomegaly. 2. No pneumonia."
)
REPORTS = [
    (f"{side}-{size}", REPORT.format(side=side, size=size))
    for side in ("left", "right")
    for size in ("small", "moderate", "large")
]


@pytest.fixture(scope="module")
def extractor(shipped_reader: MedspacyUnitExtractor) -> MedspacyUnitExtractor:
    return shipped_reader


@pytest.fixture(scope="module")
def material(extractor: MedspacyUnitExtractor) -> Material:
    return Material.read(REPORTS, extractor, load_knowledge().lexicon)


@pytest.fixture
def injector(extractor: MedspacyUnitExtractor) -> RuleInjector:
    return RuleInjector(extractor, matters=False)


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("injection")


@pytest.fixture
def pairs(benchmark: ModuleType, injector: RuleInjector, material: Material) -> list[AnnotatedPair]:
    return [pair for seed in range(6) for pair in benchmark.injected(injector, material, 5, seed)]


def statements(extractor: MedspacyUnitExtractor, text: str) -> tuple[set[str], set[str]]:
    """What a report asserts and what it denies."""
    units = extractor.extract([Report(text)])[0]
    assert not isinstance(units, Unscored)
    return (
        {unit.canonical_finding for unit in units if unit.asserts_finding},
        {unit.canonical_finding for unit in units if unit.denies_finding},
    )


def total(pair: AnnotatedPair) -> float:
    return sum(pair.mean(head) for head in pair.ratings)


def test_a_candidate_has_none_to_four_errors_of_six_categories_and_the_reference_stays(
    pairs: Sequence[AnnotatedPair],
) -> None:
    """Counts of all sizes occur, so that a correlation means something."""
    texts = dict(REPORTS)
    for pair in pairs:
        assert set(pair.ratings) == set("ABCDEF")
        assert pair.pair.reference.text == texts[pair.study]
        assert pair.pair.candidate.text != pair.pair.reference.text or not total(pair)
        assert pair.mean("A") <= 2
    assert {0, 1, 2, 3} <= {total(pair) for pair in pairs}


def test_a_harmless_candidate_asserts_what_the_report_does(
    pairs: Sequence[AnnotatedPair], extractor: MedspacyUnitExtractor
) -> None:
    """No error is counted where only the wording changed."""
    harmless = [pair.pair for pair in pairs if not total(pair)]
    assert harmless
    for pair in harmless:
        assert statements(extractor, pair.reference.text)[0] == statements(extractor, pair.candidate.text)[0]


def test_a_negation_turned_round_counts_as_what_it_makes_of_the_finding(
    benchmark: ModuleType, injector: RuleInjector, material: Material, extractor: MedspacyUnitExtractor
) -> None:
    """A denial asserted is one false finding, a finding denied one omission; nothing else is counted."""
    seen = set()
    for pair in (pair for seed in range(4) for pair in benchmark.negated(injector, material, 6, seed)):
        before, after = (statements(extractor, report.text)[0] for report in (pair.pair.reference, pair.pair.candidate))
        head = "A" if after > before else "B"
        assert {name: count for name, (count,) in pair.ratings.items() if count} == {head: 1.0}
        seen.add(head)
    assert seen == {"A", "B"}


def test_the_same_seed_makes_the_same_pairs(benchmark: ModuleType, injector: RuleInjector, material: Material) -> None:
    """A published figure can be had again."""
    first, again, other = (
        [benchmark.row(pair) for pair in benchmark.injected(injector, material, 5, seed)] for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


def test_a_row_is_what_fit_crepe_reads(pairs: Sequence[AnnotatedPair], benchmark: ModuleType) -> None:
    """What is made here can be trained on."""
    row = benchmark.row(pairs[0])
    assert list(row) == ["id", "study", "reference", "candidate", *"ABCDEF"]
    assert all(isinstance(row[head], int) for head in "ABCDEF")
