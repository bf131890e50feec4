"""Finals with edits, each right or wrong by itself, put together to drafts."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import evolve, frozen

from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.annotation import MarkedError, MarkedPair
from overread.studies.infrastructure.datasets.training_pairs.marked import (
    marked_error,
    pairs_of_studies,
    patient_of,
    place_of,
)

__all__ = ["EDITS", "read_edits"]

EDITS: Final = Path(__file__).parents[1] / "learning" / "edits.jsonl"

_WORD: Final = re.compile(r"\w+|[^\w\s]")

_HARMLESS: Final = 3
"""Drafts of a final in which nothing is wrong."""
_RIGHT: Final = (0, 1, 2, 3, 4, 5, 6, 8)
"""How many right edits a draft has, each number as likely as another."""
_MORE: Final = 0.3
"""Chance that a draft with an error has another."""
_SWAPPED: Final = 3
"""Drafts of a final that are taken for the final, with the final for the draft."""
_MIRRORED: Final = {"G": "H", "H": "G"}


def read_edits(path: Path = EDITS, *, seed: int = 7) -> list[MarkedPair]:
    """Finals with drafts made by a few of their edits: some right throughout, one or more for every wrong edit.

    Args:
        path: finals, each with ``edits``: their ``places`` as pairs of words of the final and of the draft, and, where
            they are wrong, ``category``, ``importance`` and ``extent``.
        seed: of what is drawn.

    Raises:
        InputError: naming the line that cannot be used.
    """
    draw = random.Random(seed)  # noqa: S311 - which edits meet is no secret
    return pairs_of_studies(path, lambda study: _pairs(study, draw), problem="is not a final with edits")


@frozen
class _Place:
    """Characters of the final, and what the draft has in their place."""

    span: Span
    words: str


@frozen
class _Edit:
    """Places that change together, and what is wrong with that; None where it is right."""

    places: tuple[_Place, ...]
    wrong: Mapping[str, Any] | None

    def meets(self, other: _Edit) -> bool:
        """Returns whether both change, or border on, the same words."""
        return any(
            mine.span.start <= other_place.span.end and other_place.span.start <= mine.span.end
            for mine in self.places
            for other_place in other.places
        )


def _pairs(study: Mapping[str, Any], draw: random.Random) -> Iterator[MarkedPair]:
    final, name = study["reference"], study["study"]
    edits = [
        _Edit(tuple(_place(old, new, final) for old, new in edit["places"]), edit if edit.get("category") else None)
        for edit in study["edits"]
    ]
    right = [edit for edit in edits if edit.wrong is None]
    wrong = [edit for edit in edits if edit.wrong is not None]
    chosen = [_compatible([], right, draw.choice(_RIGHT[1:]), draw) for _ in range(_HARMLESS)]
    for edit in wrong:
        others = [other for other in wrong if other is not edit]
        begun = _compatible([edit], others, int(draw.random() < _MORE), draw)
        chosen.append(_compatible(begun, right, draw.choice(_RIGHT), draw))
    made = [_apply_edits(final, group) for group in chosen]
    context = patient_of(study)
    for number, (draft, errors) in enumerate(made):
        pair = ReportPair(id=f"{name}-{number}", reference=final, candidate=draft, context=context)
        yield MarkedPair(pair=pair, study=name, source="edits", errors=errors)
    for number in draw.sample(range(len(made)), min(_SWAPPED, len(made))):
        draft, errors = made[number]
        pair = ReportPair(id=f"{name}-{number}-swapped", reference=draft, candidate=final, context=context)
        yield MarkedPair(pair=pair, study=name, source="edits", errors=tuple(map(_swap_sides, errors)))


def _place(old: str, new: str, final: str) -> _Place:
    if not old or final.count(old) != 1:
        raise ValueError
    return _Place(place_of(old, final), new)


def _compatible(begun: Sequence[_Edit], more: Sequence[_Edit], count: int, draw: random.Random) -> list[_Edit]:
    """Edits with up to so many more, no two of which touch the same words."""
    chosen = list(begun)
    for edit in draw.sample(more, len(more)):
        if len(chosen) == len(begun) + count:
            break
        if not any(edit.meets(other) for other in chosen):
            chosen.append(edit)
    return chosen


def _apply_edits(final: str, edits: Sequence[_Edit]) -> tuple[str, tuple[MarkedError, ...]]:
    """The final as edited, and its errors where they stand."""
    places = sorted(
        ((place, number) for number, edit in enumerate(edits) for place in edit.places),
        key=lambda one: one[0].span.start,
    )
    draft, end = "", 0
    spans: list[tuple[list[Span], list[Span]]] = [([], []) for _ in edits]
    for place, number in places:
        draft += final[end : place.span.start]
        in_final, in_draft = _changed_stretches(final[place.span.start : place.span.end], place.words)
        for at, stretch, start in ((0, in_final, place.span.start), (1, in_draft, len(draft))):
            if stretch is not None:
                spans[number][at].append(Span(start + stretch.start, start + stretch.end))
        draft += place.words
        end = place.span.end
    draft += final[end:]
    return draft, tuple(
        marked_error(edit.wrong, tuple(in_final), tuple(in_draft))
        for edit, (in_final, in_draft) in zip(edits, spans, strict=True)
        if edit.wrong is not None
    )


def _changed_stretches(old: str, new: str) -> tuple[Span | None, Span | None]:
    """The stretches in which two wordings differ; None where one only adds to the other."""
    old_words, new_words = list(_WORD.finditer(old)), list(_WORD.finditer(new))
    words, others = ([match.group().casefold() for match in matches] for matches in (old_words, new_words))
    first = 0
    while first < min(len(words), len(others)) and words[first] == others[first]:
        first += 1
    last = 0
    while last < min(len(words), len(others)) - first and words[-1 - last] == others[-1 - last]:
        last += 1
    return _stretch(old_words[first : len(old_words) - last]), _stretch(new_words[first : len(new_words) - last])


def _stretch(words: Sequence[re.Match[str]]) -> Span | None:
    worded = [match for match in words if match.group()[0].isalnum()]
    return Span(worded[0].start(), worded[-1].end()) if worded else None


def _swap_sides(error: MarkedError) -> MarkedError:
    """The error of the final, were the draft the truth."""
    reference, candidate = error.candidate_spans, error.reference_spans
    category = _MIRRORED.get(error.category, error.category)
    if error.category in {"A", "B"}:
        category = "A" if error.category == "B" and not reference else "B"
    if error.category in {"E", "F"}:
        category = "F" if reference else "E"
    return evolve(error, reference_spans=reference, candidate_spans=candidate, category=category)
