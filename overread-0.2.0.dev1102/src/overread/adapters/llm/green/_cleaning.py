"""Removal of what surrounds an answer's words: reasoning, chat turns, control tokens, fences, tags, emphasis."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from overread.application.asking.answers.json_answer import without_reasoning

__all__ = ["clean_answer"]

_TURN: Final = re.compile(r"<\|assistant\|>|<\|im_start\|>\s*assistant|\[/INST\]", re.IGNORECASE)
_ASKED: Final = re.compile(
    r"\s*(?:<s>\s*)?(?:<\|user\|>|<\|system\|>|<\|im_start\|>\s*(?:user|system)\b|\[INST\])", re.IGNORECASE
)
_TOKEN: Final = re.compile(
    r"</?s>|<unk>|<pad>|<[be]os>|<\|im_start\|>\s*assistant|<\|[a-z_0-9]{1,30}\|>|\[/INST\]|</?think(?:ing)?>",
    re.IGNORECASE,
)
_BLOCK_TAG: Final = re.compile(r"<br\s*/?>|</?(?:li|ul|ol|p|div|tr)>", re.IGNORECASE)
_INLINE_TAG: Final = re.compile(r"</?(?:b|i|em|strong|u|span|td|code)>", re.IGNORECASE)
_FENCE: Final = re.compile(r"^[ \t]*(?:```+|~~~+|\^\^\^+)[ \t]*[A-Za-z]*[ \t]*$", re.MULTILINE)
_EMPHASIS: Final = re.compile(r"\*\*|__|`|~~+|\^\^+")
_ESCAPE: Final = re.compile(r"\\([()\[\]*_.#{}-])")
_BLANKS: Final = re.compile(r"[^\S\n]+")
_BLANK_LINES: Final = re.compile(r"(?: ?\n){3,}")


def clean_answer(text: str, *, has_section: Callable[[str], bool]) -> str:
    """An answer's lines alone, with compatible characters as one (NFKC), invisible ones left out, and single blanks.

    Reasoning and a repeated request go where they stand before the answer. Where sections stand before the tag that
    would end them, nothing goes: the tag may be quoted from a report, and the sections the answer.

    Args:
        text: the answer.
        has_section: whether a text holds a section of the answer.
    """
    text = _visible(text).strip()
    text = _line_ends(_drop_request(_drop_reasoning(text, has_section)))
    text = _BLOCK_TAG.sub("\n", _TOKEN.sub("\n", text))
    text = _EMPHASIS.sub("", _FENCE.sub("", _INLINE_TAG.sub("", _ESCAPE.sub(r"\1", text))))
    return _BLANK_LINES.sub("\n\n", _BLANKS.sub(" ", "\n".join(text.splitlines())))


def _visible(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")


def _line_ends(text: str) -> str:
    return text if "\n" in text.strip() else text.replace("\\n", "\n")


def _drop_reasoning(text: str, has_section: Callable[[str], bool]) -> str:
    rest = without_reasoning(text)
    before = text.removesuffix(rest)
    return text if not before.startswith("<think") and has_section(before) else rest


def _drop_request(text: str) -> str:
    """The text from the assistant's first turn on, where it begins with the turn of another."""
    turn = _TURN.search(text) if _ASKED.match(text) else None
    return text[turn.end() :] if turn else text
