"""`overread reproduce radot`: from the published files to the paper's tables, on invented sets of the same layout."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from scipy import stats
from typer.testing import CliRunner, Result

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.published_units.extractor import open_published
from overread.bootstrap.interface import score_many
from overread.cli.app import app
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import load_settings
from overread.studies.bootstrap.fits import fit_readout
from overread.studies.infrastructure.datasets.annotated_sets.rexval import read_rexval

from ..benchmarks_data import INSIGNIFICANT, SCORES, SIGNIFICANT, write_radevalx, write_rexerr, write_rexval

TARGETS = ("total", "significant", "insignificant")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three sets, small."""
    folder = tmp_path_factory.mktemp("sets")
    write_rexval(folder / "rexval", studies=6)
    write_radevalx(folder / "radevalx", pairs=20)
    write_rexerr(folder / "rexerr", pairs=5)
    return folder


@pytest.fixture(scope="module")
def all_tables(folder: Path) -> Mapping[str, Any]:
    """Every table as JSON, with CSV files and the page written beside."""
    sets = [part for name in ("rexval", "radevalx", "rexerr") for part in (f"--{name}", folder / name)]
    result = reproduce(
        *sets, "--draws", "100", "-o", f"{folder}/csv/", "-o", folder / "page.html", "-o", "-", "-f", "json"
    )
    assert result.exit_code == 0, result.output
    record: Mapping[str, Any] = json.loads(result.stdout)
    return record


def reproduce(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["reproduce", "radot", *map(str, arguments)])


def rows(record: Mapping[str, Any], table: str) -> dict[str, Mapping[str, Any]]:
    return {row["row"]: row for row in record["tables"][table]["rows"]}


def columns(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    return {name: [row[name] for row in read] for name in read[0]}


def errors(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    """RadEvalX's counts summed over the eight categories, straight from its two files."""
    counted = {}
    for target in ("significant", "insignificant"):
        table = columns(folder / "radevalx" / {"significant": SIGNIFICANT, "insignificant": INSIGNIFICANT}[target])
        counted[target] = np.array([table[str(place)] for place in range(1, 9)], dtype=np.float64).sum(axis=0)
    return {"total": counted["significant"] + counted["insignificant"], **counted}


def test_every_table_is_made_with_the_papers_figures_beside(all_tables: Mapping[str, Any], folder: Path) -> None:
    """One CSV file a table, and a page with each title."""
    names = set(all_tables["tables"])
    assert {"table-i", "table-iii", "table-iv", "table-iv-rexerr", "table-v", "table-vi", "table-vii"} < names
    assert {"table-viii", "table-x", "table-x-best", "table-x-radevalx", "table-xi", "fifths", "intervals"} < names
    assert {path.stem for path in (folder / "csv").glob("*.csv")} == names
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert all(f"Table {number}" in page for number in ("I", "III", "IV", "V", "VI", "VII", "VIII", "X", "XI"))
    assert rows(all_tables, "table-iii")["RadOT-Eval"]["total_paper"] == 0.715
    assert rows(all_tables, "table-iii")["GNN discrepancy model (our reconstruction)"]["total"] is not None
    assert "GNN discrepancy model (our reconstruction)" in page
    assert rows(all_tables, "table-v")["Partial OT variant"]["macro"] is not None
    assert all_tables["facts"]["refit"].endswith("differ by 0")


def test_provided_metrics_rank_as_scipy_says(all_tables: Mapping[str, Any], folder: Path) -> None:
    """Spearman's correlation of 1 - score, of RadCliQ as it is, with the errors counted."""
    counted, scores = errors(folder), columns(folder / "radevalx" / SCORES)
    named = {"BLEU-4": "bleu4", "BLEU-2": "bleu_2", "BERTScore": "bertscore", "CheXbert": "CheXbert"}
    named |= {"RadGraph-F1": "radgraph_f1", "RadCliQ": "radcliq"}
    table = rows(all_tables, "table-iii")
    for system, column in named.items():
        values = np.array(scores[column], dtype=np.float64)
        badness = values if system == "RadCliQ" else 1 - values
        for target in TARGETS:
            assert table[system][target] == pytest.approx(stats.spearmanr(badness, counted[target]).statistic)


def test_the_selected_system_is_what_fit_readout_and_radot_make(all_tables: Mapping[str, Any], folder: Path) -> None:
    """The same coefficients by `overread fit readout`, the same risks by the metric radot, the figures by scipy."""
    known = read_rexval(folder / "rexval")
    labelled = [
        evolve(rated, ratings={target: (float(np.sum(rated.ratings[target])),) for target in TARGETS})
        for rated in known.pairs
    ]
    fitted = fit_readout(load_settings(), labelled, kind="paper")
    chosen = fitted.record["aligner"]
    assert all_tables["facts"]["selected"] == f"{chosen['prior']}, {chosen['epsilon']:.2f}"
    file = folder / "readout.json"
    file.write_text(json.dumps(fitted.record), encoding="utf-8")
    settings = load_settings(overrides=["radot=paper", f"readout=paper:{file}"])
    texts = columns(folder / "radevalx" / SIGNIFICANT)
    pairs = [
        {"id": name, "reference": reference, "candidate": candidate}
        for name, reference, candidate in zip(
            texts["report_id"], texts["ground_truth"], texts["M2Tr-Generation"], strict=True
        )
    ]
    results = [outcome["radot"] for outcome in score_many(pairs, metrics=["radot"], settings=settings)]
    counted = errors(folder)
    third, tenth = rows(all_tables, "table-iii")["RadOT-Eval"], rows(all_tables, "table-x-radevalx")
    for target in TARGETS:
        risk = np.array([result.subscores[target] for result in results])
        assert third[target] == pytest.approx(stats.spearmanr(risk, counted[target]).statistic)
        measures = tenth[target.capitalize()]
        assert measures["kendall"] == pytest.approx(stats.kendalltau(risk, counted[target]).statistic)
        assert measures["pearson"] == pytest.approx(stats.pearsonr(risk, counted[target]).statistic)
        assert measures["mae"] == pytest.approx(np.abs(risk - counted[target]).mean())


def test_results_of_green_fill_its_rows(folder: Path) -> None:
    """A result file gives the risk 1 - GREEN and the count of significant errors."""
    counted = errors(folder)
    identifiers = columns(folder / "radevalx" / SIGNIFICANT)["report_id"]
    lines = [
        {
            "id": name,
            "metric": "green",
            "signature": "green|invented",
            "status": "scored",
            "score": 1 / (1 + total),
            "range": [0, 1],
            "higher_is_better": True,
            "subscores": {"significant": significant},
        }
        for name, total, significant in zip(identifiers, counted["total"], counted["significant"], strict=True)
    ]
    file = folder / "green.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    sets = ("--rexval", folder / "rexval", "--radevalx", folder / "radevalx")
    result = reproduce(*sets, "--results", file, "--table", "iii", "--draws", "10", "-f", "json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert set(record["tables"]) == {"table-iii", "intervals"}
    table = rows(record, "table-iii")
    assert table["GREEN risk"]["total"] == pytest.approx(1.0)
    assert table["GREEN native count"]["significant"] == pytest.approx(1.0)


def test_with_rexval_alone_the_selection_is_shown(folder: Path) -> None:
    """On a terminal of 80 columns; what needs RadEvalX says so."""
    result = reproduce("--rexval", folder / "rexval", "--table", "X")
    assert result.exit_code == 0, result.output
    assert "polarity-heavy, 0.20" in result.stdout
    assert "RadEvalX was not given" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_settings_that_the_protocol_does_not_use_are_named(folder: Path) -> None:
    """Its plans are the paper's, whatever aligner is chosen."""
    arguments = ("--rexval", folder / "rexval", "--table", "I", "-f", "json")
    chosen, plain = reproduce(*arguments, "--set", "aligner=partial"), reproduce(*arguments)
    assert json.loads(chosen.stdout)["tables"] == json.loads(plain.stdout)["tables"]
    assert any("settings of aligner are not used" in note for note in json.loads(chosen.stdout)["notes"])


def test_what_cannot_be_done_is_refused_before_the_work(folder: Path) -> None:
    """A page over the data, an unknown table, results without their set or of other pairs, and what is no ReXVal."""
    rexval, sets = ("--rexval", folder / "rexval"), ("--radevalx", folder / "radevalx")
    data = next((folder / "rexval").rglob("*.csv"))
    assert "is a file of the input folder" in str(reproduce(*rexval, "-o", data).exception)
    assert "is a file" in str(reproduce(*rexval, "-f", "csv", "-o", data).exception)
    unknown = reproduce(*rexval, "--table", "II")
    assert isinstance(unknown.exception, ConfigurationError)
    assert "no table 'II'" in str(unknown.exception)
    other = folder / "other.jsonl"
    line = {"id": "x", "metric": "green", "signature": "s", "status": "scored", "score": 1.0, "higher_is_better": True}
    other.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert "needs `radevalx`" in str(reproduce(*rexval, "--results", other).exception)
    strange = reproduce(*rexval, *sets, "--results", other, "--table", "III").exception
    assert isinstance(strange, InputError)
    assert "holds none of RadEvalX's pairs" in str(strange)
    assert isinstance(reproduce("--rexval", folder / "rexerr").exception, InputError)


@pytest.mark.slow
def test_published_units_are_taken_with_the_sets(folder: Path, shipped_reader: MedspacyUnitExtractor) -> None:
    """A table with the fields of Table IX and no texts: its reports are found by the words of their units."""
    known = read_rexval(folder / "rexval")
    published: list[dict[str, object]] = []
    for rated in known.pairs:
        for role, report in (("reference", rated.pair.reference), ("candidate", rated.pair.candidate)):
            (units,) = shipped_reader.extract([report])
            assert isinstance(units, tuple)
            published += [
                {
                    "pair_id": rated.pair.id,
                    "role": role,
                    "span_text": unit.span_text,
                    "canonical_finding": unit.canonical_finding,
                    "polarity": unit.polarity.value,
                    "uncertainty": unit.certainty or "definite",
                    "attributes.severity": unit.severity or "",
                    "anatomy": "|".join(sorted(unit.anatomy)),
                }
                for unit in units
            ]
    table = folder / "published.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(published[0]))
        writer.writeheader()
        writer.writerows(published)
    extractor = open_published(table, None, None)
    for report in {report for rated in known.pairs for report in (rated.pair.reference, rated.pair.candidate)}:
        found, read = (each.extract([report])[0] for each in (extractor, shipped_reader))
        assert isinstance(found, tuple)
        assert isinstance(read, tuple)
        assert [u.canonical_finding for u in found if u.canonical_finding] == [
            u.canonical_finding for u in read if u.canonical_finding
        ]
    result = reproduce(
        *("--rexval", folder / "rexval", "--table", "I", "--set", f"extractor=table:{table}"), "-o", "-", "-f", "json"
    )
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert rows(record, "table-i")["ReXVal"]["pairs"] == len(known.pairs)
    assert record["facts"]["extractor"].startswith("table@")
    (note,) = [note for note in record["notes"] if note.startswith("units: published.csv: one unit a row")]
    assert "by the words of their units" in note
