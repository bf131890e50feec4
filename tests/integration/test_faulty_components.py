"""A fault of a plugin's component is a reason for no score, whatever its kind, and never a score."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Final

import pytest

from overread.bootstrap.services import build_service
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Unscored
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.testing import (
    FakeEncoder,
    FakeExtractor,
    FakeLanguageModel,
    FakeRecognizer,
    FakeSecondReader,
)

_PLUGIN: Final = Path(__file__).parents[1] / "data" / "plugins" / "faulty_plugin"

_PAIRS: Final = [
    ReportPair(id="a", reference="Left effusion. No pneumothorax zqx.", candidate="Effusion. Pneumothorax zqx."),
    ReportPair(id="b", reference="Edema zqx.", candidate="Left fracture zqx. Edema."),
    ReportPair(id="c", reference="Fracture.", candidate="No fracture. Scoliosis zqx."),
]

_METRICS: Final = {
    "extractor": "notation",
    "recognizer": "ratescore",
    "encoder": "ratescore",
    "aligner": "radot",
    "second_reader": "notation",
    "readout": "radot",
    "error_counter": "crepe",
    "judge": "judge",
    "model": "green",
}
"""A metric that asks a component of each kind."""

_SOUND: Final = {
    "extractor": FakeExtractor(),
    "recognizer": FakeRecognizer(),
    "encoder": FakeEncoder(),
    "second_reader": FakeSecondReader(),
    "model": FakeLanguageModel(),
}


@pytest.fixture(scope="module")
def catalogue() -> Iterator[Catalogue]:
    """The built-in plugins and the faulty one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(_PLUGIN))
        point = EntryPoint("faulty", "overread_faulty", "overread")
        yield Catalogue.discover(entry_points=[point], strict=True)


def _score(catalogue: Catalogue, metric: str, kind: str = "", fault: str = "") -> list[Any]:
    choices = {kind: fault} if kind else {}
    provided = {other: sound for other, sound in _SOUND.items() if other != kind}
    assembly = Assembly(catalogue, choices=choices, provided=provided)
    service = build_service(Settings(metrics=(metric,), choices=choices), catalogue=catalogue, assembly=assembly)
    return [results[metric].outcome for results in service.evaluate(_PAIRS)]


@pytest.mark.parametrize("kind", _METRICS)
@pytest.mark.parametrize("fault", ["raises", "short", "nan", "writes"])
def test_a_faulty_component_leaves_every_pair_unscored(kind: str, fault: str, catalogue: Catalogue) -> None:
    """With a reason in words, and none of the report's."""
    if fault not in catalogue.names(kind):
        pytest.skip(f"a {kind} gives no number that could be none")
    outcomes = _score(catalogue, _METRICS[kind], kind, fault)
    for outcome in outcomes:
        assert isinstance(outcome, Unscored)
        assert "overread_faulty" in outcome.detail or (kind, fault) == ("model", "short")
        assert "zqx" not in outcome.reason + outcome.detail


@pytest.mark.parametrize("fault", ["raises", "short", "nan", "writes"])
def test_a_faulty_metric_leaves_every_pair_unscored(fault: str, catalogue: Catalogue) -> None:
    """As a component does."""
    outcomes = _score(catalogue, f"faulty-{fault}")
    assert all(isinstance(outcome, Unscored) for outcome in outcomes)


def test_a_sound_metric_beside_a_faulty_one_scores_as_alone(catalogue: Catalogue) -> None:
    """Nothing of the faulty ones reaches it."""
    names = [name for name in catalogue.names("metric") if name.startswith("faulty-")]
    service = build_service(Settings(metrics=(*names, "rouge")), catalogue=catalogue)
    alone = build_service(Settings(metrics=("rouge",)), catalogue=catalogue).evaluate(_PAIRS)
    beside = service.evaluate(_PAIRS)
    assert [results["rouge"].outcome for results in beside] == [results["rouge"].outcome for results in alone]
