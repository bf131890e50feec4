"""Lessons: what the judge is asked about a known pair, what it should answer, and what it should rather not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from attrs import field, frozen

from overread.adapters.llm.judge.criteria import Criteria, load_criteria, values_of
from overread.adapters.llm.judge.labels import SEVERITIES, Label
from overread.adapters.llm.judge_training.options import Recipe
from overread.application.asking.prompt import Prompt, reports_of
from overread.application.asking.prompts import load_prompt
from overread.application.ports import Message
from overread.application.training.judged_pairs import JudgedPair, MarkedSpan
from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.severity import Severity

__all__ = ["Lesson", "OnePassLessons", "TwoPassLessons", "flip_severity", "syllabus"]


@frozen
class Lesson:
    """A conversation and its true answer.

    Attributes:
        rejected: the same answer with the severities flipped, and explained so where the pair says how; "" where it
            names none.
    """

    messages: tuple[Message, ...]
    answer: str = field(repr=False)
    rejected: str = field(default="", repr=False)


@frozen
class OnePassLessons:
    """One lesson a pair: the whole judgement (Beyond Scalar Scores, section 5.1)."""

    prompt: Prompt

    @property
    def identity(self) -> str:
        """Identity of the prompt."""
        return self.prompt.identity

    def lessons(self, pairs: Iterable[JudgedPair]) -> Iterator[Lesson]:
        """A lesson for each pair; it has a rejected answer if the reports differ."""
        for judged in pairs:
            rejected = _opinion(judged, {s: flip_severity(s) for s in Severity}) if judged.spans else ""
            yield Lesson(self.prompt.filled(reports_of(judged.pair)), _opinion(judged), rejected)


@frozen
class TwoPassLessons:
    """A lesson in listing a pair's differences, and one in ruling on each; only the latter have rejected answers."""

    detection: Prompt
    severity: Prompt
    criteria: Criteria

    @property
    def identity(self) -> str:
        """Identities of both prompts and the criteria."""
        return f"{self.detection.identity}+{self.severity.identity}+{self.criteria.identity}"

    def lessons(self, pairs: Iterable[JudgedPair]) -> Iterator[Lesson]:
        """The lessons of each pair: the first pass, then one for each span."""
        for judged in pairs:
            listed = [{"span": span.text, "aspect": _label(span)} for span in judged.spans]
            yield Lesson(self.detection.filled(reports_of(judged.pair)), _to_json(listed))
            for span in judged.spans:
                true = _ruling(span.severity, judged.explanation)
                false = _ruling(flip_severity(span.severity), judged.contrary or judged.explanation)
                yield Lesson(self._ask(span, judged.pair), true, false)

    def _ask(self, span: MarkedSpan, pair: ReportPair) -> tuple[Message, ...]:
        values = values_of(self.criteria, span.text, span.aspect, span.type)
        return self.severity.filled(reports_of(pair) | values)


def syllabus(recipe: Recipe) -> OnePassLessons | TwoPassLessons:
    """The lessons of a recipe, in the words in which the judge will be asked.

    Raises:
        ConfigurationError: if a prompt's file cannot be used.
    """
    if not recipe.two_pass:
        return OnePassLessons(load_prompt("one-pass", recipe.prompt))
    places = ("reference", "candidate", "span", "aspect")
    return TwoPassLessons(
        load_prompt("span-detection", recipe.detection_prompt),
        load_prompt("severity", recipe.severity_prompt, places=places),
        load_criteria(recipe.criteria),
    )


def flip_severity(severity: Severity) -> Severity:
    """The severity on the other side of the D/R rule; that of a critical difference too is insignificant.

    >>> flip_severity(Severity.INSIGNIFICANT).value
    'significant'
    """
    return Severity.INSIGNIFICANT if severity.counts_as_significant else Severity.SIGNIFICANT


def _opinion(judged: JudgedPair, renamed: Mapping[Severity, Severity] | None = None) -> str:
    groups: dict[str, dict[str, str | list[str]]] = {severity: {} for severity in SEVERITIES}
    for span in judged.spans:
        group = groups[(renamed or {}).get(span.severity, span.severity).value]
        before, label = group.get(span.text), _label(span)
        group[span.text] = label if before is None else [*([before] if isinstance(before, str) else before), label]
    explanation = judged.explanation if renamed is None else judged.contrary or judged.explanation
    return _to_json({**groups, "explanation": explanation})


def _ruling(severity: Severity, explanation: str) -> str:
    return _to_json({"severity": severity.value, "explanation": explanation})


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _label(span: MarkedSpan) -> str:
    return str(Label(span.aspect, span.type))
