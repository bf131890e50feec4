"""A leaderboard as static pages: what is written, and where its links lead."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import overread
from overread.cli.app import app
from overread.exceptions import InputError
from overread.studies.bootstrap.leaderboard_site import result_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results of two systems over three pairs, beside files that are none."""
    folder = tmp_path / "results"
    folder.mkdir()
    reports = ["Small left effusion.", "No mass.", "Clear lungs."]
    for name, candidates in {"one <b>": reports, "two": ["Right effusion.", "A mass.", "Clear lungs."]}.items():
        pairs = tmp_path / f"{name}.jsonl"
        rows = [
            {"id": str(number), "reference": reference, "candidate": candidate}
            for number, (reference, candidate) in enumerate(zip(reports, candidates, strict=True))
        ]
        pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        overread.score_corpus(pairs, folder / f"{name}.jsonl", metrics="rouge")
    (folder / "README.md").write_text("notes", encoding="utf-8")
    return folder


def test_a_folder_is_its_result_files(folder: Path) -> None:
    """In order, without the records beside them; another argument stays as it is."""
    files = result_files([str(folder), "name=elsewhere.jsonl"])
    assert files == [str(folder / "one <b>.jsonl"), str(folder / "two.jsonl"), "name=elsewhere.jsonl"]
    empty = folder / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="no file of results"):
        result_files([str(empty)])


def test_the_site_has_a_page_for_each_system(folder: Path, tmp_path: Path) -> None:
    """Every link leads to a page that is there; names are escaped; the figures are those of the command."""
    site = tmp_path / "site"
    run = CliRunner().invoke(app, ["leaderboard", str(folder), "--site", str(site), "--draws", "100", "-f", "json"])
    assert run.exit_code == 0, run.output
    index = (site / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(systems/[^"]+)"', index)
    assert len(links) == 2
    assert all((site / link).is_file() for link in links)
    assert "one &lt;b&gt;" in index
    assert "one <b>" not in index
    pages = [(site / link).read_text(encoding="utf-8") for link in links]
    assert all("Scored" in page and overread.__version__ in page for page in pages)
    record = json.loads((site / "leaderboard.json").read_text(encoding="utf-8"))
    assert [row["system"] for row in record["tables"]["leaderboard"]["rows"]] == ["one <b>", "two"]
    assert record["tables"]["systems"]["rows"][0]["overread"] == overread.__version__
    assert "Small left effusion" not in index + "".join(pages)


def test_a_site_is_made_again_in_its_place(folder: Path, tmp_path: Path) -> None:
    """And a file is not taken for a folder."""
    site = tmp_path / "site"
    for _ in range(2):
        run = CliRunner().invoke(app, ["leaderboard", str(folder), "--site", str(site), "--draws", "50"])
        assert run.exit_code == 0, run.output
    run = CliRunner().invoke(app, ["leaderboard", str(folder), "--site", str(folder / "two.jsonl"), "--draws", "50"])
    assert isinstance(run.exception, InputError)
