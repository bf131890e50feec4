"""Worker processes: what dies, breaks or refuses in one is told, and takes nothing else along."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from overread.application.scoring.shards import Shard, ShardRecord
from overread.domain.reports.report import ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.engines.workers import WorkerDiedError, WorkerPool

FRAIL = """
import gc, os, pathlib, signal, time
from overread.application.scoring.shards import ShardRecord
from overread.exceptions import ConfigurationError, InputError

class Own(ConfigurationError):
    def __init__(self):
        super().__init__(["mend this"])
        self.why = lambda: 1
        class Local(Own): pass
        self.__class__ = Local

class Scorer:
    files = None
    signatures = {"m": "m|version:1"}

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def score(self, shard, on_progress=None):
        for done, row in enumerate(shard.rows, start=1):
            action = row.candidate.text
            if action == "die" or (action == "die once" and self.first()):
                os.kill(os.getpid(), signal.SIGKILL)
            if action == "break":
                raise ValueError("words of a report")
            if action == "full":
                raise InputError("out.partial", "cannot be written", row=3, remedy="make room")
            if action == "own":
                raise Own()
            if action == "interrupt":
                raise KeyboardInterrupt
            if action == "long":
                while not (self.folder / "told").exists():
                    time.sleep(0.01)
            if action == "sleep":
                time.sleep(0.3)
            if action == "meet":
                (self.folder / f"here-{os.getpid()}").touch()
                while len(list(self.folder.glob("here-*"))) < 2:
                    time.sleep(0.01)
            on_progress(done)
        told = {"input": os.environ["OMP_NUM_THREADS"], "size": os.getpid(), "sha256": str(gc.get_threshold()[0])}
        return ShardRecord(number=shard.number, rows=len(shard.rows), metrics={}, **told)

    def first(self):
        try:
            (self.folder / "died").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

def build(folder):
    return Scorer(folder)

def refuse(folder):
    raise ConfigurationError(["no such metric", "no such option"])

def die(folder):
    os._exit(3)
"""


@define
class Scene:
    """A pool's folder, what it tells, and what it makes of shards of one pair each."""

    folder: Path
    frail: Any
    told: list[str] = field(factory=list)
    progress: list[int] = field(factory=list)
    records: list[ShardRecord] = field(factory=list)

    def pool(self, size: int, build: str = "build") -> WorkerPool:
        return WorkerPool(partial(getattr(self.frail, build), str(self.folder)), size, self.told.append)

    def score(self, pool: WorkerPool, *actions: str) -> list[int]:
        """Numbers of the shards whose records came."""
        with pool:
            for record in pool.score(shards(*actions), self.progress.append):
                self.records.append(record)
        return self.numbers

    @property
    def numbers(self) -> list[int]:
        return sorted(record.number for record in self.records)


def shards(*actions: str) -> Iterator[Shard]:
    """One a pair, whose candidate says what becomes of it; "unreadable" cannot be read."""
    for number, action in enumerate(actions):
        if action == "unreadable":
            raise InputError("pairs.csv", "is damaged", row=number + 1)
        yield Shard(number, number + 1, [ReportPair(id=str(number), reference="", candidate=action)])


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """With a module that workers can import."""
    (tmp_path / "frail.py").write_text(FRAIL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "frail", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    return Scene(tmp_path, importlib.import_module("frail"))


def test_workers_share_the_shards(scene: Scene) -> None:
    """Each on one thread, and as seldom in search of garbage as the command line; progress goes up to all."""
    pool = scene.pool(2)
    assert scene.score(pool, *["meet"] * 6) == [0, 1, 2, 3, 4, 5]
    assert len({record.size for record in scene.records}) == 2
    assert {(record.input, record.sha256) for record in scene.records} == {("1", "100000")}
    assert "OMP_NUM_THREADS" not in os.environ
    assert (scene.progress[-1], scene.told) == (6, [])
    assert pool.signatures == {"m": "m|version:1"}
    assert multiprocessing.active_children() == []


def test_no_more_is_read_than_is_needed(scene: Scene) -> None:
    """One shard more than there are workers."""
    taken: list[int] = []

    def source() -> Iterator[Shard]:
        for shard in shards(*["sleep"] * 8):
            taken.append(shard.number)
            yield shard

    with scene.pool(1) as pool:
        for done, _ in enumerate(pool.score(source(), scene.progress.append), start=1):
            assert len(taken) <= done + 1


def test_a_shard_whose_worker_died_is_tried_once_more(scene: Scene) -> None:
    """In another worker, and it is told."""
    assert scene.score(scene.pool(2), "fine", "die once", "fine") == [0, 1, 2]
    assert scene.told == ["a worker died of pairs 2 to 2 (signal 9); another tries again"]
    assert scene.progress[-1] == 3


def test_a_shard_of_which_two_workers_died_ends_the_run(scene: Scene) -> None:
    """Those in work are finished first; which it was is told."""
    with pytest.raises(WorkerDiedError, match=r"two workers died of pairs 2 to 2 .signal 9.*what was scored is kept"):
        scene.score(scene.pool(2), "sleep", "die", "sleep", "sleep", "sleep", "sleep", "sleep", "sleep")
    assert 0 in scene.numbers
    assert 1 not in scene.numbers


def test_workers_that_die_before_they_are_ready_end_the_run(scene: Scene) -> None:
    """A pool whose workers cannot start says so instead of waiting for ever."""
    with (
        pytest.raises(WorkerDiedError, match=r"while it was being made .exit status 3"),
        scene.pool(1, "die") as pool,
    ):
        _ = pool.signatures


@pytest.mark.parametrize("ask", [lambda pool: pool.signatures, lambda pool: list(pool.score(shards("x"), print))])
def test_what_cannot_be_built_is_told_as_it_is(scene: Scene, ask: Callable[[WorkerPool], object]) -> None:
    """With all of its parts."""
    with pytest.raises(ConfigurationError) as caught, scene.pool(2, "refuse") as pool:
        ask(pool)
    assert caught.value.problems == ("no such metric", "no such option")


def test_an_input_that_cannot_be_read_on_ends_the_run_after_what_was_read(scene: Scene) -> None:
    """What was read before the fault is scored and kept."""
    with pytest.raises(InputError, match="row 3: is damaged"):
        scene.score(scene.pool(2), "sleep", "sleep", "unreadable")
    assert scene.numbers == [0, 1]


def test_an_error_of_ours_comes_as_it_was_raised(scene: Scene) -> None:
    """Source, row and remedy survive the way from another process."""
    with pytest.raises(InputError) as caught:
        scene.score(scene.pool(1), "fine", "full", "fine")
    assert (caught.value.source, caught.value.row, caught.value.remedy) == ("out.partial", 3, "make room")
    assert str(caught.value) == "out.partial, row 3: cannot be written (make room)"
    assert scene.numbers == [0]


def test_an_error_of_others_comes_without_its_words(scene: Scene) -> None:
    """They may quote a report; where it was raised is noted."""
    with pytest.raises(RuntimeError, match="a worker met ValueError") as caught:
        scene.score(scene.pool(1), "break")
    assert "words of a report" not in "".join([str(caught.value), *caught.value.__notes__]).replace(
        'raise ValueError("words of a report")', ""
    )
    assert "frail.py" in caught.value.__notes__[0]


def test_of_an_error_of_ours_what_cannot_be_sent_stays_behind(scene: Scene) -> None:
    """Its words come, in the nearest class that is known here."""
    with pytest.raises(ConfigurationError, match="mend this") as caught:
        scene.score(scene.pool(1), "own")
    assert (caught.type, vars(caught.value)) == (scene.frail.Own, {"problems": ("mend this",)})


def test_an_interrupt_that_is_raised_in_a_worker_is_told(scene: Scene) -> None:
    """An interrupt in a worker does not pass for one of the user's."""
    with pytest.raises(RuntimeError, match="a worker met KeyboardInterrupt"):
        scene.score(scene.pool(1), "interrupt")


def test_a_worker_that_does_not_get_on_is_told_once(scene: Scene) -> None:
    """With what it is at; it may still end."""
    pool = scene.pool(2)
    pool.patience = 2

    def tell(words: str) -> None:
        scene.told.append(words)
        (scene.folder / "told").touch()

    pool.tell = tell
    assert scene.score(pool, "fine", "long") == [0, 1]
    (told,) = scene.told
    assert re.fullmatch(r"a worker .process \d+. has made no progress for \d+ s; it scores pairs 2 to 2", told)


def test_workers_end_with_a_run_that_is_killed(scene: Scene) -> None:
    """Even in the middle of a shard: they could still write into the folder of the next run."""
    code = """
        import frail
        from overread.application.scoring.shards import Shard
        from overread.domain.reports.report import ReportPair
        from overread.infrastructure.engines.workers import WorkerPool

        if __name__ == "__main__":
            long = [ReportPair(id=str(n), reference="", candidate="sleep") for n in range(200)]
            with WorkerPool(BUILD, 1, print) as pool:
                pool.signatures
                print(pool._workers[0].process.pid, flush=True)
                list(pool.score([Shard(0, 1, long)], int))
    """
    script = scene.folder / "script.py"
    build = f"__import__('functools').partial(frail.build, {str(scene.folder)!r})"
    script.write_text(textwrap.dedent(code).replace("BUILD", build), encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 300
    while _is_running(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_running(worker)


def _is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
