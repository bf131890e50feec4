"""Fakes of what the learned metrics work with: a recognizer, an encoder and an error counter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.domain.differences.cost import tokens
from overread.domain.differences.second_reading import FirstReading, SecondReading
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.error_counts import CATEGORY_HEADS, ErrorCounts
from overread.domain.results.result import EMPTY_PAIR, Unscored
from overread.testing._fakes import SENTENCE, Fake

__all__ = ["FakeEncoder", "FakeErrorCounter", "FakeRecognizer", "FakeSecondReader"]

Array = npt.NDArray[np.float32]

_FALSE: Final = CATEGORY_HEADS[0]
_OMITTED: Final = CATEGORY_HEADS[1]


@frozen
class FakeRecognizer(Fake):
    """Takes the last word of every sentence for an abnormality, of "no ..." for a non-abnormality.

    Attributes:
        refused: reason by text, for reports that it shall not read.
        note: what a reader of its answers must be told.

    >>> [entity] = FakeRecognizer().recognize([Report("No left effusion.")])[0]
    >>> entity.text, entity.type.value, (entity.start, entity.end)
    ('effusion', 'NON-ABNORMALITY', (8, 16))
    """

    refused: Mapping[str, str] = field(factory=dict, repr=False)
    note: str = ""

    def recognize(self, reports: Sequence[Report]) -> list[tuple[Entity, ...] | Unscored]:
        """Entities of each report."""
        return [self._read(report.text) for report in reports]

    def _read(self, text: str) -> tuple[Entity, ...] | Unscored:
        if text in self.refused:
            return Unscored(self.refused[text], "the fake refuses it")
        return tuple(_entity(match.group(), match.start()) for match in SENTENCE.finditer(text))


def _entity(sentence: str, start: int) -> Entity:
    first, *_ = sentence.split()
    word = sentence.rsplit(maxsplit=1)[-1]
    end = start + len(sentence.rstrip())
    kind = EntityType.NON_ABNORMALITY if first.lower() == "no" else EntityType.ABNORMALITY
    return Entity(text=word, start=end - len(word), end=end, type=kind)


@frozen
class FakeEncoder(Fake):
    """Embeds a text by how often it has each letter: texts of the same letters are alike, cosine 0 to 1.

    Attributes:
        note: what a reader of its answers must be told.

    >>> first, second = FakeEncoder().encode(["Listen", "silent"])
    >>> round(float(first @ second), 6)
    1.0
    """

    note: str = ""

    def encode(self, texts: Sequence[str]) -> Array:
        """One row of 27 numbers a text."""
        rows = np.array([_letters(text) for text in texts], dtype=np.float32).reshape(-1, len(ascii_lowercase) + 1)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _letters(text: str) -> list[int]:
    """Number of times that each letter occurs in a text, and a 1 so that no row is 0."""
    occurrences = Counter(text.lower())
    return [*(occurrences[letter] for letter in ascii_lowercase), 1]


@frozen
class FakeErrorCounter(Fake):
    """Counts as false findings the words that only the candidate holds, as omissions those only in the reference.

    Attributes:
        counts: by pair id, counts by head instead of those.
        note: what a reader of its answers must be told.
    """

    counts: Mapping[str, Mapping[str, float]] = field(factory=dict)
    note: str = ""

    def count(self, pairs: Sequence[ReportPair]) -> list[ErrorCounts | Unscored]:
        """Counts of each pair; two blank reports have none."""
        return [self._count(pair) for pair in pairs]

    def _count(self, pair: ReportPair) -> ErrorCounts | Unscored:
        if pair.is_blank:
            return EMPTY_PAIR
        reference, candidate = tokens(pair.reference.text), tokens(pair.candidate.text)
        differences = {_FALSE: float(len(candidate - reference)), _OMITTED: float(len(reference - candidate))}
        counts = dict.fromkeys(CATEGORY_HEADS, 0.0) | differences | dict(self.counts.get(pair.id, {}))
        return ErrorCounts(
            counts=counts,
            presence={head: float(count > 0) for head, count in counts.items()},
            tokens=len(reference) + len(candidate),
        )


@frozen
class FakeSecondReader(Fake):
    """Confirms every discrepancy, but those about findings that it doubts, and finds what it is told to.

    Attributes:
        doubted: how likely it finds discrepancies about each of these findings, by lexicon id.
        found: what it finds in every pair.
    """

    doubted: Mapping[str, float] = field(factory=dict)
    found: tuple[Discrepancy, ...] = ()

    def read_again(self, readings: Sequence[FirstReading]) -> list[SecondReading]:
        """Probability 1 for each discrepancy that it does not doubt."""
        return [
            SecondReading(tuple(self.doubted.get(d.finding, 1.0) for d in first.discrepancies), self.found)
            for first in readings
        ]
