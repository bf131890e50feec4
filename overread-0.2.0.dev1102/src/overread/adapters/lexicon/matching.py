"""Finds the lexicon's terms in a sentence's words.

Plain phrases are looked up by their words. A gapped term ("heart * enlarged") is tried only in sentences that hold one
word of each of its required elements, and there only where one of its first words stands.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from attrs import define, evolve, field, frozen

from overread.adapters.lexicon.words import Normaliser
from overread.domain.findings.lexicon import Lexicon
from overread.domain.vocabulary.patterns import GAP_FORBIDDEN, GAP_LENGTH, Element, expand, parse_term

__all__ = ["Match", "Parsed", "RuleMatcher", "Term", "target_terms"]

Parsed = Mapping[str, tuple[Element, ...]]


@frozen
class Term:
    """A term of the lexicon, its label, and what it means."""

    text: str
    label: str
    meaning: tuple[str, ...]


def target_terms(lexicon: Lexicon) -> Iterator[Term]:
    """The terms of findings and normal statements, in the order in which they take a wording that several have.

    A kind of a finding comes before it, whatever the order of the files.
    """
    for finding in sorted(lexicon.findings.values(), key=lambda finding: -len(lexicon.ancestors(finding.id))):
        for text in finding.terms:
            yield Term(text, "FINDING", (finding.id,))
    for normal in lexicon.normals.values():
        for text in normal.terms:
            yield Term(text, "NORMAL", (normal.id,))
            if (denied := _denial_of(text)) and normal.denies:
                yield Term(denied, "FINDING", (normal.denies[0],))


def _denial_of(term: str) -> str | None:
    """A normal statement turned round: "lungs are not clear" asserts what clear lungs exclude first of all."""
    parts = term.split()
    verb = next((i for i, part in enumerate(parts) if part in {"is", "is?"}), None)
    if verb is None or not {"not", "no", "*"}.isdisjoint(parts):
        return None
    return " ".join([*parts[:verb], "is", "not", *parts[verb + 1 :]])


@frozen
class Match:
    """A term found at words ``[start, end)``.

    Attributes:
        order: the term's place in the lexicon.
        spanned: words between that its gaps span, and that it does not name.
    """

    term: Term
    start: int
    end: int
    order: int
    spanned: int = 0


@frozen(eq=False)
class _Gapped:
    """A gapped term: its elements, the words it needs, and those it can begin with."""

    term: Term
    order: int
    elements: tuple[Element, ...]
    required: tuple[frozenset[str], ...]
    heads: frozenset[str]

    @classmethod
    def of(cls, term: Term, order: int, elements: tuple[Element, ...]) -> _Gapped:
        first = next(i for i, element in enumerate(elements) if not element.optional and not element.is_gap)
        return cls(
            term,
            order,
            elements,
            tuple(frozenset(e.alternatives) for e in elements if not e.is_gap and not e.optional),
            frozenset(word for element in elements[: first + 1] for word in element.alternatives),
        )

    def matches(self, words: Sequence[str], present: AbstractSet[str]) -> Iterator[Match]:
        """Every place of the term among words of which ``present`` is the set."""
        if any(choice.isdisjoint(present) for choice in self.required):
            return
        for start, word in enumerate(words):
            if word in self.heads:
                ends = self._ends(words, start).items()
                yield from (Match(self.term, start, end, self.order, spanned) for end, spanned in ends if end > start)

    def whole(self, words: Sequence[str], present: AbstractSet[str]) -> Match | None:
        """The term as a match of all the words, of which ``present`` is the set and the first one of its heads."""
        if any(choice.isdisjoint(present) for choice in self.required):
            return None
        spanned = self._ends(words, 0).get(len(words))
        return None if spanned is None else Match(self.term, 0, len(words), self.order, spanned)

    def _ends(self, words: Sequence[str], start: int) -> dict[int, int]:
        """Places where the term can end, each with the fewest words that its gaps then span."""
        ends = {start: 0}
        for element in self.elements:
            reached = dict(ends) if element.is_gap or element.optional else {}
            for end, spanned in ends.items():
                if element.is_gap:
                    for further in _gap_ends(words, end):
                        _lower(reached, further, spanned + further - end)
                elif end < len(words) and words[end] in element.alternatives:
                    _lower(reached, end + 1, spanned)
            if not reached:
                return reached
            ends = reached
        return ends


def _lower(known: dict[int, int], key: int, value: int) -> None:
    if value < known.get(key, value + 1):
        known[key] = value


def _gap_ends(words: Sequence[str], start: int) -> Iterator[int]:
    for end in range(start, min(start + GAP_LENGTH, len(words))):
        if words[end] in GAP_FORBIDDEN:
            return
        yield end + 1


@define(eq=False)
class RuleMatcher:
    """Finds terms in a sentence.

    Of overlapping matches the longest stays, then the leftmost, then that which names most of its words, then the first
    term.
    """

    _phrases: Mapping[tuple[str, ...], tuple[int, Term]]
    _lengths: Mapping[str, tuple[int, ...]]
    _gapped: Mapping[str, Sequence[_Gapped]] = field(factory=dict)

    @classmethod
    def of(cls, terms: Iterable[Term], normaliser: Normaliser, parsed: Parsed | None = None) -> RuleMatcher:
        """A matcher over terms, which may be gapped; ``parsed`` holds the elements of those parsed before."""
        phrases: dict[tuple[str, ...], tuple[int, Term]] = {}
        gapped: list[_Gapped] = []
        for order, term in enumerate(terms):
            elements = (parsed or {}).get(term.text) or parse_term(term.text, normaliser.phrase)
            expanded = expand(elements)
            if expanded is None:
                gapped.append(_Gapped.of(term, order, elements))
                continue
            entry = order, term
            if any(normaliser.joins_any(element.alternatives) for element in elements):
                expanded = list(map(normaliser.join, expanded))
            for phrase in expanded:
                phrases.setdefault(phrase, entry)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for phrase in phrases:
            lengths[phrase[0]].add(len(phrase))
        return cls(phrases, {word: tuple(sorted(known)) for word, known in lengths.items()}, _by_anchor(gapped))

    def __call__(self, words: Sequence[str], limit: int | None = None) -> list[Match]:
        """Matches in a sentence's words, in reading order, none overlapping another.

        Args:
            words: the words.
            limit: number of words of the sentence itself; a match that takes in more ends there.
        """
        words = tuple(words)
        limit = len(words) if limit is None else limit
        matches = list(self._plain(words))
        present = set(words)
        for word in present:
            for term in self._gapped.get(word, ()):
                matches.extend(term.matches(words, present))
        return [m if m.end <= limit else evolve(m, end=limit) for m in _longest(matches) if m.start < limit]

    def whole(self, words: tuple[str, ...]) -> Match | None:
        """The match of all the words, if there is one: the same as calling it finds, without looking for others."""
        plain = self._phrases.get(words)
        best = None if plain is None else Match(plain[1], 0, len(words), plain[0])
        present = set(words)
        for word in present:
            for term in self._gapped.get(word, ()):
                match = term.whole(words, present) if words[0] in term.heads else None
                if match and (best is None or (match.spanned, match.order) < (best.spanned, best.order)):
                    best = match
        return best

    def _plain(self, words: tuple[str, ...]) -> Iterator[Match]:
        for start, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                entry = self._phrases.get(words[start : start + length])
                if entry is not None and start + length <= len(words):
                    yield Match(entry[1], start, start + length, entry[0])


def _by_anchor(terms: Sequence[_Gapped]) -> dict[str, list[_Gapped]]:
    """Gapped terms by each word of their anchor, the required element whose words fewest terms share."""
    shared = Counter(word for term in terms for choice in term.required for word in choice)
    index: defaultdict[str, list[_Gapped]] = defaultdict(list)
    for term in terms:
        for word in min(term.required, key=lambda choice: sum(shared[word] for word in choice)):
            index[word].append(term)
    return dict(index)


def _longest(matches: Iterable[Match]) -> list[Match]:
    """Keep the longest of overlapping matches, then the leftmost, then the most explicit of those at one place.

    "Effacement of costophrenic sulcus" is more explicit than "effacement of * sulcus". Of equals the first term stays.
    """
    longest: list[Match] = []
    for match in sorted(matches, key=lambda m: (m.start - m.end, m.start, m.spanned, m.order)):
        if all(match.end <= other.start or other.end <= match.start for other in longest):
            longest.append(match)
    return sorted(longest, key=lambda match: match.start)
