"""The card of a trained judge: what it is, what it was made from, and how it does."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import Any, Final

from attrs import asdict, evolve

from overread.adapters.checkpoints.model_card import card_table, made_with, with_interval
from overread.adapters.llm.judge_training.fitted import FittedJudge, Likelihood
from overread.adapters.llm.judge_training.options import PROMPT_FILES, Recipe
from overread.application.statistics import Estimate

__all__ = ["card"]

_LIBRARIES: Final = ("overread", "peft", "torch", "transformers", "trl")
_STAGES: Final = {"sft": "fine-tuning", "dpo": "preferences"}


def card(fitted: FittedJudge, note: str) -> str:
    """The card as Markdown.

    Args:
        fitted: the judge as trained and tried.
        note: how the pairs came about.
    """
    folder, recipe = fitted.adapter.parent.name, fitted.recipe
    passes = "two-pass" if recipe.two_pass else "one-pass"
    base = fitted.base.partition("@")[0]
    use = _without_places(recipe).usage(base, f"{folder}/{fitted.adapter.name}")
    made = f"A LoRA adapter that makes {base}" if recipe.lora else f"All weights of {base} trained to make it"
    sizes = (f"{part} {count:,} ({fitted.lessons[part]:,} lessons)" for part, count in fitted.pairs.items())
    lines = [
        f"# {folder}: a judge",
        "",
        f"{made} a {passes} judge of radiology reports, trained as in Beyond Scalar Scores,",
        "section 5.1. It judges as the pairs do that it learned from, and knows no more of medicine than they and its",
        "base model do. The licence of the base model holds for it too.",
        "",
        f"- Signature: `{fitted.identity}`",
        f"- Base: {fitted.base}",
        f"- Use: `overread score --metric judge {use}`",
        f"- Data: {note or 'not described'} (digest {fitted.data})",
        f"- Pairs: {', '.join(sizes)}; left out as too long: {fitted.too_long:,} lessons",
        made_with(_LIBRARIES),
        "",
        "## Figures",
        "",
        "On lessons of studies that were held out: the mean negative log-likelihood of an answer's token in nats, how",
        "often the true answer is likelier than the one with the severities flipped, and by how much (mean difference",
        "of the log-likelihoods in nats).",
        "",
        *_likelihoods(fitted),
        "",
        *_evaluations(fitted),
        "## Training",
        "",
        *card_table(("option", "value"), sorted(asdict(_without_places(recipe)).items())),
        "",
        *card_table(
            ("stage", "epoch", "loss"),
            [(r.stage, f"{epoch:.2f}", f"{loss:.3f}") for r in fitted.stages for epoch, loss in r.losses],
        ),
        "",
    ]
    return "\n".join(lines)


def _likelihoods(fitted: FittedJudge) -> list[str]:
    points = {"before": fitted.stages[0].before}
    points |= {f"after {_STAGES[record.stage]}": record.after for record in fitted.stages}
    return card_table(
        ("", "loss", "true answer likelier", "by"), [(name, *_cells(likelihood)) for name, likelihood in points.items()]
    )


def _cells(found: Likelihood) -> tuple[str, str, str]:
    preferred = "none" if math.isnan(found.preferred) else f"{100 * found.preferred:.1f} % of {found.pairs:,}"
    return f"{found.loss:.3f}", preferred, "none" if math.isnan(found.margin) else f"{found.margin:.2f}"


def _evaluations(fitted: FittedJudge) -> list[str]:
    if not fitted.evaluations:
        return []
    rows = [
        (
            name,
            f"{evaluation.pairs:,}",
            _share(evaluation.discrimination),
            _share(evaluation.robustness),
            f"{evaluation.unscored:,}",
        )
        for name, evaluation in fitted.evaluations.items()
    ]
    return [
        "D: share of the significant pairs that the judge finds significant; R: share of the others that it does not;",
        "with 95 % bootstrap intervals. A pair without a judgement counts as wrong.",
        "",
        *card_table(("set", "pairs", "D", "R", "without judgement"), rows),
        "",
    ]


def _share(figure: Estimate) -> str:
    return with_interval(figure, scale=100, digits=1, unit=" %")


def _without_places(recipe: Recipe) -> Recipe:
    """The recipe with its prompts' files named by their names alone."""
    files = {name: getattr(recipe, name) for name in PROMPT_FILES}
    named: dict[str, Any] = {name: PurePath(file).name for name, file in files.items() if file is not None}
    return evolve(recipe, **named)
