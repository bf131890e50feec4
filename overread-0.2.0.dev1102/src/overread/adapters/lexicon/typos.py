"""Mends misspelt words of the lexicon: a word that neither the lexicon nor an English dictionary knows.

Suggestions and the dictionary are symspellpy's. A word must be near just one word of the lexicon and begin as it does;
"perfusion" is no "effusion".
"""

from __future__ import annotations

from functools import cached_property
from importlib.resources import files
from typing import Final

from attrs import define, field
from symspellpy import SymSpell, Verbosity

__all__ = ["TypoMender"]

_DICTIONARY: Final = "frequency_dictionary_en_82_765.txt"

_SHORTEST: Final = 5
"""Shorter words are left alone: too many lie near each other."""

_LONG: Final = 8
"""From this length two letters may be wrong if both words have the same letters; else one."""


@define(eq=False, slots=False)
class TypoMender:
    """Turns misspelt words into words of a vocabulary.

    Attributes:
        vocabulary: every word the lexicon's terms hold, normalised.
        real: further words that are no typing mistakes.
    """

    vocabulary: frozenset[str] = field(repr=False)
    real: frozenset[str] = field(default=frozenset(), repr=False)

    def mend(self, word: str) -> str:
        """The word of the vocabulary that is meant, or the word itself.

        >>> mender = TypoMender(frozenset({"effusion", "pneumothorax"}))
        >>> mender.mend("pnuemothorax"), mender.mend("efusion"), mender.mend("perfusion"), mender.mend("heart")
        ('pneumothorax', 'effusion', 'perfusion', 'heart')
        """
        if len(word) < _SHORTEST or not word.isalpha() or word in self.vocabulary or word in self._known_words:
            return word
        distance = 2 if len(word) >= _LONG else 1
        suggestions = self._speller.lookup(word, Verbosity.CLOSEST, max_edit_distance=distance)
        near = [s.term for s in suggestions if s.term[0] == word[0] and (s.distance == 1 or set(s.term) == set(word))]
        return near[0] if len(near) == 1 else word

    @cached_property
    def _known_words(self) -> frozenset[str]:
        lines = (files("symspellpy") / _DICTIONARY).read_text(encoding="utf-8-sig").splitlines()
        return self.real.union(line.split()[0] for line in lines if line.strip())

    @cached_property
    def _speller(self) -> SymSpell:
        speller = SymSpell(max_dictionary_edit_distance=2, prefix_length=7)
        for word in sorted(self.vocabulary):
            if len(word) >= _SHORTEST and word.isalpha():
                speller.create_dictionary_entry(word, 1)
        return speller
