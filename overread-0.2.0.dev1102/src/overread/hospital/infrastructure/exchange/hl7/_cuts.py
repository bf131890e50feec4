"""Lines that a system cut after a number of characters, within words too, and their text before that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["mend_cuts"]

_LEAST_CUTS: Final = 6
"""Long lines of one length before they are taken to be cut: wrapped at words, about one in six is as long as may be."""

_LONG: Final = 0.75
"""Share of the longest line from which on one would have held no further word, were it wrapped."""

_STRETCHED: Final = re.compile(r"\w {2,}\w")
"""Gaps of a justified line, whose margins are straight and whose words are whole."""


def mend_cuts(text: str, width: int | None, location: str) -> str:
    r"""The text before its lines were cut.

    Args:
        text: lines of a part of a report, as they were sent.
        width: characters after which lines are cut; 0 if they are not, None if that is not known.
        location: of the text.

    Raises:
        RefusedMessageError: if the width is not known and lines look cut: where a word ends would have to be guessed.

    >>> mend_cuts("No pneumo\nthorax.\nNormal.", 9, "OBX-5")
    'No pneumothorax.\nNormal.'
    """
    lines = text.split("\n")
    if width is None:
        _refuse_cuts(lines, location)
        return text
    if not width or max(map(len, lines)) > width:  # longer lines were not cut there
        return text
    pieces = [lines[0]]
    for before, line in pairwise(lines):
        is_going_on = len(before) == width and bool(line.strip())
        pieces.append(line if is_going_on else f"\n{line}")
    return "".join(pieces)


def _refuse_cuts(lines: Sequence[str], location: str) -> None:
    longest = max(map(len, lines))
    cuts = [(one, other) for one, other in pairwise(lines) if other.strip() and len(one) > _LONG * longest]
    is_even = len(cuts) >= _LEAST_CUTS and all(len(one) == longest for one, _ in cuts)
    full = sum(not one[-1].isspace() for one, _ in cuts) if is_even else 0
    if full * 2 <= len(cuts) or any(_STRETCHED.search(one) for one, _ in cuts):  # filled up, or justified
        return
    detail = (
        f"all long lines have {longest} characters, as if they were cut within words; set cut_at = {longest} for this "
        "system, or 0 if its lines end where words do"
    )
    raise RefusedMessageError("cut-lines", detail, location=location)
