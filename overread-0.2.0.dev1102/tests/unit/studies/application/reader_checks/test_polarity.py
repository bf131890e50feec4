"""Marked phrases against what a reader says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from overread.application.ports import Assertion, AssertionReader, MarkedSentence
from overread.domain.findings.unit import Certainty, Experiencer, Polarity, Temporality
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks.polarity import CUE_TABLE, LabelledPhrase, check_polarity

from .labelled import lines, unit, value


@frozen
class _Answers:
    """Answers by sentence."""

    by_text: dict[str, Assertion | Unscored]

    def assertions(self, sentences: Sequence[MarkedSentence]) -> list[Assertion | Unscored]:
        return [self.by_text[sentence.text] for sentence in sentences]


def _phrase(text: str, *, negated: bool = False, historical: bool = False, other: bool = False) -> LabelledPhrase:
    sentence = MarkedSentence(text, 3, 8)
    return LabelledPhrase(id=f"id of {text}", sentence=sentence, negated=negated, historical=historical, other=other)


def _says(cues: Sequence[str] = (), **attributes: Any) -> Assertion:
    return Assertion(unit("", **attributes), frozenset(cues))


def test_each_question_is_counted_by_itself() -> None:
    """Uncertain counts as affirmed; hypothetical is not historical; what cannot be read is wrong on all."""
    phrases = [
        _phrase("no cough", negated=True),
        _phrase("a cough?"),
        _phrase("old cough", historical=True),
        _phrase("if cough", historical=True),
        _phrase("his dad coughs", other=True),
        _phrase("unreadable", negated=True),
    ]
    answers: dict[str, Assertion | Unscored] = {
        "no cough": _says(polarity=Polarity.ABSENT),
        "a cough?": _says(polarity=Polarity.UNCERTAIN, certainty=Certainty.POSSIBLE),
        "old cough": _says(["HISTORICAL"], temporality=Temporality.HISTORICAL),
        "if cough": _says(temporality=Temporality.HYPOTHETICAL),
        "his dad coughs": _says(experiencer=Experiencer.FAMILY),
        "unreadable": Unscored("language"),
    }
    done: list[int] = []
    report = check_polarity(_Answers(answers), phrases, identity="told", left_out=("7", "9"), on_progress=done.append)
    polarity, history = lines(report, "Polarity"), lines(report, "History, all sentences")
    assert polarity["negated"]["recall"] == 1 / 2
    assert polarity["affirmed"]["recall"] == 1.0
    assert polarity["affirmed"]["precision"] == 1.0
    assert history["historical"]["recall"] == 1 / 2
    assert history["historical"]["precision"] == 1.0
    assert value(report, CUE_TABLE, "historical", "count") == 1
    assert value(report, "Experiencer", "other person", "F1") == 1.0
    assert [(m.place, m.expected, m.got) for m in report.mistakes] == [
        ("id of if cough", "historical", "current"),
        ("id of unreadable", "any reading", "language"),
    ]
    assert report.tabulation.notes == (
        "1 phrases could not be read and count as wrong",
        "left out, as the sentence does not hold the phrase: items 7, 9",
    )
    assert done == [6]


def test_a_mistake_marks_its_phrase_and_keeps_it_out_of_the_repr() -> None:
    """The sentence is shown with the phrase in brackets, and only when asked for."""
    report = check_polarity(_Answers({"no cough": _says()}), [_phrase("no cough", negated=True)], identity="told")
    (mistake,) = report.mistakes
    assert mistake.text == "no [cough]"
    assert "cough" not in repr(report).replace("id of no cough", "")
    assert "cough" not in repr(MarkedSentence("no cough", 3, 8))


def test_a_reader_of_whole_reports_is_no_assertion_reader() -> None:
    """The port can be told from an extractor that lacks it."""
    assert isinstance(_Answers({}), AssertionReader)
    assert not isinstance(object(), AssertionReader)
