"""The green metric: a language model counts a candidate's errors, and GREEN's equation 1 scores them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.application.asking.inquiry import Inquiry, Question, Reply
from overread.application.asking.prompt import Prompt
from overread.application.asking.steering import steering_notes
from overread.application.ports import Request
from overread.domain.reports.report import Report, ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.green import GREEN_ASPECTS, GreenError, GreenNotation, green_score
from overread.domain.results.result import EMPTY_PAIR, SAME_WORDS, AnswerEvidence, Outcome, Scale, Scored, Unscored
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory

__all__ = ["GREEN_SCALE", "GreenMetric", "GreenReader", "Locate"]

GREEN_SCALE: Final = Scale(0.0, 1.0, higher_is_better=True)
"""1 is a candidate without a significant error that matches at least one finding."""

Locate = Callable[[str, str], Span | None]
"""Where the first text stands in the second, None if nowhere."""

_UNDEFINED: Final = "no errors and nothing matched: GREEN is undefined"
_QUOTED: Final = re.compile(r'"([^"\n]{2,})"|“([^”\n]{2,})”|«([^»\n]{2,})»|(?<!\w)[\'\u2018]([^\'’\n]{4,})[\'’](?!\w)')
_IN_CANDIDATE: Final = frozenset(REXVAL_SIX) - {ErrorCategory.OMITTED_FINDING, ErrorCategory.OMITTED_COMPARISON}
_IN_REFERENCE: Final = frozenset(REXVAL_SIX) - {
    ErrorCategory.FALSE_FINDING,
    ErrorCategory.COMPARISON_NOT_IN_REFERENCE,
}


@frozen
class GreenReader:
    """Rules for reading answers.

    Attributes:
        identity: name and version of the rules.
        read: reads an answer; raises `UnreadableAnswerError`.
        shorten: returns the part of a report's text that is sent.
        note: what a reader of the scores must be told, "" for nothing.
        takes_anything: whether an unreadable answer gives a score too, as in the released package: an answer that was
            cut off or refused is then read as it stands, and a pair of which the answer says nothing scores 0.
    """

    identity: str
    read: Callable[[str], GreenNotation] = field(repr=False)
    shorten: Callable[[str], str] = field(repr=False)
    note: str = ""
    takes_anything: bool = False


@frozen(eq=False)
class GreenMetric:
    """GREEN (Ostmeier et al. 2024) over whichever model and prompt are chosen.

    The score is matched / (matched + significant errors), 0 to 1, higher is better, and 0 if nothing matched.
    Subscores: the significant errors of each category (``A`` to ``F``) and their sum ``significant``, which is also
    there as ``error_count``, the paper's EC; the insignificant ones (``insignificant_A`` to ``insignificant_F``) and
    their sum ``insignificant``; and ``matched``. Each counted error is a discrepancy. An answer that cannot be read
    leaves its pair unscored, and so does one that names neither an error nor a match ("undefined"). A candidate in the
    same words as the reference scores 1 without a question. A note tells of a report that holds what may steer a model.

    Attributes:
        locate: finds the words that an answer quotes.
        max_tokens: of an answer at most.
    """

    inquiry: Inquiry
    prompt: Prompt
    reader: GreenReader
    locate: Locate
    max_tokens: int = 1024

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Model, prompt, and how it is asked and read."""
        asked = f"repairs={self.inquiry.repairs},max_tokens={self.max_tokens}"
        return (
            ("model", self.inquiry.model.identity),
            ("prompt", self.prompt.identity),
            ("reader", f"{self.reader.identity},{asked}"),
        )

    def questions(self, pairs: Sequence[ReportPair]) -> list[Question[GreenNotation]]:
        """Questions about each pair except blank reports and copies, about which there is nothing to ask."""
        return [self._question(pair) for pair in pairs if _is_asked_about(pair)]

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """GREEN of each pair, len(pairs) outcomes in order."""
        replies = iter(self.inquiry.ask(self.questions(pairs)))
        return [
            self._outcome(pair, next(replies)) if _is_asked_about(pair) else _outcome_without_asking(pair)
            for pair in pairs
        ]

    def _question(self, pair: ReportPair) -> Question[GreenNotation]:
        reports = {"reference": pair.reference, "candidate": pair.candidate}
        places = {name: self.reader.shorten(report.text) for name, report in reports.items()}
        request = Request(self.prompt.filled(places), max_tokens=self.max_tokens)
        return Question(self.prompt.identity, request, self.reader.read)

    def _outcome(self, pair: ReportPair, reply: Reply[GreenNotation]) -> Outcome:
        if self.reader.takes_anything:
            reply = self._take_first_answer(reply)
        notation = reply.value
        if isinstance(notation, Unscored):
            return notation
        evidence = AnswerEvidence(
            answers=reply.answers, explanation=notation.explanation, matched=notation.matched_findings
        )
        if notation.is_silent and not self.reader.takes_anything:
            return Unscored("undefined", _UNDEFINED, evidence)
        cut = tuple(self._cuts(pair))
        notes = (self.inquiry.model.note, self.reader.note, *notation.notes, *cut, *steering_notes(pair))
        return Scored(
            score=green_score(notation),
            subscores=_subscores(notation),
            discrepancies=self._discrepancies(notation, pair),
            evidence=evidence,
            truncated=bool(cut),
            notes=tuple(note for note in notes if note),
        )

    def _take_first_answer(self, reply: Reply[GreenNotation]) -> Reply[GreenNotation]:
        """The first answer read whatever it is; nothing where there is no answer."""
        if not isinstance(reply.value, Unscored) or not reply.answers:
            return reply
        first = evolve(reply.answers[0], outcome="read")
        return Reply(self.reader.read(first.completion.text), (first, *reply.answers[1:]))

    def _cuts(self, pair: ReportPair) -> Iterator[str]:
        for name, report in (("reference", pair.reference), ("candidate", pair.candidate)):
            sent, words = len(self.reader.shorten(report.text).split()), len(report.text.split())
            if sent < words:
                yield f"of the {name} only the first {sent} of {words} words were sent"

    def _discrepancies(self, notation: GreenNotation, pair: ReportPair) -> tuple[Discrepancy, ...]:
        reference, candidate = _Places(self.locate, pair.reference), _Places(self.locate, pair.candidate)
        return tuple(self._discrepancy(error, reference, candidate) for error in notation.errors())

    def _discrepancy(self, error: GreenError, reference: _Places, candidate: _Places) -> Discrepancy:
        aspect, kind = GREEN_ASPECTS[error.category]
        return Discrepancy(
            category=error.category,
            aspect=aspect,
            type=kind,
            severity=error.severity,
            reason=f"counted as clinically {error.severity}",
            finding="",
            reference_spans=reference.of(error) if error.category in _IN_REFERENCE else (),
            candidate_spans=candidate.of(error) if error.category in _IN_CANDIDATE else (),
            explanation=error.explanation,
        )


def _is_asked_about(pair: ReportPair) -> bool:
    return not (pair.is_blank or pair.is_copy)


def _outcome_without_asking(pair: ReportPair) -> Outcome:
    """The outcome of blank reports, or of a candidate in the same words as the reference."""
    if pair.is_blank:
        return EMPTY_PAIR
    subscores = {name: value for name, value in _subscores(GreenNotation()).items() if name != "matched"}
    return Scored(score=1.0, subscores=subscores, notes=(SAME_WORDS,))


@frozen(eq=False)
class _Places:
    """Places in a report that explanations quote; words quoted again are looked for after their last place."""

    locate: Locate
    report: Report
    _ends: dict[str, int] = field(factory=dict, repr=False)

    def of(self, error: GreenError) -> tuple[Span, ...]:
        """Places of what an explanation quotes, or of the explanation itself if it quotes nothing."""
        quoted = ["".join(groups) for groups in _QUOTED.findall(error.explanation)]
        wanted = (self._next(words) for words in quoted or [error.explanation] if words)
        return tuple(sorted({span for span in wanted if span is not None}))

    def _next(self, words: str) -> Span | None:
        start = self._ends.get(words, 0)
        match = self.locate(words, self.report.text[start:]) if start else None
        if match is None:
            start, match = 0, self.locate(words, self.report.text)
        if match is None:
            return None
        span = Span(start + match.start, start + match.end)
        self._ends[words] = span.end
        return span


def _subscores(notation: GreenNotation) -> Mapping[str, float]:
    counts = notation.counts
    significant, insignificant = counts[: len(REXVAL_SIX)], counts[len(REXVAL_SIX) : -1]
    return {
        **{category.value: float(count) for category, count in zip(REXVAL_SIX, significant, strict=True)},
        **{f"insignificant_{c.value}": float(count) for c, count in zip(REXVAL_SIX, insignificant, strict=True)},
        "significant": float(notation.error_count),
        "error_count": float(notation.error_count),
        "insignificant": float(notation.insignificant_count),
        "matched": float(notation.matched),
    }
