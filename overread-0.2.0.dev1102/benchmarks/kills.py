"""Kills a corpus run at random moments, goes on after each, and compares the result with an undisturbed run's.

python benchmarks/kills.py                     # 20 kills over generated pairs, radot and notation
python benchmarks/kills.py --kills 5 --workers 2 --output-format parquet --seed 3
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

_LONGEST_S = 3600.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--studies", type=int, default=1500, help="invented; each makes four pairs")
    parser.add_argument("--metric", action="append", help="radot and notation where omitted")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--shard-rows", type=int, default=256)
    parser.add_argument("--output-format", choices=("jsonl", "parquet"), default="jsonl")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        return _run(Path(folder), chosen)


def _run(folder: Path, chosen: argparse.Namespace) -> int:
    pairs = folder / "pairs.jsonl"
    count = _generate(pairs, chosen.studies)
    options = ["--shard-rows", str(chosen.shard_rows)]
    for metric in chosen.metric or ("radot", "notation"):
        options += ["-m", metric]
    whole, output = folder / f"whole.{chosen.output_format}", folder / f"out.{chosen.output_format}"
    started = time.monotonic()
    _finish(_command(pairs, whole, options))
    seconds = time.monotonic() - started
    print(f"{count} pairs in {seconds:.1f} s without a kill", flush=True)
    command = _command(pairs, output, [*options, "--workers", str(chosen.workers)])
    draws, killed, faults = random.Random(chosen.seed), 0, 0
    while killed < chosen.kills:
        after = draws.uniform(0.0, seconds)
        if not _kill(command, after):
            seconds = after  # runs are faster now: later moments are too late
            output.unlink()
            continue
        killed += 1
        kept = _committed(output)
        _finish(command)
        same = output.read_bytes() == whole.read_bytes() and not _partial(output).exists()
        faults += not same
        told = "the same" if same else "DIFFERENT"
        print(f"kill {killed:>3} after {after:5.1f} s, {kept} shards kept: {told}", flush=True)
        output.unlink()
    print(f"{chosen.kills - faults} of {chosen.kills} results are those of the run without a kill")
    return 1 if faults else 0


def _generate(path: Path, studies: int) -> int:
    from overread.studies.bootstrap.synthesis import synthetic_pairs

    rows = [pair.as_row() for pair in synthetic_pairs(seed=5, studies=studies)]
    lines = (json.dumps({name: row[name] for name in ("id", "reference", "candidate")}) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return len(rows)


def _command(pairs: Path, output: Path, options: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "overread", "corpus", str(pairs), "-o", str(output), *options]


def _finish(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LONGEST_S)  # noqa: S603 - ours
    if done.returncode:
        sys.exit(done.stderr)


def _kill(command: Sequence[str], after: float) -> bool:
    """Whether the command was still running then."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603 - ours
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True
    return False


def _partial(output: Path) -> Path:
    return output.with_name(f"{output.name}.partial")


def _committed(output: Path) -> int:
    manifest = _partial(output) / "manifest.jsonl"
    return max(0, manifest.read_bytes().count(b"\n") - 1) if manifest.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
