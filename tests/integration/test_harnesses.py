"""overread where others look for it: a module of evaluate, a task's functions, and scripts written for RadEval."""

from __future__ import annotations

import json
import math
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any, Final

import evaluate
import pytest
from rouge_score.rouge_scorer import RougeScorer

import overread
import overread.integrations.evaluate as module
from overread.exceptions import ConfigurationError, InputError
from overread.integrations.lm_eval import score_documents
from overread.integrations.radeval import INSTEAD, NOT_THEIRS, OtherNumbersWarning, RadEval

REFERENCES: Final = ["Small left pleural effusion.", "The lungs are clear.", "No mass.", ""]
PREDICTIONS: Final = ["Small right pleural effusion.", "Clear lungs.", "A mass.", ""]
_PATH: Final = str(module.__file__)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is fetched, and what evaluate copies goes into a folder of the test's own."""
    monkeypatch.setattr("evaluate.config.HF_EVALUATE_OFFLINE", True)
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", tmp_path / "metrics")
    monkeypatch.setattr("evaluate.loading.init_dynamic_modules", lambda: str(_dynamic_modules(tmp_path, monkeypatch)))


def _dynamic_modules(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    modules = folder / "evaluate_modules"
    modules.mkdir(exist_ok=True)
    (modules / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(folder))
    for name in [name for name in sys.modules if name.startswith("evaluate_modules")]:
        monkeypatch.delitem(sys.modules, name)
    return modules


# --- evaluate ---


def test_evaluate_loads_the_installed_file() -> None:
    """By its path and the metric's name, with the numbers of `overread.load`; twice, as what was computed is gone."""
    metric = evaluate.load(_PATH, "rouge,bleu")
    expected = overread.load(["rouge", "bleu"]).compute(predictions=PREDICTIONS, references=REFERENCES)
    assert metric.compute(predictions=PREDICTIONS, references=REFERENCES) == expected
    metric.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
    for prediction, reference in zip(PREDICTIONS[2:], REFERENCES[2:], strict=True):
        metric.add(prediction=prediction, reference=reference)
    assert metric.compute() == expected
    assert expected["rouge_unscored"] == 1


def test_a_module_says_what_it_is() -> None:
    """Its name, what it takes, what it is for and how it is cited."""
    metric = evaluate.load(_PATH, "radot")
    assert (metric.name, metric.config_name, metric.higher_is_better) == ("overread", "radot", {"radot": False})
    assert {name: feature.dtype for name, feature in metric.features.items()} == {
        "predictions": "string",
        "references": "string",
    }
    assert "radiology reports" in metric.description
    assert "@software{overread" in metric.citation
    assert "NAME_unscored" in metric.inputs_description


def test_modules_are_combined() -> None:
    """Their own keys stay; what both have is told apart by number."""
    both = evaluate.combine([evaluate.load(_PATH, "rouge"), evaluate.load(_PATH, "bleu")])
    found = both.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert {"rouge", "bleu", "overread_0_pairs", "overread_1_pairs", "bleu_unscored"} <= set(found)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"predictions": ["secret", 7], "references": ["secret", "a"]}, "predictions, row 2: is int, not text"),
        ({"predictions": ["a"], "references": [None]}, "references, row 1: is NoneType, not text"),
        ({"predictions": ["secret"], "references": ["a", "b"]}, "2 references for 1 predictions"),
        ({"predictions": "secret", "references": "secret"}, "references is str, not a list"),
        ({"predictions": {"secret", "b"}, "references": ["a", "b"]}, "predictions is a set"),
    ],
)
def test_what_is_no_pair_is_refused_without_its_text(given: dict[str, Any], problem: str) -> None:
    """Where evaluate would quote the reports in its message; the next call is as if it had not been."""
    metric = evaluate.load(_PATH, "rouge")
    with pytest.raises(InputError, match=problem) as caught:
        metric.compute(**given)
    assert "secret" not in str(caught.value)
    assert metric.compute(predictions=["No mass."], references=["No mass."])["pairs"] == 1


def test_reports_are_written_to_no_cache(tmp_path: Path) -> None:
    """Where evaluate would write them to an Arrow file until they are computed."""
    metric = evaluate.load(_PATH, "rouge")
    metric.add_batch(predictions=["effusion, secret"], references=["No mass."])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"secret" in path.read_bytes() for path in files)
    assert b"secret" not in pickle.dumps(module.Overread("rouge"))


def test_a_metric_that_there_is_not_is_told_at_loading() -> None:
    """Before anything is generated."""
    with pytest.raises(ConfigurationError, match="rogue"):
        evaluate.load(_PATH, "rogue")


# --- lm-evaluation-harness ---


def test_a_document_without_a_score_has_none() -> None:
    """Its key is left out, so that the harness's mean does not see it."""
    process = score_documents(["rouge", "bleu"], reference="text")
    scored = process({"text": REFERENCES[0]}, [PREDICTIONS[0]])
    assert set(scored) == {"rouge", "bleu", "rouge_unscored", "bleu_unscored"}
    assert process({"text": ""}, [""]) == {"rouge_unscored": 1.0, "bleu_unscored": 1.0}
    with pytest.raises(InputError, match="has no field 'text'"):
        process({"report": "No mass."}, ["No mass."])


# --- RadEval ---

_README: Final = """
from MODULE import RadEval
import json

refs = [
    "Mild cardiomegaly with small bilateral pleural effusions and basilar atelectasis.",
    "No pleural effusions or pneumothoraces.",
]
hyps = [
    "Mildly enlarged cardiac silhouette with small pleural effusions and dependent bibasilar atelectasis.",
    "No pleural effusions or pneumothoraces.",
]

evaluator = RadEval(metrics=["radgraph", "bleu"])
results = evaluator(refs=refs, hyps=hyps)
print(json.dumps(results, indent=4))
"""
"""RadEval 2.2.1's README, "Basic", letter by letter but for the module that is imported."""


def test_the_script_of_their_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """With the import alone changed it prints their keys; that the numbers are others is told beside them."""
    script = _README.replace("MODULE", "overread.integrations.radeval")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec(compile(script, "README.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - it is theirs, and above
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["radgraph_simple", "radgraph_partial", "radgraph_complete", "bleu"]
    assert all(0.0 < number <= 1.0 for number in found.values())
    [warning] = [each for each in told if each.category is OtherNumbersWarning]
    assert "overread's rules (metric graph), not the model RadGraph-XL" in str(warning.message)
    assert warning.filename == "README.md"


def test_rouge_is_theirs() -> None:
    """rouge-score with stemming, averaged and rounded: what RadEval's adapter computes."""
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    scores = [theirs.score(one, other) for one, other in zip(REFERENCES[:3], PREDICTIONS[:3], strict=True)]
    expected = {name: [score[name].fmeasure for score in scores] for name in ("rouge1", "rouge2", "rougeL")}
    assert RadEval(["rouge"], per_sample=True)(refs=REFERENCES[:3], hyps=PREDICTIONS[:3]) == expected
    means = {name: round(sum(values) / 3, 4) for name, values in expected.items()}
    assert RadEval(["rouge"])(refs=REFERENCES[:3], hyps=PREDICTIONS[:3]) == means


def test_numbers_that_are_not_theirs_are_told() -> None:
    """Once an evaluator, with the reason, and where a program can ask."""
    with pytest.warns(OtherNumbersWarning, match="bleu: sacrebleu's words"):
        evaluator = RadEval(["bleu", "rouge"])
    assert evaluator.differences == {"bleu": NOT_THEIRS["bleu"]}
    assert RadEval(["rouge", "graph"]).differences == {}


@pytest.mark.filterwarnings("ignore::overread.integrations.radeval.OtherNumbersWarning")
def test_keys_are_theirs_in_every_mode() -> None:
    """As their adapters name them, and as `metric_keys` tells before."""
    corpus = [f"f1chexbert_{labels}_{kind}_f1" for labels in ("5", "all") for kind in ("micro", "macro", "weighted")]
    plain = RadEval(["bleu", "f1chexbert"])
    assert set(plain.metric_keys) == {"bleu", *corpus}
    assert list(plain(REFERENCES[:2], PREDICTIONS[:2])) == plain.metric_keys
    detailed = RadEval(["bleu", "f1chexbert"], detailed=True)
    found = detailed(REFERENCES[:2], PREDICTIONS[:2])
    assert list(found) == detailed.metric_keys
    assert set(found) == {"bleu", "bleu_1", "bleu_2", "bleu_3", *corpus, "f1chexbert_label_scores_f1"}
    assert found["f1chexbert_label_scores_f1"]["f1chexbert_5"]["Pleural Effusion"] == 1.0
    sample = RadEval(["bleu", "f1chexbert", "radgraph"], per_sample=True)(REFERENCES[:2], PREDICTIONS[:2])
    assert set(sample) == {
        *("bleu", "f1chexbert_sample_acc_5", "f1chexbert_sample_acc_all"),
        *("radgraph_simple", "radgraph_partial", "radgraph_complete"),
    }
    assert all(len(numbers) == 2 for numbers in sample.values())


@pytest.mark.filterwarnings("ignore::overread.integrations.radeval.OtherNumbersWarning")
def test_a_pair_without_a_score_is_in_no_mean() -> None:
    """How many there are stands beside the keys; by the sample they are NaN."""
    found = RadEval(["rouge", "notation"])(refs=REFERENCES, hyps=PREDICTIONS)
    assert {name: found[name] for name in found if "unscored" in name} == {
        **{f"{name}_unscored": 1 for name in ("rouge1", "rouge2", "rougeL", "notation")}
    }
    expected = overread.load("notation").compute(predictions=PREDICTIONS, references=REFERENCES)
    assert found["notation"] == round(expected["notation"], 4)
    assert math.isnan(RadEval(["notation"], per_sample=True)(REFERENCES, PREDICTIONS)["notation"][3])
    nothing = RadEval(["bleu", "f1chexbert"], detailed=True)([""], [""])
    assert math.isnan(nothing["bleu_1"])
    assert math.isnan(nothing["f1chexbert_all_weighted_f1"])


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_what_cannot_be_served_names_what_can(name: str) -> None:
    """A script that asks for a model's number gets no other number in its place."""
    with pytest.raises(ConfigurationError, match=f"{name} cannot be served; use "):
        RadEval([name])


def test_metrics_are_named_as_they_are_there(tmp_path: Path) -> None:
    """In a list, a mapping, both, or a file; a metric that has no model says so at once."""
    assert "rougeL" in RadEval({"rouge": {}}).metric_keys
    assert RadEval(["rouge", {"notation": {"preset": "fast"}}]).metric_keys[-2:] == ["rougeL", "notation"]
    (tmp_path / "config.yaml").write_text("metrics:\n  - rouge\noutput:\n  mode: per_sample\n", encoding="utf-8")
    assert RadEval.from_config(tmp_path / "config.yaml")(["No mass."], ["No mass."])["rougeL"] == [1.0]
    (tmp_path / "config.json").write_text('{"metrics": ["rouge"]}', encoding="utf-8")
    assert RadEval.from_config(str(tmp_path / "config.json"))([], []) == {}
    with pytest.raises(ConfigurationError, match="there is no metric 'rogue'"):
        RadEval(["rogue"])
    with pytest.raises(ConfigurationError, match="no model is chosen"):
        RadEval(["green"])
    with pytest.raises(ConfigurationError, match="metrics is text"):
        RadEval("bleu")
    with pytest.raises(TypeError, match="must be of type list"):
        RadEval(["rouge"])("No mass.", ["No mass."])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="same size"):
        RadEval(["rouge"])(["No mass."], [])


def test_the_page_says_whose_numbers_they_are() -> None:
    """Every metric that gives another number, and every one that is not served."""
    page = (Path(__file__).parents[2] / "docs" / "harnesses.md").read_text(encoding="utf-8")
    assert [name for name in (*NOT_THEIRS, *INSTEAD) if f"`{name}`" not in page] == []
