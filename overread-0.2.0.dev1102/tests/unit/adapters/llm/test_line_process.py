"""A process that answers lines: in time, or it is ended with all that it started."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from overread.adapters.llm.line_process import LineProcess, ProcessEndedError, TooSlowError

MODULE = """
import json, os, subprocess, sys, time

print("effusion", file=sys.stderr)
for line in sys.stdin:
    request = json.loads(line)
    if "sleep" in request:
        time.sleep(request["sleep"])
    if "exit" in request:
        os._exit(request["exit"])
    if "start" in request:
        child = subprocess.Popen(["sleep", "600"])
        request["started"] = child.pid
    print(json.dumps({**request, "variable": os.environ.get("OVERREAD_TEST")}), flush=True)
"""


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LineProcess]:
    (tmp_path / "answers_lines.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    process = LineProcess.start("answers_lines", "the process", OVERREAD_TEST="yes")
    yield process
    process.end()


def test_lines_are_answered_one_by_one(process: LineProcess, capfd: pytest.CaptureFixture[str]) -> None:
    """However long they are; what the process writes beside its answers is seen by nobody."""
    long = "x" * 10**6
    for text in ("one", long, "two"):
        assert process.exchange(json.dumps({"text": text}), 300) == {"text": text, "variable": "yes"}
    assert capfd.readouterr() == ("", "")
    assert "x" not in repr(process)


def test_an_end_is_told_with_its_status(process: LineProcess) -> None:
    """Also to whoever asks afterwards."""
    for _ in range(2):
        with pytest.raises(ProcessEndedError, match=r"^the process ended \(3\)$") as caught:
            process.exchange('{"exit": 3}')
        assert caught.value.status == 3


def test_a_late_answer_is_not_waited_for(process: LineProcess) -> None:
    """Only so long as was said."""
    start = time.monotonic()
    with pytest.raises(TooSlowError, match=r"no answer came within 0\.2 s"):
        process.exchange('{"sleep": 600}', 0.2)
    assert time.monotonic() - start < 100


def test_what_the_process_started_ends_with_it(process: LineProcess) -> None:
    """A child of it would go on with a report in its memory."""
    started = process.exchange('{"start": true}')["started"]
    assert Path(f"/proc/{started}").exists()
    process.end()
    assert process.process.returncode == -signal.SIGKILL
    for _ in range(1000):
        if _is_gone(started):
            return
        time.sleep(0.01)
    pytest.fail("the child of the process runs on")


def test_a_process_that_was_left_alone_runs_on(process: LineProcess) -> None:
    """It belongs to another, who alone ends it."""
    pid = process.process.pid
    process.disown()
    process.end()
    assert not _is_gone(pid)
    process.process.returncode = None
    process.process.kill()
    process.process.communicate()


def _is_gone(pid: int) -> bool:
    """Nobody may be there who takes note of an orphan's end."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state.rpartition(")")[2].split()[0] == "Z"
