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

__all__ = ["MARKS", "ReportTokens", "SentenceTokens", "Tokens", "open_tokens", "within"]

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
        told = [_sentences(text) for text in texts]
        words = [frozenset(_words_alone(one.text) for one in sentences) for sentences in told]
        others = _other_words(*texts)
        reference, candidate = (self._report(told[at], words[1 - at], others[at], units[at], lexicon) for at in (0, 1))
        return reference, candidate

    def _report(
        self,
        told: Sequence[_Sentence],
        elsewhere: frozenset[str],
        other_words: Sequence[Span],
        units: Sequence[ClinicalUnit],
        lexicon: Lexicon,
    ) -> ReportTokens:
        told = [one for one in told if len(self.of(one.text).offsets)]
        cut = [self.of(one.text) for one in told]
        offsets = [
            one.plain.given(one.start + first, one.start + end)
            for one, tokens in zip(told, cut, strict=True)
            for first, end in tokens.offsets.tolist()
        ]
        verbatim = np.array([_words_alone(one.text) in elsewhere for one in told], dtype=bool)
        at = np.array(offsets, dtype=np.int64).reshape(len(offsets), 2)
        number = np.repeat(np.arange(len(told)), np.array([len(tokens.offsets) for tokens in cut], dtype=np.int64))
        marks = _marks(at, units, lexicon)
        marks[:, _VERBATIM] = verbatim[number]
        marks[:, _OTHER_WORDS] = within(at, other_words)
        return ReportTokens([one.text for one in told], [one.span for one in told], verbatim, at, number, marks)


def open_tokens(path: Path) -> Tokens:
    """The tokenizer in a file."""
    return Tokens(Tokenizer.from_file(str(path)))


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


def _other_words(reference: str, candidate: str) -> tuple[list[Span], list[Span]]:
    """Words of each report that the other does not hold in the same order."""
    words = [
        [(match.group().lower(), Span(*match.span())) for match in _WORD.finditer(t)] for t in (reference, candidate)
    ]
    here, there = ([word for word, _ in each] for each in words)
    alike = SequenceMatcher(None, here, there, autojunk=False)
    others = [[span for _, span in each] for each in words]
    for i, j, size in reversed(alike.get_matching_blocks()):
        del others[0][i : i + size]
        del others[1][j : j + size]
    return others[0], others[1]


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
