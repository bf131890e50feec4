"""`overread serve --demo` as somebody runs it: a process of its own, read from a pipe, ended by Ctrl-C."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections import Counter

import httpx2
import pytest

from ..hospital_day_expectations import expected_pairs, expected_refusals

_KINDS = {
    "preliminary-final": "preliminary against final",
    "draft-final": "model's draft against final",
    "final-corrected": "final against its correction",
}


@pytest.mark.slow
def test_the_whole_way_in_one_command() -> None:
    """It tells where the worklist is and the key to it, has the day, counts as the lists by hand do, and ends."""
    command = [sys.executable, "-m", "overread", "serve", "--demo", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("Ctrl-C"):
                break
        said = "\n".join(lines)
        url, key = (re.search(rf"^{name}\s+(\S+)$", said, re.MULTILINE) for name in ("worklist", "key"))
        assert url is not None
        assert key is not None
        page = httpx2.get(url[1], headers={"Authorization": f"Bearer {key[1]}"}, timeout=30, trust_env=False).text
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0

    assert "300 examinations, 632 messages" in said
    counts = Counter(_KINDS[pair.kind.value] for pair in expected_pairs())
    counts[_KINDS["preliminary-final"]] -= 1  # one report was withdrawn
    for kind, number in counts.items():
        assert f" {number}  {kind}" in said
    refused = [int(number) for number in re.findall(r"(\d+)  refused: ", said)]
    assert sum(refused) == len(expected_refusals())
    assert "not an autonomous clinical decision tool" in page
    assert page.count("NORTHGATE") > 10


@pytest.mark.slow
def test_the_month_in_one_command() -> None:
    """It tells where to look, scores the month, names the alarm of the model that gets worse and the silent day."""
    command = [sys.executable, "-m", "overread", "serve", "--demo", "month", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("Ctrl-C"):
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0

    said = "\n".join(lines)
    assert re.search(r"^worklist\s+http", said, re.MULTILINE)
    assert re.search(r"^major/model/B 2\.0 ", said, re.MULTILINE)
    assert "nothing came from SOUTH on 28 Oct" in said
