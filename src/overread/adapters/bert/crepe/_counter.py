"""Counts errors with a CREPE model: each distinct pair once, in batches of similar length."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.adapters.bert.crepe._heads import Network
from overread.adapters.bert.crepe._windows import windows
from overread.adapters.checkpoints.padding import length_batches, pad_arrays
from overread.adapters.checkpoints.tokenizers import readable
from overread.domain.reports.report import ReportPair
from overread.domain.results.error_counts import ErrorCounts, clamp_counts, softplus
from overread.domain.results.result import EMPTY_PAIR, Fault, Unscored

__all__ = ["CrepeErrorCounter", "Long", "longest_first"]

Long = Literal["truncate", "windows"]
"""What becomes of a pair that is too long: its end is cut, as released, or it is read in parts."""

_NOT_FINITE: Final = Unscored("not finite", "the model returned a number that is not finite; set dtype=fp32")

_UNKNOWN: Final = "the model knows none of its tokens"

_SPECIAL_TOKENS: Final = 3
"""[CLS] and twice [SEP]."""

_Texts = tuple[str, str]
_Answer = tuple[tuple[float, ...], tuple[float, ...]]
"""Counts and presence probabilities of one pass, by head; the latter empty where the model has none."""


@frozen(eq=False, kw_only=True)
class CrepeErrorCounter:
    """The `ErrorCounter` of a CREPE model (Cho et al. 2025, section 3.2).

    A pair is read as "[CLS] reference [SEP] candidate [SEP]"; the order matters. A candidate without any character is
    left out with its [SEP], as the tokenizer of the release leaves it out; one of white space is not. Counts are the
    regression heads without what is below zero, or softplus of them in a Poisson model; presence probabilities are the
    sigmoid of the presence heads, which the score does not use. Pairs are padded to the longest of their batch
    only, and a batch changes an answer by less than 1e-4 in fp32. A pair of blank reports is unscored, one blank report
    is read. A report of which the tokenizer knows no token, as of one in another script, leaves its pair unscored.

    By default a pair of more than ``max_tokens`` is cut as released, the longer report first, because that is what
    the published scores are made with and because chest reports hardly ever are that long (502 tokens at most in the
    paper's data, section 4.1). ``long="windows"`` reads all of it in parts (`_windows`) and adds their counts.

    Attributes:
        tokenizer: of the model.
        network: computes the heads.
        head_names: what they count, in order.
        identity: of checkpoint, pooling, handling of long pairs and number format.
        note: what a reader must be told.
        poisson: whether the heads are of a Poisson model.
        long: what becomes of a pair of more than ``max_tokens``.
        max_tokens: of one pass, special ones included.
        max_batch: pairs in a batch at most.
        batch_tokens: tokens in a batch at most, padding included.
    """

    tokenizer: Any = field(repr=False)
    network: Network = field(repr=False)
    head_names: Sequence[str]
    identity: str
    note: str = ""
    poisson: bool = False
    long: Long = "truncate"
    max_tokens: int = 512
    max_batch: int = 64
    batch_tokens: int = 1_024

    def count(self, pairs: Sequence[ReportPair]) -> list[ErrorCounts | Unscored]:
        """Predicted errors of each pair."""
        texts = [(pair.reference.text, pair.candidate.text) for pair in pairs if not pair.is_blank]
        counted = self._counts_by_texts(list(dict.fromkeys(texts)))
        return [EMPTY_PAIR if pair.is_blank else counted[pair.reference.text, pair.candidate.text] for pair in pairs]

    def _counts_by_texts(self, texts: Sequence[_Texts]) -> Mapping[_Texts, ErrorCounts | Unscored]:
        readings = self._readings(texts)
        answers = iter(self._answers([passed for reading in readings for passed in reading.passes]))
        return {
            pair: self._error_counts(reading, [next(answers) for _ in reading.passes])
            for pair, reading in zip(texts, readings, strict=True)
        }

    def _readings(self, texts: Sequence[_Texts]) -> list[_Reading]:
        whole = self._passes(texts)
        return [
            _Reading(
                passed.size,
                self._in_windows(pair) if passed.unseen and self.long == "windows" else [passed],
                self._unreadable(pair, passed),
            )
            for pair, passed in zip(texts, whole, strict=True)
        ]

    def _in_windows(self, pair: _Texts) -> list[_Pass]:
        parts = windows(*pair, self._lengths, self._room)
        return self._passes([(part.reference, part.candidate) for part in parts])

    def _unreadable(self, pair: _Texts, passed: _Pass) -> Fault | None:
        """The report that isn't blank yet has no token that the tokenizer knows; None if both can be read."""
        nothing = {self.tokenizer.unk_token_id, self.tokenizer.cls_token_id, self.tokenizer.sep_token_id}
        for side, (fault, text) in enumerate(zip((Fault.REFERENCE, Fault.CANDIDATE), pair, strict=True)):
            ids = (token for token, kind in zip(passed.ids, passed.types, strict=True) if kind == side)
            if text.strip() and nothing.issuperset(ids):
                return fault
        return None

    @property
    def _room(self) -> int:
        """Tokens of both reports in one pass."""
        return self.max_tokens - _SPECIAL_TOKENS

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self._tokenize(texts)]

    def _passes(self, texts: Sequence[_Texts]) -> list[_Pass]:
        sides = iter(self._tokenize([text for pair in texts for text in pair]))
        return [self._build_pass(next(sides), next(sides), alone=not candidate) for _, candidate in texts]

    def _build_pass(self, reference: list[int], candidate: list[int], *, alone: bool) -> _Pass:
        """One pass over both reports, cut to the room there is; over the reference ``alone`` without a second [SEP]."""
        cls, sep = [self.tokenizer.cls_token_id], [self.tokenizer.sep_token_id]
        lengths = longest_first(len(reference), len(candidate), self._room + alone)
        one, other = [*cls, *reference[: lengths[0]], *sep], [] if alone else [*candidate[: lengths[1]], *sep]
        unseen = len(reference) + len(candidate) - sum(lengths)
        return _Pass(one + other, [0] * len(one) + [1] * len(other), unseen)

    def _tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        given = list(map(readable, texts))
        ids: list[list[int]] = self.tokenizer(given, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def _answers(self, passes: Sequence[_Pass]) -> list[_Answer]:
        """Answers of each pass, in order."""
        answers: dict[int, _Answer] = {}
        for batch in length_batches([len(passed.ids) for passed in passes], self.max_batch, self.batch_tokens):
            ids, mask = pad_arrays([passes[index].ids for index in batch], self.tokenizer.pad_token_id)
            types, _ = pad_arrays([passes[index].types for index in batch], 0)
            counts, presence = self.network.heads(ids, mask, types)
            probabilities = np.zeros((len(batch), 0)) if presence is None else _sigmoid(presence)
            counts = np.where(np.isfinite(counts), counts, np.nan)  # an infinite head must not be clamped to a count
            for index, raw, row in zip(batch, counts.tolist(), probabilities.tolist(), strict=True):
                answers[index] = (softplus(raw) if self.poisson else clamp_counts(raw), tuple(row))
        return [answers[index] for index in range(len(passes))]

    def _error_counts(self, reading: _Reading, answers: Sequence[_Answer]) -> ErrorCounts | Unscored:
        """Counts add up over the passes; presence is that of an error in any of them, taken as independent."""
        counts = [math.fsum(column) for column in zip(*(counts for counts, _ in answers), strict=True)]
        absence = [math.prod(1 - p for p in column) for column in zip(*(row for _, row in answers), strict=True)]
        if reading.unreadable is not None:
            return Unscored("nothing to read", _UNKNOWN, fault=Fault.REPORT).of(reading.unreadable)
        if not all(map(math.isfinite, [*counts, *absence])):
            return _NOT_FINITE
        return ErrorCounts(
            counts=dict(zip(self.head_names, counts, strict=True)),
            presence=dict(zip(self.head_names, (1 - p for p in absence), strict=False)),
            tokens=reading.tokens,
            unseen=sum(passed.unseen for passed in reading.passes),
            windows=len(reading.passes),
        )


@frozen
class _Pass:
    """One input of the model, and how many of its pair's tokens were cut off to make it."""

    ids: Sequence[int]
    types: Sequence[int]
    unseen: int = 0

    @property
    def size(self) -> int:
        """Tokens before the cut."""
        return len(self.ids) + self.unseen


@frozen
class _Reading:
    tokens: int
    passes: Sequence[_Pass]
    unreadable: Fault | None = None


def longest_first(reference: int, candidate: int, room: int) -> tuple[int, int]:
    """Number of tokens to keep of each report so that both fit into ``room``: the longer is cut first, as released.

    >>> longest_first(300, 100, 350), longest_first(300, 400, 351)
    ((250, 100), (175, 176))
    """
    if reference + candidate <= room:
        return reference, candidate
    shorter, longer = sorted((reference, candidate))
    shorter, longer = (shorter, room - shorter) if 2 * shorter <= room else (room // 2, room - room // 2)
    return (longer, shorter) if reference > candidate else (shorter, longer)


def _sigmoid(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    probabilities: npt.NDArray[np.float64] = 0.5 * (1.0 + np.tanh(0.5 * logits.astype(np.float64)))
    return probabilities
