"""Answers of the unit parser: which are read, as what, and which are refused for which reason."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.reader.unit_parser._answer import ParsedUnit, answer_schema, read_units
from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.findings.unit import Certainty, Change, Polarity

UNIT = {"span_text": "left effusion", "canonical_finding": "pleural effusion", "polarity": "present"}
PLAIN = ParsedUnit(span_text="left effusion", canonical_finding="pleural effusion", polarity=Polarity.PRESENT)


def unit(**fields: Any) -> str:
    return json.dumps([UNIT | fields])


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps([UNIT]),
        json.dumps({"units": [UNIT]}),
        json.dumps(UNIT),
        f"```json\n{json.dumps([UNIT])}\n```",
        f"<think>One effusion [left].</think>Here are the units:\n{json.dumps({'units': [UNIT]})}\nAnything else?",
        str([UNIT]),
        unit(uncertainty=None, comparison=None, device=None, attributes={"severity": None}, anatomy=[], modifiers=None),
        unit(uncertainty="none", comparison="N/A", device="", attributes=None, anatomy="none"),
        unit(unit_id=7, type="finding"),
    ],
    ids=["array", "object", "one", "fence", "prose", "python", "nulls", "words for null", "more fields"],
)
def test_an_answer_in_the_format_is_read_however_it_is_wrapped(answer: str) -> None:
    """Fences, prose and words for null leave no doubt."""
    assert read_units(answer) == (PLAIN,)


def test_no_units_are_an_answer() -> None:
    """A report may say nothing."""
    assert read_units('{"units": []}') == read_units("[]") == ()


@pytest.mark.parametrize(
    ("fields", "name", "value"),
    [
        ({"polarity": "Negated"}, "polarity", Polarity.ABSENT),
        ({"polarity": "UNCERTAIN"}, "polarity", Polarity.UNCERTAIN),
        ({"uncertainty": "likely"}, "uncertainty", Certainty.PROBABLE),
        ({"comparison": "unchanged"}, "comparison", Change.STABLE),
        ({"comparison": "Increased"}, "comparison", Change.WORSENED),
        ({"attributes": {"severity": "moderate"}}, "severity", "moderate"),
        ({"severity": "moderate"}, "severity", "moderate"),
        ({"severity": "mild", "attributes": {"severity": "moderate"}}, "severity", "moderate"),
        ({"anatomy": ["Left", "lower  lobe"]}, "anatomy", {"left", "lower lobe"}),
        ({"anatomy": "left|lower lobe; base, lung"}, "anatomy", {"left", "lower lobe", "base", "lung"}),
        ({"anatomy": [{"canonical": "left", "surface": "L"}, {"label": "base"}]}, "anatomy", {"left", "base"}),
        ({"modifiers": ["patchy, hazy", None, "none"]}, "modifiers", {"patchy", "hazy"}),
        ({"confidence": "0.8"}, "confidence", 0.8),
        ({"confidence": None}, "confidence", 1.0),
    ],
)
def test_a_field_is_read(fields: dict[str, Any], name: str, value: object) -> None:
    """Models word and nest values in several ways."""
    (read,) = read_units(unit(**fields))
    assert getattr(read, name) == value


def test_a_unit_is_named_by_its_device_or_its_own_words_where_it_has_no_finding() -> None:
    """A unit without a name could match nothing."""
    fields = UNIT | {"canonical_finding": None, "surface_finding": "ETT"}
    assert [u.label for u in read_units(json.dumps([fields, fields | {"device": "tube"}]))] == ["ETT", "tube"]


@pytest.mark.parametrize(
    ("answer", "reason", "told"),
    [
        (unit(polarity="maybe"), "unknown label", "unit 1: polarity must be one of present, absent, uncertain"),
        (unit(uncertainty="80 percent"), "unknown label", "uncertainty must be one of definite, probable, possible"),
        (unit(comparison="same as the last one"), "unknown label", "comparison must be one of new, stable"),
        (unit(polarity=True), "unknown label", "polarity"),
        (unit(polarity=None), "unreadable answer", "unit 1: polarity is missing"),
        (json.dumps([UNIT, {"span_text": "x"}]), "unreadable answer", "unit 2: polarity is missing"),
        (unit(span_text=None), "unreadable answer", "span_text is missing"),
        (unit(span_text="..."), "unreadable answer", "span_text holds no word"),
        (unit(span_text=["a", "b"]), "unreadable answer", "span_text must be text"),
        (unit(canonical_finding=None), "unreadable answer", "canonical_finding is missing"),
        (unit(canonical_finding="--"), "unreadable answer", "canonical_finding is missing"),
        (unit(device={"name": "tube"}), "unreadable answer", "device must be text"),
        (unit(confidence="high"), "unreadable answer", "confidence must be a number from 0 to 1"),
        (unit(confidence=95), "unreadable answer", "confidence must be a number from 0 to 1"),
        (unit(confidence=True), "unreadable answer", "confidence must be a number from 0 to 1"),
        (unit(anatomy=[1]), "unreadable answer", "anatomy must be a list of labels"),
        (unit(anatomy=[["left"]]), "unreadable answer", "anatomy must be a list of labels"),
        (unit(anatomy={"side": "left"}), "unreadable answer", "anatomy must be a list of labels"),
        (unit(anatomy=3), "unreadable answer", "anatomy must be a list of labels"),
        (unit(attributes="severe"), "unreadable answer", "the attributes of a unit are no object"),
        (unit(attributes=["severe"]), "unreadable answer", "the attributes of a unit are no object"),
        (unit(attributes=3), "unreadable answer", "the attributes of a unit are no object"),
        (unit(attributes={"severity": 3}), "unreadable answer", "severity must be text"),
        (unit(confidence=-0.1), "unreadable answer", "confidence must be a number from 0 to 1"),
        (unit(confidence="nan"), "unreadable answer", "confidence must be a number from 0 to 1"),
        (unit(polarity=1), "unknown label", "polarity"),
        ('["left effusion"]', "unreadable answer", "no list of units"),
        ('{"units": {"1": {}}}', "unreadable answer", "no list of units"),
        (json.dumps([UNIT] * 1001), "unreadable answer", "more than 1000 units"),
        ('{"units": null}', "unreadable answer", "no list of units"),
        (json.dumps([UNIT])[:-20], "unreadable answer", "breaks off"),
        ("There is a left effusion.", "unreadable answer", "no JSON"),
        ("", "unreadable answer", "no JSON"),
        ('[{"span_text": "a", "span_text": "b"}]', "inconsistent answer", "two values for one key"),
        ("I'm sorry, but I cannot help with medical reports.", "refusal", "refused"),
    ],
)
def test_any_other_answer_is_refused_with_the_reason(answer: str, reason: str, told: str) -> None:
    """A value that is guessed would be a finding made up."""
    with pytest.raises(UnreadableAnswerError) as caught:
        read_units(answer)
    assert caught.value.reason == reason
    assert told in caught.value.detail


def test_a_refusal_tells_the_model_what_to_mend_and_quotes_nothing() -> None:
    """All that is wrong is told in one repair."""
    with pytest.raises(UnreadableAnswerError) as caught:
        read_units(unit(span_text="Zebra", polarity="zebra", confidence="zebra", device=["zebra"]))
    assert "zebra" not in f"{caught.value} {caught.value.remedy}".lower()
    assert "polarity must be one of" in caught.value.remedy
    assert "confidence must be" in caught.value.remedy


def test_the_schema_admits_what_the_reader_wants_and_holds_a_model_to_every_field() -> None:
    """Servers that enforce it demand every field."""
    whole = UNIT | {
        "surface_finding": None,
        "uncertainty": "possible",
        "comparison": None,
        "device": None,
        "attributes": {"severity": None},
        "anatomy": ["left"],
        "modifiers": [],
        "confidence": 1,
    }
    jsonschema.validate({"units": [whole]}, answer_schema(1))
    for wrong in (UNIT, whole | {"polarity": "maybe"}, whole | {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"units": [wrong]}, answer_schema(1))


@given(st.text(max_size=200) | st.lists(st.dictionaries(st.sampled_from([*UNIT, "anatomy"]), st.none() | st.text())))
def test_whatever_comes_is_read_or_refused(value: Any) -> None:
    """No answer raises anything else than a refusal."""
    try:
        read_units(value if isinstance(value, str) else json.dumps(value))
    except UnreadableAnswerError as error:
        assert error.reason in {"unreadable answer", "unknown label", "inconsistent answer", "refusal"}  # noqa: PT017
