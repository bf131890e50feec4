"""Fakes of a language model and of a judge: answers that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import field, frozen

from overread.application.ports import Request
from overread.domain.differences.cost import tokens
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.answer import Completion
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import EMPTY_PAIR, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.testing._fakes import SENTENCE, Fake

__all__ = ["FakeJudge", "FakeLanguageModel"]


def _last_turn_reversed(request: Request) -> str:
    return request.messages[-1].text[::-1]


@frozen(eq=False)
class FakeLanguageModel:
    """Answers by a function, the last request first, and remembers what it was asked.

    Attributes:
        answer: text, completion or failure by request; the last turn written backwards unless given. What it raises
            comes in the middle of the answers.
        identity: of the model.
        note: what a reader of its answers must be told.
        asked: every request so far, in the order of the calls and of the requests in each.

    >>> model = FakeLanguageModel(lambda request: "yes" if "effusion" in request.messages[-1].text else "no")
    >>> from overread.application.ports import Message
    >>> [completion.text for _, completion in model.complete([Request((Message("user", "effusion?"),))])]
    ['yes']
    """

    answer: Callable[[Request], str | Completion | Unscored] = field(default=_last_turn_reversed, repr=False)
    identity: str = "fake"
    note: str = ""
    asked: list[Request] = field(factory=list, repr=False)

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion | Unscored]]:
        """The answer to each request; a text gets the tokens that `count_tokens` would count."""
        self.asked.extend(requests)
        for index in reversed(range(len(requests))):
            answer = self.answer(requests[index])
            yield index, self._completion(requests[index], answer) if isinstance(answer, str) else answer

    def count_tokens(self, request: Request) -> int:
        """Words of all turns."""
        return sum(len(message.text.split()) for message in request.messages)

    def _completion(self, request: Request, text: str) -> Completion:
        tokens_of_answer = len(text.split())
        return Completion(
            text, model=self.identity, prompt_tokens=self.count_tokens(request), completion_tokens=tokens_of_answer
        )


@frozen
class FakeJudge(Fake):
    """Names a significant false finding for each sentence that only the candidate has, an omission for the reference's.

    Sentences are the same if their words are. Two blank reports are unscored.

    Attributes:
        judgements: by pair id, what it says instead.
        note: what a reader of its judgements must be told.
    """

    judgements: Mapping[str, Judgement | Unscored] = field(factory=dict, repr=False)
    note: str = ""

    def judge(self, pairs: Sequence[ReportPair]) -> list[Judgement | Unscored]:
        """The judgement of each pair."""
        return [self.judgements[pair.id] if pair.id in self.judgements else _compare_sentences(pair) for pair in pairs]


def _compare_sentences(pair: ReportPair) -> Judgement | Unscored:
    if pair.is_blank:
        return EMPTY_PAIR
    reference, candidate = _sentences(pair.reference.text), _sentences(pair.candidate.text)
    false = [_discrepancy(ErrorType.FABRICATION, candidate[words]) for words in candidate if words not in reference]
    omitted = [_discrepancy(ErrorType.OMISSION, reference[words]) for words in reference if words not in candidate]
    return Judgement(discrepancies=(*false, *omitted))


def _sentences(text: str) -> dict[frozenset[str], Span]:
    return {frozenset(tokens(match.group())): Span(*match.span()) for match in SENTENCE.finditer(text)}


def _discrepancy(kind: ErrorType, span: Span) -> Discrepancy:
    omitted = kind is ErrorType.OMISSION
    return Discrepancy(
        category=ErrorCategory.OMITTED_FINDING if omitted else ErrorCategory.FALSE_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=kind,
        severity=Severity.SIGNIFICANT,
        reason="judged significant",
        finding="",
        reference_spans=(span,) if omitted else (),
        candidate_spans=() if omitted else (span,),
    )
