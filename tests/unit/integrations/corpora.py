"""A small corpus of invented pairs, scored."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import overread

__all__ = ["PRIVATE", "ROWS", "scored_corpus"]

PRIVATE: Final = "Qwxyz"
"""A word of every report that is not empty."""

ROWS: Final = [
    *(
        {
            "id": f"case-{number}",
            "study": f"s{number // 2}",
            "reference": f"{PRIVATE} notes no mass {number}.",
            "candidate": f"{PRIVATE} notes {'no ' * (number % 2)}mass {number}.",
        }
        for number in range(7)
    ),
    {"id": "case-7", "study": "s7", "reference": "", "candidate": ""},
]


def scored_corpus(folder: Path) -> tuple[Path, Path]:
    """Files of results, by words and by their overlap, and of the pairs."""
    pairs, results = folder / "pairs.csv", folder / "drafts.jsonl"
    with pairs.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    overread.score_corpus(pairs, results, metrics=["rouge", "bleu"])
    return results, pairs
