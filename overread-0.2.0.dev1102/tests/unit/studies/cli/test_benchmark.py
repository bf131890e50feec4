"""`overread benchmark SET`: from the published files to tables, on invented sets of the same layout."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from typer.testing import CliRunner, Result

from overread.cli.app import app
from overread.cli.naming import option_name
from overread.domain.results.annotation import HumanBenchmark
from overread.exceptions import OverreadError
from overread.studies.bootstrap import studies
from overread.studies.cli.study import say_understood
from overread.studies.infrastructure.datasets.annotated_sets import BENCHMARKS

from ....benchmarks_data import write_radevalx, write_rexerr, write_rexval
from ..infrastructure.datasets.annotated_sets.test_round_trip import DATA

FEW = ("--draws", "50")


@pytest.fixture(scope="module")
def rexval(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rexval(tmp_path_factory.mktemp("rexval"), studies=6)


@pytest.fixture(scope="module")
def radevalx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_radevalx(tmp_path_factory.mktemp("radevalx"), pairs=12)


def benchmark(name: str, *arguments: object) -> Result:
    return CliRunner().invoke(app, ["benchmark", name, *map(str, arguments)])


def refused(name: str, *arguments: object) -> str:
    """What the command line says of an error that ends it."""
    result = benchmark(name, *arguments)
    assert isinstance(result.exception, OverreadError)
    return str(result.exception)


def judged(name: str, *arguments: object) -> dict[str, Any]:
    result = benchmark(name, *arguments, *FEW, "-f", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def rows(record: dict[str, Any], table: str) -> dict[str, dict[str, Any]]:
    """The rows of a table by metric."""
    return {row["metric"]: row for row in record["tables"][table]["rows"]}


def exported(name: str, data: Path, file: Path) -> list[dict[str, Any]]:
    result = benchmark(name, "--data", data, "--export", file)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def plain_scores(file: Path, pairs: list[dict[str, Any]], metric: str, values: list[float | None]) -> Path:
    """A file of results as `overread corpus` writes it, as far as it is read here."""
    made = [
        {"id": pair["id"], "metric": metric, "signature": f"{metric}|1", "higher_is_better": True, "range": [0, 1]}
        | ({"status": "scored", "score": value} if value is not None else {"status": "unscored", "score": None})
        | {"reason": None if value is not None else "too long", "subscores": {}, "discrepancies": []}
        for pair, value in zip(pairs, values, strict=True)
    ]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in made), encoding="utf-8")
    return file


def test_what_was_understood_is_told_before_the_figures(rexval: Path) -> None:
    """On standard error, so that a pipe takes the figures alone; the record has the same lines."""
    result = benchmark("rexval", "--data", rexval, "--metric", "bleu", *FEW, "-f", "json")
    told = result.stderr.splitlines()
    assert told[0].startswith(
        "rexval: 50_samples_gt_and_candidates.csv, 6 studies: study_number from study_id, gt_report"
    )
    assert "rexval: 6 studies, 24 pairs, 6 raters; targets: total" in result.stderr
    record = json.loads(result.stdout)
    assert [f"rexval: {line}" for line in record["understood"]] == told[: len(record["understood"])]


def test_every_set_has_a_command() -> None:
    """With --data, and the options of its reader."""
    for form in BENCHMARKS.values():
        result = benchmark(form.name, "--help")
        assert result.exit_code == 0, form.name
        assert "--data" in result.stdout
        assert all(option_name(option.name) in result.stdout for option in form.options)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_set_is_judged_by_what_it_holds(name: str, tmp_path: Path) -> None:
    """However small: there is a table, and rouge or the reason why it has no score stands in one."""
    folder = tmp_path / "data"
    folder.mkdir()
    options = ["--higher-is-better", "rating"] if name == "pairs" else []
    record = judged(name, "--data", DATA[name](folder), "-m", "rouge", *options)
    assert record["name"] == name
    assert any(row.get("metric") == "rouge" for table in record["tables"].values() for row in table["rows"])


def test_a_count_with_contrasts_keeps_comparisons_and_strata() -> None:
    """D and R tell all there is of yes or no; of how many errors there are, correlations tell more."""
    record = judged("gold", "-m", "rouge", "-m", "bleu", "--target", "significant")
    assert {"discrimination", "screening-care", "paired", "by-modality"} <= record["tables"].keys()


def test_rexval_is_judged_with_raters_generators_and_screening(rexval: Path) -> None:
    """Six raters and four generators; the AUROC of rouge and its tables are there."""
    record = judged("rexval", "--data", rexval, "-m", "rouge", "-m", "bleu")
    assert (record["facts"]["pairs"], record["facts"]["studies"]) == (24, 6)
    assert {"agreement-total", "agreement-significant", "raters-total", "within-generator", "screening", "paired"} <= (
        record["tables"].keys()
    )
    assert set(rows(record, "agreement-total")) == {"rouge", "bleu", "raters"}
    assert record["facts"]["rouge"].startswith("rouge|variant:rougeL")


def test_identical_pairs_can_be_dropped(rexval: Path) -> None:
    """There are fewer pairs, as in ReXVal*."""
    kept = judged("rexval", "--data", rexval, "-m", "rouge")
    dropped = judged("rexval", "--data", rexval, "-m", "rouge", "--identical", "drop")
    counts = [rows(record, "agreement-total")["rouge"]["pairs"] for record in (kept, dropped)]
    assert counts[0] == 24
    assert counts[1] < 24


def test_scores_that_come_with_radevalx_are_judged_too(radevalx: Path) -> None:
    """Kendall's tau-b of BLEU-4 is scipy's on the set's own tables."""
    with next(path for path in radevalx.rglob("*.csv") if "bleu4" in path.read_text(encoding="utf-8")).open() as file:
        bleu = {row["report_id"]: float(row["bleu4"]) for row in csv.DictReader(file)}
    totals = dict.fromkeys(bleu, 0)
    for path in radevalx.rglob("*.csv"):
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if "ground_truth" in row:
                    totals[row["report_id"]] += sum(int(float(row[str(column)] or 0)) for column in range(1, 9))
    record = judged("radevalx", "--data", radevalx, "-m", "rouge")
    expected = stats.kendalltau([-bleu[key] for key in totals], list(totals.values())).statistic
    assert rows(record, "agreement-total")["bleu4"]["kendall"]["value"] == pytest.approx(expected)


def test_rexerr_has_the_paired_win_rate(tmp_path: Path) -> None:
    """rouge finds every clean report better than the corrupted one."""
    record = judged("rexerr", "--data", write_rexerr(tmp_path, pairs=6), "-m", "rouge")
    assert rows(record, "preferences")["rouge"]["won"]["value"] == 1.0
    assert rows(record, "screening")["rouge"]["positive"] == 6


def test_baselines_that_are_installed_stand_beside_the_usual_metrics(
    rexval: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where neither the command line nor the settings name a metric; one that nobody has is left out."""
    monkeypatch.setattr(studies, "DEFAULT_METRICS", ("rouge",))
    monkeypatch.setattr(studies, "BASELINES", ("bleu", "unheard-of"))
    assert set(rows(judged("rexval", "--data", rexval), "agreement-total")) == {"rouge", "bleu", "raters"}


def test_results_alone_score_nothing(rexval: Path, tmp_path: Path) -> None:
    """Only the file's metric is judged; its unscored pair is counted, with the reason."""
    pairs = exported("rexval", rexval, tmp_path / "pairs.jsonl")
    values = [None, *(1 / (1 + number) for number in range(1, len(pairs)))]
    results = plain_scores(tmp_path / "mine.jsonl", pairs, "mine", values)
    record = judged("rexval", "--data", rexval, "--results", results)
    assert set(rows(record, "agreement-total")) == {"mine", "raters"}
    assert record["tables"]["unscored"]["rows"] == [{"metric": "mine", "reason": "too long", "pairs": 1}]
    assert record["facts"]["mine"] == "mine|1, mine"
    both = judged("rexval", "--data", rexval, "--results", results, "-m", "rouge")
    assert set(rows(both, "agreement-total")) == {"mine", "rouge", "raters"}


def test_more_unscored_pairs_than_allowed_are_a_failure_of_a_large_set_too(tmp_path: Path) -> None:
    """Its pairs are a number, which has a comma for people alone."""
    large = write_rexval(tmp_path / "large", studies=260)
    pairs = exported("rexval", large, tmp_path / "pairs.jsonl")
    values = [None, *(1 / (1 + number) for number in range(1, len(pairs)))]
    results = plain_scores(tmp_path / "mine.jsonl", pairs, "mine", values)
    options = ("--results", results, "--draws", 2, "--max-unscored", 0, "-f", "json")
    failed = benchmark("rexval", "--data", large, *options)
    assert failed.exit_code == 3
    assert "mine: 1 of 1040 pairs unscored, more than --max-unscored allows" in failed.stderr
    assert json.loads(failed.stdout)["facts"]["pairs"] == 1040


def test_plain_scores_of_another_program_are_judged(rexval: Path, tmp_path: Path) -> None:
    """A table of ids and numbers, with the direction of each column; an empty cell is unscored."""
    pairs = exported("rexval", rexval, tmp_path / "pairs.jsonl")
    lines = [f"{pair['id']},{number},{-number}\n" for number, pair in enumerate(pairs)]
    table = tmp_path / "theirs.csv"
    table.write_text("id,quality,risk\n" + "".join(lines[:-1]) + f"{pairs[-1]['id']},,1\n", encoding="utf-8")
    options = ("--score-higher-is-better", "quality", "--score-lower-is-better", "risk")
    record = judged("rexval", "--data", rexval, "--results", table, *options)
    told = rows(record, "agreement-total")
    assert set(told) == {"quality", "risk", "raters"}
    assert (told["quality"]["pairs"], told["risk"]["pairs"]) == (23, 24)
    assert "with `directions`" in refused("rexval", "--data", rexval, "--results", table)
    message = refused("rexval", "--data", rexval, "--results", table, *options[:3], "wer")
    assert "no file of results has a column wer" in message


def test_results_of_other_pairs_are_refused(rexval: Path, tmp_path: Path) -> None:
    """The message names the file and the remedy."""
    results = plain_scores(tmp_path / "mine.jsonl", [{"id": "elsewhere"}], "mine", [0.5])
    message = refused("rexval", "--data", rexval, "--results", results)
    assert str(results) in message
    assert "none of the benchmark's pairs" in message


def test_exported_pairs_are_those_of_the_set(rexval: Path, tmp_path: Path) -> None:
    """One line a pair with both reports, under ids that are distinct; nothing is scored."""
    pairs = exported("rexval", rexval, tmp_path / "pairs.jsonl")
    assert len({pair["id"] for pair in pairs}) == 24
    assert all(pair["reference"] and pair["candidate"] for pair in pairs)
    assert len({pair["study"] for pair in pairs}) == 6


def test_an_unknown_target_is_refused_with_those_there_are(rexval: Path) -> None:
    """Comparisons are about a target of the set."""
    message = refused("rexval", "--data", rexval, "-m", "rouge", "--target", "rating")
    assert "its targets: total, significant, insignificant)" in message


def test_comparisons_are_about_the_target_that_is_named(rexval: Path) -> None:
    """Else about the set's first."""
    arguments = ("--data", rexval, "-m", "rouge", "-m", "bleu")
    named = judged("rexval", *arguments, "--target", "insignificant")
    assert "insignificant errors" in named["tables"]["paired"]["title"]
    assert "all errors" in judged("rexval", *arguments)["tables"]["paired"]["title"]


def test_the_correlation_that_is_compared_can_be_chosen(rexval: Path) -> None:
    """As ReXVal's papers have it."""
    table = judged("rexval", "--data", rexval, "-m", "rouge", "--measure", "kendall")["tables"]["controlled"]
    assert table["title"].startswith("Kendall tau-b correlation beyond")
    assert "pearson" in benchmark("rexval", "--data", rexval, "--measure", "mae").output


def test_tables_are_written_as_csv_and_page(rexval: Path, tmp_path: Path) -> None:
    """Beside the terminal's view; figures in files are not rounded."""
    folder, page = tmp_path / "tables", tmp_path / "page.html"
    result = benchmark("rexval", "--data", rexval, "-m", "rouge", *FEW, "-o", f"{folder}/", "-o", page, "-o", "-")
    assert result.exit_code == 0, result.output
    assert "Agreement with people" in result.stdout
    with (folder / "agreement-total.csv").open(encoding="utf-8") as file:
        [rouge, _] = csv.DictReader(file)
    assert float(rouge["kendall_low"]) <= float(rouge["kendall"]) <= float(rouge["kendall_high"])
    assert "<html" in page.read_text(encoding="utf-8")


def test_the_data_is_never_replaced(rexval: Path) -> None:
    """A page may not take the place of a file that is read."""
    file = next(rexval.rglob("*.csv"))
    assert "is also the input file" in refused("rexval", "--data", file, "-m", "rouge", "-o", file)
    folder = file.parent
    assert "is a file of the input folder" in refused("rexval", "--data", folder, "-m", "rouge", "-o", file)


def test_a_column_is_named_as_name_and_value(tmp_path: Path) -> None:
    """The message says how."""
    data = write_rexerr(tmp_path, pairs=2)
    assert "NAME=VALUE" in refused("rexerr", "--data", data, "-m", "rouge", "--columns", "original")


def test_the_same_seed_gives_the_same_figures(rexval: Path) -> None:
    """And another seed other intervals."""
    arguments = ("--data", rexval, "-m", "rouge", "--draws", "30", "-f", "json")
    first, same = (benchmark("rexval", *arguments, "--seed", "3").stdout for _ in range(2))
    other = benchmark("rexval", *arguments, "--seed", "4").stdout
    assert first == same
    assert first != other


def test_a_terminal_has_wrapped_lines_and_a_pipe_whole_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was understood fits the terminal; a program reads one line each."""
    benchmark = HumanBenchmark(name="ward", targets=(), raters=(), pairs=(), notes=("word " * 30,))
    monkeypatch.setenv("COLUMNS", "60")
    say_understood("ward", benchmark)
    whole = capsys.readouterr().err.splitlines()
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    say_understood("ward", benchmark)
    wrapped = capsys.readouterr().err.splitlines()
    assert max(map(len, whole)) > 60 >= max(map(len, wrapped))
    assert " ".join(" ".join(wrapped).split()) == " ".join(" ".join(whole).split())
