"""Result files: JSONL or Parquet, whole or not there at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Protocol, Self

from overread.domain.result import EvaluationResult
from overread.exceptions import InputError
from overread.infrastructure.serialise import result_record

__all__ = ["ResultWriter", "open_writer"]

_STANDARD_OUTPUT: Final = "-"
_JSONL: Final = (".jsonl", ".ndjson")
_PARQUET: Final = (".parquet",)


def open_writer(path: Path | str) -> ResultWriter:
    """A writer of results, to be used in a ``with`` statement; nothing is written before that.

    Args:
        path: a .jsonl, .ndjson or .parquet file, or "-" for JSONL on standard output.

    Raises:
        InputError: if the suffix is another one, ``path`` is a folder, or its folder is missing.
    """
    path = Path(path)
    if str(path) == _STANDARD_OUTPUT:
        return ResultWriter(None)
    if path.is_dir():
        raise InputError(str(path), "is a folder", remedy="name a file in it")
    if path.suffix.lower() not in (*_JSONL, *_PARQUET):
        raise InputError(
            str(path), "its suffix names no result format", remedy="use .jsonl or .parquet, or - for stdout"
        )
    if not path.parent.is_dir():
        raise InputError(str(path), f"the folder {path.parent} does not exist", remedy="make it first")
    return ResultWriter(path)


class ResultWriter:
    """Writes results, one line or row each, in order.

    Results go to ``PATH.partial``, which takes the file's name and place at a clean end. After an error it stays, with
    what was written so far, and the file that was there before is untouched.

    Attributes:
        partial: where incomplete results lie after an error, None otherwise.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._sink: _Sink | None = None
        self.partial: Path | None = None

    def __enter__(self) -> Self:
        try:
            self._sink = _StandardOutput() if self._path is None else _file_sink(self._path, _beside(self._path))
        except OSError as error:
            raise self._failure(error) from None
        return self

    def write(self, results: Iterable[EvaluationResult]) -> None:
        """Keep results, in order.

        Raises:
            InputError: if the file cannot be written, as on a full disk.
        """
        if self._sink is None:
            raise ValueError("the writer is not open")
        try:
            self._sink.write([result_record(result) for result in results])
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._failure(error) from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sink, self._sink = self._sink, None
        if self._path is None or sink is None:
            return
        self.partial = _beside(self._path)
        try:
            sink.close()
            if kind is None:
                self.partial.replace(self._path)
                self.partial = None
        except OSError as fault:
            if kind is None:
                raise self._failure(fault) from None

    def _failure(self, error: OSError) -> InputError:
        return InputError(str(self._path or "stdout"), f"cannot be written: {error.strerror or type(error).__name__}")


class _Sink(Protocol):
    def write(self, records: Sequence[Mapping[str, Any]]) -> None: ...

    def close(self) -> None: ...


class _Lines:
    """JSON lines in a file."""

    def __init__(self, path: Path) -> None:
        self._stream: IO[str] = path.open("w", encoding="utf-8", newline="\n")

    def write(self, records: Sequence[Mapping[str, Any]]) -> None:
        self._stream.writelines(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records)

    def close(self) -> None:
        self._stream.close()


class _StandardOutput:
    """JSON lines on standard output, in ASCII: its encoding is not ours to choose."""

    def write(self, records: Sequence[Mapping[str, Any]]) -> None:
        sys.stdout.writelines(json.dumps(record, allow_nan=False) + "\n" for record in records)

    def close(self) -> None:
        sys.stdout.flush()


def _file_sink(path: Path, partial: Path) -> _Sink:
    if path.suffix.lower() in _JSONL:
        return _Lines(partial)
    from overread.infrastructure._parquet import ParquetResults  # noqa: PLC0415 - pyarrow is slow to import

    return ParquetResults(partial)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.partial")
