"""A machine of its own for a test: systemd on a copy of this machine's root, in namespaces, gone when the test ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from attrs import define

__all__ = ["Machine", "boot", "why_not_booted"]

_CHECKOUT: Final = Path(__file__).parents[1]
_BOOT: Final = Path(__file__).parent / "data" / "systemd" / "boot.sh"
_SYSTEMD: Final = Path("/usr/lib/systemd/systemd")
_TOOLS: Final = ("unshare", "nsenter", "ip", "runuser", "useradd")
_NAMESPACES: Final = ("--mount", "--pid", "--cgroup", "--uts", "--ipc", "--net")
_PATH: Final = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
_LONGEST_S: Final = 60.0


@define
class Machine:
    """A machine that was booted.

    Attributes:
        pid: of its first process.
    """

    pid: int

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """A command on it, as root."""
        done = subprocess.run([*self._inside(), *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, (command, done.stdout, done.stderr)
        return done

    def write(self, path: str, content: str) -> None:
        """A file on it, for everybody to read."""
        told = f'mkdir -p "$(dirname {path})" && cat > {path} && chmod 644 {path}'
        subprocess.run([*self._inside(), "sh", "-c", told], input=content, text=True, check=True)

    def shown(self, unit: str, name: str) -> str:
        """A property of a unit."""
        return self.run("systemctl", "show", unit, f"--property={name}", "--value").stdout.strip()

    def _inside(self) -> list[str]:
        return ["nsenter", "--target", str(self.pid), "--all", "env", "-i", "-C", "/", _PATH]


def why_not_booted() -> str:
    """Reason for which no machine can be booted here; "" where one can."""
    if not _SYSTEMD.exists():
        return "systemd is not installed"
    missing = [tool for tool in _TOOLS if shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin") is None]
    if missing:
        return f"{', '.join(missing)} not installed"
    if os.geteuid() != 0:
        return "only root may boot systemd"
    if _cgroup() is None:
        return "no cgroup2 is mounted"
    tried = "mount -t tmpfs tmpfs /tmp && mount -t cgroup2 cgroup2 /tmp"
    command = ["unshare", *_NAMESPACES, "--fork", "sh", "-c", tried]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        return "namespaces are not allowed"
    return ""


@contextmanager
def boot(folder: Path) -> Iterator[Machine]:
    """A machine that has booted, with overread at /opt/overread and the checkout at /opt/source.

    Args:
        folder: empty; holds its mounts, which nobody else sees.
    """
    above = _cgroup()
    assert above is not None
    cgroup = above / f"overread-tests-{os.getpid()}"
    cgroup.mkdir()
    enter = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(cgroup)]
    places = [str(folder), sys.prefix, sys.base_prefix, str(_CHECKOUT)]
    command = [*enter, "unshare", *_NAMESPACES, "--fork", "--kill-child=KILL", "sh", str(_BOOT), *places]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        yield _wait(process)
    finally:
        process.kill()
        process.wait()
        _remove(cgroup)


def _wait(process: subprocess.Popen[bytes]) -> Machine:
    until = time.monotonic() + _LONGEST_S
    while time.monotonic() < until and process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
        if children and Path(f"/proc/{children[0]}/comm").read_text(encoding="ascii").strip() == "systemd":
            machine = Machine(int(children[0]))
            if machine.run("systemctl", "is-system-running", "--wait", check=False).stdout.strip() == "running":
                return machine
        time.sleep(0.05)
    raise AssertionError("systemd did not start")


def _cgroup() -> Path | None:
    """The folder of this process in the hierarchy that systemd uses."""
    mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    mounted = next((words[4] for words in mounts if words[words.index("-") + 1] == "cgroup2"), None)
    of_all = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    mine = next((line[3:] for line in of_all if line.startswith("0::")), None)
    return Path(mounted) / mine.lstrip("/") if mounted is not None and mine is not None else None


def _remove(cgroup: Path) -> None:
    """Remove what is empty once the last process is gone."""
    until = time.monotonic() + _LONGEST_S
    while "populated 1" in (cgroup / "cgroup.events").read_text(encoding="ascii") and time.monotonic() < until:
        time.sleep(0.05)
    for folder, _, _ in os.walk(cgroup, topdown=False):
        Path(folder).rmdir()
