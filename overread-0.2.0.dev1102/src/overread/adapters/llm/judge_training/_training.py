"""Training an adapter, or all weights, in stages: fine-tuning, then preferences (Beyond Scalar Scores, section 5.1)."""

from __future__ import annotations

import gc
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch
from attrs import asdict, field, frozen
from peft import LoraConfig, PeftModel, get_peft_model

from overread.adapters.checkpoints.checkpoint import brief, broken_checkpoint
from overread.adapters.checkpoints.runtime import choose_device, choose_dtype, dtype_name
from overread.adapters.checkpoints.training_folder import newest_checkpoint
from overread.adapters.llm.causal_lm.loading import load_causal_model
from overread.adapters.llm.judge_training._encoding import Encoder, Row
from overread.adapters.llm.judge_training._likelihood import assess
from overread.adapters.llm.judge_training._trainers import Told, trainer_of
from overread.adapters.llm.judge_training.fitted import Likelihood, StageRecord
from overread.adapters.llm.judge_training.options import Recipe, Stage
from overread.exceptions import ConfigurationError
from overread.tables.replacing import replacing_folder

__all__ = ["Course", "read_base", "train_stage"]

_FINISHED: Final = "finished"
_RECORD: Final = "figures.json"
_NOT_OF_TEXT: Final = r".*(vision|visual|audio|multi_modal).*"
"""Parts of models that see or hear, which no lesson reaches."""


@frozen(kw_only=True)
class Course:
    """The inputs that the stages of a run share.

    Attributes:
        base: folder of the checkpoint.
        folder: the run's folder.
        training, held: rows to learn from and rows to assess the model on.
        padding: id of the token that fills shorter rows.
    """

    base: str
    folder: Path
    recipe: Recipe
    training: Sequence[Row] = field(repr=False)
    held: Sequence[Row] = field(repr=False)
    padding: int


def read_base(base: str, recipe: Recipe) -> tuple[str, Encoder]:
    """Name and digest of the checkpoint that is trained on, and its encoder.

    Raises:
        ConfigurationError: if it cannot be used, or there are several GPUs and only one process.
    """
    if not Path(base).expanduser().is_dir():
        raise broken_checkpoint(base, "there is no such folder", "give the folder of a saved causal model")
    device = choose_device(recipe.device)
    if device.type == "cuda" and torch.cuda.device_count() > 1:
        raise ConfigurationError(["training runs on one GPU; make one visible, for example CUDA_VISIBLE_DEVICES=0"])
    loaded = load_causal_model(base, device="cpu", dtype=dtype_name(choose_dtype(recipe.dtype, device)))
    return loaded.name, Encoder.of(loaded, recipe)


def train_stage(course: Course, stage: Stage, start: Path | None, *, told: Told | None = None) -> StageRecord:
    """Trains one stage to its end; goes on from its last checkpoint, and does nothing if it ended before.

    Args:
        course: what is trained, on what.
        stage: which.
        start: the adapter, or the model, to begin with; None for a new adapter, or the base.
        told: called with the loss now and then.

    Raises:
        ConfigurationError: if the model does not fit into the device's memory, the recipe does not fit the model, or
            training led to values that are not numbers.
    """
    folder = course.folder / stage
    if (folder / _FINISHED).is_dir():
        return _read_record(stage, folder / _FINISHED)
    recipe = course.recipe
    source = course.base if recipe.lora or start is None else str(start)
    loaded = load_causal_model(source, device=recipe.device, dtype=recipe.dtype)
    try:
        model = _add_adapter(loaded.network, recipe, start) if recipe.lora else _whole(loaded.network)
        before = assess(model, course.held, course.padding)
        trainer = trainer_of(
            stage,
            model,
            course.training,
            str(folder),
            recipe,
            tokenizer=loaded.tokenizer,
            padding=course.padding,
            told=told,
        )
        checkpoint = newest_checkpoint(folder)
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        trained = trainer.accelerator.unwrap_model(trainer.model)
        after = assess(trained, course.held, course.padding)
        if not math.isfinite(after.loss):
            raise ConfigurationError([f"stage {stage} led to values that are not numbers; lower learning_rate"])
        record = StageRecord(
            stage=stage,
            adapter=folder / _FINISHED,
            before=before,
            after=after,
            losses=tuple((entry["epoch"], entry["loss"]) for entry in trainer.state.log_history if "loss" in entry),
            resumed=checkpoint is not None,
        )
        _finish(trained, record, Path(course.base).name, None if recipe.lora else loaded.tokenizer)
    except torch.OutOfMemoryError as error:
        remedy = "lower batch or max_tokens, or set gradient_checkpointing=true"
        raise ConfigurationError([f"stage {stage} does not fit into the memory of the device; {remedy}"]) from error
    finally:
        trainer = model = trained = loaded = None  # type: ignore[assignment]
        gc.collect()
    return record


def _add_adapter(network: Any, recipe: Recipe, start: Path | None) -> Any:
    """The model with an adapter that can be trained."""
    if start is not None:
        return PeftModel.from_pretrained(network, str(start), is_trainable=True)
    torch.manual_seed(recipe.seed)
    targets = "all-linear" if recipe.lora_targets == ("all-linear",) else list(recipe.lora_targets)
    settings = LoraConfig(
        r=recipe.lora_rank,
        lora_alpha=recipe.lora_alpha,  # type: ignore[arg-type]
        lora_dropout=recipe.lora_dropout,
        target_modules=targets,
        exclude_modules=_NOT_OF_TEXT,
        task_type="CAUSAL_LM",
    )
    try:
        return get_peft_model(network, settings)
    except ValueError as error:
        raise ConfigurationError([f"lora_targets do not fit the model ({brief(error)})"]) from error


def _whole(network: Any) -> Any:
    """The model with all weights that lessons reach to be trained."""
    for name, weight in network.named_parameters():
        weight.requires_grad_(requires_grad=re.fullmatch(_NOT_OF_TEXT, name) is None)
    return network


def _finish(model: Any, record: StageRecord, base: str, tokenizer: Any) -> None:
    """Writes the adapter, or the model where there is a tokenizer to go with it, and the record, all or nothing."""
    figures = {
        "before": asdict(record.before),
        "after": asdict(record.after),
        "losses": record.losses,
        "resumed": record.resumed,
    }
    with replacing_folder(record.adapter) as partial:
        if tokenizer is None:
            _save_adapter(model, partial, base)
        else:
            model.save_pretrained(partial)
            tokenizer.save_pretrained(partial)
        (partial / _RECORD).write_text(json.dumps(figures, indent=1), encoding="utf-8")


def _save_adapter(model: Any, folder: Path, base: str) -> None:
    model.save_pretrained(folder, selected_adapters=["default"], save_embedding_layers=False)
    (folder / "README.md").unlink(missing_ok=True)
    stated = folder / "adapter_config.json"
    config = json.loads(stated.read_text(encoding="utf-8"))
    stated.write_text(json.dumps({**config, "base_model_name_or_path": base}, indent=1), encoding="utf-8")


def _read_record(stage: Stage, folder: Path) -> StageRecord:
    try:
        figures = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        return StageRecord(
            stage=stage,
            adapter=folder,
            before=Likelihood(**figures["before"]),
            after=Likelihood(**figures["after"]),
            losses=tuple((epoch, loss) for epoch, loss in figures["losses"]),
            resumed=figures["resumed"],
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigurationError([f"{folder} is damaged; remove it, and the stage is trained again"]) from error
