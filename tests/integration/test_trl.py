"""Metrics as rewards of TRL: real training of a tiny model by its trainers, and by its command line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl.scripts import grpo, rloo
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.rloo_config import RLOOConfig
from trl.trainer.rloo_trainer import RLOOTrainer

import overread
from overread.integrations import rewards

REFERENCE: Final = "Small left pleural effusion. No pneumothorax."
FOREIGN: Final = "Kleiner Pleuraerguss links mit Belüftungsstörung, sonst ist die Lunge unauffällig."
WORDS: Final = ("<pad>", "<s>", "</s>", "Report:", *REFERENCE.split(), "Large", "right")
TEMPLATE: Final = (
    "{% for message in messages %}{{ message['content'] + ' ' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Report:' }}{% endif %}"
)
SHORT: Final[dict[str, Any]] = {
    "per_device_train_batch_size": 8,
    "max_steps": 2,
    "logging_steps": 1,
    "report_to": [],
    "use_cpu": True,
    "save_strategy": "no",
    "disable_tqdm": True,
    "seed": 1,
    "beta": 0.0,
}


@pytest.fixture
def writer() -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """A model of two layers that knows eight words and nothing of how they are put together."""
    bare = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token=WORDS[0]))
    bare.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=bare, pad_token=WORDS[0], bos_token=WORDS[1], eos_token=WORDS[2]
    )
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    return LlamaForCausalLM(config), tokenizer


def text_of(completion: Any) -> str:
    return completion if isinstance(completion, str) else str(completion[-1]["content"])


@pytest.mark.parametrize("talks", [False, True], ids=["text", "conversation"])
@pytest.mark.parametrize(("trainer", "options"), [(GRPOTrainer, GRPOConfig), (RLOOTrainer, RLOOConfig)])
def test_what_is_logged_are_the_rewards(trainer: Any, options: Any, talks: bool, writer: Any, tmp_path: Path) -> None:  # noqa: FBT001
    """Several metrics with weights; the mean of each leaves out what has no score, whose share is told."""
    model, tokenizer = writer
    prompt = [{"role": "user", "content": "Report:"}] if talks else "Report:"
    data = Dataset.from_dict({"prompt": [prompt] * 2, "reference": [REFERENCE, FOREIGN]})
    seen: list[tuple[list[str], list[str]]] = []

    def watch(completions: list[Any], reference: list[str], **_: Any) -> list[float]:
        seen.append((list(map(text_of, completions)), reference))
        return [0.0] * len(completions)

    gives = [overread.reward(unscored=None), overread.reward("rouge", unscored=None)]
    args = options(
        output_dir=str(tmp_path), num_generations=4, max_completion_length=8, reward_weights=[0.5, 2.0, 0.0], **SHORT
    )
    run = trainer(model=model, processing_class=tokenizer, reward_funcs=[*gives, watch], args=args, train_dataset=data)
    run.train()
    logs = [entry for entry in run.state.log_history if "reward" in entry]
    assert len(logs) == len(seen) == 2
    for entry, (completions, references) in zip(logs, seen, strict=True):
        graded, words = (give.grade(completions, references) for give in gives)
        foreign = [reference == FOREIGN for reference in references]
        assert [grade.reward is None for grade in graded] == foreign
        assert entry["rewards/overread_notation_reward/mean"] == pytest.approx(mean(g.reward for g in graded), abs=1e-6)
        assert entry["rewards/overread_rouge/mean"] == pytest.approx(mean(g.reward for g in words), abs=1e-6)
        share = mean(float(not grade.is_scored) for grade in graded)
        assert entry["rewards/overread_notation_reward/unscored"] == pytest.approx(share)
        assert share >= 0.5
        sums = (0.5 * (one.reward or 0.0) + 2 * (two.reward or 0.0) for one, two in zip(graded, words, strict=True))
        assert entry["reward"] == pytest.approx(mean(sums), abs=1e-6)


def mean(values: Any) -> float:
    """The mean of those that are there."""
    there = [value for value in values if value is not None]
    return float(sum(there) / len(there))


@pytest.mark.slow
def test_training_raises_the_reward(writer: Any, tmp_path: Path) -> None:
    """A model that puts its words together at random learns to write more of what the reference says."""
    model, tokenizer = writer
    data = Dataset.from_dict({"prompt": ["Report:"] * 32, "reference": [REFERENCE] * 32})
    more = {"per_device_train_batch_size": 32, "max_steps": 40, "learning_rate": 1e-2, "lr_scheduler_type": "constant"}
    args = GRPOConfig(output_dir=str(tmp_path), num_generations=16, max_completion_length=8, **{**SHORT, **more})
    trainer = GRPOTrainer(
        model=model, processing_class=tokenizer, reward_funcs=overread.reward(), args=args, train_dataset=data
    )
    trainer.train()
    means = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    print([round(value, 2) for value in means])  # noqa: T201 - pytest -s shows the figures
    assert mean(means[-5:]) > mean(means[:5]) + 0.2


@pytest.mark.filterwarnings("ignore")
def test_online_preferences_are_by_reward(writer: Any, tmp_path: Path) -> None:
    """The better of two completions is preferred, and training goes on with it."""
    model, tokenizer = writer
    data = Dataset.from_dict({"prompt": ["Report:"] * 8, "reference": [REFERENCE] * 8})
    online = import_module("trl.experimental.online_dpo")  # which warns that it is experimental
    trainer = online.OnlineDPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=overread.reward("rouge"),
        args=online.OnlineDPOConfig(
            output_dir=str(tmp_path), max_new_tokens=8, max_length=32, **{**SHORT, "beta": 0.1}
        ),
        train_dataset=data,
    )
    trainer.train()
    logs = [entry for entry in trainer.state.log_history if "objective/scores" in entry]
    assert logs
    assert all(0.0 < entry["objective/scores"] < 1.0 for entry in logs)


@pytest.mark.parametrize("command", [grpo, rloo], ids=["grpo", "rloo"])
def test_the_command_line_takes_import_paths(
    command: Any, writer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of overread's, and one that is made in a module of the folder where TRL is started."""
    model, tokenizer = writer
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path / "tiny")
    (tmp_path / "data").mkdir()
    rows = Dataset.from_dict({"prompt": ["Report:"] * 4, "findings": [REFERENCE] * 4, "reference": [REFERENCE] * 4})
    rows.to_json(tmp_path / "data" / "train.jsonl")
    (tmp_path / "ward_rewards.py").write_text(
        'import overread\n\nwords = overread.reward("rouge", reference="findings")\n'
    )
    (tmp_path / "rewards.yaml").write_text(
        f"model_name_or_path: {tmp_path / 'tiny'}\ndtype: float32\ndataset_name: {tmp_path / 'data'}\n"
        "reward_funcs: [overread.integrations.rewards.notation_reward, ward_rewards.words]\n"
        f"output_dir: {tmp_path / 'run'}\nnum_generations: 4\nmax_completion_length: 8\n"
        "per_device_train_batch_size: 4\nmax_steps: 1\n"
        "logging_steps: 1\nreport_to: none\nuse_cpu: true\nsave_strategy: 'no'\ndisable_tqdm: true\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    logged: list[dict[str, Any]] = []
    keep: Callable[..., None] = lambda _, logs, *__: logged.append(logs)  # noqa: E731
    monkeypatch.setattr("transformers.Trainer.log", keep)
    command.main(*command.make_parser().parse_args_and_config(["--config", str(tmp_path / "rewards.yaml")]))
    names = {"rewards/overread_notation_reward/mean", "rewards/overread_rouge/mean"}
    assert any(names <= set(entry) for entry in logged)


def test_rewards_by_name() -> None:
    """A metric, or a metric and its subscore; what is neither is no attribute."""
    assert rewards.rouge.metric == "rouge"
    assert (rewards.radot_significant.metric, rewards.radot_significant.subscore) == ("radot", "significant")
    assert rewards.radot is rewards.radot
    with pytest.raises(AttributeError, match="no reward 'rougue': "):
        _ = rewards.rougue
    with pytest.raises(AttributeError):
        _ = rewards.__path__
