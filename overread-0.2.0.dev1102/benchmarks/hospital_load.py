"""50 clients for a minute on the hospital service: speed, errors, and whether everything accepted is kept.

python benchmarks/hospital_load.py                                # a SQLite file
python benchmarks/hospital_load.py --store postgresql://...       # a database that is empty
OVERREAD_LOAD_SECONDS=10 OVERREAD_LOAD_CLIENTS=8 python benchmarks/hospital_load.py

Each client asks one thing after the other: it brings a preliminary and a final report in, scores a pair, submits a
batch of three, or searches. Ends with status 1 if something accepted is not in the store, or an answer was an error but
429.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from _common import generated
from _hospital import Accepted, Process, clients, faults, keys, quantile, wait_until_scored

_ROWS = 150
_SCORED_S = 600.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--store", help="a SQLite file of its own where omitted")
    parser.add_argument("--clients", type=int, default=int(os.environ.get("OVERREAD_LOAD_CLIENTS", "50")))
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("OVERREAD_LOAD_SECONDS", "60")))
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        return _run(Path(folder), chosen)


def _run(folder: Path, chosen: argparse.Namespace) -> int:
    store = chosen.store or str(folder / "hospital.db")
    secrets = keys(store, chosen.clients)
    process = Process(store, log=folder / "serve.log")
    process.begin()
    process.wait()
    rows = generated(_ROWS)
    made, accepted = clients(chosen.clients, [process.url], secrets, rows, seconds=chosen.seconds)
    began = time.monotonic()
    asyncio.run(_all(made))
    seconds = time.monotonic() - began
    left = wait_until_scored(store, _SCORED_S)
    scored_after = time.monotonic() - began
    status = process.end()
    _tell(accepted, seconds)
    pairs = sum(accepted.batches.values()) + sum(map(len, accepted.pairs.values()))
    print(f"pairs accepted: {pairs:,}; all scored {scored_after:.0f} s after the first request, {left} left")
    problems = faults(store, accepted, scored=not left)
    errors = {code: count for code, count in accepted.statuses.items() if code not in (200, 201, 202, 429)}
    print(f"missing or twice in the store: {len(problems)}; errors but 429: {errors or 'none'}; exit status {status}")
    for problem in problems[:10]:
        print(" ", problem)
    return int(bool(problems or errors or left or status))


async def _all(made: Sequence[object]) -> None:
    await asyncio.gather(*(client.run() for client in made))  # type: ignore[attr-defined]


def _tell(accepted: Accepted, seconds: float) -> None:
    answers = sum(accepted.statuses.values())
    print(f"{answers:,} requests in {seconds:.1f} s: {answers / seconds:.0f} a second")
    print(f"{'':<24}{'count':>8}{'p50 ms':>9}{'p99 ms':>9}")
    every = [value for values in accepted.seconds.values() for value in values]
    for name, values in [*sorted(accepted.seconds.items()), ("all", every)]:
        print(f"{name:<24}{len(values):>8}{quantile(values, 0.5) * 1000:>9.0f}{quantile(values, 0.99) * 1000:>9.0f}")
    print("statuses:", ", ".join(f"{code} {count:,}" for code, count in sorted(accepted.statuses.items())))


if __name__ == "__main__":
    raise SystemExit(main())
