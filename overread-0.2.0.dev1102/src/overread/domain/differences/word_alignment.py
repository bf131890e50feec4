"""Alignment of two texts, sentence by sentence and word by word, as a comparison in a dictation system shows it.

Nothing here is read: it is about words alone, however they are dictated or wrapped.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.domain.reports.report import Span
from overread.domain.vocabulary.equality import in_tuple

__all__ = ["AlignedSentence", "Fate", "WordAlignment", "WordChange", "aligned_words", "sentence_spans"]

_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|[^\w\s]|_")
_WORD: Final = re.compile(r"\w")
_BREAK: Final = re.compile(r"(?<=[.!?;])[\"')\]]*\s+|[ \t]*(?:\r\n|\n|\r)\s*|(?<=[A-Z]:)[ \t]+")
_HEADING: Final = re.compile(r"[A-Z][A-Z /()&-]{2,40}:")
_CONTINUES: Final = re.compile(r"[a-z0-9(,;]")
_LIST: Final = re.compile(r"\d{1,2}[.)]\s")
_ENDS: Final = (".", "!", "?", ";", ":")
_WRAPPED: Final = 60
"""Characters from which a line that ends in the middle of a sentence may have been wrapped; ours."""

_ALIKE: Final = 0.4
"""Share of words in common from which two sentences are one that was changed; ours."""

_MOST_COMPARED: Final = 20_000
"""Pairs of sentences that are compared at most; beyond that, they are paired in their order."""

_MOST_TOKENS: Final = 400
"""Tokens of a sentence, beyond which a changed one is shown as replaced as a whole: one that long is no sentence."""


class Fate(StrEnum):
    """Outcome of a sentence of the first text in the second, or the reverse."""

    SAME = "same"
    """It stands there word for word, in the same order among the others; its layout or typing may differ."""

    MOVED = "moved"
    """It stands there word for word at another place."""

    CHANGED = "changed"
    """A sentence stands there that has two fifths of its words or more."""

    DELETED = "deleted"
    INSERTED = "inserted"


@frozen
class WordChange:
    """Words that both texts have, or that one has in place of the other's; spans are into the texts as given."""

    before: Span
    after: Span
    is_same: bool

    @property
    def is_replacement(self) -> bool:
        """True if words of both texts stand against each other."""
        return not self.is_same and self.before.start < self.before.end and self.after.start < self.after.end


@frozen(kw_only=True)
class AlignedSentence:
    """A sentence of either text beside its counterpart.

    Attributes:
        fate: of the sentence.
        before, after: where it stands in the first and in the second text; None where it does not.
        changes: word by word, where it was changed.
        retyped: whether a sentence with the same words is typed differently: capitals, punctuation.
    """

    fate: Fate
    before: Span | None = None
    after: Span | None = None
    changes: tuple[WordChange, ...] = field(default=(), converter=in_tuple)
    retyped: bool = False


@frozen(kw_only=True)
class WordAlignment:
    """Two texts aligned.

    Attributes:
        sentences: in the order of the second text, deleted ones where they stood among those of the first.
        shared: number of sentences that stand in both word for word, without headings.
        fewer: number of sentences of the text that has fewer, without headings.
    """

    sentences: tuple[AlignedSentence, ...] = field(converter=in_tuple)
    shared: int
    fewer: int

    @property
    def is_near_copy(self) -> bool:
        """True if one text was made of the other: more than half of the shorter one's sentences stand in the other.

        Word for word, wherever. A sentence is counted as often as it occurs.
        """
        return 2 * self.shared > self.fewer


def sentence_spans(text: str) -> list[Span]:
    r"""Spans of a text's sentences, headings and lines of a list, in order; those without a word are left out.

    A sentence ends with a full stop, a question or exclamation mark or a semicolon before a blank, or with its line,
    unless the next line goes on with it: in small letters, or after a line that is full.

    >>> text = "FINDINGS: No effusion. Heart\nis normal.\nIMPRESSION:\n1. Nodule of 1.5 cm."
    >>> [span.of(text) for span in sentence_spans(text)]
    ['FINDINGS:', 'No effusion.', 'Heart\nis normal.', 'IMPRESSION:', '1. Nodule of 1.5 cm.']
    """
    spans: list[Span] = []
    start = 0
    for gap in _BREAK.finditer(text):
        if _is_boundary(text, start, gap):
            spans.append(_trimmed(text, start, gap.start()))
            start = gap.end()
    spans.append(_trimmed(text, start, len(text)))
    return [span for span in spans if _WORD.search(span.of(text))]


def aligned_words(before: str, after: str) -> WordAlignment:
    """Aligns two texts, such as a preliminary report and the final one.

    Sentences that stand in both word for word are matched first, in their order as far as possible (`difflib`); of the
    rest, those with equal words were moved, and those with two fifths of their words in common were changed.

    Args:
        before: the first text.
        after: the second one.
    """
    sides = tuple(_sentences(text) for text in (before, after))
    old, new = sides
    same = _in_order(old, new)
    moved = _elsewhere(old, new, same)
    paired = {**same, **moved}
    changed = _changed(old, new, paired)
    rows = list(_rows(old, new, {**paired, **changed}, before, after, same=same, moved=moved))
    shared = sum(not old[place].is_heading for place in paired)
    fewer = min(sum(not one.is_heading for one in side) for side in sides)
    return WordAlignment(sentences=rows, shared=shared, fewer=fewer)


@frozen
class _Sentence:
    span: Span
    tokens: tuple[Span, ...]
    words: tuple[str, ...]
    """Of its tokens, in small letters."""

    key: tuple[str, ...]
    """Its words and numbers without punctuation, by which it is known to be the same."""

    is_heading: bool


def _sentences(text: str) -> list[_Sentence]:
    sentences = []
    for span in sentence_spans(text):
        tokens = [Span(match.start(), match.end()) for match in _TOKEN.finditer(text, span.start, span.end)]
        words = [token.of(text).casefold() for token in tokens]
        key = tuple(word for word in words if _WORD.search(word))
        is_heading = _HEADING.fullmatch(span.of(text)) is not None
        sentences.append(_Sentence(span, tuple(tokens), tuple(words), key, is_heading))
    return sentences


def _is_boundary(text: str, start: int, gap: re.Match[str]) -> bool:
    line = text[start : gap.start()]
    if "\n" not in gap[0] and "\r" not in gap[0]:
        is_heading = _HEADING.fullmatch(line.strip()) is not None
        return is_heading if line.endswith(":") else not _LIST.fullmatch(line.strip() + " ")
    if gap[0].count("\n") > 1 or line.rstrip().endswith(_ENDS):
        return True
    rest = text[gap.end() : gap.end() + 4]
    if not rest or _LIST.match(rest):
        return True
    last_line = line[line.rfind("\n") + 1 :]
    return not (_CONTINUES.match(rest) or len(last_line) >= _WRAPPED)


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    return Span(start + lead, max(start + lead, start + len(piece.rstrip())))


def _in_order(old: Sequence[_Sentence], new: Sequence[_Sentence]) -> dict[int, int]:
    """Sentences of the second text by those of the first that have the same words, both in order."""
    keys: list[list[Hashable]] = [[one.key for one in side] for side in (old, new)]
    counts = [Counter(side) for side in keys]
    if sum(count * counts[1][key] for key, count in counts[0].items()) > _MOST_COMPARED:
        keys = [_numbered(side) for side in keys]
    matcher = SequenceMatcher(None, keys[0], keys[1], autojunk=False)
    return {
        block.a + offset: block.b + offset for block in matcher.get_matching_blocks() for offset in range(block.size)
    }


def _numbered(keys: Sequence[Hashable]) -> list[Hashable]:
    """Keys with how often each occurred before: of one that is repeated many times, the first matches the first."""
    before = Counter[Hashable]()
    numbered: list[Hashable] = []
    for key in keys:
        numbered.append((key, before[key]))
        before[key] += 1
    return numbered


def _elsewhere(old: Sequence[_Sentence], new: Sequence[_Sentence], paired: dict[int, int]) -> dict[int, int]:
    taken = set(paired.values())
    free: defaultdict[tuple[str, ...], deque[int]] = defaultdict(deque)
    for place, one in enumerate(new):
        if place not in taken:
            free[one.key].append(place)
    return {
        place: free[one.key].popleft() for place, one in enumerate(old) if place not in paired and free.get(one.key)
    }


def _changed(old: Sequence[_Sentence], new: Sequence[_Sentence], paired: dict[int, int]) -> dict[int, int]:
    """Pairs of what is left that are alike, the most alike first."""
    taken = set(paired.values())
    left = [place for place in range(len(old)) if place not in paired]
    right = [place for place in range(len(new)) if place not in taken]
    if len(left) * len(right) > _MOST_COMPARED:
        candidates: Iterator[tuple[int, int]] = zip(left, right, strict=False)
    else:
        candidates = ((a, b) for a in left for b in right)
    ranked = sorted((-_likeness(old[a].key, new[b].key), abs(a - b), a, b) for a, b in candidates)
    pairs: dict[int, int] = {}
    used = set[int]()
    for likeness, _, a, b in ranked:
        if -likeness >= _ALIKE and a not in pairs and b not in used:
            pairs[a] = b
            used.add(b)
    return pairs


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Share of the words that two sentences have in common, on [0, 1], in whatever order; 1 for equal ones."""
    common = (Counter(one) & Counter(other)).total()
    return 2 * common / max(1, len(one) + len(other))


def _rows(
    old: Sequence[_Sentence],
    new: Sequence[_Sentence],
    pairs: dict[int, int],
    before: str,
    after: str,
    *,
    same: dict[int, int],
    moved: dict[int, int],
) -> Iterator[AlignedSentence]:
    by_new = {b: a for a, b in pairs.items()}
    gone = deque(place for place in range(len(old)) if place not in pairs)
    following = _following(len(old), len(new), {a: b for a, b in pairs.items() if a not in moved})
    for b, sentence in enumerate(new):
        a = by_new.get(b)
        while a not in moved and gone and gone[0] < following[b]:
            yield AlignedSentence(fate=Fate.DELETED, before=old[gone.popleft()].span)
        if a is None:
            yield AlignedSentence(fate=Fate.INSERTED, after=sentence.span)
            continue
        fate = Fate.SAME if a in same else Fate.MOVED if a in moved else Fate.CHANGED
        yield AlignedSentence(
            fate=fate,
            before=old[a].span,
            after=sentence.span,
            changes=tuple(_changes(old[a], sentence)) if fate is Fate.CHANGED else (),
            retyped=fate is not Fate.CHANGED and _typed(old[a], before) != _typed(sentence, after),
        )
    for place in gone:
        yield AlignedSentence(fate=Fate.DELETED, before=old[place].span)


def _following(olds: int, news: int, pairs: dict[int, int]) -> list[int]:
    """For each sentence of the second text, the place in the first of the one that it, or the next of a pair, is."""
    by_new = {b: a for a, b in pairs.items()}
    places, at = [olds] * news, olds
    for b in reversed(range(news)):
        at = places[b] = by_new.get(b, at)
    return places


def _typed(sentence: _Sentence, text: str) -> list[str]:
    return [token.of(text) for token in sentence.tokens]


def _changes(old: _Sentence, new: _Sentence) -> Iterator[WordChange]:
    if max(len(old.words), len(new.words)) > _MOST_TOKENS:
        yield WordChange(old.span, new.span, is_same=False)
        return
    matcher = SequenceMatcher(None, old.words, new.words, autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        yield WordChange(_run(old, a1, a2), _run(new, b1, b2), is_same=kind == "equal")


def _run(sentence: _Sentence, first: int, last: int) -> Span:
    """Span of some tokens; an empty one where they would stand."""
    if first < last:
        return Span(sentence.tokens[first].start, sentence.tokens[last - 1].end)
    place = sentence.tokens[first].start if first < len(sentence.tokens) else sentence.span.end
    return Span(place, place)
