"""docs/deploy/overread.service under systemd, installed as docs/operations.md says, on a machine booted for it.

What `pip install` would bring stands at its place already: the environment that the tests run in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import pytest

from ..booted import Machine, boot, why_not_booted

_WHY_NOT: Final = why_not_booted()

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)]

_ROOT: Final = Path(__file__).parents[2]
_OPERATIONS: Final = (_ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
_UNIT: Final = (_ROOT / "docs" / "deploy" / "overread.service").read_text(encoding="utf-8")
_PYTHON: Final = "/opt/overread/bin/python"
_URL: Final = "http://127.0.0.1:8080"
_READY_S: Final = 180.0
_OWN: Final = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - of the machine
"""Folders for a moment, of which the unit has its own."""

_ELSEWHERE: Final = "192.0.2.1"
"""An address of the machine that is not its loopback: a stand-in for the network."""

_ASK: Final = """
import json, sys, urllib.request
method, url, key, body = sys.argv[1:]
request = urllib.request.Request(url, method=method, data=body.encode() or None)
request.add_header("Content-Type", "application/json")
request.add_header("Authorization", "Bearer " + key)
try:
    with urllib.request.urlopen(request, timeout=30) as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as error:
    print(json.dumps({"refused": error.code}))
except OSError:
    print("{}")
"""

_PROBE: Final = f"""
import ctypes, json, mmap, os, pathlib, socket, stat

def tell(what):
    try:
        return what() or "done"
    except OSError as error:
        return os.strerror(error.errno) if error.errno else type(error).__name__

def touch(folder):
    (pathlib.Path(folder) / "probe").touch()

def connect(family, *address):
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(3)
        client.connect(address)

def set_user_id():
    path = pathlib.Path("/var/lib/overread/probe")
    path.touch()
    path.chmod(0o4755)

def call(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, "")

def read(path):
    pathlib.Path(path).read_bytes()

write = ["/", "/usr", "/etc", "/etc/overread", "/opt/overread", "/run", "/home", "/root", "/var/lib", "/var/lib/other",
         "/srv", "/dev/shm", "/var/lib/overread", "/tmp", "/var/tmp"]
reading = ["/etc/shadow", "/etc/overread/text-keys", "/home/other/letter", "/root/letter", "/var/lib/other/letter",
        "/tmp/letter", "/etc/overread/overread.toml", os.environ["CREDENTIALS_DIRECTORY"] + "/text-keys"]
told = {{
    "write": {{place: tell(lambda: touch(place)) for place in write}},
    "read": {{place: tell(lambda: read(place)) for place in reading}},
    "processes": sorted(name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()),
    "devices": [name for name in os.listdir("/dev") if stat.S_ISBLK(os.stat("/dev/" + name).st_mode)],
    "status": dict(line.split(":\\t", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines()
                   if line.startswith(("CapEff", "CapBnd", "NoNewPrivs", "Seccomp:"))),
    "here": tell(lambda: connect(socket.AF_INET, "127.0.0.1", 8080)),
    "elsewhere": tell(lambda: connect(socket.AF_INET, "{_ELSEWHERE}", 8099)),
    "packets": tell(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()),
    "written code": tell(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC).close()),
    "namespace": tell(lambda: call("unshare", 0x10000000)),
    "mount": tell(lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None)),
    "set user id": tell(set_user_id),
    "files": os.sysconf("SC_OPEN_MAX"),
    "mode": oct(os.stat("/var/lib/overread").st_mode & 0o777),
}}
pathlib.Path("/var/lib/overread/probe.json").write_text(json.dumps(told))
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """With the service installed and started by the words of the document; others have files there, too."""
    with boot(tmp_path_factory.mktemp("booted")) as machine:
        for folder in ("/home/other", "/var/lib/other", "/root", "/tmp"):  # noqa: S108 - of the machine
            machine.write(f"{folder}/letter", "of somebody else")
        machine.run("chmod", "700", "/var/lib/other")
        machine.write("/srv/install/overread.toml", _block("toml", "Minimal settings:"))
        machine.run("ln", "-s", "/opt/source/docs", "/srv/install/docs")
        lines = [
            line for line in _block("sh", "## Install").splitlines() if not re.search(r"-m venv|/pip install", line)
        ]
        machine.run("sh", "-ec", "\n".join(["cd /srv/install", *lines]))
        yield machine


def _block(language: str, after: str) -> str:
    """The document's first example in a language after some words."""
    found = re.search(rf"^```{language}\n(.*?)^```", _OPERATIONS.split(after, 1)[1], re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def _ask(machine: Machine, method: str, path: str, *, key: str = "", body: Any = None) -> Any:
    words = [method, f"{_URL}{path}", key, json.dumps(body) if body is not None else ""]
    return json.loads(machine.run(_PYTHON, "-c", _ASK, *words).stdout)


def _wait_until_ready(machine: Machine, restarts: str = "0") -> None:
    until = monotonic() + _READY_S
    while (told := _ask(machine, "GET", "/readyz")).get("status") != "ready":
        assert machine.shown("overread", "NRestarts") <= restarts, _log(machine)
        assert monotonic() < until, (told, _log(machine))
        sleep(0.2)


def _log(machine: Machine) -> str:
    machine.run("journalctl", "--sync")
    return machine.run("journalctl", "--unit=overread", "--output=cat", "--no-pager").stdout


def test_it_starts_as_it_is_installed(machine: Machine) -> None:
    """It becomes ready as its own user, and systemd has nothing to complain of."""
    _wait_until_ready(machine)
    assert machine.shown("overread", "ActiveState") == "active"
    assert machine.run("systemctl", "is-enabled", "overread").stdout.strip() == "enabled"
    pid = machine.shown("overread", "MainPID")
    assert machine.run("stat", "--format=%U", f"/proc/{pid}").stdout.strip() == "overread"
    machine.run("journalctl", "--sync")
    complaints = machine.run("journalctl", "--identifier=systemd", "--priority=warning", "--output=cat", "--no-pager")
    assert [line for line in complaints.stdout.splitlines() if "overread" in line] == []


def test_what_it_documents_is_there(machine: Machine) -> None:
    """`systemctl help overread` finds the document."""
    place = re.search(r"^Documentation=file:(.*)$", _UNIT, re.MULTILINE)
    assert place is not None
    machine.run("test", "-r", place[1])


def test_its_exposure_is_what_the_document_says(machine: Machine) -> None:
    """As systemd rates the unit that runs."""
    rated = machine.run("systemd-analyze", "security", "--no-pager", "overread").stdout
    level = re.search(r"Overall exposure level for overread\.service: ([\d.]+)", rated)
    said = re.search(r"rates its exposure\s+([\d.]+) out of 10", _OPERATIONS)
    assert level is not None
    assert said is not None
    assert level[1] == said[1]


def test_it_can_do_no_more_than_it_needs(machine: Machine) -> None:
    """Another program in the unit's place writes its own folders alone, and reads of what is closed its keys alone."""
    machine.write("/srv/probe.py", _PROBE)
    unit = re.sub(r"^ExecStart=.*$", f"ExecStart={_PYTHON} /srv/probe.py", _UNIT, flags=re.MULTILINE)
    machine.write("/etc/systemd/system/probe.service", unit.replace("Type=exec", "Type=oneshot"))
    machine.run("systemctl", "daemon-reload")
    listen = f"import socket; s = socket.create_server(('{_ELSEWHERE}', 8099)); s.listen(); s.accept()"
    machine.run("systemd-run", "--unit=elsewhere", "--property=Type=exec", _PYTHON, "-c", listen)
    machine.run("systemctl", "start", "probe")
    told = json.loads(machine.run("cat", "/var/lib/overread/probe.json").stdout)
    writable = {place for place, how in told["write"].items() if how == "done"}
    assert writable == {"/var/lib/overread", *_OWN}, told["write"]
    assert all(machine.run("test", "-e", f"{place}/probe", check=False).returncode for place in _OWN)
    readable = {place for place, how in told["read"].items() if how == "done"}
    assert readable == {"/etc/overread/overread.toml", "/run/credentials/probe.service/text-keys"}, told["read"]
    assert told["status"] == {
        "CapEff": "0000000000000000",
        "CapBnd": "0000000000000000",
        "NoNewPrivs": "1",
        "Seccomp": "2",
    }
    assert told["here"] == "done"
    denied = {name: told[name] for name in ("packets", "written code", "namespace", "mount", "set user id")}
    assert "done" not in denied.values(), denied
    assert (told["devices"], told["files"], told["mode"]) == ([], 8192, "0o700")
    assert told["processes"] == [], told["processes"]
    assert told["elsewhere"] != "done"


def test_a_kill_loses_nothing_that_was_accepted(machine: Machine) -> None:
    """systemd starts it again, and what was accepted before is scored."""
    _wait_until_ready(machine)
    settings = ("--config", "/etc/overread/overread.toml", "--set", "hospital.key_file=/etc/overread/text-keys")
    key = machine.run("/opt/overread/bin/overread", "keys", "create", "tester", "--role", "admin", *settings)
    told = key.stdout.strip()
    pairs = [
        {"id": str(number), "reference": "Small left pneumothorax.", "candidate": "No pneumothorax."}
        for number in range(20)
    ]
    batch = _ask(machine, "POST", "/api/v1/batches", key=told, body={"pairs": pairs})["number"]
    before = machine.shown("overread", "MainPID")
    machine.run("kill", "-9", before)
    _wait_until_ready(machine, restarts="1")
    assert machine.shown("overread", "NRestarts") == "1"
    assert machine.shown("overread", "MainPID") != before
    until = monotonic() + _READY_S
    while (state := _ask(machine, "GET", f"/api/v1/batches/{batch}", key=told))["waiting"]:
        assert monotonic() < until, state
        sleep(0.2)
    assert state["scored"] == 20, state


def test_it_stops_as_it_is_told(machine: Machine) -> None:
    """Well within its time, with status 0; nothing of it is left, and it starts again."""
    _wait_until_ready(machine)
    machine.run("systemctl", "stop", "overread")
    assert machine.shown("overread", "Result") == "success"
    assert machine.shown("overread", "ExecMainStatus") == "0"
    assert "stopping: what was begun is finished" in _log(machine)
    owned = machine.run("pgrep", "--euid", "overread", check=False)
    assert owned.stdout == ""
    machine.run("systemctl", "start", "overread")
    _wait_until_ready(machine)
