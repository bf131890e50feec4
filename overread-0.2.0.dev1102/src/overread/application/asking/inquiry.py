"""Inquiries: asking a language model until its answer can be read, and keeping every answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Generic, TypeVar

from attrs import evolve, field, frozen

from overread.application.asking.control_tokens import inert
from overread.application.asking.placeholders import holds_placeholder
from overread.application.ports import AnswerStore, LanguageModel, Message, Request
from overread.domain.results.answer import Answer, Completion, Finish
from overread.domain.results.result import AnswerEvidence, Unscored

__all__ = ["Inquiry", "Plan", "Question", "Reply", "UnreadableAnswerError"]

T = TypeVar("T")

_NOT_KEPT: Final = Unscored("not asked", "no answer to this request is kept, and none may be asked for")
_NOT_GIVEN: Final = Unscored("no answer", "the model gave no answer to this request")
_NOT_ENDED: Final = Unscored("no answer", "the model did not say that its answer is complete")
_OWN_WORDS: Final = "Answer again, without any word that begins with XX: other words belong in its place."
_FINISHES: Final = {
    Finish.LENGTH: ("cut off", "the answer was cut off at its maximum length"),
    Finish.REFUSAL: ("refusal", "the model refused to answer"),
}


class UnreadableAnswerError(ValueError):
    """An answer that cannot be read.

    Attributes:
        reason: a short stable code, as of an `Unscored`.
        detail: a sentence for people, without words of the answer or of a report.
        remedy: a sentence for the model: what a repaired answer must be.
    """

    def __init__(self, reason: str, detail: str, remedy: str = "") -> None:
        self.reason = reason
        self.detail = detail
        self.remedy = remedy
        super().__init__(f"{reason}: {detail}")


@frozen
class Question(Generic[T]):
    """A request, the prompt it was made from, and how to read the answer.

    Attributes:
        prompt: the prompt's identity.
        read: what an answer's text means; raises `UnreadableAnswerError`.
    """

    prompt: str
    request: Request
    read: Callable[[str], T] = field(repr=False)


@frozen
class Reply(Generic[T]):
    """Outcome of asking a question: the value read or why there is none, and every answer on the way."""

    value: T | Unscored = field(repr=False)
    answers: tuple[Answer, ...] = ()


@frozen
class Plan:
    """Plan of asking: first requests that are not kept yet, their tokens, and the most tokens of their answers."""

    requests: int
    kept: int
    prompt_tokens: int
    answer_tokens: int


@frozen(eq=False)
class Inquiry:
    """Asks a model many questions at once, each until its answer can be read or its repairs are used up.

    An answer is kept as it comes, under a key that covers the model's identity and the whole conversation; what is
    kept is not asked again. Where two processes with one store ask the same at the same time, both ask, and both
    report the answer that was kept first. An answer that ended in some other way than of itself, at its greatest
    length or in a refusal may be a part of one: it is "no answer", and is not kept.

    An answer that cannot be read is sent back with what is wrong with it, ``repairs`` times at most; one that was
    refused is not.

    Attributes:
        repairs: 0 or more.
    """

    model: LanguageModel
    answers: AnswerStore | None = None
    repairs: int = 1

    def ask(self, questions: Sequence[Question[T]]) -> list[Reply[T]]:
        """The reply to each question, in order."""
        replies: list[Reply[T]] = [Reply(_NOT_KEPT)] * len(questions)
        open_: Mapping[int, Question[T]] = dict(enumerate(questions))
        for attempt in range(1, self.repairs + 2):
            again: dict[int, Question[T]] = {}
            completions = self._completions(list(open_.values()))
            for (index, question), (key, completion, asked) in zip(open_.items(), completions, strict=True):
                before = replies[index].answers
                if isinstance(completion, Unscored):
                    if completion is not _NOT_KEPT or not before:  # else what the kept answer came to stands
                        replies[index] = _unanswered_reply(completion, replies[index])
                    continue
                answer = Answer(key, question.prompt, completion, attempt, asked=asked)
                reply, remedy = _read(question, answer, before)
                replies[index] = reply
                if remedy and isinstance(reply.value, Unscored):
                    again[index] = _repair_question(question, completion, remedy)
            open_ = again
            if not open_:
                break
        return replies

    def plan(self, questions: Sequence[Question[T]]) -> Plan:
        """Plan the first attempt at each question; nothing is asked."""
        requests = {self._key(question.request): question.request for question in questions}
        stored = self._find_stored(list(requests))
        missing = [request for key, request in requests.items() if key not in stored]
        return Plan(
            requests=len(missing),
            kept=len(questions) - len(missing),
            prompt_tokens=sum(map(self.model.count_tokens, missing)),
            answer_tokens=sum(request.max_tokens for request in missing),
        )

    def _completions(self, questions: Sequence[Question[T]]) -> Iterator[tuple[str, Completion | Unscored, bool]]:
        """Key, completion and whether it was asked for now, of each question; equal requests are asked once."""
        keys = [self._key(question.request) for question in questions]
        stored = self._find_stored(keys)
        missing = {key: question for key, question in zip(keys, questions, strict=True) if key not in stored}
        fresh = self._ask_model(missing)
        for key in keys:
            yield key, stored[key] if key in stored else fresh[key], key not in stored

    def _ask_model(self, questions: Mapping[str, Question[T]]) -> dict[str, Completion | Unscored]:
        if not questions or (self.answers is not None and self.answers.only_kept):
            return dict.fromkeys(questions, _NOT_KEPT)
        completions: dict[str, Completion | Unscored] = dict.fromkeys(questions, _NOT_GIVEN)
        keys, model = list(questions), self.model.identity
        for index, completion in self.model.complete([question.request for question in questions.values()]):
            key = keys[index]
            completions[key] = _NOT_ENDED if _is_open(completion) else completion
            if self.answers is not None and isinstance(completion, Completion) and not _is_open(completion):
                self.answers.add(key, completion, prompt=questions[key].prompt, model=model)
        return {**completions, **self._find_stored(keys)}

    def _find_stored(self, keys: Sequence[str]) -> Mapping[str, Completion]:
        stored = self.answers.find(keys) if self.answers is not None and keys else {}
        return {key: completion for key, completion in stored.items() if not _is_open(completion)}

    def _key(self, request: Request) -> str:
        messages = [[message.role, message.text] for message in request.messages]
        parts = [self.model.identity, messages, request.schema, request.max_tokens]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _is_open(completion: Completion | Unscored) -> bool:
    return isinstance(completion, Completion) and completion.finish is Finish.OTHER


def _read(question: Question[T], answer: Answer, before: tuple[Answer, ...]) -> tuple[Reply[T], str]:
    """The reply with one more answer, and what to ask for if it could not be read ("" for nothing)."""
    try:
        value = question.read(_whole(answer.completion))
    except UnreadableAnswerError as error:
        answers = (*before, evolve(answer, outcome=error.reason))
        failed = Unscored(error.reason, error.detail, AnswerEvidence(answers=answers))
        return Reply(failed, answers), "" if error.reason == "refusal" else error.remedy or "Answer again."
    return Reply(value, (*before, answer)), ""


def _whole(completion: Completion) -> str:
    if completion.finish in _FINISHES:
        raise UnreadableAnswerError(*_FINISHES[completion.finish], remedy="Answer again, and more briefly.")
    if holds_placeholder(completion.text):
        raise UnreadableAnswerError("unreadable answer", "the answer repeats the example of the prompt", _OWN_WORDS)
    return completion.text


def _unanswered_reply(why: Unscored, before: Reply[T]) -> Reply[T]:
    """An answer that was cut off and leaves no room to send it back stays so: more room is what it wants."""
    if not before.answers:
        return Reply(why)
    cut, _ = _FINISHES[Finish.LENGTH]
    if why.reason == "too long" and isinstance(before.value, Unscored) and before.value.reason == cut:
        detail = f"{before.value.detail}; sending it back would be too long for the model"
        return Reply(evolve(before.value, detail=detail), before.answers)
    return Reply(evolve(why, evidence=AnswerEvidence(answers=before.answers)), before.answers)


def _repair_question(question: Question[T], completion: Completion, remedy: str) -> Question[T]:
    turns = (Message("assistant", inert(completion.text)), Message("user", remedy))
    return evolve(question, request=evolve(question.request, messages=(*question.request.messages, *turns)))
