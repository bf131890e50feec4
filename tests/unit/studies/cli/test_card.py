"""`overread card METRIC...`: measured once at the smallest size, and shown in every form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import overread
from overread.cli.app import app
from overread.exceptions import ConfigurationError, MissingDependencyError
from overread.infrastructure.settings import Settings
from overread.studies.bootstrap import cards as bootstrap
from overread.studies.bootstrap.cards import Cards, measure_cards


def card(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["card", *map(str, arguments)])


@pytest.fixture(scope="module")
def measured() -> Cards:
    """BLEU, and a metric that cannot run here."""
    return measure_cards(["bleu", "green"], Settings(), size="quick", timed=False, draws=20)


@pytest.fixture
def _measured(measured: Cards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "measure_cards", lambda *_, **__: measured)


def _row(tables: dict[str, Any], table: str, head: str) -> dict[str, Any]:
    row: dict[str, Any]
    (row,) = (row for row in tables[table]["rows"] if next(iter(row.values())) == head)
    return row


@pytest.mark.usefixtures("_measured")
def test_json_has_a_column_for_each_metric_and_the_baselines() -> None:
    """What BLEU is known for: copies are best, any change costs, and tricks that copy the reference pay."""
    result = card("bleu", "green", "-f", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    tables = found["tables"]
    assert set(tables["gold-drafts"]["columns"]) == {"what", "bleu", "words in common", "candidate alone"}
    assert _row(tables, "identity", "has the best score of the scale")["bleu"]["value"] == 1.0
    assert _row(tables, "injected", "harmless changes")["bleu"]["value"] == 1.0
    assert _row(tables, "told", "from free rewordings")["bleu"]["value"] < 0.5
    assert _row(tables, "tricks", "NUL")["bleu"] == 1.0
    assert _row(tables, "tricks", "NUL")["pairs"] == 2
    assert _row(tables, "injected", "harmless changes")["pairs"] == 20
    assert "reader" not in tables  # neither reads by it
    assert found["facts"]["signature of bleu"].startswith("bleu|")
    assert "speed" not in tables


def test_a_missing_extra_is_told_before_anything_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals come last, and scoring may take long."""
    monkeypatch.setattr("overread.extras.find_missing", list)
    monkeypatch.setattr(bootstrap, "draw_material", lambda *_: pytest.fail("reports were drawn"))
    with pytest.raises(MissingDependencyError, match="a card needs scipy, sklearn"):
        measure_cards(["radot"], Settings(), size="quick")


@pytest.mark.usefixtures("_measured")
def test_a_metric_that_cannot_run_says_why() -> None:
    """Its column says so, and no figure of it is shown."""
    found = json.loads(card("bleu", "green", "-f", "json").stdout)
    assert "needs a language model" in _row(found["tables"], "about", "measured")["green"]
    assert any(note.startswith("green was not measured") for note in found["notes"])
    assert "green" not in found["tables"]["told"]["columns"]
    assert found["tables"]["summary"]["rows"][0]["metric"] == "bleu"


@pytest.mark.usefixtures("_measured")
@pytest.mark.parametrize(("suffix", "start"), [(".md", "# Cards: bleu, green"), (".html", "<!doctype html>")])
def test_pages(suffix: str, start: str, tmp_path: Path) -> None:
    """The suffix tells the form; Markdown names the command that made it."""
    page = tmp_path / f"card{suffix}"
    assert card("bleu", "green", "--size", "quick", "-o", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert text.lower().startswith(start.lower())
    assert "AUROC" in text
    assert suffix != ".md" or "overread card bleu green --size quick" in text


@pytest.mark.usefixtures("_measured")
def test_a_folder_gets_a_page_for_each_metric(tmp_path: Path) -> None:
    """And one of all, side by side."""
    assert card("bleu", "green", "-o", f"{tmp_path}/cards/").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "cards").iterdir()) == ["bleu.md", "green.md", "index.md"]
    assert "green" not in (tmp_path / "cards" / "bleu.md").read_text(encoding="utf-8").split("## What was run")[0]


@pytest.mark.usefixtures("_measured")
def test_a_page_names_every_option_that_it_was_made_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that its command makes it again; the page of all leads to the others."""
    monkeypatch.chdir(tmp_path)
    Path("settings.toml").touch()
    options = ["--no-time", "--draws", "20", "--config", "settings.toml", "--set", "extractor.max_characters=9000"]
    assert card("bleu", "green", *options, "-o", f"{tmp_path}/cards/").exit_code == 0
    page, index = ((tmp_path / "cards" / name).read_text(encoding="utf-8") for name in ("bleu.md", "index.md"))
    assert f"`overread card bleu {' '.join(options)} -f markdown`" in page
    assert "- [bleu](bleu.md)" in index


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("bleu", "--size", "huge"), "unknown size 'huge'"), (("bleo",), "did you mean 'bleu'")],
)
def test_what_there_is_not_is_refused_before_anything_is_scored(arguments: tuple[str, ...], words: str) -> None:
    """With the choices there are."""
    error = card(*arguments).exception
    assert isinstance(error, ConfigurationError)
    assert words in str(error)


def test_python_has_it_too() -> None:
    """`overread.card`, refused alike."""
    with pytest.raises(ConfigurationError, match="no metric is named"):
        overread.card([])
