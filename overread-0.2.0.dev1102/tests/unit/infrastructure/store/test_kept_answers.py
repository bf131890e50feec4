"""Files of kept answers: who may read a new one, and what one says that it holds."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from overread.domain.results.answer import Completion
from overread.exceptions import StoreError
from overread.infrastructure.store.answers import KeptPrompt, kept_prompts, open_answers


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_new_file_is_its_owners_alone(tmp_path: Path, umask: int) -> None:
    """With the files that stand beside it as it is written."""
    before = os.umask(umask)
    try:
        with open_answers(tmp_path / "a.sqlite") as store:
            store.add("k", Completion("x"), prompt="p", model="m")
            modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == {0o600}


def test_a_place_without_a_folder_is_told_and_nothing_is_made(tmp_path: Path) -> None:
    """A mistyped path does not leave folders behind."""
    with pytest.raises(StoreError, match="does not exist"):
        open_answers(tmp_path / "none" / "a.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_what_is_kept_is_counted_by_prompt_and_model(tmp_path: Path) -> None:
    """The most first; also while somebody writes, and under a name that a web address would not take."""
    path = tmp_path / "a b#1?.sqlite"
    with open_answers(path) as store:
        for key, prompt in (("1", "p@1:a"), ("2", "q@1:b"), ("3", "q@1:b")):
            store.add(key, Completion("x"), prompt=prompt, model="m")
        assert kept_prompts(path) == [KeptPrompt("q@1:b", "m", 2), KeptPrompt("p@1:a", "m", 1)]
    assert len(kept_prompts(path)) == 2


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    """Neither a text file nor a missing one passes for kept answers."""
    (tmp_path / "x").write_text("no database at all, but long enough to be looked at as one", encoding="utf-8")
    for name in ("x", "none"):
        with pytest.raises(StoreError, match="cannot be read"):
            kept_prompts(tmp_path / name)
