"""Pairs per second and peak memory of every metric here and of its peers, in one run.

    make bench                      on generated reports
    make bench PAIRS=pairs.jsonl    on your own (columns id, reference, candidate)

Cold is a fresh process's first pass over the pairs, warm the second pass of the same process. Each line is a process
of its own, so that peak memory is its own. "x" is time over that of ROUGE-L with stemming in the same pass; 1 is as
fast, less is faster. Lines with fewer pairs take an even part of them. Metrics that ask a language model are given one
that answers at once: what is left is what overread itself does.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from _common import Timing, generated, in_process, load, measure
from _instant import measure_asking
from _peers import PEERS, measure_peer

OURS = (("radot",), ("notation",), ("radot", "notation"), ("rouge",), ("bleu",), ("ratescore",), ("crepe",))
ASKING = ("green", "judge")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, help="JSONL file; generated reports where omitted")
    parser.add_argument("--studies", type=int, default=500, help="generated studies, four pairs each")
    parser.add_argument("--few", type=int, default=200, help="pairs for bert-score")
    parser.add_argument("--quick", action="store_true", help="a small model for bert-score, to see that it runs")
    arguments = parser.parse_args()
    rows = load(arguments.pairs) if arguments.pairs else in_process(generated, arguments.studies)
    print(f"{len(rows)} pairs; {os.cpu_count()} cores; Python {sys.version.split()[0]}")
    print(f"{'':<24} {'pairs':>6} {'start s':>8} {'cold/s':>8} {'warm/s':>8} {'x cold':>7} {'x warm':>7} {'MiB':>6}")
    peers = {name: in_process(measure_peer, name, rows) for name in PEERS}
    rouge = next(iter(peers.values()))
    for name, measured in peers.items():
        line(name, measured, rouge)
    with tempfile.TemporaryDirectory(prefix="overread-bench-") as temporary:
        few = rows[:: max(1, len(rows) // arguments.few)][: arguments.few]
        layers = in_process(write_encoder, Path(temporary), "small" if arguments.quick else "published")
        line("bert-score, BERT base", in_process(measure_peer, "", few, Path(temporary), layers), rouge)
    for metrics in OURS:
        line("+".join(metrics), in_process(measure, metrics, rows), rouge)
    for metric in ASKING:
        line(f"{metric}, instant model", in_process(measure_asking, metric, rows), rouge)


def write_encoder(folder: Path, size: str) -> int:
    """An encoder with random weights in a folder, and how many layers it has."""
    import _checkpoints

    _checkpoints.write_encoder(folder, _checkpoints.SIZES[size])
    return _checkpoints.SIZES[size].layers


def line(name: str, measured: Timing, rouge: Timing) -> None:
    cold, warm = measured.pairs / measured.cold, measured.pairs / measured.warm
    times = rouge.pairs / rouge.cold / cold, rouge.pairs / rouge.warm / warm
    print(
        f"{name:<24} {measured.pairs:>6} {measured.start:>8.1f} {cold:>8.1f} {warm:>8.1f} "
        f"{times[0]:>7.2f} {times[1]:>7.2f} {measured.peak:>6.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
