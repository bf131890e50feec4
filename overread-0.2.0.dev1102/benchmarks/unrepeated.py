"""What it costs where sentences come again and where none does, beside ROUGE-L: processor time of a first pass.

    python benchmarks/unrepeated.py --pairs pairs.jsonl --size 1000

Each line is a process of its own; start-up is left out. Processor time, which other programs on the machine disturb
little; all of these metrics compute on one core. "x" is time over that of ROUGE-L with stemming on the same pairs; less
is faster.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from _common import Row, generated, in_process, load, peak_mib, report_pairs
from _unrepeated import all_unrepeated

RUNS = (("rouge",), ("radot",), ("notation",), ("radot", "notation"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, help="JSONL file; generated reports where omitted")
    parser.add_argument("--size", type=int, default=1_000, help="generated pairs in which nothing comes again")
    parser.add_argument("--sentences", type=int, help="of each of their reports; all where omitted")
    arguments = parser.parse_args()
    rows = load(arguments.pairs) if arguments.pairs else in_process(generated, 500)
    beside_rouge(str(arguments.pairs or "generated"), rows)
    if arguments.size:
        beside_rouge("nothing comes again", in_process(all_unrepeated, arguments.size, arguments.sentences))


def beside_rouge(title: str, rows: Sequence[Row]) -> None:
    print(f"\n{title}: {len(rows)} pairs\n{'metrics':<16} {'s':>8} {'pairs/s':>8} {'x ROUGE-L':>10} {'MiB':>6}")
    rouge = None
    for metrics in RUNS:
        seconds, peak = in_process(first_pass, metrics, rows)
        rouge = rouge or seconds
        rate = len(rows) / seconds
        print(f"{'+'.join(metrics):<16} {seconds:>8.1f} {rate:>8.0f} {seconds / rouge:>9.2f}x {peak:>6.0f}", flush=True)


def first_pass(metrics: Sequence[str], rows: Sequence[Row]) -> tuple[float, float]:
    """Processor seconds of a first pass over the pairs, and peak MiB."""
    from overread.bootstrap.interface import open_service
    from overread.domain.reports.report import ReportPair

    service = open_service(metrics=metrics)
    service.evaluate([ReportPair(id="first", reference="No effusion.", candidate="No effusion.")])
    pairs = report_pairs(rows)
    started = time.process_time()
    for _ in service.stream(pairs):
        pass
    return time.process_time() - started, peak_mib()


if __name__ == "__main__":
    main()
