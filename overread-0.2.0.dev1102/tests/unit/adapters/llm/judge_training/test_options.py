"""Recipes: packaged, then a file's, then single settings; what cannot be used is named."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path

import attrs
import pytest

from overread.adapters.llm.judge_training.options import Recipe, read_recipe
from overread.exceptions import ConfigurationError


def test_settings_go_over_a_file_and_a_file_over_the_defaults(tmp_path: Path) -> None:
    """What is nearest to the user counts, and the rest stays as packaged."""
    file = tmp_path / "recipe.toml"
    file.write_text('stages = ["dpo"]\nseed = 11\nlearning_rate = 2e-5\n')
    recipe = read_recipe(file, ["seed=12", "merge=true", "lora_targets=q_proj,v_proj"])
    assert (recipe.stages, recipe.seed, recipe.merge, recipe.learning_rate) == (("dpo",), 12, True, 2e-5)
    assert recipe.lora_targets == ("q_proj", "v_proj")
    assert recipe.batch == read_recipe().batch


def test_both_stages_share_a_learning_rate_unless_told_otherwise() -> None:
    """The paper trains both with one."""
    assert read_recipe().rate("dpo") == read_recipe().rate("sft") == read_recipe().learning_rate
    assert read_recipe(None, ["dpo_learning_rate=5e-6"]).rate("dpo") == 5e-6


def test_the_packaged_recipe_gives_every_setting_without_a_default_and_says_whose_each_is() -> None:
    """A number of the paper is told apart from one of ours."""
    text = resources.files("overread.adapters.llm.judge_training").joinpath("data", "recipe.toml").read_text("utf-8")
    needed = {a.name for a in attrs.fields(Recipe) if a.default is attrs.NOTHING}
    assert set(tomllib.loads(text)) == needed
    for paragraph in text.split("\n\n")[1:]:
        assert re.search(r"^# (The paper's|The paper trains|Ours)", paragraph), paragraph


def test_usage_names_what_the_judge_was_trained_with() -> None:
    """A judge that is asked in another way than it was taught judges worse."""
    recipe = read_recipe(None, ["two_pass=true", "chat=plain", "prompt=unused.toml", "criteria=mine.toml"])
    assert recipe.usage("base", "out/adapter") == (
        "--set judge=two-pass --set model=transformers:base --set model.adapter=out/adapter --set model.chat=plain "
        "--set judge.criteria=mine.toml"
    )
    assert read_recipe().usage("b", "a") == "--set judge=one-pass --set model=transformers:b --set model.adapter=a"


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("rate=1", "rate is not a setting"),
        ("seed", "NAME=VALUE"),
        ("seed=-1", "seed must be 0 or more"),
        ("batch=many", "whole number"),
        ("batch=0", "batch must be above 0"),
        ("learning_rate=nan", "learning_rate must be a number, not 'nan'"),
        ("dpo_learning_rate=0", "dpo_learning_rate must be above 0"),
        ("validation=1", "validation must be a share"),
        ("lora_dropout=-0.1", "lora_dropout must be a share"),
        ("weight_decay=-1", "weight_decay must be 0 or more"),
        ("stages=dpo,sft", "stages must be"),
        ("stages=rlhf", "must be one of sft, dpo"),
        ("lora_targets=lm_head", "lora_targets"),
        ("schedule=zigzag", "must be one of"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(setting: str, problem: str) -> None:
    """A wrong setting would show after hours of training."""
    with pytest.raises(ConfigurationError, match=problem):
        read_recipe(None, [setting])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read"),
        (b"seed = ", "is not TOML"),
        (b"\xff", "is not UTF-8"),
        (b"rate = 1", "rate is no"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None, problem: str) -> None:
    """Missing, unreadable and mistyped recipes are told apart."""
    if content is not None:
        (tmp_path / "r.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=problem):
        read_recipe(tmp_path / "r.toml")
