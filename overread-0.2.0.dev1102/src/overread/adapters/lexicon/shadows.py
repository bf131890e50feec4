"""Wordings of one finding or normal statement that are read as another.

Every wording that the terms of an entry stand for is read by all terms together, as a report's words are. A wording
that becomes another diagnosis is worse than one that nothing reads: two reports that differ would be found alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from overread.adapters.lexicon.matching import Parsed, RuleMatcher, Term, target_terms
from overread.adapters.lexicon.words import Normaliser
from overread.application.telling import tell
from overread.domain.findings.lexicon import Lexicon
from overread.domain.vocabulary.patterns import Element, expand

__all__ = ["Shadow", "shadows"]

_WORDINGS: Final = 400
"""Wordings up to which a term is written out; of one with more, each word is varied alone."""


@frozen
class Shadow:
    """Wordings of a term that another entry reads.

    Attributes:
        owner, reader: ids of the entry whose term it is, and of the one that reads it.
        term: the term.
        wordings: those of its wordings that the reader takes, in the words of a report.
        is_whole: whether these are all of the term's wordings.
        is_swap: whether the two are neither the same thing nor one a kind of the other.
    """

    owner: str
    reader: str
    term: str
    wordings: tuple[str, ...]
    is_whole: bool
    is_swap: bool


def shadows(
    lexicon: Lexicon,
    places: Mapping[str, tuple[str, ...]],
    regions: Collection[str],
    elements: Parsed,
    spelling: Normaliser,
) -> Iterator[Shadow]:
    """Yield what each term of a lexicon loses to other entries, by owner.

    Cases that lose nothing are left out: a wording that a kind of the finding reads, one that its place or the report's
    turns back into the finding (`Lexicon.described`), and a normal statement that denies no less.

    Args:
        lexicon: the findings and normal statements.
        places: terms of places, each with the labels that it yields.
        regions: labels of regions of the body.
        elements: the elements of all these terms.
        spelling: how pairs of words are joined.
    """
    listed = [(finding.id, term) for finding in lexicon.findings.values() for term in finding.terms]
    listed += [(normal.id, term) for normal in lexicon.normals.values() for term in normal.terms]
    readers = RuleMatcher.of(target_terms(lexicon), spelling, elements)
    sites = RuleMatcher.of((Term(term, "", labels) for term, labels in places.items()), spelling, elements)
    for place, (owner, term) in enumerate(listed):
        tell("checking", place, len(listed))
        wordings = list(dict.fromkeys(map(spelling.join, _wordings(elements[term]))))
        taken: dict[str, list[str]] = {}
        for words in wordings:
            reader = _reader(readers, words)
            if reader == owner and not _depends_on_place(lexicon, owner):
                continue
            if reader and (other := _other(lexicon, owner, reader, _labels(sites, words), regions)):
                taken.setdefault(other, []).append(" ".join(words))
        for reader, texts in taken.items():
            is_swap = not _are_related(lexicon, owner, reader)
            yield Shadow(owner, reader, term, tuple(texts), len(texts) == len(wordings), is_swap)


def _wordings(elements: Sequence[Element]) -> Iterator[tuple[str, ...]]:
    """Wordings of a term, its gaps closed: all of them, or those in which one word is not the first of its choices."""
    named = tuple(element for element in elements if not element.is_gap)
    if (phrases := expand(named, _WORDINGS)) is not None:
        yield from phrases
        return
    for with_options in (True, False):
        first = [e.alternatives[0] if with_options or not e.optional else "" for e in named]
        for at, element in enumerate(named):
            for word in element.alternatives:
                yield tuple(w for w in (*first[:at], word, *first[at + 1 :]) if w)


def _reader(readers: RuleMatcher, words: tuple[str, ...]) -> str:
    """The entry that reads all of some words; "" where none does."""
    match = readers.whole(words)
    return match.term.meaning[0] if match else ""


def _depends_on_place(lexicon: Lexicon, entry: str) -> bool:
    finding = lexicon.findings.get(entry)
    return finding is not None and bool(finding.sited)


def _labels(sites: RuleMatcher, words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(label for match in sites(words) for label in match.term.meaning)


def _other(lexicon: Lexicon, owner: str, reader: str, places: frozenset[str], regions: Iterable[str]) -> str:
    """The entry that a wording of one entry, read by another, becomes at the places it names; "" where that is right.

    If it names no place, the region that the report is about decides.
    """
    if owner in lexicon.normals and reader in lexicon.normals:
        denied = lexicon.normals[reader].denies
        return "" if all(lexicon.denies(denied, finding) for finding in lexicon.normals[owner].denies) else reader
    reader_finding = lexicon.findings.get(reader)
    if reader_finding is not None and not places and owner in (reader_finding.sited.get(region) for region in regions):
        return ""
    reading = lexicon.described(reader, places)
    return "" if lexicon.is_kind_of(reading, owner) else reading


def _are_related(lexicon: Lexicon, owner: str, reader: str) -> bool:
    """Return whether one entry is a kind of the other, or both deny something in common."""
    one, other = lexicon.normals.get(owner), lexicon.normals.get(reader)
    if one and other:
        narrower = [lexicon.denies(one.denies, finding) for finding in other.denies]
        return any(narrower) or any(lexicon.denies(other.denies, finding) for finding in one.denies)
    return lexicon.is_kind_of(owner, reader) or lexicon.is_kind_of(reader, owner)
