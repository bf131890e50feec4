"""`overread units`: a table from a file of reports, by rules or by a model, and scores with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from overread.adapters.reader.unit_table import read_table
from overread.application.ports import Request
from overread.cli.app import app
from overread.cli.units import units
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError, InputError
from overread.plugins import hookimpl
from overread.plugins.specs import ComponentSpec
from overread.testing import FakeLanguageModel

Run = Callable[..., Result]

LLM = ("--set", "extractor=llm", "--set", "model=fake")
PAIRS = [
    {"id": "1", "reference": "Left effusion.", "candidate": "Right effusion."},
    {"id": "2", "reference": "No mass.", "candidate": "Left effusion."},
    {"id": "3", "reference": "", "candidate": "Garbled."},
]


def answer(request: Request) -> str | Unscored:
    """Every report is one finding; some cannot be read, one gets no answer."""
    words = request.messages[1].text.rpartition("<report>\n")[2].strip().removesuffix("\n</report>")
    if words == "Silence.":
        return Unscored("no answer")
    if words == "Garbled.":
        return "gibberish"
    return json.dumps([{"span_text": words, "canonical_finding": "effusion", "polarity": "present"}])


@pytest.fixture
def model() -> FakeLanguageModel:
    return FakeLanguageModel(answer)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: FakeLanguageModel) -> Run:
    """Runs ``overread units ARGS`` in an empty folder, with a fake model installed."""
    module = ModuleType("overread_fakes")
    spec = ComponentSpec(name="fake", version="1", summary="fake", factory=lambda _options, _components: model)
    module.overread_models = hookimpl(lambda: [spec])  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    point = metadata.EntryPoint(name="fakes", value=module.__name__, group="overread")
    installed = metadata.entry_points

    def entry_points(**chosen: str) -> Any:
        return [point] if chosen.get("group") == "overread" else installed(**chosen)

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    monkeypatch.chdir(tmp_path)
    Path("pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    alone = typer.Typer()
    alone.command()(units)

    def call(*arguments: str, command: typer.Typer = alone) -> Result:
        return CliRunner().invoke(command, list(arguments))

    return call


def found(text: str, table: str = "units.jsonl") -> object:
    return read_table(table).find(Report(text))


@pytest.mark.parametrize("name", ["units.parquet", "units.jsonl"])
def test_the_reports_of_pairs_are_read_once_each(run: Run, name: str) -> None:
    """Reading is dear with a language model, and candidates often equal references."""
    result = run("pairs.jsonl", "-o", name)
    assert result.exit_code == 0, result.output
    assert "4 units of 4 reports" in result.output
    assert len(read_table(name)) == 4
    read = found("No mass.", name)
    assert isinstance(read, tuple)
    assert isinstance(read[0], ClinicalUnit)


@pytest.mark.parametrize(
    ("header", "options", "count"),
    [("id,report", (), 2), ("id,text", ("--column", "text"), 2), ("report,text", ("--column", "text"), 2)],
)
def test_any_column_may_hold_the_reports(run: Run, header: str, options: tuple[str, ...], count: int) -> None:
    """Equal reports are one row of the table."""
    Path("reports.csv").write_text(f"{header}\n1,Left effusion.\n2,No mass.\n3,No mass.\n", encoding="utf-8")
    assert run("reports.csv", "-o", "units.jsonl", *options).exit_code == 0
    assert len(read_table("units.jsonl")) == count


def test_scores_over_the_table_are_those_over_the_reader(run: Run) -> None:
    """The signature tells that units came from a table, and whose; a table does not know what share was read."""
    run("pairs.jsonl", "-o", "units.parquet")
    records = []
    for name, chosen in (("plain.jsonl", ()), ("table.jsonl", ("--set", "extractor=table:units.parquet"))):
        assert run("corpus", "pairs.jsonl", "-o", name, *chosen, command=app).exit_code == 0
        lines = Path(name).read_text(encoding="utf-8").splitlines()
        records.append([{**json.loads(line), "signature": None, "digest": None} for line in lines])
        signature = json.loads(lines[0])["signature"]
    for plain, tabled in zip(*records, strict=True):
        if plain["status"] == "scored":
            assert plain["subscores"].keys() - tabled["subscores"].keys() == {
                "reference_coverage",
                "candidate_coverage",
            }
            for name in ("reference_coverage", "candidate_coverage"):
                del plain["subscores"][name]
    assert records[0] == records[1]
    assert "table@" in signature
    assert "units=medspacy@" in signature


def test_a_report_that_is_not_in_the_table_is_unscored(run: Run) -> None:
    """A table is exact: a report that differs by a sign is another one."""
    run("pairs.jsonl", "-o", "units.jsonl")
    other = ("--reference-text", "Left effusion.", "--candidate-text", "Left effusion!")
    result = run("score", *other, "-f", "json", "--set", "extractor=table:units.jsonl", command=app)
    assert {record["reason"] for record in json.loads(result.stdout)} == {"not in table"}


def test_a_model_is_asked_once_and_its_answers_are_kept(run: Run, model: FakeLanguageModel) -> None:
    """The next run asks only for what is not kept. What cannot be read is in the table with its reason."""
    result = run("pairs.jsonl", "-o", "units.jsonl", *LLM)
    assert result.exit_code == 0, result.output
    assert "3 units of 3 reports" in result.output
    assert "reports not read: unreadable answer 1" in result.output
    assert "5 asked now, 0 kept before" in result.output
    refused = found("Garbled.")
    assert isinstance(refused, Unscored)
    assert refused.reason == "unreadable answer"
    table = Path("units.jsonl").read_bytes()
    again = run("pairs.jsonl", "-o", "units.jsonl", *LLM)
    assert "0 asked now, 5 kept before" in again.output
    assert len(model.asked) == 5
    assert Path("units.jsonl").read_bytes() == table


def test_a_report_without_an_answer_is_left_for_another_run(run: Run) -> None:
    """What failed is not kept as a report without units."""
    Path("reports.csv").write_text("report\nSilence.\nNo mass.\n", encoding="utf-8")
    result = run("reports.csv", "-o", "units.jsonl", *LLM)
    assert "reports not read: no answer 1; another run asks again" in result.output
    assert found("Silence.") is None
    assert len(read_table("units.jsonl")) == 1


def test_a_dry_run_asks_and_writes_nothing(run: Run, model: FakeLanguageModel) -> None:
    """The cost is told by requests and tokens beforehand."""
    before = sorted(Path().iterdir())
    result = run("pairs.jsonl", "-o", "units.jsonl", "--dry-run", *LLM)
    assert result.exit_code == 0
    assert "requests       4" in result.output
    assert f"answer tokens  {4 * 4096:,} at most" in result.output
    assert "asks no language model" in run("pairs.jsonl", "-o", "units.jsonl", "--dry-run").output
    assert sorted(Path().iterdir()) == before
    assert model.asked == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("none.csv", "-o", "units.jsonl"), "no such file"),
        (("pairs.jsonl", "-o", "units.csv"), "its suffix is not that of a table"),
        (("pairs.jsonl", "-o", "none/units.jsonl"), "folder"),
        (("pairs.jsonl", "-o", "pairs.jsonl"), "is also the input file"),
        (("pairs.jsonl", "-o", "units.jsonl", "--column", "text"), "no column text"),
        (("other.jsonl", "-o", "units.jsonl"), "no column report or reference or candidate"),
        (("null.jsonl", "-o", "units.jsonl"), "row 2: report is null"),
    ],
)
def test_what_cannot_be_read_or_written_is_told_and_nothing_is_asked(
    run: Run, model: FakeLanguageModel, arguments: tuple[str, ...], told: str
) -> None:
    """No answer is paid for that could not be written down."""
    Path("other.jsonl").write_text('{"id": "1", "words": "No mass."}\n', encoding="utf-8")
    Path("null.jsonl").write_text('{"report": "No mass."}\n{"report": null}\n', encoding="utf-8")
    result = run(*arguments, *LLM)
    assert isinstance(result.exception, InputError)
    assert told in str(result.exception)
    assert model.asked == []


def test_without_a_model_the_remedy_is_told(run: Run) -> None:
    """Both ways to choose a model are named."""
    result = run("pairs.jsonl", "-o", "units.jsonl", "--set", "extractor=llm")
    assert isinstance(result.exception, ConfigurationError)
    assert "give `model=openai:NAME` or `model=transformers:FOLDER`" in str(result.exception)
