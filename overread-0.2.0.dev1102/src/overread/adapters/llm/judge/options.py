"""Options of the judges."""

from __future__ import annotations

from attrs import frozen

__all__ = ["JudgeLimits", "OnePassOptions", "TwoPassOptions"]


@frozen(kw_only=True)
class JudgeLimits:
    """Options of both judges.

    Attributes:
        repairs: how often an answer that cannot be read is sent back.
        max_tokens: of an answer at most; 1024 as in Beyond Scalar Scores, section 3.2.
        threshold: words, 0 to 1, that a quote that stands nowhere as it is must share with a passage.
    """

    repairs: int = 1
    max_tokens: int = 1024
    threshold: float = 0.85


@frozen(kw_only=True)
class OnePassOptions(JudgeLimits):
    """Options of the one-pass judge.

    Attributes:
        prompt: file with another wording, with places for {reference} and {candidate}.
    """

    prompt: str | None = None


@frozen(kw_only=True)
class TwoPassOptions(JudgeLimits):
    """Options of the two-pass judge.

    Attributes:
        detection_prompt: file with another wording of the first pass, with places for {reference} and {candidate}.
        severity_prompt: of the second, with {span} and {aspect} besides; {type} and {criteria} are filled in too.
        criteria: TOML file with other criteria.
    """

    detection_prompt: str | None = None
    severity_prompt: str | None = None
    criteria: str | None = None
