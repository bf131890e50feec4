"""`overread summary` of results: figures from files as `overread corpus` writes them, without a report."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from overread.cli.app import app

PAIRS = (
    "id,study,reference,candidate\n"
    "a,1,Cardiomegaly. No pneumothorax.,Cardiomegaly. No pneumothorax.\n"
    "b,1,Large right pneumothorax. The heart is normal.,Large left pneumothorax. The heart is normal.\n"
    "c,2,No pneumothorax. The lungs are clear.,Pulmonary edema. No pneumothorax.\n"
    "d,3,,\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text(PAIRS, encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def scored(name: str, *metrics: str) -> str:
    options = [part for metric in metrics for part in ("-m", metric)]
    done = run("corpus", "pairs.csv", "-o", name, "--shard-rows", "2", *options)
    assert done.exit_code == 0, done.output
    return done.stderr


def record(*arguments: str) -> dict[str, Any]:
    done = run("summary", *arguments, "-f", "json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def figures(found: dict[str, Any]) -> dict[str, tuple[float, int | None, int]]:
    rows = found["tables"]["figures"]["rows"]
    return {row["figure"]: (round(row["value"]["value"], 3), row["count"], row["of"]) for row in rows}


@pytest.mark.parametrize("name", ["results.jsonl", "results.parquet"])
def test_the_figures_of_a_file(name: str) -> None:
    """Two errors in three reports; of two findings one is stated on its side; of three one is borne out."""
    told = scored(name, "notation")
    found = record(name, "--pairs", "pairs.csv")
    assert figures(found) == {
        "actionable errors a report": (0.667, 2, 3),
        "actionable findings stated": (0.5, 1, 2),
        "actionable findings borne out": (0.333, 1, 3),
        "reports without a significant error": (0.333, 1, 3),
        "candidates' words unread": (0.0, None, 3),
        "references' words unread": (0.0, None, 3),
    }
    words = " ".join(told.split())
    assert "0.67 actionable errors a report; 50.0 % of actionable findings stated" in words
    assert max(map(len, told.splitlines())) <= 80
    Path("pairs.csv").unlink()
    assert figures(record(name)) == figures(found)


def test_intervals_go_by_the_studies_of_the_pairs() -> None:
    """The facts say by what, and a note says what is missing where nothing is known of studies."""
    scored("results.jsonl", "notation")
    with_studies, without = record("results.jsonl", "--pairs", "pairs.csv"), record("results.jsonl")
    assert (with_studies["facts"]["intervals"], with_studies["notes"]) == ("95 %, by study", [])
    assert without["facts"]["intervals"] == "95 %, by pair"
    assert "column study" in without["notes"][0]


def test_corpus_bleu_is_told_beside_the_mean() -> None:
    """At the end of the run and in the summary, under a name of its own."""
    pytest.importorskip("sacrebleu", reason="needs the extra: baselines")
    told = scored("results.jsonl", "bleu")
    [row] = record("results.jsonl")["tables"]["figures"]["rows"]
    [mean] = record("results.jsonl")["tables"]["means"]["rows"]
    assert row["figure"] == "corpus-level BLEU"
    assert row["value"]["value"] != pytest.approx(mean["mean"]["value"])
    assert f"bleu: corpus-level BLEU {row['value']['value']:.4f}" in told


def test_text_csv_and_page() -> None:
    """Text fits 80 columns, CSV has a line a cell, and a page can be written."""
    scored("results.jsonl", "notation", "radot")
    text = run("summary", "results.jsonl").stdout
    tables = text.partition("pairs: ")[0]
    assert "Figures of the corpus" in tables
    assert max(map(len, tables.splitlines())) <= 80
    cells = list(csv.DictReader(run("summary", "results.jsonl", "-f", "csv").stdout.splitlines()))
    assert any((cell["table"], cell["column"], cell["low"] != "") == ("figures", "value", True) for cell in cells)
    assert run("summary", "results.jsonl", "-o", "page.html").exit_code == 0
    assert "Figures of the corpus" in Path("page.html").read_text(encoding="utf-8")


def test_one_metric_can_be_chosen() -> None:
    """And one that is not there is named."""
    scored("results.jsonl", "notation", "radot")
    assert [row["metric"] for row in record("results.jsonl", "-m", "radot")["tables"]["means"]["rows"]] == ["radot"]
    assert "crepe: not in results" in str(run("summary", "results.jsonl", "-m", "crepe").exception)


def test_options_of_the_other_kind_of_file_are_refused() -> None:
    """A result file is not asked about, and pairs have no figures."""
    scored("results.jsonl", "notation")
    assert "--only-kept is of a file of pairs" in str(run("summary", "results.jsonl", "--only-kept").exception)
    assert "--pairs is of a file of results" in str(run("summary", "pairs.csv", "--pairs", "pairs.csv").exception)


def test_a_file_of_nothing_scored_ends_with_its_status() -> None:
    """The share of unscored pairs that is allowed holds here, too."""
    scored("results.jsonl", "notation")
    assert run("summary", "results.jsonl", "--max-unscored", "0").exit_code == 3


def test_figures_of_labels_are_told_at_the_end_of_a_run(tmp_path: Path) -> None:
    """As summary has them."""
    path = tmp_path / "pairs.csv"
    path.write_text("id,reference,candidate\n1,Edema.,Edema.\n2,Pneumonia.,No pneumonia.\n", encoding="utf-8")
    told = CliRunner().invoke(app, ["corpus", str(path), "-o", str(tmp_path / "r.jsonl"), "-m", "labels"]).output
    # Of two labels of the references and two of the candidates one is shared: 1 hit, 1 false (no finding), 1 missed.
    figures = "labels: micro F1-14 0.5000; macro F1-14 0.0714; micro F1-5 1.0000; macro F1-5 0.2000"
    assert figures in " ".join(told.split())
