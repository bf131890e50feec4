"""Inspect and lm-evaluation-harness themselves, offline, on invented reports.

`make slow` installs both into an environment of their own: Inspect does not go with what the checks pin.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

_TASK: Final = Path(__file__).parents[2] / "examples" / "lm-eval-reports"
_REFERENCES: Final = ["Small left effusion. No pneumothorax.", "Clear lungs.", "Old rib fracture.", ""]
_ANSWERS: Final = ["Small right effusion. No pneumothorax.", "Clear lungs.", "Old rib fracture.", ""]
_STUDIES: Final = ["A", "A", "B", None]


def _inspect_log(folder: Path, scorer: Any, answers: list[str] = _ANSWERS) -> Any:
    """The log of an evaluation by Inspect's mock model, as it is read back from its file."""
    inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect is not installed: see `make slow`")
    from inspect_ai.dataset import MemoryDataset, Sample  # noqa: PLC0415 - it may not be there
    from inspect_ai.log import read_eval_log  # noqa: PLC0415 - as above
    from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: PLC0415 - as above

    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage()  # else tokens are counted by a vocabulary that is fetched
    samples = [
        Sample(id=f"s{number}", input="Write the report.", target=text, metadata={"study": study} if study else {})
        for number, (text, study) in enumerate(zip(_REFERENCES, _STUDIES, strict=True))
    ]
    task = inspect_ai.Task(dataset=MemoryDataset(samples), scorer=scorer)
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = inspect_ai.eval(task, model=model, display="none", log_dir=str(folder), max_samples=1)
    assert log.status == "success", log.error
    return read_eval_log(log.location)


def test_inspect_scores_completions(tmp_path: Path) -> None:
    """The log has scores, discrepancies in words, records, a mean over the scored, and how many have none."""
    pytest.importorskip("inspect_ai", reason="Inspect is not installed: see `make slow`")
    from overread.integrations.inspect_ai import notation, report  # noqa: PLC0415 - it needs Inspect

    log = _inspect_log(tmp_path, [notation(second_reader="none"), report("rouge:rouge1")])
    first, second = log.results.scores
    assert (first.name, first.scored_samples, first.unscored_samples) == ("notation", 3, 1)
    values = [sample.scores["notation"].value for sample in log.samples]
    assert first.metrics["mean"].value == pytest.approx(sum(values[:3]) / 3)
    # two studies of two and one samples, with the correction for few: sqrt(2 x sum of squared sums) / 3
    deviations = [value - sum(values[:3]) / 3 for value in values[:3]]
    squares = (deviations[0] + deviations[1]) ** 2 + deviations[2] ** 2
    assert first.metrics["stderr"].value == pytest.approx(math.sqrt(2 * squares) / 3)
    assert (second.name, second.params) == ("report", {"metric": "rouge:rouge1"})

    wrong = log.samples[0].scores["notation"]
    assert 0 < wrong.value < 1
    assert wrong.answer == _ANSWERS[0]
    assert "- significant wrong location: left pleural effusion (actionable; the side differs)" in wrong.explanation
    assert wrong.metadata["discrepancies"][0]["category"] == "C"
    assert wrong.metadata["signature"].startswith("notation|")
    none = log.samples[3].scores["notation"]
    assert math.isnan(none.value)
    assert (none.reason, none.explanation) == ("empty", "both reports are empty")


def test_inspect_scores_a_log_again_by_name(tmp_path: Path) -> None:
    """The command finds the scorer by its entry point, and adds its scores to those there are."""
    pytest.importorskip("inspect_ai", reason="Inspect is not installed: see `make slow`")
    from inspect_ai.log import read_eval_log  # noqa: PLC0415 - it may not be there

    from overread.integrations.inspect_ai import rouge  # noqa: PLC0415 - it needs Inspect

    log = _inspect_log(tmp_path, rouge())
    command = [sys.executable, "-m", "inspect_ai", "score", log.location, "--scorer", "overread/radot"]
    more = ["-S", "second_reader=none", "--action", "append", "--output-file", str(tmp_path / "again.eval")]
    done = subprocess.run([*command, *more, "--display", "none"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    again = read_eval_log(str(tmp_path / "again.eval"))
    assert [(each.name, each.unscored_samples) for each in again.results.scores] == [("rouge", 1), ("radot", 1)]
    assert again.samples[1].scores["radot"].value == 0.0


def test_inspect_has_a_scorer_for_every_metric(tmp_path: Path) -> None:
    """Of those that come with overread; where nothing is scored there is no mean."""
    pytest.importorskip("inspect_ai", reason="Inspect is not installed: see `make slow`")
    from overread.integrations.inspect_ai import METRICS, rouge  # noqa: PLC0415 - it needs Inspect
    from overread.plugins.catalogue import Catalogue  # noqa: PLC0415 - beside it

    shipped = {each.spec.name for each in Catalogue.discover().metrics() if each.plugin.builtin}
    assert shipped == METRICS
    log = _inspect_log(tmp_path, rouge(), ["…"] * 4)
    [score] = log.results.scores
    assert (score.scored_samples, score.unscored_samples) == (0, 4)
    assert math.isnan(score.metrics["mean"].value)


def test_lm_eval_runs_the_example(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Means and standard errors are over scored documents; of a model that writes no reports there are none."""
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    lm_eval = pytest.importorskip("lm_eval", reason="lm-evaluation-harness is not installed: see `make slow`")
    from lm_eval.api.model import LM  # noqa: PLC0415 - it may not be there
    from lm_eval.tasks import TaskManager  # noqa: PLC0415 - as above

    monkeypatch.chdir(_TASK)
    documents = [json.loads(line) for line in (_TASK / "reports.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = {each["id"]: each["report"].replace("left", "right") for each in documents} | {"2": "lol"}

    class Writer(LM):  # type: ignore[misc]
        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:  # noqa: ARG002, FBT001, FBT002 - the harness's
            return [answers[request.doc["id"]] for request in requests]

        def loglikelihood(self, requests: list[Any], **more: Any) -> list[Any]:
            raise NotImplementedError

        def loglikelihood_rolling(self, requests: list[Any], **more: Any) -> list[Any]:
            raise NotImplementedError

    def run(model: Any) -> Any:
        tasks = TaskManager(include_path=str(_TASK), include_defaults=False)
        return lm_eval.simple_evaluate(model=model, tasks=["chest_reports"], task_manager=tasks, bootstrap_iters=10)

    found = run(Writer())
    numbers = found["results"]["chest_reports"]
    scores = [each["notation"] for each in found["samples"]["chest_reports"] if "notation" in each]
    assert len(scores) == 3
    assert numbers["notation,none"] == pytest.approx(sum(scores) / 3)
    assert numbers["notation_stderr,none"] > 0
    assert (numbers["notation_unscored,none"], numbers["radot_unscored,none"]) == (1.0, 1.0)
    assert found["higher_is_better"]["chest_reports"]["radot"] is False

    nothing = run("dummy")["results"]["chest_reports"]  # it writes "lol" every time
    assert nothing["notation_unscored,none"] == len(documents)
    assert "notation,none" not in nothing
