"""A service that is pickled, as hosts do to give it to other processes."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, field, frozen

import overread
from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.bootstrap.services import build_service
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scale, Scored
from overread.exceptions import ConfigurationError

SCALE = Scale(0.0, 100.0, higher_is_better=True)
PAIRS = [
    ReportPair(id="a", reference="Small left pleural effusion.", candidate="Small right pleural effusion."),
    ReportPair(id="b", reference="No pneumothorax.", candidate="Zebrafish pneumothorax."),
]


@frozen(eq=False)
class Length:
    """A metric that can be sent."""

    signature_parts = (("length", "1"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [Scored(score=float(len(pair.candidate.text))) for pair in pairs]


@frozen(eq=False)
class Locked(Length):
    """A metric that cannot."""

    lock: object = field(factory=threading.Lock)


def _by_hand(metric: Length) -> EvaluationService:
    return EvaluationService([NamedMetric("length", "1", SCALE, metric)], batch_size=7)


def _out(sent: bytes) -> Any:
    return pickle.loads(sent)  # noqa: S301 - made by this test


def _sent(service: EvaluationService) -> Any:
    return _out(pickle.dumps(service))


def test_a_service_scores_the_same_where_it_comes_out() -> None:
    """What was scored before travels with it no more than locks do; what a host set does."""
    service = overread.open_service({"time_limit": 60}, metrics=["notation", "rouge"])
    service.batch_size, service.refresh = 3, True
    expected = service.evaluate(PAIRS)
    sent = pickle.dumps(service)
    assert b"Zebrafish" not in sent
    again = _out(sent)
    assert again is not service
    assert (again.batch_size, again.refresh, again.time_limit) == (3, True, 60)
    assert again.evaluate(PAIRS) == expected


def test_a_service_scores_in_another_process() -> None:
    """A process that shares nothing with this one, as under Windows, macOS and joblib."""
    service = overread.open_service(metrics=["rouge"])
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = pool.submit(methodcaller("evaluate", PAIRS), service).result()
    assert found == service.evaluate(PAIRS)


def test_a_service_that_comes_out_again_and_again_is_built_once() -> None:
    """joblib sends it with every task."""
    service = overread.open_service(metrics=["rouge"])
    sent = pickle.dumps(service)
    first = _out(sent)
    assert _out(sent) is first
    service.batch_size = 5
    assert _sent(service).batch_size == 5


def test_a_service_with_a_store_of_its_settings_finds_it_again(tmp_path: Path) -> None:
    """The file is opened where it comes out."""
    with overread.open_service({"store": str(tmp_path / "kept.db")}, metrics=["rouge"]) as service:
        expected = service.evaluate(PAIRS)
        with _sent(service) as again:
            assert again.store is not service.store
            assert again.evaluate(PAIRS) == expected


def test_a_service_that_was_put_together_by_hand_is_sent_by_its_parts() -> None:
    """Locks and counts are made anew."""
    service = _by_hand(Length())
    again = _sent(service)
    assert again.batch_size == 7
    assert again.evaluate(PAIRS) == service.evaluate(PAIRS)


def test_a_part_that_cannot_be_sent_is_named(tmp_path: Path) -> None:
    """The metric by its name, a store as such."""
    with pytest.raises(pickle.PicklingError, match=r"the service's metric 'length' cannot be sent .* \(TypeError\)"):
        pickle.dumps(_by_hand(Locked()))
    with overread.open_store(tmp_path / "kept.db") as store:
        service = EvaluationService(_by_hand(Length()).metrics, store=store)
    with pytest.raises(pickle.PicklingError, match="the service's store cannot be sent to another process"):
        pickle.dumps(service)


def test_a_service_that_would_score_otherwise_where_it_comes_out_is_refused() -> None:
    """As where another version is installed, or a file of the settings is another."""
    service = overread.open_service(metrics=["rouge"])
    other = evolve(overread.Settings(metrics=("rouge",)), options={"rouge": {"variant": "rouge1"}})
    service.build = partial(build_service, other)
    with pytest.raises(ConfigurationError, match="rouge has a different signature here"):
        _sent(service)
