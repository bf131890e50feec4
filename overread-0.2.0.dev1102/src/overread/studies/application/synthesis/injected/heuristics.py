"""GREEN's ways to find candidates for a report (GREEN, section 3.1.1), each report of a pair used by one of them only.

Random match, sentences removed and shuffled, the nearest other report, and permutations of units. The fifth, a trained
report generator, needs images. Only permutations know how many errors they made; the others have no labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, Final

import numpy as np
from attrs import field, frozen

from overread.application.ports import TextEncoder, UnitExtractor
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import CATEGORIES, Subset, bucket_of
from overread.studies.application.synthesis.edits.edit import Edit
from overread.studies.application.synthesis.edits.reading import Reading
from overread.studies.application.synthesis.edits.rules import RuleInjector
from overread.studies.application.synthesis.injected.material import Material

__all__ = ["Heuristic", "HeuristicPair", "by_heuristics"]


class Heuristic(StrEnum):
    """Way to find a candidate for a reference."""

    RANDOM = "random"
    SENTENCES = "sentences"
    NEAREST = "nearest"
    PERMUTATION = "permutation"


@frozen(kw_only=True)
class HeuristicPair:
    """A pair whose errors nobody has marked; their number is known where it was made by permutation.

    Attributes:
        significant, insignificant: number of errors, None where it is not known.
    """

    id: str
    study: str
    reference: str = field(repr=False)
    candidate: str = field(repr=False)
    heuristic: Heuristic
    significant: int | None = None
    insignificant: int | None = None

    def as_row(self) -> dict[str, Any]:
        """The pair as one JSON object; it has counts only where they are known."""
        row = {
            "id": self.id,
            "study": self.study,
            "reference": self.reference,
            "candidate": self.candidate,
            "length_bucket": bucket_of(self.reference),
            "method": f"heuristic:{self.heuristic.value}",
        }
        if self.significant is None or self.insignificant is None:
            return row
        counts = {"significant": self.significant, "insignificant": self.insignificant}
        return {**row, "total": self.significant + self.insignificant, **counts}


_REMOVED: Final = 0.4
"""Share of the sentences that are removed, one at least where there are two."""

_MOST_PERMUTED: Final = 4
_PERMUTED: Final = tuple(
    (category, subset)
    for category in CATEGORIES
    for subset in Subset
    if (category.aspect in (ErrorAspect.LOCATION, ErrorAspect.SEVERITY, ErrorAspect.NEGATION, ErrorAspect.SIZE))
    and (subset is Subset.DISCRIMINATION or category.aspect is ErrorAspect.SEVERITY)
    and (subset is Subset.DISCRIMINATION or category.type is not ErrorType.INACCURACY)
)
"""Presence, size, severity and location, as in GREEN; of the harmless edits those that are errors nevertheless."""


def by_heuristics(
    material: Material,
    heuristics: Sequence[Heuristic],
    wanted: int,
    *,
    seed: int,
    extractor: UnitExtractor,
    encoder: Callable[[], TextEncoder],
) -> Iterator[HeuristicPair]:
    """Up to ``wanted`` pairs of each heuristic; a report is in pairs of one heuristic only.

    Args:
        material: the reports.
        heuristics: which to use.
        wanted: pairs of each.
        seed: of every random choice.
        extractor: reads permuted reports again.
        encoder: makes the encoder that tells how near two reports are; called only if it is needed.
    """
    draws = Draws.from_parts(seed, "heuristics")
    reports = draws.shuffled(range(len(material.readings)))
    for index, heuristic in enumerate(heuristics):
        own = reports[index :: len(heuristics)]
        find = _FINDERS[heuristic]
        for study, candidate, counts in islice(find(material, own, draws, extractor, encoder), wanted):
            name = material.studies[study]
            yield HeuristicPair(
                id=f"{name}-{heuristic.value}",
                study=name,
                reference=material.readings[study].text,
                candidate=candidate,
                heuristic=heuristic,
                significant=counts[0] if counts else None,
                insignificant=counts[1] if counts else None,
            )


_Found = Iterator[tuple[int, str, tuple[int, int] | None]]
"""Number of the reference, the candidate, and its significant and insignificant errors where they are known."""


def _random(
    material: Material, own: Sequence[int], _d: Draws, _x: UnitExtractor, _e: Callable[[], TextEncoder]
) -> _Found:
    for reference, candidate in zip(own[::2], own[1::2], strict=False):
        yield reference, material.readings[candidate].text, None


def _sentences(
    material: Material, own: Sequence[int], draws: Draws, _x: UnitExtractor, _e: Callable[[], TextEncoder]
) -> _Found:
    for report in own:
        reading = material.readings[report]
        if len(reading.sentences) > 1:
            yield report, _cut_and_shuffled(reading, draws), None


def _nearest(
    material: Material, own: Sequence[int], _d: Draws, _x: UnitExtractor, encoder: Callable[[], TextEncoder]
) -> _Found:
    """The nearest report by cosine that no pair holds yet."""
    vectors = encoder().encode([material.readings[report].text for report in own])
    free = np.ones(len(own), dtype=bool)
    for place, report in enumerate(own):
        if not free[place] or free.sum() <= 1:
            continue
        free[place] = False
        near = np.where(free, vectors @ vectors[place], -np.inf)
        best = int(near.argmax())
        free[best] = False
        yield report, material.readings[own[best]].text, None


def _permute_attributes(
    material: Material, own: Sequence[int], draws: Draws, extractor: UnitExtractor, _e: Callable[[], TextEncoder]
) -> _Found:
    """One to four edits of presence, size, severity and location, in sentences of their own."""
    injector = RuleInjector(extractor)
    for report in own:
        reading = material.readings[report]
        wanted = draws.between(1, _MOST_PERMUTED)
        made = injector.several(reading, draws.shuffled(_PERMUTED), wanted, draws)
        if made:
            significant = sum(subset is Subset.DISCRIMINATION for _, subset, _ in made)
            candidate = Edit.merged(edit for _, _, edit in made).apply(reading.text)
            yield report, candidate, (significant, len(made) - significant)


def _cut_and_shuffled(reading: Reading, draws: Draws) -> str:
    """The report with some sentences taken out and the others in random order, in the places there were."""
    text, spans = reading.text, reading.sentences
    remaining = max(1, round((1 - _REMOVED) * len(spans)))
    chosen = draws.shuffled(range(len(spans)))[: min(remaining, len(spans) - 1)]
    pieces = [text[: spans[0].start]]
    for place, number in enumerate(chosen):
        pieces.append(spans[number].of(text))
        if place < len(chosen) - 1:
            pieces.append(text[spans[place].end : spans[place + 1].start])
    return "".join(pieces)


_Finder = Callable[[Material, Sequence[int], Draws, UnitExtractor, Callable[[], TextEncoder]], _Found]
_FINDERS: Final[Mapping[Heuristic, _Finder]] = {
    Heuristic.RANDOM: _random,
    Heuristic.SENTENCES: _sentences,
    Heuristic.NEAREST: _nearest,
    Heuristic.PERMUTATION: _permute_attributes,
}
