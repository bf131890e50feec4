"""Training a recogniser of entities with the transformers Trainer (Zhao et al. 2024, section 2.5 and appendix A.9)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch
from attrs import asdict, frozen
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments
from transformers.trainer_callback import PrinterCallback

from overread.adapters.bert._recognizer import BertEntityRecognizer
from overread.adapters.bert.recognizer_training._examples import Examples, collate, span_examples, token_examples
from overread.adapters.bert.recognizer_training._network import SpanNetwork, Trainee
from overread.adapters.bert.recognizer_training.options import RecognizerTrainingOptions
from overread.adapters.checkpoints.checkpoint import check_checkpoint, checkpoint_digest, locate_checkpoint
from overread.adapters.checkpoints.runtime import quiet
from overread.adapters.checkpoints.training import trainer_settings
from overread.adapters.checkpoints.training_folder import claim_folder, newest_checkpoint
from overread.application.training.recognition import agreement_of
from overread.domain.entities.annotated_text import AnnotatedText
from overread.exceptions import ConfigurationError
from overread.tables.replacing import replacing

__all__ = ["TrainedRecognizer", "train_recognizer"]

_CHECKPOINTS: Final = "checkpoints"
_DONE: Final = "trained.json"
"""Written last: the model beside it is whole."""

Told = Callable[[dict[str, float]], None]
"""Called with the figures of each evaluation during training."""


@frozen(kw_only=True)
class TrainedRecognizer:
    """A recogniser as trained: where it lies, with which settings, and its figures on the held-out texts by epoch."""

    folder: Path
    options: RecognizerTrainingOptions
    data: str
    best_f1: float
    epochs: float
    history: tuple[dict[str, float], ...]
    sentences: int
    entities: int
    left_out: int


def train_recognizer(
    training: Sequence[AnnotatedText],
    held_out: Sequence[AnnotatedText],
    folder: Path,
    options: RecognizerTrainingOptions,
    *,
    told: Told | None = None,
    resuming: Callable[[], None] | None = None,
) -> TrainedRecognizer:
    """Trains on marked texts, keeps the evaluation of the highest F1, and writes a folder for ``recognizer=bert:``.

    A run that was killed goes on from its last checkpoint when it is started again with the same texts and options, and
    one that is over trains no more.

    Args:
        training: texts to learn from.
        held_out: others, by which the evaluation is chosen and training stops early.
        folder: for the model; checkpoints go to ``checkpoints`` within.
        options: the settings.
        told: called after each evaluation.
        resuming: called if training goes on from a checkpoint.

    Raises:
        ConfigurationError: if the backbone cannot be read, no text has an entity that can be learned, or the folder is
            another run's (`claim_folder`).
    """
    backbone = locate_checkpoint(options.backbone)
    check_checkpoint(backbone)
    data = _digest(training, held_out)
    claim = {"data": data, "backbone": checkpoint_digest(backbone), "options": asdict(options)}
    with claim_folder(folder, claim):
        if not (folder / _DONE).exists():
            if resuming is not None and newest_checkpoint(folder / _CHECKPOINTS):
                resuming()
            _train(training, held_out, folder, backbone, options, told)
        record = json.loads((folder / _DONE).read_text(encoding="utf-8"))
    return TrainedRecognizer(folder=folder, options=options, data=data, **record)


def _train(
    training: Sequence[AnnotatedText],
    held_out: Sequence[AnnotatedText],
    folder: Path,
    backbone: Path,
    options: RecognizerTrainingOptions,
    told: Told | None,
) -> None:
    with quiet():
        trainee = Trainee(options, backbone)
        examples = _examples(training, trainee, options)
        trainer = _trainer(trainee, examples, held_out, folder / _CHECKPOINTS, options, told)
        newest = newest_checkpoint(folder / _CHECKPOINTS)
        trainer.train(resume_from_checkpoint=str(newest) if newest else None)
        trainee.write(folder)
    history = [
        {"epoch": entry["epoch"], **{name: entry[f"eval_{name}"] for name in ("precision", "recall", "f1")}}
        for entry in trainer.state.log_history
        if "eval_f1" in entry
    ]
    record = {
        "best_f1": float(trainer.state.best_metric or 0.0),
        "epochs": float(trainer.state.epoch or 0.0),
        "history": history,
        "sentences": len(examples),
        "entities": examples.entities,
        "left_out": examples.left_out,
    }
    with replacing(folder / _DONE) as partial_file:
        partial_file.write_text(json.dumps(record, indent=1), encoding="utf-8")


def _examples(texts: Sequence[AnnotatedText], trainee: Trainee, options: RecognizerTrainingOptions) -> Examples:
    model = trainee.model()
    by_spans = options.head == "span"
    examples = span_examples(texts, model, options.max_words) if by_spans else token_examples(texts, model)
    if not examples.entities:
        raise ConfigurationError(["none of the texts to train on has an entity that can be learned"])
    return examples


class _EntityTrainer(Trainer):
    """Evaluates by reading the held-out texts as they will be read; a span head has a learning rate of its own."""

    def __init__(self, trainee: Trainee, held_out: Sequence[AnnotatedText], told: Told | None, **rest: Any) -> None:
        super().__init__(model=trainee.network, **rest)
        self._trainee = trainee
        self._held_out = held_out
        self._told = told

    def evaluate(self, *_: Any, metric_key_prefix: str = "eval", **__: Any) -> dict[str, float]:
        """Precision, recall and F1 of entities."""
        self._trainee.network.eval()
        figures = agreement_of(
            BertEntityRecognizer.over(self._trainee.model(), self._trainee.reading()), self._held_out
        )
        metrics = {f"{metric_key_prefix}_{name}": value for name, value in figures.items()}
        self.log(dict(metrics))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        if self._told is not None:
            self._told({"epoch": float(self.state.epoch or 0), "epochs": float(self.args.num_train_epochs), **figures})
        return metrics

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        """AdamW, as the Trainer's own, with the head's weights in groups of their own."""
        if self.optimizer is None and isinstance(self._trainee.network, SpanNetwork):
            network = self._trainee.network
            decaying = set(self.get_decay_parameter_names(network))
            rates = {"encoder": self.args.learning_rate, "head": self._trainee.options.head_learning_rate}
            groups = [
                {
                    "params": [
                        weight
                        for name, weight in network.named_parameters()
                        if name.startswith(part) and (name in decaying) == decays
                    ],
                    "lr": rate,
                    "weight_decay": self.args.weight_decay if decays else 0.0,
                }
                for part, rate in rates.items()
                for decays in (True, False)
            ]
            self.optimizer = torch.optim.AdamW([group for group in groups if group["params"]], lr=rates["encoder"])
        optimizer: torch.optim.Optimizer = super().create_optimizer(model)
        return optimizer


def _trainer(
    trainee: Trainee,
    examples: Examples,
    held_out: Sequence[AnnotatedText],
    folder: Path,
    options: RecognizerTrainingOptions,
    told: Told | None,
) -> Trainer:
    arguments = TrainingArguments(
        **trainer_settings(options, folder, learning_rate=options.rate, best_by="f1"), remove_unused_columns=False
    )
    trainer = _EntityTrainer(
        trainee,
        held_out,
        told,
        args=arguments,
        train_dataset=examples,
        eval_dataset=examples,
        data_collator=partial(collate, padding=trainee.tokenizer.pad_token_id or 0),
        callbacks=[EarlyStoppingCallback(options.patience)],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _digest(*sets: Sequence[AnnotatedText]) -> str:
    digest = hashlib.sha256()
    for texts in sets:
        for text in texts:
            row = [text.id, text.text, [(e.start, e.end, e.type) for e in text.entities]]
            digest.update(json.dumps(row).encode())
        digest.update(b"|")
    return digest.hexdigest()[:12]
