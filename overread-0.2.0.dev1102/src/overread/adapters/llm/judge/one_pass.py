"""The one-pass judge: one answer names the differences of a pair, with aspect, type and severity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from attrs import field, frozen

from overread.adapters.llm.judge._differences import distinct, locate_difference
from overread.adapters.llm.judge._reading import (
    EXPLANATION,
    LONGEST_SPAN,
    entries_of,
    is_nothing,
    normalise_keys,
    refused_if_declined,
)
from overread.adapters.llm.judge.labels import LABELS, SEVERITIES, Label, read_label, read_severity
from overread.application.asking.answers.json_answer import read_json
from overread.application.asking.inquiry import Inquiry, Question, Reply, UnreadableAnswerError
from overread.application.asking.prompt import Prompt, reports_of
from overread.application.ports import Request
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import AnswerEvidence, Unscored
from overread.domain.vocabulary.severity import Severity

__all__ = ["ONE_PASS_SCHEMA", "OnePassJudge", "Opinion", "read_opinion"]

_GROUP: Final = {
    "type": "object",
    "patternProperties": {rf"^[\s\S]{{1,{LONGEST_SPAN}}}$": {"enum": [str(label) for label in LABELS]}},
    "additionalProperties": False,
    "maxProperties": 12,
}
ONE_PASS_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {**dict.fromkeys(SEVERITIES, _GROUP), "explanation": EXPLANATION},
    "required": [*SEVERITIES, "explanation"],
    "additionalProperties": False,
}
"""JSON schema of the answer: three groups that map spans to labels, and an explanation, of no more than fits."""

_WITHOUT_DIFFERENCES: Final = (Severity.SIGNIFICANT.value, Severity.INSIGNIFICANT.value)
"""The groups that the paper's prompt asks for where there is nothing to report."""
_FORM: Final = (
    'Answer with one JSON object with the keys "critical", "significant", "insignificant" and "explanation"; each of '
    "the first three maps spans to labels and is {} if it has none."
)


@frozen
class Opinion:
    """The judge's opinion of a pair in one answer."""

    discrepancies: tuple[Discrepancy, ...]
    explanation: str = field(default="", repr=False)


@frozen(eq=False, kw_only=True)
class OnePassJudge:
    """Asks a language model for the whole judgement at once (Beyond Scalar Scores, section 3.1 and appendix I).

    Attributes:
        inquiry: the model, the answers that are kept, and how often an answer is repaired.
        prompt: with places for {reference} and {candidate}.
        max_tokens: of an answer at most.
        threshold: how much a passage must have in common with a quote, as of `locate`.
    """

    inquiry: Inquiry
    prompt: Prompt
    max_tokens: int
    threshold: float

    @property
    def identity(self) -> str:
        """Prompt, limits and model."""
        return (
            f"one-pass,prompt={self.prompt.identity},repairs={self.inquiry.repairs},max_tokens={self.max_tokens},"
            f"threshold={self.threshold:g},model={self.inquiry.model.identity}"
        )

    @property
    def note(self) -> str:
        """The model's."""
        return self.inquiry.model.note

    def judge(self, pairs: Sequence[ReportPair]) -> list[Judgement | Unscored]:
        """The judgement of each pair; unscored where no answer could be read."""
        return [_judgement(reply) for reply in self.inquiry.ask(self.questions(pairs))]

    def questions(self, pairs: Sequence[ReportPair]) -> list[Question[Opinion]]:
        """One question a pair."""
        return [
            Question(
                self.prompt.identity,
                Request(
                    self.prompt.filled(reports_of(pair)),
                    ONE_PASS_SCHEMA,
                    self.max_tokens,
                ),
                partial(read_opinion, pair=pair, threshold=self.threshold),
            )
            for pair in pairs
        ]


def _judgement(reply: Reply[Opinion]) -> Judgement | Unscored:
    if isinstance(reply.value, Unscored):
        return reply.value
    evidence = AnswerEvidence(answers=reply.answers, explanation=reply.value.explanation)
    return Judgement(discrepancies=reply.value.discrepancies, evidence=evidence)


def read_opinion(text: str, pair: ReportPair, threshold: float) -> Opinion:
    """Reads an answer about a pair in the one-pass format.

    A group may map spans to one label or to several, or list objects of a span and its label. The critical group may be
    missing where the other two are empty, since the paper's prompt asks only for those if there is nothing to report.
    A passage named twice with the same label is one difference. Discrepancies are ordered by severity, gravest first,
    and then as in the answer.

    Raises:
        UnreadableAnswerError: "unreadable answer" if it is not in the format or lacks a group; "unknown label", also
            for a group; "inconsistent answer" if a span stands in two groups or has two values; "span not found" if a
            span stands in neither report; "refusal".
    """
    with refused_if_declined(text):
        answer = normalise_keys(read_json(text, kinds=(dict,)), _FORM)
    if missing := [group for group in _required_groups(answer) if group not in answer]:
        detail = f"the answer lacks the group {' and '.join(missing)}"
        raise UnreadableAnswerError("unreadable answer", detail, _FORM)
    if not all(is_nothing(answer[key]) for key in answer.keys() - {*SEVERITIES, "explanation"}):
        raise UnreadableAnswerError("unknown label", "the answer has a group besides the three", _FORM)
    discrepancies: list[Discrepancy] = []
    severities: dict[object, Severity] = {}
    for severity in Severity:
        group = _group(answer.get(severity.value, {}), severity)
        for difference in distinct(locate_difference(quote, label, pair, threshold) for quote, label in group):
            if any(severities.setdefault(mark, severity) is not severity for mark in difference.marks):
                raise _in_two_groups()
            discrepancies.append(difference.judged(severity, pair))
    return Opinion(tuple(discrepancies), _explanation(answer.get("explanation")))


def _required_groups(answer: Mapping[str, object]) -> tuple[str, ...]:
    """The groups that an answer must have: all three, unless it names no difference in the last two."""
    is_empty = all(answer.get(group) in ({}, []) for group in _WITHOUT_DIFFERENCES)
    return _WITHOUT_DIFFERENCES if is_empty else SEVERITIES


def _group(value: object, severity: Severity) -> Iterable[tuple[str, Label]]:
    """The spans of a group with their labels, each once."""
    entries = list(entries_of(value, _FORM))
    if any(entry.severity and read_severity(entry.severity) is not severity for entry in entries):
        raise _in_two_groups()
    return dict.fromkeys((entry.span, read_label(entry.label, entry.type)) for entry in entries)


def _in_two_groups() -> UnreadableAnswerError:
    detail = "the answer puts a span into two groups"
    return UnreadableAnswerError("inconsistent answer", detail, "Put each span into one group only.")


def _explanation(value: object) -> str:
    parts = [] if is_nothing(value) else value if isinstance(value, list) else [value]
    if not all(isinstance(part, str) for part in parts):
        raise UnreadableAnswerError("unreadable answer", "the answer's explanation is no text", _FORM)
    return " ".join(str(part).strip() for part in parts)
