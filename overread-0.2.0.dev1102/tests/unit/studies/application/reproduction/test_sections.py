"""Which tables of a paper are made."""

from __future__ import annotations

import pytest

from overread.application.statistics.tabulation import Table
from overread.exceptions import ConfigurationError
from overread.studies.application.reproduction.published import PublishedPaper
from overread.studies.application.reproduction.sections import Reproduction, Section

PAPER = PublishedPaper(key="p", name="P", source="P et al.", tables={})


def maker(name: str, made: list[str]) -> Section:
    made.append(name)
    return Section(tables=(Table(name=name, title=name, columns=(), rows=()),))


def reproduction() -> Reproduction[list[str]]:
    return Reproduction(
        paper=PAPER,
        makers={name: lambda made, _paper, name=name: maker(name, made) for name in ("I", "IV", "fifths")},  # type: ignore[misc]
    )


def test_only_tables_that_are_asked_for_are_made_in_the_papers_order() -> None:
    """Numbers are taken in any case; progress counts the tables made."""
    made: list[str] = []
    done: list[int] = []
    sections = reproduction().sections(made, ["FIFTHS", "i"], done.append)
    assert made == ["I", "fifths"] == [section.tables[0].name for section in sections]
    assert done == [1, 2]


def test_all_are_made_where_none_is_named() -> None:
    """That is the usual case."""
    assert reproduction().choose_tables() == ("I", "IV", "fifths")


def test_an_unknown_table_is_refused_with_those_there_are() -> None:
    """Nothing is computed before."""
    with pytest.raises(ConfigurationError, match="no table 'II'; choose from I, IV, fifths"):
        reproduction().sections([], ["I", "II"])
