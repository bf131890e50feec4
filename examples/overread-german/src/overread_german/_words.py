"""The words that the reader knows, from the two files beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

from attrs import frozen

Pattern = list[dict[str, Any]]
"""A pattern of spaCy's Matcher: what each token must be."""

_SPELLINGS = {"ä": "(ä|ae)", "ö": "(ö|oe)", "ü": "(ü|ue)", "ß": "(ß|ss)"}
_GAP: Mapping[str, Any] = {"OP": "?", "TEXT": {"NOT_IN": [",", ";", ".", ":"]}}
_WIDEST_GAP = 4


@frozen
class Words:
    """Patterns by table and label, cues by category and direction, and a digest of both files."""

    tables: Mapping[str, Mapping[str, list[Pattern]]]
    cues: tuple[tuple[str, str, str, Pattern], ...]
    digest: str


def load_words() -> Words:
    """Load what the two files hold."""
    texts = [
        files("overread_german").joinpath(name).read_text(encoding="utf-8") for name in ("lexicon.toml", "cues.toml")
    ]
    lexicon, cues = map(tomllib.loads, texts)
    return Words(
        tables={
            table: {label: list(map(_pattern, terms)) for label, terms in rows.items()}
            for table, rows in lexicon.items()
        },
        cues=tuple(
            (cue["category"], cue["direction"], term, _pattern(term)) for cue in cues["cue"] for term in cue["terms"]
        ),
        digest=sha256("".join(texts).encode()).hexdigest()[:8],
    )


def _pattern(term: str) -> Pattern:
    return [token for word in term.split() for token in _tokens(word)]


def _tokens(word: str) -> Iterable[dict[str, Any]]:
    if word == "...":
        return [dict(_GAP) for _ in range(_WIDEST_GAP)]
    spelled = "".join(_SPELLINGS.get(letter, letter) for letter in word)
    return [{"LOWER": {"REGEX": f"^(?:{spelled})$"}}]
