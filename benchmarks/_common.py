"""What the benchmarks share: pairs, measuring in a process of its own, and the table of metrics beside ROUGE-L."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from overread.studies.application.cards.timed import Timing
from overread.studies.infrastructure.timing import in_process, peak_mib, time_service

__all__ = [
    "Row",
    "Timing",
    "differing",
    "generated",
    "in_process",
    "load",
    "measure",
    "measure_service",
    "peak_mib",
    "print_beside_rouge",
    "report_pairs",
]

Row = dict[str, Any]


def load(path: Path) -> list[Row]:
    """The pairs of a JSONL file, those with two empty reports left out."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["reference"].strip() or row["candidate"].strip()]


def generated(studies: int) -> list[Row]:
    """Pairs of invented reports, four a study."""
    from overread.studies.bootstrap.synthesis import synthetic_pairs

    return [pair.as_row() for pair in synthetic_pairs(seed=1, studies=studies)]


def differing(rows: Sequence[Row]) -> list[Row]:
    """The pairs that are not copies, which are scored without asking a model."""
    return [row for row in rows if _words(row["reference"]) != _words(row["candidate"])]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def report_pairs(rows: Sequence[Row]) -> list[Any]:
    """The rows as `ReportPair`s."""
    from overread.domain.reports.report import ReportPair

    return [ReportPair(id=row["id"], reference=row["reference"], candidate=row["candidate"]) for row in rows]


def measure(metrics: Sequence[str], rows: Sequence[Row]) -> Timing:
    """One set of metrics; ask for it `in_process`."""
    from overread.bootstrap.interface import open_service

    return measure_service(lambda: open_service(metrics=metrics), rows)


def measure_service(build: Callable[[], Any], rows: Sequence[Row]) -> Timing:
    """A service, from building it on, over the pairs twice."""
    return time_service(build, report_pairs(rows))


def print_beside_rouge(runs: Sequence[Sequence[str]], rows: Sequence[Row]) -> None:
    """Measures ROUGE-L and each set of metrics on the same pairs, and prints a line for each."""
    print(f"{'metrics':<16} {'start s':>8} {'cold/s':>8} {'warm/s':>8} {'x ROUGE-L':>10} {'peak MiB':>9}")
    rouge = None
    for metrics in (("rouge",), *runs):
        timed = in_process(measure, metrics, rows)
        rouge = rouge or timed.cold
        print(
            f"{'+'.join(metrics):<16} {timed.start:>8.1f} {len(rows) / timed.cold:>8.0f} "
            f"{len(rows) / timed.warm:>8.0f} {timed.cold / rouge:>9.2f}x {timed.peak:>9.0f}",
            flush=True,
        )
    print("x ROUGE-L: time of the cold pass over that of ROUGE-L with stemming in the same run; 1 is as fast")
