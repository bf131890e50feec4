"""A tiny model, a judge trained once, silence while models are saved, and no network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest
from transformers.utils import logging

from overread.adapters.llm.judge_training.fit import fit_judge
from overread.adapters.llm.judge_training.fitted import FittedJudge

from .material import judged_pairs, save_model, short_recipe


class Trained(NamedTuple):
    """A run of both stages, and what was told meanwhile."""

    base: Path
    folder: Path
    fitted: FittedJudge
    told: list[tuple[str, float, float, float]]


@pytest.fixture(autouse=True, scope="session")
def _silent_saving() -> Iterator[None]:
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    yield
    logging.enable_progress_bar()  # type: ignore[no-untyped-call]


@pytest.fixture(autouse=True)
def _no_network() -> Iterator[None]:
    with without_network():
        yield


@contextmanager
def without_network() -> Iterator[None]:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a test looked for the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield


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
