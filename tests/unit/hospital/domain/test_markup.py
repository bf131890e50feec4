"""Sources of documents in place of texts."""

from __future__ import annotations

import pytest

from overread.hospital.domain.markup import markup_of


@pytest.mark.parametrize("text", ["<p a=" + " " * 100_000, "<p a= " * 20_000, "{ " * 50_000, "<td" + "\n" * 100_000])
def test_a_text_that_nearly_is_markup_takes_no_longer_than_another(text: str) -> None:
    """One that took the square of its length would keep the whole process from answering for minutes."""
    assert markup_of(text) == ""


@pytest.mark.parametrize("text", ["Clear.<br />", "<P ALIGN = left >Clear.", "Clear.</td\n>", "<!DOCTYPE html>Clear."])
def test_tags_are_known_however_they_are_spaced(text: str) -> None:
    """Blanks and line breaks may stand within one."""
    assert markup_of(text) == "HTML"
