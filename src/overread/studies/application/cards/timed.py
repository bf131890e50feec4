"""Time and memory of a metric, apart from cards, so that a process that measures them loads little else."""

from __future__ import annotations

from attrs import frozen

__all__ = ["Timing"]


@frozen(kw_only=True)
class Timing:
    """Time of a metric over pairs that it had not seen, and memory of a process that does nothing else.

    Attributes:
        pairs: how many.
        start: seconds from building it to the first score; overread itself is imported by then.
        cold: seconds of the first pass.
        warm: seconds of a second pass over the same pairs.
        peak: MiB of the process at most.
    """

    pairs: int
    start: float
    cold: float
    warm: float
    peak: float
