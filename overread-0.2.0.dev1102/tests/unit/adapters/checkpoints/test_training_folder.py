"""Training folders: one run each, started again where it was killed, never over somebody else's model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from overread.adapters.checkpoints.training_folder import claim_folder, newest_checkpoint
from overread.exceptions import ConfigurationError

CLAIM = {"data": "abc", "options": {"seed": 1}}


def checkpoint(folder: Path, step: int) -> Path:
    made = folder / f"checkpoint-{step}"
    made.mkdir(parents=True)
    save_file({"w": np.ones(3, dtype=np.float32)}, made / "model.safetensors")
    (made / "trainer_state.json").write_text("{}")
    return made


def test_the_same_run_may_come_again_and_another_may_not(tmp_path: Path) -> None:
    """A folder belongs to the data and options it was begun with."""
    with claim_folder(tmp_path, CLAIM):
        pass
    with claim_folder(tmp_path, CLAIM):
        pass
    with (
        pytest.raises(ConfigurationError, match="other data or options"),
        claim_folder(tmp_path, {**CLAIM, "data": "x"}),
    ):
        pass


def test_a_run_that_fails_before_its_first_checkpoint_leaves_the_folder_free(tmp_path: Path) -> None:
    """A typing error does not take a folder for good."""
    with pytest.raises(RuntimeError), claim_folder(tmp_path, CLAIM):
        raise RuntimeError
    with claim_folder(tmp_path, {"data": "other"}):
        pass


def test_a_run_that_fails_later_keeps_the_folder(tmp_path: Path) -> None:
    """Hours of training are not given to other data."""
    checkpoint(tmp_path / "checkpoints", 5)
    with pytest.raises(RuntimeError), claim_folder(tmp_path, CLAIM):
        raise RuntimeError
    with pytest.raises(ConfigurationError, match="another folder"), claim_folder(tmp_path, {"data": "other"}):
        pass


def test_a_folder_with_a_model_of_no_run_is_left_alone(tmp_path: Path) -> None:
    """For example the backbone that is trained from."""
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="holds a model already"), claim_folder(tmp_path, CLAIM):
        pass
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["config.json"]


def test_a_mark_that_cannot_be_read_is_another_runs(tmp_path: Path) -> None:
    """In doubt nobody's model is overwritten."""
    (tmp_path / "training.json").write_text("")
    with pytest.raises(ConfigurationError, match="other data or options"), claim_folder(tmp_path, CLAIM):
        pass


def test_two_runs_at_once_are_refused(tmp_path: Path) -> None:
    """Two processes would write into each other's checkpoints."""
    with (
        claim_folder(tmp_path, CLAIM),
        pytest.raises(ConfigurationError, match="another process"),
        claim_folder(tmp_path, CLAIM),
    ):
        pass


def test_the_newest_checkpoint_is_the_last_one_written_to_its_end(tmp_path: Path) -> None:
    """A run that was killed while it wrote goes on from the one before."""
    assert newest_checkpoint(tmp_path) is None
    whole = checkpoint(tmp_path, 9)
    (checkpoint(tmp_path, 10) / "trainer_state.json").unlink()
    cut = checkpoint(tmp_path, 11) / "model.safetensors"
    cut.write_bytes(cut.read_bytes()[:20])
    (checkpoint(tmp_path, 12) / "trainer_state.json").write_text('{"epoch": 1')
    (tmp_path / "checkpoint-13").mkdir()
    assert newest_checkpoint(tmp_path) == whole
    assert json.loads((whole / "trainer_state.json").read_text()) == {}
