"""Checkpoints as BERT-like models are saved, and no network."""

from __future__ import annotations

from ..bert.conftest import _no_network, _silent_saving, random_classifier, random_encoder

__all__ = ["_no_network", "_silent_saving", "random_classifier", "random_encoder"]
