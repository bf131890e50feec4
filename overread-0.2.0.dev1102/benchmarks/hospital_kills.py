"""Kills processes of the hospital service under load, and looks for what was accepted: all there, and all once.

python benchmarks/hospital_kills.py                                        # 10 kills, a SQLite file, one process
python benchmarks/hospital_kills.py --processes 2 --store postgres         # a PostgreSQL server of its own
python benchmarks/hospital_kills.py --store postgres --restarts 3          # PostgreSQL is stopped and started, too

Clients go on asking until they have an answer, as a RIS does. Ends with status 1 if anything is missing or twice.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from _common import generated
from _hospital import Client, Process, clients, faults, keys, wait_until_scored

_ROWS = 100
_SCORED_S = 900.0
_DOWN_S = 3.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--restarts", type=int, default=0, help="of PostgreSQL")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder, _store(chosen.store, Path(folder)) as (store, restart):
        return _run(Path(folder), store, restart, chosen)


@contextmanager
def _store(kind: str, folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Where everything is kept, and what stops and starts it."""
    if kind == "sqlite":
        yield str(folder / "hospital.db"), lambda: None
        return
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from postgres import running_server

    with running_server() as server:

        def restart() -> None:
            server.stop()
            time.sleep(_DOWN_S)
            server.start()

        yield server.url, restart


def _run(folder: Path, store: str, restart: Callable[[], None], chosen: argparse.Namespace) -> int:
    secrets = keys(store, chosen.clients)
    processes = [Process(store, log=folder / f"serve-{number}.log") for number in range(chosen.processes)]
    for process in processes:
        process.begin()
    for process in processes:
        process.wait()
    made, accepted = clients(
        chosen.clients, [process.url for process in processes], secrets, generated(_ROWS), seconds=86_400.0
    )
    began = time.monotonic()
    asyncio.run(_under_load(made, processes, restart, chosen))
    left = wait_until_scored(store, _SCORED_S)
    for process in processes:
        process.end()
    problems = faults(store, accepted, scored=not left)
    pairs = sum(accepted.batches.values()) + sum(map(len, accepted.pairs.values()))
    told = ", ".join(f"{code or 'broken'} {count:,}" for code, count in sorted(accepted.statuses.items()))
    print(
        f"{chosen.store}, {chosen.processes} processes: {chosen.kills} kills, {chosen.restarts} restarts of the store"
    )
    print(f"{time.monotonic() - began:.0f} s; answers: {told}")
    print(f"accepted: {len(accepted.versions):,} versions, {pairs:,} pairs; left unscored: {left}")
    print(f"missing or twice: {len(problems)}")
    for problem in problems[:10]:
        print(" ", problem)
    return int(bool(problems or left))


async def _under_load(
    made: Sequence[Client], processes: Sequence[Process], restart: Callable[[], None], chosen: argparse.Namespace
) -> None:
    """Clients ask while one process after the other is killed, at a moment of chance after it was ready."""
    asking = [asyncio.create_task(client.run()) for client in made]
    source = random.Random(chosen.seed)
    every = max(1, chosen.kills // max(1, chosen.restarts))
    restarts = chosen.restarts
    for kill in range(chosen.kills):
        process = processes[kill % len(processes)]
        await asyncio.sleep(source.uniform(0.5, 4.0))
        process.kill()
        process.begin()
        await asyncio.to_thread(process.wait)
        if restarts and kill % every == 0:
            await asyncio.to_thread(restart)
            restarts -= 1
            for each in processes:
                await asyncio.to_thread(each.wait)
    for client in made:
        client.until = time.monotonic() + 2.0
    await asyncio.gather(*asking)


if __name__ == "__main__":
    raise SystemExit(main())
