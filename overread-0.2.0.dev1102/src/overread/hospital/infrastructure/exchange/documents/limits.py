"""Limits of what is read of a document."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen, validators

__all__ = ["DocumentLimits"]

_POSITIVE: Final = validators.ge(1)


@frozen(kw_only=True)
class DocumentLimits:
    """Limits of a document, far above what a report needs.

    Attributes:
        most_bytes: of the document itself, decoded from base64.
        most_characters: of its text.
        most_pages: of a PDF.
        seconds: of computing that reading a PDF may take.
        memory: in bytes, that reading a PDF may take.
    """

    most_bytes: int = field(default=16 * 2**20, validator=_POSITIVE)
    most_characters: int = field(default=512 * 1024, validator=_POSITIVE)
    most_pages: int = field(default=60, validator=_POSITIVE)
    seconds: int = field(default=10, validator=_POSITIVE)
    memory: int = field(default=512 * 2**20, validator=_POSITIVE)
