"""Kinds of files by their first bytes: what a file is whose name says something else."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from pathlib import Path
from typing import Final

from overread.exceptions import InputError

__all__ = ["HEAD", "MARK", "WIDE_MARKS", "check_contents", "check_layout", "not_text"]

HEAD: Final = 512
"""Bytes that tell a kind."""

MARK: Final = b"\xef\xbb\xbf"
"""Byte order mark of UTF-8."""

WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks of UTF-16 and UTF-32."""

_GZIP: Final = b"\x1f\x8b"
_PARQUET: Final = b"PAR1"
_ZIP: Final = b"PK\x03\x04"
_OFFICE: Final = (b"[Content_Types].xml", b"_rels/", b"xl/", b"word/", b"docProps/", b"mimetypeapplication/vnd.oasis")
_SAVE_AS_CSV: Final = "save each sheet as CSV (UTF-8)"
_EXPORT: Final = "export the data as CSV or JSON lines"
_SAVE_TEXT: Final = "save its text as UTF-8"
_MAGIC: Final = (
    (_GZIP, "is compressed with gzip", "give it a name that ends in .gz, or unpack it"),
    (_PARQUET, "is a Parquet file", "give it a name that ends in .parquet"),
    (_ZIP, "is a zip archive", "unpack it first"),
    (b"PK\x05\x06", "is a zip archive with nothing in it", "name the file that is meant"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an old Office file, such as an Excel workbook", _SAVE_AS_CSV),
    (b"ARROW1", "is an Arrow or Feather file", "save it as Parquet"),
    (b"FEA1", "is a Feather file", "save it as Parquet"),
    (b"SQLite format 3\0", "is an SQLite database", _EXPORT),
    (b"BZh", "is compressed with bzip2", "unpack it first"),
    (b"\xfd7zXZ\0", "is compressed with xz", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "unpack it first"),
    (b"\x04\x22\x4d\x18", "is compressed with lz4", "unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7-Zip archive", "unpack it first"),
    (b"\x89PNG\r\n\x1a\n", "is an image", "name the file that is meant"),
    (b"\xff\xd8\xff", "is an image", "name the file that is meant"),
    (b"\x89HDF\r\n\x1a\n", "is an HDF5 file", _EXPORT),
    (b"\x93NUMPY", "is a NumPy array", _EXPORT),
    (b"%PDF-", "is a PDF document", _SAVE_TEXT),
    (b"{\\rtf", "is an RTF document", _SAVE_TEXT),
    (b"version https://git-lfs", "is a pointer of Git LFS, not the file itself", "fetch the file with git lfs pull"),
)
_WITHIN: Final = (
    (257, b"ustar", "is a tar archive", "unpack it first"),
    (128, b"DICM", "is a DICOM file", _EXPORT),
)
_MARKUP: Final = (
    (b"<!doctype html", "is an HTML page"),
    (b"<html", "is an HTML page"),
    (b"<?xml", "is an XML document"),
)
_MOSTLY: Final = 0.8
_AS_TEXT: Final = "give it a name that ends in .csv, .tsv or .jsonl, by its format"
_A_LINE_EACH: Final = "write each object on a line of its own, without commas between them"
_JSON: Final = re.compile(rb"""\{\s*["'}]|\[\s*[\[{"]""")
_JSON_LIST: Final = re.compile(rb"\[\s*\{")
_SPREAD_OBJECT: Final = re.compile(rb"\{\s*\n")
_CELLS: Final = re.compile(rb"""(["\w :-]|\.\w)+([,;\t|](["\w :-]|\.\w)+)+\r?\n(?!\s*\{)""")


def check_contents(path: Path, head: bytes, wanted: str = "") -> None:
    """Refuses a file whose first bytes are those of another kind than its name says.

    Args:
        path: of the file, for the message.
        head: its first bytes, `HEAD` of them if there are as many.
        wanted: "gzip" or "parquet"; else any text.

    Raises:
        InputError: saying what the file is, and what to do.
    """
    kind, remedy = _kind(head)
    if wanted == "gzip":
        if not head or head.startswith(_GZIP):
            return
        problem = f"{kind or 'is not compressed with gzip'}, though its name ends in .gz"
        raise InputError(str(path), problem, remedy=remedy or "remove .gz from its name, or compress it with gzip")
    if wanted == "parquet":
        _check_parquet(path, head)
    elif kind:
        raise InputError(str(path), kind, remedy=remedy)


def check_layout(path: Path, head: bytes, layout: str) -> None:
    """Refuses a text file that begins as another layout than its name says.

    Args:
        path: of the file, for the message.
        head: its first bytes, unpacked.
        layout: "jsonl", else a table of cells.

    Raises:
        InputError: saying what the file is, and what to do.
    """
    text = head.removeprefix(MARK).lstrip()
    if layout != "jsonl":
        if _JSON.match(text):
            raise InputError(str(path), "is JSON, not a table of cells", remedy="give it a name that ends in .jsonl")
    elif _JSON_LIST.match(text):
        raise InputError(str(path), "is one JSON list, not one object per line", remedy=_A_LINE_EACH)
    elif _SPREAD_OBJECT.match(text):
        raise InputError(str(path), "is JSON with objects over several lines", remedy=_A_LINE_EACH)
    elif _CELLS.match(text):
        problem = "is a table of cells, not JSON lines"
        raise InputError(str(path), problem, remedy="give it a name that ends in .csv or .tsv, by its format")


def _check_parquet(path: Path, head: bytes) -> None:
    if head.startswith(_PARQUET):
        return
    kind, remedy = _kind(head)
    if not head:
        raise InputError(str(path), "is empty, not a Parquet file", remedy="write or copy it again")
    if head.startswith(_GZIP):
        remedy = "unpack it; a Parquet file is already compressed"
    if not kind and _is_text(head):
        kind, remedy = "is a text file", _AS_TEXT
    if kind:
        raise InputError(str(path), f"{kind}, not a Parquet file", remedy=remedy)


def not_text(source: str, head: bytes) -> InputError:
    """The error for a file that is no UTF-8 text by its first bytes."""
    if _is_wide(head):
        return InputError(source, "is UTF-16 or UTF-32 text", remedy="save it as UTF-8")
    if b"\0" in head:
        return InputError(source, "is not a text file: it contains NUL bytes", remedy="name the file that is meant")
    return InputError(source, "is not UTF-8 text", remedy="save it as UTF-8")


def _kind(head: bytes) -> tuple[str, str]:
    """The kind of a file by its first bytes, and what to do with it; "" for text and for unknown kinds."""
    if head.startswith(_ZIP) and any(name in head for name in _OFFICE):
        return "is an Office file, such as an Excel workbook", _SAVE_AS_CSV
    for magic, words, remedy in _MAGIC:
        if head.startswith(magic):
            return words, remedy
    for place, magic, words, remedy in _WITHIN:
        if head.startswith(magic, place):
            return words, remedy
    text = head.removeprefix(MARK).lstrip().lower()
    return next(((words, _SAVE_TEXT) for sign, words in _MARKUP if text.startswith(sign)), ("", ""))


def _is_text(head: bytes) -> bool:
    """Return whether these may be the first bytes of a UTF-8 text; the last character may be cut."""
    try:
        return "\0" not in getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False


def _is_wide(head: bytes) -> bool:
    """Return whether every second byte, or three of four, is nearly always NUL, as in Latin text of wide characters."""
    if head.startswith(WIDE_MARKS):
        return True
    columns = [head[start::4] for start in range(4)]
    empty = [column.count(0) > _MOSTLY * len(column) for column in columns if column]
    return empty in ([True, False] * 2, [False, True] * 2, [True] * 3 + [False], [False] + [True] * 3)
