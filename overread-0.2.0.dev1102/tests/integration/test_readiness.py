"""Readiness of a process whose model cannot score: by HTTP, with reports that wait meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final

import httpx2
from attrs import define

from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scale, Scored
from overread.hospital.application.service import HospitalService
from overread.hospital.bootstrap.serving import ServiceProcess
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.http.configuration import ServerOptions
from overread.hospital.infrastructure.serving_settings import ServeConfiguration
from overread.hospital.testing import MemoryHospitalStore

from ..hospital_standing import standing

_ADMIN: Final = Actor(name="admin", roles={Role.ADMIN})
_PATIENCE_S: Final = 60.0
_SOON: Final = timedelta(milliseconds=10)


@define(eq=False)
class _Model:
    """What both metrics stand on; it may be broken."""

    broken: bool = True
    signature_parts = (("model", "1"),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        if self.broken:
            raise RuntimeError("could not create a primitive")
        return [Scored(score=0.5) for _ in pairs]


def test_a_process_that_cannot_score_says_so_and_keeps_pairs_waiting() -> None:
    """From its beginning, and later; once the model is back, what waited is scored, and the process is ready."""
    model = _Model()
    metrics = [NamedMetric(name, "1", Scale(0.0, 1.0, higher_is_better=False), model) for name in ("radot", "notation")]
    hospital = HospitalService(MemoryHospitalStore(), EvaluationService(metrics))
    process = ServiceProcess(hospital, ServeConfiguration(http=ServerOptions(port=0)))
    process._scoring.every = process._scoring.again = _SOON
    key = process.access.issue("tester", [Role.ADMIN], by=_ADMIN).secret
    headers = {"Authorization": f"Bearer {key}"}
    with (
        standing(process) as listening,
        httpx2.Client(base_url=listening.url, headers=headers, trust_env=False) as client,
    ):
        assert _readiness(client) == (503, {"scoring", "workers"})
        number = _submitted(client, "before")
        assert _state(client, number)["waiting"] == 1
        model.broken = False
        _until(lambda: _readiness(client) == (200, set()))
        _until(lambda: _state(client, number)["scored"] == 1)
        model.broken = True
        lost = _submitted(client, "after")
        _until(lambda: _state(client, lost)["unscored"] == 1)
        _until(lambda: _readiness(client) == (503, {"scoring"}))


def _readiness(client: httpx2.Client) -> tuple[int, set[str]]:
    """Status of the answer, and the parts that do not work."""
    answer = client.get("/readyz")
    return answer.status_code, {name for name, state in answer.json()["parts"].items() if state != "ok"}


def _submitted(client: httpx2.Client, name: str) -> int:
    pair = {"id": name, "reference": f"Small left pneumothorax {name}.", "candidate": "No pneumothorax."}
    number: int = client.post("/api/v1/batches", json={"pairs": [pair]}).json()["number"]
    return number


def _state(client: httpx2.Client, number: int) -> dict[str, Any]:
    state: dict[str, Any] = client.get(f"/api/v1/batches/{number}").json()
    return state


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < until, "it does not come to hold"
        time.sleep(0.02)
