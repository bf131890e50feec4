"""ReFiSco-v0 and RadPref from their published files to tables, on invented sets of their full size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner, Result

from overread.cli.app import app
from overread.domain.results.annotation import HumanBenchmark
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS

from ..corrections_data import REPORTS, SEVERAL, write_radpref, write_refisco

FEW = ("--draws", "40", "-f", "json")


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result


def record(*arguments: object) -> Mapping[str, Any]:
    told: Mapping[str, Any] = json.loads(run(*arguments, *FEW).stdout)
    return told


def scored(file: Path, benchmark: HumanBenchmark) -> tuple[Path, np.ndarray[Any, np.dtype[np.float64]]]:
    """A table of scores of every pair, by chance; more is worse."""
    scores = np.random.default_rng(5).random(len(benchmark.pairs))
    rows = [f"{pair.pair.id},{score!r}" for pair, score in zip(benchmark.pairs, scores.tolist(), strict=True)]
    file.write_text("\n".join(["id,mine", *rows]), encoding="utf-8")
    return file, scores


def results(file: Path, benchmark: HumanBenchmark) -> tuple[Path, np.ndarray[Any, np.dtype[np.float64]]]:
    """The same as results of a metric."""
    scores = np.random.default_rng(5).random(len(benchmark.pairs))
    lines = [
        {"id": pair.pair.id, "metric": "mine", "signature": "mine|1", "higher_is_better": False, "status": "scored"}
        | {"reason": None, "score": score, "subscores": {}, "discrepancies": []}
        for pair, score in zip(benchmark.pairs, scores.tolist(), strict=True)
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file, scores


@pytest.fixture(scope="module")
def refisco(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_refisco(tmp_path_factory.mktemp("refisco"))


@pytest.fixture(scope="module")
def radpref(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_radpref(tmp_path_factory.mktemp("radpref"))


def test_crepes_tables_are_made_of_refisco_as_released(refisco: Path, tmp_path: Path) -> None:
    """Each reference against the lines that its corrector found wrong; what was understood stands beside."""
    benchmark = BENCHMARKS["refisco"].read(refisco)
    file, scores = results(tmp_path / "mine.jsonl", benchmark)
    told = record("reproduce", "crepe", "--refisco", refisco, "--results", file)
    [row] = [row for row in told["tables"]["table-1"]["rows"] if row["row"] == "mine"]
    said = [np.nanmax(pair.ratings["total"]) for pair in benchmark.pairs]
    assert row["refisco_kendall"] == pytest.approx(stats.kendalltau(scores, said).statistic)
    understood = " ".join(told["understood"])
    assert f"{REPORTS} reports, by source: X-REM 60, CXR-RePaiR 60, Expert 18" in understood
    assert any(f"{SEVERAL} of {REPORTS} reports with several correctors" in note for note in told["notes"])


def test_the_reference_of_refisco_is_chosen(refisco: Path, tmp_path: Path) -> None:
    """Reports of studies with an expert's, each once, against the mean of all who graded it."""
    benchmark = BENCHMARKS["refisco"].read(refisco, reference="expert")
    file, scores = results(tmp_path / "mine.jsonl", benchmark)
    told = record("reproduce", "crepe", "--refisco", refisco, "--refisco-reference", "expert", "--results", file)
    [row] = [row for row in told["tables"]["table-1"]["rows"] if row["row"] == "mine"]
    said = [np.nanmean(pair.ratings["total"]) for pair in benchmark.pairs]
    assert row["refisco_kendall"] == pytest.approx(stats.kendalltau(scores, said).statistic)


def test_raters_of_refisco_are_held_against_each_other_report_by_report(refisco: Path, tmp_path: Path) -> None:
    """By scipy over the reports that both read; the number of references of a report does not matter."""
    benchmark = BENCHMARKS["refisco"].read(refisco)
    file, _ = scored(tmp_path / "mine.csv", benchmark)
    told = record("benchmark", "refisco", "--data", refisco, "--results", file, "--score-lower-is-better", "mine")
    sums: dict[str, dict[str, float]] = {}
    for pair in benchmark.pairs:
        for rater, value in zip(benchmark.raters, pair.ratings["severity_sum"], strict=True):
            if not np.isnan(value):
                sums.setdefault(rater, {})[pair.rated] = value
    both = sorted(sums["ann"].keys() & sums["bob"].keys())
    tau = stats.kendalltau([sums["ann"][name] for name in both], [sums["bob"][name] for name in both]).statistic
    [row] = [row for row in told["tables"]["raters-severity_sum"]["rows"] if row["rater"] == "ann"]
    assert row["rater-bob"] == pytest.approx(tau)


def test_greens_protocol_of_preferences_is_run_on_radpref(radpref: Path, tmp_path: Path) -> None:
    """The share of comparisons told as most raters tell them, by hand; no figure of the paper stands beside."""
    benchmark = BENCHMARKS["radpref"].read(radpref)
    file, scores = results(tmp_path / "mine.jsonl", benchmark)
    told = record("reproduce", "green", "--radpref", radpref, "--results", file)
    table = told["tables"]["table-7-radpref-preferences"]
    [row] = [row for row in table["rows"] if row["metric"] == "mine"]
    sides = [(np.sign(np.sum(each.votes)), place) for place, each in enumerate(benchmark.preferences)]
    right = [side * (scores[2 * place + 1] - scores[2 * place]) > 0 for side, place in sides if side]
    assert row["accuracy"]["value"] == pytest.approx(np.mean(right))
    assert row["comparisons"] == len(right)
    assert not any("paper" in column for column in row)
    assert "RadPref is not a set of GREEN's paper, which has no figures for it" in told["notes"]


@pytest.mark.parametrize(("context", "keys"), [("with", {"age", "sex", "indication"}), ("without", set())])
def test_the_patient_is_exported_with_the_pairs_or_not(
    radpref: Path, tmp_path: Path, context: str, keys: set[str]
) -> None:
    """What metrics are told, and nothing else of the patient."""
    file = tmp_path / "pairs.jsonl"
    run("benchmark", "radpref", "--data", radpref, "--context", context, "--export", file)
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert all(set(line) & {"age", "sex", "indication"} == keys for line in told)
