"""Recipes: the settings of training a judge, from a file and from the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Final, Literal

from attrs import frozen

from overread.application.asking.prompts import own_text, toml_table
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import parse_settings
from overread.structuring import structure

__all__ = ["PROMPT_FILES", "Recipe", "Stage", "read_recipe"]

Stage = Literal["sft", "dpo"]

PROMPT_FILES: Final = ("prompt", "detection_prompt", "severity_prompt", "criteria")
"""Settings that name files to take instead of packaged prompts."""

_POSITIVE: Final = (
    "lora_rank",
    "lora_alpha",
    "learning_rate",
    "max_gradient",
    "batch",
    "accumulation",
    "sft_epochs",
    "dpo_epochs",
    "beta",
    "max_tokens",
    "answer_tokens",
)
_SHARES: Final = ("lora_dropout", "warmup", "validation", "checkpoints")
_MAY_BE_ZERO: Final = ("lora_dropout", "warmup")


@frozen(kw_only=True)
class Recipe:
    """Settings of training a judge; ``data/recipe.toml`` holds the defaults and says of each whether it is the paper's.

    Attributes:
        stages: "sft", "dpo", or both in this order.
        two_pass: whether the judge first lists differences and then rules on each.
        chat: how conversations are written, as of the model "transformers".
        lora: whether an adapter is trained, and not all weights.
        lora_targets: names of the layers that get an adapter; "all-linear" for all but the last.
        warmup: share of the steps over which the learning rate rises.
        batch, accumulation: answers (in "dpo" pairs of answers) at once, and batches in a step.
        beta: of the loss of preferences.
        dpo_learning_rate: None for that of fine-tuning.
        max_tokens: of a request with its answer; longer ones are left out.
        answer_tokens: of an answer at most, when the trained judge is tried.
        validation: share of the studies held out.
        checkpoints: share of a stage's steps between checkpoints.
        merge: whether merged weights are written beside the adapter.
        prompt, detection_prompt, severity_prompt, criteria: files to take instead of the packaged prompts.
    """

    stages: tuple[Stage, ...]
    two_pass: bool
    chat: Literal["auto", "template", "green", "plain"]
    lora: bool
    lora_rank: int
    lora_alpha: float
    lora_dropout: float
    lora_targets: tuple[str, ...]
    learning_rate: float
    weight_decay: float
    warmup: float
    schedule: Literal["linear", "cosine", "constant", "constant_with_warmup"]
    max_gradient: float
    batch: int
    accumulation: int
    sft_epochs: float
    dpo_epochs: float
    beta: float
    max_tokens: int
    answer_tokens: int
    validation: float
    seed: int
    checkpoints: float
    gradient_checkpointing: bool
    device: str
    dtype: Literal["auto", "fp32", "bf16", "fp16"]
    merge: bool
    dpo_learning_rate: float | None = None
    prompt: str | None = None
    detection_prompt: str | None = None
    severity_prompt: str | None = None
    criteria: str | None = None

    def __attrs_post_init__(self) -> None:
        """Refuses values that no training can have."""
        if problems := list(_problems(self)):
            raise ConfigurationError(problems)

    @property
    def prompts(self) -> dict[str, str]:
        """The files that take the place of packaged prompts, by option of the judge that is trained."""
        names = PROMPT_FILES[1:] if self.two_pass else PROMPT_FILES[:1]
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def usage(self, base: str, trained: str) -> str:
        """The ``--set`` options with which the judge that was trained is used.

        Args:
            base: the checkpoint that was trained on.
            trained: folder of the adapter, or of the model where all weights were trained.
        """
        settings = {
            "judge": "two-pass" if self.two_pass else "one-pass",
            "model": f"transformers:{base if self.lora else trained}",
            **({"model.adapter": trained} if self.lora else {}),
            **({} if self.chat == "auto" else {"model.chat": self.chat}),
            **{f"judge.{name}": file for name, file in self.prompts.items()},
        }
        return " ".join(f"--set {name}={value}" for name, value in settings.items())

    def epochs(self, stage: Stage) -> float:
        """Epochs of a stage."""
        return self.sft_epochs if stage == "sft" else self.dpo_epochs

    def rate(self, stage: Stage) -> float:
        """Learning rate of a stage at its height."""
        if stage == "dpo" and self.dpo_learning_rate is not None:
            return self.dpo_learning_rate
        return self.learning_rate


def read_recipe(file: Path | None = None, settings: Sequence[str] = ()) -> Recipe:
    """The packaged recipe, with what a file and then single settings change.

    Args:
        file: TOML with some of the keys.
        settings: texts of the form "name=value".

    Raises:
        ConfigurationError: if the file cannot be read, and naming each key that is unknown or of an unusable value.
    """
    packaged = resources.files(__package__).joinpath("data", "recipe.toml").read_text(encoding="utf-8")
    values = tomllib.loads(packaged)
    if file is not None:
        values |= toml_table(f"recipe {file}", own_text(f"recipe {file}", file))
    return structure(Recipe, values | parse_settings(settings), "fit judge: ")


def _problems(recipe: Recipe) -> list[str]:
    problems = [f"{name} must be above 0" for name in _POSITIVE if not getattr(recipe, name) > 0]
    for name in _SHARES:
        value, least = getattr(recipe, name), "0 or more" if name in _MAY_BE_ZERO else "above 0"
        if not (0 < value < 1 or (value == 0 and name in _MAY_BE_ZERO)):
            problems.append(f"{name} must be a share, {least} and below 1")
    if recipe.dpo_learning_rate is not None and not recipe.dpo_learning_rate > 0:
        problems.append("dpo_learning_rate must be above 0")
    if not recipe.weight_decay >= 0:
        problems.append("weight_decay must be 0 or more")
    if recipe.seed < 0:
        problems.append("seed must be 0 or more")
    if recipe.stages not in (("sft",), ("dpo",), ("sft", "dpo")):
        problems.append("stages must be sft, dpo, or sft,dpo")
    if recipe.merge and not recipe.lora:
        problems.append("merge is for adapters; with lora=false there is none to merge")
    if recipe.dtype == "fp16" and not recipe.lora:
        problems.append("all weights cannot be trained in fp16; set dtype=bf16 or fp32")
    if not recipe.lora_targets or "lm_head" in recipe.lora_targets:
        problems.append("lora_targets must name layers, and not lm_head")
    return problems
