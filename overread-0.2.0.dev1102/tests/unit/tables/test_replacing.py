"""A file or folder is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from overread.tables.replacing import replacing, replacing_folder


def test_a_file_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    """Until then, and after an error, what was there before is there, and nothing else."""
    path = tmp_path / "file.txt"
    path.write_text("old", encoding="utf-8")

    def write(text: str, *, fails: bool = False) -> None:
        with replacing(path, durable=True) as partial:
            partial.write_text(text, encoding="utf-8")
            assert path.read_text(encoding="utf-8") == "old"
            if fails:
                raise ValueError("midway")

    with pytest.raises(ValueError, match="midway"):
        write("half", fails=True)
    assert path.read_text(encoding="utf-8") == "old"
    write("new")
    assert path.read_text(encoding="utf-8") == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    """What an earlier try left behind, and what the old folder held, is not in it."""
    path = tmp_path / "folder"
    path.mkdir()
    (path / "old").touch()

    def write(name: str, *, fails: bool = False) -> None:
        with replacing_folder(path) as partial:
            (partial / name).touch()
            if fails:
                raise ValueError("midway")

    with pytest.raises(ValueError, match="midway"):
        write("half", fails=True)
    assert [each.name for each in path.iterdir()] == ["old"]
    write("new")
    assert [each.name for each in path.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["pipe", "link"])
def test_a_pipe_is_not_replaced(tmp_path: Path, name: str) -> None:
    """A rename would remove a device or a pipe that others use: it is refused before there is anything to write."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with pytest.raises(FileExistsError, match="is a pipe or a device"), replacing(tmp_path / name):
        pytest.fail("nothing is to be written")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert len(list(tmp_path.iterdir())) == 2
