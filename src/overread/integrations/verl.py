"""Rewards as verl calls them. verl is told of a function of this module by its configuration.

    reward.custom_reward_function.path=pkg://overread.integrations.verl
    reward.custom_reward_function.name=compute_score

Each takes what verl has of a completion, and the arguments of `overread.reward` from ``reward_kwargs``, among them
``settings`` as the path of a file. It gives ``score``, which verl takes for the reward, and ``scored``, which verl logs
beside it: 1.0 if a score is behind the reward, 0.0 if it stands in the place of one. verl knows no completion without a
reward, so ``unscored`` must be a number.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypedDict, Unpack
from weakref import WeakKeyDictionary

from attrs import define, field

from overread.application.scoring.reward import Grade, Reward
from overread.bootstrap.interface import OnError, reward
from overread.exceptions import ConfigurationError
from overread.infrastructure.settings import load_settings

__all__ = ["RewardOptions", "compute_score", "compute_score_async", "compute_scores"]


class RewardOptions(TypedDict, total=False):
    """Arguments of `overread.reward` that a configuration may name.

    The last two are verl's own, which it hands over where a reward model is served; they are not used.
    """

    metric: str | None
    subscore: str | None
    unscored: float
    on_error: OnError
    settings: str | None
    reward_router_address: Any
    reward_model_tokenizer: Any


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None, **options: Unpack[RewardOptions]
) -> dict[str, float]:
    """The reward of one completion, for every version and reward manager of verl.

    >>> compute_score("chest", "Small effusion.", "Small effusion.", metric="rouge")
    {'score': 1.0, 'scored': 1.0}

    Args:
        data_source: is not looked at.
        solution_str: the completion.
        ground_truth: the radiologist's report.
        extra_info: is not looked at.
        options: as `RewardOptions`.

    Raises:
        InputError: if either is no text, unless ``on_error`` is "skip".
        ConfigurationError: if the options are none of a reward.
    """
    return compute_scores([data_source], [solution_str], [ground_truth], [extra_info], **options)[0]


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Any = None,
    **options: Unpack[RewardOptions],
) -> list[dict[str, float]]:
    """The rewards of a batch, as verl's ``BatchRewardManager`` asks for them.

    >>> compute_scores(["chest"] * 2, ["Small effusion.", ""], ["Small effusion.", ""], metric="rouge")
    [{'score': 1.0, 'scored': 1.0}, {'score': 0.0, 'scored': 0.0}]

    Args:
        data_sources: are not looked at.
        solution_strs: the completions.
        ground_truths: the radiologist's report for each.
        extra_infos: are not looked at.
        options: as `RewardOptions`.

    Raises:
        InputError: if any is no text, unless ``on_error`` is "skip".
        ConfigurationError: if the options are none of a reward.
    """
    del data_sources, extra_infos
    return _as_verl_has_them(_reward_of(options).grade(solution_strs, ground_truths))


async def compute_score_async(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None, **options: Unpack[RewardOptions]
) -> dict[str, float]:
    """The reward of one completion, scored together with all that wait when its turn comes.

    verl's reward loop asks for one completion at a time, and for many at once. This makes batches of them, which is
    faster where a model is asked: a server of language models then answers several at a time.

    Args:
        data_source: is not looked at.
        solution_str: the completion.
        ground_truth: the radiologist's report.
        extra_info: is not looked at.
        options: as `RewardOptions`.

    Raises:
        InputError: if any of the completions in its batch, or their references, is no text, unless ``on_error`` is
            "skip".
        ConfigurationError: if the options are none of a reward.
    """
    del data_source, extra_info
    give = _reward_of(options)
    queues = _QUEUES.setdefault(asyncio.get_running_loop(), {})
    queue = queues.setdefault(give, _Queue(give))
    return await queue.ask(solution_str, ground_truth)


@define(eq=False)
class _Queue:
    """Completions that wait for their reward in one event loop."""

    _give: Reward
    _waiting: list[tuple[str, str, asyncio.Future[dict[str, float]]]] = field(factory=list, init=False)
    _work: asyncio.Task[None] | None = field(default=None, init=False)

    async def ask(self, completion: str, reference: str) -> dict[str, float]:
        answer: asyncio.Future[dict[str, float]] = asyncio.get_running_loop().create_future()
        self._waiting.append((completion, reference, answer))
        if self._work is None:
            self._work = asyncio.create_task(self._answer_all())
        return await answer

    async def _answer_all(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                completions, references, answers = zip(*batch, strict=True)
                try:
                    grades = await asyncio.to_thread(self._give.grade, completions, references)
                except Exception as error:  # noqa: BLE001 - whoever waits is told
                    for answer in answers:
                        _ = answer.done() or answer.set_exception(error)
                else:
                    for answer, given in zip(answers, _as_verl_has_them(grades), strict=True):
                        _ = answer.done() or answer.set_result(given)
        finally:
            self._work = None


_QUEUES: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Reward, _Queue]] = WeakKeyDictionary()


def _as_verl_has_them(grades: Sequence[Grade]) -> list[dict[str, float]]:
    return [{"score": grade.reward or 0.0, "scored": float(grade.is_scored)} for grade in grades]


def _reward_of(options: RewardOptions) -> Reward:
    given = {name: value for name, value in options.items() if not name.startswith("reward_")}
    return _build(**given)


@lru_cache(maxsize=64)
def _build(metric: str | None = None, *, unscored: float = 0.0, settings: str | None = None, **more: Any) -> Reward:
    if unscored is None:
        raise ConfigurationError(["verl needs a number for every completion: give unscored from 0 to 1"])
    return reward(metric, unscored=unscored, settings=None if settings is None else load_settings(settings), **more)
