"""Patterns: the small language of the lexicon's terms, words, ``a|b`` alternatives, ``word?`` options and ``*`` gaps.

A term is matched against normalised words: in lower case, in the singular, without articles. ``*`` stands for zero to
three words that are neither punctuation nor able to turn a statement round (`GAP_FORBIDDEN`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, MutableMapping
from typing import Final

from attrs import frozen

__all__ = ["GAP_FORBIDDEN", "GAP_LENGTH", "Element", "expand", "parse_term"]

GAP_LENGTH: Final = 3
"""Most words a ``*`` spans."""

GAP_FORBIDDEN: Final = frozenset(
    {
        "no",
        "not",
        "without",
        "nor",
        "and",
        "or",
        "but",
        "with",
        "which",
        "there",
        ",",
        ";",
        ":",
        ".",
        "(",
        ")",
        "?",
        "-",
    }
)
"""Words and marks that a ``*`` never crosses."""


@frozen
class Element:
    """One element of a term: alternatives for a word, possibly optional; no alternatives means a gap."""

    alternatives: tuple[str, ...]
    optional: bool = False

    @property
    def is_gap(self) -> bool:
        """True if this is ``*``."""
        return not self.alternatives


def parse_term(
    term: str,
    normalise: Callable[[str], tuple[str, ...]],
    known: MutableMapping[str, tuple[Element, ...]] | None = None,
) -> tuple[Element, ...]:
    """The elements of a term, its words normalised.

    Args:
        term: as it is written in the lexicon.
        normalise: the words that a word of it stands for.
        known: elements of the parts that other terms had, and soon of this one's: most parts stand in many terms.

    Raises:
        ValueError: if the term is empty, begins or ends with a gap, or has nothing but optional words.

    >>> [e.alternatives for e in parse_term("heart|cardiac * large?", lambda word: (word,))]
    [('heart', 'cardiac'), (), ('large',)]
    """
    known = {} if known is None else known
    elements: list[Element] = []
    for part in term.split():
        read = known.get(part)
        if read is None:
            read = known[part] = tuple(_elements(part, normalise))
        elements.extend(read)
    if not any(not e.optional and not e.is_gap for e in elements):
        msg = f"term {term!r} has no required word"
        raise ValueError(msg)
    if elements[0].is_gap or elements[-1].is_gap:
        msg = f"term {term!r} begins or ends with a gap"
        raise ValueError(msg)
    return tuple(elements)


def _elements(part: str, normalise: Callable[[str], tuple[str, ...]]) -> Iterator[Element]:
    if part == "*":
        yield Element(())
        return
    optional = len(part) > 1 and part.endswith("?")
    choices = (
        [normalise(choice) for choice in part.removesuffix("?").split("|")]
        if optional
        else [normalise(choice) for choice in part.split("|")]
    )
    choices = [choice for choice in choices if choice]
    if not choices:
        return
    if all(len(choice) == 1 for choice in choices):
        yield Element(tuple(dict.fromkeys(choice[0] for choice in choices)), optional)
    elif len(choices) == 1:
        yield from (Element((word,), optional) for word in choices[0])
    else:
        msg = f"alternative {part!r} holds a word of several parts; write two terms"
        raise ValueError(msg)


def expand(elements: tuple[Element, ...], limit: int = 400) -> list[tuple[str, ...]] | None:
    """Every plain phrase a term without gaps stands for; None for a gapped term or one of more than ``limit``.

    >>> expand((Element(("lung",)), Element(("is",), optional=True), Element(("clear",))))
    [('lung', 'is', 'clear'), ('lung', 'clear')]
    """
    if any(element.is_gap for element in elements):
        return None
    choices = [(*e.alternatives, "") if e.optional else e.alternatives for e in elements]
    size = 1
    for choice in choices:
        size *= len(choice)
    if size > limit:
        return None
    phrases: Iterator[tuple[str, ...]] = itertools.product(*choices)
    if any(element.optional for element in elements):
        phrases = (tuple(filter(None, phrase)) for phrase in phrases)
    return list(dict.fromkeys(phrases))
