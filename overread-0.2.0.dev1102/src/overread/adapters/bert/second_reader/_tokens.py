"""Reports as sentences of tokens: the characters that each covers, and what the first reading says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen
from tokenizers import Tokenizer

from overread.adapters.lexicon.segments import plain_layout, split_sentences, strip_bullet
from overread.domain.differences.second_reading import FirstReading
from overread.domain.findings.extents import importance_of
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity
from overread.domain.reports.plain_text import PlainText
from overread.domain.reports.report import Span
from overread.domain.vocabulary.severity import Importance

__all__ = ["MARKS", "OTHER_WORDS", "ReportTokens", "SentenceTokens", "Tokens", "open_tokens", "pad_sentences", "within"]

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
_IMPRESSION, _VERBATIM, OTHER_WORDS = _COVERED + 1, _COVERED + 2, _COVERED + 3
MARKS: Final = OTHER_WORDS + 1
"""Marks of a token: six flags, importance and course of the units that it is in, whether it is in one, whether that is
part of the impression, whether its sentence stands word for word in the other report, and whether its word does not
stand there beside a neighbour of its own."""

_WORD: Final = re.compile(r"[^\W_]+")
_BREAK: Final = re.compile(r"[.;:!?\n]")


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
    """A report without regard to the other one.

    Attributes:
        sentences, spans, offsets, sentence: as in `ReportTokens`.
        words: of each sentence.
        neighbours: every two words that stand side by side in a sentence, its beginning and end included.
        joined: all words of the report, also of what is not compared.
        begins: where in ``joined`` a word stands with which a sentence begins, or a part of one behind a mark.
    """

    sentences: Sequence[str]
    spans: Sequence[Span]
    offsets: Ints
    sentence: Ints
    words: Sequence[Sequence[_Word]]
    neighbours: frozenset[tuple[str, str]]
    joined: str
    begins: frozenset[int]


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
        encoding = self.tokenizer.encode(sentence.encode("utf-8", "replace").decode())  # no half of a surrogate pair
        return SentenceTokens(
            np.array(encoding.ids, dtype=np.int64), np.array(encoding.offsets[1:-1], dtype=np.int64).reshape(-1, 2)
        )

    def reports(self, first: FirstReading) -> tuple[ReportTokens, ReportTokens]:
        """Both reports of a pair."""
        cut = self._both(first)
        reference, candidate = (_report(cut[at], cut[1 - at], first.units[at], first.lexicon) for at in range(len(cut)))
        return reference, candidate

    def sizes(self, first: FirstReading) -> list[tuple[int, int]]:
        """Number of sentences and of tokens of either report."""
        return [(len(report.spans), len(report.offsets)) for report in self._both(first)]

    def _both(self, first: FirstReading) -> list[_CutReport]:
        return [self.cut(*pair) for pair in zip(first.texts, first.compared or (None, None), strict=True)]

    def _cut(self, text: str, compared: tuple[Span, ...] | None) -> _CutReport:
        plain = plain_layout(text)
        if compared is None:
            spans = split_sentences(plain.text)
        else:
            read = (strip_bullet(plain.text, *plain.read(span.start, span.end)) for span in compared)
            spans = [span for span in read if span is not None]
        sentences = [(tokens, span) for span in spans if len((tokens := self.of(span.of(plain.text))).offsets)]
        offsets = [
            plain.given(span.start + first, span.start + end)
            for tokens, span in sentences
            for first, end in tokens.offsets.tolist()
        ]
        lengths = np.array([len(tokens.offsets) for tokens, _ in sentences], dtype=np.int64)
        words = [_words(plain, span) for _, span in sentences]
        joined, begins = _join_words(_words(plain, Span(0, len(plain.text))))
        return _CutReport(
            [span.of(plain.text) for _, span in sentences],
            [Span(*plain.given(span.start, span.end)) for _, span in sentences],
            np.array(offsets, dtype=np.int64).reshape(len(offsets), 2),
            np.repeat(np.arange(len(sentences)), lengths),
            words,
            frozenset(pair for sentence in words for pair in _neighbours(sentence)),
            joined,
            begins,
        )


def _report(ours: _CutReport, theirs: _CutReport, units: Sequence[ClinicalUnit], lexicon: Lexicon) -> ReportTokens:
    verbatim = np.array([_stands_in(words, theirs) for words in ours.words], dtype=bool)
    others = [
        word.span
        for words, is_verbatim in zip(ours.words, verbatim, strict=True)
        if not is_verbatim
        for word in _others(words, theirs.neighbours)
    ]
    marks = _marks(ours.offsets, units, lexicon)
    marks[:, _VERBATIM] = verbatim[ours.sentence]
    marks[:, OTHER_WORDS] = within(ours.offsets, others)
    return ReportTokens(ours.sentences, ours.spans, verbatim, ours.offsets, ours.sentence, marks)


def open_tokens(path: Path) -> Tokens:
    """The tokenizer in a file."""
    return Tokens(Tokenizer.from_file(str(path)))


def pad_sentences(rows: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Sentences' tokens as one array, filled up with zeros, and 1 where there is a token: rows x the longest."""
    ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


def within(offsets: Ints, spans: Iterable[Span]) -> Bools:
    """Return for each token whether it shares a character with one of the spans."""
    starts, ends = offsets[:, 0], offsets[:, 1]
    inside = np.zeros(len(offsets), dtype=bool)
    for span in spans:
        inside |= (starts < span.end) & (ends > span.start)
    return inside


@frozen
class _Word:
    """A word in small letters, where it stands in the report as given, and whether a mark parts it from the one before.

    The first of a sentence is parted from what there is before.
    """

    text: str
    span: Span
    begins: bool


def _words(plain: PlainText, sentence: Span) -> list[_Word]:
    words: list[_Word] = []
    end = sentence.start
    for match in _WORD.finditer(plain.text, sentence.start, sentence.end):
        begins = not words or _BREAK.search(plain.text, end, match.start()) is not None
        words.append(_Word(match.group().casefold(), Span(*plain.given(*match.span())), begins))
        end = match.end()
    return words


def _join_words(words: Iterable[_Word]) -> tuple[str, frozenset[int]]:
    """Words between spaces, and where those stand that begin; where the text ends counts as one."""
    parts, begins, at = [" "], set[int](), 0
    for word in words:
        if word.begins:
            begins.add(at)
        parts.append(f"{word.text} ")
        at += len(word.text) + 1
    return "".join(parts), frozenset({*begins, at})


def _stands_in(words: Sequence[_Word], other: _CutReport) -> bool:
    """Return whether the other report holds a sentence word for word, however it is divided into lines and sentences.

    Also where it is not compared, as in a history. A stretch of words that begins or ends in the middle of what the
    other report says is not that sentence.
    """
    if not words:
        return False
    wanted = f" {' '.join(word.text for word in words)} "
    at = other.joined.find(wanted)
    while at >= 0:
        if at in other.begins and at + len(wanted) - 1 in other.begins:
            return True
        at = other.joined.find(wanted, at + 1)
    return False


def _neighbours(words: Sequence[_Word]) -> list[tuple[str, str]]:
    """Every two words that stand side by side, from the beginning of a sentence, which is "", to its end."""
    texts = ["", *(word.text for word in words), ""]
    return list(pairwise(texts))


def _others(words: Sequence[_Word], theirs: frozenset[tuple[str, str]]) -> list[_Word]:
    """Words that the other report has beside neither of their neighbours; the order of its sentences is no matter."""
    known = [pair in theirs for pair in _neighbours(words)]
    return [word for word, (before, behind) in zip(words, pairwise(known), strict=True) if not (before or behind)]


def _marks(offsets: Ints, units: Sequence[ClinicalUnit], lexicon: Lexicon) -> Floats:
    marks = np.zeros((len(offsets), MARKS), dtype=np.float32)
    for unit in units:
        if not unit.span_text:
            continue
        inside = within(offsets, (unit.span,))
        importance = importance_of(unit, lexicon) if unit.canonical_finding else None
        token_marks = np.zeros(MARKS, dtype=np.float32)
        token_marks[:_COVERED] = [
            unit.asserts_finding,
            unit.denies_finding,
            unit.polarity is Polarity.UNCERTAIN or unit.certainty not in {None, Certainty.DEFINITE},
            unit.is_unread,
            bool(unit.administrative),
            bool(unit.device),
            *(importance is step for step in _IMPORTANCES),
            *(unit.change is change for change in _CHANGES),
        ]
        token_marks[_COVERED] = 1.0
        token_marks[_IMPRESSION] = "impression" in unit.section or "conclusion" in unit.section
        marks[inside] = np.maximum(marks[inside], token_marks)
    return marks
