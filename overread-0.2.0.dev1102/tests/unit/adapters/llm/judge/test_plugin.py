"""The plugin of the judge metric: options, components, conformance."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from overread.adapters.llm.judge.labels import LABELS
from overread.adapters.llm.judge.options import OnePassOptions, TwoPassOptions
from overread.adapters.llm.judge.plugin import overread_judges, overread_metrics
from overread.application.asking.answers.spans import CLOSE_ENOUGH
from overread.application.asking.prompts import load_prompt
from overread.application.metrics.judge import JudgeMetric
from overread.application.ports import Request
from overread.domain.results.result import Scored, Unscored
from overread.domain.vocabulary.taxonomy import ErrorAspect
from overread.exceptions import ConfigurationError
from overread.plugins.specs import Components, ComponentSpec
from overread.structuring import structure
from overread.testing import FakeLanguageModel, check_judge, check_metric
from overread.testing._components import FakeComponents

from .samples import PAIR

[METRIC] = overread_metrics()
JUDGES = {spec.name: spec for spec in overread_judges()}


def _first_words(request: Request) -> str:
    """An answer in whichever format is asked for, about the first words of the candidate or else of the reference."""
    reports = [
        said.split()
        for said in re.findall(r"<(?:reference|candidate)>\n(.*?)\n<", request.messages[-1].text, re.DOTALL)
    ]
    span = " ".join(next((words[:3] for words in reversed(reports) if words), []))
    if request.schema and request.schema["type"] == "array":
        return json.dumps([{"span": span, "aspect": "Noise"}])
    if request.schema and "severity" in request.schema["properties"]:
        return "insignificant"
    groups = {"critical": {}, "significant": {span: "Terminology"}, "insignificant": {}}
    return json.dumps({**groups, "explanation": "Told apart by their first words."})


def _components(answer: Any = _first_words, **given: Any) -> FakeComponents:
    return FakeComponents({"model": FakeLanguageModel(answer), **given})


@pytest.mark.parametrize("spec", JUDGES.values(), ids=JUDGES)
def test_the_judges_keep_the_contract_of_a_judge(spec: ComponentSpec) -> None:
    """The contract holds whatever the model says."""
    check_judge(spec, components=_components())
    check_judge(spec, components=_components(lambda _: "no idea"))
    check_judge(spec)


@pytest.mark.parametrize("name", JUDGES)
def test_the_metric_keeps_the_contract_of_a_metric_over_each_judge(name: str) -> None:
    """The metric adds nothing that a judge must know."""
    judge = JUDGES[name].factory(JUDGES[name].options(), _components())
    check_metric(METRIC, components=_components(judge=judge))
    check_metric(METRIC)


@pytest.mark.parametrize(("name", "score"), [("one-pass", 1.0), ("two-pass", 0.0)])
def test_a_judge_scores_a_pair_and_says_how_it_came_to_that(name: str, score: float) -> None:
    """The score counts significant errors and stands on a marked passage."""
    spec = JUDGES[name]
    metric = METRIC.factory(None, _components(judge=spec.factory(spec.options(), _components())))
    assert isinstance(metric, JudgeMetric)
    [outcome] = metric.evaluate([PAIR])
    assert isinstance(outcome, Scored)
    assert outcome.score == score
    assert dict(metric.signature_parts)["judge"].startswith(name)
    assert len(metric.questions([PAIR])) == 1
    [discrepancy] = outcome.discrepancies
    assert discrepancy.candidate_spans[0].of(PAIR.candidate.text) == "Small right pleural"


@pytest.mark.parametrize("name", JUDGES)
def test_gibberish_is_unscored_with_every_answer_kept(name: str) -> None:
    """Each repair's answer can be read afterwards."""
    spec = JUDGES[name]
    judge = spec.factory(spec.options(repairs=2), _components(lambda _: "effusion the { the the"))
    [outcome] = METRIC.factory(None, _components(judge=judge)).evaluate([PAIR])
    assert isinstance(outcome, Unscored)
    assert outcome.evidence is not None
    assert len(outcome.evidence.answers) == 3


@pytest.mark.parametrize(
    ("name", "options", "problem"),
    [
        ("one-pass", {"repairs": -1}, "repairs"),
        ("one-pass", {"max_tokens": 0}, "max_tokens"),
        ("two-pass", {"threshold": 0}, "threshold"),
        ("two-pass", {"threshold": float("nan")}, "threshold"),
        ("one-pass", {"prompt": "/nowhere/prompt.toml"}, "cannot be read"),
        ("two-pass", {"detection_prompt": "/nowhere/prompt.toml"}, "cannot be read"),
        ("two-pass", {"severity_prompt": "/nowhere/prompt.toml"}, "cannot be read"),
        ("two-pass", {"criteria": "/nowhere/criteria.toml"}, "cannot be read"),
    ],
)
def test_options_that_cannot_be_used_are_refused(name: str, options: dict[str, object], problem: str) -> None:
    """Files and bounds are checked before a model is asked."""
    spec = JUDGES[name]
    with pytest.raises(ConfigurationError, match=problem):
        spec.factory(structure(spec.options, options, name), _components())


def test_a_users_files_are_what_the_model_is_shown(tmp_path: Path) -> None:
    """Prompts and criteria can be changed without code, and the identity tells so."""
    wording = tmp_path / "wording.txt"
    wording.write_text("The report:\n{reference}\n\nThe other report:\n{candidate}", encoding="utf-8")
    ruling = tmp_path / "ruling.toml"
    ruling.write_text(
        'name = "mine"\nversion = "7"\nuser = "{span} {aspect} {criteria} {reference} {candidate}"', encoding="utf-8"
    )
    criteria = tmp_path / "criteria.toml"
    lines = [f'"{aspect.value}" = "Mine for {aspect.value}."\n' for aspect in ErrorAspect]
    criteria.write_text('version = "7"\n[criteria]\n' + "".join(lines), encoding="utf-8")
    model = FakeLanguageModel(_first_words)
    one = JUDGES["one-pass"].factory(OnePassOptions(prompt=str(wording)), FakeComponents({"model": model}))
    one.judge([PAIR])
    shown = f"The report:\n{PAIR.reference.text}\n\nThe other report:\n{PAIR.candidate.text}"
    assert [message.text for message in model.asked[0].messages] == [shown]

    script = [json.dumps([{"span": "right", "aspect": "Noise"}]), "significant"]
    model = FakeLanguageModel(lambda _: script.pop(0))
    options = TwoPassOptions(detection_prompt=str(wording), severity_prompt=str(ruling), criteria=str(criteria))
    two = JUDGES["two-pass"].factory(options, FakeComponents({"model": model}))
    two.judge([PAIR])
    assert model.asked[1].messages[0].text.startswith("right Noise Mine for Noise. Small left")
    assert "wording@file:" in two.identity
    assert "mine@7:" in two.identity
    assert "criteria@7:" in two.identity


def test_a_severity_prompt_must_have_places_for_span_and_aspect(tmp_path: Path) -> None:
    """Without them the model would not know what to judge."""
    file = tmp_path / "short.txt"
    file.write_text("{reference} {candidate}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"\{aspect\}, \{span\}"):
        JUDGES["two-pass"].factory(TwoPassOptions(severity_prompt=str(file)), _components())


def test_answers_are_kept_where_there_is_a_store() -> None:
    """The judge asks through the store and not past it."""

    class Store:
        only_kept = True

        def find(self, keys: object) -> dict[str, object]:
            assert keys
            return {}

    components: Components = _components(answers=Store())
    [outcome] = JUDGES["one-pass"].factory(OnePassOptions(), components).judge([PAIR])
    assert outcome.reason == "not asked"


@pytest.mark.parametrize("name", ["one-pass", "span-detection", "severity"])
def test_prompts_leave_no_place_unfilled(name: str) -> None:
    """A place that nobody fills would be sent as it stands."""
    prompt = load_prompt(name)
    known = {"reference", "candidate"} | ({"span", "aspect", "type", "criteria"} if name == "severity" else set())
    assert prompt.places == known


@pytest.mark.parametrize("name", ["one-pass", "span-detection"])
def test_prompts_that_ask_for_labels_name_all_of_them(name: str) -> None:
    """A label that is not named is never given."""
    text = load_prompt(name).user
    assert all(label.aspect.value in text for label in LABELS)
    assert all(f"{kind}" in text for kind in ("Omission", "Fabrication", "Inaccuracy"))


def test_the_threshold_is_the_one_that_is_stated() -> None:
    """The documentation names 0.85."""
    assert OnePassOptions().threshold == TwoPassOptions().threshold == CLOSE_ENOUGH == 0.85


def test_listing_the_plugin_imports_nothing_heavy() -> None:
    """Listing plugins stays quick."""
    code = (
        "import sys; from overread.adapters.llm.judge.plugin import *; overread_judges(); overread_metrics();"
        "assert not {'rapidfuzz', 'openai', 'torch', 'transformers'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
