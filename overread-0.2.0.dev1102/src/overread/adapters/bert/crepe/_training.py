"""Training a CREPE model with the transformers Trainer (Cho et al. 2025, section 4.1)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import torch
from attrs import asdict, evolve, frozen
from safetensors import SafetensorError
from torch.utils.data import Dataset
from transformers import (
    AutoConfig,
    DataCollatorWithPadding,
    EarlyStoppingCallback,
    EvalPrediction,
    Trainer,
    TrainerCallback,
    TrainerState,
    TrainingArguments,
)
from transformers.trainer_callback import PrinterCallback

from overread.adapters.bert.crepe._matching import MatchingCrepeModel
from overread.adapters.bert.crepe._model import CrepeModel
from overread.adapters.bert.crepe._tokenizer import load_wordpiece
from overread.adapters.bert.crepe.options import TrainingOptions
from overread.adapters.checkpoints.checkpoint import check_checkpoint, checkpoint_digest, locate_checkpoint
from overread.adapters.checkpoints.runtime import quiet
from overread.adapters.checkpoints.training import trainer_settings
from overread.adapters.checkpoints.training_folder import claim_folder, newest_checkpoint
from overread.application.statistics.correlations import Kendall
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.error_counts import HEAD_NAMES
from overread.exceptions import ConfigurationError

__all__ = ["TrainedModel", "train"]

_CHECKPOINTS: Final = "checkpoints"
_WRITTEN_LAST: Final = "tokenizer.json"
_UNTRAINED: Final = ("bert.pooler.", "error_regressors.", "error_presence.", "matching.")
"""Weights that a backbone need not have."""

Told = Callable[[dict[str, float]], None]
"""Called with the figures of each evaluation during training."""


@frozen(kw_only=True)
class TrainedModel:
    """A model as trained: where it lies, with which settings, and its figures on the validation pairs by epoch."""

    folder: Path
    options: TrainingOptions
    data: str
    best_tau: float
    epochs: float
    history: tuple[dict[str, float], ...]


def train(
    training: Sequence[AnnotatedPair],
    validation: Sequence[AnnotatedPair],
    folder: Path,
    options: TrainingOptions,
    *,
    told: Told | None = None,
    resuming: Callable[[], None] | None = None,
) -> TrainedModel:
    """Trains on counted pairs, keeps the epoch of the highest Kendall tau, and writes it in the published layout.

    A run that was killed goes on from its last checkpoint when it is started again with the same data and options, and
    one that is over trains no more. The rest of the epoch in which it was killed is drawn anew, so its weights are not
    those of a run that nothing disturbed.

    Args:
        training: pairs to learn from; they are rated for the heads of ``options.heads``.
        validation: pairs of other studies, by which the epoch is chosen and training stops early.
        folder: for the model; checkpoints go to ``checkpoints`` within.
        options: the settings.
        told: called after each evaluation.
        resuming: called if training goes on from a checkpoint.

    Raises:
        ConfigurationError: if the backbone cannot be read, or the folder is another run's (`claim_folder`).
    """
    backbone = locate_checkpoint(options.backbone)
    check_checkpoint(backbone)
    data = _digest(training, validation)
    claim = {"data": data, "backbone": checkpoint_digest(backbone), "options": asdict(options)}
    with claim_folder(folder, claim):
        if resuming and not (folder / _WRITTEN_LAST).exists() and newest_checkpoint(folder / _CHECKPOINTS):
            resuming()
        return _train_model(training, validation, folder, evolve(options, backbone=str(backbone)), data, told)


def _train_model(
    training: Sequence[AnnotatedPair],
    validation: Sequence[AnnotatedPair],
    folder: Path,
    options: TrainingOptions,
    data: str,
    told: Told | None,
) -> TrainedModel:
    tokenizer = load_wordpiece(Path(options.backbone))
    positions = json.loads((Path(options.backbone) / "config.json").read_text(encoding="utf-8-sig"))
    options = evolve(options, max_tokens=min(options.max_tokens, positions.get("max_position_embeddings", 512)))
    sets = [_Encoded.of(pairs, tokenizer, options) for pairs in (training, validation)]
    newest = newest_checkpoint(folder / _CHECKPOINTS)
    with quiet():
        if newest and (folder / _WRITTEN_LAST).exists():
            state = TrainerState.load_from_json(str(newest / "trainer_state.json"))
        else:
            if options.trials:
                options = _tune_options(tokenizer, sets, folder, options)
            trainer = _trainer(tokenizer, sets, folder / _CHECKPOINTS, options, told)
            trainer.train(resume_from_checkpoint=str(newest) if newest else None)
            _write(trainer.model, folder, options)
            tokenizer.save_pretrained(folder)
            state = trainer.state
    history = tuple(
        {"epoch": entry["epoch"], "tau": entry["eval_tau"], "mae": entry["eval_mae"], "loss": entry["eval_loss"]}
        for entry in state.log_history
        if "eval_tau" in entry
    )
    return TrainedModel(
        folder=folder,
        options=options,
        data=data,
        best_tau=float(state.best_metric if state.best_metric is not None else history[-1]["tau"]),
        epochs=float(state.epoch or 0),
        history=history,
    )


def _write(trained: Any, folder: Path, options: TrainingOptions) -> None:
    """Writes the model alone, without what only helped to train it."""
    config = trained.config
    del config.matching_weight
    model: Any = CrepeModel(config)
    names = model.state_dict().keys()
    model.load_state_dict({name: tensor for name, tensor in trained.state_dict().items() if name in names})
    model.to(torch.float16 if options.half else torch.float32).save_pretrained(folder)


class _Encoded(Dataset[dict[str, Any]]):
    """Tokenised pairs with their labels."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    @classmethod
    def of(cls, pairs: Sequence[AnnotatedPair], tokenizer: Any, options: TrainingOptions) -> _Encoded:
        encoded = tokenizer(
            [counted.pair.reference.text for counted in pairs],
            [counted.pair.candidate.text for counted in pairs],
            truncation="longest_first",
            max_length=options.max_tokens,
        )
        heads = HEAD_NAMES[options.heads]
        return cls(
            [
                {
                    "input_ids": encoded["input_ids"][i],
                    "token_type_ids": encoded["token_type_ids"][i],
                    "attention_mask": encoded["attention_mask"][i],
                    "labels": [counted.mean(head) for head in heads],
                }
                for i, counted in enumerate(pairs)
            ]
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]


def _fresh_model(options: TrainingOptions) -> CrepeModel:
    """The backbone with untrained heads; the pooler too is untrained where the backbone has none."""
    torch.manual_seed(options.seed)
    name = Path(options.backbone).name
    remedy = "give a folder with a BERT model's config.json and weights"
    try:
        config = AutoConfig.from_pretrained(options.backbone)
        if config.model_type != "bert":
            raise ConfigurationError([f"the backbone is a {config.model_type} model; CREPE needs a BERT"])
        config.num_error_categories = options.heads
        config.use_poisson_loss = options.loss == "poisson"
        config.use_presence_loss = options.loss == "mse+bce"
        config.presence_loss_weight = 0.5
        config.crepe_pooling = options.pooling
        config.matching_weight = options.matching
        if options.dropout is not None:
            config.hidden_dropout_prob = config.attention_probs_dropout_prob = options.dropout
            config.classifier_dropout = options.dropout
        kind = MatchingCrepeModel if options.matching else CrepeModel
        loading = {"config": config, "dtype": torch.float32, "output_loading_info": True}
        loaded: Any = kind.from_pretrained(options.backbone, **loading)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ConfigurationError([f"backbone {name!r} cannot be read ({type(error).__name__}); {remedy}"]) from error
    model, loading_info = loaded
    if missing := sorted(key for key in loading_info["missing_keys"] if not key.startswith(_UNTRAINED)):
        raise ConfigurationError(
            [f"backbone {name!r} lacks {len(missing)} weights, for example {missing[0]}; {remedy}"]
        )
    if not all(bool(torch.isfinite(weight).all()) for weight in model.parameters()):
        raise ConfigurationError([f"backbone {name!r} has weights that are not numbers; {remedy}"])
    return cast("CrepeModel", model)


def _trainer(
    tokenizer: Any, sets: Sequence[_Encoded], folder: Path, options: TrainingOptions, told: Told | None
) -> Trainer:
    arguments = TrainingArguments(
        **trainer_settings(options, folder, learning_rate=options.learning_rate, best_by="tau"),
        per_device_eval_batch_size=options.batch,
        lr_scheduler_type=options.schedule,
    )
    trainer = Trainer(
        model_init=lambda: _fresh_model(options),
        args=arguments,
        train_dataset=sets[0],
        eval_dataset=sets[1],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=partial(_figures, poisson=options.loss == "poisson"),
        callbacks=[EarlyStoppingCallback(options.patience), *([_Teller(told)] if told else [])],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


class _Teller(TrainerCallback):
    """Passes the figures of each evaluation on."""

    def __init__(self, told: Told) -> None:
        self._told = told

    def on_evaluate(self, args: Any, state: Any, control: Any, **rest: Any) -> None:  # noqa: ARG002 - transformers' interface
        self._told(
            {
                "epoch": state.epoch,
                "epochs": state.num_train_epochs,
                **{k: rest["metrics"][f"eval_{k}"] for k in ("tau", "mae")},
            }
        )


def _figures(prediction: EvalPrediction, *, poisson: bool = False) -> dict[str, float]:
    """Kendall tau of the totals, by which an epoch is chosen, and the mean absolute error over the heads."""
    raw = prediction.predictions[0] if isinstance(prediction.predictions, tuple) else prediction.predictions
    counts = np.logaddexp(0.0, raw) if poisson else np.maximum(raw, 0.0)  # as at inference
    labels = np.asarray(prediction.label_ids)
    tau = Kendall().value(counts.sum(axis=1), labels.sum(axis=1))
    return {"tau": tau if np.isfinite(tau) else -1.0, "mae": float(np.abs(counts - labels).mean())}


def _tune_options(tokenizer: Any, sets: Sequence[_Encoded], folder: Path, options: TrainingOptions) -> TrainingOptions:
    """Options with the learning rate, weight decay and warm-up that optuna finds best (section 4.1)."""
    import optuna  # noqa: PLC0415 - an extra, needed for the search alone

    trial_options = evolve(options, trials=0)
    trainer = _trainer(tokenizer, sets, folder / "search", trial_options, None)
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def space(trial: Any) -> dict[str, float]:
        return {
            "learning_rate": trial.suggest_float(
                "learning_rate", 0.1 * options.learning_rate, 10 * options.learning_rate, log=True
            ),
            "weight_decay": trial.suggest_float("weight_decay", 0.0, 0.1),
            "warmup_steps": trial.suggest_float("warmup_steps", 0.0, 0.2),
        }

    best: Any = trainer.hyperparameter_search(
        hp_space=space,
        compute_objective=lambda metrics: metrics["eval_tau"],
        n_trials=options.trials,
        direction="maximize",
        backend="optuna",
        sampler=optuna.samplers.TPESampler(seed=options.seed),
    )
    hyperparameters = best.hyperparameters
    return evolve(
        trial_options,
        learning_rate=hyperparameters["learning_rate"],
        weight_decay=hyperparameters["weight_decay"],
        warmup=hyperparameters["warmup_steps"],
    )


def _digest(*sets: Sequence[AnnotatedPair]) -> str:
    digest = hashlib.sha256()
    for pairs in sets:
        for counted in pairs:
            row = [
                counted.pair.id,
                counted.pair.reference.text,
                counted.pair.candidate.text,
                sorted((head, counted.mean(head)) for head in counted.ratings),
            ]
            digest.update(json.dumps(row).encode())
    return digest.hexdigest()[:12]
