"""The fit of a recogniser: trains, tries the result as it will be used, and writes its card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from overread.adapters.bert._recognizer import BertEntityRecognizer
from overread.adapters.bert.options import BertRecognizerOptions
from overread.adapters.bert.recognizer_training._card import card
from overread.adapters.bert.recognizer_training._training import TrainedRecognizer, train_recognizer
from overread.adapters.bert.recognizer_training.options import RecognizerTrainingOptions
from overread.application.training.recognition import RecognitionReport, try_recognizer
from overread.application.training.splitting import split_by_study
from overread.domain.entities.annotated_text import AnnotatedText
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import parse_settings
from overread.structuring import structure
from overread.tables.replacing import replacing

__all__ = ["FittedRecognizer", "fit_recognizer", "read_options"]


@frozen(kw_only=True)
class FittedRecognizer:
    """A trained recogniser, what it is called in signatures, and how it does on each set of texts."""

    trained: TrainedRecognizer
    identity: str
    reports: Mapping[str, RecognitionReport]


def read_options(backbone: str, settings: Sequence[str]) -> RecognizerTrainingOptions:
    """Training options from texts of the form "name=value".

    Raises:
        ConfigurationError: naming each option that is unknown or has an unusable value.
    """
    values = {"backbone": backbone, **parse_settings(settings)}
    return structure(RecognizerTrainingOptions, values, "fit recognizer: ")


def fit_recognizer(
    texts: Sequence[AnnotatedText],
    folder: Path,
    options: RecognizerTrainingOptions,
    *,
    held_out: Sequence[AnnotatedText] = (),
    sources: Sequence[str] = (),
    tests: Mapping[str, Sequence[AnnotatedText]] | None = None,
    note: str = "",
    told: Callable[[dict[str, float]], None] | None = None,
    resuming: Callable[[], None] | None = None,
) -> FittedRecognizer:
    """Trains a recogniser and writes it to a folder, for ``--set recognizer=bert:FOLDER``.

    A run that was killed goes on from its last checkpoint when it is started again with the same arguments.

    Args:
        texts: to learn from, with their entities.
        folder: for the model, its tokenizer, its card (README.md) and the checkpoints.
        options: the settings.
        held_out: texts by which the epoch is chosen; by default a share of the studies of ``texts``, of all sources.
        sources: of the texts to train on; by default all. What is held out is not chosen by its source.
        tests: more texts by name to try the recogniser on; none of them is trained on.
        note: how the texts came about; kept in the card.
        told: called with the figures of each evaluation.
        resuming: called if training goes on from a checkpoint.

    Raises:
        ConfigurationError: if there is only one study, no text is of a source, the backbone cannot be read, or the
            folder holds another run.
    """
    training, validation = (
        (texts, held_out) if held_out else split_by_study(texts, options.validation, options.seed, what="texts")
    )
    if unknown := sorted(set(sources) - {text.source for text in training}):
        raise ConfigurationError([f"no training text has the source {source!r}" for source in unknown])
    chosen = [text for text in training if not sources or text.source in sources]
    trained = train_recognizer(chosen, validation, folder, options, told=told, resuming=resuming)
    recognizer = BertEntityRecognizer.create(BertRecognizerOptions(path=str(folder), device=options.device))
    reports = {
        name: try_recognizer(recognizer, known, seed=options.seed)
        for name, known in {"held out": validation, **(tests or {})}.items()
    }
    of_sources = f"; sources {', '.join(sources)}" if sources else ""
    with replacing(folder / "README.md") as partial:
        partial.write_text(card(trained, recognizer.identity, reports, of_sources, note), encoding="utf-8")
    return FittedRecognizer(trained=trained, identity=recognizer.identity, reports=reports)
