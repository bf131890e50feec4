"""The plugin of green: options from configuration, prompts of users, conformance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from overread.adapters.llm.green._released import released_note
from overread.adapters.llm.green.options import GreenOptions
from overread.adapters.llm.green.plugin import green_prompt, overread_metrics
from overread.application.asking.prompt import Prompt
from overread.application.metrics.green import GreenMetric
from overread.application.ports import Request
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Scored, Unscored
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.structuring import structure
from overread.testing import FakeComponents, FakeLanguageModel, check_metric

[SPEC] = overread_metrics()
COMPAT = GreenOptions(compat="green-0.0.12")
ANSWER = (
    '[Explanation]:\nx\n\n[Clinically Significant Errors]:\n(b) Missing a finding: 1. No mention of "effusion".\n\n'
    "[Clinically Insignificant Errors]:\n(a) False report of a finding: 0.\n\n[Matched Findings]:\n"
    "3. Heart; lungs; ribs"
)
PAPER_FIELDS = (
    "Explanation, Clinically Significant Errors, Clinically Insignificant Errors, Matched Findings\n"
    "**Reference Report**\n\n**Candidate Report**"
)


def built(answer: object = ANSWER, **options: Any) -> tuple[GreenMetric, FakeLanguageModel]:
    model = FakeLanguageModel(answer if callable(answer) else lambda _: str(answer))
    metric = SPEC.factory(GreenOptions(**options), FakeComponents({"model": model}))
    assert isinstance(metric, GreenMetric)
    return metric, model


def evaluated(metric: GreenMetric, reference: str = "Effusion.", candidate: str = "Clear.") -> Scored | Unscored:
    [outcome] = metric.evaluate([ReportPair(id="p", reference=reference, candidate=candidate)])
    return outcome


@pytest.mark.parametrize("options", [GreenOptions(), COMPAT, GreenOptions(max_words=2)])
@pytest.mark.parametrize("answer", [ANSWER, "I cannot help with that."])
def test_green_keeps_the_contract_of_a_metric(options: GreenOptions, answer: str) -> None:
    """The contract holds with any options and whatever the model says."""
    components = FakeComponents({"model": FakeLanguageModel(lambda _: answer)})
    check_metric(SPEC, options=options, components=components)


def test_an_answer_becomes_a_score_with_its_discrepancy_in_place() -> None:
    """The words of an error are found in the report they are about."""
    outcome = evaluated(built()[0], "A small effusion.")
    assert isinstance(outcome, Scored)
    assert outcome.score == 0.75
    [error] = outcome.discrepancies
    assert [span.of("A small effusion.") for span in error.reference_spans] == ["effusion"]


def test_an_unreadable_answer_is_asked_again_as_often_as_is_set() -> None:
    """Without repairs the first answer counts."""

    def mended(request: Request) -> str:
        return ANSWER if len(request.messages) > 2 else "Well, they differ."

    assert isinstance(evaluated(built(mended)[0]), Scored)
    metric, model = built(mended, repairs=0)
    assert isinstance(evaluated(metric), Unscored)
    assert len(model.asked) == 1


def test_compat_scores_a_refusal_as_the_release_does_and_says_so() -> None:
    """A score that is no measurement carries a note."""
    metric, model = built("I cannot help with that.", compat="green-0.0.12")
    outcome = evaluated(metric)
    assert isinstance(outcome, Scored)
    assert outcome.score == 0.0
    [note] = outcome.notes
    assert note.startswith(
        "read as GREEN 0.0.12 reads it: an answer that it cannot read is a score, not a failure; "
        "the prompt's wording is not that of GREEN 0.0.12"
    )
    assert len(model.asked) == 1


def test_compat_knows_the_wording_of_the_release_by_its_checksum() -> None:
    """One blank more is another wording; a system turn is one, too."""
    radeval = pytest.importorskip("radeval.metrics.green_score.utils", reason="needs the wheel RadEval")
    wording = radeval.make_prompt("{reference}", "{candidate}")
    assert "wording" not in released_note(Prompt("p", "file", wording), "fake")
    assert "wording" in released_note(Prompt("p", "file", wording + " "), "fake")
    assert "wording" in released_note(Prompt("p", "file", wording, system="Count."), "fake")


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("transformers:green@1,chat=plain,max_context=2048", True),
        ("transformers:green@1,chat=green-0.0.12,max_context=2048", False),
        ("openai:GREEN", False),
    ],
)
def test_compat_tells_where_a_model_is_asked_in_other_turns(model: str, told: bool) -> None:  # noqa: FBT001
    """A server keeps its template to itself, so that nothing is said of it."""
    assert ("set model.chat=green" in released_note(green_prompt(), model)) is told


def test_compat_sends_300_words_of_each_report_and_tells_what_it_left_out() -> None:
    """The release cuts reports and puts single blanks between their words, whether they are cut or not."""
    metric, model = built(compat="green-0.0.12")
    outcome = evaluated(metric, "word\n" * 400, "other \n\n words")
    assert isinstance(outcome, Scored)
    assert outcome.truncated
    sent = " ".join(message.text for message in model.asked[0].messages)
    assert " ".join(["word"] * 300) in sent
    assert " ".join(["word"] * 301) not in sent
    assert "other words" in sent


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"compat": "green-0.0.12"}, {"blanks": "single", "max_words": 300}),
        ({"compat": "green-0.0.12", "blanks": "keep"}, {"max_words": 300}),
    ],
)
@pytest.mark.parametrize("report", ["Small\n\n effusion.", "word \n" * 400])
def test_one_answer_can_be_read_both_ways(one: dict[str, Any], other: dict[str, Any], report: str) -> None:
    """Where both settings send the same, what was asked under one is kept for the other."""
    sent = []
    for options in (one, other):
        metric, model = built(**options)
        evaluated(metric, report)
        sent.append(model.asked[0])
    assert sent[0] == sent[1]


def test_max_words_cuts_a_report_where_it_stands() -> None:
    """Line breaks before the cut stay."""
    metric, model = built(max_words=2)
    evaluated(metric, "One\ntwo three", "Four")
    assert "One\ntwo\n" in model.asked[0].messages[-1].text


def test_everything_that_changes_an_answer_is_in_the_signature() -> None:
    """Each of these settings gives other scores."""
    settings: list[dict[str, Any]] = [
        {},
        {"compat": "green-0.0.12"},
        {"compat": "green-0.0.12", "max_words": 100},
        {"max_words": 100},
        {"blanks": "single"},
        {"compat": "green-0.0.12", "blanks": "keep"},
        {"repairs": 2},
        {"max_tokens": 50},
    ]
    signatures = {tuple(built(**options)[0].signature_parts) for options in settings}
    assert len(signatures) == len(settings)


@pytest.mark.parametrize("values", [{"repairs": -1}, {"max_tokens": 0}, {"max_words": 0}, {"compat": "green-1"}])
def test_options_that_cannot_be_meant_are_refused(values: dict[str, object]) -> None:
    """They are told before a model is asked."""
    with pytest.raises(ConfigurationError):
        structure(GreenOptions, values, "green")


def test_the_packaged_prompt_asks_for_what_the_paper_does_and_has_both_reports() -> None:
    """Each category is named in the criteria and in both sections of errors."""
    prompt = green_prompt()
    assert prompt.places == {"reference", "candidate"}
    assert prompt.identity.startswith("green@3:")
    for letter in "abcdef":
        assert prompt.user.count(f"({letter}) ") == 3


@pytest.mark.parametrize("text", [PAPER_FIELDS, PAPER_FIELDS.replace("**", r"**\*\*")])
def test_a_prompt_may_be_pasted_with_the_fields_of_the_paper(text: str, tmp_path: Path) -> None:
    """The paper's own names of the two reports are understood."""
    path = tmp_path / "paper.txt"
    path.write_text(text, encoding="utf-8")
    metric, model = built(prompt=str(path))
    evaluated(metric, "REF", "CAND")
    assert model.asked[0].messages[0].text.endswith("REF\n\nCAND")
    assert metric.prompt.identity.startswith("paper@file:")


def test_one_error_names_every_place_and_section_that_a_prompt_lacks(tmp_path: Path) -> None:
    """An answer without a section could never be read."""
    path = tmp_path / "mine.txt"
    path.write_text("Compare {reference} with the other. [Matched Findings]", encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        green_prompt(str(path))
    [problem] = refused.value.problems
    assert problem == (
        f"prompt {path} lacks the place {{candidate}}, the section [Explanation], "
        "the section [Clinically Significant Errors], the section [Clinically Insignificant Errors]"
    )


def test_without_a_model_configuration_is_refused_with_what_to_set() -> None:
    """No model is chosen by default; one may be provided by the program."""
    catalogue = Catalogue.discover(builtins=["overread.adapters.llm.green.plugin"], entry_points=())
    with pytest.raises(ConfigurationError, match="no model is chosen"):
        Assembly(catalogue).metric("green")
    metric = Assembly(catalogue, options={"green": {"repairs": 0}}, provided={"model": FakeLanguageModel()}).metric(
        "green"
    )
    assert isinstance(metric, GreenMetric)
    assert metric.inquiry.repairs == 0


def test_more_repairs_than_the_release_has_are_refused() -> None:
    """It asks once; the default is not counted as asked for."""
    with pytest.raises(ConfigurationError, match=r"green\.repairs=2 cannot be used with compat=green-0\.0\.12"):
        SPEC.factory(GreenOptions(compat="green-0.0.12", repairs=2), FakeComponents({"model": FakeLanguageModel()}))
