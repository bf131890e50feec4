"""A judged run that is killed in the middle: what was answered is kept, and nothing of it is asked again."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest

from ..servers import Received, Reply, ScriptedServer, answer, scripted

PAIRS: Final = 80
WAIT_S: Final = 0.02
KILLED_AFTER: Final = (36, 24)
_LONGEST_S: Final = 300.0

NOTATION: Final = """[Explanation]:
{}
[Clinically Significant Errors]:
(c) Wrong location: {errors}
[Clinically Insignificant Errors]:
(c) Wrong location: 0
[Matched Findings]:
1. nodule
"""


def digest(received: Received) -> str:
    return hashlib.sha256(json.dumps(received.body["messages"]).encode()).hexdigest()


def judged(received: Received) -> Reply:
    """One error in every second pair; every fifth answer cannot be read until it is asked for again."""
    reports = json.dumps(received.body["messages"])
    match = re.search(r"Nodule of (\d+) mm", reports)
    assert match is not None
    number, asked_again = int(match[1]), any(m["role"] == "assistant" for m in received.body["messages"])
    if number % 5 == 0 and not asked_again:
        return answer(f"I would say {digest(received)}", wait_s=WAIT_S)
    return answer(NOTATION.format(digest(received), errors=number % 2), wait_s=WAIT_S)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """80 pairs, not in the order of their numbers."""
    path = tmp_path / "pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "reference", "candidate"])
        for n in (7 * n % PAIRS for n in range(PAIRS)):
            writer.writerow([f"p{n}", f"Nodule of {n} mm in the right lung.", f"Nodule of {n} mm in the left lung."])
    return path


def command(pairs: Path, output: Path, server: ScriptedServer) -> list[str]:
    chosen = ("--set", "model=openai:any", "--set", f"model.base_url={server.url}")
    return [sys.executable, "-m", "overread", "corpus", str(pairs), "-o", str(output), "-m", "green", *chosen]


def run(pairs: Path, output: Path, server: ScriptedServer) -> str:
    """Runs to the end; what was said on standard error."""
    done = subprocess.run(
        command(pairs, output, server),
        capture_output=True,
        text=True,
        check=False,
        timeout=_LONGEST_S,
        env=_environment(),
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def run_and_kill(pairs: Path, output: Path, after: int) -> None:
    """Kills the process once it has asked for more than so many answers: the server holds back all after those."""
    reached, killed = Event(), Event()

    def script(received: Received) -> Reply:
        if len(server.received) > after:
            reached.set()
            killed.wait()
        return judged(received)

    with scripted(script) as server:
        process = subprocess.Popen(command(pairs, output, server), env=_environment(), stderr=subprocess.DEVNULL)
        assert reached.wait(_LONGEST_S)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        killed.set()


def kept_texts(output: Path) -> list[str]:
    with closing(sqlite3.connect(output.with_name(f"{output.name}.answers.sqlite"))) as connection:
        return [text.decode() for (text,) in connection.execute("SELECT text FROM answers")]


def lines(output: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("OVERREAD_", "OPENAI_"))}


def _digests(texts: Sequence[str]) -> set[str]:
    return {match[0] for text in texts for match in [re.search(r"[0-9a-f]{64}", text)] if match}


def test_a_killed_run_is_resumed_without_asking_again(pairs: Path, tmp_path: Path) -> None:
    """Wherever it is killed: kept answers are used, the order is the input's, and the output an undisturbed run's."""
    with scripted(judged) as undisturbed:
        run(pairs, tmp_path / "whole.jsonl", undisturbed)
    all_asked = {digest(received) for received in undisturbed.received}
    assert len(undisturbed.received) == len(all_asked) == PAIRS + PAIRS // 5
    output = tmp_path / "out.jsonl"
    for after in KILLED_AFTER:
        run_and_kill(pairs, output, after)
        assert not output.exists()
    kept = _digests(kept_texts(output))
    assert 0 < len(kept) < len(all_asked)
    with scripted(judged) as server:
        told = run(pairs, output, server)
    asked = [digest(received) for received in server.received]
    assert sorted(asked) == sorted(all_asked - kept)
    assert f"answers: {len(asked)} asked now" in told
    assert _digests(kept_texts(output)) == all_asked
    assert [result["id"] for result in lines(output)] == [f"p{7 * n % PAIRS}" for n in range(PAIRS)]
    assert [result["score"] for result in lines(output)] == [1 / (1 + 7 * n % 2) for n in range(PAIRS)]
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
