"""Criteria files: those that come with overread, and a user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.adapters.llm.judge.criteria import load_criteria
from overread.domain.vocabulary.taxonomy import ErrorAspect
from overread.exceptions import ConfigurationError

WHOLE = 'version = "2"\n[criteria]\n' + "".join(f'"{aspect.value}" = "Why?"\n' for aspect in ErrorAspect)


def test_there_is_a_paragraph_for_each_aspect() -> None:
    """Each says when an error of its aspect matters."""
    criteria = load_criteria()
    assert set(criteria.by_aspect) == set(ErrorAspect)
    assert len(set(criteria.by_aspect.values())) == 12
    assert all("ignificant if" in text or "Significant only if" in text for text in criteria.by_aspect.values())


def test_a_users_file_takes_their_place_and_changes_the_identity(tmp_path: Path) -> None:
    """Another wording gives other judgements, also under the same version."""
    file = tmp_path / "mine.toml"
    file.write_text(WHOLE, encoding="utf-8")
    mine = load_criteria(str(file))
    assert mine.by_aspect[ErrorAspect.NOISE] == "Why?"
    assert mine.identity.startswith("criteria@2:")
    file.write_text(WHOLE.replace('"Noise" = "Why?"', '"Noise" = "Why not?"'), encoding="utf-8")
    assert load_criteria(str(file)).identity != mine.identity


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("version = ", "is not TOML"),
        ('version = "1"', r"the table \[criteria\] is missing"),
        (WHOLE.replace('version = "2"', ""), "version is missing"),
        (WHOLE.replace('"Noise" = "Why?"', ""), "'Noise' has no paragraph"),
        (WHOLE.replace('"Noise" = "Why?"', '"Noise" = " "'), "'Noise' has no paragraph"),
        (WHOLE + '"Colour" = "x"', "'Colour' is not an aspect"),
        ("more = 1\n" + WHOLE, "unknown key 'more'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_is_wrong(tmp_path: Path, content: str, problem: str) -> None:
    """A missing paragraph would leave an aspect without criteria."""
    file = tmp_path / "mine.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=problem) as caught:
        load_criteria(str(file))
    assert "mine.toml" in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A missing file and a wrong encoding are told apart."""
    with pytest.raises(ConfigurationError, match=r"none\.toml cannot be read"):
        load_criteria(str(tmp_path / "none.toml"))
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        load_criteria(str(tmp_path / "latin.toml"))
