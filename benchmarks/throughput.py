"""Pairs per second of the default metrics beside ROUGE-L with stemming, in one run.

    make bench                      on generated reports
    make bench PAIRS=pairs.jsonl    on your own (columns id, reference, candidate)

Cold is a fresh process's first pass over the pairs; warm is the second pass, with every sentence already read. Each
metric runs in a process of its own, so that peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path
from queue import Empty
from typing import Any

RUNS = (("rouge",), ("radot",), ("notation",), ("radot", "notation"))


def load(path: Path) -> list[dict[str, Any]]:
    """The pairs of a JSONL file, those with two empty reports left out."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["reference"].strip() or row["candidate"].strip()]


def generated(studies: int) -> list[dict[str, Any]]:
    """Pairs of invented reports."""
    from overread.adapters.synthetic import SyntheticPairs

    return [pair.as_row() for pair in SyntheticPairs(seed=1, studies=studies)]


def measure(metrics: tuple[str, ...], rows: list[dict[str, Any]], results: multiprocessing.Queue[Any]) -> None:
    """Start-up seconds, cold and warm seconds, peak MiB of one set of metrics."""
    from overread.bootstrap import open_service
    from overread.domain.report import ReportPair

    started = time.perf_counter()
    service = open_service(metrics=metrics)
    service.evaluate([ReportPair(id="first", reference="No effusion.", candidate="No effusion.")])
    ready = time.perf_counter() - started
    pairs = [ReportPair(id=row["id"], reference=row["reference"], candidate=row["candidate"]) for row in rows]
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        for _result in service.stream(pairs):
            pass
        seconds.append(time.perf_counter() - started)
    results.put((ready, *seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def received(queue: multiprocessing.Queue[Any], process: multiprocessing.process.BaseProcess) -> Any:
    """What the process measured; a process that broke off ends the run instead of leaving it waiting."""
    while True:
        try:
            return queue.get(timeout=1.0)
        except Empty:
            if not process.is_alive():
                sys.exit("a measuring process broke off; its error stands above")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, help="JSONL file; generated reports where omitted")
    parser.add_argument("--studies", type=int, default=500, help="generated studies, four pairs each")
    arguments = parser.parse_args()
    rows = load(arguments.pairs) if arguments.pairs else generated(arguments.studies)
    context = multiprocessing.get_context("spawn")
    print(f"{len(rows)} pairs, one process each; Python {sys.version.split()[0]}")
    print(f"{'metrics':<16} {'start s':>8} {'cold/s':>8} {'warm/s':>8} {'x ROUGE-L':>10} {'peak MiB':>9}")
    rouge = None
    for metrics in RUNS:
        queue: multiprocessing.Queue[Any] = context.Queue()
        process = context.Process(target=measure, args=(metrics, rows, queue))
        process.start()
        ready, cold, warm, peak = received(queue, process)
        process.join()
        rouge = rouge or cold
        print(
            f"{'+'.join(metrics):<16} {ready:>8.1f} {len(rows) / cold:>8.0f} {len(rows) / warm:>8.0f} "
            f"{cold / rouge:>9.2f}x {peak:>9.0f}"
        )
    print("x ROUGE-L: time of the cold pass over that of ROUGE-L with stemming in the same run; 1 is as fast")


if __name__ == "__main__":
    main()
