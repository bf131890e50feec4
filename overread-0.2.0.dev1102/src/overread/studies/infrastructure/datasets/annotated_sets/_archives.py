"""Archives that a set is distributed in."""

from __future__ import annotations

import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from overread.exceptions import InputError

__all__ = ["TABLES", "WORKBOOKS", "is_archive", "suffix_of", "unpack_tables"]

TABLES: Final = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
"""Suffixes of tables, each but .parquet also before .gz."""

WORKBOOKS: Final = (".xlsx", ".xls", ".ods")
"""Suffixes of files that hold tables and are not read."""

_MOST: Final = 4 << 30
_CHUNK: Final = 1 << 20
_FAULTS: Final = (zipfile.BadZipFile, tarfile.TarError, EOFError, RuntimeError, NotImplementedError)


@contextmanager
def unpack_tables(path: Path) -> Iterator[Path]:
    """A file or folder as it is, or the tables of a .zip, .tar or .tar.gz in a folder that is removed afterwards.

    Raises:
        InputError: if ``path`` is missing or no whole archive. One that is raised inside names the archive.
    """
    if not path.exists():
        raise InputError(str(path), "no such file or folder")
    if path.is_dir() or not is_archive(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="overread-") as folder:
        try:
            _unpack(path, Path(folder))
            yield Path(folder)
        except InputError as error:
            source, problem = (text.replace(folder, str(path)) for text in (error.source, error.problem))
            raise InputError(source, problem, row=error.row, remedy=error.remedy) from None


def suffix_of(path: Path) -> str:
    """The suffix that tells the format, in small letters: what stands before .gz where there is one."""
    return (Path(path.stem) if path.suffix.lower() == ".gz" else path).suffix.lower()


def is_archive(path: Path) -> bool:
    """Returns whether a file is an archive, by its name."""
    return path.suffix.lower() in (".zip", ".tar", ".tgz") or path.name.lower().endswith(".tar.gz")


def _unpack(path: Path, folder: Path) -> None:
    try:
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                members = (info for info in archive.infolist() if not info.is_dir())
                _copy(path, ((info.filename, archive.open(info)) for info in members), folder)
        else:
            with tarfile.open(path) as packed:
                files = (info for info in packed if info.isfile())
                _copy(path, ((info.name, cast("IO[bytes]", packed.extractfile(info))) for info in files), folder)
    except _FAULTS:
        raise InputError(str(path), "is not a whole archive", remedy="unpack it and name the folder") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be unpacked: {error.strerror or type(error).__name__}") from None


def _copy(path: Path, members: Iterable[tuple[str, IO[bytes]]], folder: Path) -> None:
    """Tables and workbooks of an archive, under their own names below ``folder`` and nowhere else."""
    left = _MOST
    for name, stream in members:
        parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..")]
        with stream:
            if not parts or suffix_of(Path(parts[-1])) not in (*TABLES, *WORKBOOKS):
                continue
            target = folder.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as copy:
                while chunk := stream.read(_CHUNK):
                    left -= len(chunk)
                    if left < 0:
                        raise InputError(str(path), "holds more than 4 GiB of tables", remedy="unpack it yourself")
                    copy.write(chunk)
