"""A tiny model, a judge trained once, silence while models are saved, and no network."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from overread.adapters.llm.judge_training.fit import fit_judge
from overread.adapters.llm.judge_training.fitted import FittedJudge

from ...offline import no_network, silent_saving, without_network
from .material import judged_pairs, save_model, short_recipe

__all__ = ["no_network", "silent_saving"]


class Trained(NamedTuple):
    """A run of both stages, and what was told meanwhile."""

    base: Path
    folder: Path
    fitted: FittedJudge
    told: list[tuple[str, float, float, float]]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory, base: Path) -> Trained:
    place = tmp_path_factory.mktemp("trained")
    recipe = short_recipe(place, "sft_epochs=9", "merge=true")
    told: list[tuple[str, float, float, float]] = []
    with without_network():
        fitted = fit_judge(
            judged_pairs(64),
            str(base),
            place / "judge",
            recipe,
            tests={"others": judged_pairs(16)},
            note="made for a test",
            told=lambda *figures: told.append(figures),
        )
    return Trained(base, place / "judge", fitted, told)
