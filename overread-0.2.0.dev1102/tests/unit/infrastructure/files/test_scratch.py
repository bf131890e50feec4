"""Folders for the time of a run: none stays, however runs end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from overread.infrastructure.files.scratch import scratch_folder

KILLED = """
import os, sys
from pathlib import Path
from overread.infrastructure.files.scratch import scratch_folder

with scratch_folder(Path(sys.argv[1]), "run-") as folder:
    (folder / "words").write_text("of a report")
    os._exit(9)
"""


def test_a_folder_goes_with_what_is_in_it(tmp_path: Path) -> None:
    """What a run leaves in its folder goes with it."""
    with scratch_folder(tmp_path, "run-") as folder:
        (folder / "deeper").mkdir()
        assert [path.name for path in tmp_path.iterdir()] == [folder.name]
    assert list(tmp_path.iterdir()) == []


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    """And nothing else: runs that go on, folders of others, and what links lead to."""
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    (left,) = tmp_path.iterdir()
    (tmp_path / "run-of-others").mkdir()
    (tmp_path / "other").mkdir()
    with scratch_folder(tmp_path / "other", "run-") as elsewhere:
        (tmp_path / "run-link").symlink_to(elsewhere)
        with scratch_folder(tmp_path, "run-") as first, scratch_folder(tmp_path, "run-") as second:
            assert first.exists()
            assert second.exists()
            assert not left.exists()
        assert (tmp_path / "run-of-others").exists()
        assert elsewhere.exists()
