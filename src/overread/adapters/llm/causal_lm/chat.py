"""Conversations as the one text that a causal model continues; training and answering must agree on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

from attrs import field, frozen
from jinja2 import TemplateError

from overread.adapters.checkpoints.tokenizers import readable
from overread.application.ports import Message
from overread.exceptions import ConfigurationError

__all__ = ["Chat", "ChatStyle", "ConversationError"]

ChatStyle = Literal["auto", "template", "green", "plain"]

_TAGS: Final = {"system": "<|system|>", "user": "<|user|>", "assistant": "<|assistant|>"}
_BLANK_LINE: Final = "\n\n"
_MARK: Final = "overread"
_NO_CLOCK: Final = "{% macro strftime_now(format) %}26 Jul 2024{% endmacro %}"
"""Put before a template: one that tells the model today's date would have it answer otherwise tomorrow."""
_TEMPLATE_ERRORS: Final = (TemplateError, TypeError, ValueError)


class ConversationError(ValueError):
    """A conversation that the model's chat template does not accept."""


@frozen(eq=False)
class Chat:
    """How a tokenizer's model is spoken to.

    - "template": the tokenizer's own chat template. Where it takes no system turn, that turn is put before the first
      user turn, a blank line between them.
    - "green": as GREEN-radllama2 is asked by its release: each turn is a tag on a line of its own, the text and EOS;
      an empty assistant turn follows, and then the assistant's tag again.
    - "plain": the texts of the turns, with a blank line after each.

    A control token that is spelt out in a turn's text is taken apart by a space, so that no report can end its turn.

    Attributes:
        style: "template", "green" or "plain".
        ending: the special token with which the model ends a turn, "" if it has none.
    """

    style: Literal["template", "green", "plain"]
    ending: str
    _tokenizer: Any = field(repr=False)
    _controls: re.Pattern[str] = field(repr=False)
    _takes_system: bool = True

    @classmethod
    def of(cls, tokenizer: Any, style: ChatStyle = "auto") -> Chat:
        """The conversation style of a tokenizer; "auto" is its chat template where it has one, else "plain".

        Raises:
            ConfigurationError: if "template" is asked for and there is none, or none that works.
        """
        templated = bool(tokenizer.chat_template)
        if style == "template" and not templated:
            raise ConfigurationError(
                ["chat=template: this tokenizer has no chat template; set chat=auto, plain or green"]
            )
        chosen = ("template" if templated else "plain") if style == "auto" else style
        controls = sorted(_special(tokenizer) | ({*_TAGS.values()} if chosen == "green" else set()), key=len)
        pattern = re.compile("|".join(re.escape(token) for token in reversed(controls)) or "(?!)")
        ending = tokenizer.eos_token or ""
        if chosen != "template":
            return cls(chosen, ending, tokenizer, pattern)
        try:
            answered = _rendered(tokenizer, [Message("user", "?"), Message("assistant", _MARK)], ask=False)
        except _TEMPLATE_ERRORS as error:
            raise ConfigurationError(
                [f"the chat template of this tokenizer cannot be used ({type(error).__name__}); set chat=plain"]
            ) from error
        after = pattern.search(answered.rpartition(_MARK)[2])
        return cls(chosen, after[0] if after else ending, tokenizer, pattern, _takes_system_turns(tokenizer))

    def text(self, messages: Sequence[Message]) -> str:
        """The conversation up to where the model's answer begins.

        Raises:
            ConversationError: if the chat template does not accept it, for example two user turns in a row.
        """
        turns = [Message(message.role, self._inert(message.text)) for message in messages]
        if self.style == "plain":
            return "".join(f"{turn.text}{_BLANK_LINE}" for turn in turns)
        if self.style == "green":
            said = [f"{_TAGS[turn.role]}\n{turn.text}{self.ending}\n" for turn in (*turns, Message("assistant", ""))]
            return f"{''.join(said)}{_TAGS['assistant']}\n"
        try:
            return _rendered(self._tokenizer, turns if self._takes_system else _joined(turns), ask=True)
        except _TEMPLATE_ERRORS:
            raise ConversationError("the model's chat template does not accept this conversation") from None

    def ids(self, messages: Sequence[Message]) -> list[int]:
        """Token ids of `text`.

        A template writes every special token itself. In the other styles the tokenizer adds its own, BOS for example;
        an EOS at the end of plain text, behind which there would be nothing to continue, is left out.

        Raises:
            ConversationError: as `text` does.
        """
        added = self.style != "template"
        ids: list[int] = self._tokenizer(self.text(messages), add_special_tokens=added)["input_ids"]
        closed = added and self.style == "plain" and bool(ids) and ids[-1] == self._tokenizer.eos_token_id
        return ids[:-1] if closed else ids

    def _inert(self, text: str) -> str:
        return self._controls.sub(lambda token: f"{token[0][0]} {token[0][1:]}", readable(text))


def _special(tokenizer: Any) -> set[str]:
    added = {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special}
    return {token for token in added | set(tokenizer.all_special_tokens) if len(token) > 1}


def _rendered(tokenizer: Any, messages: Sequence[Message], *, ask: bool) -> str:
    turns = [{"role": message.role, "content": message.text} for message in messages]
    template = _NO_CLOCK + tokenizer.get_chat_template()
    text: str = tokenizer.apply_chat_template(turns, chat_template=template, tokenize=False, add_generation_prompt=ask)
    return text


def _takes_system_turns(tokenizer: Any) -> bool:
    """Whether a system turn shows in the text; templates without one raise, or drop it."""
    try:
        return _MARK in _rendered(tokenizer, [Message("system", _MARK), Message("user", "?")], ask=True)
    except _TEMPLATE_ERRORS:
        return False


def _joined(turns: Sequence[Message]) -> list[Message]:
    """The conversation with its system turns before the first user turn's text."""
    system = [turn.text for turn in turns if turn.role == "system"]
    others = [turn for turn in turns if turn.role != "system"]
    if not system or not others:
        return list(turns)
    return [Message(others[0].role, _BLANK_LINE.join([*system, others[0].text])), *others[1:]]
