"""A killed run: it goes on in the stage and at the step where it was, and ends where an undisturbed one does."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file

from overread.adapters.llm.judge_training.fit import fit_judge

from .material import judged_pairs, short_recipe

SETTINGS = ("dpo_epochs=2", "checkpoints=0.1", "lora_dropout=0.1")
SCRIPT = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from material import judged_pairs, short_recipe
from overread.adapters.llm.judge_training.fit import fit_judge
place = Path({place!r})
def told(stage, *_):
    if any(place.glob("killed/dpo/checkpoint-*/trainer_state.json")):
        os.kill(os.getpid(), signal.SIGKILL)
fit_judge(judged_pairs(16), {base!r}, place / "killed", short_recipe(place, *{settings!r}), told=told)
"""


@pytest.mark.slow
def test_a_killed_run_ends_where_an_undisturbed_one_does(tmp_path: Path, base: Path) -> None:
    """Killed after the first checkpoint of the second stage."""
    here, folder = str(Path(__file__).parent), tmp_path / "killed"
    script = SCRIPT.format(here=here, place=str(tmp_path), base=str(base), settings=SETTINGS)
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -signal.SIGKILL
    assert (folder / "sft" / "finished").is_dir()
    assert not (folder / "adapter").exists()

    told: list[str] = []
    recipe = short_recipe(tmp_path, *SETTINGS)
    resumed = fit_judge(judged_pairs(16), str(base), folder, recipe, told=lambda stage, *_: told.append(stage))
    undisturbed = fit_judge(judged_pairs(16), str(base), tmp_path / "whole", recipe)
    assert set(told) == {"dpo"}, "fine-tuning was not done again"
    assert len(told) < len(undisturbed.stages[1].losses) == len(resumed.stages[1].losses)
    assert [record.resumed for record in resumed.stages] == [False, True]
    weights = [load_file(fitted.adapter / "adapter_model.safetensors") for fitted in (resumed, undisturbed)]
    for name, weight in weights[0].items():
        assert weight.allclose(weights[1][name], atol=1e-6), name
    assert resumed.stages[1].after.margin == pytest.approx(undisturbed.stages[1].after.margin, rel=1e-4)
