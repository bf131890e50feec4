"""The datasheet of a set of injected pairs: what is in it, how it came about, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Final

from overread.studies.application.synthesis.edits.categories import BUCKETS, CATEGORIES, Subset
from overread.studies.application.synthesis.injected.material import Synthesis

__all__ = ["datasheet"]

_KINDS: Final = tuple(product(CATEGORIES, Subset))


def datasheet(made: Synthesis, heuristics: Mapping[str, int], *, source: str) -> str:
    """Markdown with the counts of each category by subset and length, the seed, the reader, and what is missing.

    Args:
        made: the injected pairs.
        heuristics: further pairs by heuristic.
        source: name of the file of reports.
    """
    return "\n\n".join(
        (
            "# Datasheet of injected pairs",
            _bullet_list(_summary(made, heuristics, source)),
            "## Pairs by category, subset and characters of the reference",
            _table(["category", "subset", *BUCKETS, "all"], _rows(made)),
            "## What was left out",
            _bullet_list(_missing(made) or ["No category lacks a pair."]),
            "Reports that were not used:",
            _count_lines(made.material.left_out),
            "Tries that failed a check, after which another edit or another report was tried:",
            _count_lines(made.faults),
            "## Checks and limits",
            _bullet_list(_limits(by_rules=made.method == "rules")),
        )
    )


def _summary(made: Synthesis, heuristics: Mapping[str, int], source: str) -> Iterator[str]:
    used = {pair.study for pair in made.pairs}
    shared = Counter((pair.study, pair.category) for pair in made.pairs)
    significant = sum(pair.severity.counts_as_significant for pair in made.pairs)
    twofold = sum(number > 1 for number in shared.values())
    yield f"Reports: {len(made.material.readings)} from {source}; {len(used)} of them are references here."
    yield f"Pairs: {len(made.pairs)}, {significant} of them significant."
    yield f"References with one discrimination and one robustness pair of one category: {twofold}."
    yield f"References used for more than one category: {len(shared) - len(used)}."
    yield f"Method: {made.method}. Seed: {made.seed}. Reader: {made.reader}."
    yield from (f"Pairs of the heuristic {name}: {count}." for name, count in heuristics.items())


def _rows(made: Synthesis) -> Iterator[list[str]]:
    for category, subset in _KINDS:
        lengths = Counter(pair.bucket for pair in made.pairs if (pair.category, pair.subset) == (category, subset))
        if lengths:
            yield [category.name, subset.value, *_count_cells(lengths)]
    yield ["all", "", *_count_cells(Counter(pair.bucket for pair in made.pairs))]


def _count_cells(lengths: Counter[str]) -> list[str]:
    return [*(str(lengths[bucket]) for bucket in BUCKETS), str(lengths.total())]


def _missing(made: Synthesis) -> list[str]:
    totals = Counter((pair.category, pair.subset) for pair in made.pairs)
    return [
        f"{category.name}, {subset.value}: {made.wanted - totals[category, subset]} of {made.wanted} wanted"
        for category, subset in _KINDS
        if 0 < totals[category, subset] < made.wanted
    ]


def _limits(*, by_rules: bool) -> Iterator[str]:
    same = " (rules)." if by_rules else ", as far as the model kept to it."
    yield f"A candidate differs from its reference only where the spans say; the rest is the same byte by byte{same}"
    yield "Its length is within 20 per cent of the reference's, or one sentence more or less."
    if by_rules:
        yield (
            "The reader named above read every candidate again: a discrimination pair differs in what its category is"
            " about and the difference matters by the rules of significance; a robustness pair asserts the same"
            " findings. What this reader cannot read is therefore not in the set."
        )
    else:
        yield "Whether the change matters is what the model was asked for; no reader checked it."
    yield "Labels were made by no clinician."


def _count_lines(counts: Mapping[str, int]) -> str:
    return _bullet_list([f"{name}: {count}" for name, count in sorted(counts.items())] or ["none"])


def _bullet_list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    ruled = [head, ["---", "---", *(["---:"] * (len(head) - 2))], *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in ruled)
