"""The words that rules exchange, and how they are put into a text: in its case, and as whole words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from attrs import frozen
from cattrs import Converter

from overread.application.synthesis.injected._edit import Change, opens_sentence
from overread.domain.report import Span

__all__ = ["AddedFinding", "Table", "Wording", "exchanges", "fitted", "load_wording", "places_of"]

Table = Mapping[str, Sequence[str]]
"""Words in lower case, and what may stand in their place."""


@frozen
class AddedFinding:
    """Sentences that assert one finding of the lexicon."""

    finding: str
    text: tuple[str, ...]


@frozen
class Wording:
    """What ``wording.toml`` holds; see there."""

    opposite: Mapping[str, Table]
    wrong: Mapping[str, Table]
    same: Mapping[str, Table]
    added: Mapping[str, Table]
    dropped: Mapping[str, Table]
    degree: Table
    course: Table
    adjectives: tuple[str, ...]
    doubts: tuple[str, ...]
    removed: tuple[tuple[str, str], ...]
    raised: tuple[tuple[str, str], ...]
    findings: tuple[AddedFinding, ...]
    harmless: tuple[str, ...]


@cache
def load_wording() -> Wording:
    """The shipped words."""
    source = files("overread.application.synthesis.injected") / "data" / "wording.toml"
    table: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
    doubt, sentences = table.pop("doubt"), table.pop("sentences")
    table |= {
        "adjectives": doubt["adjectives"],
        "doubts": doubt["added"],
        "removed": doubt["removed"],
        "raised": doubt["raised"],
        "findings": sentences["finding"],
        "harmless": sentences["harmless"]["text"],
    }
    return Converter(forbid_extra_keys=True).structure(table, Wording)


def places_of(words: Iterable[str], text: str, span: Span) -> Iterator[re.Match[str]]:
    """Where any of the words stands in a part of a text, whole words only, longer entries first."""
    yield from _pattern(tuple(words)).finditer(text, span.start, span.end)


def exchanges(table: Table, text: str, span: Span) -> Iterator[Change]:
    """Every exchange of one entry of the table in a part of a text, each alternative for itself."""
    for match in places_of(table, text, span):
        for other in table[" ".join(match[0].lower().split())]:
            yield Change(match.start(), match.end(), fitted(other, text, match.start(), like=match[0]))


def fitted(words: str, text: str, at: int, like: str = "") -> str:
    """Words in the case of the text: capitals throughout, none at all, or one at the start of a sentence.

    Args:
        words: as they stand within a sentence.
        text: the report.
        at: where they are put in.
        like: the words in whose place they stand; empty for none.
    """
    letters = [c for c in text if c.isalpha()]
    if letters and all(c.isupper() for c in letters):
        return words.upper()
    if _mostly_upper(text, at):
        return words.upper()
    if letters and not any(c.isupper() for c in letters):
        return words.lower()
    if like[:1].isupper() and (not like.isupper() or opens_sentence(text, at)):
        return words[:1].upper() + words[1:]
    return words


def _mostly_upper(text: str, at: int) -> bool:
    """Whether the words around a place are all in capitals."""
    around = [c for c in text[max(0, at - 30) : at + 30] if c.isalpha()]
    return len(around) > 20 and sum(c.isupper() for c in around) > 0.9 * len(around)  # noqa: PLR2004


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    spaced = (re.escape(word).replace(r"\ ", r"\s+") for word in longest_first)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(spaced)})(?![\w-])", re.IGNORECASE)
