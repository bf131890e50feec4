"""Metrics as other libraries have them: evaluate's compute, and a metric of torchmetrics in one and two processes."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import torch
from torchmetrics import MetricCollection

import overread
from overread.exceptions import ConfigurationError, InputError, MissingDependencyError
from overread.integrations.torchmetrics import ReportMetric

REFERENCES: Final = ["Small left pleural effusion.", "The lungs are clear.", "No mass.", "", "Old rib fracture."]
PREDICTIONS: Final = ["Small right pleural effusion.", "Clear lungs.", "A mass.", "", "New rib fracture."]


def expected(name: str) -> list[float]:
    """The scores of those pairs that have one, by the plain interface."""
    results = overread.score_many(references=REFERENCES, candidates=PREDICTIONS, metrics=[name])
    return [pair[name].score for pair in results if pair[name].is_scored]


# --- as evaluate's ---


def test_compute_gives_means_and_counts() -> None:
    """A dict of numbers: the mean covers the scored pairs, and the counts beside it say so."""
    found = overread.load("rouge").compute(predictions=PREDICTIONS, references=REFERENCES)
    scores = expected("rouge")
    assert found == {"rouge": math.fsum(scores) / 4, "pairs": 5, "rouge_scored": 4, "rouge_unscored": 1}
    assert {type(value) for value in found.values()} <= {int, float}


def test_pairs_may_be_added_before() -> None:
    """One at a time and in batches, as evaluate's modules allow; what was computed is forgotten."""
    metric = overread.load(["rouge", "bleu"])
    metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    metric.add_batch(predictions=PREDICTIONS[1:3], references=REFERENCES[1:3])
    found = metric.compute(predictions=PREDICTIONS[3:], references=REFERENCES[3:])
    assert found == overread.load(("rouge", "bleu")).compute(predictions=PREDICTIONS, references=REFERENCES)
    with pytest.raises(InputError, match="there are none to compute with"):
        metric.compute()
    assert (metric.name, metric.higher_is_better) == ("rouge bleu", {"rouge": True, "bleu": True})


def test_directions_are_those_of_the_metrics() -> None:
    """A trainer that keeps its best model must know; nothing is loaded to tell."""
    assert overread.load(["radot", "notation"]).higher_is_better == {"radot": False, "notation": True}


def test_where_nothing_is_scored_there_is_no_mean() -> None:
    """NaN is what a trainer logs for it; a 0 would be a score."""
    found = overread.load("rouge").compute(predictions=[""], references=[" "])
    assert math.isnan(found.pop("rouge"))
    assert found == {"pairs": 1, "rouge_scored": 0, "rouge_unscored": 1}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"predictions": ["a"]}, "come together"),
        ({"predictions": ["a"], "references": []}, "0 references for 1 predictions"),
        ({"predictions": "a", "references": "b"}, "is str, not a list"),
        ({"predictions": {"a"}, "references": ["b"]}, "predictions is a set, which has neither order nor duplicates"),
        ({"predictions": ["a"], "references": [["a", "b"]]}, "reference is a list, not text"),
        ({"predictions": ["a", None, 7], "references": ["a", "b", "c"]}, "2 of 3 rows are bad"),
    ],
)
def test_what_is_no_pair_is_refused(arguments: dict[str, Any], problem: str) -> None:
    """Every bad pair is named, and none of them is left for the next call."""
    metric = overread.load("rouge")
    with pytest.raises(InputError, match=problem):
        metric.compute(**arguments)
    assert metric.compute(predictions=["a"], references=["a"])["pairs"] == 1


def test_bad_pairs_may_count_as_unscored() -> None:
    """The others have their mean."""
    metric = overread.load("rouge", on_error="skip")
    found = metric.compute(predictions=["No mass.", None], references=["No mass.", "No mass."])
    assert found == {"rouge": 1.0, "pairs": 2, "rouge_scored": 1, "rouge_unscored": 1}


def test_a_metric_that_there_is_not_is_told_at_once() -> None:
    """Before an epoch has been trained."""
    with pytest.raises(ConfigurationError, match="rogue"):
        overread.load("rogue")
    with pytest.raises(ConfigurationError, match="name a metric"):
        ReportMetric([])


# --- as torchmetrics' ---


def test_a_metric_is_updated_computed_and_reset() -> None:
    """In batches of any size or one pair at a time, with the numbers that compute gives."""
    metric = ReportMetric("rouge")
    metric.update(PREDICTIONS[:2], REFERENCES[:2])
    for prediction, reference in zip(PREDICTIONS[2:], REFERENCES[2:], strict=True):
        metric.update(prediction, reference)
    found = {name: value.item() for name, value in metric.compute().items()}
    assert found == overread.load("rouge").compute(predictions=PREDICTIONS, references=REFERENCES)
    metric.reset()
    metric.update(PREDICTIONS[0], REFERENCES[0])
    assert metric.compute()["pairs"] == 1


def test_a_call_gives_the_batch_and_keeps_the_whole() -> None:
    """As with every metric of torchmetrics; each pair is scored once."""
    metric = ReportMetric("rouge")
    batch = metric(PREDICTIONS[:1], REFERENCES[:1])
    metric(PREDICTIONS[1:], REFERENCES[1:])
    assert batch["rouge"].item() == expected("rouge")[0]
    assert metric.compute()["rouge"].item() == math.fsum(expected("rouge")) / 4


def test_a_metric_tells_its_direction() -> None:
    """One direction, or none where metrics differ."""
    assert ReportMetric("radot").higher_is_better is False
    assert ReportMetric("notation").higher_is_better is True
    assert ReportMetric(["radot", "notation"]).higher_is_better is None


def test_a_metric_can_be_copied_and_sent() -> None:
    """With its numbers and without the scorer, which every process builds for itself; no report text is in it."""
    metric = ReportMetric("rouge")
    metric.update(PREDICTIONS, REFERENCES)
    sent = pickle.dumps(metric)
    assert b"effusion" not in sent
    for other in (copy.deepcopy(metric), metric.clone(), pickle.loads(sent)):  # noqa: S301 - our own
        other.update(PREDICTIONS, REFERENCES)
        assert other.compute()["pairs"] == 10
    assert metric.compute()["pairs"] == 5


def test_metrics_stand_in_a_collection() -> None:
    """Their numbers keep their names."""
    found = MetricCollection({"text": ReportMetric("rouge"), "words": ReportMetric("bleu")})(PREDICTIONS, REFERENCES)
    assert {"text_rouge", "words_bleu", "words_bleu_unscored"} <= set(found)


def test_its_numbers_are_precise_whatever_the_model_is() -> None:
    """A module that holds the metric may be made half precise; scores are not."""
    module = torch.nn.ModuleList([metric := ReportMetric("rouge")]).half()
    metric.update(PREDICTIONS, REFERENCES)
    assert metric.compute()["rouge"].item() == math.fsum(expected("rouge")) / 4
    assert len(module) == 1


def test_nothing_scored_is_no_score() -> None:
    """Before any pair has come, too."""
    metric = ReportMetric("rouge")
    metric.update([], [])
    assert math.isnan(metric.compute()["rouge"].item())
    assert metric.compute()["pairs"] == 0


def test_two_processes_compute_what_one_does(tmp_path: Path) -> None:
    """To the last digit, on both of them, unscored and bad pairs included; also where one of them has no pair."""
    batches = [([one], [other]) for one, other in zip([*PREDICTIONS, None], [*REFERENCES, "No mass."], strict=True)]
    cases = [[batches[:first], batches[first:][:second]] for first, second in ((3, 3), (5, 0))]
    (tmp_path / "pairs.json").write_text(json.dumps(cases), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("meeting", "pairs.json", "found")]
    command = [sys.executable, str(Path(__file__).with_name("reduced.py"))]
    environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo"}
    processes = [subprocess.Popen([*command, str(rank), *files], env=environment) for rank in range(2)]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    found = [json.loads((tmp_path / f"found.{rank}").read_text(encoding="utf-8")) for rank in range(2)]
    for number, parts in enumerate(cases):
        alone = overread.load(["rouge", "bleu"], on_error="skip")
        for part in parts:
            for one, other in part:
                alone.add_batch(predictions=one, references=other)
        whole = alone.compute()
        assert whole["pairs"] == sum(map(len, parts))
        assert [each[number] for each in found] == [whole, whole]


@pytest.mark.parametrize(
    ("package", "use", "install"),
    [
        ("torchmetrics", "import overread.integrations.torchmetrics", r"overread\[torchmetrics\]"),
        ("evaluate", "import overread.integrations.evaluate", r"overread\[evaluate\]"),
        ("inspect_ai", "import overread.integrations.inspect_ai", r"overread\[inspect\]"),
        ("pandas", "import overread; overread.frame([])", r"overread\[frames\]"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(package: str, use: str, install: str) -> None:
    """And nothing else needs it."""
    code = f"import sys; sys.modules[{package!r}] = None; import overread; overread.load; {use}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert MissingDependencyError.__name__ in last
    assert f"needs {package}" in last
    assert install.replace("\\", "") in last


def test_scoring_prints_nothing_by_itself() -> None:
    """No bar and no advice of the libraries that load a model: a host's output is its own."""
    code = "import overread; overread.score(reference='Clear.', candidate='No mass.', metrics=['ratescore', 'crepe'])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("", "")
