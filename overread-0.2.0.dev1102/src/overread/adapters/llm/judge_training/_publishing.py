"""Publishing what was trained: the adapter, and where asked for the whole model with the adapter merged into it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import torch
from peft import PeftModel
from transformers import AutoConfig

from overread.adapters.llm.causal_lm.loading import load_causal_model
from overread.adapters.llm.judge_training.options import Recipe
from overread.tables.replacing import replacing_folder

__all__ = ["publish"]

_NOT_OF_THE_MODEL: Final = "figures.json"
_ADAPTER_FILES: Final = ("adapter_config.json", "adapter_model.safetensors")


def publish(base: str, trained: Path, folder: Path, recipe: Recipe) -> Path:
    """Writes ``adapter`` and, if the recipe says so, ``merged`` into a folder, or ``model``; each all or nothing.

    Args:
        base: the checkpoint that was trained on.
        trained: the adapter, or the model, as the last stage left it.
        folder: of the run.
        recipe: its settings.

    Returns:
        The adapter's folder, or the model's where all weights were trained.
    """
    if not recipe.lora:
        with replacing_folder(folder / "model") as place:
            for file in sorted(trained.iterdir()):
                if file.name != _NOT_OF_THE_MODEL:
                    shutil.copy(file, place)
            _settings_of(base, place)
        return folder / "model"
    with replacing_folder(folder / "adapter") as place:
        for name in _ADAPTER_FILES:
            shutil.copy(trained / name, place)
    if recipe.merge:
        with replacing_folder(folder / "merged") as place:
            _merge(base, trained, place, recipe)
    return folder / "adapter"


def _merge(base: str, trained: Path, place: Path, recipe: Recipe) -> None:
    """Writes the model in the number format that its checkpoint has."""
    loaded = load_causal_model(base, device=recipe.device, dtype=recipe.dtype)
    merged = PeftModel.from_pretrained(loaded.network, str(trained)).merge_and_unload()
    stored = AutoConfig.from_pretrained(Path(base).expanduser()).dtype or torch.float32
    merged.to(stored).save_pretrained(place)
    loaded.tokenizer.save_pretrained(place)
    _settings_of(base, place)


def _settings_of(base: str, place: Path) -> None:
    """Replaces the settings for generation with the base's own, if it has any."""
    generation = Path(base).expanduser() / "generation_config.json"
    (place / generation.name).unlink(missing_ok=True)
    if generation.is_file():
        shutil.copy(generation, place)
