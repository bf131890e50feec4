"""Reading pairs into entities: both reports recognised, the names of their entities compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.contracts import entities_of, matches_of, vectors_of
from overread.application.ports import EntityRecognizer, NameMatcher, TextEncoder
from overread.application.traits import RecognizerTraits, traits_of
from overread.domain.entities.entity import Entity
from overread.domain.findings.meaning import Likeness
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.ratescore import NameMatches
from overread.domain.results.result import EMPTY_PAIR, Fault, Unscored

__all__ = ["EntityPair", "EntityReader"]

Array: TypeAlias = npt.NDArray[np.float64]
Recognition: TypeAlias = tuple[Entity, ...] | Unscored


@frozen(eq=False)
class EntityPair:
    """The entities of both reports in reading order, duplicates kept, and how alike they are.

    Attributes:
        reference, candidate: the entities.
        similarities: of each entity of the reference to those of the candidate, on [-1, 1], reference x candidate.
        back: the same of the candidate's to those of the reference, candidate x reference.
        matched: the matches, where the encoder says them itself.
    """

    reference: tuple[Entity, ...]
    candidate: tuple[Entity, ...]
    similarities: Array = field(repr=False)
    back: Array = field(repr=False)
    matched: NameMatches | None = field(default=None, repr=False)

    @back.default
    def _symmetric(self) -> Array:
        return self.similarities.T

    @classmethod
    def matched_by(cls, matcher: NameMatcher, reference: tuple[Entity, ...], candidate: tuple[Entity, ...]) -> Self:
        """The pair as an encoder matches its names."""
        if not reference or not candidate:
            return cls(reference, candidate, np.zeros((len(reference), len(candidate))))
        names = ([entity.embedded for entity in side] for side in (reference, candidate))
        matched = matches_of(matcher, *names)
        return cls(reference, candidate, matched.similarities, matched.back, matched)


@frozen(eq=False)
class EntityReader:
    """Recognises each distinct report of a batch once and embeds each distinct name once.

    Entities are as alike as the cosine of their names says, or, where the recognizer knows what they mean, as
    `Likeness` says. An encoder that matches names itself (`NameMatcher`) is asked for each pair.
    """

    recognizer: EntityRecognizer
    encoder: TextEncoder
    _likeness: Likeness | None = field(init=False, repr=False)

    @_likeness.default
    def _by_meaning(self) -> Likeness | None:
        lexicon = traits_of(self.recognizer, RecognizerTraits).meaning_lexicon
        return None if lexicon is None else Likeness(lexicon)

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        """Identity of recognizer and encoder, and of what compares meanings, if anything does."""
        parts = (("recognizer", self.recognizer.identity), ("encoder", self.encoder.identity))
        return parts if self._likeness is None else (*parts, ("likeness", self._likeness.identity))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the recognizer and the encoder."""
        return tuple(note for note in (self.recognizer.note, self.encoder.note) if note)

    def read(self, pairs: Sequence[ReportPair]) -> list[EntityPair | Unscored]:
        """Each pair read, or why it cannot be, in order.

        Raises:
            ComponentError: if recognizer or encoder break their contract.
        """
        entities = self._recognize_reports(report for pair in pairs for report in (pair.reference, pair.candidate))
        both = [_both(pair, entities) for pair in pairs]
        if isinstance(matcher := self.encoder, NameMatcher):
            return [sides if isinstance(sides, Unscored) else EntityPair.matched_by(matcher, *sides) for sides in both]
        vectors = self._encode_texts(
            entity.embedded for sides in both if not isinstance(sides, Unscored) for side in sides for entity in side
        )
        return [sides if isinstance(sides, Unscored) else self._compare_entities(*sides, vectors) for sides in both]

    def _compare_entities(
        self, reference: tuple[Entity, ...], candidate: tuple[Entity, ...], vectors: dict[str, Array]
    ) -> EntityPair:
        cosines = _cosines(reference, candidate, vectors)
        if self._likeness is None:
            return EntityPair(reference, candidate, cosines)
        rows, columns = ([entity.meaning for entity in side] for side in (reference, candidate))
        there = self._likeness.between(rows, columns, cosines)
        return EntityPair(reference, candidate, there, self._likeness.between(columns, rows, cosines.T))

    def _recognize_reports(self, reports: Iterable[Report]) -> dict[Report, Recognition]:
        distinct = list(dict.fromkeys(reports))
        # A report without a word holds no entity; no recognizer need be asked.
        read: dict[Report, Recognition] = {report: () for report in distinct if report.is_blank}
        asked = [report for report in distinct if not report.is_blank]
        named = not isinstance(self.encoder, NameMatcher)
        read.update(zip(asked, entities_of(self.recognizer, asked, named=named), strict=True))
        return read

    def _encode_texts(self, texts: Iterable[str]) -> dict[str, Array]:
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return {}
        rows = vectors_of(self.encoder, distinct)
        return dict(zip(distinct, rows, strict=True))


def _both(
    pair: ReportPair, entities: dict[Report, Recognition]
) -> tuple[tuple[Entity, ...], tuple[Entity, ...]] | Unscored:
    if pair.is_blank:
        return EMPTY_PAIR
    reference, candidate = entities[pair.reference], entities[pair.candidate]
    if isinstance(reference, Unscored):
        return reference.of(Fault.REFERENCE)
    if isinstance(candidate, Unscored):
        return candidate.of(Fault.CANDIDATE)
    return reference, candidate


def _cosines(reference: Sequence[Entity], candidate: Sequence[Entity], vectors: dict[str, Array]) -> Array:
    """Cosines of the names; those of equal names are exactly 1, whatever rounding makes of them."""
    if not reference or not candidate:
        return np.zeros((len(reference), len(candidate)))
    rows, row_of = _distinct(reference)
    columns, column_of = _distinct(candidate)
    cosines = np.stack([vectors[name] for name in rows]) @ np.stack([vectors[name] for name in columns]).T
    cosines = np.clip(cosines, -1.0, 1.0)
    row = {name: place for place, name in enumerate(rows)}
    for column, name in enumerate(columns):
        if name in row:
            cosines[row[name], column] = 1.0
    return cosines[np.ix_(row_of, column_of)]


def _distinct(entities: Sequence[Entity]) -> tuple[list[str], list[int]]:
    names = {name: place for place, name in enumerate(dict.fromkeys(entity.embedded for entity in entities))}
    return list(names), [names[entity.embedded] for entity in entities]
