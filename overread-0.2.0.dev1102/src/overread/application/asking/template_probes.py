"""Conversations that tell whether a chat template writes all that is said in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from overread.application.ports import Message

__all__ = ["REPAIR", "SYSTEM", "USER", "lost_turns"]

USER: Final = (Message("user", "overread-asks\n\noverread-listens"),)
SYSTEM: Final = (Message("system", "overread-rules\n\noverread-holds"), *USER)
REPAIR: Final = (*USER, Message("assistant", "overread-answers"), Message("user", "overread-repeats"))


def lost_turns(said: Sequence[Message], text: str) -> list[str]:
    """The roles of the turns that a rendered conversation does not hold whole, in order, each once.

    >>> lost_turns(SYSTEM, "overread-asks overread-listens")
    ['system']
    """
    lost = [turn.role for turn in said if not all(word in text for word in turn.text.split())]
    return list(dict.fromkeys(lost))
