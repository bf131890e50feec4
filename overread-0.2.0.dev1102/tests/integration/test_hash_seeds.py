"""Results do not depend on the order of sets, which is another in every process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import overread

_DIFFERED: Final = ("g100a", "g149b", "g179b", "g326a", "g326b", "g326c")
"""Pairs of which the last bit of a score was once another under another seed."""

_EVERY: Final = 40
_METRICS: Final = ("notation", "radot", "labels", "graph")

_SCORING: Final = """
import json, sys
import overread
from overread.infrastructure.serialise import explanation_record

pairs = [*overread.read_pairs(sys.argv[1])]
for results in overread.open_service(metrics=sys.argv[2:]).stream(pairs):
    for result in results.values():
        print(json.dumps(explanation_record(result)))
"""


def _gold() -> list[dict[str, Any]]:
    """Candidates of the open part of the gold corpus: those that once differed, and some of the others."""
    text = (files("overread.studies.infrastructure.datasets") / "gold" / "open.jsonl").read_text("utf-8")
    rows = [
        {"id": each["id"], "reference": study["reference"], "candidate": each["candidate"], "age": study.get("age")}
        for study in map(json.loads, text.splitlines())
        for each in study["candidates"]
    ]
    return [row for number, row in enumerate(rows) if row["id"] in _DIFFERED or number % _EVERY == 0]


def _scored(pairs: Path, seed: str) -> list[str]:
    command = [sys.executable, "-c", _SCORING, str(pairs), *_METRICS]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()


def test_results_and_what_they_rest_on_are_the_same_under_every_hash_seed(tmp_path: Path) -> None:
    """Scores, subscores, discrepancies and evidence are equal to the last byte in two processes."""
    path = tmp_path / "pairs.jsonl"
    rows = _gold()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    first, second = _scored(path, "1"), _scored(path, "2")
    assert len(first) == len(rows) * len(_METRICS)
    assert first == second


def test_metrics_named_in_a_set_come_in_the_order_of_their_names() -> None:
    """A resumed run compares the order of its metrics with that of the run before."""
    named: Any = frozenset({"rouge", "bleu", "notation"})
    for settings, metrics in ((None, named), (overread.Settings(metrics=named), None)):
        service = overread.open_service(settings, metrics=metrics)
        assert [metric.name for metric in service.metrics] == ["bleu", "notation", "rouge"]
