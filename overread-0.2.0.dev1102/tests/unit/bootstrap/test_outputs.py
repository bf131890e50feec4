"""Outputs never take the place of what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

import overread
from overread.exceptions import InputError
from overread.infrastructure.settings import Settings, load_settings

PAIRS = "id,reference,candidate\na,No pneumothorax.,Small effusion.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a file of pairs, and a table of their units."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    overread.write_units("pairs.csv", "units.jsonl")
    return tmp_path


@pytest.mark.parametrize("override", ["extractor=table:units.jsonl", "extractor.file=units.jsonl"])
@pytest.mark.parametrize("output", ["units.jsonl", "link.jsonl"])
def test_a_table_that_is_read_is_not_written_over(folder: Path, override: str, output: str) -> None:
    """Neither by results nor by another table, also where a link leads to it."""
    (folder / "link.jsonl").symlink_to(folder / "units.jsonl")
    before = (folder / "units.jsonl").read_bytes()
    settings = load_settings(overrides=["extractor=table", override])
    for write in (overread.score_corpus, overread.write_units):
        with pytest.raises(InputError, match="is also the input file"):
            write("pairs.csv", output, settings=settings)
    assert (folder / "units.jsonl").read_bytes() == before


def test_the_files_of_settings_are_those_that_are_there(folder: Path) -> None:
    """Arguments and options that name none are no files."""
    settings = Settings(
        metrics=("notation", "panel:units.jsonl"),
        choices={"extractor": "table:units.jsonl", "aligner": "balanced", "model": "openai:a/b"},
        options={"readout": {"file": "pairs.csv", "epsilon": 0.2, "name": "gone.csv"}, "odd": {"text": "\0"}},
    )
    assert settings.files == (Path("units.jsonl"), Path("units.jsonl"), Path("pairs.csv"))
    assert folder.is_dir()
