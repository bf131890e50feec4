"""One process of the hospital service, as it is begun from the command line: its ways in, its end, a kill."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from attrs import define

from ..hardened import HARDENED, can_harden

_SETTINGS: Final = ("--set", "log_level=info", "--set", "hospital.lease=3 s")
_PLAIN: Final = ("--set", "hospital.texts=plain")
_READER: Final = ("--set", "second_reader=comparing")
_READY_S: Final = 120.0
_CANARY: Final = "XYLOPHONE-7713"
_PAIR: Final = {"reference": "Small left pneumothorax.", "candidate": "No pneumothorax."}


@define
class _Service:
    """A process, and a client of it."""

    folder: Path
    process: subprocess.Popen[bytes]
    url: str
    key: str

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        headers["Authorization"] = f"Bearer {self.key}"
        return httpx2.request(method, self.url + path, json=body, headers=headers, timeout=60, trust_env=False)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8")


def _overread(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "overread", *arguments]


def _key(store: Path, name: str, *more: str) -> str:
    command = _overread("keys", "create", name, "--role", "admin", "--store", str(store), *more)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _begun(
    folder: Path, key: str, *more: str, held: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> _Service:
    store = folder / "hospital.db"
    command = _overread("serve", "--store", str(store), "--port", "0", *_SETTINGS, *more)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*held, *command], stdout=log, stderr=log, env={**os.environ, **(environment or {})}, umask=0o077
        )
    until = time.monotonic() + _READY_S
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"^pages and API +(http://\S+)$", (folder / "log").read_text(), re.MULTILINE)
        if found is not None:
            return _Service(folder, process, found[1], key)
        time.sleep(0.1)
    process.kill()
    raise AssertionError((folder / "log").read_text())


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Service]:
    """As the unit of systemd has it, where the kernel can: no code made on the way, keys with a mask of rights."""
    folder = tmp_path_factory.mktemp("serving")
    (folder / "drop").mkdir()
    (folder / "credentials").mkdir()
    keys = folder / "credentials" / "text-keys"
    subprocess.run(_overread("rotate-keys", "--new-key", "--key-file", str(keys)), check=True, capture_output=True)
    keys.chmod(0o440)
    sealed = ("--set", f"hospital.key_file={keys}")
    made = _begun(
        folder,
        _key(folder / "hospital.db", "tester", *sealed),
        *sealed,
        *_READER,
        *("--hl7-port", "0", "--folder", str(folder / "drop")),
        held=HARDENED if can_harden() else (),
        environment={"CREDENTIALS_DIRECTORY": str(keys.parent)},
    )
    try:
        yield made
    finally:
        made.process.kill()
        made.process.wait()


def _until_done(service: _Service, number: int) -> dict[str, Any]:
    until = time.monotonic() + _READY_S
    while time.monotonic() < until:
        state: dict[str, Any] = service.ask("GET", f"/api/v1/batches/{number}").json()
        if not state["waiting"]:
            return state
        time.sleep(0.2)
    raise AssertionError("the batch is not done")


def test_every_part_works(service: _Service) -> None:
    """Readiness names each, and the process says where it listens."""
    parts = httpx2.get(f"{service.url}/readyz", trust_env=False).json()["parts"]
    names = ("store", "room", "scoring", "workers", "retention", "folder", "hl7", "http")
    assert parts == dict.fromkeys(names, "ok")
    assert re.search(r"^HL7 over MLLP +127\.0\.0\.1:\d+$", service.log, re.MULTILINE)


def test_the_pages_ask_who_it_is_and_let_a_key_in(service: _Service) -> None:
    """The worklist leads to the login page, whose form begins a session."""
    with httpx2.Client(base_url=service.url, trust_env=False, headers={"Accept": "text/html"}) as browser:
        first = browser.get("/worklist")
        assert first.status_code == 303
        page = browser.get(first.headers["location"])
        token = re.search(r'name="csrf_token"\s+value="([^"]+)"', page.text)
        assert token is not None
        form = {"key": service.key, "csrf_token": token[1], "next": "/worklist"}
        assert browser.post("/login", data=form).headers["location"] == "/worklist"
        assert browser.get("/worklist").status_code == 200


def test_what_comes_in_is_scored_by_its_workers(service: _Service) -> None:
    """A batch is done without anybody asking for it, and events tell of its progress."""
    pairs = {"pairs": [{"id": str(number), **_PAIR} for number in range(3)]}
    number = service.ask("POST", "/api/v1/batches", pairs).json()["number"]
    assert _until_done(service, number)["scored"] == 3
    events = service.ask("GET", f"/api/v1/batches/{number}/events").text
    assert events.startswith("event: done")


def test_keys_that_others_may_read_keep_it_from_beginning(service: _Service, tmp_path: Path) -> None:
    """The mask of a credential is one in the folder of credentials alone."""
    keys = service.folder / "credentials" / "text-keys"
    command = _overread("serve", "--store", str(tmp_path / "h.db"), "--set", f"hospital.key_file={keys}")
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_READY_S)
    assert (ended.returncode, "chmod 600" in ended.stderr) == (2, True)


def test_nothing_of_a_report_is_in_the_log(service: _Service) -> None:
    """Neither of one that is taken, nor of a body that is refused, nor of an address."""
    version = {"examinations": [{"site": "north", "accession": "A1"}], "status": "final", "text": _CANARY}
    assert service.ask("POST", "/api/v1/reports", {"versions": [version]}).status_code == 201
    assert service.ask("POST", "/api/v1/reports", {"versions": [{**version, "status": _CANARY}]}).status_code == 422
    assert service.ask("GET", f"/{_CANARY}?{_CANARY}={_CANARY}").status_code == 404
    assert '"event": "request"' in service.log or '"event":"request"' in service.log
    assert _CANARY not in service.log


def test_settings_that_mean_something_else_keep_it_from_beginning(tmp_path: Path) -> None:
    """Of a text for a list the letters would be taken, among them a "*" that lets every Host in. Nothing is loaded."""
    (tmp_path / "overread.toml").write_text(
        '[serve]\nworkers = "1"\n[serve.limits]\nhosts = "*.ward.example"\nsession_secret = "env:NONE"\n'
        '[serve.hl7_reading]\nprocessing_ids = "PT"\n[serve.http]\nproxies = "10.0.0.1"\n'
    )
    command = _overread("serve", "--config", str(tmp_path / "overread.toml"), *_SETTINGS, *_PLAIN)
    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path, timeout=_READY_S)
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        "overread: serve.workers must be a whole number, not the text '1'",
        """overread: serve.limits.hosts must be a list, such as ["*.ward.example"], not the text '*.ward.example'""",
        "overread: serve.limits.session_secret names the environment variable NONE, which is not set",
        """overread: serve.hl7_reading.processing_ids must be a list, such as ["PT"], not the text 'PT'""",
        """overread: serve.http.proxies must be a list, such as ["10.0.0.1"], not the text '10.0.0.1'""",
    ]
    assert [each.name for each in tmp_path.iterdir()] == ["overread.toml"]


@pytest.mark.slow
def test_a_kill_loses_nothing_that_was_accepted(tmp_path: Path) -> None:
    """A batch that was acknowledged right before a SIGKILL is scored by the process that is begun next, at once."""
    key = _key(tmp_path / "hospital.db", "tester", *_PLAIN)
    settings = (*_PLAIN, "--set", "hospital.lease=1 h")
    first = _begun(tmp_path, key, *settings)
    pairs = {"pairs": [{"id": str(number), **_PAIR} for number in range(200)]}
    number = first.ask("POST", "/api/v1/batches", pairs, **{"Idempotency-Key": "one"}).json()["number"]
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    again = _begun(tmp_path, key, *settings)
    assert again.ask("POST", "/api/v1/batches", pairs, **{"Idempotency-Key": "one"}).json()["number"] == number
    state = _until_done(again, number)
    assert (state["scored"], state["unscored"]) == (200, 0)
    again.process.send_signal(signal.SIGTERM)
    assert again.process.wait(60) == 0
    assert json.loads(again.log.splitlines()[-1])["event"] == "stopped"
