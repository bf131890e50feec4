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
from overread.domain.differences.second_reading import FirstReading
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.severity_rules import importance_of
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity
from overread.domain.reports.report import Span
from overread.domain.vocabulary.severity import Importance

__all__ = ["MARKS", "ReportTokens", "SentenceTokens", "Tokens", "open_tokens", "padded", "within"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

_LONGEST: Final = 98
"""Tokens of a sentence that are read, the two that frame it included."""

_SENTENCES, _REPORTS = 20_000, 500
"""Sentences and reports whose tokens are remembered."""

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
class _CutReport:
    """Sentences, spans, offsets and sentence numbers as in `ReportTokens`, its words, and each sentence's alone."""

    sentences: Sequence[str]
    spans: Sequence[Span]
    offsets: Ints
    sentence: Ints
    words: Sequence[_Word]
    plain: Sequence[str]


@define(eq=False)
class Tokens:
    """Cuts reports into sentences and tokens, and remembers them."""

    tokenizer: Tokenizer = field(repr=False)
    of: Callable[[str], SentenceTokens] = field(init=False, repr=False)
    """The tokens of a sentence."""
    cut: Callable[[str, tuple[Span, ...] | None], _CutReport] = field(init=False, repr=False)
    """What of a report's compared sentences does not depend on the other; of all of it where those are not known."""

    def __attrs_post_init__(self) -> None:
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(_LONGEST)
        self.of = lru_cache(maxsize=_SENTENCES)(self._of)
        self.cut = lru_cache(maxsize=_REPORTS)(self._cut)

    def _of(self, sentence: str) -> SentenceTokens:
        found = self.tokenizer.encode(sentence.encode("utf-8", "replace").decode())  # no half of a surrogate pair
        return SentenceTokens(
            np.array(found.ids, dtype=np.int64), np.array(found.offsets[1:-1], dtype=np.int64).reshape(-1, 2)
        )

    def reports(self, first: FirstReading) -> tuple[ReportTokens, ReportTokens]:
        """Both reports of a pair."""
        cut = self._both(first)
        blocks = _blocks(cut[0].words, cut[1].words)
        turned = [(theirs, ours, size) for ours, theirs, size in blocks]
        reference, candidate = (
            _report(cut[at], cut[1 - at], alike, first.units[at], first.lexicon)
            for at, alike in enumerate((blocks, turned))
        )
        return reference, candidate

    def lengths(self, first: FirstReading) -> tuple[int, int]:
        """Number of tokens of either report."""
        reference, candidate = (len(report.offsets) for report in self._both(first))
        return reference, candidate

    def _both(self, first: FirstReading) -> list[_CutReport]:
        return [self.cut(*each) for each in zip(first.texts, first.compared or (None, None), strict=True)]

    def _cut(self, text: str, compared: tuple[Span, ...] | None) -> _CutReport:
        plain, spans = plain_sentences(text)
        if compared is not None:
            given = (Span(*plain.given(span.start, span.end)) for span in spans)
            spans = [span for span, there in zip(spans, given, strict=True) if any(map(there.meets, compared))]
        told = [(found, span) for span in spans if len((found := self.of(span.of(plain.text))).offsets)]
        offsets = [
            plain.given(span.start + first, span.start + end)
            for found, span in told
            for first, end in found.offsets.tolist()
        ]
        lengths = np.array([len(found.offsets) for found, _ in told], dtype=np.int64)
        sentences = [span.of(plain.text) for _, span in told]
        return _CutReport(
            sentences,
            [Span(*plain.given(span.start, span.end)) for _, span in told],
            np.array(offsets, dtype=np.int64).reshape(len(offsets), 2),
            np.repeat(np.arange(len(told)), lengths),
            _words(text),
            [_words_alone(sentence) for sentence in sentences],
        )


def _report(
    ours: _CutReport,
    theirs: _CutReport,
    blocks: Sequence[tuple[int, int, int]],
    units: Sequence[ClinicalUnit],
    lexicon: Lexicon,
) -> ReportTokens:
    known = frozenset(theirs.plain)
    verbatim = np.array(
        [
            words in known or _kept(span, ours.words, theirs.words, blocks)
            for words, span in zip(ours.plain, ours.spans, strict=True)
        ],
        dtype=bool,
    )
    marks = _marks(ours.offsets, units, lexicon)
    marks[:, _VERBATIM] = verbatim[ours.sentence]
    marks[:, _OTHER_WORDS] = within(ours.offsets, _others(ours.words, blocks))
    return ReportTokens(ours.sentences, ours.spans, verbatim, ours.offsets, ours.sentence, marks)


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
