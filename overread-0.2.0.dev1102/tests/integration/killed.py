"""Runs of `overread corpus` in processes of their own, with a metric that takes its time and dies where it is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from attrs import define, field

PLUGIN = '''
"""A metric that scores the length of a candidate, a thousandth of a second each; one that reads "die" kills
its process.

At the pair that HOLD names it waits to be killed.
"""

import os, pathlib, signal, time

from overread.domain.results.result import Scale, Scored, Unscored
from overread.plugins import hookimpl
from overread.plugins.specs import MetricSpec

MARK = pathlib.Path(__file__).with_name("died")

class Slow:
    signature_parts = (("pace", "slow"),)

    def evaluate(self, pairs):
        return [self.outcome(pair) for pair in pairs]

    def outcome(self, pair):
        time.sleep(3600 if pair.id == os.environ.get("HOLD") else 0.001)
        text = pair.candidate.text
        if text == "die" or (text == "die once" and not MARK.exists()):
            MARK.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Scored(score=len(text) / 7) if len(text) % 5 else Unscored("odd", "a length of five")

@hookimpl
def overread_metrics():
    yield MetricSpec(
        name="slow", version="1", summary="slow", scale=Scale(0.0, 1e6, higher_is_better=True),
        factory=lambda options, components: Slow(),
    )
'''

_PYTHONPATH: Final = os.environ.get("PYTHONPATH", "").split(os.pathsep)
_LONGEST_S: Final = 300.0


@define
class Runs:
    """A folder with pairs and an installed plugin, in which commands are run."""

    folder: Path
    last: str = ""
    told: dict[str, str] = field(factory=dict)

    @classmethod
    def make(cls, folder: Path, pairs: int, special: dict[int, str] | None = None) -> Runs:
        """Pairs whose candidates differ in length; ``special`` gives the candidate of some."""
        installed = folder / "site" / "overread_slow-1.0.dist-info"
        installed.mkdir(parents=True)
        (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: overread-slow\nVersion: 1.0\n")
        (installed / "entry_points.txt").write_text("[overread]\nslow = overread_slow\n")
        (folder / "site" / "overread_slow.py").write_text(PLUGIN)
        made = cls(folder)
        made.write(pairs, special)
        return made

    def write(self, pairs: int, special: dict[int, str] | None = None) -> None:
        texts = {n: "é" * (n % 23) for n in range(pairs)} | (special or {})
        rows = [{"id": f"p{n}", "reference": f"Nodule of {n} mm.", "candidate": text} for n, text in texts.items()]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (self.folder / "pairs.jsonl").write_text(lines, encoding="utf-8")
        self.last = rows[-1]["id"]

    def start(self, output: str, *arguments: str, hold: str = "", **options: Any) -> subprocess.Popen[str]:
        """``hold`` is the pair that is never scored."""
        command = [sys.executable, "-m", "overread", "corpus", "pairs.jsonl", "-o", output, "-m", "slow", *arguments]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OVERREAD_")}
        environment["PYTHONPATH"] = os.pathsep.join([str(self.folder / "site"), *_PYTHONPATH])
        environment["HOLD"] = hold
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            **options,
        )

    def run(self, output: str, *arguments: str, status: int = 0, **options: Any) -> str:
        """Runs to the end; what was said on standard error."""
        process = self.start(output, *arguments, **options)
        _, told = process.communicate(timeout=_LONGEST_S)
        assert process.returncode == status, told
        self.told[output] = told
        return told

    def stop(self, output: str, when: Callable[[Path], bool], *arguments: str, by: signal.Signals) -> str:
        """Sends a signal once the shards look so, before all is scored; what was said on standard error."""
        process = self.start(output, *arguments, hold=self.last)
        deadline = time.monotonic() + _LONGEST_S
        while not when(self.folder / f"{output}.partial") and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(by)
        _, told = process.communicate(timeout=_LONGEST_S)
        assert process.returncode != 0, told
        return told
