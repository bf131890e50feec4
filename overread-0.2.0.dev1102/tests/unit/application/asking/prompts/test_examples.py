"""Examples in prompts: a model that repeats one has written no word of a report."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from overread.adapters.llm.judge.labels import LABELS, SEVERITIES
from overread.application.asking.answers.spans import locate
from overread.application.asking.inquiry import Inquiry, Question
from overread.application.asking.placeholders import PLACEHOLDER, holds_placeholder
from overread.application.asking.prompt import Prompt
from overread.application.asking.prompts import load_prompt
from overread.application.ports import Message, Request
from overread.domain.findings.unit import Certainty, Change, Polarity
from overread.domain.results.result import Unscored
from overread.studies.application.synthesis.injected.specifications import load_specifications
from overread.testing import SAMPLE_REPORTS, FakeLanguageModel

NAMES = ("green", "injection", "one-pass", "severity", "span-detection", "units")
KEYS = {
    *("span", "aspect", "severity", "explanation"),
    *("units", "span_text", "canonical_finding", "surface_finding", "polarity", "uncertainty", "comparison", "device"),
    *("attributes", "anatomy", "modifiers", "confidence"),
}
CLOSED = {*SEVERITIES, *map(str, LABELS), *Polarity, *Certainty, *Change}
SIGNS = {" - ", "{span}"}


PROMPTS = [load_prompt(name, places=()) for name in NAMES]


def test_all_prompts_are_held() -> None:
    """One that comes with overread and is not named here would be held to nothing."""
    found = resources.files("overread.application.asking.prompts").joinpath("data").iterdir()
    assert sorted(NAMES) == sorted(file.name.removesuffix(".toml") for file in found)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_what_is_quoted_is_a_key_a_value_of_a_closed_list_or_a_placeholder(prompt: Prompt) -> None:
    """Nothing that a report may hold stands between quotation marks, in an example of an answer or anywhere else."""
    quoted = re.findall(r'"([^"\n]*)"', f"{prompt.system}\n{prompt.user}")
    assert {text for text in quoted if not PLACEHOLDER.fullmatch(text)} <= KEYS | CLOSED | SIGNS


def test_the_form_of_green_is_made_of_headings_and_placeholders() -> None:
    """It quotes nothing, and shows its form line by line: behind each heading stand placeholders alone."""
    form = load_prompt("green").user.partition("[Explanation]:")[2]
    lines = [line.rpartition(":")[2] for line in form.splitlines() if line.strip()]
    words = [word.strip(".;") for line in lines for word in line.split()]
    assert words
    assert all(map(PLACEHOLDER.fullmatch, words))


def test_the_patterns_of_injections_are_made_of_placeholders() -> None:
    """Of each category, for errors and for harmless variations; what they do is told by the words' names."""
    for specification in load_specifications().by_category.values():
        for pattern in (*specification.discrimination, *specification.robustness):
            before, _, after = pattern.partition(" -> ")
            assert before != after != ""
            assert all(PLACEHOLDER.fullmatch(word.strip(",;:")) for word in f"{before} {after}".split())


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_no_placeholder_stands_in_a_report(prompt: Prompt) -> None:
    """Nor anything that is near enough to be taken for it; and the prompt says what is to be done with them."""
    text = f"{prompt.system}\n{prompt.user}"
    for placeholder in set(PLACEHOLDER.findall(text)):
        assert not any(locate(placeholder, report.text) for report in SAMPLE_REPORTS)
    assert "XX" in text


def test_an_answer_that_repeats_the_example_is_sent_back_and_then_unscored() -> None:
    """Whatever else it says: what stands in an example was not found in a report."""
    model = FakeLanguageModel(lambda _: '[{"span": "XX_SPAN_1", "aspect": "Negation"}]')
    question = Question("p", Request((Message("user", "?"),)), str)
    (reply,) = Inquiry(model).ask([question])
    assert isinstance(reply.value, Unscored)
    assert (reply.value.reason, reply.value.detail) == (
        "unreadable answer",
        "the answer repeats the example of the prompt",
    )
    assert model.asked[1].messages[-1].text.startswith("Answer again, without any word that begins with XX")


def test_thoughts_may_name_placeholders() -> None:
    """A model that thinks aloud about the form has not answered yet."""
    assert not holds_placeholder("<think>Where is XX_SPAN_1?</think>[]")
    assert not holds_placeholder("XXL implant, size XX, XX_ seen")
