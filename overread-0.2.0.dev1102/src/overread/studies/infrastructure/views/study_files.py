"""The files that a study is asked for: CSV and a page."""

from __future__ import annotations

from pathlib import Path

from overread.application.statistics.tabulation import Tabulation
from overread.exceptions import InputError
from overread.infrastructure.files.whole_files import check_place, write_whole
from overread.infrastructure.views.tabulations import write_csv
from overread.infrastructure.views.web.tabulation_page import tabulation_page

__all__ = ["check_study_files", "write_study_files"]


def check_study_files(*, csv: Path | None, html: Path | None) -> None:
    """Finds out before a long study whether its files could not be written after it.

    Args:
        csv: folder for the tables, or None.
        html: file for the page, or None.

    Raises:
        InputError: if the folder is a file, or no file can be where the page is to be.
    """
    if csv is not None and csv.exists() and not csv.is_dir():
        raise InputError(str(csv), "is a file", remedy="name a folder")
    if html is not None:
        check_place(html)


def write_study_files(tabulation: Tabulation, *, csv: Path | None, html: Path | None) -> None:
    """Writes what is asked for; if the tables cannot be written the page still is, before that is told.

    Raises:
        InputError: if a file cannot be written, or would replace another study's.
    """
    try:
        if csv is not None:
            write_csv(tabulation, csv)
    finally:
        if html is not None:
            write_whole(html, tabulation_page(tabulation))
