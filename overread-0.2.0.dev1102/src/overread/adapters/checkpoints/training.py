"""Settings that every training of an encoder passes to the transformers Trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import torch

from overread.adapters.checkpoints.runtime import choose_device, choose_dtype

__all__ = ["TrainingPlan", "trainer_settings"]


class TrainingPlan(Protocol):
    """The options that trainings of encoders have in common."""

    @property
    def epochs(self) -> float:
        """Passes over the data at most."""
        ...

    @property
    def batch(self) -> int:
        """Rows at once."""
        ...

    @property
    def weight_decay(self) -> float:
        """Weight decay of all weights except biases and norms."""
        ...

    @property
    def warmup(self) -> float:
        """Share of the steps, below 1, or a number of steps."""
        ...

    @property
    def steps(self) -> int:
        """Steps between evaluations and checkpoints; 0 for one per epoch."""
        ...

    @property
    def seed(self) -> int:
        """Seed for everything left to chance."""
        ...

    @property
    def device(self) -> str:
        """Device to train on; see `choose_device`."""
        ...

    @property
    def dtype(self) -> str:
        """Number format; see `choose_dtype`."""
        ...


def trainer_settings(plan: TrainingPlan, folder: Path, *, learning_rate: float, best_by: str) -> dict[str, Any]:
    """Arguments of ``TrainingArguments``: a silent run that can go on, and ends with its best evaluation.

    Args:
        plan: the options.
        folder: for checkpoints, of which the last and the best are kept.
        learning_rate: of the encoder.
        best_by: figure of an evaluation by which it is chosen; higher is better.

    Raises:
        ConfigurationError: if there is no such device or number format.
    """
    device = choose_device(plan.device)
    dtype = choose_dtype(plan.dtype, device)
    rhythm = "steps" if plan.steps else "epoch"
    return {
        "output_dir": str(folder),
        "num_train_epochs": plan.epochs,
        "per_device_train_batch_size": plan.batch,
        "learning_rate": learning_rate,
        "weight_decay": plan.weight_decay,
        "warmup_steps": plan.warmup,
        "fp16": dtype is torch.float16,
        "bf16": dtype is torch.bfloat16,
        "use_cpu": device.type == "cpu",
        "train_sampling_strategy": "group_by_length",
        "eval_strategy": rhythm,
        "save_strategy": rhythm,
        "eval_steps": plan.steps or None,
        "save_steps": plan.steps or 1,
        "save_total_limit": 2,
        "load_best_model_at_end": True,
        "metric_for_best_model": best_by,
        "greater_is_better": True,
        "logging_strategy": "no",
        "report_to": "none",
        "disable_tqdm": True,
        "seed": plan.seed,
        "data_seed": plan.seed,
        "restore_callback_states_from_checkpoint": True,
        "dataloader_pin_memory": device.type == "cuda",
    }
