"""How far the two labellers of the gold corpus agree: the figures of its datasheet.

    python benchmarks/labellers.py [generators | drafts]

Two errors are the same one if the words that they mark in a report overlap by three tenths of the shorter, or if they
are of one category and their findings share two words; each is paired once, the likest first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from overread.domain.vocabulary.matching import likest_pairs
from overread.domain.vocabulary.severity import Importance, severity_of
from overread.studies.infrastructure.datasets.annotated_sets.gold import PARTS, SETTINGS

Error = Mapping[str, Any]
Labels = Mapping[str, Any]
Texts = Mapping[str, str]

GOLD = Path(__file__).resolve().parent.parent / "src/overread/studies/infrastructure/datasets/gold"
LEAST_OVERLAP = 0.3
STEPS = list(Importance)


def main() -> None:
    from scipy.stats import kendalltau
    from sklearn.metrics import cohen_kappa_score

    setting = sys.argv[1] if len(sys.argv) > 1 else SETTINGS[0]
    prefix = "" if setting == SETTINGS[0] else f"{setting}-"
    said = {row["id"]: row["labels"] for row in map(json.loads, lines(GOLD / f"{prefix}labellers.jsonl"))}
    texts = {
        each["id"]: {"reference_span": study["reference"], "candidate_span": each["candidate"]}
        for part in PARTS
        for study in map(json.loads, lines(GOLD / f"{prefix}{part}.jsonl"))
        for each in study["candidates"]
    }
    first, second = ([said[pair][who] for pair in texts] for who in (0, 1))
    same = [
        (a["errors"][i], b["errors"][j])
        for a, b, text in zip(first, second, texts.values(), strict=True)
        for i, j in likest_pairs(alike(a["errors"], b["errors"], text))
    ]
    errors = sum(len(labels["errors"]) for labels in (*first, *second))
    marks = [marked(a, b, text) for a, b, text in zip(first, second, texts.values(), strict=True)]
    ratings = [[labels["rating"] for labels in who] for who in (first, second)]
    steps = [[STEPS.index(step(pair[who])) for pair in same] for who in (0, 1)]
    print(f"{len(texts)} pairs")
    print(f"rating: tau-b {kendalltau(*ratings).statistic:.3f}, same {share(zip(*ratings, strict=True)):.3f}")
    print(f"significant errors: tau-b {kendalltau(*map(significant, (first, second))).statistic:.3f}")
    care = [[labels["different_care"] for labels in who] for who in (first, second)]
    print(f"different care: kappa {cohen_kappa_score(*care):.3f}")
    print(f"errors: F1 {2 * len(same) / errors:.3f}")
    print(f"importance: kappa {cohen_kappa_score(*steps):.3f}, weighted", end=" ")
    print(f"{cohen_kappa_score(*steps, weights='quadratic'):.3f}")
    print(f"extent: same {share((a['extent'], b['extent']) for a, b in same):.3f}")
    both, one, other = (sum(column) for column in zip(*marks, strict=True))
    print(f"words: F1 of characters {2 * both / (one + other):.3f}")


def lines(path: Any) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


def share(pairs: Any) -> float:
    """Share of pairs whose two are the same."""
    equal = [a == b for a, b in pairs]
    return sum(equal) / len(equal)


def step(error: Error) -> Importance:
    return Importance(error["importance"].replace("-", "_"))


def significant(labels: Sequence[Labels]) -> list[int]:
    return [
        sum(severity_of(step(error).weight * error["extent"]).counts_as_significant for error in each["errors"])
        for each in labels
    ]


def characters(error: Error, side: str, text: str) -> set[int]:
    """Places of the characters that an error marks in a report."""
    start = text.find(error[side])
    return set(range(start, start + len(error[side])))


def alike(ours: Sequence[Error], theirs: Sequence[Error], texts: Texts) -> Iterator[tuple[float, int, int]]:
    for i, a in enumerate(ours):
        for j, b in enumerate(theirs):
            overlap = 0.0
            for side, text in texts.items():
                one, other = characters(a, side, text), characters(b, side, text)
                if one and other:
                    overlap = max(overlap, len(one & other) / min(len(one), len(other)))
            words = [set(error["finding"].lower().split()) for error in (a, b)]
            shared, kind = len(words[0] & words[1]), a["category"] == b["category"]
            if overlap >= LEAST_OVERLAP or (kind and shared > 1):
                yield overlap + 0.3 * kind + 0.3 * shared / max(1, min(map(len, words))), i, j


def marked(ours: Labels, theirs: Labels, texts: Texts) -> tuple[int, int, int]:
    """Characters that both mark, and that each does."""
    both = one = other = 0
    for side, text in texts.items():
        a, b = (set().union(*(characters(e, side, text) for e in who["errors"])) for who in (ours, theirs))
        both, one, other = both + len(a & b), one + len(a), other + len(b)
    return both, one, other


if __name__ == "__main__":
    main()
