"""The plugin of ratescore: options from configuration, components from the assembly, conformance."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from attrs import evolve

from overread.adapters.metrics.ratescore.options import RateScoreOptions
from overread.adapters.metrics.ratescore.plugin import overread_metrics
from overread.adapters.metrics.ratescore.tables import table_record
from overread.application.metrics.ratescore import EmptyRule, RateScoreMetric
from overread.domain.entities.affinity import TABLES, Orientation, PenaltyRule
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import ComponentSpec
from overread.testing import FakeEncoder, FakeRecognizer, check_metric

[SPEC] = overread_metrics()
RELEASED_OTHERWISE = RateScoreOptions(
    table="release-0.5-long",
    orientation=Orientation.PAPER,
    penalty=PenaltyRule.ANY_MISMATCH,
    empty=EmptyRule.RELEASE,
)


@pytest.mark.parametrize("options", [RateScoreOptions(), RELEASED_OTHERWISE])
def test_ratescore_keeps_the_contract_of_a_metric(options: RateScoreOptions) -> None:
    """The contract holds under any options."""
    check_metric(SPEC, options=options)


@pytest.fixture
def assembled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Builds ratescore over fakes, as configuration says."""
    return assembled_of(monkeypatch, FakeRecognizer, FakeEncoder)


def assembled_of(monkeypatch: pytest.MonkeyPatch, recognizer: type, encoder: type) -> Any:
    def spec(built: type) -> ComponentSpec:
        return ComponentSpec(name="fake", version="1.0", summary="", factory=lambda _options, _components: built())

    fakes = ModuleType("fake_entities.plugin")
    vars(fakes).update(
        overread_recognizers=hookimpl(lambda: [spec(recognizer)]),
        overread_encoders=hookimpl(lambda: [spec(encoder)]),
    )
    monkeypatch.setitem(sys.modules, fakes.__name__, fakes)
    catalogue = Catalogue.discover(
        builtins=["overread.adapters.metrics.ratescore.plugin", fakes.__name__], entry_points=[]
    )
    choices = {"recognizer": "fake", "encoder": "fake"}

    def build(choice: str = "ratescore", **options: object) -> RateScoreMetric:
        metric = Assembly(catalogue, choices=choices, options={"ratescore": options}).metric(choice)
        assert isinstance(metric, RateScoreMetric)
        return metric

    return build


def test_by_default_the_latest_release_is_reproduced(assembled: Any) -> None:
    """Table, orientation and penalty as published; every one of them is in the signature."""
    assert dict(assembled().signature_parts) == {
        "recognizer": "fake",
        "encoder": "fake",
        "table": "release-0.6-long",
        "orientation": "release",
        "penalty": "polarity",
        "empty": "zero",
    }


def test_every_option_can_be_set_as_text(assembled: Any) -> None:
    """The command line has nothing but text."""
    parts = dict(
        assembled(
            table="release-0.6-short", orientation="paper", penalty="any-mismatch", empty="release"
        ).signature_parts
    )
    assert parts.items() >= {
        ("table", "release-0.6-short"),
        ("orientation", "paper"),
        ("penalty", "any-mismatch"),
        ("empty", "release"),
    }


def test_the_argument_is_the_table(assembled: Any, tmp_path: Path) -> None:
    """A published one, or a user's own from its file, named with a digest."""
    assert assembled("ratescore:repo-2024-11-short").table is TABLES["repo-2024-11-short"]
    mine = evolve(TABLES["release-0.6-long"], name="mine", p=0.1)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(table_record(mine)), encoding="utf-8")
    assert dict(assembled(f"ratescore:{path}").signature_parts)["table"] == mine.identity
    assert assembled(table=str(path)).table == mine


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("orientation", "upside-down", "must be one of paper, release"),
        ("penalty", "none", "must be one of any-mismatch, polarity"),
        ("empty", "half", "must be one of zero, release"),
        ("table", "latest", "unknown affinity table 'latest'"),
        ("compat", "ratescore-0.5.0", "compat"),
    ],
)
def test_what_cannot_be_set_is_told(assembled: Any, option: str, value: str, message: str) -> None:
    """The message lists what can be."""
    with pytest.raises(ConfigurationError, match=message):
        assembled(**{option: value})


class ReleasedRecognizer(FakeRecognizer):
    """A recognizer that can do its part for a release."""

    identity = "fake as in ratescore-0.6.0"

    def as_released(self, release: str) -> ReleasedRecognizer:
        assert release in self.identity
        return self


class ReleasedEncoder(FakeEncoder):
    """An encoder that can do its part for a release."""

    identity = "fake as in ratescore-0.6.0"

    def as_released(self, release: str) -> ReleasedEncoder:
        assert release in self.identity
        return self


def test_compat_asks_components_for_the_release_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both components answer as there, a report without entities scores as there, and the signature says so."""
    build = assembled_of(monkeypatch, ReleasedRecognizer, ReleasedEncoder)
    assert dict(build(compat="ratescore-0.6.0").signature_parts) == {
        "recognizer": "fake as in ratescore-0.6.0",
        "encoder": "fake as in ratescore-0.6.0",
        "table": "release-0.6-long",
        "orientation": "release",
        "penalty": "polarity",
        "empty": "release",
        "compat": "ratescore-0.6.0",
    }


def test_compat_refuses_a_component_that_cannot_do_as_the_release(assembled: Any) -> None:
    """Numbers that look like the release's and are not would be compared with published ones."""
    with pytest.raises(
        ConfigurationError, match=r"compat=ratescore-0\.6\.0 needs a checkpoint, recognizer=bert:FOLDER"
    ):
        assembled(compat="ratescore-0.6.0")


def test_compat_refuses_readings_of_a_table_that_the_release_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release knows one."""
    build = assembled_of(monkeypatch, ReleasedRecognizer, ReleasedEncoder)
    with pytest.raises(ConfigurationError, match=r"orientation=release; .*penalty=polarity"):
        build(compat="ratescore-0.6.0", orientation="paper", penalty="any-mismatch")


def test_the_plugin_imports_nothing_heavy() -> None:
    """Listing plugins stays quick."""
    heavy = ("torch", "transformers", "spacy", "scipy", "optuna", "sklearn")
    code = f"import sys, overread.adapters.metrics.ratescore.plugin; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
