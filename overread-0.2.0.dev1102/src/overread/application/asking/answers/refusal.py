"""Refusals: answers in which a model declines instead of answering."""

from __future__ import annotations

import re
from typing import Final

from overread.application.asking.answers.json_answer import without_reasoning

__all__ = ["is_refusal"]

_LONGEST: Final = 800
"""Characters; whoever declines at greater length says something else besides."""

_TASK: Final = (
    r"(?:help|assist|provide|comply|fulfil|do (?:this|that|so)|give|offer|answer|respond|reply|evaluate|complete|"
    r"continue|proceed|process|perform|carry out|analy[sz]e|assess|discuss|generate|create|produce|write|review|"
    r"interpret|share|compare|judge|rate|engage|participate|diagnose|make)"
)
_UNWILLING: Final = (
    r"(?:cannot|can't|can not|could not|couldn't|won't|will not|shouldn't|should not|(?:unable|not able|not allowed|"
    r"not permitted|not going|not in a position|decline|refuse) to)"
)
_DECLINES: Final = re.compile(
    rf"\b(?:i|we)\b[^.!?]{{0,60}}?\b{_UNWILLING}(?: be able to| \w+ly| to| with)? {_TASK}"
    r"|\b(?:i|we)(?:'m| am| are| do)? (?:not|don't)(?: feel)? comfortable\b"
    rf"|\b(?:i|we) (?:must|have to|will)(?: \w+ly)? decline\b"
    rf"|^(?:sorry, )?unable to {_TASK}"
    r"|\brequest cannot be (?:completed|processed|fulfilled|answered)\b"
    r"|\bagainst (?:my|our) (?:policy|policies|guidelines|programming)\b"
)


def is_refusal(text: str) -> bool:
    """Return whether an answer declines and does nothing else.

    Meant only for answers that have already turned out not to be in the requested format. An answer longer than 800
    characters or with a bracket in it isn't a refusal, nor is "I cannot find any difference".

    >>> is_refusal("I'm sorry, but I cannot help with medical reports.")
    True
    >>> is_refusal("I cannot find any difference between the reports.")
    False
    """
    words = " ".join(without_reasoning(text).replace("’", "'").lower().split())
    return len(words) <= _LONGEST and not set(words) & set("{}[]") and _DECLINES.search(words) is not None
