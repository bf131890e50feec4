"""One grammar of output: formats, files and what is said of them, on every command that shows something."""

from __future__ import annotations

import csv
import io
import json
import math
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner, Result

from overread.cli.app import app
from overread.cli.output import as_json
from overread.exceptions import ConfigurationError, InputError, OverreadError
from overread.infrastructure.files.csv_rows import as_csv

Run = Callable[..., Result]

TEXTS = ("--reference-text", "No pneumothorax.", "--candidate-text", "Pneumothorax.", "-m", "rouge", "-m", "bleu")
RESULT = {"metric": "risk", "status": "scored", "higher_is_better": False, "range": [0, 1], "signature": "risk|v1"}
SHOWING = {
    "score": TEXTS,
    "plugins": (),
    "compare": ("one.jsonl", "two.jsonl", "--draws", "50"),
    "leaderboard": ("one.jsonl", "two.jsonl", "--draws", "50"),
    "lexicon check": ("lexicon",),
    "lexicon show": ("pneumothorax",),
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs ``overread ARGS`` in a folder with the results of two systems."""
    monkeypatch.chdir(tmp_path)
    for name, shift in (("one", 0.0), ("two", 0.125)):
        rows = [{"id": f"p{i}", **RESULT, "score": i / 10 + shift} for i in range(4)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return lambda *arguments: CliRunner().invoke(app, [*map(str, arguments)])


def _refusal(result: Result) -> str:
    assert isinstance(result.exception, OverreadError), result.output
    return str(result.exception)


def _numbers(value: Any) -> Iterator[float]:
    """Every number in a record."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _numbers(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


@pytest.mark.parametrize("command", [name for name in SHOWING if name != "lexicon check"])
def test_a_suffix_is_as_good_as_a_format(run: Run, command: str) -> None:
    """-o FILE.json holds what -f json prints, and it is said on standard error that the file was written."""
    given = (*command.split(), *SHOWING[command])
    printed, written = run(*given, "-f", "json"), run(*given, "-o", "out.json")
    assert (printed.exit_code, written.exit_code) == (0, 0), printed.output + written.output
    assert (written.stdout, written.stderr) == ("", "wrote out.json\n")
    assert Path("out.json").read_text(encoding="utf-8") == printed.stdout
    assert all(map(math.isfinite, _numbers(json.loads(printed.stdout))))


def test_a_format_wins_over_a_suffix(run: Run) -> None:
    """Whoever says both gets the format."""
    assert run("score", *TEXTS, "-f", "json", "-o", "out.txt").exit_code == 0
    assert len(json.loads(Path("out.txt").read_text(encoding="utf-8"))) == 2


@pytest.mark.parametrize(
    ("arguments", "has"),
    [
        (("score", *TEXTS, "-f", "yaml"), "score has no format 'yaml'; it has text, json, csv and html"),
        (("explain", *TEXTS[:-2], "-f", "csv"), "explain has no format 'csv'; it has text, json and html"),
        (("explain", *TEXTS[:-2], "-o", "x.csv"), "explain has no csv; it has text, json and html"),
        (
            ("score", *TEXTS, "-o", "x.parquet"),
            "its suffix is not that of a format; score has text, json, csv and html",
        ),
        (("plugins", "-f", "html"), "plugins has no format 'html'; it has text, json and csv"),
        (("lexicon", "show", "pneumothorax", "-f", "csv"), "lexicon show has no format 'csv'; it has text and json"),
        (("compare", "one.jsonl", "two.jsonl", "-f", "xml"), "compare has no format 'xml'"),
    ],
)
def test_what_a_command_has_not_is_refused_with_what_it_has(run: Run, arguments: tuple[str, ...], has: str) -> None:
    """Before anything is scored or written."""
    before = sorted(Path().iterdir())
    assert has in _refusal(run(*arguments))
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("command", ["score", "compare", "plugins", "lexicon show"])
@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (".", "is a folder"),
        ("folder", "is a folder"),
        ("none/out.json", "the folder none does not exist"),
        ("file/out.json", "the folder file does not exist"),
    ],
)
def test_where_no_file_can_be_is_told_before_the_work(run: Run, command: str, output: str, problem: str) -> None:
    """A folder, or a file in a folder that is not there."""
    Path("folder").mkdir()
    Path("file").write_text("")
    assert problem in _refusal(run(*command.split(), *SHOWING[command], "-o", output))


def test_no_command_writes_over_what_it_reads(run: Run) -> None:
    """Reports, result files and stores stay as they are."""
    Path("reference.txt").write_text("No pneumothorax.")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    texts = ("--reference", "reference.txt", "--candidate-text", "x", "-m", "rouge")
    for arguments in (
        ("score", *texts, "-o", "reference.txt"),
        ("compare", "one.jsonl", "two.jsonl", "-f", "json", "-o", "two.jsonl"),
        ("leaderboard", "one.jsonl", "two.jsonl", "-f", "json", "-o", "./one.jsonl"),
        ("compare", "one.jsonl", "two.jsonl", "-o", "a.json", "-o", "b.html", "-o", "a.json"),
    ):
        assert isinstance(run(*arguments).exception, InputError | ConfigurationError)
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_results_of_a_pair_are_rows_of_csv_with_the_same_figures(run: Run) -> None:
    """A row a metric; what is null is empty, and no digit is lost."""
    records = json.loads(run("score", *TEXTS, "-f", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(run("score", *TEXTS, "-f", "csv").stdout)))
    assert [row["metric"] for row in rows] == ["rouge", "bleu"]
    for row, record in zip(rows, records, strict=True):
        assert float(row["score"]) == record["score"]
        assert (float(row["low"]), float(row["high"])) == tuple(record["range"])
        assert {name: float(row[f"subscores.{name}"]) for name in record["subscores"]} == record["subscores"]
        assert (row["reason"], row["higher_is_better"]) == ("", "true")


@pytest.mark.parametrize("command", ["compare", "leaderboard"])
def test_a_study_is_one_csv_with_the_figures_of_its_json(run: Run, command: str) -> None:
    """A line a cell: table, row, column and the number with its interval."""
    given = (command, *SHOWING[command])
    tables = json.loads(run(*given, "-f", "json").stdout)["tables"]
    found = list(csv.DictReader(io.StringIO(run(*given, "-f", "csv").stdout)))
    assert found
    for cell in found:
        value = tables[cell["table"]]["rows"][int(cell["row"]) - 1][cell["column"]]
        ends = value if isinstance(value, dict) else {"value": value, "low": None, "high": None}
        for name in ("value", "low", "high"):
            told = ends[name]
            assert cell[name] == "" if told is None else cell[name] == str(told)


def test_one_study_goes_to_many_places(run: Run) -> None:
    """Each by its suffix; a folder takes a file a table, and - is standard output."""
    places = ("-o", "page.html", "-o", "study.json", "-o", "tables/", "-o", "-")
    done = run("compare", *SHOWING["compare"], *places)
    assert done.exit_code == 0, done.output
    assert "<html" in Path("page.html").read_text(encoding="utf-8")
    assert json.loads(Path("study.json").read_text(encoding="utf-8"))["name"] == "comparison"
    assert Path("tables/tests.csv").exists()
    assert "one against two" in done.stdout
    for place in ("page.html", "study.json", "tables: "):
        assert f"wrote {place}" in done.stderr


def test_counts_are_numbers(run: Run) -> None:
    """In JSON a number of pairs, of draws or of systems is no text."""
    facts = json.loads(run("compare", *SHOWING["compare"], "-f", "json").stdout)["facts"]
    assert [facts[name] for name in ("pairs", "studies", "draws", "seed")] == [4, 4, 50, 0]
    assert json.loads(run("leaderboard", *SHOWING["leaderboard"], "-f", "json").stdout)["facts"]["systems"] == 2


def test_the_spellings_of_before_still_work_and_say_so(run: Run) -> None:
    """Each does what it did, with one line on how it is spelled now."""
    study = ("compare", *SHOWING["compare"])
    done = run(*study, "--json", "--csv", "tables", "--html", "page.html")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["name"] == "comparison"
    assert Path("tables/tests.csv").exists()
    assert "<html" in Path("page.html").read_text(encoding="utf-8")
    notes = [line for line in done.stderr.splitlines() if "is now" in line]
    assert [note.split()[1] for note in notes] == ["--json", "--csv", "--html"]
    assert "one against two" in run(*study, "--html", "page.html").stdout
    plugins = run("plugins", "--json")
    assert json.loads(plugins.stdout)["components"]
    assert "overread: --json is now -f json" in plugins.stderr
    demo = run("demo", "--page=demo.html")
    assert (demo.exit_code, Path("demo.html").exists()) == (0, True)
    assert "--page is now --output" in demo.stderr


def _commands(command: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    children = getattr(command, "commands", None)
    yield names, command
    for name, child in (children or {}).items():
        yield from _commands(child, *names, name)


@pytest.mark.parametrize("names", [names for names, _ in _commands(typer.main.get_command(app))], ids=" ".join)
def test_help_fits_a_terminal(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every command in 80 columns, without the marks of a programming language."""
    monkeypatch.setenv("COLUMNS", "80")
    words = CliRunner().invoke(app, [*names, "--help"]).stdout
    assert max(map(len, words.splitlines())) <= 80
    for odd in ("<str>", "list[", "int range", "x>=", "<=", "{", "[["):
        assert odd not in words, odd


def test_help_groups_the_commands_by_purpose() -> None:
    """Each command stands under one heading."""
    words = CliRunner().invoke(app, ["--help"]).stdout
    headings = [line for line in words.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        "Options:",
        "Score:",
        "Compare and study:",
        "Make corpora:",
        "Fit:",
        "Look into:",
        "In the hospital:",
    ]


def test_records_of_any_kind_are_strict_json_and_csv() -> None:
    """No number that is not finite; lists in a cell are JSON; a table without rows keeps its header."""
    record = {"score": math.nan, "range": [0.0, math.inf], "names": ("a", "b"), "well": True}
    assert json.loads(as_json(record)) == {"score": None, "range": [0.0, None], "names": ["a", "b"], "well": True}
    [row] = csv.DictReader(io.StringIO(as_csv([record])))
    assert row == {"score": "", "range": "[0.0, null]", "names": '["a", "b"]', "well": "true"}
    assert as_csv([], ("level", "file")) == "level,file\n"


@pytest.fixture
def pairs(run: Run) -> str:
    """A file of three pairs without ids, one of them of empty reports."""
    assert callable(run)
    Path("pairs.csv").write_text('reference,candidate\nNo effusion.,Effusion.\n,\n"Clear, both.",Clear.\n')
    return "pairs.csv"


def test_a_corpus_is_csv_with_the_figures_of_its_json_lines(run: Run, pairs: str) -> None:
    """A row a line; subscores of all metrics have columns, whatever shard they come from."""
    given = ("corpus", pairs, "-m", "rouge", "-m", "bleu", "--shard-rows", "1", "-o")
    assert run(*given, "out.csv").exit_code == 0
    lines = [json.loads(line) for line in run(*given, "-").stdout.splitlines()]
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["metric"]) for row in rows] == [(line["id"], line["metric"]) for line in lines]
    for row, line in zip(rows, lines, strict=True):
        assert row["score"] == ("" if line["score"] is None else str(line["score"]))
        assert {name: float(row[f"subscores.{name}"]) for name in line["subscores"]} == line["subscores"]
    assert not Path("out.csv.partial").exists()


def test_rows_without_ids_are_numbered_and_it_is_said_once(run: Run, pairs: str) -> None:
    """The same row has the same id whatever the format; a column that was named must be there."""
    rows = [{"reference": "No effusion.", "candidate": "Effusion."}] * 2
    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for file, ids in ((pairs, ["1", "2", "3"]), ("pairs.jsonl", ["1", "2"])):
        done = run("corpus", file, "-m", "rouge", "-o", "-")
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ids
        assert done.stderr.count("has no column id: the numbers of its rows, from 1, are the ids") == 1
    assert "no column case" in _refusal(run("corpus", pairs, "-m", "rouge", "-o", "-", "--id-column", "case"))
    Path("mixed.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (rows[0], {"id": "a", **rows[1]})))
    assert "row 2: has a column id" in _refusal(run("corpus", "mixed.jsonl", "-m", "rouge", "-o", "-"))
    assert run("score", "--pairs", pairs, "--id", "3", "-m", "rouge", "-f", "json").exit_code == 0


def test_an_unknown_id_is_told_with_the_file_and_how_to_see_the_ids(run: Run, pairs: str) -> None:
    """The command that is named lists them; where the pairs have none, a row is named by its number."""
    unnumbered = _refusal(run("explain", "--pairs", pairs, "--id", "zzz", "-m", "rouge"))
    assert f"{pairs}: has no usable pair with id 'zzz'" in unnumbered
    assert "the number of a row, from 1" in unnumbered
    Path("with ids.jsonl").write_text(json.dumps({"id": "a", "reference": "x", "candidate": "y"}) + "\n")
    told = _refusal(run("explain", "--pairs", "with ids.jsonl", "--id", "zzz", "-m", "rouge"))
    assert "with ids.jsonl: has no usable pair with id 'zzz'" in told
    _, *command = shlex.split(told.split("`")[1])
    assert [json.loads(line)["id"] for line in run(*command).stdout.splitlines()] == ["a"]


@pytest.mark.parametrize(
    ("allowed", "status"),
    [((), 0), (("--max-unscored", "0"), 3), (("--max-unscored", "0.3"), 3), (("--max-unscored", "0.34"), 0)],
)
def test_more_unscored_pairs_than_allowed_are_a_failure(
    run: Run, pairs: str, allowed: tuple[str, ...], status: int
) -> None:
    """One of three pairs is unscored; the results are there whatever the status."""
    done = run("corpus", pairs, "-m", "rouge", "-o", "out.jsonl", *allowed)
    assert done.exit_code == status
    assert ("rouge: 1 of 3 pairs unscored, more than --max-unscored allows" in done.stderr) == bool(status)
    assert len(Path("out.jsonl").read_text().splitlines()) == 3


def test_a_run_that_scores_nothing_is_a_failure(run: Run) -> None:
    """Of one pair or of many; it can be allowed."""
    Path("empty.csv").write_text("id,reference,candidate\na,,\n")
    nothing = ("--reference-text", "", "--candidate-text", " ", "-m", "rouge")
    for given in (
        ("corpus", "empty.csv", "-m", "rouge", "-o", "out.jsonl"),
        ("score", *nothing),
        ("explain", *nothing),
    ):
        assert run(*given).exit_code == 3
        assert run(*given, "--max-unscored", "1").exit_code == 0


@pytest.mark.parametrize("command", ["corpus", "units", "inject"])
def test_a_header_alone_is_refused(run: Run, command: str) -> None:
    """It is more likely a mistake than a wish, and nothing is written."""
    Path("head.csv").write_text("id,reference,candidate\n")
    assert "holds no" in _refusal(run(command, "head.csv", "-o", "out.jsonl"))
    assert not Path("out.jsonl").exists()


@pytest.mark.parametrize(
    "command", [("corpus", "pairs.csv", "-m", "rouge"), ("corpus", "pairs.csv", "-m", "green"), ("inject", "pairs.csv")]
)
@pytest.mark.parametrize("output", [".", "/", "", "folder/.."])
def test_a_folder_without_a_name_is_refused_as_any_other(run: Run, command: tuple[str, ...], output: str) -> None:
    """What is kept beside an output takes its name from it."""
    Path("folder").mkdir()
    Path("pairs.csv").write_text("id,reference,candidate\na,Clear.,Clear.\n", encoding="utf-8")
    before = sorted(Path().iterdir())
    assert "is a folder" in _refusal(run(*command, "-o", output))
    assert sorted(Path().iterdir()) == before
