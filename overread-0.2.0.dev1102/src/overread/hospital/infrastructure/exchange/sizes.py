"""Documents that become far larger in memory than they are in bytes."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["elements_of"]

_TEXT: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_MARKS: Final = (b"{", b"[", b",")


def elements_of(document: bytes) -> int:
    """Upper bound on the objects, lists and values in a JSON document, found without parsing it.

    >>> elements_of(b'{"text": "a, b", "codes": [{}, {}]}')
    6
    """
    bare = _TEXT.sub(b"", document)
    return sum(map(bare.count, _MARKS))
