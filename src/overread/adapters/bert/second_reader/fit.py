"""Fitting a second reader from judged claims to a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from overread.adapters.bert.second_reader._encoding import LAYERS, open_encoder
from overread.adapters.bert.second_reader._reader import SETTINGS, WEIGHTS
from overread.adapters.bert.second_reader._training import Figures, Trained, train
from overread.adapters.bert.second_reader.options import TrainingOptions
from overread.application.training.judged_claims import JudgedClaim
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import parse_settings
from overread.structuring import structure

__all__ = ["fit_second_reader", "read_training_options"]


def read_training_options(settings: Sequence[str]) -> TrainingOptions:
    """Options from texts such as "epochs=4". Raises `ConfigurationError` naming each that cannot be used."""
    return structure(TrainingOptions, parse_settings(settings), "fit second-reader: ")


def fit_second_reader(
    judged: Sequence[JudgedClaim],
    folder: Path,
    options: TrainingOptions,
    *,
    name: str,
    note: str = "",
    on_step: Callable[[int, int], None] | None = None,
) -> Figures:
    """Trains a second reader and writes it to a folder, for ``--set second_reader=minilm:FOLDER``.

    Args:
        judged: claims of marked pairs.
        folder: of settings, weights and card; made where it is not there.
        options: of the training.
        name: in the reader's identity.
        note: what the pairs are; kept in the card.
        on_step: called with steps done and steps in all.

    Returns:
        How it did on the studies that were kept apart.

    Raises:
        ConfigurationError: if none or all of the claims hold.
    """
    if not 0 < sum(each.holds for each in judged) < len(judged):
        raise ConfigurationError(["fit second-reader: of the discrepancies that were found, none or all hold"])
    encoder = open_encoder(cache=10**9)
    trained = train(judged, encoder, options, on_step)
    folder.mkdir(parents=True, exist_ok=True)
    settings: dict[str, Any] = {
        "name": name,
        "encoder": encoder.model.name.rpartition("@")[2],
        "layers": list(LAYERS),
        "kinds": list(trained.kinds),
        "note": note,
        "claims": trained.claims,
        "pairs": trained.pairs,
    }
    (folder / SETTINGS).write_text(json.dumps(settings, indent=1), encoding="utf-8")
    weights = {name: values.half().contiguous() for name, values in trained.network.state_dict().items()}
    save_file(weights, folder / WEIGHTS)
    (folder / "README.md").write_text(_card(name, note, trained, options), encoding="utf-8")
    return trained.figures


def _card(name: str, note: str, trained: Trained, options: TrainingOptions) -> str:
    claims, pairs, figures = trained.claims, trained.pairs, trained.figures
    return f"""# {name}: a second reader

Tells of each discrepancy between two radiology reports how likely it is that somebody who reads both confirms it.
Decomposable attention over token states of all-MiniLM-L6-v2, whose own weights are left as they are. It finds nothing
that the first reading did not find, it reads no images, and its labels come from invented reports.

- Use: `overread score --set second_reader=minilm:{name}`
- Learned from: {claims:,} discrepancies of {pairs:,} pairs{f" ({note})" if note else ""}
- On {figures.claims:,} discrepancies of studies kept apart: AUC {figures.auc:.3f}; what it calls likelier than not
  holds in {figures.precision:.1%}, and it so calls {figures.recall:.1%} of those that hold
- Training: {options.steps} steps of {options.pairs} pairs, learning rate {options.learning_rate:g}, dropout
  {options.dropout:g}, weight decay {options.weight_decay:g}, seed {options.seed}
"""
