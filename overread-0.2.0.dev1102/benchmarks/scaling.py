"""Time and memory of whole `overread corpus` runs as the corpus grows, and of its engines on one corpus.

    make bench PAIRS=pairs.jsonl
    python benchmarks/scaling.py --pairs pairs.jsonl --sizes 1000 10000 200000
    python benchmarks/scaling.py --unrepeated --sentences 3 --sizes 3000 10000 50000 200000

Pairs are distinct: where the file holds too few, each reference also meets the candidates that follow its own. The
rate is of the pairs beyond the smallest size, so that start-up does not count; memory is the peak of one process.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from _common import Row, generated, in_process, load
from _unrepeated import all_unrepeated

SIZES = (1_000, 5_000, 20_000, 50_000, 200_000)
ENGINES = ((), ("--workers", "2"), ("--engine", "ray", "--workers", "2"))


class Ran(NamedTuple):
    """Seconds, peak MiB and the digest of the results of a whole process."""

    seconds: float
    peak: float
    digest: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, help="JSONL file; generated reports where omitted")
    parser.add_argument("--studies", type=int, default=500, help="generated studies, four pairs each")
    parser.add_argument("--unrepeated", action="store_true", help="generated pairs in which nothing comes again")
    parser.add_argument("--sentences", type=int, help="of each of those reports; all where omitted")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of pairs, rising")
    parser.add_argument("--engines", type=int, default=5_000, help="pairs for the comparison of engines")
    arguments = parser.parse_args()
    if arguments.unrepeated:
        rows = in_process(all_unrepeated, max(arguments.sizes), arguments.sentences)
    else:
        rows = load(arguments.pairs) if arguments.pairs else in_process(generated, arguments.studies)
    with tempfile.TemporaryDirectory(prefix="overread-bench-") as temporary:
        folder = Path(temporary)
        growth(rows, arguments.sizes, folder)
        engines(rows, arguments.engines, folder)


def growth(rows: Sequence[Row], sizes: Sequence[int], folder: Path) -> None:
    print(f"\noverread corpus, radot and notation, {os.cpu_count()} cores")
    print(f"{'pairs':>8} {'s':>8} {'pairs/s':>8} {'MiB':>6}")
    first: Ran | None = None
    for size in sizes:
        ran = run(write(rows, size, folder), folder)
        rate = "" if first is None else f"{(size - sizes[0]) / (ran.seconds - first.seconds):.0f}"
        first = first or ran
        print(f"{size:>8} {ran.seconds:>8.1f} {rate:>8} {ran.peak:>6.0f}", flush=True)


def engines(rows: Sequence[Row], size: int, folder: Path) -> None:
    print(f"\n{size} pairs by engine, start-up included\n{'':<26} {'s':>8} {'MiB':>6}  same bytes")
    pairs = write(rows, size, folder)
    first: Ran | None = None
    for options in ENGINES:
        ran = run(pairs, folder, options)
        first = first or ran
        same = "yes" if ran.digest == first.digest else "NO"
        print(f"{' '.join(options) or 'one process':<26} {ran.seconds:>8.1f} {ran.peak:>6.0f}  {same}", flush=True)


def crossed(rows: Sequence[Row]) -> Iterator[Row]:
    """The pairs, then each reference with the candidates after its own, no pair of texts twice."""
    seen = set()
    for step in range(len(rows)):
        for index, row in enumerate(rows):
            other = rows[(index + step) % len(rows)]
            texts = row["reference"], other["candidate"]
            if hash(texts) not in seen:
                seen.add(hash(texts))
                yield {"id": f"{row['id']}+{step}", "reference": texts[0], "candidate": texts[1]}


def write(rows: Sequence[Row], size: int, folder: Path) -> Path:
    path = folder / "pairs.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for _, row in zip(range(size), crossed(rows), strict=False):
            out.write(json.dumps(row) + "\n")
    return path


def run(pairs: Path, folder: Path, options: Sequence[str] = ()) -> Ran:
    """A whole process; its memory is that of the process itself, without its workers."""
    output = folder / "results.jsonl"
    command = [sys.executable, "-m", "overread", "corpus", str(pairs), "-o", str(output), *options]
    started = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - our own command
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed")
    seconds = time.perf_counter() - started
    with output.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    output.unlink()
    return Ran(seconds, usage.ru_maxrss / 1024, digest)


if __name__ == "__main__":
    main()
