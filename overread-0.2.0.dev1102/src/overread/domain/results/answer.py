"""Answers of language models: what was asked of whom, what came back, and whether it could be read."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

__all__ = ["Answer", "Completion", "Finish"]


class Finish(StrEnum):
    """Reason why a model stopped."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    OTHER = "other"


@frozen
class Completion:
    """Answer of a model to one request.

    Attributes:
        text: as it came, untouched.
        finish: why it ended; `Finish.LENGTH` means that it was cut off.
        model: the name under which the server answered, with a revision if it gives one.
        prompt_tokens, completion_tokens: as the model counted them, None where it does not say.
    """

    text: str = field(repr=False)
    finish: Finish = Finish.STOP
    model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@frozen
class Answer:
    """A completion, the request it belongs to, and what reading it came to.

    Attributes:
        key: digest of the request and of the model's identity; an answer is kept and found again under it.
        prompt: name, version and digest of the prompt.
        attempt: 1 for the first answer to a question, 2 for the answer to the first request for repair.
        outcome: "read", or the reason why it could not be.
        asked: whether it was asked for now, False if it was found among kept answers.
    """

    key: str
    prompt: str
    completion: Completion
    attempt: int = 1
    outcome: str = "read"
    asked: bool = True
