"""Layout of a report by a site's system."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["laid_out"]

_FIELD: Final = re.compile(r"\{(\w+)\}")
_SPACES: Final = re.compile(r"(?<=\S) {2,}")
_BLANK_LINES: Final = re.compile(r"\n{3,}")


def laid_out(layout: str, fields: Mapping[str, str]) -> str:
    """A layout with its fields filled, those within fields too; without the gaps that empty ones leave.

    >>> laid_out("{banner} {signature}", {"banner": "", "signature": "Signed: {reader}", "reader": "Brandt"})
    'Signed: Brandt'
    """
    text = layout
    for _ in range(2):
        text = _FIELD.sub(lambda match: fields[match[1]], text)
    return _BLANK_LINES.sub("\n\n", _SPACES.sub(" ", text)).strip()
