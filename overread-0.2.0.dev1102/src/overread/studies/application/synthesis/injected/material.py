"""Material and synthesis: the reports that pairs are made of, and the pairs, with what came of every category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from attrs import field, frozen

from overread.application.ports import UnitExtractor
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import BUCKETS, CATEGORIES, Category, Subset, bucket_of
from overread.studies.application.synthesis.edits.reading import Reading
from overread.studies.application.synthesis.edits.rules import proposals
from overread.studies.application.synthesis.injected.allocation import allocate
from overread.studies.application.synthesis.injected.pairs import InjectedPair

__all__ = ["Material", "Synthesis", "plan_edits"]

T = TypeVar("T")

_SAMPLE: Final = 200
"""Reports in which scarcity is estimated."""

_BATCH: Final = 64


@frozen(eq=False)
class Material:
    """The reports that can be read, each text once, and what was left out.

    Attributes:
        studies: id by report, in order.
        readings: the reports.
        left_out: how many reports were not used, by reason.
    """

    studies: tuple[str, ...]
    readings: tuple[Reading, ...] = field(repr=False)
    left_out: Mapping[str, int]

    @classmethod
    def read(cls, reports: Iterable[tuple[str, str]], extractor: UnitExtractor, lexicon: Lexicon) -> Material:
        """Reads reports, given with their ids."""
        distinct: dict[str, str] = {}
        left_out: Counter[str] = Counter()
        for name, text in reports:
            if not text.strip():
                left_out["empty"] += 1
            elif text in distinct:
                left_out["same text as another"] += 1
            else:
                distinct[text] = name
        studies, readings = [], []
        texts = list(distinct)
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            for text, units in zip(batch, extractor.extract([Report(text) for text in batch]), strict=True):
                if isinstance(units, Unscored):
                    left_out[units.reason] += 1
                else:
                    studies.append(distinct[text])
                    readings.append(Reading.of(text, units, lexicon))
        return cls(tuple(studies), tuple(readings), dict(left_out))

    @property
    def buckets(self) -> dict[str, list[int]]:
        """Numbers of the reports by length."""
        by_length: dict[str, list[int]] = {name: [] for name in BUCKETS}
        for number, reading in enumerate(self.readings):
            by_length[bucket_of(reading.text)].append(number)
        return by_length


def _in_order(pairs: Iterable[InjectedPair]) -> tuple[InjectedPair, ...]:
    return tuple(sorted(pairs, key=lambda p: (CATEGORIES.index(p.category), p.subset.value)))


@frozen(kw_only=True, eq=False)
class Synthesis:
    """The pairs made, and what their making came to.

    Attributes:
        material: the reports.
        pairs: by category and subset, in the order of `CATEGORIES`, then as they were made.
        faults: how many tries failed a check, by check.
    """

    material: Material
    pairs: tuple[InjectedPair, ...] = field(converter=_in_order)
    wanted: int
    seed: int
    reader: str
    method: str
    faults: Mapping[str, int]


def plan_edits(
    material: Material,
    attempt: Callable[[int, Category, Subset], T | None],
    *,
    per_category: int,
    seed: int,
    categories: Sequence[Category] = CATEGORIES,
) -> Iterator[T]:
    """Goes through categories, the scarcest first, and reports; see `allocate`."""
    draws = Draws.from_parts(seed, "allocation")
    sample = [material.readings[i] for i in draws.shuffled(range(len(material.readings)))[:_SAMPLE]]
    order = sorted(categories, key=partial(_frequency, sample))
    buckets = {name: reports for name, reports in material.buckets.items() if reports}
    return allocate(buckets, order, per_category, attempt, draws)


def _frequency(sample: Sequence[Reading], category: Category) -> int:
    """Number of reports in which both subsets of a category have a place."""
    return sum(all(next(proposals(r, category, subset), None) is not None for subset in Subset) for r in sample)
