"""Contrast sets: statements told otherwise and with one thing changed, put together to reports."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.annotation import MarkedPair
from overread.studies.infrastructure.datasets.json_lines import read_json_lines
from overread.studies.infrastructure.datasets.training_pairs.marked import REMEDY, marked_error

__all__ = ["CONTRAST", "read_contrasts"]

CONTRAST: Final = Path(__file__).parents[1] / "contrast" / "statements.jsonl"

_STATEMENTS: Final = (4, 5, 6, 7)
"""How many a report holds, each number as likely as another."""
_ALTERED: Final = 2
"""Candidates of a study that have something changed, beside one that has not."""
_CHANGES: Final = (1, 1, 2, 3)
"""How many statements of such a candidate are changed, each as likely as it stands here."""


def read_contrasts(path: Path = CONTRAST, *, seed: int = 7) -> list[MarkedPair]:
    """Read pairs of reports made of contrast sets of one modality.

    The reference has each statement as it was written. One candidate says all of them in other words; others have one
    to three of them changed in one thing each, whose sentences are marked.

    Args:
        path: sets, each with its ``statement``, what says the ``same``, and what is ``changed``.
        seed: of what is drawn.

    Raises:
        InputError: naming the line that cannot be used.
    """
    draw = random.Random(seed)  # noqa: S311 - which statements stand together is no secret
    sets = list(read_json_lines(path, _check_set, problem="is not a contrast set", remedy=REMEDY))
    by_modality: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for contrast in sets:
        by_modality[contrast["modality"]].append(contrast)
    return [
        pair
        for modality in sorted(by_modality)
        for number, study in enumerate(_studies(by_modality[modality], draw))
        for pair in _pairs(f"{modality} {number}", study, draw)
    ]


def _check_set(each: Mapping[str, Any]) -> Mapping[str, Any]:
    if not (each["modality"] and each["statement"] and each["same"] and all(one["text"] for one in each["changed"])):
        raise ValueError
    return each


def _studies(sets: Sequence[Mapping[str, Any]], draw: random.Random) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Each set in one study."""
    left = draw.sample(sets, len(sets))
    while left:
        size = draw.choice(_STATEMENTS)
        yield left[:size]
        left = left[size:]


def _pairs(study: str, sets: Sequence[Mapping[str, Any]], draw: random.Random) -> Iterator[MarkedPair]:
    reference = " ".join(contrast["statement"] for contrast in sets)
    for number in range(1 + _ALTERED):
        changed = set(draw.sample(range(len(sets)), min(draw.choice(_CHANGES), len(sets)))) if number else set()
        places = list(range(len(sets)))
        draw.shuffle(places)
        candidate, errors = "", []
        for place in places:
            contrast = sets[place]
            change = draw.choice(contrast["changed"]) if place in changed else None
            wording = change["text"] if change else draw.choice(contrast["same"])
            start = len(candidate)
            candidate += f"{wording} "
            if change:
                errors.append(marked_error(change, (_place(sets, place),), (Span(start, start + len(wording)),)))
        yield MarkedPair(
            pair=ReportPair(id=f"{study}-{number}", reference=reference, candidate=candidate.rstrip()),
            study=study,
            source="contrast",
            errors=tuple(errors),
        )


def _place(sets: Sequence[Mapping[str, Any]], number: int) -> Span:
    """Span of a statement in the reference."""
    start = sum(len(contrast["statement"]) + 1 for contrast in sets[:number])
    return Span(start, start + len(sets[number]["statement"]))
