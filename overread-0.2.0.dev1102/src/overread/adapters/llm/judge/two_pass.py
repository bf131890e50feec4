"""The two-pass judge: one answer lists the differences of a pair, one more for each says how much it matters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from attrs import evolve, field, frozen

from overread.adapters.llm.judge._differences import Difference, distinct, locate_difference
from overread.adapters.llm.judge._reading import (
    EXPLANATION,
    LONGEST_SPAN,
    entries_of,
    normalise_keys,
    refused_if_declined,
)
from overread.adapters.llm.judge.criteria import Criteria, values_of
from overread.adapters.llm.judge.labels import LABELS, SEVERITIES, read_label, read_severity
from overread.application.asking.answers.json_answer import json_values, read_json, without_reasoning
from overread.application.asking.inquiry import Inquiry, Question, Reply, UnreadableAnswerError
from overread.application.asking.prompt import Prompt, reports_of
from overread.application.ports import Request
from overread.domain.reports.report import ReportPair
from overread.domain.results.answer import Answer
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import AnswerEvidence, Unscored
from overread.domain.vocabulary.severity import Severity

__all__ = ["DETECTION_SCHEMA", "SEVERITY_SCHEMA", "Ruling", "TwoPassJudge", "read_differences", "read_ruling"]

DETECTION_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "array",
    "maxItems": 24,
    "items": {
        "type": "object",
        "properties": {
            "span": {"type": "string", "minLength": 1, "maxLength": LONGEST_SPAN},
            "aspect": {"enum": [str(label) for label in LABELS]},
        },
        "required": ["span", "aspect"],
        "additionalProperties": False,
    },
}
"""JSON schema of the first pass's answer."""

SEVERITY_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"severity": {"enum": list(SEVERITIES)}, "explanation": EXPLANATION},
    "required": ["severity", "explanation"],
    "additionalProperties": False,
}
"""JSON schema of the second pass's answer."""

_LIST: Final = 'Answer with a JSON array of objects with the keys "span" and "aspect", [] if there is no difference.'
_RULING: Final = (
    'Answer with one JSON object with the keys "severity" and "explanation"; the severity is "critical", '
    '"significant" or "insignificant".'
)
_LISTS: Final = frozenset(
    {"differences", "errors", "discrepancies", "spans", "error spans", "list", "items", "result", "results", "answer"}
)
_NOTES: Final = frozenset({"note", "notes", "explanation"})
_FENCE: Final = re.compile(r"```[a-z]*")


@frozen
class Ruling:
    """The severity of a difference, and the reason in the judge's own words."""

    severity: Severity
    explanation: str = field(default="", repr=False)


@frozen(eq=False, kw_only=True)
class TwoPassJudge:
    """Asks a language model for the differences, then for the severity of each with the criteria of its aspect.

    As Beyond Scalar Scores, section 3.1 and appendix I. The second questions about all pairs are asked together. A
    pair of which any answer could not be read is unscored, and all its answers are kept in the evidence.

    Attributes:
        inquiry: the model, the answers that are kept, and how often an answer is repaired.
        detection: prompt of the first pass, with places for {reference} and {candidate}.
        severity: prompt of the second pass, with {span}, {aspect}, {type} and {criteria} besides.
        criteria: a paragraph for each aspect.
        max_tokens: of an answer at most.
        threshold: how much a passage must have in common with a quote, as of `locate`.
    """

    inquiry: Inquiry
    detection: Prompt
    severity: Prompt
    criteria: Criteria
    max_tokens: int
    threshold: float

    @property
    def identity(self) -> str:
        """Prompts, criteria, limits and model."""
        return (
            f"two-pass,prompts={self.detection.identity}+{self.severity.identity}+{self.criteria.identity},"
            f"repairs={self.inquiry.repairs},max_tokens={self.max_tokens},threshold={self.threshold:g},"
            f"model={self.inquiry.model.identity}"
        )

    @property
    def note(self) -> str:
        """The model's."""
        return self.inquiry.model.note

    def judge(self, pairs: Sequence[ReportPair]) -> list[Judgement | Unscored]:
        """The judgement of each pair; unscored where an answer of either pass could not be read."""
        detected = self.inquiry.ask(self.questions(pairs))
        second = [
            self._severity_question(difference, pair)
            for pair, reply in zip(pairs, detected, strict=True)
            for difference in _differences(reply)
        ]
        rulings = iter(self.inquiry.ask(second))
        return [
            _judgement(pair, reply, [next(rulings) for _ in _differences(reply)])
            for pair, reply in zip(pairs, detected, strict=True)
        ]

    def questions(self, pairs: Sequence[ReportPair]) -> list[Question[tuple[Difference, ...]]]:
        """The first question about each pair; what is asked next depends on the answers."""
        return [
            Question(
                self.detection.identity,
                Request(self.detection.filled(reports_of(pair)), DETECTION_SCHEMA, self.max_tokens),
                partial(read_differences, pair=pair, threshold=self.threshold),
            )
            for pair in pairs
        ]

    def _severity_question(self, difference: Difference, pair: ReportPair) -> Question[Ruling]:
        label = difference.label
        values = values_of(self.criteria, difference.quote, label.aspect, label.type)
        request = Request(self.severity.filled(reports_of(pair) | values), SEVERITY_SCHEMA, self.max_tokens)
        prompt = f"{self.severity.identity}+{self.criteria.identity}"
        return Question(prompt, request, read_ruling)


def _differences(reply: Reply[tuple[Difference, ...]]) -> tuple[Difference, ...]:
    return () if isinstance(reply.value, Unscored) else reply.value


def _judgement(
    pair: ReportPair, detected: Reply[tuple[Difference, ...]], rulings: Sequence[Reply[Ruling]]
) -> Judgement | Unscored:
    if isinstance(detected.value, Unscored):
        return detected.value
    answers: tuple[Answer, ...] = sum((reply.answers for reply in rulings), detected.answers)
    evidence = AnswerEvidence(answers=answers)
    discrepancies = []
    for difference, reply in zip(detected.value, rulings, strict=True):
        if isinstance(reply.value, Unscored):
            return evolve(reply.value, evidence=evidence)
        discrepancies.append(difference.judged(reply.value.severity, pair, reply.value.explanation))
    gravest_first = sorted(discrepancies, key=lambda discrepancy: list(Severity).index(discrepancy.severity))
    return Judgement(discrepancies=tuple(gravest_first), evidence=evidence)


def read_differences(text: str, pair: ReportPair, threshold: float) -> tuple[Difference, ...]:
    """The differences that an answer of the first pass lists, in its order, each once.

    The array may also stand in an object under a name that says what it is, such as "differences", with no more than a
    note beside it, or its objects may follow one another without brackets.

    Raises:
        UnreadableAnswerError: "unreadable answer" if it is not in the format; "unknown label"; "span not found" if a
            span stands in neither report; "inconsistent answer" if it gives several lists; "refusal".
    """
    with refused_if_declined(text):
        listed = _list(text)
    entries = dict.fromkeys((entry.span, read_label(entry.label, entry.type)) for entry in entries_of(listed, _LIST))
    return distinct(locate_difference(quote, label, pair, threshold) for quote, label in entries)


def _list(text: str) -> list[Any]:
    values = json_values(text)
    loose = [value for value in values if isinstance(value, dict) and "span" in value]
    if values and len(loose) == len(values):
        return loose
    if loose:
        raise UnreadableAnswerError("inconsistent answer", "the answer holds differences beside its JSON array", _LIST)
    value = read_json(text)
    return value if isinstance(value, list) else _unwrap_list(normalise_keys(value, _LIST))


def _unwrap_list(answer: Mapping[str, object]) -> list[Any]:
    """The list in an object that holds nothing else but a note in words."""
    lists = [answer[name] for name in answer.keys() - _NOTES]
    notes = [answer[name] for name in answer.keys() & _NOTES]
    named = answer.keys() <= _LISTS | _NOTES
    if named and len(lists) == 1 and isinstance(lists[0], list) and all(isinstance(note, str | None) for note in notes):
        return lists[0]
    raise UnreadableAnswerError("unreadable answer", "the answer holds no JSON array of differences", _LIST)


def read_ruling(text: str) -> Ruling:
    """The severity that an answer of the second pass names, in one word or as JSON.

    A line with the word alone may be followed by an explanation that names no other severity.

    Raises:
        UnreadableAnswerError: "unreadable answer" if it is neither; "unknown label" if the severity is none of the
            three; "inconsistent answer" if it names several; "refusal".
    """
    plain = _FENCE.sub("", without_reasoning(text)).strip()
    word, _, rest = plain.partition("\n")
    severity = None if "{" in plain or _names_severity(rest) else read_severity(word)
    if severity is not None:
        return Ruling(severity, rest.strip())
    with refused_if_declined(text):
        answer = normalise_keys(read_json(text, kinds=(dict,)), _RULING)
    if "severity" not in answer:
        raise UnreadableAnswerError("unreadable answer", "the answer names no severity", _RULING)
    severity = read_severity(answer["severity"]) if isinstance(answer["severity"], str) else None
    if severity is None:
        raise UnreadableAnswerError("unknown label", "the answer's severity is none of the three", _RULING)
    texts = [value for value in answer.values() if isinstance(value, str)]
    if {read_severity(part) for part in [*texts, *plain.splitlines()]} - {None, severity}:
        raise UnreadableAnswerError("inconsistent answer", "the answer names several severities", _RULING)
    explanation = answer.get("explanation")
    return Ruling(severity, explanation.strip() if isinstance(explanation, str) else "")


def _names_severity(text: str) -> bool:
    return any(name in text.lower() for name in SEVERITIES)
