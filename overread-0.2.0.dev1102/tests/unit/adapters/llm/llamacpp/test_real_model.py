"""A real language model, small enough for a processor, through the command line: what must hold whatever it answers.

What SmolLM2-135M-Instruct answers is not the same on every machine and is seldom right, so nothing here rests on it.
"""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any, Final, NamedTuple

import jsonschema
import pytest
from typer.testing import CliRunner

from overread.adapters.llm.judge.one_pass import ONE_PASS_SCHEMA
from overread.adapters.llm.judge.two_pass import DETECTION_SCHEMA, SEVERITY_SCHEMA
from overread.adapters.llm.llamacpp._model import LlamaCppModel
from overread.adapters.llm.llamacpp.options import LlamaCppOptions
from overread.adapters.reader.unit_parser._answer import answer_schema
from overread.adapters.reader.unit_table import read_table
from overread.application.asking.prompts import load_prompt
from overread.application.ports import Message, Request
from overread.cli.app import app
from overread.domain.reports.report import Report
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.infrastructure.store.answers import open_answers

PAIRS: Final = (
    ("Small left pleural effusion. No pneumothorax.", "No pleural effusion. No pneumothorax."),
    ("The lungs are clear.", "The lungs are not clear."),
    ("Right lower lobe consolidation.", "Left lower lobe consolidation."),
)
SHORT: Final = (
    "Compare two radiology reports. Quote the words of the reports that differ, each with its label. Answer in JSON.\n"
    "<reference>\n{reference}\n</reference>\n<candidate>\n{candidate}\n</candidate>\n"
)
COPY: Final = "<report>\n{report}\n</report>\nCopy each statement of the report into JSON."
REASONS: Final = {
    *("no answer", "too long", "refused", "refusal", "cut off", "unreadable answer", "unknown label", "span not found"),
    *("inconsistent answer", "undefined"),
}


class Told(NamedTuple):
    """What a command said, and where it wrote."""

    text: str
    folder: Path

    @property
    def answers(self) -> tuple[int, int]:
        """How many were asked for now, and how many were kept before."""
        found = re.search(r"answers: (\d+) asked now, (\d+) kept before", self.text)
        assert found is not None
        return int(found[1]), int(found[2])

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]


def overread(folder: Path, *arguments: str) -> Told:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return Told(result.output, folder)


def corpus(folder: Path, model: Path, pairs: str, *arguments: str) -> Told:
    out, kept = folder / "out.jsonl", folder / "kept.sqlite"
    out.unlink(missing_ok=True)
    common = ("--set", f"model=llamacpp:{model}", "--answers", str(kept), "--max-unscored", "1")
    return overread(folder, "corpus", str(folder / pairs), "-o", str(out), *common, *arguments)


def write(folder: Path) -> None:
    rows = [{"id": str(n), "reference": one, "candidate": other} for n, (one, other) in enumerate(PAIRS)]
    (folder / "first.jsonl").write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    (folder / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "short.txt").write_text(SHORT, encoding="utf-8")
    (folder / "copy.txt").write_text(COPY, encoding="utf-8")


@pytest.fixture(scope="module")
def runs(smollm: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    """A dry run of three pairs; a run that got no further than the first; the run that goes on; and once more."""
    folder = tmp_path_factory.mktemp("real")
    write(folder)
    short = ("-m", "judge", "--set", f"judge.prompt={folder / 'short.txt'}", "--set", "judge.repairs=0", "--set")
    limited = (*short, "judge.max_tokens=96")
    dry = corpus(folder, smollm, "all.jsonl", *limited, "--dry-run")
    told = [corpus(folder, smollm, pairs, *limited) for pairs in ("first.jsonl", "all.jsonl", "all.jsonl")]
    return [dry, *told]


def test_a_dry_run_counts_as_the_model_does(runs: list[Told]) -> None:
    """What it foretells of the first requests is what they then take."""
    foretold = re.search(r"prompt tokens +about (\d+)", runs[0].text)
    assert foretold is not None
    assert int(foretold[1]) == sum(answer["prompt_tokens"] for line in runs[3].lines for answer in line["answers"])


def test_a_run_that_ended_early_goes_on(runs: list[Told]) -> None:
    """It asks for what is missing alone, in a new process of llama.cpp; a third run asks nothing."""
    assert [told.answers for told in runs[1:]] == [(1, 0), (2, 1), (0, 3)]


def test_no_failure_is_a_score(runs: list[Told]) -> None:
    """A pair has a score if its last answer was read, else a reason."""
    for line in runs[3].lines:
        read = line["answers"][-1]["outcome"] == "read"
        assert (line["status"], line["score"] is not None) == (("scored", True) if read else ("unscored", False))
        assert read or line["reason"] in REASONS


def test_what_it_answers_has_the_form_asked_for(runs: list[Told]) -> None:
    """Each answer that came to its end follows the schema; one that was cut off begins as it does."""
    keys = [answer["key"] for line in runs[3].lines for answer in line["answers"]]
    found = open_answers(runs[3].folder / "kept.sqlite").find(keys)
    assert len(found) == len(PAIRS)
    for completion in found.values():
        assert completion.text.startswith('{"critical": {')
        if completion.finish is Finish.STOP:
            jsonschema.validate(json.loads(completion.text), ONE_PASS_SCHEMA)


def test_it_reads_reports_into_units(smollm: Path, tmp_path: Path) -> None:
    """extractor=llm has units, each with its words in the report, or a reason for each of two reports."""
    write(tmp_path)
    (tmp_path / "two.jsonl").write_text('{"id": "1", "reference": "No effusion.", "candidate": "Clear lungs."}\n')
    model = ("--set", f"model=llamacpp:{smollm}", "--set", "extractor=llm", "--set", "extractor.repairs=0")
    own = ("--set", f"extractor.prompt={tmp_path / 'copy.txt'}", "--set", "extractor.max_tokens=170")
    lenient = ("--max-unscored", "1")
    table = tmp_path / "units.jsonl"
    overread(tmp_path, "units", str(tmp_path / "two.jsonl"), "-o", str(table), *model, *own, *lenient)
    for text in ("No effusion.", "Clear lungs."):
        found = read_table(str(table)).find(Report(text))
        assert found is not None
        if isinstance(found, Unscored):
            assert found.reason in REASONS
        else:
            assert all(unit.span.of(text) for unit in found)


def test_a_killed_process_has_its_work_done_by_another(smollm: Path) -> None:
    """The answer is the one that it would have been."""
    schema = {
        "type": "object",
        "properties": {"answer": {"enum": ["yes", "no"]}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    request = Request((Message("user", "Is a large effusion normal?"),), schema, 16)
    model = LlamaCppModel.create(LlamaCppOptions(path=str(smollm), max_context=256))
    ((_, before),) = model.complete([request])
    assert isinstance(before, Completion)
    jsonschema.validate(json.loads(before.text), schema)
    assert model._process.pid is not None
    os.kill(model._process.pid, signal.SIGKILL)
    assert list(model.complete([request])) == [(0, before)]
    model.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("one-pass", ONE_PASS_SCHEMA),
        ("span-detection", DETECTION_SCHEMA),
        ("severity", SEVERITY_SCHEMA),
        ("units", answer_schema(3)),
    ],
)
def test_answers_to_the_shipped_prompts_end(smollm: Path, name: str, schema: dict[str, Any]) -> None:
    """The limits of each schema end an answer of a model that would fill lists without end, and are kept to."""
    values = {"reference": PAIRS[0][0], "candidate": PAIRS[0][1], "report": "No effusion seen.", "span": "No effusion"}
    values |= {"aspect": "Negation", "type": "none", "criteria": "Judge it."}
    model = LlamaCppModel.create(LlamaCppOptions(path=str(smollm), max_context=4096))
    ((_, answer),) = model.complete([Request(load_prompt(name, places=()).filled(values), schema, 2048)])
    assert isinstance(answer, Completion)
    assert answer.finish is Finish.STOP
    jsonschema.validate(json.loads(answer.text), schema)
    model.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "settings"),
    [
        ("judge", ("judge.max_tokens=512",)),
        ("judge", ("judge=two-pass", "judge.max_tokens=512")),
        ("green", ("green.max_tokens=128",)),
        ("radot", ("extractor=llm", "extractor.max_tokens=256")),
    ],
)
def test_every_evaluator_runs_to_its_end_and_goes_on(
    smollm: Path, tmp_path: Path, metric: str, settings: tuple[str, ...]
) -> None:
    """With the shipped prompts and repairs: each pair has a score or a reason, and nothing is asked for twice."""
    write(tmp_path)
    chosen = [part for setting in settings for part in ("--set", setting)]
    first = corpus(tmp_path, smollm, "all.jsonl", "-m", metric, *chosen)
    lines = first.lines
    assert len(lines) == len(PAIRS)
    assert all((line["score"] is None) == (line["status"] == "unscored") for line in lines)
    assert all(line["reason"] in REASONS for line in lines if line["status"] == "unscored")
    again = corpus(tmp_path, smollm, "all.jsonl", "-m", metric, *chosen)
    assert again.answers[0] == 0
    assert again.lines == lines
