"""Numbers in addresses: of what they name, and of what a list goes on from. None is larger than a store's largest."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Path, Query

__all__ = ["LARGEST", "After", "Before", "MaybeNumber", "Number"]

LARGEST: Final = 2**63 - 1
"""The largest number that a store has."""

Number = Annotated[int, Path(ge=1, le=LARGEST)]
"""Number of what a path names."""

MaybeNumber = Annotated[int | None, Query(ge=1, le=LARGEST)]
"""Number of something, if the query names one."""

After = Annotated[int, Query(ge=0, le=LARGEST)]
"""Number after which a list goes on; 0 for its beginning."""

Before = Annotated[int | None, Query(ge=1, le=LARGEST)]
"""Number before which a list goes on, to older ones."""
