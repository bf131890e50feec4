"""Polarity, history and experiencer of marked phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from attrs import frozen

from overread.application.ports import Assertion, AssertionReader, MarkedSentence
from overread.application.scoring.evaluate import Progress
from overread.domain.findings.unit import Experiencer, Polarity, Temporality
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks._drafts import Draft, class_lines, finish_check
from overread.studies.application.reader_checks.check import Mistake, ReaderCheck

__all__ = ["CUE_TABLE", "LabelledPhrase", "check_polarity"]

CUE_TABLE: Final = "History, sentences with a listed cue"
_BATCH: Final = 64


@frozen(kw_only=True)
class LabelledPhrase:
    """A phrase in its sentence as people labelled it.

    Attributes:
        negated: whether it is denied; what is only possible counts as affirmed.
        historical: whether it is a matter of the past.
        other: whether it concerns someone else than the patient.
    """

    id: str
    sentence: MarkedSentence
    negated: bool
    historical: bool
    other: bool


@frozen
class _Question:
    """Two classes that every phrase is one of."""

    title: str
    classes: tuple[str, str]
    label: Callable[[LabelledPhrase], bool]
    reading: Callable[[Assertion], bool]

    def labelled(self, phrase: LabelledPhrase) -> str:
        return self.classes[not self.label(phrase)]

    def read(self, assertion: Assertion | Unscored) -> str | None:
        return None if isinstance(assertion, Unscored) else self.classes[not self.reading(assertion)]


_QUESTIONS: Final = (
    _Question("Polarity", ("negated", "affirmed"), lambda p: p.negated, lambda a: a.unit.polarity is Polarity.ABSENT),
    _Question(
        "History, all sentences",
        ("historical", "current"),
        lambda p: p.historical,
        lambda a: a.unit.temporality is Temporality.HISTORICAL,
    ),
    _Question(
        "Experiencer",
        ("other person", "patient"),
        lambda p: p.other,
        lambda a: a.unit.experiencer is not Experiencer.PATIENT,
    ),
)


def check_polarity(
    reader: AssertionReader,
    phrases: Sequence[LabelledPhrase],
    *,
    identity: str,
    left_out: Sequence[str] = (),
    on_progress: Progress | None = None,
) -> ReaderCheck:
    """Reads every phrase in its sentence and compares.

    A phrase that cannot be read is wrong on each question. History is counted over all sentences, and again over those
    that hold a cue which the reader lists as historical.

    Args:
        reader: answers for each marked phrase.
        phrases: the labelled phrases.
        identity: of the reader.
        left_out: ids of phrases that their sentences do not hold.
        on_progress: called with the number of phrases done.
    """
    read: list[Assertion | Unscored] = []
    for start in range(0, len(phrases), _BATCH):
        read += reader.assertions([phrase.sentence for phrase in phrases[start : start + _BATCH]])
        if on_progress is not None:
            on_progress(len(read))
    with_cue = [not isinstance(a, Unscored) and "HISTORICAL" in a.cues for a in read]
    drafts = []
    for question in _QUESTIONS:
        labels = [question.labelled(phrase) for phrase in phrases]
        readings = [question.read(assertion) for assertion in read]
        drafts.append(Draft(question.title, "phrases", class_lines(labels, readings, question.classes)))
        if question.classes[0] == "historical":
            drafts.append(Draft(CUE_TABLE, "phrases", class_lines(labels, readings, question.classes, with_cue)))
    failed = sum(isinstance(assertion, Unscored) for assertion in read)
    return finish_check(
        "polarity",
        identity,
        drafts,
        len(phrases),
        mistakes=_mistakes(phrases, read),
        notes=_notes(failed, left_out),
    )


def _mistakes(phrases: Sequence[LabelledPhrase], read: Sequence[Assertion | Unscored]) -> Iterator[Mistake]:
    for phrase, assertion in zip(phrases, read, strict=True):
        if isinstance(assertion, Unscored):
            yield Mistake(phrase.id, "any reading", assertion.reason, _mark_span(phrase.sentence))
            continue
        for question in _QUESTIONS:
            label, reading = question.labelled(phrase), question.read(assertion)
            if label != reading:
                yield Mistake(phrase.id, label, reading or "", _mark_span(phrase.sentence))


def _notes(failed: int, left_out: Sequence[str]) -> Iterator[str]:
    if failed:
        yield f"{failed} phrases could not be read and count as wrong"
    if left_out:
        yield f"left out, as the sentence does not hold the phrase: items {', '.join(left_out)}"


def _mark_span(sentence: MarkedSentence) -> str:
    text = sentence.text
    return f"{text[: sentence.start]}[{text[sentence.start : sentence.end]}]{text[sentence.end :]}"
