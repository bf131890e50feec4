"""Words: report text as normalised words that keep their character offsets.

Lower case; hyphens and slashes inside words part them; British spelling and frequent typos are mended; plurals become
singular; forms of "to be" become ``is``; articles and de-identification marks vanish. Matching works on these
words, so a lexicon term is written once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import field, frozen

from overread.adapters.lexicon.typos import TypoMender
from overread.domain.vocabulary.recent import Recent

__all__ = ["Normaliser", "Words", "normaliser_from"]

_TOKEN: Final = re.compile(
    r"""
      <unk>|\[\*\*.*?\*\*\]|_{2,}|\bx{3,}\b          # de-identification marks
    | \d+(?:\.\d+)?(?:st|nd|rd|th)?(?![a-z])          # numbers
    | \d+(?:\.\d+)?                                   # numbers glued to a unit
    | [^\W\d_]+\d*(?:['’][^\W\d_]+)?                  # words
    | [,;:.()?<>=&+%\#]                               # marks that bear on the reading
    | (?<=\s)[-–—]+(?=\s)                             # dashes between clauses
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DEIDENTIFIED: Final = re.compile(r"<unk>|\[\*\*.*\*\*\]|_{2,}|x{3,}", re.IGNORECASE)
_TO_BE: Final = frozenset({"is", "are", "was", "were", "be", "been", "being", "am"})
_ARTICLES: Final = frozenset({"a", "an", "the"})
_NEVER_PLURAL: Final = re.compile(r"(?:ss|us|is)$")
_SIBILANT_PLURAL: Final = re.compile(r"(?:x|ch|sh|ss|z)es$")

_CACHE_SIZE: Final = 50_000
_SHORTEST_PLURAL: Final = 4


@frozen
class Words:
    """Normalised words of a text; word ``i`` covers ``text[starts[i]:ends[i]]``."""

    words: tuple[str, ...] = field(repr=False)
    starts: tuple[int, ...]
    ends: tuple[int, ...]


@frozen
class Sign:
    """A mark that stands for a word where its patterns match: "#" for a fracture, before or behind a bone's name."""

    word: str
    _ahead: re.Pattern[str]
    _behind: re.Pattern[str]

    @classmethod
    def of(cls, mark: str, word: str, before: Iterable[str], over: Iterable[str], after: Iterable[str]) -> Sign:
        """A mark before one of some words, with others between, or behind one of others, where it begins no number.

        At the start of a heading it stands for nothing.
        """
        names, between, lead = ("|".join(map(re.escape, words)) for words in (before, over, after))
        ahead = rf"{re.escape(mark)}\s*(?:(?:{between})\s+){{0,5}}(?:{names})\b(?!\w*\s*:)"
        behind = rf"\s*(?:{lead}) {re.escape(mark)}(?!\s*\w)"
        return cls(word, re.compile(ahead, re.IGNORECASE), re.compile(behind, re.IGNORECASE))

    def stands(self, text: str, at: int) -> bool:
        """Return whether the mark at a place in a text stands for the word."""
        word = text.rfind(" ", 0, max(at - 1, 0)) + 1
        return bool(self._ahead.match(text, at) or self._behind.match(text, word))


@frozen(eq=False)
class Normaliser:
    """Turns text into `Words`.

    Attributes:
        spelling: variant to standard form, one word each.
        joined: pairs of words written as one, for example ("air", "space") to "airspace".
        signs: marks that stand for a word.
        singular: irregular plurals to their singular.
        keep: words in -s that are no plurals.
        typos: mends what is left misspelt, if given.
    """

    spelling: Mapping[str, str] = field(factory=dict, repr=False)
    joined: Mapping[tuple[str, str], str] = field(factory=dict, repr=False)
    signs: tuple[Sign, ...] = field(default=(), repr=False)
    singular: Mapping[str, str] = field(factory=dict, repr=False)
    keep: frozenset[str] = field(default=frozenset(), repr=False)
    typos: TypoMender | None = field(default=None, repr=False)
    _openers: frozenset[str] = field(init=False, repr=False)
    _cache: Recent[str, str] = field(factory=lambda: Recent(_CACHE_SIZE), init=False, repr=False)

    @_openers.default
    def _first_of_pairs(self) -> frozenset[str]:
        return frozenset(first for first, _ in self.joined)

    def words(self, text: str) -> Words:
        """The normalised words of a text.

        >>> Normaliser().words("No XXXX right-sided effusions.").words
        ('no', 'right', 'sided', 'effusion', '.')
        """
        words: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for match in _TOKEN.finditer(text):
            raw = match.group()
            word = self._word_of_mark(text, match.start()) if raw == "#" else self._word(raw)
            if not word:
                continue
            if words and (joined := self.joined.get((words[-1], word))):
                words[-1], ends[-1] = joined, match.end()
                continue
            words.append(word)
            starts.append(match.start())
            ends.append(match.end())
        return Words(tuple(words), tuple(starts), tuple(ends))

    def phrase(self, text: str) -> tuple[str, ...]:
        """The normalised words of a part of a lexicon term, without offsets."""
        return self.words(text).words

    def joins_any(self, words: Iterable[str]) -> bool:
        """True if one of these words may be written as one with the next."""
        return not self._openers.isdisjoint(words)

    def join(self, words: Iterable[str]) -> tuple[str, ...]:
        """Words with the pairs that are written as one joined, as `words` does in a text."""
        words = tuple(words)
        if self._openers.isdisjoint(words):
            return words
        result: list[str] = []
        for word in words:
            joined = self.joined.get((result[-1], word)) if result else None
            if joined:
                result[-1] = joined
            else:
                result.append(word)
        return tuple(result)

    def _word_of_mark(self, text: str, at: int) -> str:
        """The word that the mark at a place stands for, "" for none."""
        return next((sign.word for sign in self.signs if sign.stands(text, at)), "")

    def _word(self, token: str) -> str:
        cached = self._cache.get(token)
        if cached is None:
            cached = self._cache.keep(token, self._normalise(token))
        return cached

    def _normalise(self, token: str) -> str:
        if _DEIDENTIFIED.fullmatch(token):
            return ""
        word = token.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
        if word[0] in "-–—":
            return "-"
        if word in _ARTICLES:
            return ""
        if word in _TO_BE:
            return "is"
        word = self.spelling.get(word, word)
        singular = self._singular(word)
        singular = self.spelling.get(singular, singular)
        return singular if self.typos is None else self.typos.mend(singular)

    def _singular(self, word: str) -> str:
        if word in self.singular:
            return self.singular[word]
        if len(word) < _SHORTEST_PLURAL or not word.endswith("s") or word in self.keep or _NEVER_PLURAL.search(word):
            return word
        if word.endswith("ies") and len(word) > _SHORTEST_PLURAL:
            return word[:-3] + "y"
        if _SIBILANT_PLURAL.search(word):
            return word[:-2]
        return word[:-1]


def normaliser_from(data: Mapping[str, object]) -> Normaliser:
    """A normaliser from the tables of ``spelling.toml``."""
    plural = _table(data.get("plural"))
    joined: Any = data.get("joined", [])
    signs: Any = data.get("sign", [])
    return Normaliser(
        spelling={str(k): str(v) for k, v in _table(data.get("spelling")).items()},
        signs=tuple(Sign.of(s["mark"], s["word"], s["before"], s["over"], s["after"]) for s in signs),
        joined={(str(j["words"][0]), str(j["words"][1])): str(j["to"]) for j in joined},
        singular={str(k): str(v) for k, v in _table(plural.get("irregular")).items()},
        keep=frozenset(map(str, plural.get("keep", []))),
    )


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
