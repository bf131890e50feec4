"""Checkpoints as BERT-like models are saved, and no network."""

from __future__ import annotations

from ..bert.conftest import no_network, random_classifier, random_encoder, silent_saving

__all__ = ["no_network", "random_classifier", "random_encoder", "silent_saving"]
