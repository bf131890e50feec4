"""Injection by a language model: what it is told, which answers are taken, and how the change is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.application.asking.inquiry import Inquiry
from overread.application.ports import Request
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import Span
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.exceptions import ConfigurationError
from overread.studies.application.synthesis.edits.categories import CATEGORIES, Category
from overread.studies.application.synthesis.injected.by_model import by_model, load_injection_prompt
from overread.studies.application.synthesis.injected.material import Material, Synthesis
from overread.studies.application.synthesis.injected.pairs import InjectedPair
from overread.studies.application.synthesis.injected.specifications import load_specifications
from overread.testing import FakeLanguageModel

REPORT = "There is a large left pleural effusion. The heart is normal in size."
SIDE = Category(ErrorAspect.LOCATION, ErrorType.INACCURACY)


@pytest.fixture
def one(extractor: MedspacyUnitExtractor, lexicon: Lexicon) -> Material:
    return Material.read([("s", REPORT)], extractor, lexicon)


def asked(material: Material, *answers: str, repairs: int = 1) -> tuple[Synthesis, FakeLanguageModel]:
    """The answers in order, first to the discrimination question, which alone has a place in the report."""

    def answer(request: Request) -> str:
        turns = sum(message.role == "assistant" for message in request.messages)
        return answers[turns] if "left pleural" in request.messages[-1 - 2 * turns].text else "?"

    model = FakeLanguageModel(answer)
    made = by_model(
        material, Inquiry(model, repairs=repairs), load_injection_prompt(), per_category=1, categories=[SIDE]
    )
    return made, model


def first(made: Synthesis) -> InjectedPair:
    return next(pair for pair in made.pairs if pair.severity is Severity.SIGNIFICANT)


@pytest.mark.parametrize(
    "wrapped",
    ["{}", "```\n{}\n```", "```text\n{}\n```", "<think>Change the side.</think>\n{}", "\n{}\n\n"],
)
def test_the_edited_report_is_taken_from_what_stands_around_it(one: Material, wrapped: str) -> None:
    """The label comes from comparing the texts and not from the model."""
    candidate = REPORT.replace("left", "right")
    pair = first(asked(one, wrapped.replace("{}", candidate))[0])
    assert pair.candidate == candidate
    (label,) = pair.spans
    assert (label.text, label.reference, label.candidate) == ("right", Span(17, 21), Span(17, 22))
    assert pair.method == "model:fake"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (REPORT, "nothing changed"),
        ("Normal.", "too much"),
        (REPORT + " And so on. And on. And on.", "length"),
        (REPORT.replace("left", "right right"), "blemish"),
        ("A mild opacity at the right apex is seen. The bones are all in place!", "too much"),
    ],
)
def test_an_unsound_edit_is_sent_back_once_and_then_left_out(one: Material, answer: str, fault: str) -> None:
    """A pair that is not what its label says is worse than none."""
    good = REPORT.replace("left", "right")
    assert first(asked(one, answer, good)[0]).candidate == good
    made, _ = asked(one, answer, answer, good)
    assert not any(pair.severity is Severity.SIGNIFICANT for pair in made.pairs)
    assert any(fault in reason for reason in made.faults)


def test_a_refusal_is_left_out_and_not_sent_back(one: Material) -> None:
    """Asking again would not change it, and costs."""
    made, model = asked(one, "I'm sorry, but I cannot help with that.")
    assert not made.pairs
    assert any(reason.startswith("refusal") for reason in made.faults)
    assert all(len(request.messages) == 2 for request in model.asked)


def test_the_model_is_told_the_category_and_the_report(one: Material) -> None:
    """The two subsets are asked for in different words."""
    _, model = asked(one, REPORT.replace("left", "right"))
    told = model.asked[0].messages[-1].text
    specification = load_specifications().by_category[SIDE]
    assert REPORT in told
    assert specification.definition in told
    assert "{" not in told
    assert {specification.discrimination[0] in r.messages[-1].text for r in model.asked} == {True, False}


def test_every_category_has_a_specification() -> None:
    """A category without one could not be asked for."""
    assert set(load_specifications().by_category) == set(CATEGORIES)


def test_a_prompt_without_a_place_is_refused(tmp_path: Path) -> None:
    """The model would not know what to change."""
    file = tmp_path / "own.txt"
    file.write_text("Change {reference}.", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="definition"):
        load_injection_prompt(str(file))
