"""A corpus run that is killed, interrupted, or out of room or workers: nothing is lost, and the end is the same."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from .conftest import Run
from .killed import Runs

PAIRS = 300
SHARDS = ("--shard-rows", "20")
LOOPBACK, LISTENS = "0100007F", "0A"  # as /proc/net/tcp writes 127.0.0.1 and the state of a socket that listens
MAPPED = "0000000000000000FFFF0000" + LOOPBACK
RAY = ("--engine", "ray", "--workers", "2")


def committed(count: int) -> Callable[[Path], bool]:
    """Whether so many shards are in the manifest."""
    return lambda folder: _lines(folder / "manifest.jsonl") > count


def begun(number: int) -> Callable[[Path], bool]:
    """Whether a shard, or one after it, is being written or was."""
    return lambda folder: any(int(path.name[6:14]) >= number for path in folder.glob("shard-*"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """300 pairs, and what an undisturbed run makes of them in both formats."""
    made = Runs.make(tmp_path_factory.mktemp("runs"), PAIRS)
    for name in ("whole.jsonl", "whole.parquet"):
        made.run(name, *SHARDS)
    return made


@pytest.mark.parametrize(
    ("name", "workers", "moments"),
    [
        ("out.jsonl", "1", [lambda folder: folder.exists(), committed(1), begun(5), committed(9)]),
        ("out.parquet", "2", [committed(2), begun(7)]),
    ],
)
def test_a_killed_run_goes_on_where_it_was(
    runs: Runs, name: str, workers: str, moments: list[Callable[[Path], bool]]
) -> None:
    """Killed several times, it makes the bytes of an undisturbed run, and tells what it did not score again."""
    command = (name, *SHARDS, "--workers", workers)
    for moment in moments:
        runs.stop(name, moment, *SHARDS, "--workers", workers, by=signal.SIGKILL)
        assert not (runs.folder / name).exists()
    kept = 20 * (_lines(runs.folder / f"{name}.partial" / "manifest.jsonl") - 1)
    told = runs.run(*command)
    assert f"resumed: {kept} pairs were scored before" in told
    assert f"{PAIRS - kept} pairs in " in told
    assert (runs.folder / name).read_bytes() == (runs.folder / f"whole.{name.split('.')[1]}").read_bytes()
    assert not (runs.folder / f"{name}.partial").exists()
    assert told.splitlines()[-1] == runs.told[f"whole.{name.split('.')[1]}"].splitlines()[-1]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_a_run_and_tells_how_it_goes_on(runs: Runs, workers: str) -> None:
    """The same command ends with the same bytes as a run in one go."""
    told = runs.stop("stopped.jsonl", committed(2), *SHARDS, "--workers", workers, by=signal.SIGINT)
    assert "scored pairs are kept in stopped.jsonl.partial, and the same command goes on from there" in told
    assert "Traceback" not in told
    runs.run("stopped.jsonl", *SHARDS)
    assert (runs.folder / "stopped.jsonl").read_bytes() == (runs.folder / "whole.jsonl").read_bytes()


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    """The result is what one process makes."""
    runs = Runs.make(tmp_path, 100, {33: "die once"})
    told = runs.run("out.jsonl", *SHARDS, "--workers", "2")
    assert "overread: a worker died of pairs 21 to 40 (signal 9); another tries again" in told
    runs.run("whole.jsonl", *SHARDS)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_pairs_that_no_worker_survives_end_the_run_and_can_be_mended(tmp_path: Path) -> None:
    """All others in work are kept."""
    runs = Runs.make(tmp_path, 100, {50: "die"})
    told = runs.run("out.jsonl", *SHARDS, "--workers", "2", status=2)
    assert "overread: two workers died of pairs 41 to 60 (signal 9); what was scored is kept" in told
    runs.write(100)
    assert "resumed: " in runs.run("out.jsonl", *SHARDS, "--workers", "2")
    runs.run("whole.jsonl", *SHARDS)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.parametrize(("room", "kept"), [(3_000, 0), (30_000, 200)])
def test_a_full_disk_is_told_and_nothing_lost(runs: Runs, room: int, kept: int) -> None:
    """No file may be longer than that: a shard, or at the end what they are joined into."""
    shards = ("--shard-rows", "50" if kept else "200")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    name = f"full-{room}.jsonl"
    told = runs.run(name, *shards, status=2, preexec_fn=limit)
    assert "cannot be written: File too large (make room, then run the same command again" in told
    assert "Traceback" not in told
    assert not (runs.folder / name).exists()
    told = runs.run(name, *shards)
    assert ("resumed: 300 pairs" in told) == bool(kept)
    assert (runs.folder / name).read_bytes() == (runs.folder / "whole.jsonl").read_bytes()


def test_other_options_are_refused_and_named(runs: Runs) -> None:
    """Until it is told to start anew; a run that goes on may have other workers."""
    name = "other.jsonl"
    runs.stop(name, committed(1), *SHARDS, by=signal.SIGKILL)
    told = runs.run(name, "--shard-rows", "30", "-m", "bleu", status=2)
    assert "differs in --shard-rows (then 20, now 30); the metrics (then slow, now slow, bleu)" in told
    assert "--restart" in told
    assert "resumed" not in runs.run(name, "--shard-rows", "30", "--restart")
    assert (runs.folder / name).read_bytes() == (runs.folder / "whole.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("output", "arguments", "remedy"),
    [
        ("out.jsonl", ["-m", "rouge", "--store", "results.db"], "leave --store out"),
        ("-", ["-m", "rouge"], "name a file with -o"),
        ("out.jsonl", ["-m", "green", "--set", "model=openai:any"], "score with --workers 1"),
    ],
)
def test_several_processes_refuse_what_one_must_write(
    run: Run, tmp_path: Path, output: str, arguments: list[str], remedy: str
) -> None:
    """In a line that says what to do."""
    (tmp_path / "pairs.csv").write_text("id,reference,candidate\n1,No effusion.,Effusion.\n", encoding="utf-8")
    status, _, err = run("corpus", "pairs.csv", "-o", output, "--workers", "2", *arguments)
    assert (status, remedy in err) == (2, True)
    assert not list(tmp_path.glob("*.partial"))


def test_ray_makes_the_same_bytes(runs: Runs) -> None:
    """Also of a run that was begun without it; its own words stay out of the way."""
    runs.stop("ray.jsonl", committed(3), *SHARDS, by=signal.SIGKILL)
    told = runs.run("ray.jsonl", *SHARDS, *RAY)
    assert (runs.folder / "ray.jsonl").read_bytes() == (runs.folder / "whole.jsonl").read_bytes()
    said = [line for line in told.splitlines() if not line.startswith("overread: waiting for ")]
    assert said[0].startswith("overread: resumed: ")
    own = ("overread: ", "wrote ", "slow: ", "wording: ", "  ")
    assert [line for line in said if not line.startswith(own)] == []


@pytest.mark.slow
def test_nobody_else_reaches_a_cluster_that_is_started_here(tmp_path: Path) -> None:
    """All its processes listen on this machine's own address alone. What it leaves when killed, the next removes."""
    runs = Runs.make(tmp_path, 1000)
    process = runs.start("out.jsonl", *SHARDS, *RAY, hold=runs.last, start_new_session=True)
    _await(lambda: committed(2)(tmp_path / "out.jsonl.partial"), process)
    addresses = _listening(process.pid)
    left = _scratch()
    process.kill()
    process.communicate()
    assert len(addresses) > 5
    assert {address.partition(":")[0] for address in addresses} <= {LOOPBACK, MAPPED}
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in left] == [0o700]
    time.sleep(5)  # until its processes have noticed
    runs.run("out.jsonl", *SHARDS, *RAY)
    assert not left & _scratch()


@pytest.mark.slow
def test_a_cluster_of_ones_own_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in the home, where a token would change what `ray start` does, nor in Ray's places."""
    home, before = tmp_path / "home", _scratch()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path / "elsewhere"))
    Runs.make(tmp_path, 100).run("out.jsonl", *SHARDS, *RAY)
    assert list(home.iterdir()) == []
    assert not (tmp_path / "elsewhere").exists()
    assert _scratch() <= before


@pytest.mark.slow
def test_a_users_cluster_is_joined_from_any_folder_with_its_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With as many workers as it has processors; it keeps no report, and is there afterwards."""
    runs = Runs.make(tmp_path, 100)
    kept, secret = Path(tempfile.mkdtemp(dir="/tmp", prefix="ovr-")), "0123456789abcdef" * 2
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    python_path = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secret}
    head = subprocess.Popen(
        [
            *(str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", f"--port={port}"),
            *("--node-ip-address=127.0.0.1", "--num-cpus=2", "--include-dashboard=false", "--disable-usage-stats"),
            *(f"--temp-dir={kept}", "--object-store-memory=100000000"),
        ],
        env={**os.environ, **token, "HOME": str(tmp_path), "PYTHONPATH": python_path},
        cwd="/",
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _await(lambda: bool(list(kept.glob("session_latest/sockets/raylet*"))), head)
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
        monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
        assert "needs a token: set RAY_AUTH_MODE=token" in runs.run("o.jsonl", *SHARDS, *RAY, status=2)
        for name, value in token.items():
            monkeypatch.setenv(name, value)
        for name in ("out.jsonl", "again.jsonl"):
            runs.run(name, *SHARDS, *RAY)
        assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()
        told = [path for path in kept.rglob("*") if path.is_file() and b"Nodule of 7 mm" in path.read_bytes()]
        assert told == []
    finally:
        os.killpg(head.pid, signal.SIGTERM)
        head.wait()
        shutil.rmtree(kept, ignore_errors=True)


@pytest.mark.slow
def test_what_goes_wrong_on_a_cluster_is_told(tmp_path: Path) -> None:
    """An actor that dies is replaced; pairs that none survives, and a row that cannot be read, end the run."""
    runs = Runs.make(tmp_path, 100, {33: "die once"})
    runs.run("out.jsonl", *SHARDS, *RAY)
    runs.run("whole.jsonl", *SHARDS)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    runs.write(100, {50: "die"})
    assert "two workers died of pairs 41 to 60; what was scored is kept" in runs.run("d.jsonl", *SHARDS, *RAY, status=2)
    runs.write(100)
    with (tmp_path / "pairs.jsonl").open("a", encoding="utf-8") as pairs:
        pairs.write("broken\n")
    told = runs.run("r.jsonl", *SHARDS, *RAY, status=2)
    assert "row 101: not valid JSON" in told
    assert "100 scored pairs are kept" in told
    asked = ("-m", "green", "--set", "model=openai:any")
    assert "score with --workers 1 on the local engine" in runs.run("g.jsonl", *SHARDS, *RAY, *asked, status=2)


def _await(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _scratch() -> set[Path]:
    return {folder for place in ("/dev/shm", "/tmp") for folder in Path(place).glob("overread-ray-*")}  # noqa: S108


def _listening(root: int) -> set[str]:
    """Addresses, as the system writes them, on which a process and those below it listen."""
    found: set[str] = set()
    sockets = {
        fields[9]: fields[1]
        for table in ("tcp", "tcp6")
        for fields in map(str.split, Path(f"/proc/net/{table}").read_text().splitlines()[1:])
        if fields[3] == LISTENS
    }
    for process in _below(root):
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                inode = entry.readlink().name.removeprefix("socket:[").removesuffix("]")
                found |= {sockets[inode]} if inode in sockets else set()
    return found


def _below(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
    family = {root}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def _lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0
