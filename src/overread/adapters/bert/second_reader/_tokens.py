"""Reports as sentences of tokens: the characters that each covers, and what the first reading says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen
from tokenizers import Tokenizer

from overread.adapters.lexicon.segments import plain_sentences
from overread.domain.lexicon import Lexicon
from overread.domain.plain_text import PlainText
from overread.domain.report import Span
from overread.domain.severity import Importance
from overread.domain.severity_rules import importance_of
from overread.domain.unit import Certainty, Change, ClinicalUnit, Polarity

__all__ = ["MARKS", "ReportTokens", "SentenceTokens", "Tokens", "open_tokens", "padded", "within"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

_LONGEST: Final = 98
"""Tokens of a sentence that are read, the two that frame it included."""

_IMPORTANCES: Final = tuple(Importance)
_CHANGES: Final = tuple(Change)
_FLAGS: Final = 6
_COVERED: Final = _FLAGS + len(_IMPORTANCES) + len(_CHANGES)
_IMPRESSION, _VERBATIM, _OTHER_WORDS = _COVERED + 1, _COVERED + 2, _COVERED + 3
MARKS: Final = _OTHER_WORDS + 1
"""Marks of a token: six flags, importance and course of the units that it is in, whether it is in one, whether that is
part of the impression, whether its sentence stands word for word in the other report, and whether its word does not."""

_WORD: Final = re.compile(r"[^\W_]+")
_BREAK: Final = re.compile(r"[.;:!?\n]")
_NO_WORD: Final = re.compile(r"\W+")


@define(eq=False)
class SentenceTokens:
    """Numbers of a sentence's tokens, framed, and the characters that each covers, unframed (tokens x 2)."""

    ids: Ints
    offsets: Ints


@define(eq=False)
class ReportTokens:
    """A report's sentences and tokens.

    Attributes:
        sentences: text of each.
        spans: where each stands in the report as given.
        verbatim: whether each stands word for word in the other report.
        offsets: characters of the report as given that each token covers (tokens x 2).
        sentence: number of the sentence that each token is in.
        marks: tokens x `MARKS`.
    """

    sentences: Sequence[str] = field(repr=False)
    spans: Sequence[Span]
    verbatim: Bools
    offsets: Ints
    sentence: Ints
    marks: Floats


@define(eq=False)
class Tokens:
    """Cuts sentences into tokens, each distinct one once."""

    tokenizer: Tokenizer = field(repr=False)
    of: Callable[[str], SentenceTokens] = field(init=False, repr=False)
    """The tokens of a sentence."""

    def __attrs_post_init__(self) -> None:
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(_LONGEST)
        self.of = lru_cache(maxsize=20_000)(self._of)

    def _of(self, sentence: str) -> SentenceTokens:
        found = self.tokenizer.encode(sentence)
        return SentenceTokens(
            np.array(found.ids, dtype=np.int64), np.array(found.offsets[1:-1], dtype=np.int64).reshape(-1, 2)
        )

    def reports(
        self, texts: tuple[str, str], units: tuple[Sequence[ClinicalUnit], Sequence[ClinicalUnit]], lexicon: Lexicon
    ) -> tuple[ReportTokens, ReportTokens]:
        """Both reports of a pair."""
        told = [[one for one in _sentences(text) if len(self.of(one.text).offsets)] for text in texts]
        words = [_words(text) for text in texts]
        blocks = _blocks(*words)
        turned = [(theirs, ours, size) for ours, theirs, size in blocks]
        known = [frozenset(_words_alone(one.text) for one in sentences) for sentences in told]
        reference, candidate = (
            self._report(
                told[at],
                [
                    _words_alone(one.text) in known[1 - at] or _kept(one.span, words[at], words[1 - at], alike)
                    for one in told[at]
                ],
                _others(words[at], alike),
                units[at],
                lexicon,
            )
            for at, alike in enumerate((blocks, turned))
        )
        return reference, candidate

    def _report(
        self,
        told: Sequence[_Sentence],
        verbatim: Sequence[bool],
        other_words: Sequence[Span],
        units: Sequence[ClinicalUnit],
        lexicon: Lexicon,
    ) -> ReportTokens:
        cut = [self.of(one.text) for one in told]
        offsets = [
            one.plain.given(one.start + first, one.start + end)
            for one, tokens in zip(told, cut, strict=True)
            for first, end in tokens.offsets.tolist()
        ]
        held = np.array(verbatim, dtype=bool)
        at = np.array(offsets, dtype=np.int64).reshape(len(offsets), 2)
        number = np.repeat(np.arange(len(told)), np.array([len(tokens.offsets) for tokens in cut], dtype=np.int64))
        marks = _marks(at, units, lexicon)
        marks[:, _VERBATIM] = held[number]
        marks[:, _OTHER_WORDS] = within(at, other_words)
        return ReportTokens([one.text for one in told], [one.span for one in told], held, at, number, marks)


def open_tokens(path: Path) -> Tokens:
    """The tokenizer in a file."""
    return Tokens(Tokenizer.from_file(str(path)))


def padded(rows: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Sentences' tokens as one array, filled up with zeros, and 1 where there is a token: rows x the longest."""
    ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


def within(offsets: Ints, spans: Iterable[Span]) -> Bools:
    """Whether each token shares a character with one of the spans."""
    starts, ends = offsets[:, 0], offsets[:, 1]
    found = np.zeros(len(offsets), dtype=bool)
    for span in spans:
        found |= (starts < span.end) & (ends > span.start)
    return found


@frozen
class _Sentence:
    """A sentence in plain words, with the report's plain text and where it starts there."""

    text: str
    plain: PlainText
    start: int

    @property
    def span(self) -> Span:
        """Where it stands in the report as given."""
        return Span(*self.plain.given(self.start, self.start + len(self.text)))


def _sentences(text: str) -> list[_Sentence]:
    plain, spans = plain_sentences(text)
    return [_Sentence(span.of(plain.text), plain, span.start) for span in spans]


def _words_alone(text: str) -> str:
    return _NO_WORD.sub(" ", text.lower()).strip()


@frozen
class _Word:
    """A word in small letters, where it stands, and whether a sentence, a line or a heading's text begins there."""

    text: str
    span: Span
    begins: bool


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    end = 0
    for match in _WORD.finditer(text):
        begins = not words or _BREAK.search(text, end, match.start()) is not None
        words.append(_Word(match.group().casefold(), Span(*match.span()), begins))
        end = match.end()
    return words


def _blocks(ours: Sequence[_Word], theirs: Sequence[_Word]) -> list[tuple[int, int, int]]:
    """Stretches that both reports have in the same order: where each begins in either, and its length in words."""
    alike = SequenceMatcher(None, [word.text for word in ours], [word.text for word in theirs], autojunk=False)
    return [(block.a, block.b, block.size) for block in alike.get_matching_blocks() if block.size]


def _kept(
    sentence: Span, ours: Sequence[_Word], theirs: Sequence[_Word], blocks: Iterable[tuple[int, int, int]]
) -> bool:
    """Whether the other report holds a sentence word for word, however it is divided into lines and sentences.

    Where it stands in one stretch of words that both have, and that stretch does not begin or end in the middle of what
    the other report says.
    """
    inside = [number for number, word in enumerate(ours) if sentence.meets(word.span)]
    if not inside:
        return False
    first, last = inside[0], inside[-1]
    for our_start, their_start, size in blocks:
        if our_start <= first and last < our_start + size:
            there = their_start + first - our_start
            beyond = their_start + last - our_start + 1
            return (first > our_start or theirs[there].begins) and (
                last + 1 < our_start + size or beyond == len(theirs) or theirs[beyond].begins
            )
    return False


def _others(words: Sequence[_Word], blocks: Iterable[tuple[int, int, int]]) -> list[Span]:
    """Words that the other report does not hold in the same order."""
    held = {number for start, _, size in blocks for number in range(start, start + size)}
    return [word.span for number, word in enumerate(words) if number not in held]


def _marks(offsets: Ints, units: Sequence[ClinicalUnit], lexicon: Lexicon) -> Floats:
    marks = np.zeros((len(offsets), MARKS), dtype=np.float32)
    for unit in units:
        if not unit.span_text:
            continue
        inside = within(offsets, (unit.span,))
        importance = importance_of(unit, lexicon) if unit.canonical_finding else None
        told = np.zeros(MARKS, dtype=np.float32)
        told[:_COVERED] = [
            unit.asserts_finding,
            unit.denies_finding,
            unit.polarity is Polarity.UNCERTAIN or unit.certainty not in {None, Certainty.DEFINITE},
            unit.is_unread,
            bool(unit.administrative),
            bool(unit.device),
            *(importance is step for step in _IMPORTANCES),
            *(unit.change is change for change in _CHANGES),
        ]
        told[_COVERED] = 1.0
        told[_IMPRESSION] = "impression" in unit.section or "conclusion" in unit.section
        marks[inside] = np.maximum(marks[inside], told)
    return marks
