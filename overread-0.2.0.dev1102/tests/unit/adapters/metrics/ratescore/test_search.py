"""The search by TPE."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import optuna
import pytest

from overread.adapters.metrics.ratescore.search import TpeSearch

Array = npt.NDArray[np.float64]

TARGET = np.array([0.2, 0.9, 0.5])
START = np.full(3, 0.6)


def nearness(point: Array) -> float:
    return -float(((point - TARGET) ** 2).sum())


def test_the_search_finds_its_way() -> None:
    """Weights stay on 0 to 1."""
    found = TpeSearch().maximise(nearness, [START], trials=80, seed=0)
    assert nearness(found) > -0.02
    assert ((found >= 0) & (found <= 1)).all()


def test_the_starts_are_tried_first_and_the_best_wins() -> None:
    """The result is never worse than what was known before."""
    tried: list[Array] = []

    def kept(point: Array) -> float:
        tried.append(point)
        return nearness(point)

    starts = [START, TARGET, np.zeros(3)]
    found = TpeSearch().maximise(kept, starts, trials=5, seed=0)
    assert np.array_equal(tried[:3], starts)
    assert len(tried) == 5
    assert np.array_equal(found, TARGET)


def test_with_fewer_trials_than_starts_only_those_are_tried() -> None:
    """The number of trials is kept to."""
    assert np.array_equal(TpeSearch().maximise(nearness, [START, TARGET], trials=1, seed=0), START)


def test_the_seed_decides() -> None:
    """A published table can be learned again."""
    one, again, other = (TpeSearch().maximise(nearness, [START], trials=15, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_it_says_nothing_and_leaves_the_hosts_logging_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    """Optuna prints every trial by default."""
    before = optuna.logging.get_verbosity()
    told: list[tuple[int, int]] = []
    TpeSearch().maximise(nearness, [START], trials=3, seed=0, on_progress=lambda *at: told.append(at))
    assert optuna.logging.get_verbosity() == before
    assert capfd.readouterr() == ("", "")
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_version_of_optuna_is_part_of_its_identity() -> None:
    """Another version may search another way."""
    assert TpeSearch().identity == f"tpe,optuna={optuna.__version__}"
