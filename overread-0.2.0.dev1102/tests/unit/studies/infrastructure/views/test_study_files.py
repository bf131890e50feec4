"""The files that a study is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from overread.exceptions import InputError
from overread.studies.infrastructure.views.study_files import check_study_files, write_study_files

from ....infrastructure.views.studied import STUDY


def test_what_is_asked_for_is_written(tmp_path: Path) -> None:
    """Tables and page are written where they are asked for, and nothing where they are not."""
    write_study_files(evolve(STUDY, plots=()), csv=tmp_path / "tables", html=tmp_path / "page.html")
    assert {path.name for path in tmp_path.rglob("*.*")} >= {"agreement.csv", "about.json", "page.html"}
    write_study_files(STUDY, csv=None, html=None)


def test_the_page_is_written_where_the_tables_cannot_be(tmp_path: Path) -> None:
    """The figures took long to come by."""
    (tmp_path / "pairs.csv").write_text("of another", encoding="utf-8")
    with pytest.raises(InputError, match="not of this study"):
        write_study_files(evolve(STUDY, plots=()), csv=tmp_path, html=tmp_path / "page.html")
    assert (tmp_path / "page.html").is_file()


def test_what_cannot_be_written_is_told_beforehand(tmp_path: Path) -> None:
    """A long study does not end in an error that was plain before it; the check itself makes nothing."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="is a file"):
        check_study_files(csv=tmp_path / "file", html=None)
    with pytest.raises(InputError, match="does not exist"):
        check_study_files(csv=tmp_path / "new", html=tmp_path / "none" / "page.html")
    with pytest.raises(InputError, match="is a folder"):
        check_study_files(csv=None, html=tmp_path)
    check_study_files(csv=tmp_path / "new", html=None)
    assert not (tmp_path / "new").exists()
