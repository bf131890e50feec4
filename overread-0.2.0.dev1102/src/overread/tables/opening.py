"""Files opened for reading: there, readable, unpacked, and of the kind that their names say."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from overread.exceptions import InputError
from overread.tables.contents import HEAD, check_contents

__all__ = ["checked_path", "file_head", "is_gzipped", "open_binary", "unreadable"]


def is_gzipped(path: Path) -> bool:
    """Return whether the suffix is .gz."""
    return path.suffix.lower() == ".gz"


def checked_path(path: Path) -> None:
    """Raises `InputError` unless ``path`` is there and no folder."""
    try:
        folder, there = path.is_dir(), path.exists()
    except OSError as error:
        raise unreadable(path, error) from None
    if folder:
        raise InputError(str(path), "is a folder, not a file")
    if not there:
        raise InputError(str(path), "no such file")


@contextmanager
def open_binary(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes, unpacked if gzipped; a fault in reading becomes an `InputError`.

    Raises:
        InputError: too, if its first bytes are those of another kind of file than its name says.
    """
    packed = is_gzipped(path)
    try:
        with path.open("rb") as file:
            check_contents(path, file.peek(HEAD)[:HEAD], "gzip" if packed else _expected_format(path))
            with gzip.GzipFile(fileobj=file) if packed else file as stream:
                if packed:
                    check_contents(path, stream.peek(HEAD)[:HEAD])
                yield cast("IO[bytes]", stream)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(str(path), "is not a whole gzip file", remedy="pack or copy it again") from None
    except OSError as error:
        raise unreadable(path, error) from None
    except MemoryError:
        raise InputError(
            str(path), "there is not enough memory to read it", remedy="free memory, or split the file"
        ) from None


def file_head(stream: IO[bytes]) -> bytes:
    """The first bytes of what `open_binary` gives, which are still to be read."""
    return cast("io.BufferedReader", stream).peek(HEAD)[:HEAD]


def unreadable(path: Path, error: OSError) -> InputError:
    """The error that the system does not let a file be read."""
    return InputError(str(path), f"cannot be read: {error.strerror or type(error).__name__}")


def _expected_format(path: Path) -> str:
    return "parquet" if path.suffix.lower() == ".parquet" else ""
