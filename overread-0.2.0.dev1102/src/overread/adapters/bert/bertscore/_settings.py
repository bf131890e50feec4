"""Settings that BERTScore needs for a model besides its weights: the layer, and the scores of random sentences."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import bert_score
from attrs import frozen
from bert_score.utils import model2layers

from overread.exceptions import ConfigurationError

__all__ = ["Baseline", "chosen_layers", "find_baseline"]

_SHIPPED: Final = Path(bert_score.__file__).parent / "rescale_baseline" / "en"
_COLUMNS: Final = ("P", "R", "F")


@frozen
class Baseline:
    """Mean precision, recall and F of random sentences, which rescaling makes 0.

    Attributes:
        identity: name and digest.
        values: by "P", "R" and "F", each on [0, 1).
    """

    identity: str
    values: Mapping[str, float]

    def rescale(self, figure: float, name: str) -> float:
        """(figure - baseline) / (1 - baseline), as bert-score does."""
        base = self.values[name]
        return (figure - base) / (1.0 - base)


def chosen_layers(asked: int | None, path: str, config: Any) -> int:
    """The layer whose states are compared.

    Args:
        asked: as the options say.
        path: of the checkpoint; its last part may be a model's name that bert-score has a recommendation for.
        config: of the model.

    Raises:
        ConfigurationError: if the model has no such layer, or none is asked for and none known.
    """
    there = int(config.num_hidden_layers)
    known = {name.rpartition("/")[2]: layers for name, layers in model2layers.items()}
    layers = asked if asked is not None else known.get(Path(path).name)
    if layers is None:
        problem = (
            f"bert-score knows no layer for a model of this name; choose one of its {there} layers with "
            "bertscore.layers"
        )
        raise ConfigurationError([f"checkpoint {path!r}: {problem}"])
    if layers > there:
        raise ConfigurationError([f"bertscore.layers is {layers}, but {path!r} has {there} layers"])
    return layers


def find_baseline(name: str, layer: int) -> Baseline:
    """The baseline of a layer, from a file or from those that bert-score ships for English.

    Raises:
        ConfigurationError: if there is none of that name, or it holds no numbers from 0 to 1 for the layer.
    """
    given = Path(name).expanduser()
    path = given if given.is_file() else _SHIPPED / f"{name}.tsv"
    if not path.is_file():
        problem = f"no baseline {name!r}: it is neither a file nor a model for which bert-score has a baseline"
        raise ConfigurationError([problem])
    content = path.read_bytes()
    try:
        rows = {int(row["LAYER"]): row for row in csv.DictReader(content.decode("utf-8").splitlines())}
        values = {column: float(rows[layer][column]) for column in _COLUMNS}
    except (ValueError, KeyError, TypeError):
        values = {}
    if not values or not all(0.0 <= value < 1.0 for value in values.values()):
        problem = f"baseline {name!r} has no row LAYER {layer} with P, R and F from 0 to 1"
        raise ConfigurationError([problem])
    return Baseline(f"{path.stem}#{hashlib.sha256(content).hexdigest()[:8]}", values)
