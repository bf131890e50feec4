"""The extractor that asks a language model: units, fallback sentences, repairs, failures, identity."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.unit_parser._extractor import LlmUnitExtractor
from overread.adapters.reader.unit_parser.options import LlmOptions
from overread.adapters.reader.unit_parser.plugin import overread_extractors
from overread.application.asking.inquiry import Inquiry
from overread.application.asking.prompts import load_prompt
from overread.application.ports import Extraction, Request
from overread.domain.findings.unit import ClinicalUnit, Polarity
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.studies.bootstrap.synthesis import synthetic_pairs
from overread.testing import FakeComponents, FakeLanguageModel, check_extractor

from .conftest import Entry, MakeExtractor

REPORT = Report("FINDINGS: Small left effusion. Odd shadow behind. Findings were discussed with Dr. Ray.")
LEXICON = load_knowledge().lexicon


def units(extraction: Extraction) -> tuple[ClinicalUnit, ...]:
    assert isinstance(extraction, tuple)
    return extraction


def reason(extraction: Extraction) -> str:
    assert isinstance(extraction, Unscored)
    return extraction.reason


@pytest.fixture
def effusion(entry: Entry) -> Mapping[str, Any]:
    return entry("Small left effusion", "pleural effusion", anatomy=["left"], attributes={"severity": "small"})


def test_units_stand_in_their_report(extractor: MakeExtractor, effusion: Mapping[str, Any]) -> None:
    """Offsets and section come from the report and not from the model."""
    (read,) = extractor({"units": [effusion]}).extract([REPORT])
    first = units(read)[0]
    assert first == ClinicalUnit(
        span_text="Small left effusion",
        start=10,
        end=29,
        section="findings",
        canonical_finding="pleural_effusion",
        severity="mild",
        anatomy=frozenset({"left", "pleura"}),
    )


def test_a_sentence_left_uncovered_is_a_unit_of_half_the_confidence(
    extractor: MakeExtractor, effusion: Mapping[str, Any]
) -> None:
    """But for one that tells only of the report."""
    _, odd, told = units(extractor([effusion]).extract([REPORT])[0])
    assert (odd.span_text, odd.canonical_finding, odd.confidence) == ("Odd shadow behind.", "", 0.5)
    assert (odd.sentence_index, odd.section) == (1, "findings")
    assert (told.administrative, told.sentence_index) == ("communication", 2)


def test_a_finding_that_only_the_rules_see_is_not_theirs_to_add(extractor: MakeExtractor) -> None:
    """A sentence that the model passed over stays a sentence without a finding."""
    read = units(extractor([]).extract([REPORT])[0])
    assert [(unit.span_text, unit.canonical_finding) for unit in read][:1] == [("Small left effusion.", "")]


def test_words_found_nowhere_are_asked_for_again(extractor: MakeExtractor, entry: Entry, effusion: Any) -> None:
    """The repair asks for the words as they stand."""
    llm = extractor([entry("large hernia", "hernia")], [effusion])
    assert [unit.canonical_finding for unit in units(llm.extract([REPORT])[0])] == ["pleural_effusion", "", ""]
    asked = llm.inquiry.model.asked  # type: ignore[attr-defined]
    assert "letter by letter" in asked[1].messages[-1].text
    assert [message.role for message in asked[1].messages] == ["system", "user", "assistant", "user"]


def test_a_unit_found_nowhere_is_dropped_in_the_end(extractor: MakeExtractor, entry: Entry, effusion: Any) -> None:
    """What else the answer holds is kept."""
    invented = entry("large hernia", "hernia")
    read = units(extractor([invented, effusion]).extract([REPORT])[0])
    assert [unit.canonical_finding for unit in read] == ["pleural_effusion", "", ""]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("gibberish", "unreadable answer"),
        ("I'm sorry, but I cannot help with that.", "refusal"),
        ([{"span_text": "Small left effusion", "canonical_finding": "x", "polarity": "?"}], "unknown label"),
        ([{"span_text": "large hernia", "canonical_finding": "x", "polarity": "present"}], "span not found"),
        (Completion("[", Finish.LENGTH), "cut off"),
    ],
)
def test_an_answer_that_cannot_be_read_is_no_units(extractor: MakeExtractor, answer: Any, why: str) -> None:
    """By default the report is unscored, with the answers; else each sentence is a unit, as in the paper."""
    (failed,) = extractor(answer).extract([REPORT])
    assert reason(failed) == why
    assert isinstance(failed, Unscored)
    assert failed.evidence is not None
    assert len(failed.evidence.answers) == (1 if why == "refusal" else 2)
    read = units(extractor(answer, on_failure="sentences").extract([REPORT])[0])
    assert [(unit.span_text, unit.confidence) for unit in read if not unit.administrative] == [
        ("Small left effusion.", 0.5),
        ("Odd shadow behind.", 0.5),
    ]


@pytest.mark.parametrize("why", ["no answer", "not asked"])
def test_no_answer_is_never_read_as_sentences(extractor: MakeExtractor, why: str) -> None:
    """Asking again may give one; so may a repair that was not answered."""
    assert reason(extractor(Unscored(why), on_failure="sentences").extract([REPORT])[0]) == why
    assert reason(extractor("gibberish", Unscored(why), on_failure="sentences").extract([REPORT])[0]) == why


def test_blank_and_unreadable_reports_are_not_asked_about(extractor: MakeExtractor, effusion: Any) -> None:
    """Nothing is paid for what cannot be read."""
    llm = extractor([effusion], max_characters=100)
    read = llm.extract([Report(" \n"), Report("a\0b"), REPORT, Report("x" * 101)])
    assert read[0] == ()
    assert (reason(read[1]), reason(read[3])) == ("control characters", "too long")
    assert len(units(read[2])) == 3
    assert len(llm.inquiry.model.asked) == len(llm.questions([Report(" "), REPORT])) == 1  # type: ignore[attr-defined]


def reported(request: Request) -> str:
    """The report that a request is about."""
    return request.messages[-1].text.rpartition("<report>\n")[2].removesuffix("\n").removesuffix("\n</report>")


def test_the_order_is_that_of_the_reports(shipped: LlmUnitExtractor) -> None:
    """Equal reports are asked about once and answered each."""

    def answer(request: Request) -> str:
        words = reported(request)
        return json.dumps([{"span_text": words, "canonical_finding": words, "polarity": "present"}])

    llm = evolve(shipped, inquiry=Inquiry(FakeLanguageModel(answer)))
    words = ["Left effusion", "Nodule", "Left effusion", "Mass"]
    read = llm.extract([Report(text) for text in words])
    assert [units(extraction)[0].span_text for extraction in read] == words


def test_the_identity_tells_all_that_changes_an_answer(extractor: MakeExtractor) -> None:
    """What the model answers is no part of it."""
    plain = extractor("[]")
    others = [
        extractor("[]", repairs=2),
        extractor("[]", max_tokens=10),
        extractor("[]", on_failure="sentences"),
        evolve(plain, inquiry=Inquiry(FakeLanguageModel(identity="other"))),
        evolve(plain, prompt=evolve(plain.prompt, user="{report}")),
    ]
    assert len({one.identity for one in [plain, *others]}) == 6
    assert extractor("[1]").identity == plain.identity
    assert load_knowledge().digest in plain.identity


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    """It needs a place for the report, and may have one for the names of the findings."""
    file = tmp_path / "own.txt"
    file.write_text("Known: {findings}. Read: {report}", encoding="utf-8")
    llm = LlmUnitExtractor.create(Inquiry(FakeLanguageModel()), LlmOptions(prompt=str(file)))
    (message,) = llm.questions([REPORT])[0].request.messages
    assert "pneumothorax" in message.text
    assert message.text.endswith(REPORT.text)
    file.write_text("Read the report.", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"no place \{report\}"):
        LlmUnitExtractor.create(Inquiry(FakeLanguageModel()), LlmOptions(prompt=str(file)))


def test_the_packaged_prompt_names_every_value_it_may_get() -> None:
    """A value that is not named is never given."""
    words = load_prompt("units", places=["report"]).user
    for value in ("present", "absent", "uncertain", "definite", "probable", "possible", "stable", "resolved"):
        assert f'"{value}"' in words


def test_it_behaves_as_extractors_must() -> None:
    """The contract holds whatever the model answers."""
    (spec,) = overread_extractors()
    check_extractor(spec, options=LlmOptions(on_failure="sentences"), components=FakeComponents())


def entries(unit: ClinicalUnit) -> Mapping[str, Any]:
    """A unit as a faultless parser would give it."""
    return {
        "span_text": unit.span_text,
        "canonical_finding": LEXICON.name(unit.canonical_finding),
        "surface_finding": unit.surface_finding,
        "polarity": unit.polarity.value,
        "uncertainty": unit.certainty,
        "comparison": unit.change,
        "device": unit.device and LEXICON.name(unit.device),
        "attributes": {"severity": unit.severity},
        "anatomy": sorted(label.replace("_", " ") for label in unit.anatomy),
        "modifiers": sorted(label.replace("_", " ") for label in unit.modifiers),
        "confidence": 0.9,
    }


def test_a_faultless_parser_gives_the_scores_of_the_rules(
    shipped: LlmUnitExtractor, shipped_reader: MedspacyUnitExtractor
) -> None:
    """What the rules read, told as a parser tells it, comes back as the same findings, and so notation is the same.

    But for the share of words that was read, which only the rules know, and the reward that falls with it.
    """

    def answer(request: Request) -> str:
        text = reported(request)
        (read,) = shipped_reader.extract([Report(text)])
        return json.dumps([entries(u) for u in units(read) if u.canonical_finding and not u.administrative])

    llm = evolve(shipped, inquiry=Inquiry(FakeLanguageModel(answer)))
    pairs = [
        ReportPair(id=str(number), reference=pair.reference, candidate=pair.candidate)
        for number, pair in enumerate(synthetic_pairs(seed=5, studies=12))
    ]
    for pair in pairs:
        told, read = (units(one.extract([pair.candidate])[0]) for one in (llm, shipped_reader))
        wanted = [(u.start, u.canonical_finding, u.polarity) for u in read if u.canonical_finding]
        assert [(u.start, u.canonical_finding, u.polarity) for u in told if u.canonical_finding] == wanted
    metrics = [
        Assembly(Catalogue.discover(), provided={"extractor": one, "second_reader": None}).metric("notation")
        for one in (llm, shipped_reader)
    ]
    first, second = (
        [(outcome.score, dict(outcome.subscores), outcome.discrepancies) for outcome in metric.evaluate(pairs)]  # type: ignore[union-attr]
        for metric in metrics
    )
    for (_, parsed, _), (_, ruled, _) in zip(first, second, strict=True):
        assert ruled.keys() - parsed.keys() == {"reference_coverage", "candidate_coverage"}
        assert parsed.pop("reward") >= ruled.pop("reward")
        del ruled["reference_coverage"], ruled["candidate_coverage"]
    assert first == second


def test_notation_and_radot_take_labels_that_the_lexicon_does_not_know(extractor: MakeExtractor, entry: Entry) -> None:
    """A model names findings that no lexicon foresaw."""
    llm = extractor([entry("Small left effusion", "quux"), entry("Odd shadow behind", "zyx", device="gizmo")])
    assembly = Assembly(Catalogue.discover(), provided={"extractor": llm})
    pair = ReportPair(id="1", reference=REPORT, candidate=Report("Small left effusion. Odd shadow behind."))
    for name in ("notation", "radot"):
        (outcome,) = assembly.metric(name).evaluate([pair])
        assert not isinstance(outcome, Unscored)
    assert [u.polarity for u in units(llm.extract([REPORT])[0])][:2] == [Polarity.PRESENT] * 2
