"""The fit of a CREPE model: trains, tries the result as it will be used, and writes its card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from overread.adapters.bert.crepe._backbone import BackboneSize, write_backbone
from overread.adapters.bert.crepe._card import card
from overread.adapters.bert.crepe._training import TrainedModel, train
from overread.adapters.bert.crepe.options import BertCounterOptions, TrainingOptions
from overread.adapters.bert.crepe.plugin import bert_counter
from overread.application.training.counting import CountingReport, try_counter
from overread.application.training.splitting import split_by_study
from overread.domain.results.annotation import AnnotatedPair
from overread.plugins.assembly import parse_settings
from overread.structuring import structure

__all__ = ["BackboneSize", "FittedCrepe", "fit_crepe", "read_options", "write_backbone"]


@frozen(kw_only=True)
class FittedCrepe:
    """A trained model, what its counter is called in signatures, and how it does on each set of pairs."""

    trained: TrainedModel
    identity: str
    reports: Mapping[str, CountingReport]


def read_options(backbone: str, settings: Sequence[str]) -> TrainingOptions:
    """Training options from texts of the form "name=value".

    Raises:
        ConfigurationError: naming each option that is unknown or has an unusable value.
    """
    values = {"backbone": backbone, **parse_settings(settings)}
    return structure(TrainingOptions, values, "fit crepe: ")


def fit_crepe(
    pairs: Sequence[AnnotatedPair],
    folder: Path,
    options: TrainingOptions,
    *,
    tests: Mapping[str, Sequence[AnnotatedPair]] | None = None,
    note: str = "",
    told: Callable[[dict[str, float]], None] | None = None,
    resuming: Callable[[], None] | None = None,
) -> FittedCrepe:
    """Trains a CREPE model and writes it to a folder, for ``--set error_counter=bert:FOLDER``.

    A run that was killed goes on from its last checkpoint when it is started again with the same arguments.

    Args:
        pairs: of two studies or more, with counts named as the heads; a share of the studies is held out.
        folder: for the model, its tokenizer, its card (README.md) and the checkpoints.
        options: the settings.
        tests: more pairs by name to try the model on; none of them is trained on.
        note: how the pairs came about; kept in the card.
        told: called with the figures of each evaluation.
        resuming: called if training goes on from a checkpoint.

    Raises:
        ConfigurationError: if there is only one study, the backbone cannot be read, or the folder holds another run.
    """
    training, validation = split_by_study(pairs, options.validation, options.seed)
    trained = train(training, validation, folder, options, told=told, resuming=resuming)
    counter = bert_counter(BertCounterOptions(path=str(folder), device=options.device))
    reports = {
        name: try_counter(counter, counted, seed=options.seed)
        for name, counted in {"validation": validation, **(tests or {})}.items()
    }
    fitted = FittedCrepe(trained=trained, identity=counter.identity, reports=reports)
    sizes = {"training": training, "validation": validation, **(tests or {})}
    text = card(trained, counter.identity, reports, {name: len(some) for name, some in sizes.items()}, note)
    (folder / "README.md").write_text(text, encoding="utf-8")
    return fitted
