"""The benchmark that injects errors of known number into reports; its scripts are no package."""

import importlib
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import MedspacyOptions
from overread.domain.annotation import AnnotatedPair
from overread.domain.report import Report
from overread.domain.result import Unscored
from overread.domain.unit import ClinicalUnit

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"

REPORT = (
    "FINDINGS: There is a small left pleural effusion. The lungs show no other change. Mild scoliosis is unchanged. "
    "No pneumothorax or pulmonary edema.\n\nIMPRESSION: 1. Small left pleural effusion. 2. No pneumonia."
)


def counts(pair: AnnotatedPair) -> dict[str, float]:
    return {category: pair.mean(category) for category in pair.ratings}


def drawing(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - it draws edits


def read(extractor: MedspacyUnitExtractor, text: str) -> list[ClinicalUnit]:
    units = extractor.extract([Report(text)])[0]
    assert not isinstance(units, Unscored)
    return list(units)


@pytest.fixture(scope="module")
def extractor() -> MedspacyUnitExtractor:
    return MedspacyUnitExtractor.create(MedspacyOptions())


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("_injection")


@pytest.fixture
def edits(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("_edits")


@pytest.fixture
def injector(benchmark: ModuleType, extractor: MedspacyUnitExtractor) -> Any:
    return benchmark.Injector(extractor, load_knowledge().lexicon)


@pytest.mark.parametrize(
    ("edit", "sentence", "expected"),
    [
        ("deny", "There is a small left pleural effusion.", {"pleural effusion"}),
        ("deny", "The heart is mildly enlarged.", {"The heart is not enlarged."}),
        ("affirm", "No acute rib fracture.", {"acute rib fracture"}),
        ("drop", "Mild cardiomegaly.", set()),
        ("relocate", "Right basal atelectasis.", {"Left basal atelectasis."}),
        ("relocate", "Opacity in the upper lobe.", {"Opacity in the lower lobe."}),
        ("regrade", "There is a 5 mm nodule.", {"There is a 15 mm nodule."}),
        ("regrade", "There is a 6 mm nodule.", {"There is an 18 mm nodule."}),
        ("regrade", "Mild cardiomegaly.", {"Severe cardiomegaly."}),
        ("regrade", "There is an effusion.", {"There is a large effusion."}),
        ("forget", "Scoliosis is unchanged.", {"Scoliosis is seen."}),
        ("forget", "There is a stable opacity at the left base.", {"There is an opacity at the left base."}),
        ("forget", "Stable mild cardiomegaly.", {"Mild cardiomegaly."}),
    ],
)
def test_an_edit_says_it_in_plain_grammar(
    edits: ModuleType, extractor: MedspacyUnitExtractor, edit: str, sentence: str, expected: set[str]
) -> None:
    units = read(extractor, sentence)
    made = getattr(edits, edit)(sentence, units, drawing(1))
    assert made is not None
    assert bool(made) == bool(expected)
    assert all(part.lower() in " ".join(made).lower() for part in expected)


@pytest.mark.parametrize("seed", range(5))
def test_affirming_takes_one_item_out_of_a_list_and_leaves_the_others_denied(
    edits: ModuleType, extractor: MedspacyUnitExtractor, seed: int
) -> None:
    sentence = "No pneumothorax, pulmonary edema, or acute fracture is seen."
    made = edits.affirm(sentence, read(extractor, sentence), drawing(seed))
    units = read(extractor, " ".join(made))
    assert [unit.asserts_finding for unit in units] == [True, False, False]


@pytest.mark.parametrize("sentence", ["Mild cardiomegaly.", "The lungs are clear.", "No acute disease or XXXX."])
def test_what_denies_no_finding_by_name_is_not_affirmed(
    edits: ModuleType, extractor: MedspacyUnitExtractor, sentence: str
) -> None:
    assert edits.affirm(sentence, read(extractor, sentence), drawing(1)) is None


def test_a_draft_gives_its_text_back_and_knows_where_sentences_start(benchmark: ModuleType) -> None:
    draft = benchmark.Draft.of(REPORT)
    assert draft.text == REPORT
    assert all(draft.text.startswith(draft.sentence(place), start) for place, start in draft.starts().items())


def test_a_draft_without_a_sentence_is_numbered_anew_and_without_empty_blocks(benchmark: ModuleType) -> None:
    draft = benchmark.Draft.of("FINDINGS: Clear.\n\nIMPRESSION: 1. Old. 2. New.")
    assert draft.replaced((1, 0), []).replaced((0, 0), []).text == "IMPRESSION: 1. New."


def test_a_denied_finding_is_denied_wherever_the_report_says_it_and_counts_once(injector: Any) -> None:
    made = [injector.negation("r", REPORT, "denied", drawing(seed)) for seed in range(12)]
    about_effusion = [pair for pair in made if "no pleural effusion" in pair.pair.candidate.text.lower()]
    assert about_effusion
    for pair in about_effusion:
        assert "small left" not in pair.pair.candidate.text.lower()
        assert {head: count for head, count in counts(pair).items() if count} == {"B": 1.0}


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_the_edits_and_the_reference_stays(injector: Any, seed: int) -> None:
    pair = injector.pair("r", REPORT, 3, drawing(seed))
    assert pair.pair.reference.text == REPORT
    assert pair.pair.candidate.text != REPORT
    assert sum(counts(pair).values()) == 3
    assert counts(pair)["A"] <= 2


@pytest.mark.parametrize("seed", range(10))
def test_a_harmless_candidate_asserts_and_denies_what_the_report_does(
    injector: Any,
    extractor: MedspacyUnitExtractor,
    seed: int,
) -> None:
    pair = injector.pair("r", REPORT, 0, drawing(seed))
    before, after = (
        {unit.canonical_finding for unit in read(extractor, report.text) if unit.asserts_finding}
        for report in (pair.pair.reference, pair.pair.candidate)
    )
    assert not any(counts(pair).values())
    assert before == after


def test_a_finding_told_twice_is_not_moved_in_one_place_only(injector: Any) -> None:
    text = "FINDINGS: Left pleural effusion.\n\nIMPRESSION: Pleural effusion on the XXXX left."
    assert injector._one_more(injector._start(text), ["relocated"], drawing(1)) is None


def test_the_same_seed_makes_the_same_pair(injector: Any) -> None:
    one, other = (injector.pair("r", REPORT, 4, drawing(3)) for _ in range(2))
    assert one == other
