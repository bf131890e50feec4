"""The outcome of training a judge: each stage, and the judge as trained and tested."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen

from overread.adapters.llm.judge_training.options import Recipe, Stage
from overread.application.training.judged_pairs import JudgeEvaluation

__all__ = ["FittedJudge", "Likelihood", "StageRecord"]


@frozen(kw_only=True)
class Likelihood:
    """The likelihood of lessons under a model.

    Attributes:
        loss: mean negative log-likelihood of the answers' tokens in nats, 0 or more; lower is better.
        preferred: share of the pairs of answers whose true one is likelier, 0 to 1; NaN if there is no pair.
        margin: mean difference of their log-likelihoods in nats, above 0 if it favours the true ones; NaN if there is
            no pair.
        answers, pairs: number of each.
    """

    loss: float
    preferred: float
    margin: float
    answers: int
    pairs: int


@frozen(kw_only=True)
class StageRecord:
    """A stage that was trained to its end.

    Attributes:
        adapter: folder of the adapter as the stage left it, or of the model where all weights were trained.
        before, after: what the model made of the held-out lessons.
        losses: of the training, in order, with the epoch of each.
        resumed: whether it went on from a checkpoint, now or when it was trained.
    """

    stage: Stage
    adapter: Path
    before: Likelihood
    after: Likelihood
    losses: tuple[tuple[float, float], ...]
    resumed: bool = False


@frozen(kw_only=True)
class FittedJudge:
    """A judge as trained, and how it does.

    Attributes:
        adapter: folder for ``--set model.adapter=``; where all weights were trained, for ``--set model=transformers:``.
        identity: of the judge with the model it was trained on, as in signatures.
        base: the checkpoint's name and digest.
        data: digest of the pairs.
        stages: in order, with what the model made of the held-out lessons before and after each.
        pairs, lessons: by set, "training" and "validation".
        too_long: lessons that were left out.
        evaluations: on each test file.
    """

    adapter: Path
    recipe: Recipe
    identity: str
    base: str
    data: str
    stages: tuple[StageRecord, ...]
    pairs: Mapping[str, int]
    lessons: Mapping[str, int]
    too_long: int
    evaluations: Mapping[str, JudgeEvaluation] = field(factory=dict)
