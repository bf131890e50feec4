"""The commands about the lexicon: what they print, and their exit status."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.describe import page
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import MedspacyOptions
from overread.cli.app import app
from overread.exceptions import InputError

from ..adapters.lexicon.sound import write_sound


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["lexicon", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped lexicon."""
    with as_file(files("overread.adapters.lexicon") / "data") as data:
        return Path(shutil.copytree(data, tmp_path / "lexicon"))


@pytest.fixture(autouse=True)
def _compiled_once(monkeypatch: pytest.MonkeyPatch, shipped_reader: MedspacyUnitExtractor) -> None:
    """Each command compiles the reading rules anew, for a second; here those of the shipped lexicon are shared."""
    create = MedspacyUnitExtractor.create

    def reader(options: MedspacyOptions) -> MedspacyUnitExtractor:
        return shipped_reader if options == MedspacyOptions() else create(options)

    monkeypatch.setattr(MedspacyUnitExtractor, "create", reader)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A lexicon of a few entries."""
    return write_sound(tmp_path / "small")


def _add(folder: Path, entry: str) -> None:
    with (folder / "findings" / "zz_own.toml").open("a", encoding="utf-8") as file:
        file.write(entry)


OWN = """
[[finding]]
id = "own_finding"
name = "own finding"
category = "lung"
parent = "{parent}"
importance = "actionable"
terms = ["own zebra|quagga"]
"""


def test_check_names_file_and_entry_of_an_error_and_fails(small: Path) -> None:
    """Who edits the lexicon is told where to look, in words."""
    _add(small, OWN.format(parent="no_such_finding"))
    result = _run("check", small)
    assert result.exit_code == 1
    block = result.output[result.output.index("findings/zz_own.toml") :]
    row = " ".join(block.split("\n\n")[0].split())
    assert row == "findings/zz_own.toml error own_finding has the parent 'no_such_finding', which is not a finding"


def test_check_passes_what_has_only_warnings_and_can_leave_them_out(small: Path) -> None:
    """A finding said to be taken for what it is a kind of is odd, and no more."""
    _add(small, OWN.format(parent="shadow").replace("terms", 'confused_with = ["shadow"]\nterms'))
    full, short = _run("check", small), _run("check", small, "--errors")
    assert "zz_own.toml" in full.output
    assert "zz_own.toml" not in short.output
    assert full.exit_code == short.exit_code == 0
    assert full.output.splitlines()[-1] == short.output.splitlines()[-1]


def test_check_refuses_what_is_no_folder(tmp_path: Path) -> None:
    """A mistyped folder does not pass for a lexicon without faults."""
    assert isinstance(_run("check", tmp_path / "absent").exception, InputError)


def test_show_prints_an_entry_by_id_or_name() -> None:
    """A radiologist knows the name, a file the id."""
    by_id, by_name = _run("show", "pneumothorax"), _run("show", "Pneumothorax")
    assert by_id.exit_code == 0
    assert by_id.output == by_name.output
    assert "tension pneumothorax" in " ".join(by_id.output.split())
    assert "urgent action" in by_id.output


def test_show_says_what_a_phrase_is_read_as() -> None:
    """A phrase of one finding is followed by that finding in full; one of several is not."""
    one, two = _run("show", "no left pneumothoraces"), _run("show", "no pneumothorax; small effusion")
    assert "pneumothorax [pneumothorax], absent" in one.output
    assert "worded as" in one.output
    assert "pleural effusion [pleural_effusion], present" in two.output
    assert "worded as" not in two.output


def test_show_fails_for_what_the_lexicon_does_not_know_and_names_what_is_near() -> None:
    """Scripts see by the status that a phrase is not known."""
    result = _run("show", "qqqxpneumothoraxxyz")
    assert result.exit_code == 1
    assert "No finding of the lexicon. Similar: pneumothorax" in result.output


def test_show_knows_a_sentence_about_the_report_itself() -> None:
    """A recommendation holds no finding and is known all the same."""
    result = _run("show", "Please correlate clinically.")
    assert result.exit_code == 0
    assert "about the report: recommendation" in result.output


def test_show_and_page_read_a_folder_of_ones_own(folder: Path) -> None:
    """What was added to a lexicon of one's own can be tried before it is used to score."""
    _add(folder, OWN.format(parent="lung_opacity"))
    assert "own finding [own_finding], present" in _run("show", "own quagga seen", "--lexicon", folder).output
    assert "| own finding | `own_finding` | lung opacity | action |" in _run("page", "--lexicon", folder).output


def test_page_prints_the_shipped_lexicon() -> None:
    """The page in the documentation is this output."""
    assert _run("page").output == page(load_knowledge().lexicon) + "\n"
