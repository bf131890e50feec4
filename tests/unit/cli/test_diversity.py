"""Diversity and support beside means: what `overread corpus` tells, keeps and shows later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import overread
from overread.cli.app import app
from overread.infrastructure.files.completeness import completeness_file, read_completeness

SIZES = range(1, 41)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, candidate in (("varied", "Nodule of {} mm on the left."), ("template", "No acute disease.")):
        rows = [f"p{n},Nodule of {n} mm in the right lobe.,{candidate.format(n)}" for n in SIZES]
        Path(f"{name}.csv").write_text("\n".join(["id,reference,candidate", *rows, "bad,,"]), encoding="utf-8")


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done


def score(name: str, *options: str, output: str = "") -> str:
    return run("corpus", f"{name}.csv", "-o", output or f"{name}.jsonl", "-m", "rouge", *options).stderr


def table(name: str, *arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run(*arguments, "-f", "json").stdout)["tables"][name]["rows"]
    return rows


def test_a_template_is_told_at_the_end_of_a_run() -> None:
    """In one line, with the figures above it; of reports as varied as the references nothing is said."""
    told = score("template")
    assert "over 40 scored of 41 pairs; 1 unscored (empty 1)" in told
    assert "candidates 2.5 % distinct" in told
    [warning] = [line for line in told.splitlines() if "warning" in line]
    assert "repeat one another far more than the references do" in warning
    assert "warning" not in score("varied")


def test_workers_shards_and_streams_find_the_same() -> None:
    """The record is the same byte for byte, and a stream tells the same words."""
    score("template", "--shard-rows", "8")
    first = completeness_file(Path("template.jsonl")).read_bytes()
    score("template", "--shard-rows", "8", "--workers", "2", output="again.jsonl")
    assert completeness_file(Path("again.jsonl")).read_bytes() == first
    streamed = run("corpus", "template.csv", "-o", "-", "-m", "rouge").stderr
    assert "candidates 2.5 % distinct" in streamed
    assert "template" not in json.dumps(json.loads(first)["diversity"])


def test_where_rows_are_read_elsewhere_they_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by an engine on another machine, whose reader's memory nobody sees."""
    score("template")
    known = read_completeness(Path("template.jsonl"))
    monkeypatch.setattr("overread.application.scoring.corpus_run.watch_rows", lambda _, read: read())
    score("template", output="again.jsonl")
    again = read_completeness(Path("again.jsonl"))
    assert known is not None
    assert again is not None
    assert again.diversity == known.diversity is not None


def test_every_table_of_means_has_them_beside() -> None:
    """Of a comparison, a leaderboard, its site and a summary; the warning is a note."""
    score("varied")
    score("template")
    for command in ("compare", "leaderboard"):
        arguments = (command, "varied.jsonl", "template.jsonl", "--draws", "50")
        assert [row["texts"] for row in table("diversity", *arguments)] == ["varied", "template", "references"]
        assert [(row["scored"], row["of"]) for row in table("support", *arguments)] == [(40, 41)] * 2
    assert [row["texts"] for row in table("diversity", "summary", "template.jsonl", "--draws", "50")] == [
        "candidates",
        "references",
    ]
    run("leaderboard", "varied.jsonl", "template.jsonl", "--draws", "50", "--site", "site")
    site = json.loads(Path("site/leaderboard.json").read_text(encoding="utf-8"))
    assert {"support", "diversity"} <= site["tables"].keys()
    assert any("template: the candidates repeat" in note for note in site["notes"])
    [page] = Path("site/systems").glob("template*.html")
    assert "Diversity of the wording" in page.read_text(encoding="utf-8")


def test_results_of_an_earlier_overread_have_none() -> None:
    """Their record says nothing of it, and no table is there."""
    score("varied")
    record = completeness_file(Path("varied.jsonl"))
    known = json.loads(record.read_text(encoding="utf-8"))
    del known["diversity"]
    record.write_text(json.dumps(known), encoding="utf-8")
    found = json.loads(run("summary", "varied.jsonl", "--draws", "50", "-f", "json").stdout)
    assert list(found["tables"]) == ["means", "unscored"]


def test_in_python_results_know_their_pairs() -> None:
    """From results at hand, frames, pages and rankings tell the same; results from a file do not know."""
    candidates = {"varied": [f"Nodule of {n} mm." for n in SIZES], "template": ["No acute disease."] * len(SIZES)}
    systems = {
        name: overread.score_many(
            references=[f"Nodule of {n} mm in the right lobe." for n in SIZES], candidates=texts, metrics="rouge"
        )
        for name, texts in candidates.items()
    }
    found = systems["template"].diversity()
    assert found is not None
    assert found.is_collapsed
    frame = systems["template"].summary_frame().set_index("figure")
    assert frame.loc["candidates_distinct", "value"] == 1 / len(SIZES)
    page = systems["template"].to_html()
    assert "40 of 40" in page
    assert "repeat one another" in page
    assert overread.rank(systems, draws=50).table("diversity").rows[1][0] == "template"
