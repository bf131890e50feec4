"""References taken apart into facts, each told right and wrong as generators would, put together to candidates."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.annotation import MarkedError, MarkedPair
from overread.studies.infrastructure.datasets.training_pairs.marked import (
    marked_error,
    pairs_of_studies,
    patient_of,
    place_of,
)

__all__ = ["FACTS", "read_facts"]

FACTS: Final = Path(__file__).parents[1] / "learning" / "facts.jsonl"

_NORMAL: Final = "normal"
"""Importance of a fact whose absence is no error."""

_NORMAL_TOLD: Final = 0.5
"""Chance that a candidate tells of what is normal."""
_TWICE: Final = 0.12
"""Chance that a fact is told twice."""
_AS_IN_REFERENCE: Final = 0.5
"""Chance that facts stand in the reference's order."""
_BREAKS: Final = (" ", " ", "\n")


@frozen
class _Manner:
    """Accuracy of a candidate: chances that each fact is told wrong or left out, and how many are invented."""

    wrong: float
    missing: float
    invented: tuple[int, ...] = (0,)
    harmless: tuple[int, ...] = (0, 1, 2)


_MANNERS: Final = (
    _Manner(wrong=0.0, missing=0.0),
    _Manner(wrong=0.0, missing=0.0, harmless=(1, 2, 3)),
    _Manner(wrong=0.15, missing=0.0),
    _Manner(wrong=0.1, missing=0.15, invented=(0, 0, 1)),
    _Manner(wrong=0.3, missing=0.2, invented=(0, 1)),
    _Manner(wrong=0.3, missing=0.5, invented=(1, 2, 3)),
    _Manner(wrong=0.0, missing=0.8, invented=(0, 0, 1), harmless=(2, 3)),
)
"""From the careful to what says little; a candidate of each is made of every study."""


def read_facts(path: Path = FACTS, *, seed: int = 7) -> list[MarkedPair]:
    """References with candidates that tell their facts more or less well.

    Args:
        path: references, each with ``facts`` (``quotes`` of the reference, ``importance``, and sentences that are
            ``right`` and ``wrong``), sentences that are ``invented``, and ``harmless`` ones.
        seed: of what is drawn.

    Raises:
        InputError: naming the line that cannot be used.
    """
    draw = random.Random(seed)  # noqa: S311 - which sentences meet is no secret
    return pairs_of_studies(path, lambda study: _pairs(study, draw), problem="is not a reference with facts")


@frozen
class _Told:
    """Sentences that stand together, and the error that they make, if any, with its places in the reference."""

    sentences: tuple[str, ...]
    wrong: Mapping[str, Any] | None = None
    reference_spans: tuple[Span, ...] = ()


def _pairs(study: Mapping[str, Any], draw: random.Random) -> Iterator[MarkedPair]:
    reference, name = study["reference"], study["study"]
    for number, manner in enumerate(_MANNERS):
        tellings = [_fact(fact, reference, manner, draw) for fact in study["facts"]]
        if draw.random() >= _AS_IN_REFERENCE:
            draw.shuffle(tellings)
        invented = draw.sample(study["invented"], min(draw.choice(manner.invented), len(study["invented"])))
        harmless = draw.sample(study["harmless"], min(draw.choice(manner.harmless), len(study["harmless"])))
        for one in [*(_Told((wrong["text"],), wrong) for wrong in invented), *(_Told((text,)) for text in harmless)]:
            tellings.insert(draw.randrange(len(tellings) + 1), one)
        if not any(one.sentences for one in tellings):
            tellings.append(_Told((draw.choice(study["harmless"]),)))
        candidate, errors = _join_tellings(tellings, draw.choice(_BREAKS))
        pair = ReportPair(id=f"{name}-{number}", reference=reference, candidate=candidate, context=patient_of(study))
        yield MarkedPair(pair=pair, study=name, source="facts", errors=tuple(errors))


def _fact(fact: Mapping[str, Any], reference: str, manner: _Manner, draw: random.Random) -> _Told:
    """A fact as a candidate tells it."""
    spans = tuple(place_of(quote, reference) for quote in fact["quotes"])
    normal = fact["importance"] == _NORMAL
    chance = draw.random()
    if chance < manner.wrong and fact["wrong"]:
        wrong = draw.choice(fact["wrong"])
        return _Told((wrong["text"],), wrong, spans)
    if chance < manner.wrong + manner.missing:
        return _Told(()) if normal else _Told((), {**fact, "category": "B", "extent": 1.0}, spans)
    if normal and draw.random() >= _NORMAL_TOLD:
        return _Told(())
    return _Told(tuple(draw.sample(fact["right"], 1 + (draw.random() < _TWICE and len(fact["right"]) > 1))))


def _join_tellings(told: Sequence[_Told], between: str) -> tuple[str, list[MarkedError]]:
    """The candidate's text, and its errors where they stand."""
    text = ""
    errors: list[MarkedError] = []
    for one in told:
        start = len(text) + len(between) if text else 0
        text = between.join([*([text] if text else []), *one.sentences])
        if one.wrong is not None:
            spans = (Span(start, len(text)),) if one.sentences else ()
            errors.append(marked_error(one.wrong, one.reference_spans, spans))
    return text, errors
