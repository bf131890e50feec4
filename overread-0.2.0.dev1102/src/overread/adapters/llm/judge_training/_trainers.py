"""trl's trainers over rows that are encoded already.

Left to themselves they would render and tokenise the conversations by their own rules, cache the result outside the
run's folder, and quote a request in a warning where both disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Final

import torch
from datasets import Dataset, Features, Value
from datasets import Sequence as ListOf
from transformers import TrainerCallback
from transformers.trainer_callback import PrinterCallback
from trl.trainer.dpo_config import DPOConfig
from trl.trainer.dpo_trainer import DPOTrainer
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from overread.adapters.llm.judge_training._encoding import Row
from overread.adapters.llm.judge_training.options import Recipe, Stage

__all__ = ["Told", "trainer_of"]

_IGNORED: Final = -100

Told = Callable[[Stage, float, float, float], None]
"""Called during training with the stage, the epochs that are done, all epochs, and the loss."""


class _FineTuning(SFTTrainer):
    def create_model_card(self, *_: Any, **__: Any) -> None:
        """Writes none."""


class _Preferences(DPOTrainer):
    def _prepare_dataset(self, dataset: Any, *_: Any, **__: Any) -> Any:
        return dataset

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """Writes none."""


class _Teller(TrainerCallback):
    """Passes the loss on as it is logged."""

    def __init__(self, stage: Stage, epochs: float, told: Told) -> None:
        self._stage, self._epochs, self._told = stage, epochs, told

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:  # noqa: ARG002 - transformers' interface
        if logs and "loss" in logs:
            self._told(self._stage, float(state.epoch or 0.0), self._epochs, float(logs["loss"]))


def trainer_of(
    stage: Stage,
    model: Any,
    rows: Sequence[Row],
    folder: str,
    recipe: Recipe,
    *,
    tokenizer: Any,
    padding: int,
    told: Told | None = None,
) -> Any:
    """A trainer of one stage, which writes its checkpoints to a folder.

    Args:
        stage: fine-tuning learns the answers of all rows, preferences those of rows with a rejected answer.
        model: with the adapter that is trained, or to be trained as a whole; what preferences are measured against is a
            copy of it as it is now.
        rows: at least one that the stage can use.
        folder: for checkpoints.
        recipe: the settings.
        tokenizer: the model's.
        padding: id of the token that fills shorter rows.
        told: called as the loss is logged.
    """
    settings = _settings(stage, model, folder, recipe)
    settings["pad_token"] = tokenizer.convert_ids_to_tokens(padding)
    given = {"model": model, "processing_class": tokenizer}
    if stage == "sft":
        tuning = SFTConfig(dataset_kwargs={"skip_prepare_dataset": True}, **settings)
        trainer: Any = _FineTuning(args=tuning, train_dataset=_answers(rows), **given)
    else:
        # Without an adapter that could be taken off, what preferences are measured against is a model of its own.
        measure = None if recipe.lora else deepcopy(model).eval().requires_grad_(requires_grad=False)
        preferring = DPOConfig(beta=recipe.beta, **settings)
        trainer = _Preferences(args=preferring, ref_model=measure, train_dataset=_pairs(rows), **given)
    trainer.remove_callback(PrinterCallback)
    if told is not None:
        trainer.add_callback(_Teller(stage, recipe.epochs(stage), told))
    return trainer


def _settings(stage: Stage, model: Any, folder: str, recipe: Recipe) -> dict[str, Any]:
    dtype, device = next(model.parameters()).dtype, model.device
    return {
        "output_dir": folder,
        "num_train_epochs": recipe.epochs(stage),
        "per_device_train_batch_size": recipe.batch,
        "gradient_accumulation_steps": recipe.accumulation,
        "learning_rate": recipe.rate(stage),
        "weight_decay": recipe.weight_decay,
        "warmup_steps": recipe.warmup,
        "lr_scheduler_type": recipe.schedule,
        "max_grad_norm": recipe.max_gradient,
        "bf16": dtype is torch.bfloat16,
        "fp16": dtype is torch.float16,
        "use_cpu": device.type == "cpu",
        "gradient_checkpointing": recipe.gradient_checkpointing,
        "max_length": None,
        "save_strategy": "steps",
        "save_steps": recipe.checkpoints,
        "save_total_limit": 2,
        "logging_strategy": "steps",
        "logging_steps": recipe.checkpoints / 2,
        "report_to": "none",
        "disable_tqdm": True,
        "seed": recipe.seed,
        "data_seed": recipe.seed,
        "dataloader_pin_memory": device.type == "cuda",
    }


def _answers(rows: Sequence[Row]) -> Any:
    """Requests with their answers; only the answers count."""
    return _dataset(
        input_ids=[row.request + row.answer for row in rows],
        labels=[[_IGNORED] * len(row.request) + row.answer for row in rows],
    )


def _pairs(rows: Sequence[Row]) -> Any:
    paired = [row for row in rows if row.rejected is not None]
    return _dataset(
        prompt_ids=[row.request for row in paired],
        chosen_ids=[row.answer for row in paired],
        rejected_ids=[row.rejected for row in paired],
    )


def _dataset(**columns: Any) -> Any:
    """A dataset in memory; nothing is cached."""
    return Dataset.from_dict(columns, features=Features(dict.fromkeys(columns, ListOf(Value("int32")))))
