"""The datasheet of a set of injected pairs: what is in it, how it came about, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from overread.application.synthesis.edits.categories import BUCKETS, CATEGORIES, Subset
from overread.application.synthesis.injected.material import Synthesis

__all__ = ["datasheet"]


def datasheet(made: Synthesis, heuristics: Mapping[str, int], *, source: str) -> str:
    """Markdown with the counts of each category by subset and length, the seed, the reader, and what is missing.

    Args:
        made: the injected pairs.
        heuristics: further pairs by heuristic.
        source: name of the file of reports.
    """
    counts = Counter((pair.category, pair.subset, pair.bucket) for pair in made.pairs)
    totals = Counter((pair.category, pair.subset) for pair in made.pairs)
    rows = [
        [
            category.name,
            subset.value,
            *(str(counts[category, subset, b]) for b in BUCKETS),
            str(totals[category, subset]),
        ]
        for category in CATEGORIES
        for subset in Subset
        if totals[category, subset]
    ]
    by_length = Counter(pair.bucket for pair in made.pairs)
    rows.append(["all", "", *(str(by_length[b]) for b in BUCKETS), str(len(made.pairs))])
    missing = [
        f"{category.name}, {subset.value}: {made.wanted - totals[category, subset]} of {made.wanted} wanted"
        for category in CATEGORIES
        for subset in Subset
        if 0 < totals[category, subset] < made.wanted
    ]
    used = Counter(pair.study for pair in made.pairs)
    shared = Counter((pair.study, pair.category) for pair in made.pairs)
    significant = sum(pair.severity.counts_as_significant for pair in made.pairs)
    twofold = sum(number > 1 for number in shared.values())
    parts = [
        "# Datasheet of injected pairs",
        _listed(
            [
                f"Reports: {made.reports} from {source}; {len(used)} of them are references here.",
                f"Pairs: {len(made.pairs)}, {significant} of them significant.",
                f"References with one discrimination and one robustness pair of one category: {twofold}.",
                f"References used for more than one category: {len(shared) - len(used)}.",
                f"Method: {made.method}. Seed: {made.seed}. Reader: {made.reader}.",
                *(f"Pairs of the heuristic {name}: {count}." for name, count in heuristics.items()),
            ]
        ),
        "## Pairs by category, subset and characters of the reference",
        _table(["category", "subset", *BUCKETS, "all"], rows),
        "## What was left out",
        _listed(missing or ["No category lacks a pair."]),
        "Reports that were not used:",
        _listed([f"{reason}: {count}" for reason, count in sorted(made.left_out.items())] or ["none"]),
        "Tries that failed a check, after which another edit or another report was tried:",
        _listed([f"{fault}: {count}" for fault, count in made.faults.items()] or ["none"]),
        "## Checks and limits",
        _listed(
            [
                "A candidate differs from its reference only where the spans say; the rest is the same byte by byte"
                + (" (rules)." if made.method == "rules" else ", as far as the model kept to it."),
                "Its length is within 20 per cent of the reference's, or one sentence more or less.",
                "The reader named above read every candidate again: a discrimination pair differs in what its category"
                " is about and the difference matters by the rules of significance; a robustness pair asserts the same"
                " findings. What this reader cannot read is therefore not in the set."
                if made.method == "rules"
                else "Whether the change matters is what the model was asked for; no reader checked it.",
                "Labels were made by no clinician.",
            ]
        ),
    ]
    return "\n\n".join(parts)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    ruled = [head, ["---", "---", *(["---:"] * (len(head) - 2))], *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in ruled)
