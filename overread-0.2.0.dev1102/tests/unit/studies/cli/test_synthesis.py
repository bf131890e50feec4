"""`overread synthesise` and `overread inject`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from overread.domain.results.readout import TARGETS
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.whole_files import write_rows
from overread.studies.application.synthesis.credible.reports import credible_reports
from overread.studies.bootstrap.synthesis import judge_pairs
from overread.studies.cli.synthesis import inject, synthesise
from overread.studies.infrastructure.datasets.training_pairs.annotated import read_counted
from overread.studies.infrastructure.datasets.training_pairs.judged import read_judged_pairs

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reports") / "made.jsonl"
    write_rows(path, ({"id": made.study, "report": made.text} for made in credible_reports(seed=2, studies=150)))
    return path


@pytest.fixture
def run() -> Run:
    app = typer.Typer()
    app.command()(inject)

    def called(*arguments: object) -> Result:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return called


def test_pairs_and_datasheet_are_written_and_fit_readout_reads_them(run: Run, reports: Path, tmp_path: Path) -> None:
    """Each pair has one marked error whose span holds its words."""
    output = tmp_path / "pairs.jsonl"
    assert run(reports, "-o", output, "--per-category", 1).exit_code == 0
    labelled = read_counted(output, TARGETS)
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert len(labelled) == len(rows) == 39
    assert {row["total"] for row in rows} == {1}
    for row in rows:
        assert row["spans"]
        for span in row["spans"]:
            for text, place in ((row["reference"], span["reference_span"]), (row["candidate"], span["candidate_span"])):
                assert place is None or text[place[0] : place[1]]
            start, end = span["candidate_span"] or span["reference_span"]
            assert (row["candidate"] if span["candidate_span"] else row["reference"])[start:end] == span["span"]
    sheet = (tmp_path / "pairs.md").read_text(encoding="utf-8")
    assert "| Noise | robustness |" in sheet
    assert "Seed: 7" in sheet
    assert not list(tmp_path.glob("*.partial"))


def test_pairs_of_credible_reports_are_read_by_fit_judge(tmp_path: Path) -> None:
    """A pair a kind, each with its modality and the reasons for either weight."""
    pairs, output = judge_pairs(seed=2, studies=60, candidates_per_study=1), tmp_path / "judged.jsonl"
    write_rows(output, (pair.as_row() for pair in pairs))
    judged = read_judged_pairs(output)
    assert len(judged) == len(pairs) >= 60
    assert all(pair.explanation and pair.contrary and pair.explanation != pair.contrary for pair in judged)
    assert 0.4 < sum(pair.is_significant for pair in judged) / len(judged) < 0.6
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert {row["modality"].split()[0] for row in rows} >= {"CR", "CT"}
    assert [row["study"] for row in rows] == sorted(row["study"] for row in rows)


def test_credible_reports_have_no_style(tmp_path: Path) -> None:
    """Their layout is that of their examination."""
    with pytest.raises(ConfigurationError, match="leave out the style 'upper'"):
        synthesise(output=tmp_path / "judged.jsonl", purpose="judge", style="upper")


def test_the_same_seed_writes_the_same_bytes(run: Run, reports: Path, tmp_path: Path) -> None:
    """A published set can be made again."""
    for name in ("a", "b"):
        run(reports, "-o", tmp_path / f"{name}.jsonl", "--per-category", 1, "--seed", 3)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert (tmp_path / "a.md").read_bytes() == (tmp_path / "b.md").read_bytes()


def test_heuristics_go_to_a_file_of_their_own(run: Run, reports: Path, tmp_path: Path) -> None:
    """Pairs without marked errors do not mix with those that have them."""
    output = tmp_path / "pairs.jsonl"
    run(reports, "-o", output, "--per-category", 1, "--heuristic", "random", "--heuristic-pairs", 3)
    beside = (tmp_path / "pairs-heuristics.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["method"] for line in beside] == ["heuristic:random"] * 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": "a"}\n', "report or reference"),
        ('{"id": "a", "report": "x"}\n{"id": "a", "report": "y"}\n', "a different report"),
        ('{"id": "a", "report": 3}\n', "not text"),
        ("", "empty"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(run: Run, tmp_path: Path, content: str, message: str) -> None:
    """A report with two texts under one id is not chosen from."""
    source = tmp_path / "reports.jsonl"
    source.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        run(source, "-o", tmp_path / "pairs.jsonl")


def test_what_is_read_is_not_written_over(run: Run, reports: Path) -> None:
    """The reports would be lost."""
    with pytest.raises(InputError, match="is also the input file"):
        run(reports, "-o", reports)


def test_an_unknown_heuristic_is_refused(run: Run, reports: Path, tmp_path: Path) -> None:
    """The message names it."""
    with pytest.raises(ConfigurationError, match="guess"):
        run(reports, "-o", tmp_path / "pairs.jsonl", "--heuristic", "guess")


def test_a_model_must_be_chosen_to_be_asked(run: Run, reports: Path, tmp_path: Path) -> None:
    """Errors by a model are not silently made by rules."""
    with pytest.raises(ConfigurationError, match="model"):
        run(reports, "-o", tmp_path / "pairs.jsonl", "--by", "model")


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.jsonl.gz"])
def test_pairs_are_not_written_under_the_name_of_another_format(
    run: Run, reports: Path, tmp_path: Path, name: str
) -> None:
    """Other commands could not read them; this is known before any is made."""
    output = tmp_path / name
    with pytest.raises(InputError, match="JSON lines are written"):
        run(reports, "-o", output)
    with pytest.raises(InputError, match="JSON lines are written"):
        synthesise(output=output)
    assert not list(tmp_path.iterdir())
