"""The page of all findings is that of the shipped lexicon."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.describe import page

_PAGE: Final = Path(__file__).parents[2] / "docs" / "lexicon-findings.md"


def test_the_page_of_findings_is_what_the_command_prints() -> None:
    """A change of the lexicon changes its documentation."""
    expected = page(load_knowledge().lexicon) + "\n"
    is_current = _PAGE.read_text(encoding="utf-8") == expected
    assert is_current, "regenerate it: overread lexicon page > docs/lexicon-findings.md"
