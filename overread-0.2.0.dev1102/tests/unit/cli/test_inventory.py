"""What a store holds and what a record is, on the command line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overread.cli.app import app
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult, Scale, Scored
from overread.domain.results.signature import Signature
from overread.infrastructure.serialise import result_schema
from overread.infrastructure.store import open_store


def test_the_schema_is_printed_and_written(tmp_path: Path) -> None:
    """The same as from Python."""
    printed = CliRunner().invoke(app, ["schema"])
    assert json.loads(printed.stdout) == result_schema()
    written = CliRunner().invoke(app, ["schema", "-o", str(tmp_path / "s.json")])
    assert written.exit_code == 0
    assert json.loads((tmp_path / "s.json").read_text(encoding="utf-8")) == result_schema()


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_history_shows_a_damaged_row_as_one(tmp_path: Path, form: str) -> None:
    """With what is wrong with it, beside those that hold."""
    path = tmp_path / "results.db"
    pairs = [ReportPair(id=name, reference=name, candidate="Clear.") for name in ("a1", "a2")]
    scale, signature = Scale(0.0, 1.0, higher_is_better=True), Signature("share")
    with open_store(path) as store:
        outcome = Scored(score=0.5)
        store.add(
            "run",
            pairs,
            [
                EvaluationResult(pair_id=p.id, metric="share", scale=scale, signature=signature, outcome=outcome)
                for p in pairs
            ],
        )
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE results SET score = 42.0 WHERE pair_name = 'a1'")
        connection.commit()
    shown = CliRunner().invoke(app, ["history", str(path), "-f", form])
    assert shown.exit_code == 0
    assert "damaged" in shown.stdout
    assert "digest" in shown.stdout
    assert "0.5" in shown.stdout
    assert "42" not in shown.stdout
