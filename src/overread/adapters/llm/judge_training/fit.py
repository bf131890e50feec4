"""The fit of a judge: trains it, tries the result as it will be used, and writes its card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict

from overread.adapters.checkpoints.training_folder import claim_folder
from overread.adapters.llm.judge_training.fitted import FittedJudge, StageRecord
from overread.adapters.llm.judge_training.options import PROMPT_FILES, Recipe, Stage
from overread.application.training.judged_pairs import JudgedPair, evaluate_judge
from overread.application.training.splitting import split_by_study
from overread.exceptions import ConfigurationError
from overread.extras import require

if TYPE_CHECKING:
    from overread.adapters.llm.judge_training._encoding import Row

__all__ = ["fit_judge"]


def fit_judge(
    pairs: Sequence[JudgedPair],
    base: str,
    folder: Path,
    recipe: Recipe,
    *,
    tests: Mapping[str, Sequence[JudgedPair]] | None = None,
    note: str = "",
    told: Callable[[Stage, float, float, float], None] | None = None,
) -> FittedJudge:
    """Trains a LoRA adapter that makes a causal model a judge (Beyond Scalar Scores, section 5.1), and writes it.

    With ``lora=false`` in the recipe all weights are trained, and a whole model is written.

    A run that was killed goes on from its last checkpoint when it is started again with the same arguments. Nothing
    leaves the machine, and nothing is written outside the folder.

    Args:
        pairs: of two studies or more; a share of the studies is held out.
        base: folder of a causal checkpoint with its tokenizer.
        folder: for the adapter or the model, merged weights if asked for, the card (README.md) and the checkpoints of
            each stage.
        recipe: the settings.
        tests: more pairs by name, for the trained judge to judge; none of them is trained on.
        note: how the pairs came about; kept in the card.
        told: called now and then with the stage, the epochs done, all epochs, and the loss.

    Raises:
        ConfigurationError: if there is only one study, the checkpoint, a prompt or the recipe cannot be used, nothing
            is short enough to learn from, or the folder holds another run.
        MissingDependencyError: if a package of the extra "train" is missing.
    """
    require("fit judge", "train")
    training, held = split_by_study(pairs, recipe.validation, recipe.seed)
    from overread.adapters.llm.judge_training._card import card  # noqa: PLC0415 - needs the extra
    from overread.adapters.llm.judge_training._silence import alone  # noqa: PLC0415 - as above

    sets = {"training": training, "validation": held}
    with alone():
        fitted = _train_judge(sets, _digest(pairs), base, folder, recipe, tests or {}, told)
        (folder / "README.md").write_text(card(fitted, note), encoding="utf-8")
    return fitted


def _train_judge(
    sets: Mapping[str, Sequence[JudgedPair]],
    data: str,
    base: str,
    folder: Path,
    recipe: Recipe,
    tests: Mapping[str, Sequence[JudgedPair]],
    told: Callable[[Stage, float, float, float], None] | None,
) -> FittedJudge:
    from overread.adapters.llm.judge_training import _training as training  # noqa: PLC0415 - needs the extra
    from overread.adapters.llm.judge_training._lessons import syllabus  # noqa: PLC0415 - as above
    from overread.adapters.llm.judge_training._publishing import publish  # noqa: PLC0415 - as above
    from overread.adapters.llm.judge_training._trained import judge_of  # noqa: PLC0415 - as above

    plan = syllabus(recipe)
    name, encoder = training.read_base(base, recipe)
    encoded = {part: encoder.rows(plan.lessons(some)) for part, some in sets.items()}
    rows = {part: fitting for part, (fitting, _) in encoded.items()}
    _check(rows, recipe, encoder.limit)
    with claim_folder(folder, {"data": data, "base": name, "prompts": plan.identity, "recipe": _settings(recipe)}):
        course = training.Course(
            base=base,
            folder=folder,
            recipe=recipe,
            training=rows["training"],
            held=rows["validation"],
            padding=encoder.padding,
        )
        records: list[StageRecord] = []
        for stage in recipe.stages:
            start = records[-1].adapter if records else None
            records.append(training.train_stage(course, stage, start, told=told))
        adapter = publish(base, records[-1].adapter, folder, recipe)
        judge = judge_of(plan, base, adapter, recipe)
        return FittedJudge(
            adapter=adapter,
            recipe=recipe,
            identity=judge.identity,
            base=name,
            data=data,
            stages=tuple(records),
            pairs={part: len(some) for part, some in sets.items()},
            lessons={part: len(some) for part, some in rows.items()},
            too_long=sum(left for _, left in encoded.values()),
            evaluations={test: evaluate_judge(judge, some) for test, some in tests.items()},
        )


def _check(rows: Mapping[str, Sequence[Row]], recipe: Recipe, limit: int) -> None:
    for part, some in rows.items():
        if not some:
            problem = f"none of the {part} pairs makes a lesson of at most {limit} tokens"
            raise ConfigurationError([f"{problem}; raise max_tokens, or take a model with more positions"])
    if "dpo" in recipe.stages and all(row.rejected is None for row in rows["training"]):
        raise ConfigurationError(["stage dpo: no training pair has a difference whose severity could be flipped"])


def _settings(recipe: Recipe) -> dict[str, Any]:
    """The recipe without the places of the prompts, which are known by their digests."""
    return {name: value for name, value in asdict(recipe).items() if name not in PROMPT_FILES}


def _digest(pairs: Sequence[JudgedPair]) -> str:
    digest = hashlib.sha256()
    for judged in pairs:
        spans = [[span.text, span.aspect, span.type, span.severity] for span in judged.spans]
        reports = [judged.pair.reference.text, judged.pair.candidate.text]
        explanations = [judged.explanation, *filter(None, [judged.contrary])]
        digest.update(json.dumps([judged.pair.id, judged.study, *reports, spans, *explanations]).encode())
    return digest.hexdigest()[:12]
