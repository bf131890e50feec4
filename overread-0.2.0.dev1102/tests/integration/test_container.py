"""The service as docs/deploy/Containerfile starts it, in a root file system that cannot be written, by bubblewrap.

What is under test is the second stage of the file: its user, environment, entry point, command and health check. The
environment of Python is the one that the tests run in, at the place where the image has its own.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import httpx2
import pytest
from attrs import define

_CONTAINERFILE: Final = Path(__file__).parents[2] / "docs" / "deploy" / "Containerfile"
_BWRAP: Final = shutil.which("bwrap")
_READY_S: Final = 180.0


def _can_wrap() -> bool:
    command = [str(_BWRAP), "--unshare-all", "--ro-bind", "/", "/", "--uid", "10001", "true"]
    return _BWRAP is not None and subprocess.run(command, check=False, capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not _can_wrap(), reason="bubblewrap is not installed, or may not make namespaces")


def _instructions() -> dict[str, str]:
    """The last instruction of each kind in the file's last stage."""
    stage = re.split(r"^FROM ", _CONTAINERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[-1]
    lines = re.sub(r"\\\n", " ", stage).splitlines()
    return {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in lines if re.match(r"[A-Z]+ ", line)}


@define
class _Container:
    """A root of its own on this machine's network.

    Attributes:
        folder: holds what is mounted.
    """

    folder: Path

    def command(self, *inner: str) -> list[str]:
        """A command inside, as the file's user, with its environment and nothing else."""
        assert _BWRAP is not None
        written = _instructions()
        user, _, group = written["USER"].partition(":")
        variables = dict(pair.split("=", 1) for pair in shlex.split(written["ENV"]))
        variables["PATH"] = variables["PATH"].replace("$PATH", "/usr/local/bin:/usr/bin:/bin")
        variables["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
        mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"]  # noqa: S108
        mounts += [
            "--ro-bind",
            str(self.folder / "etc"),
            "/run/etc",
            "--bind",
            str(self.folder / "state"),
            "/run/state",
        ]
        closed = ["--unshare-all", "--share-net", "--uid", user, "--gid", group, "--cap-drop", "ALL", "--clearenv"]
        given = [word for name, value in variables.items() for word in ("--setenv", name, value)]
        return [_BWRAP, *mounts, *closed, "--die-with-parent", "--chdir", "/run/state", *given, *inner]


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> _Container:
    """With settings and keys as docs/operations.md has them; the places are below /run, which needs no mount point."""
    folder = tmp_path_factory.mktemp("container")
    (folder / "state").mkdir()
    (folder / "etc").mkdir()
    keys = folder / "etc" / "text-keys"
    _overread("rotate-keys", "--new-key", "--key-file", str(keys))
    (folder / "etc" / "overread.toml").write_text(
        '[hospital]\nstore = "/run/state/hospital.db"\nkey_file = "/run/etc/text-keys"\n'
        '[choose]\nsecond_reader = "comparing"\n[serve.http]\nport = 0\n',
        encoding="utf-8",
    )
    return _Container(folder)


def _overread(*arguments: str) -> str:
    command = [sys.executable, "-m", "overread", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _url(log: Path, process: subprocess.Popen[bytes]) -> str:
    until = time.monotonic() + _READY_S
    while time.monotonic() < until and process.poll() is None:
        line = re.search(r"^pages and API +(http://\S+)$", log.read_text(encoding="utf-8"), re.MULTILINE)
        if line is not None:
            return line[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8"))


def test_nothing_but_the_store_can_be_written(container: _Container) -> None:
    """By a user without rights, who is nobody on the machine."""
    script = (
        f"import os, pathlib; assert os.getuid() == 10001; pathlib.Path('/run/state/x').touch()\n"
        f"os.unlink('/run/state/x')\n"
        f"for place in ('/', '/usr', '/etc', '/run/etc', {str(container.folder)!r}):\n"
        f"    try: pathlib.Path(place, 'x').touch()\n"
        f"    except OSError: continue\n"
        f"    raise SystemExit(place)\n"
        f"lines = pathlib.Path('/proc/self/status').read_text().splitlines()\n"
        f"assert 'CapEff:\\t0000000000000000' in lines, lines\n"
    )
    subprocess.run(container.command(sys.executable, "-c", script), check=True)


def test_the_container_scores_and_stops_as_it_is_told(container: _Container) -> None:
    """It becomes ready, passes its health check, scores what comes in, and ends well on SIGTERM within a minute."""
    written = _instructions()
    store, etc = container.folder / "state" / "hospital.db", container.folder / "etc"
    sealed = ("--set", f"hospital.key_file={etc / 'text-keys'}")
    key = _overread("keys", "create", "tester", "--role", "admin", "--store", str(store), *sealed)
    entry, arguments = json.loads(written["ENTRYPOINT"]), json.loads(written["CMD"])
    assert (entry, arguments) == (["overread"], ["serve", "--config", "/etc/overread/overread.toml"])
    inner = [sys.executable, "-m", *entry, "serve", "--config", "/run/etc/overread.toml"]
    log = container.folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(container.command(*inner), stdout=output, stderr=output)
    try:
        url = _url(log, process)
        assert httpx2.get(f"{url}/readyz", trust_env=False).status_code == 200
        check = re.search(r"^ +CMD (\[.*\])$", _CONTAINERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert check is not None
        health = [word.replace("http://127.0.0.1:8080", url) for word in json.loads(check[1])]
        subprocess.run(container.command(sys.executable, *health[1:]), check=True)
        headers = {"Authorization": f"Bearer {key}"}
        pair = {"id": "1", "reference": "Small left pneumothorax.", "candidate": "No pneumothorax."}
        answer = httpx2.post(f"{url}/api/v1/batches", json={"pairs": [pair]}, headers=headers, trust_env=False)
        batch = f"{url}/api/v1/batches/{answer.json()['number']}"
        until = time.monotonic() + _READY_S
        while httpx2.get(batch, headers=headers, trust_env=False).json()["waiting"] and time.monotonic() < until:
            time.sleep(0.2)
        assert httpx2.get(batch, headers=headers, trust_env=False).json()["scored"] == 1
        os.kill(_inner_process(process.pid), signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    assert log.read_text(encoding="utf-8").splitlines()[-1].startswith("stopping: what was begun is finished")


def _inner_process(outer: int) -> int:
    """The service below bubblewrap's two processes, which pass no signal on, as a container's runtime does."""
    pid = outer
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        pid = int(children[0])
    return pid
