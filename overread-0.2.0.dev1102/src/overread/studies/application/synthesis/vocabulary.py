"""Words for words: where the tables of ``data`` are read, how their words are found in a text, and in which case."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeVar

from attrs import frozen
from cattrs import Converter

__all__ = ["Vocabulary", "any_of", "load_table", "load_vocabulary", "match_case", "opens_sentence", "table_text"]

T = TypeVar("T")


@frozen
class Vocabulary:
    """Words for words; see the head of ``surface.toml``."""

    british: Mapping[str, tuple[str, ...]]
    abbreviations: Mapping[str, tuple[str, ...]]
    slips: Mapping[str, tuple[str, ...]]
    synonyms: Mapping[str, tuple[str, ...]]
    lines: Mapping[str, tuple[str, ...]]


@cache
def load_vocabulary() -> Vocabulary:
    """The shipped vocabulary."""
    return load_table("surface", Vocabulary)


def load_table(name: str, kind: type[T]) -> T:
    """Loads ``data/NAME.toml``; a key that the class does not know is an error."""
    return Converter(forbid_extra_keys=True).structure(tomllib.loads(table_text(name)), kind)


def table_text(name: str) -> str:
    """``data/NAME.toml`` as it stands."""
    return (files("overread.studies.application.synthesis") / "data" / f"{name}.toml").read_text(encoding="utf-8")


@lru_cache(maxsize=1024)
def any_of(words: tuple[str, ...], *, wrapped: bool = False) -> re.Pattern[str]:
    """Any of the words, whole ones in any case, longer ones first.

    Args:
        words: to look for.
        wrapped: whether the text is someone's own, whose lines may break anywhere and whose hyphens join words.
    """
    patterns = [re.escape(word) for word in sorted(words, key=len, reverse=True)]
    if wrapped:
        spaced = (word.replace(r"\ ", r"\s+") for word in patterns)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(spaced)})(?![\w-])", re.IGNORECASE)
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


def match_case(words: str, text: str, at: int, like: str = "") -> str:
    """Words in the case of the text: capitals throughout, none at all, or one at the start of a sentence.

    Args:
        words: as they stand within a sentence.
        text: the report.
        at: where they are put in.
        like: the words in whose place they stand; empty for none.
    """
    if text.isupper() or _mostly_upper(text, at):
        return words.upper()
    if text.islower():
        return words.lower()
    if like[:1].isupper() and (not like[:2].isupper() or opens_sentence(text, at)):
        return words[:1].upper() + words[1:]
    return words


def opens_sentence(text: str, start: int) -> bool:
    """Returns whether a position is the start of a sentence, a line or an item of a list."""
    before = text[:start].rstrip(" ")
    return not before or before[-1] in ".\n:;-*!?"


def _mostly_upper(text: str, at: int) -> bool:
    """Returns whether the words around a position are mostly in capitals."""
    around = [c for c in text[max(0, at - 30) : at + 30] if c.isalpha()]
    return len(around) > 20 and sum(c.isupper() for c in around) > 0.9 * len(around)  # noqa: PLR2004
