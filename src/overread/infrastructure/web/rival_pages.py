"""A pair as two systems wrote it: their two pages side by side on one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from re import sub
from typing import Final

from overread.infrastructure import wording
from overread.infrastructure.web.templating import template

__all__ = ["page_name", "rival_page"]

_LONGEST: Final = 60


def rival_page(pair_id: str, sides: Sequence[tuple[str, str]]) -> str:
    """The page of a pair.

    Args:
        pair_id: its id.
        sides: name of each system, and its page of the pair as `pair_page` makes it.
    """
    return template("rivals.html.j2").render(pair_id=wording.shown(pair_id), sides=sides)


def page_name(pair_id: str) -> str:
    """A name for the page of a pair that any file system takes, another one for each id."""
    plain = sub(r"[^A-Za-z0-9]+", "-", pair_id)[:_LONGEST].strip("-")
    digest = sha256(pair_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain}-{digest}.html" if plain else f"{digest}.html"
