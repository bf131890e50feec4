"""The page of the service's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import attrs

from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options, Hl7Source
from overread.hospital.infrastructure.settings_page import main, settings_page

_PAGE: Final = Path(__file__).parents[4] / "docs" / "settings.md"


def test_the_page_is_up_to_date(tmp_path: Path) -> None:
    """The page in the documents is what the code makes now; `make docs` writes it."""
    main(str(tmp_path / "settings.md"))
    assert (tmp_path / "settings.md").read_text(encoding="utf-8") == _PAGE.read_text(encoding="utf-8"), "run make docs"


def test_every_setting_has_a_row_with_its_meaning() -> None:
    """No setting stands in the page without a word on what it is for."""
    rows = [line.strip("| ").split(" | ") for line in settings_page().splitlines() if line.startswith("| `")]
    assert [row[0] for row in rows if len(row) < 4 or not row[-1].strip()] == []
    names = {row[0].strip("`") for row in rows}
    assert {about.name for kind in (Hl7Options, Hl7Source) for about in attrs.fields(kind)} <= names


def test_secrets_and_random_values_are_no_defaults() -> None:
    """What is drawn at each start is told as random, so that the page stays the same."""
    assert settings_page() == settings_page()
    assert '| `session_secret` | secret: "env:NAME" or "file:PATH" | random |' in settings_page()


def test_headings_are_those_of_a_settings_file() -> None:
    """Of a table that there may be several of in two pairs of brackets, whatever it is called."""
    headings = [line.removeprefix("## ").strip("`") for line in settings_page().splitlines() if line.startswith("## ")]
    assert {"[serve.http]", "[[serve.webhooks]]", "[[serve.alerts.feeds]]"} <= set(headings)
