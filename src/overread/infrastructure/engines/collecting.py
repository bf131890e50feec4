"""How often a process of ours looks for garbage."""

from __future__ import annotations

import gc

__all__ = ["collect_seldom"]


def collect_seldom() -> None:
    """Garbage is looked for a hundred times less often than by default, in a process that is ours alone.

    Lexicon and remembered sentences are many objects that live as long as the process; walking through them again and
    again for garbage that is not there costs a tenth of the time.
    """
    gc.set_threshold(100_000, 20, 100)
