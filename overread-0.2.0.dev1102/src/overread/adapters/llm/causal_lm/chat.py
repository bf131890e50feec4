"""Conversations as the one text that a causal model continues; training and answering must agree on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

from attrs import field, frozen

from overread.adapters.checkpoints.tokenizers import readable
from overread.adapters.llm.causal_lm._templates import TemplateProblemError, render_template
from overread.application.asking.control_tokens import MARKS
from overread.application.asking.template_probes import REPAIR, SYSTEM, USER, lost_turns
from overread.application.ports import Message
from overread.exceptions import ConfigurationError

__all__ = ["Chat", "ChatStyle", "ConversationError"]

ChatStyle = Literal["auto", "template", "green", "plain"]

_TAGS: Final = {"system": "<|system|>", "user": "<|user|>", "assistant": "<|assistant|>"}
_BLANK_LINE: Final = "\n\n"
_MARK: Final = "overread"
_NO_CLOCK: Final = "{% macro strftime_now(format) %}26 Jul 2024{% endmacro %}"
"""Put before a template: one that tells the model today's date would have it answer otherwise tomorrow."""
_NEUTRAL: Final = "x"


class ConversationError(ValueError):
    """A conversation that the model's chat template does not accept, or in which a text speaks with control tokens."""


@frozen(eq=False)
class Chat:
    """The conversation style of a tokenizer's model.

    - "template": the tokenizer's own chat template. Where it takes no system turn, that turn is put before the first
      user turn, with a blank line between them.
    - "green": as GREEN-radllama2 is asked by its release (0.0.12): each turn is a tag on its own line, the text and
      EOS; an empty assistant turn follows, and then the assistant's tag again. Its tokenizer closes the whole with one
      more EOS, after which the model answers; the same holds here, whether or not the tokenizer adds it itself.
    - "plain": the texts of the turns, with a blank line after each.

    A control token that is spelt out in a turn's text is split by a space, so that no report can end its turn; a
    conversation that still contains one is refused.

    Attributes:
        style: "template", "green" or "plain".
        ending: the special token with which the model ends a turn, "" if it has none.
    """

    style: Literal["template", "green", "plain"]
    ending: str
    _tokenizer: Any = field(repr=False)
    _controls: re.Pattern[str] = field(repr=False)
    _control_ids: frozenset[int] = field(repr=False)
    _takes_system: bool = True
    _known: dict[tuple[Message, ...], list[int]] = field(factory=dict, init=False, repr=False)

    @property
    def identity(self) -> str:
        """The style; that of a release with its version."""
        return "green-0.0.12" if self.style == "green" else self.style

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
        known = _controls(tokenizer)
        controls = sorted(set(known) | ({*_TAGS.values()} if chosen == "green" else set()), key=len)
        ids = frozenset(known.values()) - {tokenizer.unk_token_id}
        pattern = re.compile("|".join(re.escape(token) for token in reversed(controls)) or "(?!)")
        ending = tokenizer.eos_token or ""
        if chosen != "template":
            return cls(chosen, ending, tokenizer, pattern, ids)
        try:
            answered = _render_turns(tokenizer, [Message("user", "?"), Message("assistant", _MARK)], ask=False)
        except ValueError as error:
            why = str(error) if isinstance(error, TemplateProblemError) else type(error).__name__
            raise ConfigurationError(
                [f"the chat template of this tokenizer cannot be used ({why}); set chat=plain"]
            ) from error
        _check_whole(tokenizer)
        after = pattern.search(answered.rpartition(_MARK)[2])
        return cls(chosen, after[0] if after else ending, tokenizer, pattern, ids, _takes_system_turns(tokenizer))

    def text(self, messages: Sequence[Message]) -> str:
        """The conversation up to where the model's answer begins.

        Raises:
            ConversationError: if the chat template does not accept it, for example two user turns in a row.
        """
        turns = [Message(message.role, self._inert(message.text)) for message in messages]
        if self.style == "plain":
            return "".join(f"{turn.text}{_BLANK_LINE}" for turn in turns)
        if self.style == "green":
            parts = [f"{_TAGS[turn.role]}\n{turn.text}{self.ending}\n" for turn in (*turns, Message("assistant", ""))]
            return f"{''.join(parts)}{_TAGS['assistant']}\n"
        try:
            return _render_turns(self._tokenizer, turns if self._takes_system else _join_system_turns(turns), ask=True)
        except ValueError:
            raise ConversationError("the model's chat template does not accept this conversation") from None

    def ids(self, messages: Sequence[Message]) -> list[int]:
        """Token ids of `text`.

        A template writes every special token itself. In the other styles the tokenizer adds its own, BOS for example.
        An EOS at the end of plain text, behind which there would be nothing to continue, is left out; "green" ends with
        exactly one.

        Raises:
            ConversationError: as `text` does; and if the ids hold other control tokens than those of the same turns
                with other words.
        """
        ids = self._encode(messages)
        if self._select_control_ids(ids) != self._expected_control_ids(messages):
            raise ConversationError("a text contains a control token of the model that cannot be escaped")
        ending = self._tokenizer.eos_token_id
        if self.style == "template" or ending is None:
            return ids
        bare = ids[:-1] if ids and ids[-1] == ending else ids
        return [*bare, ending] if self.style == "green" else bare

    def _encode(self, messages: Sequence[Message]) -> list[int]:
        added = self.style != "template"
        ids: list[int] = self._tokenizer(self.text(messages), add_special_tokens=added)["input_ids"]
        return ids

    def _expected_control_ids(self, messages: Sequence[Message]) -> list[int]:
        neutral = tuple(Message(turn.role, _NEUTRAL if turn.text.strip() else turn.text) for turn in messages)
        if neutral not in self._known:
            self._known[neutral] = self._select_control_ids(self._encode(neutral))
        return self._known[neutral]

    def _select_control_ids(self, ids: Sequence[int]) -> list[int]:
        return [number for number in ids if number in self._control_ids]

    def _inert(self, text: str) -> str:
        return self._controls.sub(lambda token: f"{token[0][0]} {token[0][1:]}", readable(text))


def _controls(tokenizer: Any) -> dict[str, int]:
    """Ids of the control tokens: the special ones, and of those added, such as ``<think>``, what stands in brackets."""
    added = tokenizer.added_tokens_decoder.items()
    known = {str(token): number for number, token in added if token.special or MARKS & set(str(token))}
    special = {token: tokenizer.convert_tokens_to_ids(token) for token in tokenizer.all_special_tokens}
    return {token: number for token, number in (known | special).items() if len(token) > 1}


def _render_turns(tokenizer: Any, messages: Sequence[Message], *, ask: bool) -> str:
    turns = [{"role": message.role, "content": message.text} for message in messages]
    return render_template(_NO_CLOCK + tokenizer.get_chat_template(), turns, tokenizer.special_tokens_map, ask=ask)


def _check_whole(tokenizer: Any) -> None:
    """Reports that a template leaves out would be judged unread."""
    for conversation in (USER, REPAIR):
        try:
            lost = lost_turns(conversation, _render_turns(tokenizer, conversation, ask=True))
        except ValueError:  # told of each such conversation
            continue
        if lost:
            roles = " and ".join(lost)
            raise ConfigurationError(
                [f"the chat template of this tokenizer leaves out what the {roles} says; set chat=plain"]
            )


def _takes_system_turns(tokenizer: Any) -> bool:
    """Returns whether a system turn appears in the text; templates that take none raise an error or drop it."""
    try:
        return not lost_turns(SYSTEM, _render_turns(tokenizer, SYSTEM, ask=True))
    except ValueError:
        return False


def _join_system_turns(turns: Sequence[Message]) -> list[Message]:
    """The conversation with its system turns before the first user turn's text."""
    system = [turn.text for turn in turns if turn.role == "system"]
    others = [turn for turn in turns if turn.role != "system"]
    if not system or not others:
        return list(turns)
    return [Message(others[0].role, _BLANK_LINE.join([*system, others[0].text])), *others[1:]]
