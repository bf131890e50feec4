"""Documents within OBX-5 (data type ED), in the words that senders have for their type and encoding."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from attrs import field, frozen

from overread.hospital.infrastructure.exchange.documents.reading import (
    HTML,
    PDF,
    PLAIN,
    RTF,
    bytes_of_base64,
    document_kind,
    text_of_document,
    text_of_source,
)
from overread.hospital.infrastructure.exchange.hl7._segments import Segment
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Encapsulated", "document_in", "is_raw_rtf", "raw_rtf"]

_VALUE: Final = 5
_PLACE: Final = "OBX-5"
_PARTS: Final = 5
"""Components of an ED: source application, type of data, subtype, encoding, data."""

_BASE64: Final = frozenset({"base64", "base-64", "base 64", "base_64", "b64", "b", "mime", "encoded"})
_LITERAL: Final = frozenset({"a", "ascii", "none", "8bit", "7bit", "8-bit", "7-bit", "utf-8", "utf8"})
_HEXADECIMAL: Final = "hex"
_LOOKS_ENCODED: Final = re.compile(r"[A-Za-z0-9+/\s]{16,}+={0,2}\s*+")
_BREAKS: Final = re.compile(r"\\(?:\.br|X0D0A|X0D|X0A)\\", re.IGNORECASE)
_RAW_RTF: Final = re.compile(r"\s*\{\\rtf")
_SEPARATORS: Final = re.compile(r"\\(?:([FSTRE])|(?:\.br|X0D0A|X0D|X0A))\\")
_SEPARATED: Final = {"F": "|", "S": "^", "T": "&", "R": "~", "E": "\\"}
_GROUP: Final = 4
_ENDLESS: Final = frozenset({PLAIN, HTML})
"""Kinds of documents that may end anywhere; RTF and PDF have an end, which reading them checks."""

_RANK: Final = {PLAIN: 0, RTF: 1, HTML: 2, PDF: 3, "": 4}
_MAGIC: Final = (("JVBERi0", PDF), ("e1xydGY", RTF), ("PCFET0NUWVBF", HTML), ("PGh0bWw", HTML), ("{\\rtf", RTF))
"""How documents open, in base64 and as they are."""


@frozen
class Encapsulated:
    """A document of which nothing is decoded yet.

    Attributes:
        kind: its media type; "" for one that is not read.
        encoding: "base64", "hex" or "literal".
        data: as sent.
        segment: that it came in.
    """

    kind: str
    encoding: str
    data: str = field(repr=False)
    segment: Segment = field(repr=False)

    @property
    def rank(self) -> int:
        """Rank among forms of one report: the less there is to undo, the better."""
        return _RANK[self.kind]

    def text(self) -> str:
        """The text of the document.

        Raises:
            RefusedMessageError: if it cannot be read.
        """
        if self.encoding == "literal":
            return self._literal_text()
        data = self._bytes()
        self._check_whole()
        return text_of_document(data, self.kind, charset=self.segment.charset, location=_PLACE)

    def _literal_text(self) -> str:
        if is_raw_rtf(self.data):
            return text_of_source(raw_rtf(self.data), location=_PLACE)
        text = self.segment.unescape(self.data, _VALUE)
        if self.kind in (PLAIN, RTF):
            return text_of_source(text, location=_PLACE)
        return text_of_document(text.encode(), self.kind, location=_PLACE)

    def _check_whole(self) -> None:
        """Refuses base64 without its end, where the document does not tell itself that it ends too early."""
        is_cut = self.encoding == "base64" and len("".join(_BREAKS.sub("", self.data).split())) % _GROUP
        if is_cut and self.kind in _ENDLESS:
            detail = (
                "the base64 does not end as it should (its length is no multiple of 4): a part of the document may be "
                "missing; check the greatest length of the field, or send it with its padding"
            )
            raise RefusedMessageError("not-base64", detail, location=_PLACE)

    def _bytes(self) -> bytes:
        bare = _BREAKS.sub("", self.data)
        if self.encoding == _HEXADECIMAL:
            try:
                return bytes.fromhex(bare)
            except ValueError:
                raise RefusedMessageError("bad-encoding", "the document is not hexadecimal", location=_PLACE) from None
        return bytes_of_base64(bare, location=_PLACE)


def document_in(segment: Segment) -> Encapsulated:
    """The document in OBX-5, whose type is told in one of the ways that are in use.

    HL7 has ``RIS^TEXT^RTF^Base64^...``. Senders leave out components, write a media type into one of them, put the
    subtype in place of the type, or send the data alone; what the data open with decides where nothing else does.
    """
    *others, data = segment.raw_components(_VALUE, _PARTS)
    words = [segment.unescape(word, _VALUE).strip().lower() for word in others]
    return Encapsulated(_kind(words, data), _encoding(words, data), data, segment)


def _kind(words: list[str], data: str) -> str:
    opening = data.lstrip()[:20]
    if magic := next((kind for start, kind in _MAGIC if opening.startswith(start)), ""):
        return magic
    pairs = (f"{first}/{second}" for first, second in pairwise(words))
    types = [word for word in reversed(words[:3]) if word not in _BASE64 | _LITERAL]
    return next((kind for word in (*pairs, *types) if (kind := document_kind(word))), "")


def _encoding(words: list[str], data: str) -> str:
    last = words[-1] if words else ""
    if _HEXADECIMAL in words[-2:]:
        return _HEXADECIMAL
    if _BASE64 & set(words[1:]):
        return "base64"
    if last in _LITERAL:
        return "literal"
    return "base64" if _LOOKS_ENCODED.fullmatch(_BREAKS.sub("", data)) and " " not in data.strip() else "literal"


def is_raw_rtf(value: str) -> bool:
    r"""Return whether a field opens as RTF whose backslashes are not escaped, so that it cannot be unescaped."""
    return _RAW_RTF.match(value) is not None


def raw_rtf(value: str) -> str:
    r"""RTF of a field whose backslashes are not escaped; separators and line breaks may be.

    >>> raw_rtf(r"{\rtf1 L4\T\L5\par 5\.br\}")
    '{\\rtf1 L4&L5\\par 5\n}'
    """
    return _SEPARATORS.sub(lambda match: _SEPARATED[match[1]] if match[1] else "\n", value)
