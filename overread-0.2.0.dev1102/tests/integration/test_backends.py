"""Every recognizer, encoder and error counter by configuration: each scores, and no two under one signature."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.application.scoring.evaluate import NamedMetric
from overread.bootstrap.services import build_service
from overread.domain.reports.report import ReportPair
from overread.infrastructure.settings import Settings

from ..unit.adapters.bert.checkpoints import save_bert_classifier, save_bert_encoder
from ..unit.adapters.bert.crepe.checkpoints import write
from .conftest import Run

PAIRS = [
    ReportPair(id="same", reference="No pleural effusion.", candidate="No pleural effusion."),
    ReportPair(id="other", reference="Small left pleural effusion. Heart normal.", candidate="No effusion."),
]
TEXTS = ("--reference-text", "Small left pleural effusion.", "--candidate-text", "No pleural effusion.")
STAND_INS = {
    "ratescore": ("stand in for the published RaTE-NER-DeBERTa", "stand in for the published BioLORD-2023-C"),
    "crepe": ("stands in for the published CREPE-BiomedBERT",),
}


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("checkpoints")
    return {
        "recognizer": save_bert_classifier(folder / "recognizer", {"effusion": "B-ABNORMALITY", "lung": "B-ANATOMY"}),
        "encoder": save_bert_encoder(folder / "encoder"),
        "counter": write(folder / "counter"),
    }


def named(metric: str, **choices: str) -> NamedMetric:
    return build_service(Settings(metrics=(metric,), choices=choices)).metrics[0]


def test_recognizers_and_encoders_swap_and_each_pair_of_them_has_its_signature(checkpoints: dict[str, Path]) -> None:
    """Scores of two backends are never taken for each other."""
    recognizers = ("units", f"bert:{checkpoints['recognizer']}")
    encoders = ("minilm", f"bert:{checkpoints['encoder']}")
    signatures = set()
    for recognizer in recognizers:
        for encoder in encoders:
            metric = named("ratescore", recognizer=recognizer, encoder=encoder)
            assert len(metric.metric.evaluate(PAIRS)) == len(PAIRS)
            signatures.add(str(metric.signature))
    assert len(signatures) == len(recognizers) * len(encoders)


def test_error_counters_swap_and_each_has_its_signature(checkpoints: dict[str, Path]) -> None:
    """Scores of two checkpoints are never taken for each other."""
    counters = ("small", f"bert:{checkpoints['counter']}")
    metrics = [named("crepe", error_counter=counter) for counter in counters]
    assert len({str(metric.signature) for metric in metrics}) == len(counters)
    assert all(len(metric.metric.evaluate(PAIRS)) == len(PAIRS) for metric in metrics)


def test_no_signature_tells_where_a_checkpoint_lies(checkpoints: dict[str, Path]) -> None:
    """Paths tell of the machine; the digest is enough."""
    signature = str(named("crepe", error_counter=f"bert:{checkpoints['counter']}").signature)
    assert "counter@" in signature
    assert str(checkpoints["counter"].parent) not in signature


@pytest.mark.parametrize("output", ["text", "json", "html"])
@pytest.mark.parametrize("metric", ["ratescore", "crepe"])
def test_a_stand_in_is_named_wherever_its_score_is_shown(run: Run, metric: str, output: str) -> None:
    """Nobody takes its scores for the published model's, in any format."""
    status, out, err = run("score", "--metric", metric, "--format", output, *TEXTS)
    assert (status, err) == (0, "")
    shown = " ".join(out.split())
    for words in STAND_INS[metric]:
        assert words in shown


def test_a_checkpoint_of_ones_own_stands_in_for_nothing(run: Run, checkpoints: dict[str, Path]) -> None:
    """The note is about the embedded models alone."""
    choices = (
        "--set",
        f"recognizer=bert:{checkpoints['recognizer']}",
        "--set",
        f"encoder=bert:{checkpoints['encoder']}",
    )
    status, out, _ = run("score", "--metric", "ratescore", "--format", "json", *choices, *TEXTS)
    [record] = json.loads(out)
    assert status == 0
    assert not [note for note in record.get("notes", []) if "stand" in note]
