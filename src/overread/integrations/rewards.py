"""Rewards by their import path, for trainers that are told of them in a file: TRL's command line takes one.

    reward_funcs: [overread.integrations.rewards.notation_reward]

The name is that of a metric, or of a metric and a subscore, as trainers log it without the "overread_" before it. Each
is what `overread.reward` gives by default; one with other arguments is a line in a module of your own, which TRL finds
in the folder where it is started: ``report = overread.reward("radot", reference="findings")``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from overread.bootstrap.interface import reward
from overread.exceptions import ConfigurationError

if TYPE_CHECKING:
    from overread.application.scoring.reward import Reward

__all__ = ["notation_reward"]

notation_reward = reward()


def __getattr__(name: str) -> Reward:
    """The reward of a metric, or of its subscore.

    >>> from overread.integrations import rewards
    >>> rewards.radot.__name__, rewards.notation_significant.__name__
    ('overread_radot', 'overread_notation_significant')
    """
    if name.startswith("_"):
        raise AttributeError(name)
    return _build(name)


@lru_cache(maxsize=64)
def _build(name: str) -> Reward:
    metric, _, subscore = name.rpartition("_")
    problems: list[str] = []
    for chosen, number in ((name, None), (metric, subscore)):
        try:
            return reward(chosen, subscore=number)
        except ConfigurationError as error:
            problems += error.problems
    raise AttributeError(f"there is no reward {name!r}: {problems[0]}", name=name)
