"""A real service fed through every door with words that stand nowhere else, which are looked for everywhere after."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from attrs import define, field

from ..unit.hospital.infrastructure.exchange.dicom.test_structured_reports import item, report, written
from ..unit.hospital.infrastructure.exchange.documents.invented_pdf import pdf_of

_CANARY: Final = "qzxcanary"
_PATIENT: Final = "PQZXCANARY4711"
_PRELIMINARY: Final = "FINDINGS: The lungs are clear around the Qzxcanary."
_FINAL: Final = "FINDINGS: Large tension pneumothorax on the left beside the Qzxcanary."
_ACCESSION: Final = {"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "ACSN"}
_LONGEST_S: Final = 120.0
_AUTHOR: Final = "r.adler"
_REMARK: Final = "Qzxcanary: look at the apex on supine films."
_CHARTED: Final = 120
"""Examinations with which a chart begins, one in ten of them discordant, before some that all are."""


@define
class Heard:
    """What a receiver of webhooks heard: headers and bodies."""

    url: str
    requests: list[bytes] = field(factory=list)


@define
class Watched:
    """A service that has been used and ended, and what it gave away meanwhile.

    Attributes:
        folder: everything that it could write to.
        said: answers' headers, bodies of refusals, metrics and webhooks.
        scored: pairs.
    """

    folder: Path
    said: list[bytes] = field(factory=list)
    scored: int = 0

    def holding(self) -> list[str]:
        """Files that hold a canary, but those that its sender put into the folder for them."""
        found = []
        for path in sorted(self.folder.rglob("*")):
            place = path.relative_to(self.folder)
            if path.is_file() and place.parts[0] != "drop" and _has_canary(path.read_bytes()):
                found.append(place.as_posix())
        return found


def _has_canary(data: bytes) -> bool:
    return _CANARY.encode() in data.lower()


@pytest.fixture(scope="module")
def without_texts(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return _used(tmp_path_factory.mktemp("none"), "none")


def test_without_texts_no_word_is_anywhere(without_texts: Watched) -> None:
    """Not in the store nor its log, not in what the service logged at level debug, not in any file beside them."""
    assert without_texts.scored >= 4
    assert without_texts.holding() == []


def test_no_answer_to_a_mistake_repeats_it(without_texts: Watched) -> None:
    """Headers of all answers, problems, acknowledgements of HL7, metrics, and what webhooks brought."""
    assert len(without_texts.said) > 30
    assert [said[:300] for said in without_texts.said if _has_canary(said)] == []


def test_the_log_tells_of_what_was_done(without_texts: Watched) -> None:
    """That nothing is in it is worth something only if it is there: each line an object, requests among them."""
    lines = (without_texts.folder / "stderr").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines if line.startswith("{")]
    assert {"request", "hl7_listening"} <= {event["event"] for event in events}
    assert any(event["level"] == "debug" for event in events)


@pytest.mark.slow
@pytest.mark.parametrize(("texts", "holding"), [("sealed", []), ("plain", ["work/hospital.db"])])
def test_where_texts_are_kept(texts: str, holding: list[str], tmp_path: Path) -> None:
    """Sealed ones cannot be read off the disk; plain ones are in the store and nowhere else."""
    watched = _used(tmp_path, texts)
    assert [name for name in watched.holding() if not name.endswith(("-wal", "-shm"))] == holding
    assert [said[:300] for said in watched.said if _has_canary(said)] == []


def _used(folder: Path, texts: str) -> Watched:
    """A service that keeps texts so, after everything was tried on it."""
    watched = Watched(folder)
    for name in ("work", "home", "tmp", "drop"):
        (folder / name).mkdir()
    with _receiver() as heard:
        _configure(folder, texts, heard.url)
        with _serving(folder) as (url, hl7):
            keys = {role: _key(folder, name, role) for name, role in (("tester", "admin"), (_AUTHOR, "author"))}
            _use(watched, url, hl7, keys)
            _awaited(lambda: heard.requests)  # word of a pair goes out after it is scored
        watched.said += heard.requests
        assert heard.requests
    return watched


def _configure(folder: Path, texts: str, webhook: str) -> None:
    (folder / "work" / "overread.toml").write_text(
        f"""
log_level = "debug"

[hospital]
store = "{folder}/work/hospital.db"
texts = "{texts}"
key_file = "{folder}/work/keys"
deliver_to = ["pager"]
reference_until = 2026-02-01T00:00:00Z
chart_odds = 3.0
chart_run_length = 100

[hospital.authors]
"{_AUTHOR}" = ["17"]

[serve]
workers = 1

[serve.http]
port = 0

[serve.hl7]
port = 0

[serve.folder]
path = "{folder}/drop"
every_seconds = 0.2

[[serve.webhooks]]
name = "pager"
url = "{webhook}"
secrets = "env:PAGER_SECRET"
""",
        encoding="utf-8",
    )
    _overread(folder, "rotate-keys", "--new-key")


def _overread(folder: Path, *arguments: str) -> str:
    command = [*_command(folder, *arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment(folder))
    assert done.returncode == 0, done.stderr
    return done.stdout


def _command(folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "overread", *arguments, "--config", str(folder / "work" / "overread.toml")]


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OVERREAD_")}
    secret = "whsec_" + "A" * 43 + "="
    return {**kept, "HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PAGER_SECRET": secret}


def _key(folder: Path, name: str, role: str) -> str:
    return _overread(folder, "keys", "create", name, "--role", role).strip()


@contextmanager
def _serving(folder: Path) -> Iterator[tuple[str, int]]:
    """The service in a process of its own: its URL and its port for HL7."""
    with (folder / "stderr").open("wb") as log, (folder / "stdout").open("wb") as out:
        process = subprocess.Popen(
            _command(folder, "serve"), stdout=out, stderr=log, cwd=folder / "work", env=_environment(folder)
        )
        try:
            places = _awaited(lambda: _places(folder / "stderr", process))
            yield places
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(_LONGEST_S)
    assert process.returncode == 0


def _places(log: Path, process: subprocess.Popen[bytes]) -> tuple[str, int] | None:
    told = log.read_text(encoding="utf-8")
    assert process.poll() is None, told
    url = re.search(r"^pages and API +(\S+)$", told, re.MULTILINE)
    hl7 = re.search(r"^HL7 over MLLP +\S+:(\d+)$", told, re.MULTILINE)
    return (url[1], int(hl7[1])) if url and hl7 else None


def _awaited(look: Callable[[], Any]) -> Any:
    """What a look gives once it gives something."""
    deadline = time.monotonic() + _LONGEST_S
    while not (found := look()):
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)
    return found


@contextmanager
def _receiver() -> Iterator[Heard]:
    heard: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(bytes(self.headers) + self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Heard(f"http://127.0.0.1:{server.server_port}/pager", heard)
    server.shutdown()
    server.server_close()
    thread.join()


def _use(watched: Watched, url: str, hl7: int, keys: Mapping[str, str]) -> None:
    """Reports and mistakes through every door, until all that can be scored is."""
    watched.said += _over_hl7(hl7)
    _over_folder(watched.folder / "drop")
    with httpx2.Client(base_url=url, timeout=60) as client:

        def ask(method: str, path: str, *, role: str = "admin", **more: Any) -> httpx2.Response:
            more["headers"] = {"Authorization": f"Bearer {keys[role]}", **more.get("headers", {})}
            answer = client.request(method, path, **more)
            watched.said.append(str(list(answer.headers.items())).encode())
            if answer.status_code >= 400:
                watched.said.append(answer.content)
            return answer

        _over_http(ask)
        rows = _awaited(lambda: _all_scored(ask))
        watched.scored = len(rows)
        _review(ask, rows[0]["pair"])
        _teach(ask)
        _read_by_protocol(ask, rows[-1]["pair"])
        _close_a_case(ask)
        _ask_wrongly(ask)
        metrics = ask("GET", "/metrics")
        assert metrics.status_code == 200
        watched.said.append(metrics.content)
        _awaited(lambda: not json.loads(ask("GET", "/readyz").content or b"{}").get("deliveries"))


def _all_scored(ask: Callable[..., httpx2.Response]) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = ask("GET", "/api/v1/pairs").json()["rows"]
    done = len(rows) >= 4 and all(row["state"] != "waiting" for row in rows)
    return rows if done else []


def _over_hl7(port: int) -> list[bytes]:
    messages = [
        _oru("M1", "P", _PRELIMINARY),
        _oru("M2", "F", _FINAL),
        _oru("M3", "Q", _FINAL),
        _oru("M4", "F", _FINAL).replace("ORU^R01", "ADT^A01"),
        f"MSH|^~\\&|RIS|NORTH\rPID|{_PATIENT}||Qzxcanary",
        "Qzxcanary",
    ]
    said = []
    for message in messages:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(b"\x0b" + message.encode() + b"\x1c\r")
            connection.shutdown(socket.SHUT_WR)
            said.append(b"".join(iter(lambda: connection.recv(65536), b"")))
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(b"\x0b" + _oru("M9", "F", _FINAL).encode()[:-20])  # cut off
    assert b"MSA|AA|M1" in said[0]
    assert b"MSA|AA|M2" in said[1]
    return said


def _oru(control: str, status: str, text: str) -> str:
    about = "FI1|71045^XR CHEST|||20260301080000-0500|||||||||||ACC1||||20260301081500-0500||CR"
    return "\r".join(
        [
            f"MSH|^~\\&|RIS|NORTH|OVERREAD||20260301082000-0500||ORU^R01^ORU_R01|{control}|P|2.5.1|||||||UNICODE UTF-8",
            f"PID|1||{_PATIENT}^^^NORTH^MR||Qzxcanary^Ann",
            f"OBR|1|PL1|{about}|{status}||||||^cough qzxcanary|17&Adler&Ruth",
            f"OBX|1|TX|1||{text}",
        ]
    )


def _over_folder(drop: Path) -> None:
    head = "site,accession,status,text,patient,message\n"
    rows = [("preliminary", _PRELIMINARY, "f1"), ("final", _FINAL, "f2")]
    good = "".join(f'SOUTH,S1,{status},"{text}",{_PATIENT},{message}\n' for status, text, message in rows)
    for name, content in (("night.csv", head + good), ("bad.csv", head + f"SOUTH,,odd,{_FINAL},{_PATIENT},f3\n")):
        (drop / f".{name}").write_text(content, encoding="utf-8")
        (drop / f".{name}").rename(drop / name)
    whole = report(item("TEXT", "Impression", _FINAL), item("PNAME", "Observer", "Qzxcanary^Ann"))
    odd = report(item("TEXT", "Qzxcanary", _FINAL))
    whole.PatientID = odd.PatientID = _PATIENT
    odd.CompletionFlag = _CANARY.upper()
    for name, dataset in (("whole.dcm", whole), ("odd.dcm", odd)):
        (drop / f".{name}").write_bytes(written(dataset))
        (drop / f".{name}").rename(drop / name)


def _over_http(ask: Callable[..., httpx2.Response]) -> None:
    examination = {"site": "west", "accession": "W1", "patient": _PATIENT, "modality": "CR"}
    for status, text in (("preliminary", _PRELIMINARY), ("final", _FINAL)):
        version = {"examinations": [examination], "status": status, "text": text, "source": "http"}
        assert ask("POST", "/api/v1/reports", json={"versions": [version]}).is_success
    pair = {"id": "a", "reference": _FINAL, "candidate": _PRELIMINARY}
    assert ask("POST", "/api/v1/batches", json={"name": "night", "pairs": [pair]}).status_code == 202
    assert ask("POST", "/api/v1/evaluate", json={"pairs": [pair]}).status_code == 200
    for status in ("final", "qzxcanary"):
        report = {
            "resourceType": "DiagnosticReport",
            "id": "r1",
            "status": status,
            "code": {"text": "Chest radiograph"},
            "identifier": [{"type": {"coding": [_ACCESSION]}, "value": "E1"}],
            "conclusion": _FINAL,
        }
        content, headers = json.dumps(report), {"Content-Type": "application/fhir+json"}
        answer = ask("POST", "/api/v1/fhir?site=east", content=content, headers=headers)
        assert answer.is_success is (status == "final"), answer.content
    _over_fhir(ask, report)


def _over_fhir(ask: Callable[..., httpx2.Response], report: Mapping[str, Any]) -> None:
    """Single resources, a document, a merge and notifications, each with its mistake."""
    headers = {"Content-Type": "application/fhir+json"}

    def send(method: str, path: str, resource: Any) -> int:
        content = json.dumps(resource)
        return ask(method, f"/api/v1/fhir{path}?site=east", content=content, headers=headers).status_code

    good = {**report, "status": "final", "id": "r2"}
    assert send("PUT", "/DiagnosticReport/r2", good) == 200
    assert send("PUT", "/DiagnosticReport/r2", {**good, "status": _CANARY}) == 422
    assert send("PUT", f"/DiagnosticReport/{_CANARY}", good) == 400
    assert send("POST", "/DiagnosticReport", {**good, "conclusion": [_FINAL]}) == 400
    assert send("DELETE", "/DiagnosticReport/r2", good) == 405
    assert send("DELETE", f"/Patient/{_PATIENT}", good) == 405
    rtf = rf"{{\rtf1\ansi {_FINAL}\par}}".encode()
    bodies = [
        ("E2", "text/rtf", rtf, 201),
        ("E3", "text/rtf", rtf[:-9], 422),
        ("E4", "text/html", f"<html><body><p>{_FINAL}</p></body></html>".encode(), 201),
        ("E5", "text/html", f"<img src=x> {_FINAL}".encode("utf-16"), 422),
        ("E6", "application/pdf", pdf_of([[_FINAL]]), 201),
        ("E7", "application/pdf", b"%PDF-1.7 " + _FINAL.encode(), 422),
    ]
    for accession, kind, body, expected in bodies:
        attachment = {"contentType": kind, "data": b64encode(body).decode()}
        document = {
            "resourceType": "DocumentReference",
            "status": "current",
            "docStatus": "final",
            "type": {"coding": [{"system": "http://loinc.org", "code": "18748-4"}]},
            "identifier": [{"type": {"coding": [_ACCESSION]}, "value": accession}],
            "description": _FINAL,
            "content": [{"attachment": attachment}],
        }
        assert (accession, send("POST", "/DocumentReference", document)) == (accession, expected)
    link = {"other": {"reference": f"Patient/{_PATIENT}"}, "type": "replaced-by"}
    for name, expected in ((_PATIENT, 422), ("QZXCANARY-9", 200)):
        assert send("PUT", f"/Patient/{name}", {"resourceType": "Patient", "id": name, "link": [link]}) == expected
    merge = {"site": "east", "surviving": _PATIENT, "merged": "QZXCANARY-8"}
    assert ask("POST", "/api/v1/merges", json=merge).status_code == 200
    assert ask("POST", "/api/v1/merges", json={**merge, "merged": _PATIENT}).status_code == 422
    status = {"resourceType": "SubscriptionStatus", "subscription": {"reference": "Subscription/s"}}
    for kind, expected in (("heartbeat", 200), ("event-notification", 422), (_CANARY, 422)):
        focus = [{"eventNumber": "1", "focus": {"reference": f"DiagnosticReport/{_CANARY}"}}]
        told = {**status, "type": kind, "notificationEvent": focus}
        assert (
            send("POST", "", {"resourceType": "Bundle", "type": "history", "entry": [{"resource": told}]}) == expected
        )


def _review(ask: Callable[..., httpx2.Response], number: int) -> None:
    record = ask("GET", f"/api/v1/pairs/{number}").json()
    said = {"signature": record["current"]["notation"]["signature"], "radpeer": "3b", "comment": "Qzxcanary, I think."}
    assert ask("POST", f"/api/v1/pairs/{number}/reviews", json=said).status_code == 201
    wrong = {**said, "radpeer": "Qzxcanary", "verdicts": [{"discrepancy": "Qzxcanary", "kind": "agree"}]}
    assert ask("POST", f"/api/v1/pairs/{number}/reviews", json=wrong).status_code == 422


def _teach(ask: Callable[..., httpx2.Response]) -> None:
    """Learning points, an action, the author's answer and the list of a conference, each with its mistake."""
    number = ask("GET", "/api/v1/own/pairs", role="author").json()["rows"][0]["pair"]
    point = {"kind": "learning point", "category": "B", "text": _REMARK, "nominated": True}
    kept = ask("POST", f"/api/v1/pairs/{number}/learning", json=point)
    assert kept.status_code == 201, kept.content
    wrong = [
        ask("POST", f"/api/v1/pairs/{number}/learning", json={**point, "kind": _CANARY}),
        ask("POST", f"/api/v1/pairs/{number}/learning", json={**point, "finding": _REMARK}),
        ask("POST", f"/api/v1/pairs/{number}/learning", json={**point, "text": f"{_REMARK}\0"}),
        ask("POST", f"/api/v1/pairs/{number}/actions", json={"kind": _CANARY}),
        ask("POST", f"/api/v1/pairs/{number}/actions", json={"kind": "addendum made", "due": _CANARY}),
        ask("GET", f"/api/v1/conference?since={_CANARY}"),
        ask("POST", f"/api/v1/own/pairs/{number}/answers", role="author", json={"text": [_REMARK]}),
        ask("POST", "/api/v1/own/pairs/999999/answers", role="author", json={"text": _REMARK}),
    ]
    assert [answer.status_code for answer in wrong if not 400 <= answer.status_code < 500] == []
    noted = ask("POST", f"/api/v1/pairs/{number}/actions", json={"kind": "clinician told"})
    assert noted.status_code == 201, noted.content
    assert ask("POST", f"/api/v1/actions/{noted.json()['number']}/changes", json={"state": "done"}).is_success
    said = ask("POST", f"/api/v1/own/pairs/{number}/answers", role="author", json={"text": _REMARK})
    assert said.status_code == 201, said.content
    listed = ask("GET", "/api/v1/conference")
    assert listed.json()["cases"]
    assert _PATIENT not in listed.text
    assert ask("POST", f"/api/v1/conference/{number}/presentations").json()["points"] == 1


def _read_by_protocol(ask: Callable[..., httpx2.Response], number: int) -> None:
    """A reading with remarks, by somebody who has not reviewed the pair, and one that is refused."""
    plan = {"name": "night", "mode": "open", "readers": [{"name": "tester"}], "per_pair": 1, "pairs": [number]}
    made = ask("POST", "/api/v1/protocols", json=plan)
    assert made.status_code == 201, made.content
    if short := made.json()["short"]:  # of a store without texts, where there is nothing to read
        assert [each["reason"] for each in short] == ["the text of a report is no longer kept"]
        return
    task = ask("GET", "/api/v1/assignments").json()["rows"][0]["number"]
    claimed = ask("POST", f"/api/v1/assignments/{task}/claims")
    assert claimed.status_code == 201, claimed.content
    verdict = {"discrepancy": None, "kind": "amend", "category": "B", "severity": "significant"}
    remarks = {"verdicts": [{**verdict, "finding": "pneumothorax", "reason": _REMARK}], "comment": _REMARK}
    wrong = {**remarks, "verdicts": [{**verdict, "finding": "pneumothorax", "category": _CANARY}]}
    assert ask("POST", f"/api/v1/assignments/{task}/reviews", json=wrong).is_client_error
    kept = ask("POST", f"/api/v1/assignments/{task}/reviews", json=remarks)
    assert kept.status_code == 201, kept.content


def _close_a_case(ask: Callable[..., httpx2.Response]) -> None:
    """The alarm of a chart, whose case is closed with a note."""
    versions = []
    for number in range(_CHARTED + 9):
        month = "2026-01-01" if number < _CHARTED else "2026-02-02"
        final = _FINAL if number % 10 == 0 or number >= _CHARTED else _PRELIMINARY
        examination = {"site": "chart", "accession": f"C{number}", "performed": f"{month}T00:00:00Z", "modality": "CR"}
        told = {"examinations": [examination], "source": "http"}
        versions += [
            {**told, "status": "preliminary", "text": _PRELIMINARY},
            {**told, "status": "final", "text": final},
        ]
    taken = ask("POST", "/api/v1/reports", json={"versions": versions})
    assert taken.is_success, taken.content
    [case, *_] = _awaited(lambda: ask("POST", "/api/v1/alarms").json()["cases"])
    closing = f"/api/v1/cases/{case['number']}/closing"
    assert ask("POST", closing, json={"outcome": _CANARY, "why": _REMARK}).status_code == 422
    assert ask("POST", closing, json={"outcome": "change", "why": _REMARK}).status_code == 200
    assert ask("POST", closing, json={"outcome": "change", "why": _REMARK}).status_code == 422


def _ask_wrongly(ask: Callable[..., httpx2.Response]) -> None:
    """Mistakes of every kind, each with the word in it."""
    wrong = [
        ask("GET", "/api/v1/pairs?importance=Qzxcanary"),
        ask("GET", "/api/v1/pairs?Qzxcanary=1"),
        ask("GET", "/api/v1/Qzxcanary"),
        ask("GET", f"/api/v1/examinations?site=north&accession={_PATIENT}"),
        ask("POST", "/api/v1/evaluate", content=b'{"pairs": "Qzxcanary', headers={"Content-Type": "application/json"}),
        ask("POST", "/api/v1/evaluate", json={"pairs": [{"id": "a", "reference": [_FINAL], "candidate": 5}]}),
        ask("POST", "/api/v1/reports", json={"versions": [{"status": "Qzxcanary", "text": _FINAL}]}),
        ask("POST", "/api/v1/batches", content=_FINAL.encode(), headers={"Content-Encoding": "qzxcanary"}),
        ask("GET", "/api/v1/pairs", headers={"Authorization": "Bearer orv_qzxcanary_qzxcanary"}),
        ask("GET", "/api/v1/pairs", headers={"Host": "qzxcanary.example", "X-Request-ID": "Qzxcanary, Ann"}),
        ask("POST", "/login", data={"key": "Qzxcanary"}),
        ask("DELETE", "/api/v1/pairs/Qzxcanary"),
    ]
    odd = [(answer.request.method, answer.request.url.path) for answer in wrong if answer.status_code >= 500]
    assert odd == []
