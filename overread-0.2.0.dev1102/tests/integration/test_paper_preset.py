"""`radot=paper` is RadOT-Eval's system as one setting: costs, plans, features and readout."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from overread.application.metrics.radot import RadotMetric
from overread.application.ports import Request
from overread.domain.differences.cost import TableTwoCost
from overread.domain.differences.features import FEATURE_NAMES, features
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import Scored
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.testing import FakeLanguageModel

SHIPPED = files("overread.adapters.transport.nnls") / "data" / "paper.json"
UNITS: list[dict[str, Any]] = [
    {
        "span_text": "Small left effusion",
        "canonical_finding": "pleural effusion",
        "polarity": "present",
        "attributes": {"severity": "small"},
        "anatomy": ["left"],
    },
    {"span_text": "No pneumothorax", "canonical_finding": "pneumothorax", "polarity": "absent"},
]


def metric(choices: Mapping[str, str], options: Mapping[str, Mapping[str, object]] | None = None) -> RadotMetric:
    """radot as these choices make it; a model that is asked tells of the words that a report has."""

    def answer(request: Request) -> str:
        asked = request.messages[-1].text.rpartition("<report>")[2]
        return json.dumps({"units": [unit for unit in UNITS if unit["span_text"] in asked]})

    catalogue = Catalogue.discover()
    provided = {"model": FakeLanguageModel(answer), "answers": None}
    made = Assembly(catalogue, choices=choices, options=options or {}, provided=provided).metric("radot")
    assert isinstance(made, RadotMetric)
    return made


@pytest.fixture
def refitted(tmp_path: Path) -> Path:
    """A readout as `overread fit readout` writes one that was selected under other plans than the paper's."""
    record = json.loads(SHIPPED.read_text(encoding="utf-8"))
    record["aligner"] |= {"prior": "uniform", "epsilon": 0.05}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


@pytest.mark.parametrize("extractor", ["medspacy", "llm"])
def test_the_preset_alone_is_the_papers_system(extractor: str) -> None:
    """Table II's costs, polarity-heavy balanced plans at epsilon 0.20, 66 features with nonnegative coefficients."""
    made: Any = metric({"radot": "paper", "extractor": extractor})
    assert isinstance(made.reader.cost, TableTwoCost)
    assert made.reader.aligner.identity == "balanced,prior=polarity-heavy,eps=0.2,w=.25/.2/.4/.15"
    fitted = made.readout.readout
    assert fitted.feature_names == FEATURE_NAMES
    assert len(fitted.feature_names) == 66
    assert all((values >= 0).all() for values in fitted.coefficients.values())
    assert made.caveats == ()


def test_a_pair_read_by_a_model_has_the_risk_that_equation_2_gives() -> None:
    """With one candidate unit the plan is fixed, half of it from each reference unit; the costs are by hand."""
    pair = ReportPair(
        id="p", reference=Report("Small left effusion. No pneumothorax."), candidate=Report("No pneumothorax.")
    )
    made: Any = metric({"radot": "paper", "extractor": "llm"})
    (read,) = made.reader.read([pair])
    found = dict(zip(FEATURE_NAMES, features(read.aligned.cross), strict=True))
    expected = {"finding": 0.5, "anatomy": 0.25, "polarity": 0.5, "text": 0.5, "severity": 0.5 * 0.33}
    expected["ground"] = 0.5 * (0.25 + 0.2 * 0.5 + 0.4 + 0.15)
    for channel, value in expected.items():
        assert found[f"{channel}_expected"] == pytest.approx(value)
    assert (found["reference_unit_count"], found["candidate_unit_count"]) == (2, 1)
    (outcome,) = made.evaluate([pair])
    assert isinstance(outcome, Scored)
    fitted = made.readout.readout
    vector = np.array([found[name] for name in fitted.feature_names]) / fitted.scale
    risk = vector @ fitted.coefficients["total"] + fitted.intercepts["total"]
    assert outcome.score == pytest.approx(risk)


def test_a_fit_of_ones_own_brings_its_plans(refitted: Path) -> None:
    """No other setting is needed after `overread fit readout`, and so no caveat."""
    for choices in ({"radot": "paper", "readout": f"paper:{refitted}"}, {"readout": f"paper:{refitted}"}):
        made: Any = metric(choices)
        assert made.reader.aligner.plans == "balanced,prior=uniform,eps=0.05"
        assert isinstance(made.reader.cost, TableTwoCost)
        assert made.caveats == ()


def test_plans_that_are_chosen_stay_and_are_told(refitted: Path) -> None:
    """By name or by an option, beside the readout of one's own."""
    choices = {"radot": "paper", "readout": f"paper:{refitted}"}
    told = ("the readout was fitted on plans of balanced,prior=uniform,eps=0.05",)
    chosen: Any = metric({**choices, "aligner": "balanced"})
    assert (chosen.reader.aligner.plans, chosen.caveats) == ("balanced,prior=polarity-heavy,eps=0.2", told)
    sharper: Any = metric(choices, {"aligner": {"epsilon": 0.1}})
    assert (sharper.reader.aligner.plans, sharper.caveats) == ("balanced,prior=uniform,eps=0.1", told)
