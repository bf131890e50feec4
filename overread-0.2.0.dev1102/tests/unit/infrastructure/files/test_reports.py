"""Files of reports for a table of units."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.domain.reports.report import Report
from overread.exceptions import InputError
from overread.infrastructure.files.reports import read_distinct_reports


def test_each_report_is_read_once(tmp_path: Path) -> None:
    """Blank ones are left out."""
    path = tmp_path / "pairs.csv"
    path.write_text("id,reference,candidate\n1,Clear.,Effusion.\n2,Clear., \n", encoding="utf-8")
    assert read_distinct_reports(path) == [Report("Clear."), Report("Effusion.")]


@pytest.mark.parametrize(
    ("header", "words", "remedy"),
    [
        ("id,text", "no column report or reference or candidate", "`columns=NAME`"),
        ("id,reference,candidate", "holds no reports", ""),
    ],
)
def test_a_header_alone_is_told(tmp_path: Path, header: str, words: str, remedy: str) -> None:
    """An empty table would be taken for one of reports without findings."""
    path = tmp_path / "pairs.csv"
    path.write_text(f"{header}\n", encoding="utf-8")
    with pytest.raises(InputError, match=words) as caught:
        read_distinct_reports(path)
    assert remedy in caught.value.remedy


def test_a_header_alone_without_the_column_that_is_named_is_told(tmp_path: Path) -> None:
    """As with rows below it."""
    path = tmp_path / "pairs.csv"
    path.write_text("id,reference\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column text"):
        read_distinct_reports(path, ["text"])
