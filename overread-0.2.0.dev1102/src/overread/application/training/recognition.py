"""Recognisers of entities tried on texts whose entities are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.batching import batches
from overread.application.ports import EntityRecognizer
from overread.application.statistics import Estimate, Resampling, estimate_ratios
from overread.domain.entities.annotated_text import AnnotatedText
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored

__all__ = ["Agreement", "RecognitionReport", "agreement_of", "try_recognizer"]

Array = npt.NDArray[np.float64]

_DRAWS: Final = 1000
_BATCH: Final = 512


@frozen(kw_only=True)
class Agreement:
    """Agreement of found entities with known ones, each 0 to 1, higher is better, with 95 % bootstrap intervals.

    Two entities are the same if their first and last characters and their types are. Where nothing was found, or
    nothing known, the quotient has no value.

    Attributes:
        known: number of known entities.
        precision: found ones that were known.
        recall: known ones that were found.
        f1: their harmonic mean.
    """

    known: int
    precision: Estimate
    recall: Estimate
    f1: Estimate


@frozen(kw_only=True)
class RecognitionReport:
    """Accuracy of a recogniser against known entities (Zhao et al. 2024, Table 6).

    Attributes:
        texts: number read; ``unread`` more could not be.
        total: agreement over all types.
        by_type: agreement by type.
        accuracy: share of words whose type was given correctly, O where they have none, 0 to 1, higher is better. The
            paper does not say what its accuracy counts; this is ours.
    """

    texts: int
    unread: int
    total: Agreement
    by_type: Mapping[EntityType, Agreement]
    accuracy: Estimate


def try_recognizer(recognizer: EntityRecognizer, texts: Sequence[AnnotatedText], *, seed: int = 0) -> RecognitionReport:
    """Reads every text as a report and compares what is found with what is known; intervals are drawn by study."""
    answers: list[tuple[Entity, ...] | Unscored] = []
    for batch in batches(texts, _BATCH):
        answers += recognizer.recognize([Report(text.text) for text in batch])
    read = [
        (text, entities) for text, entities in zip(texts, answers, strict=True) if not isinstance(entities, Unscored)
    ]
    resampling = Resampling.by_study([text.study for text, _ in read], draws=_DRAWS, seed=seed)
    counts = [_counts(text.entities, entities) for text, entities in read]
    words = np.array([_words(text, entities) for text, entities in read], dtype=np.float64).reshape(-1, 2)
    [accuracy] = estimate_ratios([words[:, 0]], [words[:, 1]], resampling)
    return RecognitionReport(
        texts=len(read),
        unread=len(texts) - len(read),
        total=_agreement(counts, list(EntityType), resampling),
        by_type={kind: _agreement(counts, [kind], resampling) for kind in EntityType},
        accuracy=accuracy,
    )


def agreement_of(recognizer: EntityRecognizer, texts: Sequence[AnnotatedText]) -> dict[str, float]:
    """``precision``, ``recall`` and ``f1`` over all types, as of `Agreement`, without intervals; 0 where undefined."""
    answers = recognizer.recognize([Report(text.text) for text in texts])
    recognized = [() if isinstance(answer, Unscored) else answer for answer in answers]
    counts = [_counts(text.entities, some) for text, some in zip(texts, recognized, strict=True)]
    both, some, known = (sum(sum(of[place].values()) for of in counts) for place in range(3))
    return {
        "precision": both / some if some else 0.0,
        "recall": both / known if known else 0.0,
        "f1": 2 * both / (some + known) if both else 0.0,
    }


_Counts = tuple[Counter[EntityType], Counter[EntityType], Counter[EntityType]]


def _counts(known: Sequence[Entity], found: Sequence[Entity]) -> _Counts:
    """Counts of one text by type: both, found, known."""
    found_places, known_places = ({(e.start, e.end, e.type) for e in entities} for entities in (found, known))
    both, some, all_ = (
        Counter(kind for *_, kind in places) for places in (found_places & known_places, found_places, known_places)
    )
    return both, some, all_


def _agreement(counts: Sequence[_Counts], kinds: Sequence[EntityType], resampling: Resampling) -> Agreement:
    rows = [[sum(of[kind] for kind in kinds) for of in text] for text in counts]
    both, recognized, known = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    precision, recall, f1 = estimate_ratios([both, both, 2 * both], [recognized, known, recognized + known], resampling)
    return Agreement(known=int(known.sum()), precision=precision, recall=recall, f1=f1)


def _words(text: AnnotatedText, found: Sequence[Entity]) -> tuple[int, int]:
    """Words whose type was told rightly, and words."""
    predicted, known = _types(text.text, found), _types(text.text, text.entities)
    return sum(one == other for one, other in zip(predicted, known, strict=True)), len(known)


def _types(text: str, entities: Sequence[Entity]) -> list[EntityType | None]:
    """The type of each word by its first character; of entities within each other the shorter tells it."""
    of: list[EntityType | None] = [None] * len(text)
    for entity in sorted(entities, key=lambda entity: entity.start - entity.end):
        of[entity.start : entity.end] = [entity.type] * (entity.end - entity.start)
    begins = [
        place
        for place, (before, here) in enumerate(zip(chain(" ", text), text, strict=False))
        if before.isspace() > here.isspace()
    ]
    return [of[place] for place in begins]
