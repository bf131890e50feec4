"""The trained judge as it will be used."""

from __future__ import annotations

from pathlib import Path

from overread.adapters.llm.causal_lm.model import CausalLanguageModel
from overread.adapters.llm.causal_lm.options import TransformersModelOptions
from overread.adapters.llm.judge.one_pass import OnePassJudge
from overread.adapters.llm.judge.options import OnePassOptions, TwoPassOptions
from overread.adapters.llm.judge.two_pass import TwoPassJudge
from overread.adapters.llm.judge_training._lessons import OnePassLessons, TwoPassLessons
from overread.adapters.llm.judge_training.options import Recipe
from overread.application.asking.inquiry import Inquiry

__all__ = ["judge_of"]


def judge_of(
    plan: OnePassLessons | TwoPassLessons, base: str, trained: Path, recipe: Recipe
) -> OnePassJudge | TwoPassJudge:
    """The judge that asks in the lessons' words, with the default limits.

    Raises:
        ConfigurationError: if the model or the adapter cannot be loaded.
    """
    model = CausalLanguageModel.create(
        TransformersModelOptions(
            path=base if recipe.lora else str(trained),
            adapter=str(trained) if recipe.lora else None,
            chat=recipe.chat,
            device=recipe.device,
            dtype=recipe.dtype,
        )
    )
    if isinstance(plan, OnePassLessons):
        one = OnePassOptions()
        return OnePassJudge(
            inquiry=Inquiry(model, None, one.repairs),
            prompt=plan.prompt,
            max_tokens=recipe.answer_tokens,
            threshold=one.threshold,
        )
    two = TwoPassOptions()
    return TwoPassJudge(
        inquiry=Inquiry(model, None, two.repairs),
        detection=plan.detection,
        severity=plan.severity,
        criteria=plan.criteria,
        max_tokens=recipe.answer_tokens,
        threshold=two.threshold,
    )
