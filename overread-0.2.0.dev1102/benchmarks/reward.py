"""Rewards per second beside ROUGE-L's, by how often sentences come again.

    make bench                      on generated reports
    make bench PAIRS=pairs.jsonl    on your own (columns id, reference, candidate)

A training loop asks for many candidates of one reference, and a generator repeats itself: each line gives the share of
sentences that stood in an earlier pair of the same pass. Batches have 64 completions; every line is a fresh process.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from _common import Row, generated, in_process, load

BATCH = 64
GROUPS = (1, 8)
METRICS = ("radot", "notation")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, help="JSONL file; generated reports where omitted")
    parser.add_argument("--studies", type=int, default=500, help="generated studies, four pairs each")
    parser.add_argument("--limit", type=int, default=4_000, help="pairs taken from its start")
    arguments = parser.parse_args()
    rows = (load(arguments.pairs) if arguments.pairs else in_process(generated, arguments.studies))[: arguments.limit]
    print(f"\n{'candidates a reference':<24} {'repeated':>9} {'ROUGE-L/s':>10} {'radot/s':>9} {'notation/s':>11}")
    for group in GROUPS:
        batch = grouped(rows, group)
        rates = [in_process(rate, batch, metric) for metric in ("", *METRICS)]
        print(f"{group:<24} {repeated(batch):>9.1%} {rates[0]:>10.0f} {rates[1]:>9.0f} {rates[2]:>11.0f}", flush=True)


def grouped(rows: Sequence[Row], group: int) -> list[Row]:
    """As many pairs, each reference with its own candidate and those of the pairs that follow."""
    references = rows[: len(rows) // group]
    return [
        {**row, "candidate": rows[(index + step) % len(rows)]["candidate"]}
        for index, row in enumerate(references)
        for step in range(group)
    ]


def repeated(rows: Sequence[Row]) -> float:
    """Share of sentences that stood in an earlier pair."""
    from overread.adapters.lexicon.segments import split_sentences

    seen: set[str] = set()
    again = count = 0
    for row in rows:
        texts = (row["reference"], row["candidate"])
        sentences = [span.of(text) for text in texts for span in split_sentences(text, 0, len(text))]
        again += sum(sentence in seen for sentence in sentences)
        count += len(sentences)
        seen.update(sentences)
    return again / count


def rate(rows: Sequence[Row], metric: str) -> float:
    """Pairs per second of a metric's reward, or of ROUGE-L with stemming; ask for it `in_process`."""
    if metric:
        import overread

        give = overread.reward(metric)
        give(completions=["No effusion."], reference=["No effusion."])
    else:
        from _peers import rouge_l

        score = rouge_l()
    started = time.perf_counter()
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        completions, references = [row["candidate"] for row in batch], [row["reference"] for row in batch]
        if metric:
            give(completions=completions, reference=references)
        else:
            score(completions, references)
    return len(rows) / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
